"""Compares filtered answers of the command with a plain scan: python3 -m unittest discover -s Tests/FormatReader

The tests ask a sample of all queries, and SHARDQ_LONG=1 all. They print a seed; SHARDQ_SEED=N repeats its run.
"""

import json
import subprocess
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402
import reader  # noqa: E402
import sides  # noqa: E402
from oracle import Oracle, Query  # noqa: E402
from oracle_features import FeatureOracle, hundredths  # noqa: E402
from test_oracle import KEY, LONG, SEED, SIZES, WEIGHTS, Compared, Refused, asked, hits_of, names, queries  # noqa: E402
from test_reader import COMMAND, dataset, shardq, unpacked  # noqa: E402

TAGS = [
    "river", "RIVER", "Été", "", "7", 7, 1e3, True, None, [], {}, ["river", "RIVER", "a b"], ["lake, north"],
    ['a"]b', 7, None, ["lake"], {"x": "lake"}, "É😀\n", -2.5], [True, []], "lake",
]


def setUpModule():
    print(f"filtered answers: SHARDQ_SEED={SEED}", file=sys.stderr)


def options_of(filters, near=None):
    place = [f"--near={near[0]},{near[1]}"] if near else []
    return place + [word for field, values in filters.items() for value in values for word in ("--filter", f"{field}={value}")]


class FilteredQuery(Query):
    """A query with filters, values by field, and a place."""

    def __init__(self, text, filters, near):
        super().__init__(text)
        self.asked = filters, near
        self.filters = {field: {oracle.fold(value) for value in values} for field, values in filters.items()}
        self.near = near and tuple(hundredths(Fraction(degrees)) for degrees in near)

    def exact(self, text, filtered=True):
        return FilteredQuery(text, self.asked[0] if filtered else {}, None)

    def shorter(self, text):
        return FilteredQuery(text, *self.asked)


class FilteredOracle(FeatureOracle):
    """The oracle of an index without entries, whose rules are those of folds, for one choice of filters."""

    def __init__(self, records):
        super().__init__(records)
        self.rules, self.filters, self.place = oracle.KEY_RULES, {}, None

    def query(self, text):
        return FilteredQuery(text, self.filters, self.place)

    def match(self, position, query):
        return Oracle.match(self, position, query) if self.passes(position, query) else None

    def fields(self, position):
        found = self.cache.get(position)
        if found is None:
            found = self.cache[position] = super().fields(position)
        return found

    def candidates(self, query):
        return Oracle.candidates(self, query)


class FilteredBase(Compared):
    """The part of the tests that compares filtered answers with the oracle's."""

    untabled = ()

    def compare_filtered(self, index, plain, texts, filters, limits=(1, 10), near=None):
        plain.filters, plain.place = filters, near
        for limit in limits:
            # test_oracle_readings.py has words that stand for filters.
            options = *options_of(filters, near), "--words", "all"
            for text, answer in zip(texts, asked(index, texts, limit, *options)):
                ranks = plain.ranks_of_all_words(plain.query(text))
                self.compare_hits(plain, text, answer, plain.best(ranks, limit))
                self.assertEqual(answer["complete"], True)
                if answer["totalIsExact"]:
                    self.assertEqual(answer["total"], str(len(ranks)), (text, filters))
                else:
                    self.assertLessEqual(int(answer["total"]), len(ranks), (text, filters))
                one = len(filters) == 1 and all(len({oracle.fold(v) for v in values}) == 1 for values in filters.values())
                if one and " " not in oracle.fold(text).decode().strip() and index.name not in self.untabled:
                    self.assertTrue(answer["totalIsExact"], (text, filters))

    def tagged(self, count, weight=WEIGHTS["Pareto"]):
        rows = []
        for i, name in enumerate(names(self.rng, count)):
            row = {"name": name, "country": self.rng.choice(["AA", "AB", "B", "É"]), "w": weight(self.rng, i), "id": i}
            if self.rng.randrange(4):
                row["tag"] = self.rng.choice(TAGS)
            rows.append(json.dumps(row, ensure_ascii=self.rng.random() < 0.5))
        return rows

    def filtered_index(self, name, lines, *options):
        index = self.build(self.write(name + ".jsonl", lines), *KEY, *options, name=name)
        return index, FilteredOracle.of_index(index)

    def choices(self, count):
        tags = ["river", "ete", "", "7", "1000.0", "lake", "Lake, North", "a b", 'A"]B', "none", "-2.5"]
        found = [{"country": ["b"]}, {"country": ["AA", "é"]}, {"tag": ["river"]}, {"tag": ["none"]}]
        for _ in range(count):
            chosen = {}
            if self.rng.randrange(3):
                chosen["tag"] = self.rng.sample(tags, self.rng.randrange(1, 3))
            if self.rng.randrange(2) or not chosen:
                chosen["country"] = self.rng.sample(["AA", "aB", "b", "E", "x"], self.rng.randrange(1, 3))
            found.append(chosen)
        return found


