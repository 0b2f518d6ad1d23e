#!/usr/bin/env python3
"""Writes the outline of the land that the page's map draws: Scripts/generate_land.py WHEEL

The source is Natural Earth's map of countries at 1:110 million, which is in the public domain
(https://www.naturalearthdata.com/about/terms-of-use/). The wheel of geopandas 0.14.4 on PyPI has its file:

    pip download geopandas==0.14.4 --no-deps
    Scripts/generate_land.py geopandas-0.14.4-py3-none-any.whl
    Scripts/generate_page.py

The script drops borders, which are edges of two countries. The rings around land remain. The script simplifies them
(Ramer, Douglas and Peucker) to STEP degrees, and leaves out small islands and lakes. A ring is the differences of its
points in steps, longitude before latitude. A difference is a zigzag number in digits of five bits, the lowest first, in
the letters of Base64; a digit before another digit is 32 higher. A space is between rings.
"""

import collections
import pathlib
import re
import struct
import sys
import zipfile

FILE = "geopandas/datasets/naturalearth_lowres/naturalearth_lowres.shp"
SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "Sources/Page/land.js"
STEP = 0.25  # degrees
LEAST = 1  # square degrees
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def polygons(data):
    """The rings of a shapefile of polygons."""
    at = 100
    while at < len(data):
        size = struct.unpack_from(">i", data, at + 4)[0] * 2
        parts, points = struct.unpack_from("<ii", data, at + 8 + 36)
        starts = [*struct.unpack_from(f"<{parts}i", data, at + 8 + 44), points]
        first = at + 8 + 44 + 4 * parts
        all_points = [struct.unpack_from("<dd", data, first + 16 * i) for i in range(points)]
        for start, end in zip(starts, starts[1:]):
            yield [(round(x, 4), round(y, 4)) for x, y in all_points[start:end]]
        at += 8 + size


def coasts(rings):
    """The rings around the union of all rings."""
    edges = collections.Counter()
    for ring in rings:
        for a, b in zip(ring, ring[1:]):
            if a != b:
                edges[frozenset((a, b))] += 1
    ends = collections.defaultdict(set)
    for edge in sorted(sorted(edge) for edge, count in edges.items() if count == 1):
        a, b = edge
        ends[a].add(b)
        ends[b].add(a)
    for start in sorted(ends):
        if not ends[start]:
            continue
        ring, at = [start], start
        while ends[at]:
            other = min(ends[at])
            ends[at].discard(other)
            ends[other].discard(at)
            ring.append(other)
            at = other
        yield ring


def simplified(points, most):
    """Ramer, Douglas and Peucker."""
    if len(points) < 3:
        return points
    (ax, ay), (bx, by) = points[0], points[-1]
    length = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
    best, far = 0, -1.0
    for i, (x, y) in enumerate(points[1:-1], 1):
        if length:
            apart = abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length
        else:
            apart = ((x - ax) ** 2 + (y - ay) ** 2) ** 0.5
        if apart > far:
            best, far = i, apart
    if far <= most:
        return [points[0], points[-1]]
    return simplified(points[: best + 1], most)[:-1] + simplified(points[best:], most)


def area(ring):
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1]))) / 2


def digits(number):
    number = number << 1 if number >= 0 else -number << 1 | 1
    text = ""
    while True:
        digit, number = number & 31, number >> 5
        text += LETTERS[digit | (32 if number else 0)]
        if not number:
            return text


def encoded(ring):
    text, x, y = "", 0, 0
    for longitude, latitude in ring:
        to_x, to_y = round(longitude / STEP), round(latitude / STEP)
        if text and (to_x, to_y) == (x, y):
            continue
        text += digits(to_x - x) + digits(to_y - y)
        x, y = to_x, to_y
    return text


def main():
    rings = coasts(polygons(zipfile.ZipFile(sys.argv[1]).read(FILE)))
    rings = sorted((ring for ring in rings if area(ring) >= LEAST), key=area, reverse=True)
    land = " ".join(encoded(simplified(ring, STEP)[:-1]) for ring in rings)
    script, count = re.subn(r"(const land = ')[^']*'", rf"\g<1>{land}'", SCRIPT.read_text())
    if count != 1:
        sys.exit(f"{SCRIPT} has no place for the land: const land = ''")
    SCRIPT.write_text(script)
    print(f"{len(rings)} rings, {len(land)} bytes")


if __name__ == "__main__":
    main()
