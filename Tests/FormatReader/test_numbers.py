"""Compares sorted answers and ranges of numbers with a plain scan: python3 -m unittest discover -s Tests/FormatReader

The tests ask a sample of all queries: see test_oracle.py.
"""

import heapq
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import numbers_of_records as numbers  # noqa: E402
import reader  # noqa: E402
from oracle import KEY_RULES, Oracle  # noqa: E402
from oracle_features import FeatureOracle, FeatureQuery  # noqa: E402
from test_filters import FilteredQuery  # noqa: E402
from test_oracle import LONG, SEED, SIZES, WEIGHTS, Compared, asked, hits_of, parsed  # noqa: E402
from test_oracle_entries import KINDS, made, texts  # noqa: E402
from test_reader import shardq  # noqa: E402

PRICES = [
    "19.99", 5, 5.0, "5.00", "+5", ".5", "5.", "-0", -0.0, 0, "1e3", "1E-40", "-7.25", 123456789012345678, "123456789012345679",
    "9" * 68, "9" * 69, "1e67", "1e68", "-1e67", "9" * 400, "NaN", "inf", "0x10", "1,5", " 5", "5 ", "", "n/a", None, True, {}, [],
    [3, "40", None, ["9"]], ["x", 2.5], ["a"], "0.000000000000000000000000000001", "12345678901234567.9", 12345678901234567,
    "2025-01-01",
]
DATES = [
    "2025-01-31", "2025-01", "2024-02-29", "2023-02-29", "2025-13", "2025-1-1", "2025-01-31T23:30:00Z", "2025-01-31T23:30:00-02:00",
    "2025-02-01 00:30+0130", "2025-01-31T23:59:60.5", "2025-01-31T24:00", "0001-01-01T00:00:00+05:00", "9999-12-31",
    "9999-12-31T23:59:59.9999-09:00", "0000-01-01", "2025-01-31T10", "2025-01-31Z", "2025-02", 2025, "", "soon",
    ["2025-01-01", "2025-06-01"],
]
RANGES = [
    "20..50", "5", "5..", "..0", "-10..5.00", "1000..1e67", "12345678901234567", "2025-01-01..", "0.00..0", "2..3", "..2025-01",
    "123456789012345670..",
]
SPANS = ["2025-01", "2025-01-31", "2025-01-31..2025-02", "2024-01-01..", "..2023-12-31", "2025-01-31T23:30..2025-02-01T01:30Z", "2025"]


def setUpModule():
    print(f"numbers: SHARDQ_SEED={SEED}", file=sys.stderr)


