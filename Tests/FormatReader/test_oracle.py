"""Compares ranked answers of the command with a plain scan: python3 -m unittest discover -s Tests/FormatReader

The tests ask a sample of all queries, and SHARDQ_LONG=1 all. They print a seed; SHARDQ_SEED=N repeats its run.
"""

import csv
import json
import os
import random
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402
import reader  # noqa: E402
from oracle import Oracle, Query  # noqa: E402
from test_reader import COMMAND, ROOT, Temporary, dataset, unpacked  # noqa: E402

LONG = os.environ.get("SHARDQ_LONG") == "1"
SEED = int(os.environ.get("SHARDQ_SEED") or random.randrange(1 << 32))
LIMITS = (10, 20)
AT_ONCE = 2000  # queries


def setUpModule():
    print(f"ranked answers: SHARDQ_SEED={SEED}", file=sys.stderr)


# Questions to the command, and its answers


class Refused(AssertionError):
    """The command's status and its message."""


def asked(index, queries, limit, *options, sort="rank"):
    """The ranked answers to queries, one object each."""
    assert not any(set(query) & {"\n", "\r"} for query in queries)
    run = subprocess.run(
        [COMMAND, "query", "--stdin", f"--sort={sort}", "--format", "json", "--limit", str(limit), "-i", index, *options],
        input="".join(query + "\n" for query in queries).encode(), capture_output=True)
    if run.returncode not in (0, 1):
        raise Refused(run.returncode, run.stderr.decode(errors="replace"))
    answers = [json.loads(line, parse_int=str, parse_float=str) for line in run.stdout.splitlines()]
    if len(answers) != len(queries):
        raise AssertionError(f"{len(answers)} answers to {len(queries)} queries")
    return answers


def page(index, query, limit, cursor=None):
    """A page of a ranked answer."""
    (answer,) = asked(index, [query], limit, "--words", "all", *(["--after", cursor] if cursor else []))
    return answer


def hits_of(answer):
    """The records of an answer, best first, as `parsed` has them."""
    return answer["matches"]


def ranks_of(answer):
    """Edits, score and weight of each hit."""
    return [tuple(int(hit[name]) for name in ("edits", "score", "weight")) for hit in answer["hits"]]


def parsed(line):
    return json.loads(line, parse_int=str, parse_float=str)


# Lists


def names(rng, count):
    """Names of few letters, so that many begin alike: words, commas, accents, signs, keys that are repeated."""
    letters = "aabbcdeé"
    word = lambda: "".join(rng.choice(letters) for _ in range(rng.randrange(1, 6)))
    found = []
    for _ in range(count):
        kind = rng.randrange(10)
        if kind == 0 and found:
            found.append(rng.choice(found))
        elif kind == 1:
            found.append(f"{word()}, {word()}")
        elif kind == 2:
            found.append(rng.choice(["", ",", " ", "a", "한", "하나", "東京", "é", "a-b", "st. a", "Ab Ab", "ﬁ", "ab,,", "a\u0301"]))
        else:
            found.append(" ".join(word() for _ in range(rng.choice([1, 1, 2, 3]))))
    return found


WEIGHTS = {
    "all equal": lambda rng, i: 1000,
    "all 0": lambda rng, i: 0,
    "few": lambda rng, i: rng.randrange(4),
    "uniform": lambda rng, i: rng.randrange(1 << 20),
    "Pareto": lambda rng, i: int(rng.paretovariate(0.8)) * rng.randrange(1, 9),
    "one giant": lambda rng, i: 2**63 - 1 if i == 77 else 1 + i % 3,
    "all sizes": lambda rng, i: rng.randrange(1 << rng.randrange(1, 64)) if i % 5 else (1 << i % 63) - 1,
}


def record(i, name, country, weight):
    return json.dumps({"name": name, "country": country, "w": weight, "id": i}, ensure_ascii=False)


def made(rng, count, weight):
    """Lines of a list, weights by a rule."""
    return [record(i, name, rng.choice(["AA", "AB", "B"]), weight(rng, i)) for i, name in enumerate(names(rng, count))]


