#!/usr/bin/env python3
"""Makes the tables of nearness. They have whole numbers and use no floats, so they are the same on every machine.

    generate_near.py             write Sources/ShardedIndex/Format/Near/NearTables.swift
    generate_near.py --check     fail if the committed table differs from the new one
    generate_near.py --tables    print the tables, one number per line

`sines()` has the sine of each 1/200 degree from 0 to 90, times 2^30, rounded. `nears()` has, for each 1/4096 of the
root of the haversine, the steps of the score of a place at this distance d: 2,048 times 8 - log2(1 + d / 10 km),
rounded down, and at least 0. d is the distance on a sphere with a radius of 6,371 km.

The Swift file has fewer values, with 62 bits: the sines of whole degrees, and the sines and cosines of each 1/200 below
one degree. The sine of a sum gives all others. This script compares each of them with `sines()`.
"""

import argparse
import functools
import pathlib
import sys
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext

DIGITS = 40
SINE_BITS = 30
SINES_PER_DEGREE = 200
STEPS = 4096  # of the haversine's root, from 0 to 1
RADIUS, NEAR = Decimal(6371), Decimal(10)  # km
OCTAVES, OCTAVE = 8, 2048


def sine(x):
    """The sine by its series; x is in radians, at most pi / 2."""
    term = total = x
    n = 1
    while abs(term) > Decimal(10) ** -DIGITS:
        term = -term * x * x / ((n + 1) * (n + 2))
        total += term
        n += 2
    return total


def arctangent(x):
    """The logarithm by its series, after the argument is halved until it is small."""
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


PRECISE_BITS = 62
PATH = pathlib.Path(__file__).resolve().parents[1] / "Sources" / "ShardedIndex" / "Format" / "Near" / "NearTables.swift"


@functools.cache
def precise_sines():
    """Sines of 1/200 degrees from 0 to 90 degrees, with 62 bits, as far as the Swift file needs them."""
    with localcontext() as context:
        context.prec = DIGITS + 10
        step = 4 * arctangent(Decimal(1)) / (180 * SINES_PER_DEGREE)
        wanted = set(range(0, 90 * SINES_PER_DEGREE + 1, SINES_PER_DEGREE))
        wanted |= set(range(SINES_PER_DEGREE)) | {90 * SINES_PER_DEGREE - i for i in range(SINES_PER_DEGREE)}
        return {i: int((sine(step * i) * 2**PRECISE_BITS).to_integral_value(ROUND_HALF_EVEN)) for i in wanted}


def made_sine(number):
    """The values that the Swift code computes from its tables."""
    precise, quarter = precise_sines(), 90 * SINES_PER_DEGREE
    degree, rest = divmod(number, SINES_PER_DEGREE)
    degree *= SINES_PER_DEGREE
    total = precise[degree] * precise[quarter - rest] + precise[quarter - degree] * precise[rest]
    return (total >> PRECISE_BITS) + (1 << PRECISE_BITS - SINE_BITS - 1) >> PRECISE_BITS - SINE_BITS


def swift():
    assert all(made_sine(number) == value for number, value in enumerate(sines()))
    assert all(a >= b for a, b in zip(nears(), nears()[1:]))
    precise, quarter = precise_sines(), 90 * SINES_PER_DEGREE
    tables = [
        ("degreeSines", "The sines of whole degrees, times 2^62.", "UInt64",
         [precise[number] for number in range(0, quarter + 1, SINES_PER_DEGREE)]),
        ("fractionSines", "The sines of each 1/200 of a degree below 1, times 2^62.", "UInt64",
         [precise[number] for number in range(SINES_PER_DEGREE)]),
        ("fractionCosines", "The cosines of the same.", "UInt64",
         [precise[quarter - number] for number in range(SINES_PER_DEGREE)]),
        ("steps", "The steps of a score by each 1/4096 of the root of the haversine, those aside that are 0.", "UInt16",
         [number for number in nears() if number]),
    ]
    text = """// Written by Scripts/generate_near.py: do not edit.
// swift-format-ignore-file

/// The tables of nearness. Source: docs/ranking.md section 9.
enum NearTables {
"""
    for name, comment, kind, values in tables:
        text += f"  /// {comment}\n  static let {name}: [{kind}] = [\n"
        line = ""
        for value in values:
            word = f"{value}, "
            if len(line) + len(word) > 112:
                text += "    " + line.rstrip() + "\n"
                line = ""
            line += word
        text += "    " + line.rstrip() + "\n  ]\n"
    return text + "}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--tables", action="store_true", help="print the tables, one number per line")
    choice.add_argument("--check", action="store_true", help="fail if the committed table differs")
    arguments = parser.parse_args()
    if arguments.tables:
        for number in sines() + nears():
            print(number)
    elif arguments.check:
        if PATH.read_text() != swift():
            sys.exit(f"{PATH.name} is out of date; run Scripts/generate_near.py")
    else:
        PATH.parent.mkdir(exist_ok=True)
        PATH.write_text(swift())


if __name__ == "__main__":
    main()
