"""Compares the second reader with the indexes of the command: python3 -m unittest discover -s Tests/FormatReader

$SHARDQ_BIN/shardq, else bin/shardq, builds the indexes. The real datasets are in $SHARDQ_DATA, else in
../shared/data; a test without its dataset is skipped.
"""

import csv
import hashlib
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))
import reader  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(os.environ.get("SHARDQ_BIN") or ROOT / "bin") / "shardq"
DATA = Path(os.environ.get("SHARDQ_DATA") or ROOT.parent / "shared" / "data")


def shardq(*arguments):
    if not COMMAND.exists():
        raise AssertionError(f"{COMMAND} is not there: Scripts/build.sh makes it")
    run = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True)
    if run.returncode:
        raise AssertionError(f"shardq {arguments[0]}: {run.stderr.decode(errors='replace')}")
    return run.stdout


def dataset(name):
    path = DATA / name
    if not path.exists():
        raise unittest.SkipTest(f"{path} is not there")
    return path


def unpacked(path):
    return subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True).stdout


def frozen(value):
    return ("array", *map(frozen, value)) if isinstance(value, list) else value


def parsed(text):
    """A JSON text as a hashable value: digits and the order of members are kept; a number is bytes."""
    hook = lambda members: ("object", *((name, frozen(value)) for name, value in members))
    return frozen(json.loads(text, parse_int=str.encode, parse_float=str.encode, object_pairs_hook=hook))


def flat(pairs):
    """A record of texts, as `parsed` would have it."""
    return ("object", *pairs)


LATITUDES = ["coord.lat", "lat", "latitude", "Latitude", "LAT"]
# Whole lists, and all kinds of each.
LONG = os.environ.get("SHARDQ_LONG") == "1"
LONGITUDES = ["coord.lon", "lon", "lng", "longitude", "Longitude", "LON"]


def degrees(record, names, limit):
    """A record's coordinate, exactly; None if it has none on the globe. `record` as `parsed` gives it."""
    for name in names:
        value, found = record, True
        for step in name.split("."):
            members = value[1:] if isinstance(value, tuple) and value[:1] == ("object",) else ()
            value = next((inner for key, inner in members if key == step), None)
            found = found and any(key == step for key, _ in members)
        if not found:
            continue
        text = value.decode() if isinstance(value, bytes) else value
        if not isinstance(text, str) or len(text.encode()) > 64:
            return None
        if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
            return None
        number = Fraction(text.removesuffix("."))
        return number if abs(number) <= limit else None
    return None


