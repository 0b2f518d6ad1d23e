"""Compares ranked answers with typing errors with a plain scan, and sketches with the keys.

python3 -m unittest discover -s Tests/FormatReader; SHARDQ_LONG=1 tests more queries, SHARDQ_SEED=N repeats a run.
"""

import json
import random
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402
import reader  # noqa: E402
import sketches  # noqa: E402
from oracle_features import EditedOracle, EditedQuery, FeatureOracle, FeatureQuery  # noqa: E402
from oracle_forms import plain  # noqa: E402
from test_oracle import LONG, SEED, SIZES, WEIGHTS, asked, hits_of, made, parsed, ranks_of, typed  # noqa: E402
from test_reader import COMMAND, ROOT, Temporary, dataset, unpacked  # noqa: E402

KEY = ("--key", "{name}, {country}", "--weight", "w")


def mistyped(rng, text, letters="abcdeé z"):
    """A text with one typing error: the first letter and spaces included."""
    at = rng.choice([0, rng.randrange(len(text) + 1)])
    kind = rng.randrange(6)
    if kind == 0:
        return text[:at] + text[at + 1 :]
    if kind == 1:
        return text[:at] + rng.choice(letters) + text[at:]
    if kind == 2:
        return text[:at] + rng.choice(letters) + text[at + 1 :]
    if kind == 3:
        return text.replace(" ", "", 1)
    return text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]


def queries(rng, keys, count):
    """Beginnings of keys with one typing error or two, finished or not."""
    found = ["abcdabcd", "zzzz", "aaaa aaaa", "aaaaaaaa ", "bacd", "dcba ", "eeee", ",,,,"]
    long = [key for key in keys if len(key.decode()) > 4]
    while len(found) < count:
        text = typed(rng.choice(long))
        text = text[: rng.randrange(4, len(text) + 2)]
        for _ in range(rng.choice([1, 1, 2, 3])):
            text = mistyped(rng, text)
        words = text.split(" ")
        if rng.random() < 0.3:
            rng.shuffle(words)
        if rng.random() < 0.1:
            words.insert(rng.randrange(len(words) + 1), rng.choice(["ab", "zzzz", "b, c"]))
        text = " ".join(words)
        found.append(text + rng.choice(["", "", " "]))
    return found


class Filtered(EditedOracle):
    """The oracle of the records with the country AB."""

    def match(self, position, query):
        passes = not query.filtered or json.loads(self.lines[position])["country"] == "AB"
        return super().match(position, query) if passes else None


