"""The four lists of the prototypes: their indexes, decoded once by the second reader, and typed sessions.

    python3 lists.py WORK NAME ...          decodes WORK/idx/NAME into WORK/NAME.pickle and prints its bytes by structure
    python3 lists.py WORK NAME --log KIND   prints 150 sessions (plain, later, error, mixed) as a log of typing

NAME is cities, gn, air or post; README.md has the commands that build WORK/idx. The other scripts of this directory
read the pickles. Text is folded with Python's tables, near enough to shardq's fold for these lists.
"""

import bisect
import itertools
import os
import pickle
import random
import sys
import unicodedata
from dataclasses import dataclass, field

import zstandard

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../Tests/FormatReader"))
TITLES = {"cities": b"name", "gn": b"name", "air": b"name", "post": b"place"}
FILTERS = {"cities": b"country", "gn": b"country code", "air": b"country", "post": b"country"}
LEVEL = 12  # the builder's


def packed(data):
    """The size of one zstd frame with checksum, as the builder writes side frames."""
    return len(zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(bytes(data)))


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def fold(text):
    text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in text if not unicodedata.combining(c))


def plain(text):
    """The plain form, nearly: signs are white space, an apostrophe is nothing."""
    out = []
    for c in fold(text):
        if c in "'’‘ʻ`":
            continue
        out.append(c if c.isalnum() or c == "\1" else " ")
    return " ".join("".join(out).split())


def code(weight):
    """docs/ranking.md section 4."""
    if weight == 0:
        return 0
    e = weight.bit_length() - 1
    return min(65535, 2048 * e + 2048 * (weight - (1 << e)) // (1 << e) + 1)


@dataclass
class Shard:
    bound: bytes
    size: int
    header: int
    first: int
    parts: list = field(default_factory=list)  # (first, count, bytes of keys, bytes of fields)


@dataclass
class Set:
    """Keys and records, or entries: sorted texts with their shards."""

    keys: list
    weights: list
    shards: list
    titles: list = None  # of records
    values: list = None  # of records: the filter's value
    begins: list = None  # of entries: b, or None
    targets: list = None  # of entries: the folded key that it leads to
    sides: int = 0
    manifest: int = 0


def shards_of(index):
    for shard, entry in zip(index.shards(), index.entries):
        own = Shard(entry.bound, entry.file_size, entry.header_size, entry.first)
        for part in shard.parts:
            own.parts.append((entry.first + part.first, part.count, part.sizes[0], part.sizes[1]))
        yield own, shard


def decode(work, name):
    import reader

    def sizes(self, index, entry, frames, contents, make=reader.Shard.__init__):
        make(self, index, entry, frames, contents)
        for i, part in enumerate(self.parts):
            part.sizes = frames[2 * i + 1].size, frames[2 * i + 2].size

    reader.Shard.__init__ = sizes
    index = reader.Index(os.path.join(work, "idx", name), check_digests=False)
    weight = reader.Weights(index.settings)
    side_bytes = lambda index: sum(f.size for _, frames in index.sides or [] for f in frames)
    records = Set([], [], [], [], [], sides=side_bytes(index), manifest=len(index.data))
    for own, shard in shards_of(index):
        records.shards.append(own)
        for part in shard.parts:
            records.keys += part.keys
            records.titles += [t.decode() if t else "" for t in part.texts(TITLES[name])]
            records.values += [t or b"" for t in part.texts(FILTERS[name])]
            records.weights += map(weight.of_text, part.texts(weight.path)) if weight.path else [0] * part.count
            part.lines = part.columns = None
    other = index.text_entries
    entries = Set([], [], [], begins=[], targets=[], sides=side_bytes(other), manifest=len(other.data))
    for own, shard in shards_of(other):
        entries.shards.append(own)
        for part in shard.parts:
            entries.keys += part.keys
            entries.begins += part.texts(b"b")
            entries.weights += map(int, part.texts(b"w"))
    entries.targets = [target for _, _, target, _ in index.text_entry_set()]
    kinds = {}
    for one, label in ((index, "records"), (other, "entries")):
        for _, frames in one.sides or []:
            for f in frames:
                kind = {1: "filter", 2: "filter", 3: "near", 4: "near", 5: "sketches", 6: "sketches"}[f.kind]
                kinds[label, kind] = kinds.get((label, kind), 0) + f.size
    return records, entries, kinds


def load(work, name):
    path = os.path.join(work, name + ".pickle")
    if not os.path.exists(path):
        made = decode(work, name)
        with open(path, "wb") as file:
            pickle.dump(made, file, protocol=5)
    with open(path, "rb") as file:
        return pickle.load(file)


def sessions(records, kind, count=150, seed=4711):
    """Typed sessions as those of lazy.md: names by weight (Zipf 0.9), later words, and names with one random error."""
    rnd = random.Random(f"{seed} {kind}")
    order = sorted(
        (i for i in range(len(records.keys)) if len(records.titles[i]) >= 4), key=lambda i: -records.weights[i]
    )
    if not any(records.weights):
        rnd.shuffle(order)
    sums = list(itertools.accumulate(1 / (i + 1) ** 0.9 for i in range(len(order))))

    def error(s):
        i, kind = rnd.randrange(1, len(s) - 1), rnd.randrange(4)
        letter = chr(97 + rnd.randrange(26))
        return [
            s[:i] + s[i + 1] + s[i] + s[i + 2 :],
            s[:i] + s[i + 1 :],
            s[:i] + letter + s[i:],
            s[:i] + letter + s[i + 1 :],
        ][kind]

    if kind == "mixed":
        return sum((sessions(records, k, count // 3, seed) for k in ("plain", "later", "error")), [])
    found = []
    while len(found) < count:
        text = records.titles[order[bisect.bisect(sums, rnd.random() * sums[-1])]]
        if kind == "later":
            words = text.split()
            if len(words) < 2 or len(words[1]) < 4:
                continue
            text = " ".join(words[1:])
        if kind == "error":
            if len(text) < 5:
                continue
            text = error(text)
        size = min(len(text), rnd.randrange(5, 10))
        found.append([text[:i] for i in range(1, size + 1)])
    return found


def main():
    work = sys.argv[1]
    if "--log" in sys.argv:
        for texts in sessions(load(work, sys.argv[2])[0], sys.argv[4]):
            print("".join(f"0\t{text}\n" for text in texts) + "0\t")
        return
    print("| list | records | entries | bytes | key shards | entry shards | manifests | sketches | filters | near |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in sys.argv[2:]:
        records, entries, kinds = load(work, name)
        side = lambda kind: kinds.get(("records", kind), 0) + kinds.get(("entries", kind), 0)
        shards = [sum(s.size for s in one.shards) for one in (records, entries)]
        row = [
            sum(shards) + records.sides + entries.sides + records.manifest + entries.manifest,
            *shards,
            records.manifest + entries.manifest,
            side("sketches"),
            side("filter"),
            side("near"),
        ]
        print(f"| {name} | {len(records.keys):,} | {len(entries.keys):,} | " + " | ".join(f"{n:,}" for n in row) + " |")


if __name__ == "__main__":
    import lists  # Pickles name the classes of the module.

    lists.main()
