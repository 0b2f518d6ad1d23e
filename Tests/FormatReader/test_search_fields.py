"""Compares answers by words of searched fields, and by names with a bonus, with a plain scan: python3 -m unittest discover
-s Tests/FormatReader

The tests ask a sample of all queries: see test_oracle.py.
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reader  # noqa: E402
from oracle_features import FeatureOracle, FeatureQuery, fold  # noqa: E402
from test_oracle import LONG, SEED, SIZES, WEIGHTS, Compared, asked, hits_of, names, page, parsed, typed  # noqa: E402
from test_oracle_entries import Entries, made, texts  # noqa: E402
from test_edits import mistyped  # noqa: E402
from test_reader import COMMAND, shardq  # noqa: E402

SEARCHED = ["about:-5", "tags:-4", "others:-9"]
FEATURES = {"words": "body", "alias": ["others:-3", "also"], "searched": SEARCHED}
OPTIONS = [
    *[word for path in FEATURES["alias"] for word in ("--alias", path)],
    *[word for path in SEARCHED for word in ("--search-field", path)],
]


def setUpModule():
    print(f"search fields: SHARDQ_SEED={SEED}", file=sys.stderr)


def lines_of(rng, count, weight):
    """Records with descriptions and tags of few letters, among them values without texts and with signs."""
    found = []
    for line in made(rng, count, weight):
        row = json.loads(line)
        word = lambda: rng.choice(names(rng, 1)[0].split() or ["x"])
        row["about"] = rng.choice([" ".join(word() for _ in range(rng.randrange(6))), "c++ & d-e, a", None, 17, True, ["a b", "e"], {}])
        row["tags"] = rng.choice([[word() for _ in range(rng.randrange(4))], word(), [], "", [["a"], 5, None]])
        row["also"] = rng.choice(["", word(), f"{word()} {word()}"])
        found.append(json.dumps(row, ensure_ascii=False))
    return found


def queries(rng, scan, count):
    """Words of a record's fields, alone, together, and with words of its key."""
    found = []
    while len(found) < count:
        record = scan.texts(rng.randrange(len(scan.keys)))
        words = [word.decode() for word, _ in record.field_words]
        kind = rng.randrange(4)
        if kind == 0:
            words = words[:1]
        elif kind == 1:
            words += [word.decode() for word in record.body_words + record.last_words[:1]]
        elif kind == 2:
            words += [rng.choice(record.others)[0].decode()] if record.others else []
        rng.shuffle(words)
        words = [word[: rng.randrange(1, len(word) + 1)] if rng.randrange(2) else word for word in words[: rng.randrange(1, 4)]]
        if words:
            found.append(" ".join(words) + rng.choice(["", "", " ", ",", "+"]))
    return found


