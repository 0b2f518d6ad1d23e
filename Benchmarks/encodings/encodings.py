#!/usr/bin/env python3
"""Prints the cost of encodings in bytes and in microseconds, as Markdown.

    encodings.py ARRAY [--shardq PATH --data FILE]

ARRAY is the city list as `bench --array` writes it: sorted, with folded keys. Each table varies one property of a model
of the shard files; its first row is the chosen layout. With --shardq and --data the tables of shard sizes are made by
the builder itself. Needs cc, libzstd and, from PyPI, zstandard and numpy.
"""

import argparse
import collections
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np
import zstandard

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = 16  # Records between restart points.
SHARDS = 101  # The builder makes so many of the city list at its default limit of 64 KiB.
PART = 8 << 10
MODEL_BITS = 26  # A range of its own must save so many bits.


# The records


class Cities:
    """The columns of the list, in key order."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        magic, count, fields, _ = struct.unpack_from("<4I", data)
        assert magic == 0x31415453 and fields == 5, "not a sorted array of cities"
        offsets = np.frombuffer(data, "<u4", count + 1, 16).astype(np.int64) + 16 + 4 * (count + 1)
        self.folded, self.stem, self.tail = [], [], []
        self.country, self.name, self.id, self.lon, self.lat = [], [], [], [], []
        columns = (self.country, self.name, self.id, self.lon, self.lat)
        for start in offsets[:-1]:
            sizes = data[start : start + 6]
            at = start + 6 + sizes[0]
            folded = data[start + 6 : at]
            self.folded.append(folded)
            stem, _, tail = folded.rpartition(b"\x01")
            self.stem.append(stem)
            self.tail.append(tail)
            for column, size in zip(columns, sizes[1:]):
                column.append(data[at : at + size])
                at += size
        self.count = count


def case(stem):
    """The first letter of each word as a capital."""
    out = bytearray()
    before = 0x20
    for byte in stem:
        inside = 0x61 <= before <= 0x7A or before >= 0x80 or 0x30 <= before <= 0x39 or before == 0x27
        out.append(byte - 0x20 if 0x61 <= byte <= 0x7A and not inside else byte)
        before = byte
    return bytes(out)


def script(stem, name):
    """The script that turns a stem into a name, in the operations of docs/format.md; empty for most names."""
    source = case(stem)
    if source == name:
        return b""
    out = bytearray()
    at = to = copied = 0
    while to < len(name):
        byte = name[to]
        if at < len(source) and source[at] == byte:
            at, to, copied = at + 1, to + 1, copied + 1
        elif at < len(source) and byte < 0x80 and source[at] ^ 0x20 == byte and copied < 128:
            out.append(copied)
            at, to, copied = at + 1, to + 1, 0
        else:
            size = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            # The text after the character shows the length of its fold.
            after = name[to + size : to + size + 2].lower()
            dropped = next(
                (d for d in (1, 0, 2, 3, 4) if source[at + d : at + d + len(after)].lower() == after), 1)
            if dropped == 1:
                out.append(0x80 | min(copied, 63))
            else:
                out += bytes((0xC0 | min(copied, 62), dropped, size))
            out += name[to : to + size]
            at, to, copied = at + dropped, to + size, 0
    if at < len(source):
        out += bytes((0xC0 | min(copied, 62), len(source) - at, 0))
    return bytes(out) if len(out) <= len(name) and rewritten(source, out) == name else b"\xff" + name


def rewritten(source, operations):
    """The text that a script makes of a text."""
    out, at, index = bytearray(), 0, 0
    while index < len(operations):
        operation = operations[index]
        index += 1
        copied = operation if operation < 0x80 else operation & 0x3F
        out += source[at : at + copied]
        at += copied
        if operation < 0x80:
            out.append(source[at] ^ 0x20)
            at += 1
            continue
        if operation < 0xC0:
            lead = operations[index]
            dropped, size = 1, 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        else:
            dropped, size = operations[index], operations[index + 1]
            index += 2
        out += operations[index : index + size]
        index += size
        at += dropped
    return bytes(out + source[at:])


def trimmed(value, decimals):
    text = f"{value:.{decimals}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def number_format(text):
    """The format of a coordinate and the integer it stands for, as in NumberFormat.swift."""
    text = text.decode()
    value = float(text)
    minutes = round(value * 60)
    sign = -1 if minutes < 0 else 1
    hundred_thousandths = sign * ((abs(minutes) * 5000 + 1) // 3)
    for name, number, stored in (
        ("minutes", minutes, hundred_thousandths / 1e5),
        ("float4", round(value * 1e4), round(value * 1e4) / 1e4),
        ("float5", round(value * 1e5), round(value * 1e5) / 1e5),
    ):
        if trimmed(float(np.float32(stored)), 6) == text:
            return name, number
    return "decimal6", round(value * 1e6)


# Sections


class Bits:
    """A run of bits, lowest first."""

    def __init__(self):
        self.value, self.width = 0, 0
        self.pieces = []

    def write(self, value, width):
        self.value |= int(value) << self.width
        self.width += width
        if self.width > 4096:
            whole = self.width // 8
            self.pieces.append((self.value & ((1 << 8 * whole) - 1)).to_bytes(whole, "little"))
            self.value >>= 8 * whole
            self.width -= 8 * whole

    def bytes(self):
        return b"".join(self.pieces) + self.value.to_bytes((self.width + 7) // 8, "little")


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def front_coded(keys, block):
    """Shared sizes, the rest's sizes and the rests."""
    shared, sizes, rests = bytearray(), bytearray(), []
    before = b""
    for index, key in enumerate(keys):
        common = 0
        if index % block:
            limit = min(len(before), len(key))
            while common < limit and before[common] == key[common]:
                common += 1
        shared.append(min(common, 255))
        rest = key[common:]
        sizes.append(min(len(rest), 255))
        rests.append(rest)
        before = key
    return bytes(shared), bytes(sizes), b"".join(rests)


