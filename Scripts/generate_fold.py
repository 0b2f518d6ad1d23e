#!/usr/bin/env python3
"""Writes Sources/ShardedIndex/Format/Fold/FoldTable.swift from the Unicode character database, version 15.0.

    generate_fold.py DIRECTORY              write the table
    generate_fold.py DIRECTORY --check      fail if the committed table differs from the new one
    generate_fold.py DIRECTORY --golden     print the expected folds for the tests
    generate_fold.py DIRECTORY --fold       fold standard input line by line; slow, and independent of the Swift code

DIRECTORY holds UnicodeData.txt, CaseFolding.txt, PropList.txt, DerivedCoreProperties.txt, Scripts.txt and
CompositionExclusions.txt (Debian: package unicode-data, /usr/share/unicode). The rules are docs/matching.md;
each list below is a rule. A change of a rule changes the meaning of indexes, and needs a new `VERSION`.
"""

import argparse
import pathlib
import re
import sys

VERSION = 1
SPACE, SEPARATOR = 0x20, 0x01
LIMIT = 0x30000  # Scalars from here on are outside the table: kept, or removed if in IGNORED_PLANE.
IGNORED_PLANE = range(0xE0000, 0xE1000)  # Tags, variation selectors and scalars reserved for more of them.
BLOCK = 64
FIRST_POOL_VALUE = 256  # Smaller values: 0 kept, 1 to 254 a kept mark of that combining class, 255 removed.
REMOVED = 255
COMPLEX = 0x40  # In a replacement's first byte: holds marks, white space or separators.

# Scripts whose marks are accents or points that people leave out when they type. In every other script marks are vowels or
# parts of letters, and the fold keeps them.
ACCENTED_SCRIPTS = {"Inherited", "Latin", "Greek", "Cyrillic", "Glagolitic", "Coptic", "Hebrew", "Arabic", "Syriac"}
KEPT_MARKS = {0x3099, 0x309A, 0x1133B}  # Kana voicing marks; a nukta. All "Inherited".
# Tatweel; Hangul tone marks; skin tones; middle dots; fillers come with Default_Ignorable_Code_Point.
REMOVED_SCALARS = (
    {0x0640, 0x302E, 0x302F}
    | set(range(0x1F3FB, 0x1F400))
    | {0x00B7, 0x2027, 0x2219, 0x22C5, 0x30FB, 0xA78F}
)
COMMAS = [  # All of punctuation that Unicode names a comma, save quotation marks and editorial signs.
    0x002C, 0x055D, 0x060C, 0x07F8, 0x1363, 0x1802, 0x1808, 0x2E41, 0x3001, 0xA4FE, 0xA60D, 0xA6F5, 0x1144D,
    0x16E97, 0x1DA87,
]

OVERRIDES = {}


def override(text, targets):
    for scalar in targets:
        assert scalar not in OVERRIDES, hex(scalar)
        OVERRIDES[scalar] = [ord(c) for c in text]


