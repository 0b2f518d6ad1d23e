#!/usr/bin/env python3
"""Makes the tables of nearness: whole numbers, the same on every machine, because no float takes part.

    generate_near.py             print the sizes of the tables and their SHA-256
    generate_near.py --tables    print the tables, a number a line

`sines()` has the sine of each 1/200 degree from 0 to 90, times 2^30, rounded. `nears()` has, for each 1/4096 of the
root of the haversine, the steps of a score that a place at this distance or a little farther gets: 2,048 times
8 - log2(1 + d / 10 km), rounded down, and 0 where that is below 0. d is the distance on a sphere of 6,371 km.
"""

import argparse
import functools
import hashlib
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

DIGITS = 40
SINE_BITS = 30
SINES_PER_DEGREE = 200
STEPS = 4096  # of the haversine's root, from 0 to 1
RADIUS, NEAR = Decimal(6371), Decimal(10)  # km
OCTAVES, OCTAVE = 8, 2048


def sine(x):
    """By the series; x in radians, at most pi / 2."""
    term = total = x
    n = 1
    while abs(term) > Decimal(10) ** -DIGITS:
        term = -term * x * x / ((n + 1) * (n + 2))
        total += term
        n += 2
    return total


def arctangent(x):
    """By the series, of an argument that was halved until it is small."""
    halvings = 0
    while x > Decimal("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    power = total = x
    n = 1
    while abs(power) > Decimal(10) ** -DIGITS:
        power = -power * x * x
        n += 2
        total += power / n
    return total * 2**halvings


@functools.cache
def sines():
    with localcontext() as context:
        context.prec = DIGITS + 10
        step = 4 * arctangent(Decimal(1)) / (180 * SINES_PER_DEGREE)
        values = (sine(step * i) * 2**SINE_BITS for i in range(90 * SINES_PER_DEGREE + 1))
        return [int(value.to_integral_value(ROUND_HALF_EVEN)) for value in values]


@functools.cache
def nears():
    with localcontext() as context:
        context.prec = DIGITS + 10
        quarter, octave, values = 2 * arctangent(Decimal(1)), Decimal(2).ln(), []
        for i in range(STEPS + 1):
            root = Decimal(i) / STEPS
            angle = arctangent(root / (1 - root * root).sqrt()) if i < STEPS else quarter
            near = OCTAVES - (1 + 2 * RADIUS * angle / NEAR).ln() / octave
            values.append(int(max(Decimal(0), near * OCTAVE).to_integral_value(ROUND_FLOOR)))
        return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tables", action="store_true", help="print the tables, a number a line")
    arguments = parser.parse_args()
    for name, table in ("sines", sines()), ("nears", nears()):
        text = "".join(f"{number}\n" for number in table)
        if arguments.tables:
            print(text, end="")
        else:
            print(name, len(table), hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