class SearchFields(Entries):
    def lists(self):
        for name, key in ("few", "{name}"), ("Pareto", "{name}, {country}"), ("all 0", "{name}, {country}"):
            lines = lines_of(self.rng, 700, WEIGHTS[name])
            index = self.build(self.write(f"{name}.jsonl", lines), "--key", key, "--weight", "w", *SIZES, "--typos", *OPTIONS, name=name)
            yield index, FeatureOracle.of_index(index, **FEATURES)

    def test_answers(self):
        """Words alone and in any order with those of keys and names; each hit, its score and its order."""
        for index, scan in self.lists():
            asking = queries(self.rng, scan, 600 if LONG else 60)
            for kind in "beginning", "order", "name", "across", "sign":
                asking += texts(self.rng, scan, kind, 100 if LONG else 8)
            for limit in 1, 10, 300:
                for text, answer in zip(asking, asked(index, asking, limit, "--typos", "none")):
                    self.compare_hits(scan, text, answer, scan.answer(FeatureQuery(text, separators=scan.separators), limit))
            reader.Index(index).text_entries.verify_ranks()
            shardq("verify", "-i", index)

    def test_typing_errors(self):
        for index, scan in self.lists():
            asking = [mistyped(self.rng, text) for text in queries(self.rng, scan, 200 if LONG else 24)]
            # The longer answers have more records than the search reads before it looks at a second word.
            answers = [asked(index, asking, limit, "--words", "all") for limit in (10, 300)]
            for text, ten, all_of_them in zip(asking, *answers):
                expected = scan.answer(FeatureQuery(text, typos=True, all_words=True, separators=scan.separators), 300)
                self.compare_hits(scan, text, ten, expected[:10])
                self.compare_hits(scan, text, all_of_them, expected)

    def test_a_frequent_and_a_rare_word(self):
        """In both orders, and with an error in one of them, the search reads few of the records that have the frequent word."""
        rows = [{"name": f"n{n}", "about": f"frequently {'scarcely' if n % 1000 == 7 else 'otherwise'} x{n}"} for n in range(20_000)]
        index = self.build(self.write("rare.jsonl", map(json.dumps, rows)), "--key", "{name}", "--typos", *SIZES, "--search-field", "about", name="rare")
        def found(text, limit=50):
            run = subprocess.run([COMMAND, "query", "-i", index, "-v", "--format", "json", "--limit", str(limit), text], capture_output=True, check=True)
            parts = re.search(rb"([0-9,]+) parts read", run.stderr)[1].replace(b",", b"")
            return sorted(int(row["name"][1:]) for row in json.loads(run.stdout)["matches"]), int(parts)

        _, all_parts = found("frequently", 20_000)
        for text in "frequently scarcely", "scarcely frequently", "frequently scarely", "scarcely frequenly", "frequenly scarcely":
            numbers, parts = found(text)
            self.assertEqual(numbers, list(range(7, 20_000, 1000)), text)
            self.assertLess(3 * parts, all_parts, text)
        # No record has both words, nor words near to them, so the answer is that of one word.
        for text in "frequently zzyzxqrt", "zzyzxqrt frequently":
            self.assertLess(found(text)[1], 2 * all_parts, text)

    def test_pages(self):
        """Pages joined are one page."""
        for index, scan in self.lists():
            for text in queries(self.rng, scan, 6):
                expected, found, ranks, cursor = scan.answer(FeatureQuery(text, all_words=True, separators=scan.separators), 70), [], [], None
                for _ in range(10):
                    answer = page(index, text, 7, cursor)
                    found, ranks = found + hits_of(answer), ranks + answer["hits"]
                    cursor = answer.get("cursor")
                    if cursor is None:
                        break
                if all(rank.edits == 0 for rank in expected) and expected:
                    self.compare_hits(scan, text, {"matches": found, "hits": ranks}, expected)

    def test_filters_numbers_and_places(self):
        lines = []
        for line in lines_of(self.rng, 800, WEIGHTS["Pareto"]):
            row = json.loads(line) | {"lat": self.rng.randrange(-90, 91), "lon": self.rng.randrange(-180, 181), "price": self.rng.randrange(90)}
            lines.append(json.dumps(row, ensure_ascii=False))
        options = [*OPTIONS, "--near", "--filter", "country", "--number", "price"]
        index, scan = self.index_of("filtered", lines, *SIZES, *options, **FEATURES)
        reader.Index(index).text_entries.verify_sides(fold)
        asking = queries(self.rng, scan, 200 if LONG else 25)
        for filters, near in [({"country": ["AA"]}, None), ({}, ("48.5", "2")), ({"country": ["b b"]}, ("-16.8", "179.99"))]:
            options = [f"--near={near[0]},{near[1]}"] if near else []
            options += [word for field, values in filters.items() for value in values for word in ("--filter", f"{field}={value}")]
            for text, answer in zip(asking, asked(index, asking, 10, *options, "--words", "all", "--typos", "none")):
                query = FeatureQuery(text, False, filters, near, all_words=True)
                self.compare_hits(scan, text, answer, scan.answer(query, 10))
        for text, answer in zip(asking, asked(index, asking, 100, "--words", "all", sort="price")):
            ranks = scan.ranks(FeatureQuery(text, all_words=True))
            price = lambda rank: int(json.loads(scan.lines[rank.position])["price"])
            ranks = sorted(ranks, key=lambda rank: (price(rank), rank))[:100]
            self.assertEqual(hits_of(answer), [parsed(scan.lines[rank.position]) for rank in ranks], text)

    def test_changes(self):
        """The records of an overlay, and an update, which gives the entries of a build."""
        lines = lines_of(self.rng, 500, WEIGHTS["Pareto"])
        index, _ = self.index_of("changed", lines, *SIZES, *OPTIONS, "--id", "id", **FEATURES)
        records = {json.loads(line)["id"]: line for line in lines}
        for options in ["--overlay"], []:
            changed = [json.dumps(json.loads(line) | {"id": self.rng.randrange(700)}) for line in lines_of(self.rng, 30, WEIGHTS["few"])]
            changed = {json.loads(line)["id"]: line for line in changed}
            records |= changed
            shardq("update", "-i", index, "--upsert", self.write("changes.jsonl", changed.values()), *options)
            scan = FeatureOracle.of_index(index, **FEATURES)
            self.compare(index, scan, queries(self.rng, scan, 60), limits=[10])
        again = self.build(self.write("again.jsonl", records.values()), "--key", "{name}, {country}", *SIZES, "--weight", "w", *OPTIONS, "--id", "id", name="again")
        found = [list(reader.Index(directory).text_entry_set()) for directory in (index, again)]
        self.assertEqual(*found)

    def test_via(self):
        """JSON names the way, and marks the words of the key alone."""
        rows = [
            {"name": "Mini skirt", "about": "a red wool skirt", "tags": ["Summer", "sale"]}, {"name": "Red hat", "about": "felt"},
            {"name": "Wool hat", "about": ["knitted", "warm & soft"]},
        ]
        index = self.build(self.write("shop.jsonl", map(json.dumps, rows)), "--key", "{name}", "--search-field", "about", "--search-field", "tags:-4")
        found = lambda text: [(hit["key"], hit["via"], int(hit["bonus"]), [[*map(int, ends)] for ends in hit["highlights"]]) for hit in asked(index, [text], 9)[0]["hits"]]
        self.assertEqual(found("summ"), [("Mini skirt", "field", -4, [])])
        self.assertEqual(found("skirt wo"), [("Mini skirt", "field", -8, [[5, 10]])])
        self.assertEqual(found("sale skirt"), [("Mini skirt", "field", -7, [[5, 10]])])
        self.assertEqual(found("red"), [("Red hat", "key", 0, [[0, 3]]), ("Mini skirt", "field", -5, [])])
        self.assertEqual(found("soft and wool"), [("Wool hat", "field", -8, [[0, 4]])])
        self.assertEqual(found("xxxx wool"), [("Wool hat", "key", 0, [[0, 4]]), ("Mini skirt", "field", -5, [])])

    def test_code(self):
        """Capitals behind small letters begin words, in the components of the key but the last."""
        parts = ["get", "User", "Name", "URL", "Of", "x", "Id", "set", "2", "_", " ", "\u00dcber", "a"]
        rows = [{"name": "".join(self.rng.choices(parts, k=self.rng.randrange(1, 6))), "country": self.rng.choice(["aB", "US"]), "w": n % 90,
                 "about": "".join(self.rng.choices(parts, k=9))} for n in range(900)]
        rows.append({"name": "aB" * 20, "country": "aB", "w": 1, "about": ""})
        lines = [json.dumps(row) for row in rows]
        for name, options, searched, setting in [
            ("code", [], ["name:-4"], b"name:-4"), ("both", ["--search-field", "about"], ["about:-5", "name:-4"], b"about,name:-4"),
        ]:
            index = self.build(self.write(f"{name}.jsonl", lines), "--key", "{name}, {country}", "--weight", "w", *SIZES, "--typos", "--words", "code", *options, name=name)
            self.assertEqual(reader.Index(index).settings[b"search-field"], setting)
            scan = FeatureOracle.of_index(index, words="code", searched=searched)
            asking = queries(self.rng, scan, 300 if LONG else 60) + ["username", "user name", "nameof", "b", "ab", "url id", "us", "b" + "ab" * 5]
            for text, answer in zip(asking, asked(index, asking, 50, "--typos", "none", "--words", "all")):
                self.compare_hits(scan, text, answer, scan.answer(FeatureQuery(text, all_words=True, separators=scan.separators), 50))
            asking = [mistyped(self.rng, text) for text in asking[:20]] + ["usrname"]
            for text, answer in zip(asking, asked(index, asking, 50, "--words", "all")):
                self.compare_hits(scan, text, answer, scan.answer(FeatureQuery(text, typos=True, all_words=True, separators=scan.separators), 50))
            shardq("verify", "-i", index)

    def test_refusals(self):
        source = self.write("list.jsonl", ['{"name": "a", "text:1": "b", "n": "c"}'])
        for options, message in [
            (["--search-field", "text:-3"], b"from -16 to -4"), (["--search-field", "n:+1"], b"--search-field"), (["--alias", "n:-17"], b"from -16 to 0"),
            (["--search-field", "m"], b"--search-field"), (["--search-field", "n", "--keep", "name"], b"is searched"), (["--words", "code", "--keep", "n"], b"name"), (["--alias", "n:99999999999999999999"], b"n:999"),
        ]:
            run = subprocess.run([COMMAND, "build", source, "-i", self.directory / "refused", "--key", "{name}", *options], capture_output=True)
            self.assertNotEqual(run.returncode, 0, options)
            self.assertIn(message, run.stderr, options)
        index = self.build(source, "--key", "{name}", "--search-field", "text:1:-5", name="colon")
        self.assertEqual([hit["via"] for hit in asked(index, ["b"], 9)[0]["hits"]], ["field"])


if __name__ == "__main__":
    unittest.main()