class Ranges:
    """Integers as offsets in a range: one for all or one for each context that gains by it."""

    def __init__(self, values, contexts, own):
        self.base, self.width = min(values), (max(values) - min(values)).bit_length()
        self.own = {}
        self.header = struct.pack("<qBB", self.base, self.width, 0)
        if own:
            spans = {}
            for value, context in zip(values, contexts):
                low, high, count = spans.get(context, (value, value, 0))
                spans[context] = (min(low, value), max(high, value), count + 1)
            for context, (low, high, count) in sorted(spans.items()):
                width = (high - low).bit_length()
                if count * (self.width - width) > MODEL_BITS and len(self.own) < 255:
                    # The roundest start that reaches as far, because zeros compress.
                    for zeros in range(width, -1, -1):
                        start = self.base + ((low - self.base) >> zeros << zeros)
                        if (high - start).bit_length() <= width:
                            break
                    self.own[context] = (start, width)
            rest = [value for value, context in zip(values, contexts) if context not in self.own]
            self.width = (max(rest) - self.base).bit_length() if rest else 0
            numbers = {context: number + 1 for number, context in enumerate(self.own)}
            every = sorted(set(contexts))
            self.header += bytes(numbers.get(context, 0) for context in every)
            self.header += bytes(width for _, width in self.own.values())
            self.header += b"".join(struct.pack("<I", start - self.base) for start, _ in self.own.values())

    def write(self, bits, value, context):
        base, width = self.own.get(context, (self.base, self.width))
        bits.write(value - base, width)


DEFAULTS = dict(
    keys="stems", names="scripts", block=BLOCK, coordinates="formats", ids="country", blocks="separate", shards=SHARDS,
    part=PART, dictionary=0, level=19)


