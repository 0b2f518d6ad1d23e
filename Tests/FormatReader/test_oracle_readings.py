"""Compares answers by readings with a plain scan: python3 -m unittest discover -s Tests/FormatReader

The tests ask a sample of queries, and SHARDQ_LONG=1 more. They print a seed; SHARDQ_SEED=N repeats its run.
"""

import json
import random
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reader  # noqa: E402
from oracle_readings import (  # noqa: E402
    Answer, Filters, Name, ReadingOracle, Tables, answered, names_of, names_setting, readings, synonyms_of,
    synonyms_setting)
from test_edits import mistyped  # noqa: E402
from test_filters import options_of  # noqa: E402
from test_oracle import LONG, SEED, SIZES, asked, hits_of, parsed, ranks_of  # noqa: E402
from test_reader import Temporary  # noqa: E402

LIMIT = 10
RECORDS, WORDS = 150, 20
MORE = 8 if LONG else 1
COUNTRIES = ["FR", "US", "GB", "de", "New Land"]
REGIONS = ["CA", "TX", "FR", "12", "Big Sur"]
TAGS = [
    "river", "Green River", "big green river", "Lake, North", ["river", "CA"], ["Old Town", "river"], None, True, "7"]
# Names with equal plain forms, for two values and for two fields; names that begin others; conditions.
NAMES = {
    "country": [
        "FR\tFrance", "FR\tLa Belle France", "US\tUnited States of America", "US\tUnited States", "US\tU.S.A.",
        "GB\tUnited Kingdom", "GB\tUnion", "FR\tunion", "de\tGermany", " New Land \t Newland ", "de\tLone Star",
        "XX\tNowhere", "US\tStates\tregion=CA",
    ],
    "region": [
        "CA\tCalifornia\tcountry=US", "TX\tTexas\tcountry=US", "TX\tLone Star\tcountry=us", "CA\tUnion", "TX\tState",
        "FR\tFribourg\tcountry=de", "FR\tFrance", "Big Sur\tBig-Sur Coast", "CA\tState\tcountry=GB",
        "12\tTwelve\ttag=river",
    ],
    "tag": [
        "river\tRio", "Lake, North\tNorth Lake", "Green River\tRio Verde", "Old Town\tHistoric Centre",
        "7\tUnion\tcountry=FR",
    ],
}
FILTERS: list[Filters] = [
    {"country": ["us"]}, {"country": ["fr", "US", "new land"], "region": ["ca", "FR", "tx"]},
    {"tag": ["RIVER", "green river"]}, {"region": ["none"]},
]


def setUpModule():
    print(f"answers by readings: SHARDQ_SEED={SEED}", file=sys.stderr)


