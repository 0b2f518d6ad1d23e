#!/usr/bin/env python3
"""Writes Sources/Answers/WidthTable.swift from the Unicode character database, version 15.0.

    generate_width.py DIRECTORY              write the table
    generate_width.py DIRECTORY --check      fail if the committed table differs from the new one

DIRECTORY holds UnicodeData.txt, EastAsianWidth.txt and DerivedCoreProperties.txt (Debian: package unicode-data,
/usr/share/unicode). Most terminals agree on these columns: two for East Asian Wide and Fullwidth; none for marks, format
characters, scalars that are ignorable by default, and the vowels and finals of Hangul that join a syllable; one for all
others, also for ambiguous scalars.
"""

import argparse
import pathlib

import generated

LIMIT = 0x110000
# Unassigned but wide scalars: see the head of EastAsianWidth.txt.
WIDE_BY_DEFAULT = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]
# Joined to the consonant before them.
JOINED_HANGUL = [(0x1160, 0x11FF), (0xD7B0, 0xD7C6), (0xD7CB, 0xD7FB)]


def ranges(path, wanted):
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if len(fields) >= 2 and fields[1] in wanted:
            first, _, last = fields[0].partition("..")
            yield int(first, 16), int(last or first, 16)


def widths(directory):
    width = bytearray([1]) * LIMIT
    for first, last in WIDE_BY_DEFAULT + list(ranges(directory / "EastAsianWidth.txt", {"W", "F"})):
        width[first:last + 1] = bytes([2]) * (last + 1 - first)
    zero = list(ranges(directory / "DerivedCoreProperties.txt", {"Default_Ignorable_Code_Point"})) + JOINED_HANGUL
    first = None
    for line in (directory / "UnicodeData.txt").read_text(encoding="utf-8").splitlines():
        fields = line.split(";")
        if fields[2] in ("Mn", "Me", "Cf"):
            zero.append((int(fields[0], 16), int(fields[0], 16)))
    for first, last in zero:
        width[first:last + 1] = bytes(last + 1 - first)
    width[0xAD] = 1  # The soft hyphen: terminals draw it.
    width[0x115F] = 2  # A filler in the place of a consonant.
    return width


def swift(width):
    runs = [start for start in range(LIMIT) if start == 0 or width[start] != width[start - 1]]
    entries = [f"0x{start << 2 | width[start]:x}" for start in runs]
    lines, line = [], ""
    for entry in entries:
        if len(line) + len(entry) > 112:
            lines.append(line.rstrip())
            line = ""
        line += entry + ", "
    lines.append(line.rstrip())
    body = "\n".join("    " + line for line in lines)
    return f"""// Written by Scripts/generate_width.py from Unicode 15.0: do not edit.
// swift-format-ignore-file

/// How many columns characters take.
enum WidthTable {{
  /// Where runs of one width begin, in order: the first scalar times four, plus the columns of each.
  static let runs: [UInt32] = [
{body}
  ]
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=pathlib.Path, help="the folder of UnicodeData.txt and the other files")
    parser.add_argument("--check", action="store_true", help="compare with the committed table, write nothing")
    arguments = parser.parse_args()
    generated.write_or_check("Sources/Answers/WidthTable.swift", swift(widths(arguments.directory)), arguments.check)


if __name__ == "__main__":
    main()
