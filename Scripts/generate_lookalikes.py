#!/usr/bin/env python3
"""Writes Sources/ShardedIndex/Format/Fold/LookAlikes.swift: the pairs of the plain form that look alike.

    generate_lookalikes.py              write the table
    generate_lookalikes.py --check      fail if the committed table differs from the new one

The rules are docs/matching.md section 11. They apply to folds, and change neither a fold nor a shard.
"""

import argparse
import pathlib
import re
import sys

# From, to; "" removes the scalar.
PAIRS = [
    # Heh with a hamza above is U+06C0, which folds to U+06D5, or heh and U+0654, which folds to heh.
    ("\u06D5", "\u0647"),
    # Final heh is everyday spelling for teh marbuta.
    ("\u0629", "\u0647"),
    # Most writers of Hindi leave the nukta out.
    ("\u093C", ""),
    # Place names are spelt with either.
    ("\u30F6", "\u30B1"),
    ("\u30F5", "\u30AB"),
]
# Tone marks, and the nikhahit that goes behind those of its run: Thai, Lao.
RUNS = [("\u0E48\u0E49\u0E4A\u0E4B", "\u0E4D"), ("\u0EC8\u0EC9\u0ECA\u0ECB", "\u0ECD")]


def replaced(text):
    """The text with each look-alike in its plain form."""
    for old, new in PAIRS:
        text = text.replace(old, new)
    marks = "".join(mark for _, mark in RUNS)
    runs = "[" + marks + "".join(tones for tones, _ in RUNS) + "]+"
    return re.sub(runs, lambda run: "".join(sorted(run[0], key=lambda c: c in marks)), text)


def swift():
    cases = "\n".join(
        f"    case 0x{ord(old):04x}: return 0x{ord(new) if new else 0:04x}" for old, new in sorted(PAIRS))
    tones = ", ".join(f"0x{ord(tones[0]):04x}...0x{ord(tones[-1]):04x}" for tones, _ in RUNS)
    marks = ", ".join(f"0x{ord(mark):04x}" for _, mark in RUNS)
    # The scanner only looks for the first bytes of all sources.
    leads = sorted({source.encode()[0] for source in [old for old, _ in PAIRS] + [tones for tones, _ in RUNS]})
    return f"""// Written by Scripts/generate_lookalikes.py: do not edit.
// swift-format-ignore-file

/// The scalars that look like others, of the plain form. Source: docs/matching.md section 11.
enum LookAlikes {{
  /// Whether the UTF-8 of a look-alike may begin with a byte.
  @inline(__always) static func isLead(_ byte: UInt8) -> Bool {{
    switch byte {{
    case {", ".join(f"0x{lead:02x}" for lead in leads)}: return true
    default: return false
    }}
  }}

  /// Returns the scalar that stands for a look-alike, 0 if none does; nil of another scalar.
  @inline(__always) static func replacement(_ scalar: UInt32) -> UInt32? {{
    switch scalar {{
{cases}
    default: return nil
    }}
  }}

  /// Whether a scalar is a tone mark, which a nikhahit goes behind.
  @inline(__always) static func isTone(_ scalar: UInt32) -> Bool {{
    switch scalar {{
    case {tones}: return true
    default: return false
    }}
  }}

  /// Whether a scalar is a nikhahit.
  @inline(__always) static func isNikhahit(_ scalar: UInt32) -> Bool {{
    switch scalar {{
    case {marks}: return true
    default: return false
    }}
  }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed table, write nothing")
    arguments = parser.parse_args()
    code = swift().encode()
    target = pathlib.Path(__file__).parent.parent / "Sources/ShardedIndex/Format/Fold/LookAlikes.swift"
    if not arguments.check:
        target.write_bytes(code)
    elif not target.exists() or target.read_bytes() != code:
        sys.exit(f"{target.name} is not the file that this script writes; run it without --check")


if __name__ == "__main__":
    main()