class Model:
    """The list in one layout: shard files made of frames."""

    def __init__(self, cities, caches, **options):
        self.cities, self.caches = cities, caches
        self.__dict__.update(DEFAULTS)
        self.__dict__.update(options)
        self.shard_frames = []  # Per shard: header content, then per part (keys sections, fields sections).
        for number in range(self.shards):
            first = cities.count * number // self.shards
            self.shard_frames.append(self.encode(first, cities.count * (number + 1) // self.shards))

    def encode(self, first, end):
        c = self.cities
        tails = sorted(set(c.tail[first:end]))
        code = {tail: number for number, tail in enumerate(tails)}
        header = bytearray(32) + bytes(len(tail) for tail in tails) + b"".join(tails)
        ranges = self.ranges(first, end, header)
        size = len(b"".join(sum(self.part_sections(first, end, code, ranges), [])))
        blocks = -(-(end - first) // self.block)
        parts = min(blocks, max(1, round(size / self.part)))
        frames = []
        for part in range(parts):
            low = first + blocks * part // parts * self.block
            high = min(end, first + blocks * (part + 1) // parts * self.block)
            frames.append(self.part_sections(low, high, code, ranges))
            header += struct.pack("<8I", low - first, 0, *self.entropy(low)) + c.folded[low][:4]
        return bytes(header), frames

    @staticmethod
    def entropy(seed):
        """Stands for the bytes of a part's entry in the header that do not compress: sizes and checksums."""
        noise = np.random.default_rng(seed).integers(0, 1 << 32, 2)
        return 400 + seed % 90, 3000 + seed % 900, int(noise[0]), 1500 + seed % 190, 5000 + seed % 600, int(noise[1])

    def ranges(self, first, end, header):
        c = self.cities
        tails = c.tail[first:end]
        own = []
        if self.ids in ("shard", "country"):
            values = [int(text) for text in c.id[first:end]]
            own.append(({"": Ranges(values, tails, self.ids == "country")}, [""] * len(values), values))
        if self.coordinates in ("range", "country", "formats"):
            for name in ("lon", "lat"):
                pairs = self.caches[name][first:end]
                if self.coordinates != "formats":
                    pairs = [("", round(float(text) * 1e6)) for text in getattr(c, name)[first:end]]
                models = {}
                for kind in sorted({kind for kind, _ in pairs}):
                    chosen = [(value, tail) for (own_kind, value), tail in zip(pairs, tails) if own_kind == kind]
                    models[kind] = Ranges([v for v, _ in chosen], [t for _, t in chosen], self.coordinates != "range")
                own.append((models, [kind for kind, _ in pairs], [value for _, value in pairs]))
        for models, _, _ in own:
            for model in models.values():
                header += model.header
        kinds = list(zip(*(kinds for _, kinds, _ in own))) if own else []
        table = {row: number for number, row in enumerate(sorted(set(kinds)))}
        header += bytes(2 * len(table))
        return first, own, kinds, table

    def part_sections(self, low, high, code, ranges):
        c = self.cities
        keys, fields = [], []
        tails = bytes(code[tail] for tail in c.tail[low:high])
        if self.keys == "stems":
            shared, sizes, rests = front_coded(c.stem[low:high], self.block)
            keys += [shared + sizes, tails, rests]
        elif self.keys == "whole keys":
            shared, sizes, rests = front_coded(c.folded[low:high], self.block)
            keys += [shared + sizes, rests]
            fields += [tails]  # The country as a field of its own.
        elif self.keys == "uncoded":
            keys += [bytes(len(stem) for stem in c.stem[low:high]), tails, b"".join(c.stem[low:high])]
        else:  # Names as in the dataset, front-coded: each search has to fold them.
            shared, sizes, rests = front_coded(c.name[low:high], self.block)
            keys += [shared + sizes, tails, rests]
        if self.keys != "names":
            texts = self.caches["script"][low:high] if self.names == "scripts" else c.name[low:high]
            fields += [bytes(min(len(text), 255) for text in texts), b"".join(texts)]
        if self.ids == "text":
            fields += [bytes(map(len, c.id[low:high])), b"".join(c.id[low:high])]
        elif self.ids == "varint":
            fields += [b"".join(varint(int(text)) for text in c.id[low:high])]
        elif self.ids == "u32":
            fields += [np.array([int(text) for text in c.id[low:high]], "<u4").tobytes()]
        for column in (c.lon, c.lat):
            if self.coordinates == "text":
                fields += [bytes(map(len, column[low:high])), b"".join(column[low:high])]
            elif self.coordinates in ("int32", "planes"):
                numbers = np.array([round(float(text) * 1e6) for text in column[low:high]], "<i4").tobytes()
                fields += [numbers] if self.coordinates == "int32" else [numbers[byte::4] for byte in range(4)]
        first, own, kinds, table = ranges
        if own:
            if len(table) > 1:
                fields += [bytes(table[row] for row in kinds[low - first : high - first])]
            bits, ends, start = Bits(), [], 0
            count = 0
            for record in range(low - first, high - first):
                tail = c.tail[first + record]
                for models, row_kinds, values in own:
                    models[row_kinds[record]].write(bits, values[record], tail)
                count += 1
                if count % BLOCK == 0 or record == high - first - 1:
                    total = 8 * sum(map(len, bits.pieces)) + bits.width
                    ends.append(total - start)
                    start = total
            fields += [struct.pack(f"<{len(ends)}H", *ends), bits.bytes()]
        return keys, fields

    # Compression

    def compressor(self, size, dictionary=None):
        parameters = zstandard.ZstdCompressionParameters.from_level(
            self.level, source_size=size, dict_size=len(dictionary.as_bytes()) if dictionary else 0, write_checksum=True,
            write_dict_id=False)
        return zstandard.ZstdCompressor(compression_params=parameters, dict_data=dictionary)

    def frame(self, sections, dictionary=None):
        size = sum(map(len, sections))
        if self.blocks == "one":
            return self.compressor(size, dictionary).compress(b"".join(sections))
        stream = self.compressor(size, dictionary).compressobj(size=size)
        out, pending, left = b"", b"", size
        for section in sections:
            # Short runs share a block, because a block costs bytes of tables.
            pending += section
            left -= len(section)
            if len(pending) >= 160 and left >= 64:
                out += stream.compress(pending) + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
                pending = b""
        return out + stream.compress(pending) + stream.flush()

    def write(self, directory):
        """Makes the shard files; returns the dictionary's path, if there is one, and its size."""
        dictionary, path = None, "-"
        if self.dictionary:
            samples = [b"".join(sections) for _, parts in self.shard_frames for part in parts for sections in part]
            dictionary = zstandard.train_dictionary(self.dictionary, samples, level=self.level)
            path = os.path.join(directory, "dictionary")
            pathlib.Path(path).write_bytes(dictionary.as_bytes())
        files = []
        for number, (header, parts) in enumerate(self.shard_frames):
            # The dictionary serves every frame, the header's too: one decoder reads all.
            out = self.frame([header], dictionary)
            for keys, fields in parts:
                if self.blocks == "together":
                    out += self.frame(keys + fields) + self.frame([b""])
                else:
                    out += self.frame(keys, dictionary) + self.frame(fields, dictionary)
            files.append(os.path.join(directory, f"{number:04}"))
            pathlib.Path(files[-1]).write_bytes(out)
        return files, path


# Measuring


class Decoder:
    def __init__(self, directory):
        self.program = os.path.join(directory, "decode")
        self.version = None
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", self.program, HERE / "decode.c", "-lzstd"], check=True)
        empty = os.path.join(directory, "empty")
        pathlib.Path(empty).write_bytes(zstandard.compress(b""))
        self([empty])

    def __call__(self, files, dictionary="-"):
        """Per kind of frame: count, bytes packed, bytes unpacked, microseconds each."""
        output = subprocess.run([self.program, "40", dictionary, *files], check=True, capture_output=True, text=True).stdout
        kinds = {}
        for line in output.splitlines():
            name, *numbers = line.split()
            if name == "zstd":
                self.version = numbers[0]
                continue
            kinds[name] = [float(number) for number in numbers]
        return kinds


def measure(decoder, cities, caches, **options):
    with tempfile.TemporaryDirectory() as directory:
        model = Model(cities, caches, **options)
        files, dictionary = model.write(directory)
        kinds = decoder(files, dictionary)
        total = sum(os.path.getsize(file) for file in files)
        extra = os.path.getsize(dictionary) if dictionary != "-" else 0
        blocks = sum(-(-os.path.getsize(file) // 4096) * 4096 for file in files) + -(-extra // 4096) * 4096
        if model.blocks == "together":
            kinds["fields"] = [0, 0, 0, 0]
    return total + extra, blocks, kinds


def table(title, note, rows):
    print(f"### {title}\n\n{note}\n")
    print("| | bytes | against the first | parts | header, us | keys, us | fields, us | a miss, us |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    base = None
    for name, run in rows:
        total, _, kinds = run()
        base = base or total
        times = [kinds[kind][3] for kind in ("header", "keys", "fields")]
        print(
            f"| {name} | {total:,.0f} | {100 * (total / base - 1):+.1f} % | {kinds['keys'][0]:.0f} | "
            + " | ".join(f"{time:.1f}" for time in times) + f" | {sum(times):.1f} |", flush=True)
    print()


def builder_table(decoder, shardq, data, count):
    print("### Size of a shard\n")
    print("Made by the builder, `shardq build --shard-size`; the manifest counts. `du` with 4 KiB blocks, without the directory.\n")
    print("| limit | shards | bytes | `du` | records per shard | header, us | keys of a part, us | its fields, us | a miss, us |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for kib in (16, 32, 64, 96, 128, 256):
        with tempfile.TemporaryDirectory() as directory:
            index = os.path.join(directory, "index")
            subprocess.run(
                [shardq, "build", "--index", index, "--shard-size", f"{kib}KiB", data], check=True, capture_output=True)
            names = [name for name in os.listdir(index) if name != "manifest" and os.path.isfile(os.path.join(index, name))]
            files = [os.path.join(index, name) for name in sorted(names) if name.endswith(".zst")]
            sizes = [os.path.getsize(file) for file in files] + [os.path.getsize(os.path.join(index, "manifest"))]
            kinds = decoder(files)
            times = [kinds[kind][3] for kind in ("header", "keys", "fields")]
            print(
                f"| {kib} KiB | {len(files)} | {sum(sizes):,} | {sum(-(-size // 4096) * 4096 for size in sizes):,} | "
                f"{count / len(files):,.0f} | " + " | ".join(f"{time:.1f}" for time in times) + f" | {sum(times):.1f} |",
                flush=True)
    print()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("array")
    parser.add_argument("--shardq")
    parser.add_argument("--data")
    parser.add_argument("--only", help="the first letters of the tables wanted, as in kcis")
    arguments = parser.parse_args()
    shardq = arguments.shardq
    if shardq and os.path.isdir(shardq):
        shardq = os.path.join(shardq, "shardq")
    cities = Cities(arguments.array)
    caches = {
        "script": [script(stem, name) for stem, name in zip(cities.stem, cities.name)],
        "lon": [number_format(text) for text in cities.lon],
        "lat": [number_format(text) for text in cities.lat],
    }
    scratch = tempfile.mkdtemp()
    decoder = Decoder(scratch)
    wanted = arguments.only or "akbcizpdls"

    def run(**options):
        return lambda: measure(decoder, cities, caches, **options)

    formats = collections.Counter(kind for name in ("lon", "lat") for kind, _ in caches[name])
    empty = sum(1 for text in caches["script"] if not text)
    print(
        f"{cities.count:,} records in a model of the layout: {SHARDS} shards of equal counts, parts of about "
        f"{PART >> 10} KiB, zstd {'.'.join(map(str, zstandard.ZSTD_VERSION))} at level 19, unpacked by {decoder.version}; no manifest. "
        f"{100 * empty / cities.count:.1f} % of the names need no script; coordinates: "
        + ", ".join(f"{kind} {100 * count / 2 / cities.count:.1f} %" for kind, count in formats.most_common()) + ".\n")
    if "k" in wanted:
        table("Keys", "The content of the keys' frames, and the encoding of names.", [
            ("folded stems front-coded, countries as codes, names as scripts", run()),
            ("the same, names as text", run(names="text")),
            ("whole folded keys front-coded, country a field, names as scripts", run(keys="whole keys")),
            ("folded stems uncoded, names as scripts", run(keys="uncoded")),
            ("folded stems uncoded, names as text", run(keys="uncoded", names="text")),
            ("names as they came front-coded, no folded keys: a search folds", run(keys="names")),
        ])
    if "b" in wanted:
        table("Records between restart points", "A search reads half of it on average.", [
            (f"{block} records", run(block=block)) for block in (16, 8, 32, 64)])
    if "c" in wanted:
        table("Coordinates", "Ids as chosen.", [
            ("arc minutes, 32-bit floats and decimals told apart, a range per country, rows of bits", run()),
            ("millionths, a range per country, rows of bits", run(coordinates="country")),
            ("millionths, a range per shard, rows of bits", run(coordinates="range")),
            ("millionths as 32-bit integers", run(coordinates="int32")),
            ("the same, one plane per byte", run(coordinates="planes")),
            ("decimal text", run(coordinates="text")),
        ])
    if "i" in wanted:
        table("Ids", "Coordinates as chosen.", [
            ("a range per country, rows of bits", run()),
            ("a range per shard, rows of bits", run(ids="shard")),
            ("varints", run(ids="varint")),
            ("32-bit integers", run(ids="u32")),
            ("text", run(ids="text")),
        ])
    if "z" in wanted:
        table("Blocks of a frame", "zstd has entropy tables per block.", [
            ("a block per section", run()),
            ("one block", run(blocks="one")),
            ("keys and fields in one frame, a block per section: counting unpacks both", run(blocks="together")),
        ])
    if "p" in wanted:
        table("Size of a part", "Uncompressed keys and fields together, which a miss decompresses.", [
            (f"{size} KiB", run(part=size << 10)) for size in (8, 4, 16, 32)])
    if "d" in wanted:
        table("A trained dictionary", "Its own bytes count.", [
            ("none", run()),
            *((f"{size} KiB", run(dictionary=size << 10)) for size in (4, 16, 64)),
            ("none, one block per frame", run(blocks="one")),
            *((f"{size} KiB, one block per frame", run(dictionary=size << 10, blocks="one")) for size in (4, 16, 64)),
            ("none, parts of 4 KiB", run(part=4 << 10)),
            ("16 KiB, parts of 4 KiB", run(part=4 << 10, dictionary=16 << 10)),
        ])
    if "a" in wanted:
        plain = dict(keys="uncoded", names="text", coordinates="text", ids="text", blocks="one", part=1 << 20)
        table("All of it", "From a first layout to the chosen one.", [
            ("as chosen", run()),
            ("all columns as text, one block, one part per shard", run(**plain)),
            ("the same, front-coded", run(**plain | dict(keys="stems"))),
            ("the same, names as scripts", run(**plain | dict(keys="stems", names="scripts"))),
            ("the same, ids as rows of bits", run(**plain | dict(keys="stems", names="scripts", ids="country"))),
            ("the same, coordinates too", run(part=1 << 20, blocks="one")),
            ("the same, a block per section", run(part=1 << 20)),
        ])
    if "l" in wanted:
        table("Level", "zstd's.", [(f"{level}", run(level=level)) for level in (19, 22, 15, 12, 9, 3)])
    if "s" in wanted and shardq and arguments.data:
        builder_table(decoder, shardq, arguments.data, cities.count)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    sys.exit(main())
