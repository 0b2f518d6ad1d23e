"""The second reader against what the command builds: python3 -m unittest discover -s Tests/FormatReader

Indexes are built by $SHARDQ_BIN/shardq, else by bin/shardq. The real datasets are found at $SHARDQ_DATA, else at
../shared/data; a test whose dataset is not there is skipped.
"""

import csv
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
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
    """A JSON text as something that can be counted: digits and the order of members are kept; a number is bytes."""
    hook = lambda members: ("object", *((name, frozen(value)) for name, value in members))
    return frozen(json.loads(text, parse_int=str.encode, parse_float=str.encode, object_pairs_hook=hook))


def flat(pairs):
    """A record of texts, as `parsed` would have it."""
    return ("object", *pairs)


LATITUDES = ["coord.lat", "lat", "latitude", "Latitude", "LAT"]
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


def dots_of(records):
    """§3.9: the records of each cell; None without any."""
    cells = Counter()
    for record in records:
        latitude, longitude = degrees(record, LATITUDES, 90), degrees(record, LONGITUDES, 180)
        if latitude is not None and longitude is not None:
            cells[720 * min(359, (90 - latitude) * 2 // 1) + min(719, (longitude + 180) * 2 // 1)] += 1
    return cells or None


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
        """The records, as a multiset; everything about order, bounds and names. Returns the index and its shards."""
        index = reader.Index(directory)
        shards = list(index.shards())
        lines = [line for shard in shards for part in shard.parts for line in part.lines]
        found, expected = Counter(map(parsed, lines)), Counter(records)
        if found != expected:
            self.fail(f"missing: {list(expected - found)[:3]}\nnot there before: {list(found - expected)[:3]}")
        self.assertEqual(index.records, len(lines))
        self.assertEqual(index.dots, dots_of(map(parsed, lines)))
        self.assertEqual(index.repeated_ids, self.repeated_ids(index, map(parsed, lines)))
        self.check_order(shards)
        self.check_files(directory, shards)
        return index, shards

    @staticmethod
    def repeated_ids(index, records):
        if b"id" not in index.settings:
            return 2**64 - 1
        name = index.settings[b"id"].decode()
        ids = [next((value for key, value in record[1:] if key == name), None) for record in records]
        return len([text for text in ids if text is not None]) - len({text for text in ids if text is not None})

    def check_order(self, shards):
        """Bounds are exactly what the page says a builder writes, flags say exactly where a run goes on."""
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
        """Keys that are letters of ASCII fold by case alone, so that they can be made again without the table."""
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
        lines = [f'{{"name":{name}}}' for name in ('""', '"x"', '"é"', '"、"', '"-/"', "null", "{}")]
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
    # Names that are paths and names that look like them, values that are not scalars, numbers as they came.
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
    # What folds away, what is no letter, and fields that are missing or not texts.
    for name in ["", " ", ",", "a, b", "a,b,,c", "\u200d", "´", "ﬁ Ⅳ ﾊﾟ", "ÄÖÜ ß", "İIıi", "Ǆ", "😀", "𐍈", "\ufffd", "aͅ"]:
        add(name, "")
        add(name, name)
    lines += [
        '{"name":"only a name"}',
        '{"country":"only a country"}',
        '{"name":null,"country":1.50}',
        '{"name":["a"],"country":true}',
        '{"name":{"deep":{"er":1}},"country":"deep"}',
        '{"name":{},"country":-0}',
        '{ "country" : "order" , "name" : "Other" }',
    ]
    rng.shuffle(lines)
    return lines


# Everything of the format that the records above are to make the builder use.
EVERYTHING = {
    *(f"kind {i}" for i in range(4)),
    *(f"encoding {i}" for i in range(6)),
    *(f"case rule {i}" for i in range(3)),
    *("number type 0", "number type 1, b 0", "number type 1, b 1", "number type 2"),
    *("number type 3, b 0", "number type 3, b 1"),
    *("script 0ddddddd", "script 10dddddd", "script 11dddddd", "script 11111111", "whole stem", "piece"),
    *("tails", "no tails", "ranges", "row formats", "shapes", "wide shapes", "wide codes", "long texts"),
    *("wide keys", "narrow keys", "parts", "continuation"),
    *(f"packed {column}" for column in ("sizes", "dictionary", "shapes", "row formats")),
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
                self.assertEqual(found.part_size, {"5KiB": 0, "1KiB": 1024}[part])
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
            # Without digests the checksums are left: what they let pass has to be the same content.
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


class Forged(Temporary):
    """Indexes no builder writes: both readers must make the same of them."""

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

    def contents(self, name):
        data = (self.index / name).read_bytes()
        return reader.unpack_frames(data, reader.frames_of(data, name), name)

    @staticmethod
    def compress(content):
        run = ["zstd", "-qc", "--check", f"--stream-size={len(content)}"]
        return subprocess.run(run, input=content, check=True, capture_output=True).stdout

    @staticmethod
    def sections(manifest):
        """Where the sections of a root begin, the first of each number."""
        entries = [struct.unpack_from("<I4xQ", manifest, 48 + 24 * i) for i in range(manifest[12])]
        return dict(reversed(entries))

    def store(self, manifest=None, page=None, header=None, fields=None, keys=None):
        """Writes the index's one shard, page and root with other contents; sizes, checksums, digests are made right."""
        manifest, header = bytearray(manifest or self.manifest), bytearray(header or self.header)
        page = bytearray(page or self.page)
        frames = []
        for at, content in ((40, keys or self.keys), (52, fields or self.fields)):
            frames.append(self.compress(content))
            struct.pack_into("<II4s", header, at, len(frames[-1]), len(content), frames[-1][-4:])
        head = self.compress(bytes(header))
        data = b"".join([head, *frames])
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

    def assertRefused(self, **contents):
        with self.assertRaises(reader.FormatError):
            list(self.store(**contents).lines())
        run = subprocess.run([COMMAND, "export", "-i", self.index], capture_output=True)
        self.assertEqual(run.returncode, 65, run.stderr)

    def assertFound(self, **contents):
        """Refused by this reader, and by `verify`: a query need not look that closely."""
        with self.assertRaises(reader.FormatError):
            list(self.store(**contents).shards())
        run = subprocess.run([COMMAND, "verify", "-i", self.index], capture_output=True)
        self.assertEqual(run.returncode, 1, run.stderr)

    def test_as_it_is(self):
        self.assertEqual(len(self.assertSame(self.store())), 8)

    def test_what_is_passed_over(self):
        manifest = bytearray(self.manifest)
        manifest[6:8] = manifest[44:46] = b"\xff\xff"  # reserved
        struct.pack_into("<I", manifest, 36, 7)  # the limit
        for i in range(8):
            struct.pack_into("<I", manifest, 52 + 24 * i, 99)  # reserved
        manifest[self.sections(manifest)[5] + 17] = 0x80  # an unknown flag
        page = bytearray(self.page)
        page[28 + 17] = 0x80  # another
        # An unknown section that lies nowhere, and two of section 7, of which the first counts, as of a setting.
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
        """The ids by other formats: what is exact has one text for every value of 64 bits."""
        lines = [f'{{"name":"n{i:03}","country":"CH","id":{i * 7919 % 1000}}}' for i in range(33)]
        self.open(self.build(self.write("numbers.jsonl", lines), "--key", "{name}, {country}", name="numbers"))
        at = self.header.index(struct.pack("<BBBq", 1, 0, 1, 0))
        exact = [(1, 0, 0), (1, 18, 0), (1, 18, 1), (1, 5, 0), (1, 5, 1)]
        rounded = [(2, 0, 1), (2, 5, 6), (2, 9, 9), (3, 0, 0), (3, 0, 6)]
        for form in exact + rounded:
            edges = [0, -500, 1 << 20, -1 << 20]
            if form in exact:
                edges += [-1 << 63, (1 << 63) - 500, 1 << 53, -1 << 53]
            for base in edges:
                with self.subTest(format=form, base=base):
                    changed = struct.pack("<BBBq", *form, base)
                    self.assertSame(self.store(header=self.header[:at] + changed + self.header[at + 11 :]))
        # 330 bits of rows, and six more.
        self.assertEqual(struct.unpack_from("<I", self.fields, 8)[0], 42)
        self.assertRefused(fields=self.fields[:-1] + bytes([self.fields[-1] | 0x80]))
        over = [(0, 1, 0), (1, 19, 0), (1, 0, 2), (2, 0, 0), (2, 10, 1), (2, 0, 10), (3, 1, 0), (3, 0, 10), (4, 0, 0)]
        for form in over:
            with self.subTest(format=form):
                self.assertRefused(header=self.header[:at] + bytes(form) + self.header[at + 3 :])

    def test_scripts_of_any_bytes(self):
        # Where the sizes of the scripts stand, and how many bytes they have.
        at, (size, long) = 24, struct.unpack_from("<II", self.fields, 16)
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
            fields = self.fields[:16] + struct.pack("<II", len(data), 0) + bytes(map(len, chosen)) + data
            fields += self.fields[at + 8 + size :]
            index = self.store(fields=fields)
            with self.subTest(chosen):
                self.assertSame(index)

    def test_what_verify_finds(self):
        self.assertFound(page=changed(self.page, 64, b"xy"))
        # `san francisco` by one byte less of `san diego`, and one more of its own.
        (size,) = struct.unpack_from("<I", self.keys, 8)
        at = 16 + sum(sizes >> 4 for sizes in self.keys[16 + size : 16 + size + 2])
        place = 16 + size + 2
        keys = changed(self.keys, place, [self.keys[place] - 1 + (1 << 4)])
        keys = keys[:at] + b" " + keys[at:]
        self.assertEqual((self.keys[place] & 15, keys[at : at + 10]), (4, b" francisco"))
        keys = changed(keys, 8, [size + 1])
        self.assertFound(keys=keys)

    def test_what_is_refused(self):
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
        self.assertRefused(header=changed(self.header, 0, b"SQH1"))
        self.assertRefused(header=changed(self.header, 4, [7]))
        self.assertRefused(header=changed(self.header, 28, [1]))
        self.assertRefused(header=changed(self.header, 32, [1]))
        self.assertRefused(header=changed(self.header, 39, [0x80]))
        self.assertRefused(header=self.header + b"\0")
        self.assertRefused(header=self.header[:-1])
        self.assertRefused(fields=changed(self.fields, 12, [1]))
        self.assertRefused(fields=changed(self.fields, 16, [1]))
        self.assertRefused(fields=self.fields + b"\0")
        self.assertRefused(fields=self.fields[:-1])
        place = 16 + struct.unpack_from("<I", self.keys, 8)[0]
        self.assertRefused(keys=changed(self.keys, place, [self.keys[place] | 1]))
        at = self.header.index(bytes([3, 0, 1, 2]))
        self.assertRefused(header=changed(self.header, at + 3, [1]))
        # A text of 255 bytes or more is long, and no other is.
        (size,) = struct.unpack_from("<I", self.fields, 16)
        sizes = bytes([255]) + self.fields[25:32]
        long = struct.pack("<II", size, 1) + sizes + struct.pack("<II", 0, self.fields[24])
        self.assertRefused(fields=self.fields[:16] + long + self.fields[32:])

    def test_what_is_packed(self):
        """The Huffman codes of a shard: as they are, and each rule of them broken."""
        seeds = random.Random(7)
        word = lambda: "".join(seeds.choices("aeinorst", k=seeds.randrange(4, 12)))
        countries = seeds.choices(["CH", "BR", "US", "FR"], [1, 2, 4, 9], k=200)
        lines = [f'{{"name":"{word()}","country":"{country}","x":"{word()}"}}' for country in countries]
        self.open(self.build(self.write("packed.jsonl", lines), "--key", "{name}, {country}", name="packed"))
        index = self.store()
        self.assertEqual(len(self.assertSame(index)), 200)
        self.assertLessEqual({"packed tails", "packed suffixes", "packed sizes"}, index.features)
        at = self.header.index(b"brchfrus") + 8
        count = self.header[at]
        halves = self.header[at + 1 : at + 1 + (count + 1) // 2]
        lengths = [halves[i // 2] >> 4 * (i % 2) & 15 for i in range(count)]
        self.assertEqual((count, sum(2.0**-length for length in lengths if length)), (4, 1))
        for wrong in [[5], [4, 0x11, 0x11], [4, 0x11, 0x21], [4, 0x0B, 0], [3, 0x21, 0x12], [2, 0x01], [1, 1]]:
            with self.subTest(lengths=wrong):
                self.assertRefused(header=self.header[:at] + bytes(wrong) + self.header[at + 1 + len(halves) :])
        # The last of the keys are the numbers of tails: bits that are set behind the last code, a byte too many or too few.
        self.assertRefused(keys=self.keys + b"\0")
        self.assertRefused(keys=self.keys[:-1])
        bits = sum(lengths[tail] for tail in next(self.store().shards()).parts[0].contexts[100:])
        self.assertGreater(-bits % 8, 0)
        self.assertRefused(keys=self.keys[:-1] + bytes([self.keys[-1] | 1]))
        # What is packed of the fields is promised in their header.
        (packed,) = struct.unpack_from("<I", self.fields, 12)
        for other in (packed - 1, packed + 1, 0, 1 << 31):
            self.assertRefused(fields=changed(self.fields, 12, struct.pack("<I", other)))


class Nodes(Temporary):
    """A manifest whose root lists nodes, as it is and with one of them changed: this reader and the project's agree."""

    def setUp(self):
        super().setUp()
        names = [f"key {i // 3:05}" for i in range(4200)]  # runs of equal keys, over borders too
        # Each larger than a shard may be, so that it is one.
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
        """Writes the manifest with another first node, which the root is made right for, and the root changed."""
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
        self.assertEqual(struct.unpack_from("<H", self.contents[0], 4), (2,))
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
        for version in (0, 1, 3):
            with self.subTest(version=version):
                self.assertRefused(None, lambda content: changed(content, 4, [version]))
        for shards in (4096, 4199, 4201, 1 << 31):
            with self.subTest(shards=shards):
                self.assertRefused(None, lambda content: changed(content, 32, struct.pack("<I", shards)))


def changed(content, at, new):
    return content[:at] + bytes(new) + content[at + len(new) :]


class Page(unittest.TestCase):
    """The examples of docs/format.md are what they say."""

    def setUp(self):
        self.page = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")

    def example(self, heading, size, number=0):
        """The bytes of a listing with offsets behind a heading: the first of them, or a later one."""
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
        index._read_root(root, frames)
        index._read_page(0, page)
        self.assertEqual((index.records, index.shard_limit, len(index.names)), (9, 400, 5))
        self.assertEqual([(entry.bound, entry.records) for entry in index.entries], [(b"", 6), (b"z", 3)])
        for entry in index.entries:
            self.assertIn(entry.name, self.page)

    def test_example(self):
        places = [("### 4.8 Example", 177), ("## 5. Keys", 63), ("### 6.5 Example", 139)]
        contents = [self.example(heading, size) for heading, size in places]
        frames = [
            SimpleNamespace(size=size, content_size=len(content), checksum=self.checksum(content))
            for size, content in zip((153, 76, 152), contents)
        ]
        self.assertEqual(frames[0].checksum, 0x7D679125)
        names = [b"name", b"country", b"id", b"coord.lon", b"coord.lat"]
        index = SimpleNamespace(names=names, features=set())
        digest = bytes.fromhex("49800e42943973af3abac3d3d039a2ca")
        entry = reader.ShardEntry(0, 0, 6, b"", False, digest, b"sa".ljust(8, b"\0"), (381, 153, 177, 0x7D679125))
        shard = reader.Shard(index, entry, frames, contents)
        shard.check_keys(None)
        self.assertEqual(entry.name, "sa-49800e42943973af.zst")
        self.assertIn(entry.name, self.page)
        (part,) = shard.parts
        self.assertEqual(part.keys[0], b"san diego\x01us")
        self.assertIn(part.lines[4].decode(), self.page)
        self.assertIn(part.lines[0].decode(), self.page)
        self.assertEqual(len(part.lines), 6)

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