class Edited(Temporary):
    def setUp(self):
        super().setUp()
        self.rng = random.Random(f"{SEED} {self.id()}")

    def compare(self, index, scan, texts, limit=10, query=lambda text: text, options=()):
        """The first hits of each query: records, their order, edits, scores and weights."""
        edited = 0
        for text, answer in zip(texts, asked(index, texts, limit, *options)):
            ranks = scan.answer(query(text), limit)
            lines = [parsed(scan.lines[rank.position]) for rank in ranks]
            self.assertEqual(hits_of(answer), lines, f"{text!r}, seed {SEED}")
            self.assertEqual(ranks_of(answer), [(rank.edits, rank.score, rank.weight) for rank in ranks], text)
            edited += any(rank.edits for rank in ranks)
        self.assertGreater(edited, len(texts) // 16)

    def verify(self, index, is_sketched=lambda key: True):
        sketches.verify(reader, reader.Index(index), is_sketched)
        run = subprocess.run([COMMAND, "verify", "-i", index], capture_output=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_keys(self):
        """An index of sketches alone matches folds."""
        for name in "few", "uniform", "all equal", "one giant":
            with self.subTest(name):
                lines = made(self.rng, 700, WEIGHTS[name])
                index = self.build(self.write(name + ".jsonl", lines), *KEY, *SIZES, "--typos", name=name)
                self.verify(index)
                scan = EditedOracle.of_index(index)
                self.compare(index, scan, queries(self.rng, scan.keys, 1500 if LONG else 25))
                self.compare(index, scan, queries(self.rng, scan.keys, 20), 300)

    def test_entries(self):
        """Word starts, forms and other names: plain forms."""
        lines = []
        for line in made(self.rng, 500, WEIGHTS["few"]):
            row = json.loads(line)
            row["others"] = [json.loads(other)["name"] for other in made(self.rng, self.rng.choice([0, 0, 1, 3]), WEIGHTS["few"])]
            lines.append(json.dumps(row, ensure_ascii=False))
        source = self.write("entries.jsonl", lines)
        for words, options in ("body", ["--words"]), ("all", ["--words", "all"]), (None, []):
            with self.subTest(words):
                index = self.build(source, *KEY, *SIZES, "--typos", "--alias", "others", *options, name=f"entries {words}")
                self.verify(index, lambda key: plain(key, 1) == key)
                scan = FeatureOracle.of_index(index, words=words, alias=["others"])
                texts = queries(self.rng, scan.keys, 400 if LONG else 20)
                query = lambda text: FeatureQuery(text, typos=True)
                self.compare(index, scan, texts, query=query)
                self.compare(index, scan, texts[:12], 200, query=query)

    def test_words(self):
        """Edits of short words beside long ones, and of words with digits."""
        def word():
            letters = self.rng.choice(["abc", "abc", "ab12"])
            return "".join(self.rng.choice(letters) for _ in range(self.rng.choice([2, 3, 4, 8, 9])))

        lines = [
            json.dumps({"name": " ".join(word() for _ in range(self.rng.choice([1, 2, 2, 3]))), "country": "AB", "w": i})
            for i in range(600)]
        source = self.write("words.jsonl", lines)
        for rule in "letters", "digits":
            for words in [], ["--words"]:
                with self.subTest(rule, words=words):
                    index = self.build(source, *KEY, *SIZES, "--typos", rule, *words, name=f"{rule} {len(words)}")
                    scan = FeatureOracle.of_index(index, words="body") if words else EditedOracle.of_index(index)
                    scan.digits = rule == "digits"
                    texts = [typed(key) for key in self.rng.choices(scan.keys, k=400 if LONG else 40)]
                    texts = [text[: self.rng.randrange(4, len(text) + 1)] for text in texts]
                    for _ in range(2):
                        texts = [mistyped(self.rng, text, "abc12 ") for text in texts]
                    asked_by = FeatureQuery if words else EditedQuery
                    query = lambda text: asked_by(text, typos=True, all_words=True)
                    # test_oracle_readings.py has the spaces between digits and letters.
                    self.compare(index, scan, texts, query=query, options=["--words", "all"])

    def test_long_texts(self):
        """Of a text of more than 64 characters the first 64 are compared with edits."""
        word = lambda: "".join(self.rng.choice("abc\u00e9") for _ in range(self.rng.choice([3, 8, 9, 30])))
        names = [" ".join(word() for _ in range(7)) for _ in range(200)]
        lines = [json.dumps({"name": name, "country": "AB", "w": i}) for i, name in enumerate(names)]
        source = self.write("long.jsonl", lines)
        for words in [], ["--words"]:
            index = self.build(source, *KEY, *SIZES, "--typos", *words, name=f"long {len(words)}")
            scan = FeatureOracle.of_index(index, words="body") if words else EditedOracle.of_index(index)
            texts = []
            for name in self.rng.choices(names, k=60 if LONG else 24):
                ends = mistyped(self.rng, name[60:80]) if self.rng.randrange(2) else name[60:80] + "x" * self.rng.randrange(9)
                texts.append(self.rng.choice([mistyped(self.rng, name[:60]), name[:60]]) + ends)
            asked_by = FeatureQuery if words else EditedQuery
            query = lambda text: asked_by(text, typos=True, all_words=True)
            self.compare(index, scan, texts, query=query, options=["--words", "all"])

    def test_filter(self):
        lines = made(self.rng, 700, WEIGHTS["uniform"])
        index = self.build(self.write("filtered.jsonl", lines), *KEY, *SIZES, "--typos", "--filter", "country", name="filtered")
        self.verify(index)
        scan = Filtered.of_index(index)
        compared = 0
        for text in queries(self.rng, scan.keys, 25):
            (answer,) = asked(index, [text], 10, "--filter", "country=ab")
            if "interpretation" in answer:
                continue  # test_oracle_readings.py has the rules of readings.
            compared += 1
            expected = [parsed(scan.lines[rank.position]) for rank in scan.answer(text, 10)]
            self.assertEqual(hits_of(answer), expected, text)
        self.assertGreater(compared, 20)

    def test_none(self):
        lines = made(self.rng, 300, WEIGHTS["few"])
        index = self.build(self.write("none.jsonl", lines), *KEY, *SIZES, "--typos", name="none")
        scan = oracle.Oracle.of_index(index)
        texts = queries(self.rng, scan.keys, 100)
        for text, answer in zip(texts, asked(index, texts, 10, "--typos", "none")):
            self.assertEqual(hits_of(answer), [parsed(scan.lines[rank.position]) for rank in scan.answer(text, 10)], text)
        bare = self.build(self.write("bare.jsonl", lines), *KEY, name="bare")
        run = subprocess.run([COMMAND, "query", "abcd", "--typos", "auto", "-i", bare], capture_output=True)
        self.assertEqual(run.returncode, 64)
        self.assertIn(b"--typos", run.stderr)

    def test_first_hits(self):
        """Typing errors of people, on the list of this folder."""
        index = self.build(ROOT / "Samples" / "cities.csv", "--weight", "population", "--typos", name="sample")
        self.verify(index)
        names = {json.loads(line)["name"] for line in EditedOracle.of_index(index).lines}
        for text, name in [("lodnon", "London"), ("pariss", "Paris"), ("berln", "Berlin"), ("tokio", "Tokyo"), ("los angelse", "Los Angeles")]:
            if name not in names:
                continue
            (answer,) = asked(index, [text], 1)
            self.assertEqual(hits_of(answer)[0]["name"], name, text)
            run = subprocess.run([COMMAND, "query", text, "--format", "text", "-i", index], capture_output=True)
            self.assertIn(f'showing results for "{name}'.encode(), run.stderr, text)

    def test_geonames(self):
        """Expected first hits, and a sample of errors, on a real list."""
        source = self.directory / "cities1000.txt"
        source.write_bytes(unpacked(dataset("geonames-cities1000.txt.zst")))
        index = self.build(source, "--weight", "population", "--typos", name="geonames")
        for text, name in [
            ("lodnon", "London"), ("los angelse", "Los Angeles"), ("newyork", "New York City"), ("munchn", "München"),
            ("saint petersbrug", "Saint Petersburg"), ("ondon", "London"), ("san fransisco", "San Francisco"),
        ]:
            (answer,) = asked(index, [text], 1)
            self.assertEqual([hit["name"] for hit in hits_of(answer)], [name], text)
        if LONG:
            scan = EditedOracle.of_index(index)
            self.compare(index, scan, queries(self.rng, scan.keys, 40))


if __name__ == "__main__":
    unittest.main()