def density_grid_of(records):
    """§3.9: the records of each cell; None without any."""
    cells = Counter()
    for record in records:
        latitude, longitude = degrees(record, LATITUDES, 90), degrees(record, LONGITUDES, 180)
        if latitude is not None and longitude is not None:
            cells[720 * min(359, (90 - latitude) * 2 // 1) + min(719, (longitude + 180) * 2 // 1)] += 1
    return cells or None


def asked_of(text):
    """The runs of keys of a folded text, in order: each from a key up to another. docs/matching.md §8."""
    finished = len(text) > 1 and text.endswith(b" ")
    word = text[:-1] if finished else text
    before, space, behind = word.rpartition(b" ")
    words = [before + b"\1" + behind, word] if space else [word]
    # No byte of a fold is between the space and 0x21, or above 0xfe.
    return [(word, word + (b"\x21" if finished else b"\xff")) for word in words]


# An answer in the order of keys: its query, its records, and three times the number of its matches.
ANSWER = re.compile(
    rb'\{"schema":1,"query":(.*),"offset":0,"limit":20,"generation":"[0-9a-f]{16}","matches":\[(.*)\],"count":(\d+),'
    rb'"total":(\d+),"totalIsExact":true,"keys":(\d+),"sort":"key"(?:,"nearest":".*")?\}')


class Temporary(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="shardq-reader-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def build(self, source, *options, name="index"):
        index = self.directory / name
        shardq("build", source, "--index", index, *options)
        return index

    def write(self, name, lines):
        path = self.directory / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def check(self, directory, records):
        """Checks the records, as a multiset, and order, bounds and names. Returns the index and its shards."""
        index = reader.Index(directory)
        shards = list(index.shards())
        lines = [line for shard in shards for part in shard.parts for line in part.lines]
        found, expected = Counter(map(parsed, lines)), Counter(records)
        if found != expected:
            self.fail(f"missing: {list(expected - found)[:3]}\nnot there before: {list(found - expected)[:3]}")
        self.assertEqual(index.records, len(lines))
        self.assertEqual(index.density_grid, density_grid_of(map(parsed, lines)))
        self.assertEqual(index.repeated_ids, self.repeated_ids(index, map(parsed, lines)))
        self.check_order(shards)
        self.check_files(directory, shards)
        return index, shards

    @staticmethod
    def repeated_ids(index, records):
        if b"id" not in index.settings:
            return 2**32 - 1
        name = index.settings[b"id"].decode()
        ids = [next((value for key, value in record[1:] if key == name), None) for record in records]
        return len([text for text in ids if text is not None]) - len({text for text in ids if text is not None})

    def check_order(self, shards):
        """Bounds are those of a builder by docs/format.md; flags mark exactly the parts that continue a run."""
        before = None
        for shard in shards:
            first = 0
            for part in shard.parts:
                self.assertEqual(part.first, first)
                first += part.count
                self.assertEqual(len(part.keys), part.count)
                self.assertEqual(len(part.lines), part.count)
                starts_shard = part.number == 0
                bound = shard.entry.bound if starts_shard else part.bound
                goes_on = shard.entry.continuation if starts_shard else part.continuation
                if starts_shard:
                    self.assertEqual((part.bound, part.continuation), (b"", False))
                key = part.keys[0]
                if before is None:
                    self.assertEqual((bound, goes_on), (b"", False))
                elif before == key:
                    self.assertEqual((bound, goes_on), (key, True))
                else:
                    common = len(os.path.commonprefix([before, key]))
                    self.assertEqual((bound, goes_on), (key[: common + 1], False))
                for key in part.keys:
                    if before is not None:
                        self.assertLessEqual(before, key)
                    before = key

    def check_files(self, directory, shards):
        names = set()
        for shard in shards:
            data = (Path(directory) / shard.entry.name).read_bytes()
            label = shard.parts[0].keys[0].decode()[:2]
            label = re.sub(r"[^a-z0-9]", lambda m: "".join(f"%{byte:02x}" for byte in m[0].encode()), label)
            digest = hashlib.sha256(data).hexdigest()[:16]
            self.assertEqual(shard.entry.name, f"{label or '_'}-{digest}.zst")
            names.add(shard.entry.name)
        others = {name for name in os.listdir(directory) if not name.startswith(".")}
        self.assertEqual(others, names | {"manifest"})


class Datasets(Temporary):
    def test_sample(self):
        source = ROOT / "Samples" / "cities.csv"
        with open(source, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        index = self.build(source)
        _, shards = self.check(index, [flat(row.items()) for row in rows])
        self.check_keys(shards)
        self.assertEqual(b"".join(line + b"\n" for line in reader.Index(index).lines()), shardq("export", "-i", index))

    def test_cities(self):
        text = unpacked(dataset("cities.json.zst"))
        source = self.directory / "cities.json"
        source.write_bytes(text)
        index, shards = self.check(self.build(source), parsed(text)[1:])
        self.check_keys(shards)
        self.assertEqual(index.settings[b"key"], b"{name}, {country}")
        self.assertEqual(index.settings[b"latitude"], b"coord.lat")

    def check_keys(self, shards):
        """Keys of ASCII letters fold by case alone, so the test can make their folds without the table."""
        checked = 0
        for shard in shards:
            for part in shard.parts:
                for key, line in zip(part.keys, part.lines):
                    record = json.loads(line)
                    name, country = record["name"], record["country"]
                    if re.fullmatch(r"[A-Za-z]+( [A-Za-z]+)*", name) and re.fullmatch(r"[A-Z]+", country):
                        self.assertEqual(key, f"{name}\x01{country}".lower().encode())
                        checked += 1
        self.assertGreater(checked, 1000)

    @unittest.skipUnless(LONG, "SHARDQ_LONG=1 reads the Japanese addresses")
    def test_japanese_addresses(self):
        source = dataset("japanese-addresses.tsv.zst")
        names = "town,koaza,city,prefecture,lat,lon".split(",")
        index = self.build(source, "--columns", ",".join(names), "--key", "{town}{koaza}, {city}, {prefecture}")
        text = unpacked(source).decode()
        rows = (line.split("\t") for line in text.split("\n") if line)
        self.check(index, [flat(zip(names, row, strict=True)) for row in rows])

    def test_repeated_ids(self):
        rows = [{"name": f"n{row}", "code": f"c{row % 70}"} for row in range(100)] + [{"name": "none"}]
        source = self.write("list.jsonl", map(json.dumps, rows))
        index, _ = self.check(self.build(source, "--key", "{name}", "--id", "code"), [flat(row.items()) for row in rows])
        self.assertEqual(index.repeated_ids, 30)

    def test_no_records(self):
        index = self.build(self.write("none.json", ["[]"]))
        self.check(index, [])

    def test_empty_and_short_keys(self):
        lines = [f'{{"name":{name}}}' for name in ('""', '"x"', '"é"', '"、"', '"-/"')]
        index = self.build(self.write("short.jsonl", lines), "--key", "{name}")
        _, shards = self.check(index, map(parsed, lines))
        self.assertEqual(shards[0].entry.name[:2], "_-")

    def test_fields_not_kept(self):
        lines = [f'{{"name":"n{i}","country":"C{i % 3}","id":{i}}}' for i in range(100)]
        index = self.build(self.write("kept.jsonl", lines), "--key", "{name}, {country}", "--keep", "id")
        _, shards = self.check(index, [parsed(f'{{"id":{i}}}') for i in range(100)])
        keys = [key for shard in shards for part in shard.parts for key in part.keys]
        self.assertEqual(keys, sorted(f"n{i}\x01c{i % 3}".encode() for i in range(100)))

    def test_columns_that_are_no_paths(self):
        for header in ["name,a,a.b", "name,a\\,a.c", "name,x.y,c,x.z", "name,.,..", "name,a\\.b,a%s"]:
            with self.subTest(header):
                rows = [f"n{i}" + ",1,2,3"[: 2 * header.count(",")] for i in range(40)]
                source = self.write("header.csv", [header, *rows])
                index = self.build(source, "--key", "{name}", name=re.sub(r"\W", "_", header))
                lines = list(reader.Index(index).lines())
                self.assertEqual(lines, shardq("export", "-i", index).splitlines())
                self.assertEqual(len(lines), 40)


def nasty():
    """Records, as JSON text, for every corner of the format."""
    rng = random.Random(1)
    text = lambda value: json.dumps(value, ensure_ascii=False)
    lines = []

    def add(name, country, *members):
        lines.append("{" + ",".join([f'"name":{text(name)}', f'"country":{text(country)}', *members]) + "}")

    # More than 256 countries and texts of a dictionary; numbers of every family.
    def single(value):
        return struct.unpack("<f", struct.pack("<f", value))[0]

    def trimmed(value, decimals):
        return f"{value:.{decimals}f}".rstrip("0").rstrip(".")

    words = "san bad o'neil saint-denis łódź ñuñoa 東京 하나 mc'donald is an de%s la".split()
    for i in range(1600):
        country = f"C{i % 320:03}"
        name = " ".join(rng.choice(words) for _ in range(1 + i % 4))
        spelled = name.title() if i % 9 else "".join(rng.choice((c, c.upper())) for c in name)
        minutes = rng.randrange(-10000, 10000)
        sixtieths = (5000 * minutes + (1 if minutes >= 0 else -1)) / 3
        units = int(sixtieths)
        add(
            spelled,
            country,
            f'"id":{i % 320 * 100000 + rng.randrange(1000)}',
            f'"price":{rng.randrange(100000) / 100:.2f}',
            f'"short":{trimmed(rng.randrange(-99999, 99999) / 1000, 3)}',
            f'"minutes":{trimmed(units / 100000, 5)}',
            f'"coord":{{"lon":{trimmed(single(rng.uniform(-180, 180)), 6)},"lat":{trimmed(single(units / 100000), 6)}}}',
            f'"hundred":{trimmed(single(round(rng.uniform(-180, 180), 5)), 6)}',
            f'"group":"group {i % 300 * 7919}"',
            f'"lower":{text(name)}',
            f'"upper":{text(name.upper())}',
            f'"code":{text(country)}',
            f'"odd":{("1e999", "-0", "1.50", "0.00")[i % 4] if i % 13 == 0 else i * 37}',
            '"same":"everywhere"',
            f'"mixed":{("1", "null", text("t"), "[1,2.50]", "{}", "true", text(""))[i % 7]}',
            f'"mixed text":{(str(i), text(f"t{i}"))[i % 2]}',
        )
    # Many shapes: any of ten optional fields.
    for i in range(1024):
        members = [f'"f{j}":{(j * i) % 5}' for j in range(10) if i >> j & 1]
        if i % 3 == 0:
            members.reverse()
        add(f"shape {rng.randrange(5000)}", "S", *members)
    # Suffix fields that are a field's texts, by each case rule; few countries have most of the records.
    for i in range(600):
        country = rng.choices(["DE", "FR", "NL", "PL"], [1, 2, 4, 9])[0]
        add(f"Tailed {rng.randrange(10**6)}", country, f'"small":{text(country.lower())}', f'"first":{text(country.title())}')
    for i in range(600):
        add(f"Unequal {rng.randrange(10**6)}", rng.choice(["X", "YY", "ZZZ"]))
    # Equal keys, and equal records.
    for i in range(600):
        add("Krajan", "ID", f'"id":{i // 2}', f'"town":"Krajan {rng.randrange(10**6)}"')
    lines.extend(['{"name":"Twin","country":"TW"}'] * 400)
    # Long texts and long keys.
    for size in [0, 1, 254, 255, 256, 70000]:
        add(f"long {size}", "LO", f'"text":{text("é" * (size // 2) + "x" * (size % 2))}', f'"again":"{"y" * size}"')
    for size in [120, 250, 251, 252, 255, 256, 300, 5000, 65000]:
        add("Long key " + "k" * size, "LK")
        add("Long key " + "k" * size + "!", "LK")
    # Names that are paths and names that look like paths, values that are not scalars, numbers in any form.
    for i in range(20):
        add(
            f"Nested{i}",
            'N"N',
            f'"a":{{"b":{i},"c":{{"d":null,"e":{{}}}},"":false}}',
            '"a.b":"dot"',
            '"a\\\\b":"backslash"',
            '"a\\\\.b":1',
            '"":"empty"',
            '".":"a dot"',
            '"z":{"":"empty"}',
            '"%d %b":"%s"',
            '"\\u0001\\"":"\\u0000\\u001f\\u007f\\u2028\\"\\\\\\/\\n\\ud83d\\ude00"',
            '"none":[]',
            '"list":[ 1, 2.50, {"x":[-0, 1e999, "\\"a, b\\""], "y":{}} , null ]',
            '"n":' + ["1e999", "-0", "1.50", "1E+2", "0.1e-7", "123456789012345678901234567890"][i % 6],
        )
    for i in range(40):
        limit = [2**63 - 1, -(2**63) + 1, 10**17, 2**53 + 1, -(10**17)][i % 5]
        add(f"Big {i}", "BG", f'"big":{limit - i if limit > 0 else limit + i}', f'"far":{i * 10**15}', f'"tiny":0.{i:017}1')
    # Characters that fold to nothing, characters that are no letters, and fields that are missing or no texts.
    for name in ["", " ", ",", "a, b", "a,b,,c", "\u200d", "´", "ﬁ Ⅳ ﾊﾟ", "ÄÖÜ ß", "İIıi", "Ǆ", "😀", "𐍈", "\ufffd", "aͅ"]:
        add(name, "")
        add(name, name)
    lines += [
        '{"name":"only a name"}',
        '{"country":"only a country"}',
        '{"name":null,"country":1.50}',
        '{"name":true,"country":-0}',
        '{"name":"values","country":"deep","deep":{"er":{"x":[]}},"none":{}}',
        '{ "country" : "order" , "name" : "Other" }',
    ]
    rng.shuffle(lines)
    return lines


# The features of the format that the builder must use for the records above.
EVERYTHING = {
    *(f"kind {i}" for i in range(4)),
    *(f"encoding {i}" for i in range(6)),
    *(f"case rule {i}" for i in range(3)),
    *("number type 0", "number type 1, b 0", "number type 1, b 1", "number type 2"),
    *("number type 3, b 0", "number type 3, b 1"),
    *("script 0ddddddd", "script 10dddddd", "script 11dddddd", "script 11111111", "whole stem", "piece"),
    *("suffix fields", "no suffix fields", "ranges", "row formats", "shapes", "wide shapes", "wide codes", "long texts"),
    *("wide keys", "narrow keys", "parts", "continuation"),
    *(f"suffix fields by rule {rule}" for rule in range(4)),
    *("suffix fields of one size", "suffix fields of sizes", "short run without codes", "long run without codes"),
    *(f"packed {column}" for column in ("suffix fields", "suffixes", "sizes", "texts", "scripts", "dictionary", "shapes", "row formats")),
}


class Nasty(Temporary):
    def test_every_corner(self):
        lines = nasty()
        records = [parsed(line) for line in lines]
        source = self.write("nasty.jsonl", lines)
        met = set()
        for size, part in [("1KiB", "5KiB"), ("64KiB", "1KiB"), ("16MiB", "5KiB")]:
            with self.subTest(size):
                sizes = ["--shard-size", size, "--part-size", part]
                index = self.build(source, "--key", "{name}, {country}", *sizes, name=size)
                found, shards = self.check(index, records)
                met |= found.features
                exported = Counter(map(parsed, shardq("export", "-i", index).splitlines()))
                self.assertEqual(exported, Counter(records))
                self.assertEqual(found.shard_limit, {"1KiB": 1 << 10, "64KiB": 1 << 16, "16MiB": 1 << 24}[size])
                self.assertEqual(found.part_size, {"5KiB": 5120, "1KiB": 1024}[part])
                if size == "1KiB":
                    self.assertGreater(len(shards), 100)
        self.assertEqual(EVERYTHING - met, set())

    def test_command(self):
        lines = ['{"name":"Zürich\\\\","country":"CH","id":1.50}', '{"name":"São","country":"BR","a":{"b":-0}}']
        index = self.build(self.write("two.jsonl", lines), "--key", "{name}, {country}")
        run = lambda *options: subprocess.run(
            [sys.executable, reader.__file__, *options, index], capture_output=True, text=True, encoding="utf-8"
        )
        self.assertEqual(run().stdout, "".join(line + "\n" for line in reversed(lines)))
        self.assertEqual(run("--keys").stdout, "sao\\x01br\nzurich\\\\\\x01ch\n")
        (index / "manifest").unlink()
        self.assertEqual(run().returncode, 65)


class Damage(Temporary):
    def setUp(self):
        super().setUp()
        rng = random.Random(2)
        names = ["".join(rng.choice("abcdefgh ") for _ in range(9)) for _ in range(400)]
        record = '{"name":"%s","country":"%s","id":%d}'
        lines = [record % (name, name[:2].upper(), rng.randrange(10**6)) for name in names]
        self.index = self.build(self.write("some.jsonl", lines), "--key", "{name}, {country}", "--shard-size", "4KiB")
        self.good = self.read(True)
        self.entries = reader.Index(self.index).entries
        self.assertGreater(len(self.entries), 2)

    def read(self, check_digests):
        index = reader.Index(self.index, check_digests)
        return [pair for shard in index.shards() for part in shard.parts for pair in zip(part.keys, part.lines)]

    def test_flipped_bytes_in_shards(self):
        rng = random.Random(3)
        path = self.index / self.entries[1].name
        data = path.read_bytes()
        refused = tried = 0
        for at in sorted(rng.sample(range(len(data)), 60)):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :])
            with self.assertRaises(reader.FormatError, msg=f"byte {at}, with digests"):
                self.read(True)
            # Without digests only the checksums remain: a file that passes them must have the same content.
            tried += 1
            try:
                self.assertEqual(self.read(False), self.good, f"byte {at}, without digests")
            except reader.FormatError:
                refused += 1
        self.assertGreater(refused, tried * 9 // 10)
        path.write_bytes(data)
        self.assertEqual(self.read(True), self.good)

    def test_flipped_bytes_in_manifest(self):
        path = self.index / "manifest"
        data = path.read_bytes()
        for at in range(0, len(data), 17):
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
            try:
                self.assertEqual(self.read(True), self.good, f"byte {at}")
            except reader.FormatError:
                pass

    def test_sizes_and_files(self):
        first, second = (self.index / entry.name for entry in self.entries[:2])
        data = first.read_bytes()
        for other in [data[:-1], data + b"\0", data + data, b"", second.read_bytes()]:
            first.write_bytes(other)
            with self.assertRaises(reader.FormatError):
                self.read(False)
        first.unlink()
        with self.assertRaises(reader.FormatError):
            self.read(False)
        kept = self.directory / "kept"
        kept.write_bytes(data)
        first.symlink_to(kept)
        with self.assertRaises(reader.FormatError):
            self.read(False)
        first.unlink()
        first.write_bytes(data)
        self.assertEqual(self.read(True), self.good)


class Overlays(Temporary):
    """Overlays: this reader's records, the command's records and the changed list must agree."""

    KEY = ("--key", "{name}, {country}", "--id", "id")

    def update(self, index, upserts=(), ids=(), name="id", options=()):
        """Writes an overlay."""
        options = [*options]
        if upserts:
            options += ["--upsert", self.write("upserts.jsonl", upserts)]
        if ids:
            options += ["--delete", self.write("deletes.jsonl", [f'{{"{name}":{i}}}' for i in ids])]
        shardq("update", "--overlay", "-i", index, *options)

    def compare(self, index, lines, prefixes=(), source=None):
        """Compares the records of a generation by this reader, by the command and in the changed list."""
        found = reader.Index(index)
        pairs = list(found.pairs())
        keys = [key for key, _ in pairs]
        self.assertEqual([line for _, line in pairs], shardq("export", "-i", index).splitlines())
        self.assertEqual(Counter(parsed(line) for _, line in pairs), Counter(map(parsed, lines)))
        self.assertEqual(found.record_count(), len(pairs))
        self.assertEqual(keys, sorted(keys))
        self.assertEqual(found.map(), density_grid_of(parsed(line) for _, line in pairs))
        found.verify_overlay()
        shardq("verify", "-i", index, *(["--source", source] if source else []))
        self.compare_answers(index, found, pairs, prefixes)
        return pairs

    def compare_answers(self, index, found, pairs, prefixes):
        keys = [key for key, _ in pairs]
        stored = [key for shard in found.shards() for part in shard.parts for key in part.keys]
        queries, expected = [], []
        for prefix in [b"", *prefixes]:
            # The separator is typed as a comma.
            query = json.dumps(prefix.replace(b"\1", b",").decode())
            runs = []
            for low, high in asked_of(prefix):
                runs.append((bisect_left(keys, low), bisect_left(keys, high)))
                places = bisect_left(stored, low), bisect_left(stored, high)
                answer = found.overlay.answer(low, high, *places) if found.overlay else places
                self.assertEqual(answer, runs[-1], prefix)
            numbers = [number for run in runs for number in range(*run)]
            shown = b",".join(pairs[number][1] for number in numbers[:20])
            queries.append(json.loads(query) + "\n")
            count = b"%d" % len(numbers)
            expected.append((query.encode(), shown, count, count, count))
        run = subprocess.run([COMMAND, "query", "--stdin", "-i", index], input="".join(queries).encode(), capture_output=True)
        answers = [ANSWER.fullmatch(line) for line in run.stdout.splitlines()]
        self.assertEqual([answer and answer.groups() for answer in answers], expected)

    @staticmethod
    def prefixes(rng, pairs, count):
        """Beginnings of keys, and some that none has."""
        found = {b"zzz", b"0", b"san q", b"\1"}
        for key, _ in rng.sample(pairs, min(count, len(pairs))):
            size = rng.randrange(1, len(key) + 1)
            if key[:size].isascii():
                found |= {key[:size], key[:size] + b"q"}
                if word := key[:size].rstrip(b" \1"):
                    found.add(word + b" ")
                found |= {key[:size].lstrip(b"\1").replace(b"\1", b" ")}
        return sorted(found)

    @staticmethod
    def record(rng, number, like=None):
        """One of many with few names, so that keys are equal; half of them have a place, some a member more."""
        name = " ".join(rng.choice(["San", "Sao", "São", "Zü", "Los", "x"]) for _ in range(rng.randrange(1, 4)))
        members = [f'"name":"{name}"', f'"country":"C{rng.randrange(3)}"', f'"id":{number}']
        if like:  # under the same key
            members[:2] = re.findall(r'"(?:name|country)":"[^"]*"', like)
        if rng.random() < 0.5:
            latitude = rng.choice([90, -90, 0.5, 12.25, 1e-9, '"+4.e1"', 91])
            members.append(f'"coord":{{"lon":{rng.randrange(-1800, 1801) / 10},"lat":{latitude}}}')
        if rng.random() < 0.5:
            values = ["1", "1.0", "1e0", "-0.5", "-5e-1", '"1"', '"a\\u0000b"', "null", "[1, 2]", "{}", '"é\\""', "12e3", "1e-999"]
            members.append('"n":' + rng.choice(values))
        if rng.random() < 0.2:
            members.insert(rng.randrange(1, 4), '"more":' + rng.choice(['"é"', "2", '""']))
        return "{" + ",".join(members) + "}"

    def test_rounds(self):
        rng = random.Random(5)
        lines = {number: self.record(rng, number) for number in range(900)}
        # No update can change these records, because they have no id; two are the same.
        unnamed = ['{"name":"San","country":"C1"}', '{"name":"San","country":"C1"}', '{"name":"x","country":"C0","n":1}']
        shapes = ["--shard-size", "2KiB", "--part-size", "1KiB"]
        index = self.build(self.write("list.jsonl", [*lines.values(), *unnamed]), *self.KEY, *shapes)
        manifest, first = (index / "manifest").read_bytes(), dict(lines)
        self.assertGreater(len(reader.Index(index).entries), 5)
        for step in range(7):
            changed, gone = {}, set()
            for number in rng.sample(sorted(lines), 24):
                change = rng.randrange(5)
                if change == 0:
                    gone.add(number)
                elif change == 1:
                    changed[number] = self.record(rng, number, like=lines[number])
                elif change == 2:
                    changed[number] = self.record(rng, number)
                elif change == 3:  # a twin of another one, except the id
                    other = rng.choice(sorted(lines))
                    changed[number] = re.sub(r'"id":\d+', f'"id":{number}', lines[other])
                else:
                    changed[number] = lines[number]
            changed |= {1000 * (step + 1) + i: self.record(rng, 1000 * (step + 1) + i) for i in range(5)}
            if step > 2:  # as they were
                changed |= {number: first[number] for number in rng.sample(sorted(first), 40)}
            gone -= set(changed)
            self.update(index, changed.values(), gone)
            lines = {number: line for number, line in (lines | changed).items() if number not in gone}
            self.assertEqual((index / "manifest").read_bytes(), manifest)
            with self.subTest(step):
                self.assertIsNotNone(reader.Index(index).overlay)
                now = [*lines.values(), *unnamed]
                prefixes = self.prefixes(rng, list(reader.Index(index).pairs()), 30)
                pairs = self.compare(index, now, prefixes, self.write("now.jsonl", now))
        shardq("update", "--merge", "-i", index)
        self.assertFalse((index / "overlay").exists())
        self.assertNotEqual((index / "manifest").read_bytes(), manifest)
        self.assertEqual(self.compare(index, now, prefixes), pairs)
        anew = self.build(self.write("anew.jsonl", now), *self.KEY, *shapes, name="anew")
        self.assertEqual((anew / "manifest").read_bytes(), (index / "manifest").read_bytes())

    def test_all_removed_and_all_back(self):
        lines = [f'{{"name":"n{i}","country":"C","id":{i},"lat":{i},"lon":0}}' for i in range(5)]
        index = self.build(self.write("few.jsonl", lines), *self.KEY)
        self.update(index, ids=range(5), options=["--allow-empty"])
        self.compare(index, [], [b"n", b"n1", b"o"])
        self.assertIsNone(reader.Index(index).map())
        self.update(index, lines[3:4])
        self.compare(index, lines[3:4], [b"n", b"n3", b"n4"])
        other = '{"name":"m","country":"C","id":9,"lat":1,"lon":"1"}'
        self.update(index, [other])
        self.compare(index, [lines[3], other], [b"n", b"m", b"n3", b"n4"])
        self.update(index, lines, [9])
        self.assertFalse((index / "overlay").exists())
        self.compare(index, lines, [b"n"])
        self.update(index, ids=range(5), options=["--allow-empty"])
        shardq("update", "--merge", "-i", index)
        self.compare(index, [], [b"n"])

    @unittest.skipUnless(LONG, "SHARDQ_LONG=1 changes the city list")
    def test_cities(self):
        source = self.directory / "cities.json"
        source.write_bytes(unpacked(dataset("cities.json.zst")))
        rng = random.Random(6)
        index = self.build(source, "--id", "_id")
        lines = dict(self.by_id(reader.Index(index).lines()))
        for step in range(2):
            changed = {}
            for number in rng.sample(sorted(lines), 60):
                record = json.loads(lines[number])
                change = rng.randrange(3)
                if change == 0:
                    record["coord"]["lat"] = rng.randrange(-90, 90)
                elif change == 1:
                    record["name"] = rng.choice(["San José", "Łódź", "Krajan", record["name"] + " II"])
                else:
                    record["_id"] = 10**8 * (step + 1) + number
                changed[record["_id"]] = json.dumps(record, ensure_ascii=False)
            gone = set(rng.sample(sorted(lines), 30)) - set(changed)
            self.update(index, changed.values(), gone, "_id")
            lines = {number: line for number, line in (lines | changed).items() if number not in gone}
        self.assertIsNotNone(reader.Index(index).overlay)
        prefixes = [b"san", b"san jose", b"san jose\1", b"krajan", b"lodz", b"london", b"z", b"qqq"]
        pairs = self.compare(index, (line if isinstance(line, str) else line.decode() for line in lines.values()), prefixes)
        shardq("update", "--merge", "-i", index)
        self.assertEqual(list(reader.Index(index).pairs()), pairs)

    @staticmethod
    def by_id(lines):
        for line in lines:
            yield int(re.search(rb'"_id":(\d+)', line)[1]), line

    def small(self):
        """An index with an overlay of all kinds of changes, and its records without and with them."""
        names = ["San Diego", "San Francisco", "San Jose", "Sao Paulo", "Sao Pedro", "Zagreb", "Zaragoza", "Zug"]
        lines = [f'{{"name":"{name}","country":"C","id":{i},"lat":{i}.5,"lon":"{i}"}}' for i, name in enumerate(names)]
        index = self.build(self.write("small.jsonl", lines), *self.KEY)
        plain = list(reader.Index(index).lines())
        self.update(index, [lines[2].replace("2.5", "38.5"), lines[3].replace("Sao", "Rio").replace('"3"', "3")], [5])
        return index, plain, list(reader.Index(index).lines())

    def test_of_another_manifest(self):
        index, plain, _ = self.small()
        overlay = reader.overlay_file(index)
        shardq("update", "--merge", "-i", index)
        merged = list(reader.Index(index).lines())
        (index / "overlay").write_bytes(overlay)
        self.assertIsNone(reader.Index(index).overlay)
        self.assertBothRead(index, merged)
        # A damaged overlay is refused, whichever manifest it names.
        (index / "overlay").write_bytes(changed(overlay, 50, [overlay[50] ^ 1]))
        self.assertBothRefuse(index)
        # The rest of another manifest's overlay does not matter, if its checksum is right.
        (index / "overlay").write_bytes(self.sealed(overlay[:32] + 20 * b"\xff"))
        self.assertBothRead(index, merged)

    def test_beside_a_manifest_that_is_told(self):
        index, plain, lines = self.small()
        digest = hashlib.sha256((index / "manifest").read_bytes()).hexdigest()
        query = ["query", "", "--all", "--format", "jsonl", "-i", index]
        self.assertEqual(shardq(*query).splitlines(), lines)
        self.assertEqual(shardq(*query, "--expect-digest", digest).splitlines(), plain)

    @staticmethod
    def sealed(data):
        """An overlay with a right checksum."""
        return changed(data, 8, struct.pack("<Q", reader.xxh64(data[16:])))

    def assertBothRead(self, index, lines):
        self.assertEqual(list(reader.Index(index).lines()), lines)
        self.assertEqual(shardq("export", "-i", index).splitlines(), lines)

    def assertBothRefuse(self, index):
        with self.assertRaises(reader.FormatError):
            reader.Index(index)
        run = subprocess.run([COMMAND, "query", "--count", "-i", index, "s"], capture_output=True)
        self.assertEqual(run.returncode, 65, run.stderr)

    def test_damage(self):
        index, _, lines = self.small()
        path = index / "overlay"
        data = reader.overlay_file(index)
        self.assertLess(len(data), 300)
        for at in range(len(data)):
            path.write_bytes(changed(data, at, [data[at] ^ (1 << at % 8)]))
            with self.subTest(flipped=at):
                self.assertBothRefuse(index)
        for size in range(len(data)):
            with self.subTest(size=size):
                path.write_bytes(data[:size])
                self.assertBothRefuse(index)
                if size >= 16:
                    path.write_bytes(self.sealed(data[:size]))
                    self.assertBothRefuse(index)
        for more in (b"\0", data):
            path.write_bytes(self.sealed(data + more))
            self.assertBothRefuse(index)
        path.write_bytes(data)
        self.assertBothRead(index, lines)
        path.unlink()
        kept = self.directory / "kept"
        kept.write_bytes(data)
        path.symlink_to(kept)
        self.assertBothRefuse(index)
        path.unlink()
        path.mkdir()
        self.assertBothRefuse(index)

    def test_flipped_behind_the_checksum(self):
        """Both readers refuse the same overlays, read the same records otherwise, and find the same faults."""
        index, _, _ = self.small()
        path = index / "overlay"
        data, seen = reader.overlay_file(index), Counter()
        for at in range(16, len(data)):
            for bit in (at % 8, 7 - at % 3):
                path.write_bytes(self.sealed(changed(data, at, [data[at] ^ 1 << bit])))
                with self.subTest(at=at, bit=bit):
                    seen[self.outcome(index)] += 1
        self.assertEqual(set(seen), {"refused", "of another manifest", "found", "sound"})

    def outcome(self, index):
        try:
            found = reader.Index(index)
        except reader.FormatError:
            self.assertBothRefuse(index)
            return "refused"
        self.assertEqual(list(found.lines()), shardq("export", "-i", index).splitlines())
        if found.overlay is None:
            return "of another manifest"
        verified = subprocess.run([COMMAND, "verify", "-i", index], capture_output=True).returncode
        try:
            found.verify_overlay()
        except reader.FormatError:
            self.assertEqual(verified, 1)
            return "found"
        added = [field for _, _, fields in found.overlay.added for field in fields]
        if not all(text.isascii() for name, _, text in added if name in found.template_paths()):
            # Only a reader with the table can find that the fold differs.
            self.assertEqual(verified, 1)
            return "found"
        self.assertEqual(verified, 0)
        return "sound"

    def test_greatest_id(self):
        """The greatest id of an overlay is not below the greatest whole number among the ids of the shards."""
        index, _, _ = self.small()
        path = index / "overlay"
        for rest in ("8", '"08"', '"x"', '"18446744073709551615"'):
            shardq("update", "--merge", "-i", index)
            new = f'{{"name":"Zwolle","country":"C","id":{rest},"lat":1.5,"lon":"1"}}'
            self.update(index, [new], [])
            data = reader.overlay_file(index)
            # The ids of the small index are 0 to 7; one of those added before is in the shards by now.
            self.assertEqual(reader.Index(index).overlay.greatest_id, 7 if rest == "8" else 8)
        reader.Index(index).verify_overlay()
        for greatest, is_sound in [(0, False), (7, False), (8, True), (9, True), (2**64 - 1, True)]:
            path.write_bytes(self.sealed(changed(data, 32, struct.pack("<Q", greatest))))
            with self.subTest(greatest):
                self.assertEqual(self.outcome(index), "sound" if is_sound else "found")

    @staticmethod
    def count(index):
        return int(subprocess.run([COMMAND, "query", "--count", "-i", index, ""], capture_output=True).stdout)

    def test_refusals(self):
        index, plain, _ = self.small()
        path = index / "overlay"
        start, r = reader.overlay_file(index)[:32], len(plain)

        def overlay(removed=(), added=(), cells=(), counts=None):
            counts = counts or (len(removed), len(added), len(cells))
            return self.sealed(start + struct.pack("<QIII", 2**64 - 1, *counts) + b"".join([*removed, *added, *cells]))

        def record(before, folded=b"san", fields=((0, 0, b"San"),), count=None):
            content = signed_varint(before) + varint(len(folded)) + folded + varint(len(fields) if count is None else count)
            content += b"".join(varint(name) + varint(4 * len(text) + kind) for name, kind, text in fields)
            return content + b"".join(text for _, _, text in fields)

        cell = lambda gap, more: varint(gap) + signed_varint(more)
        zero = signed_varint(0)
        good = [
            overlay(), overlay([zero] * r), overlay([signed_varint(r - 1)]), overlay([zero], [record(0), record(r)]),
            overlay((), [record(0, b""), record(0, b""), record(0, b"a"), record(0, b"ab")]),
            overlay((), [record(r, fields=())]),
            overlay((), [record(0, fields=[(0, 0, b"a"), (1, 1, b"1"), (2, 2, b"null")])]),
        ]
        for number, data in enumerate(good):
            with self.subTest(good=number):
                path.write_bytes(data)
                self.assertEqual(reader.Index(index).record_count(), self.count(index))
                self.assertEqual(list(reader.Index(index).lines()), shardq("export", "-i", index).splitlines())
                run = subprocess.run([COMMAND, "verify", "-i", index], capture_output=True)
                self.assertEqual(run.returncode, 1)
                with self.assertRaises(reader.FormatError):
                    reader.Index(index).verify_overlay()
        for data in (overlay((), (), [cell(259199, 1)]), overlay((), (), [cell(0, 2**32 - 1), cell(259198, 1)])):
            path.write_bytes(data)
            self.assertEqual(reader.Index(index).record_count(), self.count(index))
        fields = lambda *fields: overlay((), [record(0, fields=fields)])
        bad = [
            # The places of removed records, and the places and keys of added ones.
            *(overlay([zero] * (r + 1)), overlay([signed_varint(r)]), overlay([signed_varint(2**62)])),
            *(overlay([signed_varint(-1)]), overlay([zero, signed_varint(-1)]), overlay([10 * b"\xff" + b"\1"])),
            *(overlay((), [record(r + 1)]), overlay((), [record(r), record(1)])),
            *(overlay((), [record(-1)]), overlay((), [record(1), record(-1)])),
            *(overlay((), [record(0, b"b"), record(0, key)]) for key in (b"a", b"", b"abc")),
            overlay((), [record(0, b"ab"), record(0, b"a")]),
            # Fields.
            *(fields(*[(0, 0, b"x")] * 4097), fields((0, 0, b"x"), (1, 0, b"x"), (0, 1, b"1"))),
            *(fields((99, 0, b"x")), fields((0, 3, b"x"))),
            *(overlay((), [record(0, count=2)]), overlay((), [record(0, count=0)])),
            # Counts.
            *(overlay((), [record(0)], counts=(0, 2, 0)), overlay([zero], counts=(0, 0, 0))),
            *(overlay([zero], counts=tuple(2**32 - 1 if i == j else 0 for j in range(3))) for i in range(3)),
            # Cells.
            *(overlay((), (), [cell(259200, 1)]), overlay((), (), [cell(259199, 1), cell(0, 1)])),
            *(overlay((), (), [cell(0, more)]) for more in (0, 2**32, -(2**32))),
            *(overlay((), (), [4 * b"\xff" + end + signed_varint(1)]) for end in (b"\x10", b"\xff\1")),
        ]
        bad += [changed(good[0], 4, [version]) for version in (0, 1, 2, 3, 5)]
        bad += [changed(good[0], 6, [1]), changed(good[0], 0, b"SQO2")]
        for number, data in enumerate(bad):
            with self.subTest(bad=number):
                path.write_bytes(data)
                self.assertBothRefuse(index)

    def test_sizes(self):
        """A file may have 2^20 bytes; this one is of another manifest."""
        index, plain, _ = self.small()
        path = index / "overlay"
        large = self.sealed(path.read_bytes()[:16] + bytes((1 << 20) - 16))
        path.write_bytes(large)
        self.assertBothRead(index, plain)
        path.write_bytes(self.sealed(large + b"\0"))
        self.assertBothRefuse(index)

    def notes(self):
        """An index, and a function that changes the first `count` of its records."""
        line = '{"name":"n%d","country":"C","id":%d,"note":"%s"}'
        lines = lambda count, text: [line % (i, i, 480 * text if i < count else "") for i in range(9)]
        index = self.build(self.write("notes.jsonl", lines(0, "")), *self.KEY)

        def change(count, text, index=index):
            self.update(index, lines(count, text))
            return [line.encode() for line in lines(count, text)]

        return index, change

    def test_new_file(self):
        """Each change makes a new file: an open overlay, or one with another name, stays the same."""
        index, change = self.notes()
        path, other, copy = index / "overlay", self.directory / "other", self.directory / "copy"
        change(4, "a")
        made = {
            "open": lambda: None,
            "another name": lambda: os.link(path, other),
            "a copy": lambda: shutil.copytree(index, copy),
        }
        if os.geteuid() == 0:
            made["of another user"] = lambda: os.chown(path, 1, -1)
        for (reason, make), text in zip(made.items(), "bcde"):
            with self.subTest(reason):
                make()
                before = path.read_bytes()
                with open(path, "rb") as kept:
                    lines = change(3, text)
                    self.assertNotEqual(path.stat().st_ino, os.fstat(kept.fileno()).st_ino)
                    self.assertEqual(kept.read(), before)
                self.assertEqual(path.stat().st_nlink, 1)
                self.assertBothRead(index, lines)
                self.compare(index, [line.decode() for line in lines], [b"n", b"n3"])
        copied = (copy / "overlay").read_bytes()
        change(2, "z")
        self.assertEqual((copy / "overlay").read_bytes(), copied)

    def test_killed_in_a_write(self):
        index, change = self.notes()
        path = index / "overlay"
        lines = change(4, "a")
        before = path.read_bytes()
        for size in 16, 511, 512, 700:
            with self.subTest(size):
                upserts = self.write("upserts.jsonl", [line.decode().replace("C", "D") for line in lines])
                limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
                update = [COMMAND, "update", "--overlay", "-i", index, "--upsert", upserts]
                self.assertNotEqual(subprocess.run(update, preexec_fn=limit, capture_output=True).returncode, 0)
                self.assertEqual(path.read_bytes(), before)
                self.assertBothRead(index, lines)
        lines = change(3, "b")
        self.assertBothRead(index, lines)
        self.assertEqual([name for name in os.listdir(index) if name.startswith(".shardq")], [])

    def test_of_another_version(self):
        """Overlays of all versions begin with magic and version: both readers name the unknown version."""
        index, _, _ = self.small()
        path = index / "overlay"
        for rest in (b"", bytes(42), 5000 * b"\xff", path.read_bytes()[8:]):
            for version in (0, 1, 2, 3, 512, 1 << 16):
                path.write_bytes(struct.pack("<4sI", b"SQO1", version) + rest)
                with self.subTest(version, size=len(rest)):
                    self.assertRaisesRegex(reader.FormatError, "version", reader.Index, index)
                    run = subprocess.run([COMMAND, "query", "s", "-i", index], capture_output=True)
                    self.assertEqual(run.returncode, 65)
                    self.assertIn(b"has format version %d;" % version, run.stderr)

    def test_read_while_it_is_written(self):
        index, change = self.notes()
        change(6, "a")
        found = []

        def read():
            while not (is_over.is_set() and found):
                found.append(reader.overlay_file(index))

        is_over, made = threading.Event(), [reader.overlay_file(index)]
        thread = threading.Thread(target=read)
        thread.start()
        try:
            for number in range(60):
                change(1 + number % 6, "abcdefg"[number % 7])
                made.append(reader.overlay_file(index))
        finally:
            is_over.set()
            thread.join()
        self.assertGreater(len(set(found)), 9)
        place = 0
        for overlay in found:  # none comes back
            place = made.index(overlay, place)


class Forged(Temporary):
    """Indexes that no builder writes: both readers must read the same or refuse."""

    def setUp(self):
        super().setUp()
        names = ["San Diego", "San Francisco", "São José", "São Paulo", "São Pedro", "Zürich", "Zug Süd", "Łódź"]
        lines = [f'{{"name":"{name}","country":"CH","id":{i}}}' for i, name in enumerate(names)]
        self.open(self.build(self.write("forged.jsonl", lines), "--key", "{name}, {country}"))

    def open(self, index):
        self.index = index
        self.manifest, self.page, *_ = self.contents("manifest")
        # Without the notes, so that there are two frames to be changed: their section gets an unknown number.
        self.manifest = changed(self.manifest, 48 + 24 * 7, [99])
        (self.entry,) = reader.Index(self.index).entries
        self.header, self.keys, self.fields = self.contents(self.entry.name)
        self.layout = Layout(self.header)

    def contents(self, name):
        data = (self.index / name).read_bytes()
        return reader.unpack_frames(data, reader.frames_of(data, name), name)

    @staticmethod
    def compress(content):
        run = ["zstd", "-qc", "--check", f"--stream-size={len(content)}"]
        return subprocess.run(run, input=content, check=True, capture_output=True).stdout

    @staticmethod
    def sections(manifest):
        """The offsets of the sections of a root, by number; the first one counts."""
        entries = [struct.unpack_from("<I4xQ", manifest, 48 + 24 * i) for i in range(manifest[12])]
        return dict(reversed(entries))

    def store(self, manifest=None, page=None, header=None, fields=None, keys=None, start=None, frames=None):
        """Writes the index's one shard, page and root with other contents; sizes, checksums, digests are made right.

        The header promises its frames at the place in `self.header`. `start` replaces the bytes before that place, with
        the magic; `frames` replaces the promises.
        """
        header, promised = header or self.header, b""
        contents = [self.compress(keys or self.keys), self.compress(fields or self.fields)]
        for content, frame in zip((keys or self.keys, fields or self.fields), contents):
            promised += varint(len(frame)) + varint(len(content)) + frame[-4:]
        start = header[: self.layout.frames] if start is None else start
        header = start + (promised if frames is None else frames(promised)) + header[self.layout.bounds :]
        return self.store_shard(header, b"".join(contents), manifest, page)

    def store_shard(self, header, frames, manifest=None, page=None):
        """Writes the same index with this content of the header, and these frames after it."""
        manifest, page = bytearray(manifest or self.manifest), bytearray(page or self.page)
        head = self.compress(bytes(header))
        data = head + frames
        digest = hashlib.sha256(data).digest()
        struct.pack_into("<III4s", page, 28, len(data), len(head), len(header), head[-4:])
        page[48:64] = digest[:16]
        for path in self.index.glob("*.zst"):
            path.unlink()
        frame = self.compress(bytes(page))
        struct.pack_into("<QI4s", manifest, self.sections(manifest)[5], len(frame), len(page), frame[-4:])
        (self.index / "manifest").write_bytes(self.compress(bytes(manifest)) + frame)
        name = reader.ShardEntry(0, 0, 0, b"", False, digest[:16], bytes(page[64:72]), (0, 0, 0, 0)).name
        (self.index / name).write_bytes(data)
        return reader.Index(self.index)

    def assertSame(self, index):
        lines = [line for shard in index.shards() for part in shard.parts for line in part.lines]
        self.assertEqual(lines, shardq("export", "-i", self.index).splitlines())
        return lines

    def assertRefused(self, stored=None, **contents):
        """Both readers refuse the index; `stored` writes it, if `store` does not."""
        with self.assertRaises(reader.FormatError):
            list((stored or self.store)(**contents).lines())
        run = subprocess.run([COMMAND, "export", "-i", self.index], capture_output=True)
        self.assertEqual(run.returncode, 65, run.stderr)

    def assertFound(self, stored=None, **contents):
        """This reader and `verify` refuse the index; a query need not check so much."""
        with self.assertRaises(reader.FormatError):
            list((stored or self.store)(**contents).shards())
        run = subprocess.run([COMMAND, "verify", "-i", self.index], capture_output=True)
        self.assertEqual(run.returncode, 1, run.stderr)

    def test_as_it_is(self):
        self.assertEqual(len(self.assertSame(self.store())), 8)

    def test_ignored_bytes(self):
        manifest = bytearray(self.manifest)
        manifest[6:8] = manifest[44:46] = b"\xff\xff"  # reserved
        struct.pack_into("<I", manifest, 36, 7)  # the limit
        for i in range(8):
            struct.pack_into("<I", manifest, 52 + 24 * i, 99)  # reserved
        manifest[self.sections(manifest)[5] + 17] = 0x80  # an unknown flag
        page = bytearray(self.page)
        page[28 + 17] = 0x80  # another
        # An unknown section that lies nowhere, and two sections 7: the first one counts, as with settings.
        settings = b"\x03key\x01x" + b"\x07unknown\x03..." + b"\x03key\x01y"
        table = b"".join(struct.pack("<IIQQ", *entry) for entry in [
            (77, 0, 1 << 63, 1 << 62), (7, 0, len(manifest) + 24 * 2, len(settings))
        ])
        old = bytearray(manifest[48 : 48 + 24 * 8])
        for i in range(8):
            (offset,) = struct.unpack_from("<Q", old, 24 * i + 8)
            struct.pack_into("<Q", old, 24 * i + 8, offset + len(table))
        manifest[12] += 2
        manifest[48 : 48 + 24 * 8] = table + old
        manifest += settings
        index = self.store(manifest=manifest, page=page)
        self.assertEqual(index.settings, {b"key": b"x", b"unknown": b"..."})
        self.assertEqual(len(self.assertSame(index)), 8)

    def test_names_of_any_bytes(self):
        for name in [b"name.id", b"name..d", b"countr\\", b"cou\\try", b".......", b"a\\.b.c\\"]:
            with self.subTest(name):
                header = self.header.replace(b"\x07country", b"\x07" + name)
                manifest = self.manifest.replace(b"\x07country", b"\x07" + name)
                self.assertSame(self.store(header=header, manifest=manifest))

    def test_numbers_of_any_size(self):
        """The ids in other formats: an exact format has one text for every value of 64 bits."""
        lines = [f'{{"name":"n{i:03}","country":"CH","id":{i * 7919 % 1000}}}' for i in range(33)]
        self.open(self.build(self.write("numbers.jsonl", lines), "--key", "{name}, {country}", name="numbers"))
        at = self.header.index(bytes([1, 0, 1, 0, 10]))
        exact = [(1, 0, 0), (1, 18, 0), (1, 18, 1), (1, 5, 0), (1, 5, 1)]
        rounded = [(2, 0, 1), (2, 5, 6), (2, 9, 9), (3, 0, 0), (3, 0, 6)]
        for form in exact + rounded:
            edges = [0, -500, 1 << 20, -1 << 20]
            if form in exact:
                edges += [-1 << 63, (1 << 63) - 500, 1 << 53, -1 << 53]
            for base in edges:
                with self.subTest(format=form, base=base):
                    new = bytes(form) + signed_varint(base)
                    self.assertSame(self.store(header=self.header[:at] + new + self.header[at + 4 :]))
        # A base of ten bytes, of eleven, and of more than 64 bits.
        for base in (b"\x80" * 9 + b"\0", b"\x80" * 9 + b"\1", b"\xff" * 9 + b"\1"):
            self.assertSame(self.store(header=self.header[: at + 3] + base + self.header[at + 4 :]))
        for base in (b"\x80" * 10 + b"\0", b"\x80" * 9 + b"\2", b"\xff" * 10):
            self.assertRefused(header=self.header[: at + 3] + base + self.header[at + 4 :])
        for width in (57, 0x7F, 128 + 57):
            self.assertRefused(header=changed(self.header, at + 4, [width]))
        # 330 bits of rows, and six more.
        self.assertEqual(self.fields[5], 42)
        self.assertRefused(fields=self.fields[:-1] + bytes([self.fields[-1] | 0x80]))
        # The second block's stem, `n016`, has 3 bytes in common with the one before, neither 4 nor 2.
        self.assertEqual(self.keys[7 + 16], 0x43)
        self.assertFound(keys=changed(self.keys, 7 + 16, [0x44]))
        self.assertFound(keys=changed(self.keys, 7 + 16, [0x42]))
        over = [(0, 1, 0), (1, 19, 0), (1, 0, 2), (2, 0, 0), (2, 10, 1), (2, 0, 10), (3, 1, 0), (3, 0, 10), (4, 0, 0)]
        for form in over:
            with self.subTest(format=form):
                self.assertRefused(header=self.header[:at] + bytes(form) + self.header[at + 3 :])

    def test_scripts_of_any_bytes(self):
        # The offset of the sizes of the scripts, and their number of bytes.
        at, (size, long) = 10, self.fields[8:10]
        self.assertEqual(long, 0)
        seeds = random.Random(4)
        named = "81c3 81 c1 c102 c10205 c1020578 ff ff41 bf41 7f 8141c3 00000000 81e3 fe0000 c0ff00"
        scripts = [bytes.fromhex(script) for script in named.split()]
        for _ in range(49):
            operations = range(seeds.randrange(9))
            scripts.append(bytes(seeds.randrange(0x80) | seeds.choice((0, 0x80, 0xC0)) for _ in operations))
        for start in range(0, len(scripts), 8):
            chosen = (scripts[start : start + 8] + [b""] * 8)[:8]
            data = b"".join(chosen)
            fields = self.fields[:8] + varint(len(data)) + b"\0" + bytes(map(len, chosen)) + data
            fields += self.fields[at + 8 + size :]
            index = self.store(fields=fields)
            with self.subTest(chosen):
                self.assertSame(index)

    def test_findings_of_verify(self):
        self.assertFound(page=changed(self.page, 64, b"xy"))
        # `san francisco` by one byte less of `san diego`, and one more of its own.
        self.open(self.build(self.write("plain.jsonl", PLAIN), "--key", "{name}, {country}", name="plain"))
        self.assertEqual(self.header[self.layout.suffix_code], 0)
        size, place = self.keys[5], 7 + self.keys[5] + 1
        at = 7 + sum(sizes >> 4 for sizes in self.keys[place - 1 : place])
        keys = changed(self.keys, place, [self.keys[place] - 1 + (1 << 4)])
        keys = keys[:at] + b" " + keys[at:]
        self.assertEqual((self.keys[place] & 15, keys[at : at + 10]), (4, b" francisco"))
        keys = changed(keys, 5, [size + 1])
        self.assertFound(keys=keys)
        # `san zrancisco` before `san jose`.
        keys = self.keys.replace(b"francisco", b"zrancisco")
        self.assertNotEqual(keys, self.keys)
        self.assertFound(keys=keys)

    def test_refusals(self):
        self.assertRefused(manifest=changed(self.manifest, 4, [2]))
        self.assertRefused(manifest=changed(self.manifest, 8, [2]))
        self.assertRefused(manifest=changed(self.manifest, 16, [0]))
        self.assertRefused(manifest=changed(self.manifest, 24, [9]))
        self.assertRefused(manifest=changed(self.manifest, 32, [65]))
        self.assertRefused(manifest=changed(self.manifest, 40, [self.manifest[40] + 1]))
        at = self.sections(self.manifest)
        self.assertRefused(manifest=changed(self.manifest, at[1], [9]))
        self.assertRefused(manifest=changed(self.manifest, at[2], [1]))
        self.assertRefused(manifest=changed(self.manifest, at[2] + 8, [9]))
        self.assertRefused(manifest=changed(self.manifest, at[3], [1]))
        self.assertRefused(manifest=changed(self.manifest, at[5] + 16, [1]))
        self.assertRefused(manifest=changed(self.manifest, 48, [77]))
        self.assertRefused(manifest=changed(self.manifest, 48 + 24 * 5 + 16, [1]))
        self.assertRefused(manifest=self.manifest + bytes(1 << 24))
        for offset, new in [(0, [9]), (8, [1]), (16, [9]), (24, [1]), (44, [1])]:
            with self.subTest(page=offset):
                self.assertRefused(page=changed(self.page, offset, new))
        self.assertRefused(page=self.page + b"\0")
        self.assertRefused(page=self.page[:-1])
        at = self.layout
        self.assertRefused(header=changed(self.header, 0, b"SQH2"))
        # Nine records by the manifest.
        more = changed(changed(self.manifest, 24, [9]), self.sections(self.manifest)[2] + 8, [9])
        self.assertRefused(manifest=more, page=changed(self.page, 16, [9]))
        self.assertRefused(manifest=more, page=changed(self.page, 16, [9]), header=changed(self.header, 4, [9]))
        # Records, parts, suffix fields, columns, shapes, row formats.
        for i, wrong in enumerate([(7, 9), (0, 2, 9), (0, 2), (2, 4), (0, 2), (1, 2)]):
            for count in wrong:
                with self.subTest(count=i, wrong=count):
                    self.assertRefused(header=changed(self.header, 4 + i, [count]))
        # A count of six bytes, and one of 2^32.
        for count in (b"\x88\x80\x80\x80\x80\0", b"\x80\x80\x80\x80\x10"):
            self.assertRefused(start=self.header[:4] + count + self.header[5 : at.frames])
        # The count of the shard's records may have more bytes than it needs.
        self.assertSame(self.store(start=self.header[:4] + b"\x88\x80\0" + self.header[5 : at.frames]))
        # The first part: its records, a bound, a continuation.
        for part in (b"\0\0", b"\7\0", b"\x09\0", b"\x08\2", b"\x08\1"):
            with self.subTest(part=part):
                bound = b"a" if part[1] == 2 else b""
                header = self.header[: at.bounds] + bound + self.header[at.bounds :]
                self.assertRefused(header=header, start=self.header[: at.part] + part)
        # The promises about each frame: size, content size, checksum.
        for i in (0, 1, 2, 5, 6, 7, 8, 11):
            with self.subTest(promise=i):
                self.assertRefused(frames=lambda promised: changed(promised, i, [promised[i] ^ 1]))
        self.assertRefused(frames=lambda promised: promised + promised)
        self.assertRefused(header=self.header + b"\0")
        self.assertRefused(header=self.header[:-1])
        # Suffix fields: of no size, of another; with sizes of their own.
        self.assertEqual(self.header[at.suffix_fields : at.suffix_field_texts], b"\2")
        own = lambda sizes: self.header[: at.suffix_fields] + bytes(sizes) + self.header[at.suffix_field_texts :]
        self.assertEqual(len(self.assertSame(self.store(header=own([0, 2])))), 8)
        for sizes in [[1], [200], [0, 0], [0, 1], [0, 200], [0x80, 2]]:
            with self.subTest(sizes=sizes):
                self.assertRefused(header=own(sizes))
        long = self.header[: at.suffix_fields] + b"\x80\2" + b"c" * 256 + self.header[at.suffix_field_codes :]
        self.assertRefused(header=long)
        self.assertEqual(len(self.assertSame(self.store(header=long.replace(b"\x80\2c", b"\xff\1")))), 8)
        # Names, the shape's columns, kinds and encodings.
        self.assertRefused(header=changed(self.header, at.names + 1, b"nome"))
        self.assertRefused(header=self.header.replace(b"\x04name\x07country", b"\x07country\x07country"))
        for i, wrong in [(0, 4), (1, 3), (3, 1)]:
            self.assertRefused(header=changed(self.header, at.shapes + i, [wrong]))
        for i, wrong in [(0, 4), (1, 6), (0, 3), (2, 3)]:  # a kind, an encoding, one that is not for mixed, a case rule
            with self.subTest(column=i, wrong=wrong):
                self.assertRefused(header=changed(self.header, at.columns[0] + i, [wrong]))
        # The keys: magic, records, size, flags, an unknown one.
        for i, wrong in [(3, b"2"), (4, [7]), (5, [self.keys[5] + 1]), (6, [2]), (6, [0x80])]:
            with self.subTest(keys=i):
                self.assertRefused(keys=changed(self.keys, i, wrong))
        self.assertSame(self.store(keys=changed(self.keys, 6, [1])))
        # The fields: magic, records, rows, packed columns, packed texts, text, long texts.
        for i, wrong in [(3, b"2"), (4, [7]), (5, [1]), (6, [1]), (7, [1]), (8, [self.fields[8] + 1]), (9, [1])]:
            with self.subTest(fields=i):
                self.assertRefused(fields=changed(self.fields, i, wrong))
        self.assertRefused(fields=self.fields + b"\0")
        self.assertRefused(fields=self.fields[:-1])
        place = 7 if self.header[at.suffix_code] else 7 + self.keys[5]
        self.assertRefused(keys=changed(self.keys, place, [self.keys[place] | 1]))
        # A text of 255 bytes or more is long, and no other is.
        long = self.fields[8:9] + b"\1" + bytes([255]) + self.fields[11:18] + struct.pack("<II", 0, self.fields[10])
        self.assertRefused(fields=self.fields[:8] + long + self.fields[18:])

    def test_packed_columns(self):
        """The Huffman codes of a shard: unchanged, and with each rule broken."""
        seeds = random.Random(7)
        word = lambda: "".join(seeds.choices("aeinorst", k=seeds.randrange(4, 12)))
        countries = seeds.choices(["CH", "BR", "US", "FR"], [1, 2, 4, 9], k=200)
        lines = [f'{{"name":"{word()}","country":"{country}","x":"{word()}"}}' for country in countries]
        source = self.write("packed.jsonl", lines)
        self.open(self.build(source, "--key", "{name}, {country}", "--part-size", "3KiB", name="packed"))
        index = self.store()
        self.assertEqual(len(self.assertSame(index)), 200)
        self.assertLessEqual({"packed suffix fields", "packed suffixes", "packed sizes", "packed texts"}, index.features)
        at = self.layout
        code = lambda where, new: self.header[:where[0]] + bytes(new) + self.header[where[1] :]
        where = (at.suffix_field_code, at.suffix_code)
        self.assertEqual(self.header[slice(*where)], bytes([0x33, 0x21]))  # lengths 3, 3, 1, 2
        # Lengths that come to more than 1 or less, over 10, of more numbers than the four there are; and half a byte left over.
        for wrong in ([0x33, 0x11], [0x33, 0x22, 0x00], [0x33, 0x31], [0xB3, 0x21], [0x33, 0xB1, 0x02], [0x33, 0xF1, 0x20],
                      [0x21], [0x11, 0x01], [0x33, 0x01, 0x02], [0x33, 0xF1, 0x2F, 0x02], [0x10], [0x33]):
            with self.subTest(lengths=wrong):
                self.assertRefused(header=code(where, wrong))
        # Three lengths fill a byte and a half.
        part = next(self.store().shards()).parts[0]
        for lengths, other in (([0x21, 0x02], False), ([0x21, 0x12], True)):
            with self.subTest(lengths=lengths):
                with self.assertRaises(reader.FormatError) as refused:
                    list(self.store(header=code(where, lengths)).lines())
                self.assertEqual("half a byte" in str(refused.exception), other, refused.exception)
                self.assertRefused(header=code(where, lengths))
        # Without a code for the suffix fields their numbers are stored as bytes, and a number that is too large is
        # refused.
        lengths = [3, 3, 1, 2]
        quarters = [sum(lengths[suffix_field] for suffix_field in part.contexts[start : start + 50]) for start in range(0, 200, 50)]
        sizes = [(count + 7) // 8 for count in quarters]
        packed = sum(sizes) + len(varint(sizes[0] + sizes[1])) + len(varint(sizes[2] + sizes[3]))
        # After the magic, varints of two bytes each, flags and two sizes a record; no size is 15 or more.
        sizes_end, place = 9 + 200, len(self.keys) - packed
        self.assertTrue(all(byte & 15 != 15 and byte >> 4 != 15 for byte in self.keys[9:sizes_end]))
        plain = self.keys[:sizes_end] + part.contexts + self.keys[sizes_end:place]
        self.assertEqual(len(self.assertSame(self.store(header=code(where, [0]), keys=plain))), 200)
        self.assertRefused(header=code(where, [0]), keys=changed(plain, sizes_end, [4]))
        # The last of the keys are the numbers of suffix fields: bits that are set behind the last code, a byte too many or too few.
        self.assertRefused(keys=self.keys + b"\0")
        self.assertRefused(keys=self.keys[:-1])
        # The third quarter's last byte stands before the fourth's last one, whose first is the last of all.
        for last, quarter in ((len(self.keys) - sizes[3] - 1, 2), (len(self.keys) - sizes[3], 3)):
            self.assertGreater(-quarters[quarter] % 8, 0)
            self.assertRefused(keys=changed(self.keys, last, [self.keys[last] | 1]))
        # 256 bytes exist: runs of numbers without a code that continue after the last.
        where = (at.suffix_code, at.names)
        lengths = self.header[slice(*where)]
        for runs in (8, 13, 300):
            with self.subTest(runs=runs):
                self.assertRefused(header=code(where, b"\xff" * runs + lengths))
        # The header of the fields promises the packed columns and the packed texts.
        cursor = reader.Cursor(self.fields, "fields", 4)
        self.assertEqual([cursor.varint(), cursor.varint()], [200, 0])
        start, packed, texts = cursor.at, cursor.varint(), cursor.varint()
        promise = lambda *counts: self.fields[:start] + b"".join(map(varint, counts)) + self.fields[cursor.at :]
        self.assertSame(self.store(fields=promise(packed, texts)))
        for other in (packed - 1, packed + 1, 0, 1 << 31):
            self.assertRefused(fields=promise(other, texts))
        for other in (texts - 1, texts + 1, 0, (1 << 32) - 1):
            self.assertRefused(fields=promise(packed, other))
        # A column's packed texts, whose sizes add up to others than the column and the frame say.
        place = self.fields.index(varint(texts) + b"\0", cursor.at)
        for other in (texts - 1, texts + 1):
            self.assertRefused(fields=changed(promise(packed, other), place, varint(other)))
        # A suffix field's case rule, and its text in the header: as it is by rule 3, and a rule over 3.
        place = at.columns[1]
        self.assertEqual(self.header[place : place + 3], bytes([0, 3, 2]))
        texts = lambda rule: self.header[: place + 2] + rule + self.header[place + 3 :]
        self.assertSame(self.store(header=texts(b"\0")))
        self.assertSame(self.store(header=texts(b"\1")))
        self.assertSame(self.store(header=texts(b"\3\2\1\0\3BRCxyz")))
        for rule in (b"\3\2\1\0\3BRCxy", b"\3\2\1\0\3BRCxyzz", b"\4\2\1\0\3BRCxyz", b"\4", b"\xff"):
            self.assertRefused(header=texts(rule))

    def test_ranges_and_row_formats(self):
        """The bits of a header: unchanged, and with each rule broken."""
        seeds, lines = random.Random(8), []
        for i in range(200):
            suffix_field = seeds.randrange(5)
            number = suffix_field * 10**6 + seeds.randrange(1000) if suffix_field < 4 else seeds.randrange(10**7)
            price = seeds.choice(["1.50", "n/a", "7e3"]) if i % 10 == 0 else f"{seeds.randrange(10000) / 100:.2f}"
            country = ["AT", "BRA", "CH", "DE", "FR"][suffix_field]
            lines.append(f'{{"name":"n{seeds.randrange(10**6)}","country":"{country}","id":{number},"price":"{price}"}}')
        source = self.write("ranges.jsonl", lines)
        self.open(self.build(source, "--key", "{name}, {country}", "--part-size", "3KiB", name="ranges"))
        index = self.store()
        self.assertEqual(len(self.assertSame(index)), 200)
        self.assertLessEqual({"ranges", "row formats", "suffix fields of sizes"}, index.features)
        (shard,) = index.shards()
        (form,) = next(column.formats for column in shard.numbers if column.name == b"id")
        self.assertEqual([own is not None for own in form.ranges], [True] * 4 + [False])
        at = self.layout.columns[2] + 3  # behind kind, encoding and the count of formats
        self.assertEqual(self.header[at : at + 3], bytes([1, 0, 1]))
        at += 3 + len(signed_varint(form.base))
        self.assertEqual(self.header[at : at + 2], bytes([128 + 24, 0b01111]))
        fewest, more, added, overlap = self.header[at + 2 : at + 6]
        self.assertEqual((fewest, more), (10, 0))
        self.assertLess(added, 32)
        # Bits behind the last context; more or fewer contexts with a range than are said.
        for bits in (0b101111, 0b10001111, 0b00111, 0b11111, 0):
            with self.subTest(contexts=bits):
                self.assertRefused(header=changed(self.header, at + 1, [bits]))
        # The fewest bits and the number of more bits, the bits to add, their overlap.
        for i, wrong in [(2, 57), (2, 255), (3, 7), (3, 8), (3, 255), (4, 33), (4, 64), (4, 255)]:
            with self.subTest(ranges=i, wrong=wrong):
                self.assertRefused(header=changed(self.header, at + i, [wrong]))
        # The same ranges, said otherwise: widths of more bits, additions in 32 bits, which overlap wholly.
        end = at + 6 + (4 * (added - max(0, min(10 - overlap, added))) + 7) // 8

        def ranges(more, added, overlap, ranges):
            bits, size = 0, 0
            for more_bits, addition in ranges:
                zeros = min(max(10 - overlap, 0), added)
                bits |= (more_bits | addition >> zeros << more) << size
                size += more + added - zeros
            content = bits.to_bytes((size + 7) // 8, "little")
            return self.header[: at + 3] + bytes([more, added, overlap]) + content + self.header[end:], size

        own = [(0, addition) for _, addition in form.ranges[:4]]
        self.assertEqual(ranges(more, added, overlap, own)[0], self.header)
        for layout in ((6, added, overlap), (3, 32, 255), (0, 32, overlap), (5, 31, 10), (1, 32, 0)):
            with self.subTest(layout=layout):
                if all(addition % (1 << max(0, 10 - layout[2])) == 0 for _, addition in own):
                    header, size = ranges(*layout, own)
                    self.assertSame(self.store(header=header))
        # A width over 56 by its bits: 10 and 47 more.
        self.assertRefused(header=ranges(6, 32, 255, [(47, own[0][1]), *own[1:]])[0])
        # A bit that is set behind the last.
        header, size = ranges(5, 32, 255, own)
        self.assertEqual(size % 8, 4)
        place = at + 6 + size // 8
        for bit in (4, 7):
            self.assertRefused(header=changed(header, place, [header[place] | 1 << bit]))
        # Row formats: three of one and of three formats, in 0 and 2 bits each.
        place = self.layout.row_formats
        self.assertEqual(shard.row_formats, [[0, 0], [0, 1], [0, 2]])
        self.assertEqual(self.header[place], 0b100100)
        for bits in (0b110100, 0b100111, 0b1100100, 0b10100100):
            with self.subTest(row_formats=bits):
                self.assertRefused(header=changed(self.header, place, [bits]))
        self.assertRefused(header=changed(self.header, 9, [0]))
        self.assertRefused(header=changed(self.header, 9, [2]))

    def test_long_stems(self):
        line = '{"name":"%s","country":"CH","id":1}'
        for size, wide in ((255, 0), (256, 1)):
            lines = [line % ("a" * size), line % "b"]
            name = f"long {size}"
            self.open(self.build(self.write("long.jsonl", lines), "--key", "{name}, {country}", name=name))
            flags = self.keys.index(b"a" * 50) - 1 if b"a" * 50 in self.keys else 4 + 1 + len(varint(size + 1))
            self.assertEqual(self.keys[flags], wide)
            self.assertSame(self.store(keys=changed(self.keys, flags, [1])))
            if wide:
                self.assertRefused(keys=changed(self.keys, flags, [0]))

    def parts_of(self, lines, name):
        """An index of several parts: a function that writes it with other entries of parts, the bounds and the
        records."""
        options = ["--key", "{name}, {country}", "--part-size", "512"]
        self.index = self.build(self.write("parts.jsonl", lines), *options, name=name)
        self.manifest, self.page, *_ = self.contents("manifest")
        self.manifest = changed(self.manifest, 48 + 24 * 7, [99])
        (entry,) = reader.Index(self.index).entries
        data = (self.index / entry.name).read_bytes()
        header, frames = self.contents(entry.name)[0], data[entry.header_size :]
        cursor = reader.Cursor(header, "header", 4)
        _, count, *_ = (cursor.varint() for _ in range(6))
        self.assertGreater(count, 2)
        start, parts = header[: cursor.at], []
        for _ in range(count):
            records, bound = cursor.varint(), cursor.varint()
            promise = cursor.at
            for _ in range(2):
                cursor.varint(), cursor.varint(), cursor.take(4)
            parts.append((records, bound, header[promise : cursor.at]))
        bounds = [cursor.take(bound >> 1) for _, bound, _ in parts]
        rest = header[cursor.at :]

        def stored(part=1, records=0, bound=None, flip=0, more=0):
            """Changes the entry of one part and flips its flag; the next part has `more` records less."""
            all_bounds, content = list(bounds), start
            if bound is not None:
                all_bounds[part] = bound
            for i, (size, old, promise) in enumerate(parts):
                size += records * (i == part) - more * (i == part + 1)
                content += varint(size) + varint(2 * len(all_bounds[i]) + (old & 1 ^ flip * (i == part))) + promise
            return self.store_shard(content + b"".join(all_bounds) + rest, frames)

        def with_empty_part():
            content, empty = changed(start, len(varint(len(lines))) + 4, [count + 1]), b""
            promises = []
            for new in (b"SQK3\0\0\0", b"SQF3" + bytes(8)):
                frame = self.compress(new)
                promises.append(varint(len(frame)) + varint(len(new)) + frame[-4:])
                empty += frame
            for i, (size, old, promise) in enumerate(parts):
                content += varint(size) + varint(old) + promise
            content += varint(0) + varint(2 * 2) + b"".join(promises)
            return self.store_shard(content + b"".join(bounds) + b"zz" + rest, frames + empty)

        return stored, with_empty_part, bounds, [records for records, _, _ in parts]

    def test_parts(self):
        """A header's entries of the parts after the first."""
        lines = [f'{{"name":"n{i:03}","country":"CH","id":{i}}}' for i in range(400)]
        stored, with_empty_part, bounds, records = self.parts_of(lines, "parts")
        self.assertEqual(len(self.assertSame(stored())), 400)
        first = [part.keys[0] for part in next(stored().shards()).parts]
        self.assertEqual(bounds[1], first[1][: len(bounds[1])])
        self.assertRefused(stored, records=1)
        self.assertRefused(stored, records=-records[1])
        self.assertRefused(stored, records=1, more=1)
        self.assertRefused(stored, part=0, records=records[1], more=records[1])
        self.assertRefused(with_empty_part)
        # Bounds that do not rise: none, that of the part behind, that of the part before.
        self.assertFound(stored, bound=b"")
        self.assertFound(stored, bound=bounds[2])
        self.assertFound(stored, bound=bounds[2] + b"a")
        self.assertFound(stored, part=2, bound=bounds[1])
        # Above the part's first key, not above the last of the part before, and a continuation of nothing.
        self.assertSame(stored(bound=first[1]))
        self.assertFound(stored, bound=first[1] + b"a")
        self.assertFound(stored, bound=bounds[1][:-1])
        self.assertFound(stored, flip=1)
        # Parts that continue a run of equal keys: one without the flag, and one with another bound.
        lines = ['{"name":"n","country":"CH","id":%d}' % i for i in range(400)]
        stored, _, bounds, _ = self.parts_of(lines, "equal")
        self.assertEqual(len(self.assertSame(stored())), 400)
        self.assertEqual(set(bounds[1:]), {b"n\x01ch"})
        self.assertFound(stored, flip=1)
        self.assertFound(stored, part=2, flip=1)
        self.assertFound(stored, bound=b"n\x01c")

    def test_limits(self):
        """The greatest numbers of formats, ranges and row formats, and one more of each."""
        self.open(self.build(self.write("limits.jsonl", PLAIN), "--key", "{name}, {country}", name="limits"))
        names = [b"c%d" % i for i in range(4097)]
        listed = b"".join(varint(len(name)) + name for name in names)
        # The field names of the root's sections 6 and 7 are its last: these alone, and no settings.
        manifest = bytearray(self.manifest)
        struct.pack_into("<I", manifest, 40, len(names))
        for i in range(manifest[12]):
            (number,) = struct.unpack_from("<I", manifest, 48 + 24 * i)
            if number in (6, 7):
                struct.pack_into("<QQ", manifest, 48 + 24 * i + 8, len(manifest), len(listed) if number == 6 else 0)
        manifest = bytes(manifest) + listed

        def shard(columns, row_formats, contexts=1, code=b"\0", keys=self.keys, data=b"", shapes=None, width=0):
            """Number columns, per column its formats; rows of `width` bits, all 0, and of format 0. Every suffix field is the first.

            Or other columns, with their bytes in the header and their data in the part."""
            count = len(columns)
            suffix_fields = (b"\2" if contexts else b"") + b"".join(bytes([97 + i // 26, 97 + i % 26]) for i in range(contexts))
            shape = varint(count) + b"".join(map(varint, range(count))) if shapes is None else bytes(shapes)
            formats = b"".join(
                forms if isinstance(forms, bytes) else bytes([1, 5, len(forms)]) + b"".join(forms) for forms in columns)
            bits = row_formats * sum((len(forms) - 1).bit_length() for forms in columns)
            codes = bytes(row_formats > 1)
            header = self.header[: self.layout.suffix_fields] + suffix_fields + (code if contexts > 1 else b"") + b"\0"
            header += b"".join(varint(len(name)) + name for name in names[:count]) + shape + formats
            header += bytes((bits + 7) // 8) + codes
            counts = [8, 1, contexts, count, 1 if shapes is None else shapes, row_formats]
            start = self.header[:4] + b"".join(map(varint, counts)) + self.header[self.layout.part : self.layout.frames]
            fields = b"SQF3\x08" + varint(width) + b"\0\0" + data + bytes(8 * (row_formats > 1) + 8 * (row_formats > 256))
            fields += (varint(8 * width) + b"\0" if row_formats else b"") + bytes(width)
            return {"start": start, "header": header, "fields": fields, "manifest": manifest, "keys": keys}

        form = bytes([1, 0, 0, 14, 0])  # 7, in no bits
        # 256 suffix fields, 4,096 columns, 65,536 shapes, which have no fields, 256 row formats.
        self.assertSame(self.store(**shard([[form]], 1, 256)))
        self.assertRefused(**shard([[form]], 1, 257))
        constant = b"\0\0\1a"
        self.assertSame(self.store(**shard([constant] * 4096, 0)))
        self.assertRefused(**shard([constant] * 4097, 0))
        self.assertSame(self.store(**shard([], 0, shapes=65536, data=bytes(16))))
        self.assertRefused(**shard([], 0, shapes=65537, data=bytes(16)))
        self.assertSame(self.store(**shard([[form]], 256)))
        self.assertRefused(**shard([[form]], 257))
        # 4,096 formats.
        self.assertEqual(self.assertSame(self.store(**shard([[form]], 1)))[0], b'{"c0":7}')
        columns = [[form] * 255] * 16
        self.assertSame(self.store(**shard([*columns, [form] * 16], 1)))
        self.assertRefused(**shard([*columns, [form] * 17], 1))
        # 2^16 of row formats times columns.
        self.assertSame(self.store(**shard([[form]] * 256, 256)))
        self.assertRefused(**shard([[form]] * 257, 256))
        # 2^18 of formats with ranges times contexts.
        own = form[:-1] + bytes([128]) + bytes([1] + [0] * 31) + bytes(4)
        columns = [[own] * 255] * 4
        self.assertSame(self.store(**shard([*columns, [own] * 4, [form]], 1, 256)))
        self.assertRefused(**shard([*columns, [own] * 5], 1, 256))
        # A value of 56 bits, and of one more; in a range of its own too, by the fewest bits and by those there are more.
        own = lambda *contents: form[:-1] + bytes([128, 1, *contents])
        self.assertSame(self.store(**shard([[form[:-1] + b"\x38"]], 1, width=56)))
        self.assertSame(self.store(**shard([[own(56, 0, 0, 0)]], 1, width=56)))
        self.assertSame(self.store(**shard([[own(50, 6, 0, 0, 6)]], 1, width=56)))
        self.assertRefused(**shard([[form[:-1] + b"\x39"]], 1, width=57))
        self.assertRefused(**shard([[own(57, 0, 0, 0)]], 1, width=57))
        self.assertRefused(**shard([[own(50, 6, 0, 0, 7)]], 1, width=57))
        # Widths of 6 bits, additions of 32 bits, and one bit more of each.
        self.assertSame(self.store(**shard([[own(0, 6, 0, 0, 0)]], 1)))
        self.assertRefused(**shard([[own(0, 7, 0, 0, 0)]], 1))
        self.assertSame(self.store(**shard([[own(0, 0, 32, 0, 1, 0, 0, 128)]], 1)))
        self.assertRefused(**shard([[own(0, 0, 33, 0, 1, 0, 0, 128, 0)]], 1))
        # Codes of 1, 2 and 2 bits, and of 1, 2 and 1. The first code is the same, and all suffix fields have it.
        packed = self.keys[:-8] + bytes([2, 2, 0, 0, 0, 0])
        self.assertSame(self.store(**shard([[form]], 1, 3, bytes([0x21, 0x02]), packed)))
        self.assertRefused(**shard([[form]], 1, 3, bytes([0x21, 0x01]), packed))
        # A byte more in a half than its codes take, and one less: its quarters would share one.
        for sizes in ((3, 2), (2, 3), (1, 2), (2, 1)):
            wrong = self.keys[:-8] + bytes([*sizes, *bytes(sum(sizes))])
            self.assertRefused(**shard([[form]], 1, 3, bytes([0x21, 0x02]), wrong))
        # An encoding over 5, a mixed column that is constant, a number without formats; the kind of a mixed text.
        self.assertSame(self.store(**shard([b"\0\0\2\0a"], 0)))
        self.assertSame(self.store(**shard([b"\3\1\1\2\0a"], 0, data=bytes(8))))
        for column in (b"\0\6", b"\3\0\2\0a", b"\4\0\2\0a", b"\3\1\1\2\3a", b"\3\1\1\0"):
            with self.subTest(column=column):
                self.assertRefused(**shard([column], 0, data=bytes(8 * (column[1] == 1))))
        self.assertRefused(**shard([[]], 1))
        # Dictionaries without a text, of the greatest number of texts, and of one more.
        self.assertRefused(**shard([b"\0\1\0"], 0, data=bytes(8)))
        for count in (65536, 65537):
            contents = shard([b"\0\1" + varint(count) + bytes(count)], 0, data=bytes(16))
            self.assertSame(self.store(**contents)) if count == 65536 else self.assertRefused(**contents)
        # A code of a text that the dictionary does not have.
        pair = b"\0\1\2\1\1ab\0"
        self.assertSame(self.store(**shard([pair], 0, data=bytes([0, 1, 0, 1, 0, 0, 0, 1]))))
        self.assertRefused(**shard([pair], 0, data=bytes([0, 1, 0, 1, 0, 0, 0, 2])))
        # Long texts: two of them, out of order, of another record, one of 254 bytes, one more and one less.
        def long(*texts, count=None):
            data = varint(555) + varint(len(texts) if count is None else count) + bytes([255, 0, 255, 0, 0, 0, 0, 0])
            return data + b"".join(struct.pack("<II", *text) for text in texts) + b"x" * 555

        self.assertSame(self.store(**shard([b"\0\2\0\0"], 0, data=long((0, 300), (2, 255)))))
        for wrong in (long((2, 255), (0, 300)), long((0, 300), (1, 255)), long((0, 301), (2, 254)), long((0, 555)),
                      long((0, 300), (2, 255), count=1), long((0, 300), (2, 255), count=3), long((0, 300), (2, 256)),
                      long((0, 300), (2, 254))):
            self.assertRefused(**shard([b"\0\2\0\0"], 0, data=wrong))
        # No suffix fields: a column that has its texts by suffix field has none.
        stems = self.keys[:-8]
        self.assertSame(self.store(**shard([b"\0\0\1a"], 0, 0, keys=stems)))
        for column in (b"\0\3\0", b"\0\3\3"):
            self.assertRefused(**shard([column], 0, 0, keys=stems))
        # A suffix of a byte that no stem has.
        size = self.keys[5]
        self.assertRefused(keys=changed(self.keys[: 7 + size] + b"x" + self.keys[7 + size :], 5, [size + 1]))
        # The second stem shares 14 bytes with the first, which has 9.
        self.assertEqual(self.keys[7 + size : 9 + size], bytes([0x90, 0x94]))
        self.assertRefused(keys=changed(self.keys, 8 + size, [0x9E]))


varint, signed_varint = reader.varint, reader.signed_varint


# So few records that no column is packed.
PLAIN = [
    '{"name":"%s","country":"CH","id":%d}' % (name, i)
    for i, name in enumerate(["San Diego", "San Francisco", "San Jose", "Sao Paulo", "Sao Pedro", "Zug", "Zurich", "Zz"])
]


class Layout:
    """The offsets in the header of a shard of one part."""

    def __init__(self, header):
        cursor = reader.Cursor(header, "layout", 4)
        _, _, suffix_fields, columns, shapes, _ = (cursor.varint() for _ in range(6))
        self.part = cursor.at
        cursor.varint(), cursor.varint()
        self.frames = cursor.at
        for _ in range(2):
            cursor.varint(), cursor.varint(), cursor.take(4)
        self.bounds = self.suffix_fields = cursor.at
        size = cursor.varint() if suffix_fields else 0
        sizes = [size] * suffix_fields if size else cursor.take(suffix_fields)
        self.suffix_field_texts = cursor.at
        texts = [cursor.take(size) for size in sizes]
        self.suffix_field_codes = self.suffix_field_code = cursor.at
        if suffix_fields > 1:
            reader.HuffmanCode(cursor, suffix_fields, "", set())
        self.suffix_code = cursor.at
        reader.HuffmanCode(cursor, 256, "", set())
        self.names = cursor.at
        names = [cursor.text() for _ in range(columns)]
        self.shapes = cursor.at
        for _ in range(shapes):
            for _ in range(cursor.varint()):
                cursor.varint()
        if 1 < shapes <= 256:
            reader.HuffmanCode(cursor, shapes, "", set())
        self.columns = []
        for name in names:
            self.columns.append(cursor.at)
            reader.Column(cursor, name, texts, set())
        self.row_formats = cursor.at


class Nodes(Temporary):
    """A manifest whose root lists nodes, unchanged and with a changed node: this reader and the command agree."""

    def setUp(self):
        super().setUp()
        names = [f"key {i // 3:05}" for i in range(4200)]  # runs of equal keys, over borders too
        # Each record is larger than a shard may be, so that it is a shard.
        lines = [json.dumps({"name": name, "id": i, "note": 1100 * "x"}) for i, name in enumerate(names)]
        self.index = self.build(self.write("nodes.jsonl", lines), "--key", "{name}", "--shard-size", "1K")
        data = (self.index / "manifest").read_bytes()
        self.frames = reader.frames_of(data, "manifest")
        self.contents = reader.unpack_frames(data, self.frames, "manifest")
        self.data, at = [], 0
        for frame in self.frames:
            self.data.append(data[at : at + frame.size])
            at += frame.size
        self.entries = struct.unpack_from("<Q", self.contents[0], 48 + 24 * 4 + 8)[0]

    def store(self, node=None, root=lambda content: content):
        """Writes the manifest with another first node and a root that fits it, changed by `root`."""
        content, manifest = node or self.contents[1], bytearray(self.contents[0])
        frame = Forged.compress(bytes(content))
        for i in range(2):
            (end,) = struct.unpack_from("<Q", manifest, self.entries + 32 * i)
            struct.pack_into("<Q", manifest, self.entries + 32 * i, end + len(frame) - len(self.data[1]))
        (all_content,) = struct.unpack_from("<Q", manifest, self.entries + 24)
        struct.pack_into("<I4s", manifest, self.entries + 8, len(content), frame[-4:])
        struct.pack_into("<IQ", manifest, self.entries + 20, len(frame),
                         all_content + len(content) - len(self.contents[1]))
        manifest = root(bytes(manifest))
        (self.index / "manifest").write_bytes(b"".join([Forged.compress(manifest), frame, *self.data[2:]]))
        return reader.Index(self.index)

    def assertRefused(self, *arguments):
        with self.assertRaises(reader.FormatError):
            self.store(*arguments)
        run = subprocess.run([COMMAND, "verify", "-i", self.index], capture_output=True)
        self.assertIn(run.returncode, (1, 65), run.stderr)

    def test_as_it_is(self):
        index = self.store()
        self.assertEqual((len(index.entries), len(index.page_flags), index.listed), (4200, 66, 68))
        self.assertEqual(list(index.lines()), shardq("export", "-i", self.index).splitlines())
        shardq("verify", "-i", self.index)
        # The first node, which lists 64 pages.
        self.assertEqual(len(self.contents[1]), 40 * 64 + 8 + sum(len(index.page_bounds[i]) for i in range(64)))

    def test_refused(self):
        node = self.contents[1]
        for at in (8, 8 * 64, 8 * 65, 8 * 66 + 1, 16 * 64 + 8, 16 * 64 + 12, 20 * 64 + 8, 20 * 64 + 16, 20 * 64 + 20,
                   20 * 64 + 24, 20 * 64 + 28, 40 * 64 + 8, len(node) - 1):
            with self.subTest(node=at):
                self.assertRefused(changed(node, at, [node[at] ^ 1]))
        self.assertRefused(node[:-1])
        self.assertRefused(node + b"\0")
        for at in (0, 8, 12, 16, 20, 24, 31, 32, 32 + 12, 32 + 16, 32 + 20, 32 + 24):
            with self.subTest(entry=at):
                self.assertRefused(None, lambda content: changed(content, self.entries + at, [content[self.entries + at] ^ 1]))
        for version in (0, 2, 3):
            with self.subTest(version=version):
                self.assertRefused(None, lambda content: changed(content, 4, [version]))
        for shards in (4096, 4199, 4201, 1 << 31):
            with self.subTest(shards=shards):
                self.assertRefused(None, lambda content: changed(content, 32, struct.pack("<I", shards)))


class Ranks(Temporary):
    """The greatest weights of parts: the command writes right ones; readers refuse others or find them wrong."""

    # Texts of a field, as JSON, and the weights that they are at a scale of 1.
    WEIGHTS = {
        "0": 0, "1": 1, "-1": 0, "-0": 0, "1.99": 1, "0.99": 0, "12e3": 12000, "125e-2": 1, "1E+2": 100, '"7"': 7,
        '"+7"': 7, '"7."': 7, '".7e1"': 7, '"007"': 7, '" 7"': 0, '"7 "': 0, '"0x7"': 0, '"7e"': 0, '"e7"': 0,
        '"."': 0, '"7,5"': 0, '"\u0667"': 0, '""': 0, "null": 0, "true": 0, "[7]": 0, "{}": 0, '"Inf"': 0, '"nan"': 0,
        "9223372036854775806": 2**63 - 2, "9223372036854775807": 2**63 - 1, "9223372036854775808": 2**63 - 1,
        "9223372036854775806.9": 2**63 - 2, "18446744073709551616": 2**63 - 1, "1e19": 2**63 - 1, "1e18": 10**18,
        "1e1000000000": 2**63 - 1, "1e1000000001": 0, "1e-1000000000": 0, "0e1000000000": 0, "-1e1000000000": 0,
        "1" + 63 * "0": 2**63 - 1, "1" + 64 * "0": 0, "0." + 62 * "0": 0, "7." + 62 * "0": 7, "7." + 63 * "0": 0,
        '"1e%s"' % (60 * "9"): 0, '"1e-%s"' % (60 * "9"): 0, '"7e%s1"' % (61 * "0"): 70,
    }

    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        names = ["".join(rng.choice("abcd") for _ in range(4)) for _ in range(1500)]
        self.weights = [rng.randrange(1 << rng.randrange(1, 63)) for _ in names]
        self.weights[300] = 2**63 - 1
        self.lines = [f'{{"name":"{name}","w":{weight}}}' for name, weight in zip(names, self.weights)]
        self.sizes = ["--key", "{name}", "--shard-size", "1K", "--part-size", "1K"]
        self.parts = ["--key", "{name}", "--shard-size", "4K", "--part-size", "1K"]
        self.index = self.build(self.write("list.jsonl", self.lines), *self.parts, "--weight", "w")
        self.data = (self.index / "manifest").read_bytes()

    def test_as_built(self):
        found = reader.Index(self.index)
        found.verify_ranks()
        self.assertEqual(max(map(max, found.ranks)), max(self.weights))
        self.assertEqual(len(found.ranks), len(found.entries))
        self.assertGreater(len(found.entries), 2)
        shardq("verify", "-i", self.index)
        for name, lines in ("one", self.lines[:1]), ("none", []):
            found = reader.Index(self.build(self.write(name + ".jsonl", lines), *self.sizes, "--weight", "w", name=name))
            found.verify_ranks()
            self.assertEqual(found.ranks, [[self.weights[0]]] if lines else [])
            shardq("verify", "-i", self.directory / name)
        run = [sys.executable, reader.__file__, "--verify", self.index]
        self.assertEqual(subprocess.run(run, capture_output=True).stdout, b"")

    def test_shards_are_the_same_without(self):
        plain = self.build(self.directory / "list.jsonl", *self.parts, name="plain")
        self.assertIsNone(reader.Index(plain).ranks)
        for path in plain.glob("*.zst"):
            self.assertEqual(path.read_bytes(), (self.index / path.name).read_bytes())
        self.assertEqual(len(list(plain.iterdir())), len(list(self.index.iterdir())))

    def test_more_pages_than_one(self):
        lines = [json.dumps({"name": f"key {i // 3:05}", "w": i * 7919 % 5003, "note": 1100 * "x"}) for i in range(300)]
        found = reader.Index(self.build(self.write("pages.jsonl", lines), *self.sizes, "--weight", "w", name="pages"))
        self.assertEqual((found.page_count, len(found.ranks)), (5, 300))
        # Three records of a key each, in the order of their weights.
        weights = [sorted(i * 7919 % 5003 for i in range(first, first + 3)) for first in range(0, 300, 3)]
        self.assertEqual(found.ranks, [[weight] for three in weights for weight in three])
        found.verify_ranks()

    def test_texts(self):
        for scale, factor in (None, 1), ("2.5", Fraction(5, 2)), ("1e-3", Fraction(1, 1000)), ("1e18", 10**18):
            with self.subTest(scale=scale):
                weight = reader.Weights({b"weight": b"w"} | ({b"weight-scale": scale.encode()} if scale else {}))
                lines = []
                for number, (text, plain) in enumerate(self.WEIGHTS.items()):
                    value = json.loads(text, parse_int=str, parse_float=str)
                    found = weight.of_text(value.encode() if isinstance(value, str) else b"[7]")
                    expected = plain
                    # Another scale gives other weights to texts that a scale of 1 rounds or cuts off.
                    if scale and re.fullmatch(r'"?[+-]?[0-9.]{1,40}(e[+-]?[0-9]{1,3})?"?', text, re.IGNORECASE) and text != '"."':
                        exact = max(0, Fraction(text.strip('"').removesuffix(".")) * factor)
                        expected = min(int(exact), 2**63 - 1)
                    elif scale and plain not in (0, 2**63 - 1):
                        expected = min(int(plain * factor), 2**63 - 1)
                    self.assertEqual(found, expected, text)
                    # Each key is far from the others and each record is large, so that it is a shard.
                    lines.append('{"name":"%03d","w":%s,"note":"%s"}' % (number, text, 1100 * "x"))
                lines.append('{"name":"none","note":"%s"}' % (1100 * "x"))
                options = ["--weight", "w", *(["--weight-scale", scale] if scale else [])]
                index = self.build(self.write("texts.jsonl", lines), *self.sizes, *options, name=f"texts {scale}")
                found = reader.Index(index)
                self.assertEqual(len(found.ranks), len(lines))
                found.verify_ranks()
                shardq("verify", "-i", index)
        for scale in (b"0", b"-1", b"", b"x", b"1e1000000001", 65 * b"1"):
            with self.assertRaises(reader.FormatError):
                reader.Weights({b"weight-scale": scale})

    def test_a_byte_flipped(self):
        """A byte flipped in the frames of the ranks: the index is refused, or has the same ranks."""
        good, size = reader.Index(self.index).ranks, reader.Index(self.index).chains[10][0]
        path, rng, refused = self.index / "manifest", random.Random(8), 0
        step = 1 if LONG else 4
        for at in range(len(self.data) - size + rng.randrange(step), len(self.data), step):
            path.write_bytes(changed(self.data, at, [self.data[at] ^ 1 << rng.randrange(8)]))
            with self.subTest(at=at):
                try:
                    self.assertEqual(reader.Index(self.index).ranks, good)
                except reader.FormatError:
                    refused += 1
                    if at % (5 * step) < step:
                        self.assertFoundByCommand()
        self.assertGreater(refused, size // step * 9 // 10)

    def assertFoundByCommand(self):
        run = subprocess.run([COMMAND, "verify", "-i", self.index], capture_output=True)
        self.assertIn(run.returncode, (1, 65), run.stderr)

    def store(self, pages=None, head=lambda content: content, chains={}, index=None):
        """Writes the manifest with other contents of the ranks' pages, and a first frame and a root that fit them.

        `head` then changes the first frame's content. `chains` are further chains, number to bytes.
        """
        index = index or reader.Index(self.index)
        root = self.root()
        chain = self.frames(self.data[len(self.data) - index.chains[10][0] :])
        pages = [content for _, content in chain[1:]] if pages is None else pages
        frames = [Forged.compress(page) for page in pages]
        greatest = [max(map(max, index.ranks))] * len(pages)
        table, ends = [], 0
        for frame in frames:
            ends += len(frame)
            table.append(ends)
        content = b"SQR1" + struct.pack(f"<I{len(pages)}I", len(pages), *table) + b"".join(frame[-4:] for frame in frames)
        content = head(content + struct.pack(f"<{len(pages)}Q", *greatest))
        first = Forged.compress(content)
        ranks = first + b"".join(frames)
        found = {10: struct.pack("<II4s", len(ranks), len(content), first[-4:])}
        behind = {number: self.data[at : at + size] for number, at, size in self.places(index)} | {10: ranks} | chains
        for number, data in chains.items():
            found[number] = struct.pack("<II4s", len(data), 8, data[-4:])
        (self.index / "manifest").write_bytes(
            Forged.compress(self.with_sections(root, found)) + self.pages(index)
            + b"".join(behind[number] for number in sorted(behind)))
        return reader.Index(self.index)

    @staticmethod
    def frames(data):
        frames = reader.frames_of(data, "chain")
        return list(zip(frames, reader.unpack_frames(data, frames, "chain")))

    def root(self):
        frame = reader.Frame(self.data, 0, "root")
        return reader.unpack_frames(self.data[: frame.size], [frame], "root")[0]

    def places(self, index):
        """Number, place and size of each chain that was built."""
        at = len(self.data)
        for number in sorted(index.chains, reverse=True):
            at -= index.chains[number][0]
            yield number, at, index.chains[number][0]

    def pages(self, index):
        return self.data[reader.Frame(self.data, 0, "root").size : min(at for _, at, _ in self.places(index))]

    @staticmethod
    def with_sections(root, sections):
        """A root with other contents of sections, or with more sections."""
        count = root[12]
        table = [list(struct.unpack_from("<IIQQ", root, 48 + 24 * i)) for i in range(count)]
        new = [number for number in sections if number not in [entry[0] for entry in table]]
        body, shift = root[48 + 24 * count :], 24 * len(new)
        for entry in table:
            entry[2] += shift
        table += [[number, 0, 0, 0] for number in new]
        for entry in table:
            if entry[0] in sections:
                entry[2:] = 48 + 24 * len(table) + len(body), len(sections[entry[0]])
                body += sections[entry[0]]
        return changed(root[:48], 12, struct.pack("<I", len(table))) + b"".join(struct.pack("<IIQQ", *e) for e in table) + body

    def assertRefused(self, *arguments, **options):
        """This reader refuses the ranks at once or in `verify_ranks`, and so does the command's `verify`."""
        with self.assertRaises(reader.FormatError):
            found = self.store(*arguments, index=self.before, **options)
            list(found.shards())
            found.verify_ranks()
        self.assertFoundByCommand()

    def test_refusals(self):
        self.before = index = reader.Index(self.index)
        good = index.ranks
        self.assertEqual(self.store(index=index).ranks, good)
        shardq("verify", "-i", self.index)
        ((_, head), (_, page)) = self.frames(self.data[len(self.data) - index.chains[10][0] :])
        self.assertEqual(len(head), 24)
        shards = len(index.entries)
        self.assertEqual(list(page[:shards]), [len(parts) for parts in good])
        for at in range(24):
            with self.subTest(head=at):
                self.assertRefused(head=lambda content: changed(content, at, [content[at] ^ 1]))
        for wrong in (lambda content: content[:-1], lambda content: content + b"\0", lambda content: content[:4]):
            self.assertRefused(head=wrong)
        # A part more and one less, a shard without parts, a page that ends too early, and too late.
        self.assertRefused([changed(page, 0, [page[0] + 1])])
        self.assertRefused([changed(page, 0, [page[0] - 1])])
        self.assertRefused([changed(page, 0, [0])])
        self.assertRefused([changed(page, 0, [page[0] + 1]) + b"\0"])
        self.assertRefused([page[:-1]])
        self.assertRefused([page + b"\0"])
        self.assertRefused([page, page])
        self.assertRefused([])
        # One part less of a shard, and one more of the next: only the shards' headers show the fault.
        several = next(i for i in range(shards) if page[i] > 1)
        other = several + 1 if several + 1 < shards else several - 1
        self.assertRefused([changed(changed(page, several, [page[several] - 1]), other, [page[other] + 1])])
        weights = [weight for parts in good for weight in parts]

        def with_weight(number, text):
            texts = [varint(weight) for weight in weights]
            texts[number] = text
            return [page[:shards] + b"".join(texts)]

        self.assertEqual(with_weight(0, varint(weights[0])), [page])
        # A varint that continues after its ninth byte, and one with a tenth byte.
        least = weights.index(min(weights))
        self.assertRefused(with_weight(least, 8 * b"\x80" + b"\x80"))
        self.assertRefused(with_weight(least, 9 * b"\xff" + b"\x01"))
        # A weight above and one below the greatest, of a page and of a part.
        greatest = weights.index(max(weights))
        small = next(i for i, weight in enumerate(weights) if 0 < weight < max(weights))
        for number, more in (greatest, -1), (small, 1), (small, -1):
            with self.subTest(number=number, more=more):
                self.assertRefused(with_weight(number, varint(weights[number] + more)))

    def test_unknown_chains(self):
        """A reader ignores unknown chains at any place, with any content."""
        index = reader.Index(self.index)
        lines = shardq("export", "-i", self.index)
        frame = Forged.compress(b"whatever")
        for chains in {13: frame}, {13: frame + frame, 31: frame}, {20: frame}, {n: frame for n in (13, *range(15, 32))}:
            with self.subTest(chains=list(chains)):
                found = self.store(index=index, chains=chains)
                self.assertEqual(found.ranks, index.ranks)
                self.assertEqual(b"".join(line + b"\n" for line in found.lines()), lines)
                self.assertEqual(shardq("export", "-i", self.index), lines)
        # A chain that is larger than the file, and a section of another size.
        root = self.with_sections(self.root(), {31: struct.pack("<III", 1 << 31, 0, 0)})
        other = self.with_sections(self.root(), {31: bytes(13)})
        for content in root, other:
            (self.index / "manifest").write_bytes(Forged.compress(content) + self.data[reader.Frame(self.data, 0, "").size :])
            with self.assertRaises(reader.FormatError):
                reader.Index(self.index)
            run = subprocess.run([COMMAND, "query", "--count", "-i", self.index, "a"], capture_output=True)
            self.assertEqual(run.returncode, 65, run.stderr)


def changed(content, at, new):
    return content[:at] + bytes(new) + content[at + len(new) :]


class Page(unittest.TestCase):
    """The bytes of the examples in docs/format.md are right."""

    def setUp(self):
        self.page = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")

    def example(self, heading, size, number=0):
        """The bytes of a listing with offsets after a heading: the first listing, or a later one."""
        section = self.page.split(f"\n{heading}\n", 1)[1]
        listings = re.findall(r"^```\w*\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
        listing = [listing for listing in listings if re.match("0+  ", listing)][number]
        content = bytearray()
        for line in listing.splitlines():
            offset, rest = re.fullmatch(r"([0-9a-f]{2,3}) +(.*)", line).groups()
            self.assertEqual(int(offset, 16), len(content), line)
            while token := re.match(r'([0-9a-f]{2}(?=\s|$)|"[^"]*") *', rest):
                content += token[1][1:-1].encode() if token[1][0] == '"' else bytes.fromhex(token[1])
                rest = rest[token.end() :]
                if token[0].endswith("   "):
                    break  # a remark
        self.assertEqual(len(content), size, heading)
        return bytes(content)

    def checksum(self, content):
        run = subprocess.run(["zstd", "-qc", "--check"], input=content, check=True, capture_output=True)
        return int.from_bytes(run.stdout[-4:], "little")

    def test_manifest_example(self):
        root, page = (self.example("### 3.7 Example", size, i) for i, size in enumerate((361, 137)))
        frames = [
            SimpleNamespace(size=size, content_size=len(content), checksum=self.checksum(content))
            for size, content in ((375, root), (150, page))
        ]
        index = reader.Index.__new__(reader.Index)
        index.entries = []
        index._read_root(root)
        index._read_children(frames[1:])
        index._read_page(0, page)
        self.assertEqual((index.records, index.shard_limit, len(index.names)), (9, 400, 5))
        self.assertEqual([(entry.bound, entry.records) for entry in index.entries], [(b"", 6), (b"z", 3)])
        for entry in index.entries:
            self.assertIn(entry.name, self.page)

    def test_example(self):
        places = [("### 4.8 Example", 122), ("## 5. Keys", 56), ("### 6.5 Example", 108)]
        contents = [self.example(heading, size) for heading, size in places]
        frames = [
            SimpleNamespace(size=size, content_size=len(content), checksum=self.checksum(content))
            for size, content in zip((135, 69, 121), contents)
        ]
        self.assertEqual(frames[0].checksum, 0x0C7EE743)
        names = [b"name", b"country", b"id", b"coord.lon", b"coord.lat"]
        index = SimpleNamespace(names=names, features=set(), flat=set())
        digest = bytes.fromhex("a5bdd6d449a71d7181056c7cce9b41b7")
        entry = reader.ShardEntry(0, 0, 6, b"", False, digest, b"sa".ljust(8, b"\0"), (325, 135, 122, 0x0C7EE743))
        shard = reader.Shard(index, entry, frames, contents)
        shard.check_keys(None)
        self.assertEqual(entry.name, "sa-a5bdd6d449a71d71.zst")
        self.assertIn(entry.name, self.page)
        (part,) = shard.parts
        self.assertEqual(part.keys[0], b"san diego\x01us")
        self.assertIn(part.lines[4].decode(), self.page)
        self.assertIn(part.lines[0].decode(), self.page)
        self.assertEqual(len(part.lines), 6)

    def test_overlay_example(self):
        data = self.example("## 11. The overlay", 120)
        names = [b"name", b"country", b"id", b"coord.lon", b"coord.lat"]
        overlay = reader.Overlay(data, 9, names)
        overlay.read()
        self.assertEqual(overlay.manifest_size, 711)
        self.assertEqual((overlay.removed, overlay.greatest_id), ([2, 6], 2**64 - 1))
        ((before, folded, fields),) = overlay.added
        self.assertEqual((before, folded), (3, b"san jose\1us"))
        line = b'{"name":"San Jose","country":"US","id":5392171,"coord":{"lon":-121.894958,"lat":38.5}}'
        self.assertEqual(reader.json_record(fields), line)
        self.assertEqual(reader.cell_of(fields, SimpleNamespace(settings={})), 74276)
        self.assertEqual(overlay.cells, [(63751, -1), (74276, 1), (75716, -1)])

    def test_hash(self):
        # Of the xxHash specification's reference implementation.
        for text, value in [(b"", 0xEF46DB3751D8E999), (b"abc", 0x44BC2CF5AD770999),
                            (b"Nobody inspects the spammish repetition", 0xFBCEA83C8A378BF1)]:
            self.assertEqual(reader.xxh64(text), value)
        for size in range(0, 200, 7):  # the checksum of a frame is its lower half (§2)
            content = bytes(range(size))
            self.assertEqual(reader.xxh64(content) & 0xFFFFFFFF, self.checksum(content))

    def test_number_formats(self):
        table = self.page.split("| format | *v* | text | format", 1)[1].split("\n\n", 1)[0]
        rows = re.findall(r"\| (\d), (\d), (\d) \| (−?\d+) \| `([^`]*)`", table)
        rows += re.findall(r"` \| (\d), (\d), (\d) \| (−?\d+) \| `([^`]*)`", table)
        self.assertGreaterEqual(len(set(rows)), 10)
        for kind, a, b, value, text in rows:
            form = reader.NumberFormat.__new__(reader.NumberFormat)
            form.type, form.a, form.b, form.json = int(kind), int(a), int(b), bytes
            self.assertEqual(form.print(int(value.replace("−", "-"))).decode(), text)


if __name__ == "__main__":
    unittest.main()