OVERRIDES.update({comma: [SEPARATOR] for comma in COMMAS})
# Apostrophes, single quotation marks, primes, the letters that transliterations write for hamza, ayin and the
# soft sign, and the accents that keyboards have on keys of their own.
override("'", [
    0x0060, 0x00B4, 0x02B9, 0x02BB, 0x02BC, 0x02BD, 0x02BE, 0x02BF, 0x02C0, 0x02C1, 0x02C8, 0x02CA, 0x02CB,
    0x0384, 0x055A, 0x05F3, 0x07F4, 0x07F5, 0x1FBD, 0x1FBF, 0x1FFE, 0x2018, 0x2019, 0x201A, 0x201B, 0x2032,
    0x2035, 0x2039, 0x203A, 0x275B, 0x275C, 0x275F, 0xA78B, 0xA78C,
])
override('"', [
    0x00AB, 0x00BB, 0x02BA, 0x02EE, 0x05F4, 0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x2036, 0x275D, 0x275E,
    0x2760, 0x2E42, 0x301D, 0x301E, 0x301F, 0x1F676, 0x1F677, 0x1F678,
])
override("-", [0x02D7, 0x2043, 0x2796])  # With all that has the property Dash, but for:
override("~", [0x2053, 0x301C, 0x3030])  # full-width tilde and wave dash are typed for each other.
override("/", [0x2044, 0x2215])
# Letters without a decomposition; only small letters, because case is folded first. The letters that Unicode names
# "LATIN SMALL LETTER X WITH ..." and "LATIN LETTER SMALL CAPITAL X" are added below.
for text, letters in {
    "a": "ɑ", "aa": "ꜳ", "ae": "æ", "ao": "ꜵ", "au": "ꜷ", "av": "ꜹ", "ay": "ꜽ", "d": "ðꝺ", "db": "ȸ",
    "dz": "ʣʤ", "e": "əǝɛ", "f": "ꝼ", "g": "ɡɣƣᵹ", "hv": "ƕ", "i": "ıɩ", "j": "ȷɟ", "ls": "ʪ", "lz": "ʫ", "n": "ŋ",
    "o": "ɔɵ", "oe": "œ", "oo": "ꝏ", "ou": "ȣ", "q": "ĸ", "qp": "ȹ", "r": "ꞃ", "s": "ʃꞅ", "t": "ꞇ", "th": "þꝥꝧ",
    "ts": "ʦ", "tz": "ꜩ", "u": "ʉʊ", "vy": "ꝡ", "w": "ƿ", "y": "ȝ", "z": "ʒ",
    # Arabic: one letter, several keyboards. Alef wasla, alef maqsura and Farsi yeh, kafs, heh goal, teh marbuta goal.
    "\u0627": "\u0671", "\u064A": "\u0649\u06CC", "\u0643": "\u06A9\u06AA", "\u0647": "\u06C1",
    "\u0629": "\u06C3",
    # Hebrew: the Yiddish digraphs, of two keys.
    "\u05D5\u05D5": "\u05F0", "\u05D5\u05D9": "\u05F1", "\u05D9\u05D9": "\u05F2",
    # Bengali khanda ta and the Malayalam chillus: older texts write letter, virama, joiner.
    "\u09A4\u09CD": "\u09CE", "\u0D23\u0D4D": "\u0D7A", "\u0D28\u0D4D": "\u0D7B", "\u0D30\u0D4D": "\u0D7C",
    "\u0D32\u0D4D": "\u0D7D", "\u0D33\u0D4D": "\u0D7E", "\u0D15\u0D4D": "\u0D7F",
    # Kana: the spacing voicing marks, as people type them behind a letter.
    "\u3099": "\u309B", "\u309A": "\u309C",
    # Hangul: one key gives one letter. Vowels,
    "\u1169\u1161": "\u116A", "\u1169\u1162": "\u116B", "\u1169\u1175": "\u116C", "\u116E\u1165": "\u116F",
    "\u116E\u1166": "\u1170", "\u116E\u1175": "\u1171", "\u1173\u1175": "\u1174",
    # and finals, as the leading consonants they turn into when a vowel follows.
    "\u1100": "\u11A8", "\u1101": "\u11A9", "\u1100\u1109": "\u11AA", "\u1102": "\u11AB", "\u1102\u110C": "\u11AC",
    "\u1102\u1112": "\u11AD", "\u1103": "\u11AE", "\u1105": "\u11AF", "\u1105\u1100": "\u11B0",
    "\u1105\u1106": "\u11B1", "\u1105\u1107": "\u11B2", "\u1105\u1109": "\u11B3", "\u1105\u1110": "\u11B4",
    "\u1105\u1111": "\u11B5", "\u1105\u1112": "\u11B6", "\u1106": "\u11B7", "\u1107": "\u11B8",
    "\u1107\u1109": "\u11B9", "\u1109": "\u11BA", "\u110A": "\u11BB", "\u110B": "\u11BC", "\u110C": "\u11BD",
    "\u110E": "\u11BE", "\u110F": "\u11BF", "\u1110": "\u11C0", "\u1111": "\u11C1", "\u1112": "\u11C2",
    "\u1140": "\u11EB", "\u114C": "\u11F0", "\u1159": "\u11F9",
}.items():
    override(text, map(ord, letters))

