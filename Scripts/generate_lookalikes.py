#!/usr/bin/env python3
"""Writes Sources/ShardedIndex/Format/Fold/LookAlikes.swift: the pairs of the plain form that look alike.

    generate_lookalikes.py              write the table
    generate_lookalikes.py --check      fail if the committed table differs from the new one

The rules are docs/matching.md section 11, the pairs docs/look-alikes.md. They apply to folds, and change neither a fold
nor a shard.
"""

import argparse
import re

import generated

# From, to; "" removes the scalar.
PAIRS = [
    # Heh with a hamza above is U+06C0, which folds to U+06D5, or heh and U+0654, which folds to heh.
    ("\u06D5", "\u0647"),
    # Final heh is everyday spelling for teh marbuta.
    ("\u0629", "\u0647"),
    # Most writers of Hindi leave the nukta out.
    ("\u093C", ""),
    # Writers of Hindi put the anusvara for the candrabindu.
    ("\u0901", "\u0902"),
    # The long form of the Thai vowel U+0E32 looks the same; only U+0E24 and U+0E26 take it.
    ("\u0E45", "\u0E32"),
    # Place names are spelt with either of ga, ke and the counting sign ke; counters with ka and the counting sign ka.
    ("\u30F6", "\u30B1"),
    ("\u304C", "\u30B1"),
    ("\u30F5", "\u30AB"),
    ("\u304B", "\u30AB"),
    # Place names are spelt with either of three signs between their parts: tsu of three kinds; no, in kana or Han.
    ("\u30C3", "\u30C4"),
    ("\u3064", "\u30C4"),
    ("\u30CE", "\u306E"),
    ("\u4E4B", "\u306E"),
    # Hiragana he looks as katakana he does.
    ("\u3078", "\u30D8"),
    ("\u3079", "\u30D9"),
    ("\u307A", "\u30DA"),
    # Loan words are spelt with small and large vowels.
    ("\u30A1", "\u30A2"),
    ("\u30A3", "\u30A4"),
    ("\u30A5", "\u30A6"),
    ("\u30A7", "\u30A8"),
    ("\u30A9", "\u30AA"),
    # Kana that today's spelling replaces stay in names.
    ("\u30F0", "\u30A4"),
    ("\u30F1", "\u30A8"),
    ("\u3090", "\u3044"),
    ("\u3091", "\u3048"),
]
# Han letters of place names: an old or rare form and the usual form.
PAIRS += map(tuple, [
    "\u6FA4\u6CA2", "\u689D\u6761", "\u7027\u6EDD", "\u4F5B\u4ECF", "\u5EE3\u5E83", "\u85EA\u85AE", "\u7ADC\u9F8D",
    "\u7BED\u7C60", "\u6AFB\u685C", "\u6FF1\u6D5C", "\u6A9C\u6867", "\u842C\u4E07", "\u85CF\u8535", "\u7576\u5F53",
    "\u5DBD\u5CB3", "\u87A2\u86CD", "\u7E69\u7E04", "\u9DAF\u9D2C", "\u5047\u4EEE", "\u5967\u5965", "\u62C2\u6255",
    "\u72F9\u72ED", "\u7E23\u770C", "\u9771\u976D", "\u9F4B\u658E", "\u6E13\u6EAA", "\u66FE\u66FD", "\u6E15\u6DF5",
    "\u60E0\u6075", "\u7063\u6E7E", "\u81FA\u53F0", "\u975C\u9759", "\uFA11\u5D0E", "\u5DFF\u5E02", "\u5CEF\u5CF0",
    "\u7895\u5D0E", "\u9AD9\u9AD8", "\u57DC\u91CE", "\u5D8B\u5CF6", "\u51A8\u5BCC",
])
# Two of one of these vowels look as the vowel behind it in Unicode: Thai, Lao.
DOUBLED = ["\u0E40", "\u0EC0"]
# Tone marks, and the nikhahit that goes behind those of its run: Thai, Lao.
RUNS = [("\u0E48\u0E49\u0E4A\u0E4B", "\u0E4D"), ("\u0EC8\u0EC9\u0ECA\u0ECB", "\u0ECD")]


def replaced(text):
    """The text with each look-alike in its plain form."""
    for old, new in PAIRS:
        text = text.replace(old, new)
    for vowel in DOUBLED:
        text = text.replace(2 * vowel, chr(ord(vowel) + 1))
    marks = "".join(mark for _, mark in RUNS)
    runs = "[" + marks + "".join(tones for tones, _ in RUNS) + "]+"
    return re.sub(runs, lambda run: "".join(sorted(run[0], key=lambda c: c in marks)), text)


def swift():
    cases = "\n".join(
        f"    case 0x{ord(old):04x}: return 0x{ord(new) if new else 0:04x}" for old, new in sorted(PAIRS))
    tones = ", ".join(f"0x{ord(tones[0]):04x}...0x{ord(tones[-1]):04x}" for tones, _ in RUNS)
    marks = ", ".join(f"0x{ord(mark):04x}" for _, mark in RUNS)
    doubled = ", ".join(f"0x{ord(vowel):04x}" for vowel in DOUBLED)
    # The scanner only looks for the first bytes of all sources.
    sources = [old for old, _ in PAIRS] + [tones for tones, _ in RUNS] + DOUBLED
    leads = sorted({source.encode()[0] for source in sources})
    return f"""// Written by Scripts/generate_lookalikes.py: do not edit.
// swift-format-ignore-file

/// The scalars that look like others, of the plain form. Source: docs/look-alikes.md.
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

  /// Whether a scalar is a vowel that, typed twice, becomes the next scalar.
  @inline(__always) static func isDoubled(_ scalar: UInt32) -> Bool {{
    switch scalar {{
    case {doubled}: return true
    default: return false
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
    generated.write_or_check("Sources/ShardedIndex/Format/Fold/LookAlikes.swift", swift(), arguments.check)


if __name__ == "__main__":
    main()
