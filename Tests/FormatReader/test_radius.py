"""Compares answers within a radius with a plain scan: python3 -m unittest discover -s Tests/FormatReader -p test_radius.py

The tests print a seed; SHARDQ_SEED=N repeats its run.
"""

import functools
import json
import random
import math
import re
import subprocess
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from oracle import Oracle  # noqa: E402
from oracle_features import FeatureOracle, FeatureQuery  # noqa: E402
from test_filters import FilteredBase, FilteredOracle, FilteredQuery, options_of  # noqa: E402
from test_oracle import COMMAND, KEY, LONG, SEED, SIZES, WEIGHTS, Refused, asked, made, names, queries, ranks_of  # noqa: E402
from test_oracle_entries import KINDS, texts  # noqa: E402
from test_reader import shardq  # noqa: E402

RADII = ["0.1", "0.8", "1.5", "25", "300", "2500", "9000", "20000", "20040"]


def setUpModule():
    print(f"answers within a radius: SHARDQ_SEED={SEED}", file=sys.stderr)


@functools.cache
def direction(place):
    """The direction in space of a latitude and a longitude in degrees, to millionths of a degree, half away from zero."""
    north, east = (
        math.radians(math.copysign(int(abs(degrees) * 10**6 + Fraction(1, 2)) / 10**6, degrees)) for degrees in place)
    return math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)


@functools.cache
def center(place):
    """The direction of the texts of a latitude and a longitude."""
    return direction(tuple(map(Fraction, place)))


def distance(a, b):
    """Kilometres between two places, by the angle of their directions."""
    across = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return 6371 * math.atan2(math.hypot(*across), sum(x * y for x, y in zip(a, b)))


class Circled:
    """An oracle whose matches are within a radius of a place."""

    circle = None

    def passes(self, position, query):
        return super().passes(position, query) and (getattr(query, "is_alone", False) or self.is_within(position))

    def is_within(self, position):
        if self.circle is None:
            return True
        place, radius = self.circle
        there = self.place_of(position)
        return there is not None and distance(center(place), direction(there)) <= float(radius)


class CircledKeys(Circled, FilteredOracle):
    def query(self, text):
        return text if isinstance(text, FilteredQuery) else CircledQuery(text, self.filters, self.place)


class CircledQuery(FilteredQuery):
    def exact(self, text, filtered=True):
        found = super().exact(text, filtered)
        # The index may have the word alone elsewhere.
        found.is_alone = not filtered
        return found


class CircledTexts(Circled, FeatureOracle):
    pass


