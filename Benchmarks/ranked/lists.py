"""The list that ranked answers are measured on, its folds and weights, and the texts that are typed.

Folds are those of docs/matching.md, as Tests/FormatReader has them: all contenders hold the same folded keys.
"""

import bisect
import json
import os
import string
import subprocess
import sys
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Tests", "FormatReader"))
import oracle  # noqa: E402
import oracle_features  # noqa: E402

LIMIT = 10


class Record(NamedTuple):
    key: str  # the folded `name, country`
    name: str  # the folded name
    weight: int
    line: str  # the record, as JSON


def fold(text):
    return oracle.fold(text).decode()


def lines_of(data):
    """The records, an object a line."""
    if os.path.isfile(data):
        with open(data) as file:
            return [line.strip() for line in file]

    def unpacked(name):
        command = ["zstd", "-dc", os.path.join(data, name)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()

    rows = (line.split("\t") for line in unpacked("geonames-cities1000.txt.zst").splitlines())
    populations = {int(row[0]): int(row[14] or 0) for row in rows if len(row) > 14}
    lines = []
    for city in json.loads(unpacked("cities.json.zst")):
        if city["_id"] in populations:
            city["population"] = populations[city["_id"]]
        lines.append(json.dumps(city, ensure_ascii=False))
    return lines


def key_of(line):
    """The key that shardq's template makes of a record."""
    record = json.loads(line)
    return f"{record['name']}, {record['country']}"


def records_of(data):
    records = []
    for line in lines_of(data):
        record = json.loads(line)
        weight = int(record.get("population") or 0)
        records.append(Record(fold(key_of(line)), fold(record["name"]), weight, line))
    return records


class Expected:
    """The weights of right answers, by a plain scan."""

    def __init__(self, records):
        self.rows = sorted((record.key.encode(), record.weight) for record in records)

    def range(self, text):
        low = bisect.bisect_left(self.rows, (text,))
        return self.rows[low : bisect.bisect_left(self.rows, (text + b"\xff",))]

    def heaviest(self, text):
        """Of all keys that begin with the text: the question to rivals."""
        return sorted((weight for _, weight in self.range(text.encode())), reverse=True)[:LIMIT]

    def ranked(self, text):
        """By the rules of docs/ranking.md: whole names come before others of up to 256 times their weight."""
        query = oracle.Query(text)
        found = [
            (oracle.code(weight) + (8 * oracle.OCTAVE if oracle.is_whole(key, variant) else 0), weight)
            for variant in query.variants
            for key, weight in self.range(variant)
        ]
        return [weight for _, weight in sorted(found, reverse=True)[:LIMIT]]


def is_plain(name):
    return name.isascii() and name.replace(" ", "").isalpha()


def prefixes(records, count, random):
    """The first 1 to 6 letters of names."""
    names = [record.name for record in records if is_plain(record.name)]
    return [random.choice(names)[: random.randint(1, 6)].strip() for _ in range(count)]


def with_edit(text, random):
    """The text with a letter inserted, left out or replaced, or two neighbours exchanged, first letters included."""
    place, letter = random.randrange(len(text)), random.choice(string.ascii_lowercase)
    return random.choice((
        text[:place] + letter + text[place:],
        text[:place] + text[place + 1 :],
        text[:place] + letter + text[place + 1 :],
        text[:place] + text[place + 1 : place + 2] + text[place : place + 1] + text[place + 2 :],
    ))


def mistyped(records, count, errors, edits, random):
    """Texts, and the folded key that each means.

    Each text is at least six first letters of a name with a weight, with so many random edits. No beginning of the key
    is nearer. `edits` is the number that a search corrects in such a text: its longest word decides it (docs/tiers.md
    section 2).
    """
    pool = [record for record in records if record.weight and is_plain(record.name) and len(record.name) >= 6]
    found = []
    while len(found) < count:
        record = random.choice(pool)
        text = record.name[: random.randint(6, len(record.name))].strip()
        for _ in range(errors):
            text = with_edit(text, random)
        if text != text.strip() or oracle_features.edits_of(text.encode()) != edits:
            continue
        if oracle_features.distance(text, record.key.replace("\1", " ")) == errors:
            found.append((text, record.key))
    return found