# Letters that stay whole though they decompose: й ў, ї, ѓ ќ, each with a key of its own, and voiced kana.
COMPOSED = {(0x0438, 0x0306): 0x0439, (0x0443, 0x0306): 0x045E, (0x0456, 0x0308): 0x0457,
            (0x0433, 0x0301): 0x0453, (0x043A, 0x0301): 0x045C}
# Scalars that the fold removes, but that stand for one of the three marks behind a letter. Fold.swift lists them too.
LOOSE_MARKS = {0x0301, 0x0306, 0x0308, 0x0341, 0x0344, 0x0385, 0x1FEE}


class Database:
    """The facts of Unicode that the fold needs."""

    def __init__(self, directory):
        def rows(name):
            text = (directory / name).read_text(encoding="utf-8")
            for line in text.splitlines():
                line = line.split("#")[0].strip()
                if line:
                    yield [field.strip() for field in line.split(";")]

        def ranges(name, wanted=None):
            for row in rows(name):
                if wanted is None or row[1] == wanted:
                    first, _, last = row[0].partition("..")
                    for scalar in range(int(first, 16), int(last or first, 16) + 1):
                        yield scalar, row[1]

        for name in ("CaseFolding", "Scripts"):
            first = (directory / f"{name}.txt").read_text(encoding="utf-8").split("\n")[0]
            assert f"{name}-15.0.0" in first, f"the table is frozen at Unicode 15.0; found {first}"
        self.name, self.category, self.ccc, self.canonical, self.compatible, self.digit = {}, {}, {}, {}, {}, {}
        start = None
        for row in rows("UnicodeData.txt"):
            scalar = int(row[0], 16)
            if row[1].endswith(", First>"):
                start = scalar
                continue
            for each in range(start if row[1].endswith(", Last>") else scalar, scalar + 1):
                self.name[each], self.category[each] = row[1], row[2]
            if row[3] != "0":
                self.ccc[scalar] = int(row[3])
            if row[5]:
                fields = row[5].split()
                compatible = fields[0].startswith("<")
                to = [int(field, 16) for field in fields[compatible:]]
                (self.compatible if compatible else self.canonical)[scalar] = to
            if row[2] == "Nd":
                self.digit[scalar] = int(row[6])
        self.folding = {int(r[0], 16): [int(x, 16) for x in r[2].split()] for r in rows("CaseFolding.txt") if r[1] in "CF"}
        self.white = {scalar for scalar, _ in ranges("PropList.txt", "White_Space")}
        self.dash = {scalar for scalar, _ in ranges("PropList.txt", "Dash")}
        self.ignorable = {s for s, _ in ranges("DerivedCoreProperties.txt", "Default_Ignorable_Code_Point")}
        self.script = dict(ranges("Scripts.txt"))
        self.excluded = {int(row[0], 16) for row in rows("CompositionExclusions.txt")}

    def decompose(self, scalar):
        """The canonical decomposition, to the end, of one scalar; pieces come in canonical order."""
        if 0xAC00 <= scalar <= 0xD7A3:
            index = scalar - 0xAC00
            tail = [0x11A7 + index % 28] if index % 28 else []
            return [0x1100 + index // 588, 0x1161 + index % 588 // 28] + tail
        if scalar not in self.canonical:
            return [scalar]
        return [piece for part in self.canonical[scalar] for piece in self.decompose(part)]


class Rules:
    """The fold of one scalar, and of a text."""

    def __init__(self, data):
        self.data = data
        self.overrides = dict(OVERRIDES)
        self.add_latin()
        self.add_old_hangul()
        for scalar in data.dash - {0x2D}:
            if scalar not in self.overrides and scalar not in data.canonical and scalar not in data.compatible:
                self.overrides[scalar] = [0x2D]
        for scalar, value in data.digit.items():
            if scalar not in data.compatible and scalar > 0x7F:
                self.overrides[scalar] = [0x30 + value]
        self.composed = dict(COMPOSED)
        for scalar, parts in data.canonical.items():
            if len(parts) == 2 and parts[1] in (0x3099, 0x309A):
                self.composed[tuple(parts)] = scalar
        self.removed = {s for s in data.category if self.is_removed(s)} | data.ignorable
        self.cache = {}
        for scalar in self.overrides:
            assert scalar not in data.canonical, f"{scalar:04X} would fold apart from its equivalent"
        for scalar in data.ccc:
            assert self.piece(scalar) in ([], [scalar]), f"{scalar:04X}: a mark may stay or go, not turn into a letter"

    def add_latin(self):
        data = self.data
        for scalar, name in data.name.items():
            match = re.fullmatch(r"LATIN (?:SMALL LETTER ([A-Z])(?: WITH .*)|LETTER SMALL CAPITAL ([A-Z]))", name)
            if match and not {scalar} & (data.canonical.keys() | data.compatible.keys() | data.folding.keys()):
                letter = (match[1] or match[2]).lower()
                self.overrides.setdefault(scalar, [ord(letter)])

    def add_old_hangul(self):
        """Clusters out of use are taken apart as their names say, modern ones as the list above does."""
        named = {}
        for scalar, name in self.data.name.items():
            match = re.fullmatch(r"HANGUL (CHOSEONG|JUNGSEONG|JONGSEONG) (.*)", name)
            if match and "FILLER" not in name:
                named[scalar] = (match[1], match[2])
        letters = {value: scalar for scalar, value in named.items() if value[0] != "JONGSEONG"}
        for scalar, (kind, name) in named.items():
            kind = "CHOSEONG" if kind == "JONGSEONG" else kind
            if scalar in self.overrides:
                continue
            parts = [letters.get((kind, part)) for part in name.split("-")]
            if None not in parts and parts != [scalar]:
                self.overrides[scalar] = parts

    def is_removed(self, scalar):
        category = self.data.category[scalar]
        if scalar in KEPT_MARKS or scalar in self.data.white:
            return False
        if category in ("Mn", "Me"):
            return self.data.script.get(scalar) in ACCENTED_SCRIPTS or scalar in self.data.ignorable
        return category in ("Cc", "Cf") or scalar in REMOVED_SCALARS

    def piece(self, scalar):
        """The fold of a scalar without a canonical decomposition."""
        if scalar in self.removed:
            return []
        if scalar in self.data.white:
            return [SPACE]
        if scalar in self.overrides:
            to = self.overrides[scalar]
        elif scalar in self.data.folding:
            to = self.data.folding[scalar]
        elif scalar in self.data.compatible:
            to = self.data.compatible[scalar]
            if to[0] == SPACE and len(to) > 1 and all(self.data.category[s][0] == "M" for s in to[1:]):
                return []  # An accent on its own, as ¨ and ¸: gone like any accent.
        else:
            return [scalar]
        if to in ([scalar], [SEPARATOR]):
            return to
        return [piece for part in to for whole in self.data.decompose(part) for piece in self.piece(whole)]

    def scalar(self, scalar):
        """The fold of a scalar alone, before white space and separators meet."""
        if scalar not in self.cache:
            self.cache[scalar] = self.marks(self.data.decompose(scalar))
        return self.cache[scalar]

    def marks(self, scalars):
        """Composes the letters that stay whole, orders marks, removes accents. Takes pieces, canonically decomposed."""
        out, start = [], 0  # `start`: of the run of marks behind the last letter.
        for scalar in scalars:
            to = self.piece(scalar)
            for mark in to or [scalar]:
                whole = self.composed.get((out[start - 1], mark)) if start else None
                if whole:
                    out[start - 1] = whole
                elif to:
                    out.append(mark)
                    if not self.data.ccc.get(mark):
                        start = len(out)
                    else:
                        out[start:] = sorted(out[start:], key=lambda m: self.data.ccc[m])
        return out

    def fold(self, text):
        pieces = [piece for c in text for piece in self.data.decompose(ord(c))]
        out = ""
        for scalar in self.marks(pieces):
            if scalar == SPACE:
                out += " " if out and out[-1] not in " \x01" else ""
            elif scalar == SEPARATOR:
                out = (out[:-1] if out.endswith(" ") else out) + "\x01"
            else:
                out += chr(scalar)
        return out.encode()


def build(rules):
    """The three parts of the table, as bytes."""
    pool, known, values = bytearray(), {}, []
    for scalar in range(LIMIT):
        if 0xAC00 <= scalar <= 0xD7A3 or 0xD800 <= scalar <= 0xDFFF:
            values.append(0)  # By arithmetic; not in UTF-8.
            continue
        to = rules.scalar(scalar)
        if not to:
            values.append(REMOVED)
        elif to == [scalar] and scalar not in (SPACE, SEPARATOR):
            ccc = rules.data.ccc.get(scalar, 0)
            assert ccc < REMOVED
            values.append(ccc)
        else:
            for piece in to:
                assert piece in (SPACE, SEPARATOR) or rules.scalar(piece) == [piece], f"{scalar:04X}: not idempotent"
            plain = not any(p in (SPACE, SEPARATOR) or rules.data.ccc.get(p) for p in to)
            text = "".join(map(chr, to)).encode()
            assert len(text) < COMPLEX
            entry = bytes([len(text) | (0 if plain else COMPLEX)]) + text
            if entry not in known:
                pool += b" " * (len(pool) % 2)
                known[entry] = FIRST_POOL_VALUE + len(pool) // 2
                pool += entry
            values.append(known[entry])
    composing = {mark for _, mark in rules.composed}
    for scalar in rules.data.canonical.keys() | rules.data.ccc.keys():
        for piece in rules.data.decompose(scalar):
            if piece in composing - KEPT_MARKS:
                assert scalar in LOOSE_MARKS, f"{scalar:04X}: a mark in it would reach the letter before"
            if rules.piece(piece):
                break
    for scalar in rules.removed:
        assert scalar < LIMIT or scalar in IGNORED_PLANE
    for scalar in rules.data.canonical.keys() | rules.data.compatible.keys() | rules.data.folding.keys():
        assert scalar < LIMIT
    assert max(values) < 1 << 14

    def packed(value):  # Seven bits a byte, so that any sequence is text.
        return bytes([value & 0x7F, value >> 7])

    stage1, stage2, blocks = bytearray(), bytearray(), {}
    for start in range(0, LIMIT, BLOCK):
        block = b"".join(map(packed, values[start:start + BLOCK]))
        if block not in blocks:
            blocks[block] = len(blocks)
            stage2 += block
        stage1 += packed(blocks[block])
    ascii_map = bytearray()
    for scalar in range(128):
        to = rules.scalar(scalar)
        assert len(to) <= 1
        ascii_map.append(to[0] if to else 0)
    return {"ascii": bytes(ascii_map), "stage1": bytes(stage1), "stage2": bytes(stage2), "pool": bytes(pool)}


def fnv(data, value=0xCBF29CE484222325):
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def literal(data):
    """UTF-8 `data` as a Swift literal of many lines."""
    short = {0: "\\0", 9: "\\t", 10: "\\n", 13: "\\r", 0x22: "\\\"", 0x5C: "\\\\"}
    lines, line = [], ""
    for c in data.decode():
        scalar = ord(c)
        raw = 0x20 < scalar < 0x7F or 0x3400 <= scalar < 0xA000 or 0x3041 <= scalar < 0x3097 or 0x30A1 <= scalar < 0x30FB
        part = short.get(scalar) or (c if raw or scalar == 0x20 else f"\\u{{{scalar:X}}}")
        if len(line) + len(part) > 100:
            lines.append(line)
            line = ""
        line += part
    lines.append(line)
    # The backslash at the end of a line joins it with the next; a space before it would be lost to trimming editors.
    lines = [line[:-1] + "\\u{20}" if line.endswith(" ") else line for line in lines]
    lines = ["\\u{20}" + line[1:] if line.startswith(" ") else line for line in lines]
    return '"""\n' + "\\\n".join("      " + line for line in lines) + '\n      """'


def swift(parts):
    """FoldTable.swift."""
    code = f"""// Generated by Scripts/generate_fold.py from Unicode 15.0. Do not edit: the indexes that exist depend on each byte.
// swift-format-ignore-file

/// The fold of each scalar. Source: docs/matching.md, "The table".
///
/// Each part is a string literal in read-only data, reached by its address: nothing is set up when a process starts.
package enum FoldTable {{
  package static let version: UInt32 = {VERSION}
  /// FNV-1a, 64 bits, over the four parts in the order of this file.
  package static let hash: UInt64 = 0x{fnv(b"".join(parts.values())):016x}

"""
    about = {
        "ascii": "The fold of each of the 128 ASCII bytes: 0 nothing, 1 a separator, 32 white space, else the byte itself.",
        "stage1": f"For each {BLOCK} scalars below {LIMIT:X}: which block of the second stage is theirs, 7 bits a byte, low first.",
        "stage2": "For each scalar of a block, 7 bits a byte, low first: 0 kept, 1 to 254 a kept mark of that combining\n"
                  f"  /// class, {REMOVED} removed, from {FIRST_POOL_VALUE} on a replacement, at twice what exceeds {FIRST_POOL_VALUE}.",
        "pool": f"Replacements: a byte of length, plus {COMPLEX} where marks, white space or separators are in it; then UTF-8.",
    }
    for name, data in parts.items():
        code += f"  /// {about[name]}\n  package static var {name}: StaticString {{\n    {literal(data)}\n  }}\n"
        code += f"  package static var {name}Size: Int {{ {len(data)} }}\n\n"
    return code.rstrip() + "\n}\n"


def golden(rules):
    """Prints the canonical decompositions of Unicode, and a hash over the fold of every scalar."""
    data, line = rules.data, ""
    for scalar, parts in sorted(data.canonical.items()):
        item = f"{scalar:X}{'!' if scalar in data.excluded else '='}" + "+".join(f"{part:X}" for part in parts)
        if len(line) + len(item) > 105:
            print(line)
            line = ""
        line += item + " "
    print(line)
    value = fnv(b"")
    for scalar in range(0x110000):
        if not 0xD800 <= scalar <= 0xDFFF:
            value = fnv(rules.fold(chr(scalar)) + b"\n", value)
    print(f"// every scalar, each fold ended by a line feed: 0x{value:016x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=pathlib.Path, help="the folder of UnicodeData.txt and the other files")
    parser.add_argument("--check", action="store_true", help="compare with the committed table, write nothing")
    parser.add_argument("--golden", action="store_true", help="print data for the tests, write nothing")
    parser.add_argument("--fold", action="store_true", help="fold standard input line by line, write nothing")
    arguments = parser.parse_args()
    rules = Rules(Database(arguments.directory))
    target = pathlib.Path(__file__).parent.parent / "Sources/ShardedIndex/Format/Fold/FoldTable.swift"
    if arguments.golden:
        golden(rules)
    elif arguments.fold:
        for line in sys.stdin.buffer:
            text = line.removesuffix(b"\n").decode("utf-8", errors="replace")
            sys.stdout.buffer.write(rules.fold(text) + b"\n")
    else:
        parts = build(rules)
        code = swift(parts).encode()
        if arguments.check:
            if not target.exists() or target.read_bytes() != code:
                sys.exit(f"{target.name} is out of date; run Scripts/generate_fold.py without --check")
        else:
            target.write_bytes(code)
            print(", ".join(f"{name} {len(part)}" for name, part in parts.items()), "bytes")


if __name__ == "__main__":
    main()