class Examples(unittest.TestCase):
    """The readings themselves, on examples made by hand."""

    TABLES = Tables(
        ["country", "region"],
        {"country": names_of(
            ["# names", "FR\tFrance", "US\tUSA", "US\tUnited States", "GB\tUnited Kingdom", "US\tusa"]),
         "region": names_of(["CA\tCalifornia\tcountry=US", "TX\tTexas\tcountry=US", "TX\tTexas\tcountry=US"])},
        synonyms_of(["mt, mount, Mt.", "", "hbf => hauptbahnhof", "ny => new york", "the x, y => z"]))

    def found(self, text: str, filters: Filters | None = None) -> list[tuple[str, dict[str, str]]]:
        return [(reading.text, reading.made) for reading in readings(text, self.TABLES, filters or {})]

    def test_files(self):
        self.assertEqual(self.TABLES.names["region"], [
            Name("CA", "California", ("country", "US")), Name("TX", "Texas", ("country", "US"))])
        self.assertEqual(
            [row.name for row in self.TABLES.names["country"]], ["France", "United Kingdom", "United States", "USA"])
        # Of two phrases with one plain form the first is written here.
        self.assertEqual(self.TABLES.synonyms, [
            ("mt", "mount"), ("mount", "mt"), ("mount", "Mt."), ("hbf", "hauptbahnhof"), ("ny", "new york"),
            ("the x", "z"), ("y", "z")])

    def test_value_words(self):
        usa, france = {"country": "US"}, {"country": "FR"}
        for text, expected in {
            "paris france": [("paris ", france)],
            "paris, France,": [("paris ", france)],
            "france paris": [("paris", france)], "france, paris, ": [("paris, ", france)],
            "paris u": [], "paris un": [("paris ", {"country": "GB"}), ("paris ", usa)], "paris un ": [],
            "paris united st": [("paris ", usa)],
            "paris us texas": [
                ("paris us ", {"region": "TX", "country": "US"}), ("paris ", {"region": "TX", "country": "us"})],
            "paris fr texas": [("paris fr ", {"region": "TX", "country": "US"})],
        }.items():
            # Values as they stand come behind.
            *names, behind = self.found(text)[:len(expected) + 1]
            self.assertEqual((names, list(behind[1])), (expected, ["country"]), text)
        for text, expected in {
            "france": [], "fr": [], "": [], " , ": [], "a b c d e f g h us": [],
            "paris fr ": [("paris ", {"country": "fr"}), ("paris ", {"region": "fr"})],
            "paris texas fr ": [
                ("paris texas ", {"country": "fr"}), ("paris texas ", {"region": "fr"}),
                ("paris ", {"country": "texas fr"}), ("paris ", {"region": "texas fr"}),
                ("paris ", {"country": "fr", "region": "texas"}), ("paris ", {"region": "fr", "country": "texas"})],
        }.items():
            self.assertEqual(self.found(text), expected, text)
        self.assertIn(("a b c d e f g ", {"country": "us"}), self.found("a b c d e f g us "))
        self.assertIn(("paris ", {"country": "lake, north"}), self.found("paris lake, north"))
        self.assertEqual(self.found("paris texas", {"country": ["fr"], "region": ["ca"]}), [])
        reading, *_ = readings("paris usa", self.TABLES, {"country": ["fr", "us"], "region": ["ca"]})
        self.assertEqual(reading.filters, {"country": ["US"], "region": ["ca"]})
        self.assertEqual(reading.interpretation, {"text": "paris", "filter": usa})

    def test_synonyms(self):
        for text, expected in {
            "mt vernon": [("mount vernon", {})],
            "Hbf": [("hauptbahnhof", {})],
            "mt mt": [("mount mount", {}), ("mount mt", {}), ("mt mount", {})],
            "the x ny ": [("z new york ", {}), ("z ny ", {}), ("the x new york ", {})],
            "mt ny us": [("mount new york us", {}), ("mount ny us", {}), ("mt new york us", {})],
        }.items():
            found = readings(text, self.TABLES, {})
            self.assertEqual([(reading.text, reading.made) for reading in found if not reading.made], expected, text)
            # Those by value words of other texts come behind all of these.
            kinds = [reading.by for reading in found]
            self.assertEqual(kinds, sorted(kinds, key=["values", "synonyms", "both"].index), text)
        self.assertIn(("mount new york ", {"country": "US"}), self.found("mt ny us"))
        self.assertNotIn(("mount new ", {"country": "york us"}), self.found("mt ny us"))