KEY = ("--key", "{name}, {country}", "--weight", "w")
SIZES = ("--shard-size", "4K", "--part-size", "1K")  # many shards and parts of few records


def typed(folded):
    """Folded text as it is typed."""
    return folded.decode(errors="ignore").replace("\1", ",")


def prefixes(keys, length=6):
    """All prefixes of up to so many characters."""
    found = {""}
    for key in keys:
        text = typed(key)
        found.update(text[:size] for size in range(1, length + 1))
    return sorted(found)


def queries(rng, keys, count):
    """Beginnings of keys, finished or not, with spaces for separators, too long, and some without a match."""
    found = ["", " ", ",", "q", "a", "a ", "A B", "\u00e9", "ab ab", "ab  ", ", ", "zz"]
    for _ in range(count if keys else 0):
        text = typed(rng.choice(keys))
        change = rng.randrange(7)
        if change == 0:
            text = text[: rng.randrange(1, len(text) + 2)]
        elif change == 1:
            text = text[: rng.randrange(1, len(text) + 2)] + " "
        elif change == 2:
            text = text.replace(",", " ")[: rng.randrange(1, len(text) + 2)]
        elif change == 3:
            text = text.rpartition(",")[0]
        elif change == 4:
            text = (text.rpartition(",")[0].rpartition(" ")[0] or text[:2]) + " "
        elif change == 5:
            text = text.upper() + rng.choice(["", " ", "a", ","])
        found.append(text)
    return found