class NumberOracle(FeatureOracle):
    """The oracle of features, with ranges by field and an order: a field, and whether the greatest number comes first."""

    ranges, order = {}, None

    def asked(self, text, **conditions):
        return FeatureQuery(text, all_words=True, separators=self.separators, **conditions)

    def numbers(self, position, path):
        fields = self.fields(position)
        value = fields.get(path)
        found = [numbers.number(text.encode()) for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
        return [number for number in found if number is not None]

    def passes(self, position, query):
        return super().passes(position, query) and all(
            any(numbers.within(number, text.encode()) for number in self.numbers(position, path) for text in accepted)
            for path, accepted in self.ranges.items())

    def answer(self, text, limit):
        ranks = self.ranks(text)
        if self.order is None:
            return self.best(ranks, limit)
        path, descending = self.order

        def place(rank):
            found = self.numbers(rank.position, path)
            kind, size = (max if descending else min)(found) if found else (0, 0)
            return rank.edits, not found, (-kind, -size) if descending else (kind, size), rank

        return heapq.nsmallest(limit, ranks, key=place)


class PlainOracle(NumberOracle):
    """The same of an index without entries, whose rules are those of folds."""

    def __init__(self, records):
        super().__init__(records)
        self.rules = KEY_RULES

    def asked(self, text):
        query = FilteredQuery(text, {}, None)
        query.all_words = True
        return query

    def match(self, position, query):
        return Oracle.match(self, position, query) if self.passes(position, query) else None


class Numbers(Compared):
    def lines(self, count):
        lines = []
        for line in made(self.rng, count, WEIGHTS["Pareto"]):
            row = json.loads(line)
            if self.rng.randrange(8):
                row["price"] = self.rng.choice(PRICES) if self.rng.randrange(3) == 0 else round(self.rng.lognormvariate(3, 1), 2)
            if self.rng.randrange(8):
                day = f"{self.rng.randrange(2020, 2026)}-{self.rng.randrange(1, 13):02}-{self.rng.randrange(1, 29):02}"
                row["created"] = self.rng.choice(DATES) if self.rng.randrange(3) == 0 else day
            row["tag"] = self.rng.choice(["river", "lake", ["lake", "b"], None])
            row["lat"], row["lon"] = self.rng.randrange(-90, 91), self.rng.randrange(-180, 181)
            lines += [json.dumps(row)] * self.rng.choice([1, 1, 1, 3])
        return lines

    def compare(self, index, scan, queries, *options, limits=(1, 10), **conditions):
        order = scan.order
        name = "rank" if order is None else ("-" if order[1] else "") + order[0]
        options = [*options, "--words", "all", *(f"--filter={path}={text}" for path, found in scan.ranges.items() for text in found)]
        for limit in limits:
            for text, answer in zip(queries, asked(index, queries, limit, *options, sort=name)):
                expected = scan.answer(scan.asked(text, **conditions), limit)
                lines = [parsed(scan.lines[rank.position]) for rank in expected]
                self.assertEqual(hits_of(answer), lines, (text, scan.ranges, order, SEED))
                self.assertEqual([int(hit["edits"]) for hit in answer["hits"]], [rank.edits for rank in expected], text)
                self.assertEqual(answer["sort"], name)
                self.assertTrue(answer["complete"])

    def choices(self, count):
        for _ in range(count):
            ranges = {}
            if self.rng.randrange(2):
                ranges["price"] = self.rng.sample(RANGES, self.rng.choice([1, 1, 2]))
            if self.rng.randrange(3) == 0:
                ranges["created"] = self.rng.sample(SPANS, 1)
            yield ranges, self.rng.choice([("price", False), ("price", True), ("created", True), ("created", False), None])

    def index_with(self, name, lines, *options, **features):
        index = self.build(
            self.write(name + ".jsonl", lines), "--key", "{name}, {country}", *SIZES, "--number", "price", "--number", "created",
            *options, name=name)
        return index, NumberOracle.of_index(index, **features)

    def queries(self, scan, count):
        return ["", "a"] + [text for kind in KINDS for text in texts(self.rng, scan, kind, count)]

    def test_everything(self):
        """Sorts and ranges with words, other names, errors, filters and nearness."""
        options = ["--weight", "w", "--words", "--alias", "others", "--typos", "--near", "--filter", "tag"]
        index, scan = self.index_with("everything", self.lines(700), *options, words="body", alias=["others"])
        shardq("verify", "-i", index)
        reader.Index(index).verify_numbers()
        for scan.ranges, scan.order in self.choices(60 if LONG else 8):
            queries = self.queries(scan, 12 if LONG else 3)
            self.compare(index, scan, queries, "--typos", "none")
            near = ("48.5", "2")
            self.compare(index, scan, queries[::3], "--typos", "none", "--near=48.5,2", "--filter=tag=lake", near=near, filters={"tag": ["lake"]})
            self.compare(index, scan, queries[::6], typos=True, limits=(10,))

    def test_plain(self):
        """An index without weights, words and sides."""
        index, _ = self.index_with("plain", self.lines(1500))
        scan = PlainOracle.of_index(index)
        reader.Index(index).verify_numbers()
        for scan.ranges, scan.order in self.choices(60 if LONG else 10):
            self.compare(index, scan, ["", "a", "b", "ab", "a b", "e"], limits=(1, 10, 100))

    def test_frequent_word(self):
        """A word that begins so many entries that the search goes through all records by their numbers."""
        lines = []
        for i in range(5000):
            name = f"{self.rng.choice('abcde')}{i % 1700} alpha {self.rng.choice(['', 'beta', 'alphabet'])}".strip()
            row = {"name": name, "country": "AA", "w": self.rng.randrange(1000), "id": i, "others": f"alfa {i % 900}", "created": "2025"}
            if i % 7:
                row["price"] = self.rng.choice([round(self.rng.lognormvariate(3, 1), 1), [3, "40"], "n/a"])
            lines.append(json.dumps(row))
        options = ["--weight", "w", "--words", "--alias", "others", "--typos"]
        index, scan = self.index_with("frequent", lines, *options, words="body", alias=["others"])
        for scan.order in ("price", False), ("price", True):
            for scan.ranges in {}, {"price": ["30..45"]}:
                self.compare(index, scan, ["alpha", "alp", "alpha ", "alf", "a", "beta"], "--typos", "none", limits=(10,))

    def test_pages(self):
        """Pages joined by cursors are one page."""
        index, scan = self.index_with("pages", self.lines(500), "--weight", "w", "--words", words="body")
        for scan.order in ("price", False), ("created", True):
            for text in "", "a", "b":
                expected = [parsed(scan.lines[rank.position]) for rank in scan.answer(scan.asked(text), 70)]
                found, after = [], []
                while len(found) < 70:
                    (answer,) = asked(
                        index, [text], 7, "--words", "all", *after, sort=("-" if scan.order[1] else "") + scan.order[0])
                    found += hits_of(answer)
                    if "cursor" not in answer:
                        break
                    after = ["--after", answer["cursor"]]
                self.assertEqual(found[:70], expected, (text, scan.order, SEED))

    def test_facets(self):
        """The least and the greatest number, and ranges that hold all numbers of the matches."""
        options = ["--weight", "w", "--words", "--filter", "tag"]
        index, scan = self.index_with("facets", self.lines(900), *options, words="body")
        for scan.ranges in {}, {"price": ["5..50"]}, {"created": ["2023-01.."]}:
            filters = [f"--filter={path}={text}" for path, found in scan.ranges.items() for text in found]
            texts = ["", "a", "b", "ab", "b a"]
            answers = asked(index, texts, 1, "--words", "all", "--facet=price", "--facet=created", "--facet=tag", *filters)
            for text, answer in zip(texts, answers):
                for path, facet in zip(("price", "created"), answer["facets"]):
                    # A field counts as if it were not filtered.
                    asked_ranges, scan.ranges = scan.ranges, {p: r for p, r in scan.ranges.items() if p != path}
                    found = [scan.numbers(rank.position, path) for rank in scan.ranks_of_all_words(scan.asked(text))]
                    scan.ranges = asked_ranges
                    there = sorted(number for of_record in found for number in of_record)
                    self.assertEqual((facet["field"], facet["exact"]), (path, True))
                    self.assertEqual("least" in facet, bool(there), text)
                    if there:
                        self.assertEqual(numbers.number(facet["least"].encode()), there[0], (text, path))
                        self.assertEqual(numbers.number(facet["greatest"].encode()), there[-1], (text, path))
                    self.assertLessEqual(len(facet["values"]), 10)
                    self.assertEqual(len(facet["values"]) > 1, len(set(there)) > 1, (text, facet))
                    ends = [value["value"].encode().partition(b"..") for value in facet["values"]]
                    ends = [(numbers.number(first), numbers.number(last or first)) for first, _, last in ends]
                    self.assertTrue(all(one[1] < other[0] for one, other in zip(ends, ends[1:])), facet)
                    self.assertTrue(all(any(first <= number <= last for first, last in ends) for number in there))
                    for value, (first, last) in zip(facet["values"], ends):
                        count = sum(any(first <= number <= last for number in of_record) for of_record in found)
                        self.assertEqual(int(value["count"]), count, (text, path, value))

    def test_changes(self):
        """The records of an overlay, and the shards of an update, whose index has the bytes of a build."""
        options = ["--weight", "w", "--words", "--typos", "--id", "id"]
        lines = list({json.loads(line)["id"]: line for line in self.lines(600)}.values())
        index, scan = self.index_with("changed", lines, *options, words="body")
        changed = [dict(json.loads(line), id=self.rng.randrange(700)) for line in self.lines(25)]
        changed = {row["id"]: json.dumps(row) for row in changed}
        changes = self.write("changes.jsonl", list(changed.values()))
        for where in ["--overlay"], []:
            shardq("update", "-i", index, "--upsert", changes, *where)
            scan = NumberOracle.of_index(index, words="body")
            for scan.ranges, scan.order in self.choices(5):
                self.compare(index, scan, self.queries(scan, 3), "--typos", "none", limits=(10,))
        shardq("verify", "-i", index)
        whole = {json.loads(line)["id"]: line for line in lines} | changed
        again, _ = self.index_with("again", list(whole.values()), *options)
        self.assertEqual((Path(index) / "manifest").read_bytes(), (Path(again) / "manifest").read_bytes())


if __name__ == "__main__":
    unittest.main()
