"""Compares ranked answers by words and other names with a plain scan: python3 -m unittest discover -s Tests/FormatReader

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
from test_oracle import AT_ONCE, COMMAND, KEY, LIMITS, LONG, SEED, SIZES, WEIGHTS, Compared, asked, hits_of, names, page, parsed, prefixes, ranks_of, typed  # noqa: E402
from test_reader import shardq  # noqa: E402

KINDS = ("beginning", "word", "name", "order", "sign", "across")


def others(rng):
    """Other names of a record: a list, or texts between commas; empty ones, repeated ones, the name itself."""
    found = [rng.choice(names(rng, 1) + ["", "a", "aB", "d-e", "e.", "É", "b & c", "a++", ".d", "\u2605 e"]) for _ in range(rng.randrange(4))]
    return found if rng.randrange(2) else rng.choice(",;|\n").join(name.replace(",", " ") for name in found)


def record(rng, i, name, country, weight):
    row = {"name": name, "country": country, "w": weight, "id": i}
    if rng.randrange(3):
        row["others"] = others(rng)
    return json.dumps(row, ensure_ascii=False)


def made(rng, count, weight):
    signs = ["-", ".", "'", " (", "/", "&", " & ", "+", "++ ", " .", "_", "\u2605", " \u00bf"]
    found = []
    for i, name in enumerate(names(rng, count)):
        if rng.randrange(3) == 0:
            place = rng.choice([i for i, letter in enumerate(name) if letter == " "] or [0, len(name)])
            name = name[:place] + rng.choice(signs) + name[place:].removeprefix(" ")
        found.append(record(rng, i, name, rng.choice(["AA", "AB", "B b", "B-c"]), weight(rng, i)))
    return found


def texts(rng, scan, kind, count):
    """Queries of one kind, from the records of a list."""
    found = []
    while len(found) < count:
        position = rng.randrange(len(scan.keys))
        record = scan.texts(position)
        key = typed(record.forms[-1] if kind == "sign" else record.forms[0])
        if kind == "word" and record.later:
            key = typed(rng.choice(record.later)[1])
        elif kind == "name" and record.others:
            key = typed(rng.choice(record.others)[0] + rng.choice([b"", record.ending]))
        elif kind == "order":
            words = record.body_words + record.last_words[:1]
            rng.shuffle(words)
            key = " ".join(word.decode()[: rng.randrange(2, len(word) + 2)] for word in words[: rng.randrange(1, 5)])
        elif kind == "across" and record.others:
            words = [rng.choice(record.others)[0].split()[0]] + rng.sample(record.body_words, min(2, len(record.body_words)))
            rng.shuffle(words)
            key = b" ".join(words[: rng.randrange(2, 4)]).decode()
        elif kind == "sign" and rng.randrange(2):
            key = typed(scan.keys[position])
        text = key[: rng.randrange(1, len(key) + 2)] if key else key
        text += rng.choice(["", "", "", " ", "-", ".", "+", "&"])
        if rng.randrange(8) == 0:
            text = text.replace(" and ", " & ") if " and " in text else text.replace("&", " and ")
        found.append(text.replace(",", " ") if rng.randrange(4) == 0 else text)
    return found


class Entries(Compared):
    def compare(self, index, scan, queries, limits=LIMITS):
        for first in range(0, len(queries), AT_ONCE):
            some = queries[first : first + AT_ONCE]
            best = [scan.answer(text, max(limits)) for text in some]
            for limit in limits:
                for text, answer, ranks in zip(some, asked(index, some, limit), best):
                    self.compare_hits(scan, text, answer, ranks[:limit])

    def compare_hits(self, scan, text, answer, expected):
        lines = [parsed(scan.lines[rank.position]) for rank in expected]
        if hits_of(answer) != lines or ranks_of(answer) != [(r.edits, r.score, r.weight) for r in expected]:
            shown = lambda rows: "\n".join(map(str, rows))
            self.fail(f"{text!r}, seed {SEED}:\nthe command\n{shown(zip(ranks_of(answer), hits_of(answer)))}\n"
                      f"the oracle\n{shown(zip(expected, lines))}")

    def index_of(self, name, lines, *options, **features):
        index = self.build(self.write(name + ".jsonl", lines), *KEY, *options, name=name)
        return index, FeatureOracle.of_index(index, **features)

    def test_lists(self):
        """Each rule, on lists of few letters; a tenth of the queries is a prefix of a key."""
        for name, options, features in [
            ("words", ["--words"], {"words": "body"}),
            ("all words", ["--words", "all"], {"words": "all"}),
            ("names", ["--alias", "others"], {"alias": ["others"]}),
            ("both", ["--words", "--alias", "others"], {"words": "body", "alias": ["others"]}),
        ]:
            for weight in ("Pareto", "all 0") if name == "both" else ("Pareto",):
                with self.subTest(name, weight=weight):
                    lines = made(self.rng, 1500 if LONG else 1000, WEIGHTS[weight])
                    index, scan = self.index_of(name.replace(" ", "-") + weight[:1], lines, *SIZES, *options, **features)
                    queries = self.rng.sample(prefixes(scan.keys, 4), 40) + ["", " ", "-", "a b", "b a ", "a b c d e"]
                    for kind in KINDS:
                        queries += texts(self.rng, scan, kind, 1000 if LONG else 25)
                    self.compare(index, scan, queries)

    def test_components(self):
        """Commas inside of values end no component, and typed spaces may stand for them."""
        for key in "{name}", "{name}, {country}", "{name}, {tag}, {country}":
            with self.subTest(key):
                lines = []
                for line in made(self.rng, 700, WEIGHTS["Pareto"]):
                    row = json.loads(line) | {"tag": self.rng.choice(["t", "u v", "w, x"])}
                    row["name"] = "".join(self.rng.choice([",", ", ", " "]) if c == " " else c for c in row["name"])
                    lines.append(json.dumps(row, ensure_ascii=False))
                options = ["--key", key, "--weight", "w", *SIZES, "--words", "--alias", "others", "--typos"]
                index = self.build(self.write("components.jsonl", lines), *options, name=f"components {key.count(',')}")
                reader.Index(index).text_entries.verify_ranks()
                scan = FeatureOracle.of_index(index, words="body", alias=["others"])
                queries = [text for kind in KINDS for text in texts(self.rng, scan, kind, 200 if LONG else 20)]
                queries += self.rng.sample(prefixes(scan.keys, 6), 20)
                for typos in False, True:
                    some = queries[:: 4 if typos else 1]
                    for text, answer in zip(some, asked(index, some, 10, "--typos", "auto" if typos else "none")):
                        query = FeatureQuery(text, typos, separators=scan.separators)
                        self.compare_hits(scan, text, answer, scan.answer(query, 10))

    def test_no_weight(self):
        """Without weights every code is 0."""
        lines = made(self.rng, 800, WEIGHTS["all 0"])
        index = self.build(self.write("plain.jsonl", lines), "--key", "{name}, {country}", "--words", *SIZES, name="plain")
        scan = FeatureOracle.of_index(index, words="body")
        self.compare(index, scan, texts(self.rng, scan, "word", 60) + texts(self.rng, scan, "order", 60))

    def test_repeated_keys(self):
        """A key 2,000 times, which many entries lead to."""
        lines = [record(self.rng, i, "San José-d'A", "AA", WEIGHTS["uniform"](self.rng, i)) for i in range(2000)]
        lines += made(self.rng, 300, WEIGHTS["Pareto"])
        index, scan = self.index_of("repeated", lines, *SIZES, "--words", "--alias", "others", words="body", alias=["others"])
        self.compare(index, scan, ["jose", "san jose", "jose san", "josé d", "jose da", "d a san", "san jose da aa", "a", "d"])

    def test_parts_without_weights(self):
        """In a list without weights the first records that begin with a text need no entry, with signs in their keys too."""
        signs = "Sa-", "Sa ", "Bo ", "-Sa"
        lines = [json.dumps({"name": f"{self.rng.choice(signs)}{i:05}", "country": "AA", "lat": i % 80, "lng": i % 170})
                 for i in range(9000)]
        for name, options in ("words", []), ("everything", ["--typos", "--filter", "country", "--near"]):
            index = self.build(
                self.write("even.jsonl", lines), "--key", "{name}, {country}", *SIZES, "--words", *options, name=name)
            scan = FeatureOracle.of_index(index, words="body")
            self.compare(index, scan, ["s", "sa", "sa-", "sa 0", "b", "0"])
            for text in "s", "sa":
                said = subprocess.run(
                    [COMMAND, "query", "--explain", "-i", index, "--", text], capture_output=True, text=True, check=True)
                self.assertLess(int(re.search(r"parts opened\W+(\d+)", said.stdout)[1]), 8, (name, text))

    def test_pages(self):
        """Pages joined are one page, for matches of all kinds."""
        lines = made(self.rng, 1500, WEIGHTS["few"])
        index, scan = self.index_of("pages", lines, *SIZES, "--words", "--alias", "others", words="body", alias=["others"])
        for text in ["", "a", "b", "b a", "e "] + texts(self.rng, scan, "name", 3):
            expected, found, ranks, cursor = scan.answer(FeatureQuery(text, all_words=True), 70), [], [], None
            for _ in range(10):
                answer = page(index, text, 7, cursor)
                found, ranks = found + hits_of(answer), ranks + answer["hits"]
                cursor = answer.get("cursor")
                if cursor is None:
                    break
            self.compare_hits(scan, text, {"matches": found, "hits": ranks}, expected)

    def test_filters_and_nearness(self):
        """Filters and a place, with the tables of entries; keys repeat, so that entries have several values and cells."""
        lines = []
        for line in made(self.rng, 900, WEIGHTS["Pareto"]):
            row = json.loads(line)
            row["tag"] = self.rng.choice(["river", "lake", ["lake", "a \"b"], "", None, 7])
            row["lat"], row["lon"] = self.rng.randrange(-90, 91), self.rng.randrange(-180, 181)
            lines += [json.dumps(row)] * self.rng.choice([1, 1, 3])
        lines += [json.dumps({"name": "b e-a c", "country": "AA", "w": 9, "tag": f"t{i}"}) for i in range(1100)]
        options = ["--words", "--alias", "others", "--typos", "--near", "--filter", "tag", "--filter", "country"]
        index, scan = self.index_of("filtered", lines, *SIZES, *options, words="body", alias=["others"])
        reader.Index(index).text_entries.verify_sides(fold)
        for filters, near in [
            ({"tag": ["lake"]}, None), ({"tag": ["a \"b", "7"], "country": ["b b"]}, None), ({}, ("48.5", "2")),
            ({"country": ["AA"]}, ("-16.8", "179.99")), ({"tag": ["t7"]}, None), ({"tag": ["x"]}, None),
        ]:
            options = [f"--near={near[0]},{near[1]}"] if near else []
            options += [word for field, values in filters.items() for value in values for word in ("--filter", f"{field}={value}")]
            queries = [text for kind in KINDS for text in texts(self.rng, scan, kind, 100 if LONG else 4)] + ["b", "e a", "b e a c"]
            for typos in [False, True]:
                queries = queries[:: 1 if LONG or not typos else 4]
                # test_oracle_readings.py has words that stand for filters.
                asking = [*options, "--words", "all", "--typos", "auto" if typos else "none"]
                for text, answer in zip(queries, asked(index, queries, 10, *asking)):
                    query = FeatureQuery(text, typos, filters, near, all_words=True)
                    self.compare_hits(scan, text, answer, scan.answer(query, 10))

    def test_changes(self):
        """The records of an overlay, and the shards of an update."""
        lines = made(self.rng, 600, WEIGHTS["Pareto"])
        index, _ = self.index_of("changed", lines, *SIZES, "--words", "--alias", "others", "--id", "id")
        features = {"words": "body", "alias": ["others"]}
        for options in ["--overlay"], []:
            changed = [record(self.rng, self.rng.randrange(700), name, "AA", 5000 + i) for i, name in enumerate(names(self.rng, 25))]
            changed = list({json.loads(line)["id"]: line for line in changed}.values())
            self.update(index, changed, *options)
            scan = FeatureOracle.of_index(index, **features)
            queries = [text for kind in KINDS for text in texts(self.rng, scan, kind, 30)]
            self.compare(index, scan, queries)

    def update(self, index, lines, *options):
        shardq("update", "-i", index, "--upsert", self.write("changes.jsonl", lines), *options)


if __name__ == "__main__":
    unittest.main()