class Rules(unittest.TestCase):
    """The oracle itself, on examples made by hand."""

    def test_code(self):
        codes = {0: 0, 1: 1, 2: 2049, 3: 3073, 4: 4097, 1024: 20481, 4095: 24576, 4096: 24577, 4097: 24577, 4098: 24578,
                 2**31: 63489, 2**32 - 1: 65535, 2**32: 65535, 2**63 - 1: 65535}
        for weight, code in codes.items():
            self.assertEqual(oracle.code(weight), code, weight)
        self.assertEqual(oracle.code(256 * 1000), oracle.code(1000) + 8 * 2048)

    def test_query(self):
        for text, q, finished, variants in [
            ("Paris", b"paris", False, [b"paris"]),
            ("paris ", b"paris", True, [b"paris"]),
            ("  paris   ", b"paris", True, [b"paris"]),
            ("paris fr", b"paris fr", False, [b"paris fr", b"paris\1fr"]),
            ("new  york us ", b"new york us", True, [b"new york us", b"new york\1us"]),
            ("paris ,fr", b"paris\1fr", False, [b"paris\1fr"]),
            ("paris, ", b"paris\1", False, [b"paris\1"]),
            ("", b"", False, [b""]),
            (" ", b"", False, [b""]),
        ]:
            query = Query(text)
            self.assertEqual((query.q, query.finished, query.variants), (q, finished, variants), text)

    CITIES = [("paris\1fr", 2000), ("paris 01\1fr", 20), ("parish\1us", 9), ("paris hill\1us", 1), ("par\1gb", 30), ("par\1us", 30),
              ("parla\1es", 100), ("york\1gb", 0), ("new york\1us", 8000), ("new york city\1us", 9000), ("new\1york us", 5)]

    def cities(self):
        return Oracle(sorted((key.encode(), weight, key.encode()) for key, weight in self.CITIES))

    def test_matches(self):
        cities = self.cities()
        for text, expected in {
            "par ": ["par\1gb", "par\1us"],
            "par": ["paris\1fr", "par\1gb", "par\1us", "parla\1es", "paris 01\1fr", "parish\1us", "paris hill\1us"],
            "paris": ["paris\1fr", "paris 01\1fr", "parish\1us", "paris hill\1us"],
            "paris ": ["paris\1fr", "paris 01\1fr", "paris hill\1us"],
            "paris fr": ["paris\1fr"],
            "paris f": ["paris\1fr"],
            "paris f ": [],
            "paris fr ": ["paris\1fr"],
            "paris h": ["paris hill\1us"],
            "par us": ["par\1us"],
            "new york": ["new york\1us", "new york city\1us", "new\1york us"],
            "new york us": ["new york\1us"],
            "new york us ": ["new york\1us"],
            "new, york": ["new\1york us"],
            "york": ["york\1gb"],
            "x": [],
        }.items():
            query = oracle.Query(text)
            query.all_words = True
            found = [cities.keys[rank.position].decode() for rank in cities.answer(query, 20)]
            self.assertEqual(found, expected, text)
        whole, beginning = cities.answer("paris", 2)
        self.assertEqual((whole.edits, whole.score, whole.weight), (0, oracle.code(2000) + 6 * 2048, 2000))
        self.assertEqual(cities.answer("paris ", 1)[0].score, oracle.code(2000) + 8 * 2048)
        self.assertEqual((beginning.edits, beginning.score, beginning.weight), (0, oracle.code(20), 20))
        # An empty query matches every record, none of them whole.
        self.assertEqual([rank.weight for rank in cities.answer("", 3)], [9000, 8000, 2000])
        empty = Oracle([(b"", 1, b""), (b"\1us", 1, b""), (b"a", 2, b"")])
        self.assertEqual([rank.position for rank in empty.answer("", 3)], [2, 0, 1])
        # Six octaves, and no more: the greater weight of the same score comes first, then the index's order.
        three = Oracle([(b"a", 10, b""), (b"ab", 640, b""), (b"ac", 641, b""), (b"ad", 640, b"")])
        self.assertEqual([rank.position for rank in three.answer("a", 4)], [2, 1, 3, 0])

    def test_pages(self):
        cities = self.cities()
        whole, after, pages = cities.answer("p", 20), None, []
        while found := cities.answer("p", 3, after):
            pages, after = pages + found, found[-1]
        self.assertEqual(pages, whole)

    def test_runs_are_a_scan(self):
        """A scan of the two runs finds the same matches as a scan of all records."""
        rng = random.Random(SEED)
        for weight in WEIGHTS.values():
            source = [json.loads(line) for line in made(rng, 300, weight)]
            keys = [oracle.fold(f"{row['name']}, {row['country']}") for row in source]
            records = sorted((key, row["w"], b"%d" % row["id"]) for key, row in zip(keys, source))
            runs, scan = Oracle(records), Oracle(records, list(oracle.KEY_RULES))
            for text in queries(rng, runs.keys, 100):
                self.assertEqual(len(scan.candidates(Query(text))), 300)
                self.assertEqual(runs.answer(text, 400), scan.answer(text, 400), text)