class Radius(FilteredBase):
    PLACES = [("48.85", "2.35"), ("90", "10"), ("-90", "-180"), ("12.345678", "180"), ("-16.8", "-179.995"), ("0", "0"),
              ("10", "-20"), ("9.995", "-20.005"), ("-1e1", "+.5"), ("89.9999995", "-179.9999995")]

    def place_near(self, place):
        """A place at a random distance of up to a few hundred kilometres, also across a pole and 180 degrees."""
        reach = 10 ** self.rng.uniform(-4, 0.5)
        latitude, longitude = (float(degrees) + self.rng.uniform(-reach, reach) for degrees in place)
        if abs(latitude) > 90:
            latitude, longitude = math.copysign(180, latitude) - latitude, longitude + 180
        longitude = (longitude + 180) % 360 - 180
        digits = self.rng.randrange(2, 9)
        return round(latitude, digits), round(longitude, digits)

    def placed(self, row):
        """Adds coordinates to most rows."""
        degrees = lambda limit: self.rng.choice(
            [round(self.rng.uniform(-limit, limit), self.rng.randrange(9)), self.rng.randrange(-limit, limit + 1, 10), limit, -limit])
        latitude, longitude = self.rng.choice([(degrees(90), degrees(180)), self.place_near(self.rng.choice(self.PLACES))])
        kind = self.rng.randrange(8)
        if kind == 0:
            row["coord"] = {"lat": str(latitude), "lon": longitude}
        elif kind == 1:
            row["lat"], row["lng"] = self.rng.choice([91, "x", None, "1e-3", 12.345]), longitude
        elif kind > 2:
            row["lat"], row["lon"] = latitude, f"{longitude:.9f}"
        return json.dumps(row)

    def rows(self, count):
        return [
            self.placed({"name": name, "country": self.rng.choice(["AA", "B"]), "w": WEIGHTS["all sizes"](self.rng, i) >> 30,
                         "id": i})
            for i, name in enumerate(names(self.rng, count))]

    def index_of(self, name, lines, *options):
        index = self.build(self.write(name + ".jsonl", lines), *KEY, *options, "--near", name=name)
        self.untabled = (name,)
        return index, CircledKeys.of_index(index)

    def circles(self, plain, some=None):
        """The options of random circles, which the oracle has too."""
        choices = [(place, radius) for place in self.PLACES for radius in RADII]
        for place, radius in choices if some is None or LONG else self.rng.sample(choices, some):
            plain.circle = plain_place, _ = place, radius
            plain.place = plain_place
            yield [f"--near={place[0]},{place[1]}", "--radius", radius]

    def compare_within(self, index, plain, texts, filters, options, limits=(3, 1000)):
        plain.filters = filters
        for limit in limits:
            found = asked(index, texts, limit, *options_of(filters), *options, "--words", "all")
            for text, answer in zip(texts, found):
                ranks = plain.ranks_of_all_words(plain.query(text))
                self.compare_hits(plain, text, answer, plain.best(ranks, limit))
                self.assertEqual(answer["complete"], True)
                self.assertLessEqual(int(answer["total"]), len(ranks), (text, options))
                if answer["totalIsExact"]:
                    self.assertEqual(int(answer["total"]), len(ranks), (text, options))
        return len(ranks)

    def test_made(self):
        index, plain = self.index_of("circled", self.rows(3000), "--shard-size", "1K", "--part-size", "512", "--filter", "country")
        sizes = []
        for options in self.circles(plain):
            some = queries(self.rng, plain.keys, 60 if LONG else 2)[0 if LONG else 8:] + [""]
            sizes.append(self.compare_within(index, plain, some, self.rng.choice([{}, {"country": ["b"]}]), options))
            count = subprocess.run([COMMAND, "query", "", "-i", index, *options, "--count"], capture_output=True, text=True)
            plain.filters = {}
            self.assertEqual(int(count.stdout), len(plain.ranks_of_all_words(plain.query(""))), options)
        self.assertGreater(sum(0 < size < 1000 for size in sizes), 20)
        self.assertGreater(min(sizes[len(RADII) - 1 :: len(RADII)]), 500)

    def test_words_left_out(self):
        index, plain = self.index_of("left out", self.rows(1500), *SIZES)
        dropped = 0
        for options in self.circles(plain, 12):
            some = [f"{text} {word}" for text in queries(self.rng, plain.keys, 10)[8:] for word in ("q", "zz a", "b")]
            plain.filters = {}
            for text, answer in zip(some, asked(index, some, 5, *options)):
                query = plain.query(text)
                self.compare_hits(plain, text, answer, plain.best(Oracle.ranks(plain, query), 5))
                dropped += "dropped" in answer
        self.assertGreater(dropped, 10)

    def test_entries(self):
        """Later words, words in any order, other names and typing errors, with the cells of entries."""
        lines = []
        for line in made(self.rng, 900, WEIGHTS["Pareto"]):
            row = json.loads(line)
            row["others"] = self.rng.sample(["aa b", "cab", "é a", "de"], self.rng.randrange(3))
            lines += [self.placed(dict(row)) for _ in range(self.rng.choice([1, 1, 3]))]
        options = ["--words", "--alias", "others", "--typos", "--near", "--filter", "country"]
        index = self.build(self.write("texts.jsonl", lines), *KEY, *SIZES, *options, name="texts")
        scan, matched = CircledTexts.of_index(index, words="body", alias=["others"]), 0
        for options in self.circles(scan, 10):
            filters = self.rng.choice([{}, {"country": ["AA"]}])
            some = [text for kind in KINDS for text in texts(self.rng, scan, kind, 60 if LONG else 3)] + ["b", "e a", ""]
            for typos in False, True:
                some = some[:: 1 if LONG or not typos else 3]
                asking = [*options, *options_of(filters), "--words", "all", "--typos", "auto" if typos else "none"]
                for text, answer in zip(some, asked(index, some, 10, *asking)):
                    query = FeatureQuery(text, typos, filters, scan.place, all_words=True)
                    expected = scan.answer(query, 10)
                    self.assertEqual(ranks_of(answer), [(r.edits, r.score, r.weight) for r in expected], (text, options))
                    lines = [json.loads(scan.lines[rank.position], parse_int=str, parse_float=str) for rank in expected]
                    self.assertEqual(answer["matches"], lines, (text, options))
                    matched += bool(expected)
        self.assertGreater(matched, 30)

    def test_overlay_and_pages(self):
        lines = self.rows(1500)
        index, plain = self.index_of("moved", lines, *SIZES, "--id", "id")
        options = ["--near=-16.8,179", "--radius", "2500"]
        plain.filters, plain.place = {}, ("-16.8", "179")
        plain.circle = plain.place, "2500"
        expected, joined, cursor = plain.answer("", 40), [], []
        for _ in range(10):
            (answer,) = asked(index, [""], 4, *options, *cursor)
            joined += answer["matches"]
            if "cursor" not in answer:
                break
            cursor = ["--after", answer["cursor"]]
        lines_of = lambda ranks: [json.loads(plain.lines[rank.position], parse_int=str, parse_float=str) for rank in ranks]
        self.assertEqual(joined, lines_of(expected))
        self.assertGreater(len(joined), 12)
        for other in ["--near=-16.8,179", "--radius", "2501"], ["--near=-16.8,179"], ["--near=-16.800001,179", "--radius", "2500"]:
            with self.assertRaises(Refused) as refusal:
                asked(index, [""], 4, *other, *cursor)
            self.assertEqual(refusal.exception.args[0], 64)
        rows = [json.loads(line) for line in self.rng.sample(lines, 40)]
        for i, row in enumerate(rows):
            row["lat"], row["lon"] = (-16.5, 179.9) if i % 2 else (None, None)
        shardq("update", "--overlay", "-i", index, "--upsert", self.write("upserts.jsonl", [json.dumps(row) for row in rows]))
        for merged in False, True:
            plain = CircledKeys.of_index(index)
            for options in self.circles(plain, 6):
                self.compare_within(index, plain, ["", "a", "ab", "b "], {}, options)
            if not merged:
                shardq("update", "--merge", "-i", index)

    def test_parts(self):
        """A small radius opens few parts, also for a text with a typing error."""
        # How many parts have a record near the place depends on the list, so the list is the same in each run.
        lines, rng = [], random.Random(5)
        for line in made(rng, 4000, WEIGHTS["Pareto"]):
            row = json.loads(line)
            row["lat"], row["lon"] = rng.uniform(-90, 90), rng.uniform(-180, 180)
            lines.append(json.dumps(row))
        index = self.build(self.write("parts.jsonl", lines), *KEY, *SIZES, "--near", "--typos", name="parts")

        def opened(text, *options):
            run = subprocess.run(
                [COMMAND, "query", text, "-i", index, "-n", "100000", "--near", "48.85,2.35", "--explain", *options],
                capture_output=True, text=True)
            return int(re.search(r"parts opened\W+(\d+)", run.stdout)[1])

        for text, share in ("", 20), ("bedcabe", 3):
            whole, small = opened(text), opened(text, "--radius", "5")
            self.assertLess(small * share, whole, text)

    def test_refusals(self):
        index, _ = self.index_of("refusing", self.rows(20))
        for value in "0", "-1", "nan", "inf", "1e9", "x", "", "20041", "20041km", "20040001m", "0x10", "1,5", "5 km", "km":
            run = subprocess.run([COMMAND, "query", "a", "-i", index, "--near", "1,2", "--radius", value], capture_output=True)
            self.assertEqual((run.returncode, run.stdout), (64, b""), value)
            self.assertIn(f"--radius: {value} is no distance above 0 and at most 20,040 km".encode(), run.stderr)
        run = subprocess.run([COMMAND, "query", "a", "-i", index, "--radius", "5"], capture_output=True)
        self.assertEqual(run.returncode, 64)
        self.assertIn(b"--radius needs a place; add --near", run.stderr)
        run = subprocess.run([COMMAND, "query", "a", "-i", index, "--near", "1,2", "--radius", "5", "--sort", "key"], capture_output=True)
        self.assertEqual(run.returncode, 64)

    def test_units(self):
        rows = [json.dumps({"name": f"a{i}", "country": "B", "w": 1, "lat": 0, "lon": i / 1000}) for i in range(200)]
        index, _ = self.index_of("units", rows)
        for radius, count in ("5", 45), ("5km", 45), ("5000m", 45), ("0.8", 8), ("800m", 8), ("1mi", 15), ("20040", 200):
            answer, = asked(index, ["a"], 300, "--near", "0,0", "--radius", radius)
            self.assertEqual(len(answer["matches"]), count, radius)


if __name__ == "__main__":
    unittest.main()