class Filtered(FilteredBase):
    """Lists made by a seed."""

    def test_made(self):
        for name in "Pareto", "all equal", "all sizes":
            index, plain = self.filtered_index(
                name, self.tagged(3000, WEIGHTS[name]), "--shard-size", "1K", "--part-size", "512", "--filter", "country",
                "--filter", "tag")
            reader.Index(index).verify_sides(oracle.fold)
            shardq("verify", "-i", index)
            self.assertGreater(len(reader.Index(index).sides), 1)
            for filters in self.choices(60 if LONG else 5):
                self.compare_filtered(index, plain, queries(self.rng, plain.keys, 300 if LONG else 25), filters)

    def test_without_weights(self):
        lines = self.tagged(800)
        index = self.build(
            self.write("unweighted.jsonl", lines), "--key", "{name}, {country}", *SIZES, "--filter", "country", name="unweighted")
        plain = FilteredOracle.of_index(index)
        self.assertEqual(set(plain.weights), {0})
        self.compare_filtered(index, plain, queries(self.rng, plain.keys, 40), {"country": ["b"]})

    def test_many_values(self):
        """A field with a value of its own in each record has no table: the search reads its matches one by one."""
        index, plain = self.filtered_index("many", self.tagged(3000), *SIZES, "--filter", "id", "--filter", "country")
        found = reader.Index(index)
        found.verify_sides(oracle.fold)
        self.assertEqual({frame.number for _, frames in found.sides for frame in frames}, {1})
        self.untabled = ("many",)
        for filters in {"id": ["7"]}, {"id": [str(i) for i in range(0, 3000, 7)], "country": ["b"]}:
            self.compare_filtered(index, plain, queries(self.rng, plain.keys, 40), filters)

    def test_few_records(self):
        for count in 0, 1:
            lines = ['{"name":"San José","country":"CR","w":5,"tag":"x"}'] * count
            index, plain = self.filtered_index(f"of {count}", lines, "--filter", "tag") if count else (None, None)
            if index is None:
                index = self.build(self.write("none.csv", ["name,country,w,tag"]), *KEY, "--filter", "tag", name="of 0")
                plain = FilteredOracle.of_index(index)
            self.compare_filtered(index, plain, ["", "s", "san jose", "x"], {"tag": ["X"]})
            self.compare_filtered(index, plain, ["", "s", "san jose", "x"], {"tag": ["y"]})

    def test_overlay(self):
        lines = self.tagged(1500)
        index, _ = self.filtered_index("changed", lines, *SIZES, "--id", "id", "--filter", "tag")
        self.untabled = ("changed",)
        for _ in range(3):
            rows = [json.loads(line) for line in self.rng.sample(lines, 20)]
            for row in rows:
                row["tag"] = self.rng.choice(TAGS)
                row["id"] += self.rng.choice([0, 5000])
            gone = set(self.rng.sample(range(1500), 10)) - {row["id"] for row in rows}
            upserts = self.write("upserts.jsonl", [json.dumps(row, ensure_ascii=False) for row in rows])
            gone = self.write("gone.jsonl", [f'{{"id":{number}}}' for number in gone])
            shardq("update", "--overlay", "-i", index, "--upsert", upserts, "--delete", gone)
            plain = FilteredOracle.of_index(index)
            for tag in "river", "7", "lake":
                self.compare_filtered(index, plain, queries(self.rng, plain.keys, 40), {"tag": [tag]})
        shardq("update", "--merge", "-i", index)
        reader.Index(index).verify_sides(oracle.fold)
        self.compare_filtered(index, FilteredOracle.of_index(index), ["", "a", "b"], {"tag": ["river"]})

    def test_pages(self):
        index, plain = self.filtered_index("paged", self.tagged(3000), *SIZES, "--filter", "country")
        plain.filters = {"country": ["b", "AA"]}
        expected, joined, cursor = plain.answer("a", 70), [], []
        for _ in range(10):
            (answer,) = asked(index, ["a"], 7, *options_of(plain.filters), *cursor)
            joined += hits_of(answer)
            cursor = ["--after", answer["cursor"]]
        self.assertEqual(joined, [json.loads(plain.lines[rank.position], parse_int=str, parse_float=str) for rank in expected])
        with self.assertRaises(Refused) as refusal:
            asked(index, ["a"], 7, *options_of({"country": ["b"]}), *cursor)
        self.assertEqual(refusal.exception.args[0], 64)

    def test_refusals(self):
        index, _ = self.filtered_index("refusing", self.tagged(20), "--filter", "country")
        for options in ["--filter", "tag=x"], ["--filter", "x"], ["--filter", "country=b", "--sort", "key"]:
            run = subprocess.run([COMMAND, "query", "a", "-i", index, *options], capture_output=True)
            self.assertEqual(run.returncode, 64, run.stderr)
        run = subprocess.run([COMMAND, "query", "a", "-i", index, "--filter", "tag=x"], capture_output=True)
        self.assertIn(b"--filter", run.stderr)

    def test_a_byte_flipped(self):
        """A byte flipped in the side files or their chain: filtered queries fail or answer right, others answer right."""
        index, plain = self.filtered_index("flipped", self.tagged(1500), *SIZES, "--filter", "tag", "--filter", "country")
        texts = ["", "a", "ab", "b "]
        plain.filters = {"tag": ["river"], "country": ["b", "aa"]}
        expected = [[json.loads(plain.lines[rank.position], parse_int=str, parse_float=str) for rank in plain.answer(text, 10)]
                    for text in texts]
        size, refused, count = reader.Index(index).chains[11][0], 0, 0
        files = [(index / sides.name_of(digest), None) for digest, _ in reader.Index(index).sides] + [(index / "manifest", size)]
        for path, last in files:
            data = path.read_bytes()
            places = range(len(data) - (last or len(data)), len(data))
            places = places if LONG else sorted(self.rng.sample(places, min(len(places), 40)))
            for at in places:
                path.write_bytes(data[:at] + bytes([data[at] ^ 1 << self.rng.randrange(8)]) + data[at + 1 :])
                count += 1
                try:
                    answers = asked(index, texts, 10, *options_of(plain.filters))
                    self.assertEqual([hits_of(answer) for answer in answers], expected, (path, at))
                except Refused as refusal:
                    self.assertEqual(refusal.args[0], 65, refusal.args)
                    refused += 1
                if at % 8 == 0:
                    asked(index, ["a"], 10)
            path.write_bytes(data)
        self.assertGreater(refused, count // 2)


class Near(FilteredBase):
    """Answers that are near to a place."""

    # Edges of cells, poles, both sides of 180 degrees, halves of a hundredth.
    PLACES = [("48.85", "2.35"), ("0", "0"), ("90", "10"), ("-90", "-180"), ("12.345", "180"), ("-16.8", "-179.995"),
              ("10", "-20"), ("9.995", "-20.005"), ("-1e1", "+.5"), ("40.7128", "-74.006")]

    def placed(self, count):
        rows, degrees = [], lambda limit: self.rng.choice([
            round(self.rng.uniform(-limit, limit), self.rng.randrange(6)), self.rng.randrange(-limit, limit + 1, 10), limit, -limit])
        for i, name in enumerate(names(self.rng, count)):
            row = {"name": name, "country": self.rng.choice(["AA", "B"]), "w": WEIGHTS["all sizes"](self.rng, i) >> 30, "id": i}
            latitude, longitude = degrees(90), degrees(180)
            kind = self.rng.randrange(8)
            if kind == 0:
                row["coord"] = {"lat": str(latitude), "lon": longitude}
            elif kind == 1:
                row["lat"], row["lng"] = self.rng.choice([91, "x", None, "1e-3", 12.345]), longitude
            elif kind > 2:
                row["lat"], row["lon"] = latitude, f"{longitude:.4f}"
            rows.append(json.dumps(row))
        return rows

    def test_made(self):
        index, plain = self.filtered_index(
            "placed", self.placed(3000), "--shard-size", "1K", "--part-size", "512", "--near", "--filter", "country")
        reader.Index(index).verify_sides(oracle.fold)
        shardq("verify", "-i", index)
        self.untabled = ("placed",)
        for place in self.PLACES:
            texts = queries(self.rng, plain.keys, 200 if LONG else 15)
            self.compare_filtered(index, plain, texts, {}, near=place)
            self.compare_filtered(index, plain, texts, {"country": ["b"]}, near=place)

    def test_overlay_and_pages(self):
        lines = self.placed(1500)
        index, plain = self.filtered_index("moved", lines, *SIZES, "--id", "id", "--near")
        self.untabled = ("moved",)
        plain.filters, plain.place = {}, ("-16.8", "179")
        expected, joined, cursor = plain.answer("a", 70), [], []
        for _ in range(10):
            (answer,) = asked(index, ["a"], 7, *options_of({}, plain.place), *cursor)
            joined += hits_of(answer)
            cursor = ["--after", answer["cursor"]]
        self.assertEqual(joined, [json.loads(plain.lines[rank.position], parse_int=str, parse_float=str) for rank in expected])
        rows = [json.loads(line) for line in self.rng.sample(lines, 20)]
        for row in rows:
            row["lat"], row["lon"] = -16.5, 179.9
        upserts = self.write("upserts.jsonl", [json.dumps(row) for row in rows])
        shardq("update", "--overlay", "-i", index, "--upsert", upserts)
        for place in self.PLACES[:4]:
            plain = FilteredOracle.of_index(index)
            self.compare_filtered(index, plain, ["", "a", "ab", "b "], {}, near=place)
        shardq("update", "--merge", "-i", index)
        reader.Index(index).verify_sides(oracle.fold)

    def test_refusals(self):
        index, _ = self.filtered_index("refusing", self.placed(20))
        for options in ["--near", "1,2"], ["--near", "x"], ["--near", "91,2"], ["--near", "1"]:
            run = subprocess.run([COMMAND, "query", "a", "-i", index, *options], capture_output=True)
            self.assertEqual(run.returncode, 64, run.stderr)


class RealLists(FilteredBase):
    def test_cities(self):
        """Names and countries of the GeoNames list, or of each tenth of its records."""
        source = self.directory / "cities1000.txt"
        lines = unpacked(dataset("geonames-cities1000.txt.zst")).splitlines(keepends=True)
        source.write_bytes(b"".join(lines[:: 1 if LONG else 10]))
        index = self.build(source, "--weight", "population", "--filter", "country code", "--near")
        plain = FilteredOracle.of_index(index)
        self.untabled = ("index",)
        size = sum(path.stat().st_size for path in index.iterdir())
        self.assertLess(sum(path.stat().st_size for path in index.glob("side-*")), 0.06 * size)
        for country in ["US"], ["fr", "BE"], ["CN"], ["SM"]:
            self.compare_filtered(
                index, plain, queries(self.rng, plain.keys, 2000 if LONG else 30), {"country code": country}, (10,))
        for place in ("48.85", "2.35"), ("-33.87", "151.2"), ("40.7", "-74"):
            texts = queries(self.rng, plain.keys, 1000 if LONG else 20)
            self.compare_filtered(index, plain, texts, {}, (10,), near=place)


if __name__ == "__main__":
    unittest.main()