class Compared(Temporary):
    """The part of the tests that compares the command's answers with the oracle's."""

    def setUp(self):
        super().setUp()
        self.rng = random.Random(f"{SEED} {self.id()}")

    def compare(self, index, plain, texts, limits=LIMITS):
        """The first hits of each query: records and their order."""
        for first in range(0, len(texts), AT_ONCE):
            some = texts[first : first + AT_ONCE]
            found = [plain.ranks_of_all_words(plain.query(text)) for text in some]
            counts, best = [len(ranks) for ranks in found], [plain.best(ranks, max(limits)) for ranks in found]
            for limit in limits:
                for text, answer, count, ranks in zip(some, asked(index, some, limit, "--words", "all"), counts, best):
                    self.compare_hits(plain, text, answer, ranks[:limit])
                    self.assertEqual((answer["complete"], answer["count"]), (True, str(count)), text)
                    self.assertEqual(answer.get("total", str(count)), str(count), text)
                    self.assertEqual("cursor" in answer or count <= limit, True, text)

    def compare_hits(self, plain, text, answer, expected):
        lines = [parsed(plain.lines[rank.position]) for rank in expected]
        if hits_of(answer) != lines:
            shown = lambda rows: "\n".join(map(str, rows))
            self.fail(f"{text!r}, seed {SEED}:\nthe command\n{shown(hits_of(answer))}\nthe oracle\n"
                      f"{shown(list(zip(expected, lines)))}")
        self.assertEqual(ranks_of(answer), [(rank.edits, rank.score, rank.weight) for rank in expected], text)
        query = plain.query(text)
        if "dropped" in answer:
            return
        for line, hit in zip(lines, answer["hits"]):
            self.assertEqual(hit["via"], "key")
            if set(line) >= {"w", "name", "country"}:
                self.compare_highlights(query, f"{line['name']}, {line['country']}".encode(), hit["highlights"])

    def compare_highlights(self, query, key, ranges):
        """The marked part of a key folds to a text that begins with the query."""
        marked = [oracle.fold(key[int(first) : int(end)].decode()) for first, end in ranges]
        if query.q:
            self.assertTrue(marked and any(marked[0].startswith(q) for q in query.variants), (query.text, key, ranges))
        else:
            self.assertEqual(marked, [])

    def list_index(self, name, lines, *options):
        index = self.build(self.write(name + ".jsonl", lines), *KEY, *options, name=name)
        return index, Oracle.of_index(index)

    def compare_pages(self, index, plain, text, size, limit):
        """Pages joined are one page."""
        expected = plain.best(plain.ranks_of_all_words(plain.query(text)), limit)
        pages, ranks, cursor = [], [], None
        whole = hits_of(page(index, text, limit))
        for _ in range(-(-limit // size)):
            answer = page(index, text, size, cursor)
            pages += hits_of(answer)
            ranks += answer["hits"]
            cursor = answer.get("cursor")
            if cursor is None or not hits_of(answer):
                break
        self.assertEqual(pages, whole, text)
        self.compare_hits(plain, text, {"matches": pages, "hits": ranks}, expected)


class Ranked(Compared):
    """Lists made by a seed."""

    def test_sample(self):
        """Every prefix of 0 to 6 characters of the index in this folder."""
        index = self.build(ROOT / "Samples" / "cities.csv", "--weight", "population", *SIZES)
        plain = Oracle.of_index(index)
        with open(ROOT / "Samples" / "cities.csv", encoding="utf-8", newline="") as file:
            populations = sorted(int(row["population"] or 0) for row in csv.DictReader(file))
        self.assertEqual(sorted(plain.weights), populations)
        texts = prefixes(plain.keys)
        self.compare(index, plain, texts if LONG else sorted(self.rng.sample(texts, 3000)))
        self.compare(index, plain, queries(self.rng, plain.keys, 10000 if LONG else 1000))

    def test_weights(self):
        for name, weight in WEIGHTS.items():
            with self.subTest(name):
                index, plain = self.list_index(name, made(self.rng, 3000, weight), *SIZES)
                self.assertGreater(len(reader.Index(index).entries), 3)
                texts = prefixes(plain.keys, 4)
                texts = texts if LONG else self.rng.sample(texts, min(len(texts), 300))
                self.compare(index, plain, texts + queries(self.rng, plain.keys, 3000 if LONG else 200))

    def test_scale(self):
        lines = [record(i, name, "A", f"{self.rng.randrange(100000)}e-3") for i, name in enumerate(names(self.rng, 500))]
        index, plain = self.list_index("scaled", lines, *SIZES, "--weight-scale", "12.5")
        self.assertLess(max(plain.weights), 1250)
        self.compare(index, plain, queries(self.rng, plain.keys, 200))

    def test_repeated_keys(self):
        """One key 9,170 times, through many shards, among others."""
        for name in "uniform", "all equal", "one giant":
            with self.subTest(name):
                weight = WEIGHTS[name]
                lines = [record(i, "Lisboa", "PT", weight(self.rng, i)) for i in range(9170)]
                others = ["Lisb", "Lisbo", "Lisboa", "Lisboa Norte", "Lisboas", "Lisbob", "Lis"]
                lines += [record(i, other, "PU", weight(self.rng, i)) for i, other in enumerate(others * 20)]
                index, plain = self.list_index(name, lines, *SIZES)
                texts = ["l", "lis", "lisb", "lisboa", "lisboa ", "lisboa p", "lisboa pt", "lisboa, pt", "lisboa pt ", "lisboas"]
                self.compare(index, plain, texts)
                self.compare_pages(index, plain, "lisboa", 7, 70)

    def test_few_records(self):
        for count in 0, 1, 2:
            with self.subTest(count=count):
                lines = [record(i, "San José", "CR", 5) for i in range(count)]
                index, plain = self.list_index(f"of {count}", lines)
                self.assertEqual(len(plain.keys), count)
                self.compare(index, plain, ["", " ", "s", "san ", "san jose", "san jose cr", "san jose cr ", "x"], (1, 2, 10))

    def test_pages(self):
        index, plain = self.list_index("paged", made(self.rng, 3000, WEIGHTS["few"]), *SIZES)
        for text in "a", "b ", "ab", "a b":
            self.compare_pages(index, plain, text, 7, 700 if LONG or text == "a" else 70)
        self.compare_pages(index, plain, "", 7, 700 if LONG else 70)

    def test_certificate(self):
        """A record outside of the answer gains weight: the answer changes if, and only if, it passes the last hit."""
        changed = 0
        for number in range(60 if LONG else 12):
            lines = made(self.rng, 400, WEIGHTS["few"])
            index, plain = self.list_index(f"certificate {number}", lines, *SIZES)
            text = self.rng.choice([text for text in prefixes(plain.keys, 2) if len(plain.ranks(text)) > 10])
            ranks = sorted(plain.ranks(text))
            last, left = ranks[9], self.rng.choice(ranks[10:])
            row = json.loads(plain.lines[left.position])
            row["w"] += 1
            lines[row["id"]] = json.dumps(row, ensure_ascii=False)
            raised, after = self.list_index(f"raised {number}", lines, *SIZES)
            before, now = (page(which, text, 10) for which in (index, raised))
            self.compare_hits(after, text, now, after.answer(text, 10))
            place = {row["id"]: i for i, row in enumerate(map(json.loads, after.lines))}
            rank = lambda line: after.rank(place[json.loads(line)["id"]], after.query(text))
            passes = rank(plain.lines[left.position]) < rank(plain.lines[last.position])
            self.assertEqual(hits_of(before) != hits_of(now), passes, (text, left, last))
            changed += passes
        self.assertGreater(changed, 0)

    def test_overlay(self):
        """The records of an overlay are ranked with the others."""
        lines = made(self.rng, 1500, WEIGHTS["few"])
        index, _ = self.list_index("changed", lines, *SIZES, "--id", "id")
        for step in range(4):
            rows = [json.loads(line) for line in self.rng.sample(lines, 20)]
            for row in rows[:10]:
                row["w"] = self.rng.choice([0, row["w"] + 1, 10**9])
            for row in rows[10:]:
                row["name"], row["id"] = self.rng.choice(["A", "Ab", "A b", row["name"]]), row["id"] + self.rng.choice([0, 5000])
            gone = set(self.rng.sample(range(1500), 10)) - {row["id"] for row in rows}
            upserts = self.write("upserts.jsonl", [json.dumps(row, ensure_ascii=False) for row in rows])
            gone = self.write("gone.jsonl", [f'{{"id":{number}}}' for number in gone])
            run = subprocess.run([COMMAND, "update", "--overlay", "-i", index, "--upsert", upserts, "--delete", gone], capture_output=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIsNotNone(reader.Index(index).overlay)
            plain = Oracle.of_index(index)
            self.compare(index, plain, queries(self.rng, plain.keys, 200) + ["a", "ab", "a b", "a "])
        subprocess.run([COMMAND, "update", "--merge", "-i", index], check=True, capture_output=True)
        self.compare(index, Oracle.of_index(index), queries(self.rng, plain.keys, 200))
        reader.Index(index).verify_ranks()

    def test_a_byte_flipped(self):
        """A byte flipped in the frames of the ranks: ranked queries fail or have right answers, as all others have."""
        lines = [record(i, name, "A", self.rng.randrange(1 << 40)) for i, name in enumerate(names(self.rng, 1500))]
        index, plain = self.list_index("flipped", lines, *SIZES)
        path, refused = index / "manifest", 0
        data, texts = path.read_bytes(), ["", "a", "ab", "b ", "a b"]
        expected = [[parsed(plain.lines[rank.position]) for rank in plain.answer(text, 10)] for text in texts]
        size = reader.Index(index).chains[10][0]
        places = range(len(data) - size, len(data))
        places = places if LONG else sorted(self.rng.sample(places, 80))
        for at in places:
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << self.rng.randrange(8)]) + data[at + 1 :])
            with self.subTest(at=at):
                try:
                    self.assertEqual([hits_of(answer) for answer in asked(index, texts, 10)], expected)
                except Refused as refusal:
                    self.assertEqual(refusal.args[0], 65, refusal.args)
                    refused += 1
                if at % 8 == 0:
                    run = [COMMAND, "query", "a", "--count", "--sort", "key", "-i", index]
                    count = subprocess.run(run, capture_output=True, check=True).stdout
                    self.assertEqual(int(count), len(plain.ranks("a")))
        self.assertGreater(refused, len(places) // 2)


class RealLists(Compared):
    """Real lists, where the machine has them."""

    def compare_list(self, source, *options, whole=LONG):
        index = self.build(source, *options)
        plain = Oracle.of_index(index)
        self.assertGreater(max(plain.weights), 0)
        keys = plain.keys if whole else self.rng.sample(plain.keys, 400)
        self.compare(index, plain, prefixes(keys), LIMITS if whole else (10,))
        self.compare(index, plain, queries(self.rng, plain.keys, 10000 if whole else 500), (10,))
        return index, plain

    def test_cities(self):
        """The list of cities by the populations that GeoNames has for its ids."""
        rows = (row.split("\t") for row in unpacked(dataset("geonames-cities1000.txt.zst")).decode().splitlines())
        weights = self.write("weights.tsv", [f"{row[0]}\t{row[14]}" for row in rows])
        source = self.directory / "cities.json"
        source.write_bytes(unpacked(dataset("cities.json.zst")))
        _, plain = self.compare_list(source, "--id", "_id", "--weights", weights)
        self.assertEqual(sum(b'"weight":' in line for line in plain.lines), 99393)

    @unittest.skipUnless(LONG, "SHARDQ_LONG is not set")
    def test_geonames(self):
        source = self.directory / "cities1000.txt"
        source.write_bytes(unpacked(dataset("geonames-cities1000.txt.zst")))
        self.compare_list(source, "--weight", "population")

    @unittest.skipUnless(LONG, "SHARDQ_LONG is not set")
    def test_japanese_addresses(self):
        names = "town,koaza,city,prefecture,lat,lon".split(",")
        source = dataset("japanese-addresses.tsv.zst")
        key = "{town}{koaza}, {city}, {prefecture}"
        self.compare_list(source, "--columns", ",".join(names), "--key", key, "--weight", "lat", "--weight-scale", "1000")

    @unittest.skipUnless(LONG, "SHARDQ_LONG is not set")
    def test_postal_places(self):
        """A list of 1.5 million records, one name 9,170 times; a sample of queries."""
        names = "place,postcode,country,state,province,community,lat,lon".split(",")
        options = ["--columns", ",".join(names), "--key", "{place}, {country}", "--weight", "lon", "--weight-scale", "100"]
        index, plain = self.compare_list(dataset("postal-places.tsv.zst"), *options, whole=False)
        self.assertGreater(plain.keys.count(b"lisboa\1pt"), 9000)
        self.compare(index, plain, ["l", "lis", "lisboa", "lisboa ", "lisboa p", "lisboa pt"])
        self.compare_pages(index, plain, "lisboa", 7, 700)


if __name__ == "__main__":
    unittest.main()
