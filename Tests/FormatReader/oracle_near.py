"""The oracle's nearness: docs/ranking.md section 9."""

import math
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "Scripts"))
import generate_near  # noqa: E402


def hundredths(degrees):
    """Hundredths of a degree, rounded half away from zero."""
    size = int(abs(degrees) * 100 + Fraction(1, 2))
    return size if degrees >= 0 else -size


def sine_squared(half_degrees):
    """Of an angle in 1/200 degrees, which may be above 90 degrees; the result has 60 bits after the point."""
    quarter = generate_near.SINES_PER_DEGREE * 90
    return generate_near.sines()[half_degrees if half_degrees <= quarter else 2 * quarter - half_degrees] ** 2


def cosine(latitude):
    return generate_near.sines()[2 * (9000 - abs(latitude))]


def nearness(here, there):
    """Steps of a score; places are latitude and longitude in hundredths of a degree."""
    turn = abs(here[1] - there[1])
    turn = min(turn, 36000 - turn)
    haversine = sine_squared(abs(here[0] - there[0]))
    haversine += cosine(here[0]) * cosine(there[0]) * sine_squared(turn) >> 2 * generate_near.SINE_BITS
    root = math.isqrt(haversine) >> generate_near.SINE_BITS - 12
    return generate_near.nears()[min(root, generate_near.STEPS)]