class Lists(Temporary):
    """Lists, tables and queries made by a seed."""

    def setUp(self):
        super().setUp()
        self.rng = random.Random(f"{SEED} {self.id()}")
        self.counts = Counter()
        self.answers: list[tuple[str, Filters, Answer]] = []

    # What there is to ask

    def words(self) -> list[str]:
        found = {}
        while len(found) < WORDS:
            syllables = range(self.rng.choice([2, 2, 3, 4]))
            found["".join(self.rng.choice("bdgklmnprst") + self.rng.choice("aeiou") for _ in syllables)] = 1
        return list(found)

    def records(self, words: list[str]) -> list[dict]:
        row = lambda i: {
            "name": " ".join(self.rng.choice(words) for _ in range(self.rng.choice([1, 2, 2, 3]))), "id": i,
            "country": self.rng.choice(COUNTRIES), "region": self.rng.choice(REGIONS), "tag": self.rng.choice(TAGS),
            "w": self.rng.randrange(1 << self.rng.randrange(1, 20))}
        rows = [row(i) for i in range(RECORDS)]
        for some in self.rng.sample(rows, RECORDS // 6):
            some["name"] += self.rng.choice([" ", " 0."]) + self.rng.choice(["5mm", "5 mm", "7b2", "3\u00e9"])
        return rows

    def names(self, words: list[str], is_crowded: bool) -> dict[str, list[str]]:
        """Lines of names by field; in a crowded table every second word is a name."""
        found = {field: [line for line in lines if self.rng.randrange(8)] for field, lines in NAMES.items()}
        for word in words[::2] if is_crowded else words[:2]:
            field, values = self.rng.choice([("country", COUNTRIES), ("region", REGIONS)])
            condition = self.rng.choice(["", "", "\tcountry=" + self.rng.choice(COUNTRIES)])
            found[field].append(self.rng.choice(values) + "\t" + word.title() + condition)
        for lines in found.values():
            self.rng.shuffle(lines)
        return found

    def synonyms(self, words: list[str]) -> list[str]:
        """Short forms, words for each other, chains and cycles of them, and phrases."""
        a, b, c, d, e, f, g, h, *_ = self.rng.sample(words, len(words))
        found = [
            f"st => {a}", f"st => {b}, {c}", f"{a}, {d}", f"{d}, {e}", f"{e} => {a}", f"mt., {f}, big {g}",
            f"{g} {h} => {b}", f"{c} => {g} {h}", f"united st, {h}", f"old {a} {b}, {f}", f"xy,{d},{d.upper()}",
            f"river => {g}", f"qz => {a} France", f"wu => {b} River", "xo => old town",
        ]
        self.rng.shuffle(found)
        return ["# words", ""] + found

    def value_words(self, row: dict, tables: Tables) -> str:
        """A name of a value of a record, or the value itself."""
        field = self.rng.choice(["country", "region", "tag"])
        values = row[field] if isinstance(row[field], list) else [row[field]]
        values = [value for value in values if isinstance(value, str)]
        named = [other.name for other in tables.names[field] if other.value in values]
        if not values or self.rng.randrange(8) == 0:
            named, values = [self.rng.choice(tables.names[field]).name], []
        return self.rng.choice(named if named and self.rng.randrange(3) else values or named)

    def short_form(self, name: str, tables: Tables) -> str:
        """A name in which a phrase stands for its synonym."""
        found = [(phrase, other) for phrase, other in tables.synonyms if f" {other} " in f" {name} "]
        if not found:
            return name + " " + self.rng.choice(tables.synonyms)[0]
        phrase, other = self.rng.choice(found)
        return f" {name} ".replace(f" {other} ", f" {phrase} ", 1).strip()

    def query(self, kind: str, rows: list[dict], words: list[str], tables: Tables) -> str:
        row = self.rng.choice(rows)
        if "synonym" in kind:
            held = [
                other for other in rows if any(f" {pair[1]} " in f" {other['name']} " for pair in tables.synonyms)]
            row = self.rng.choice(held or rows)
        if kind == "digits":
            row = self.rng.choice([other for other in rows if re.search("[0-9]", other["name"])])
        name = row["name"] if self.rng.randrange(4) else row["name"].split(" ")[self.rng.randrange(-1, 1)]
        text = self.short_form(row["name"], tables) if "synonym" in kind else name
        if kind == "digits":
            text = self.rng.choice([row["name"].replace("5 ", "5"), re.sub("([0-9])(?=[a-z\u00e9])", r"\1 ", row["name"])])
        if "edit" in kind:
            text = mistyped(self.rng, text, "aeiou bdg")
        if "first" in kind:
            text = self.value_words(row, tables) + " " + text
        for _ in range(kind.count("value")):
            text += self.rng.choice([" ", " ", ", ", "  "]) + self.value_words(row, tables)
        if kind == "phrase":
            # What replaces it may be a value, or end in one.
            phrase = self.rng.choice(tables.synonyms)[0]
            text = row["name"].split(" ")[0] + " " + self.rng.choice(["qz", "wu", "xo", phrase])
        if "left" in kind:
            text += " " + self.rng.choice(["zzzz", "of zzzz", self.rng.choice(words)])
        if kind == "any":
            pool = words + [other.name for table in tables.names.values() for other in table] + COUNTRIES + REGIONS
            text = " ".join(self.rng.choice(pool) for _ in range(self.rng.randrange(1, 10)))
        if "cut" in kind:
            text = text[: -self.rng.randrange(1, 4)]
        text = self.rng.choice([text, text, text.upper()])
        return text.strip(" ,") + self.rng.choice(["", "", "", " ", ", "] if "cut" not in kind else [""])

    KINDS = (
        "digits", "value", "value", "value cut", "value value", "first", "synonym", "synonym", "synonym value",
        "synonym value value", "synonym first", "edit value", "edit synonym value", "left value", "left", "any",
        "phrase")

    # Comparing

    def index_of(self, name: str, words: str | None, is_crowded: bool, key: str = "{name}"):
        """Builds an index with tables; checks its settings. Returns it with all that is asked of it."""
        vocabulary = self.words()
        rows, lines = self.records(vocabulary), self.names(vocabulary, is_crowded)
        synonyms = self.synonyms(vocabulary)
        fields = self.rng.sample(list(NAMES), len(NAMES))
        options = ["--key", key, "--weight", "w", *SIZES, "--typos"] + (["--words"] if words else [])
        for field in fields:
            options += ["--filter", field]
        for field, rows_of in lines.items():
            middle = self.rng.randrange(len(rows_of))
            for part, some in enumerate((rows_of[:middle], rows_of[middle:])):
                options += ["--names", f"{field}={self.write(f'{name} {field} {part}.tsv', ['# a comment', *some])}"]
        options += ["--synonyms", self.write(f"{name} synonyms.txt", synonyms)]
        index = self.build(self.write(name + ".jsonl", list(map(json.dumps, rows))), *options, name=name)
        scan = ReadingOracle.of_index(index, words=words)
        names = {field: names_of(some) for field, some in lines.items()}
        tables = Tables(fields, names, synonyms_of(synonyms))
        settings = reader.Index(index).settings
        for field, table in tables.names.items():
            self.assertEqual(settings[b"names " + field.encode()], names_setting(table), f"seed {SEED}")
        self.assertEqual(settings[b"synonyms"], synonyms_setting(tables.synonyms), f"seed {SEED}")
        return index, scan, tables, lambda kind: self.query(kind, rows, vocabulary, tables)

    def compare(
        self, index, scan, tables, texts: list[str], filters: Filters, *, typos: bool = True, all_words: bool = False
    ):
        """Records in order, their ranks, and all that an answer says of its text."""
        options = options_of(filters) + ([] if typos else ["--typos", "none"])
        options += ["--words", "all"] if all_words else []
        for text, answer in zip(texts, asked(index, texts, LIMIT, *options)):
            expected = answered(scan, tables, text, filters, typos, all_words)
            best = scan.best(expected.ranks, LIMIT)
            said = f"{text!r} {options}, {index.name}, seed {SEED}: the oracle has {expected.reading}"
            meant = expected.reading.interpretation if expected.reading else None
            self.assertEqual(answer.get("interpretation"), meant, said)
            self.assertEqual(answer.get("dropped", []), expected.dropped, said)
            self.assertEqual(hits_of(answer), [parsed(scan.lines[rank.position]) for rank in best], said)
            self.assertEqual(ranks_of(answer), [(rank.edits, rank.score, rank.weight) for rank in best], said)
            self.assertEqual("correction" in answer, expected.edits > 0, said)
            self.count(text, filters, expected)

    def count(self, text: str, filters: Filters, answer: Answer):
        if answer.reading:
            self.counts[answer.reading.by] += 1
            self.counts["edits"] += answer.edits > 0
            self.counts["two filters"] += len(answer.reading.made) > 1
            self.counts["of a filtered query"] += bool(filters)
            self.answers.append((text, filters, answer))
        self.counts["left out"] += bool(answer.dropped)

    def compare_all(self, index, scan, tables, query):
        kinds = self.KINDS * (6 * MORE)
        self.compare(index, scan, tables, [query(kind) for kind in kinds], {})
        for filters in FILTERS:
            texts = [query(kind) for kind in kinds[: 45 * MORE]]
            self.compare(index, scan, tables, texts, filters, typos=filters != FILTERS[0])
        self.compare(index, scan, tables, [query(kind) for kind in kinds[: 60 * MORE]], {}, typos=False)
        self.compare(index, scan, tables, [query(kind) for kind in kinds[: 10 * MORE]], {}, all_words=True)
        self.compare_pages(index, scan)

    def compare_pages(self, index, scan):
        """A cursor continues in the list of the reading."""
        long = sorted(self.answers, key=lambda found: -len(found[2].ranks))[:3]
        for text, filters, expected in long:
            found, cursor = [], []
            while cursor is not None:
                (answer,) = asked(index, [text], 3, *options_of(filters), *cursor)
                if answer["matches"]:
                    self.assertEqual(answer.get("interpretation"), expected.reading.interpretation, text)
                found += hits_of(answer)
                cursor = ["--after", answer["cursor"]] if "cursor" in answer else None
            ranks = scan.best(expected.ranks, len(expected.ranks))
            self.assertEqual(found, [parsed(scan.lines[rank.position]) for rank in ranks], f"{text!r}, seed {SEED}")
        self.answers.clear()

    def check_counts(self):
        """Tests that find no such answer test nothing."""
        for kind in "values", "synonyms", "both", "edits", "two filters", "of a filtered query", "left out":
            self.assertGreater(self.counts[kind], 0, f"{kind}, {self.counts}, seed {SEED}")

    def test_words(self):
        """An index with entries matches plain forms."""
        self.compare_all(*self.index_of("words", "body", False))
        self.compare_all(*self.index_of("crowded words", "body", True, "{name}, {region}"))
        self.check_counts()

    def test_keys(self):
        """An index without entries matches folds."""
        self.compare_all(*self.index_of("keys", None, False))
        self.compare_all(*self.index_of("crowded keys", None, True, "{name}, {region}"))
        self.check_counts()


if __name__ == "__main__":
    unittest.main()
