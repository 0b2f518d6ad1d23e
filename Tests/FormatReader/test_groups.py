"""Compares groups of ranked answers with a plain scan: python3 -m unittest discover -s Tests/FormatReader

The tests ask a sample of all queries: see test_oracle.py.
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from oracle import Oracle  # noqa: E402
from test_numbers import NumberOracle, PlainOracle  # noqa: E402
from test_oracle import KEY, LONG, SEED, SIZES, WEIGHTS, Compared, Refused, asked, hits_of, parsed  # noqa: E402
from test_oracle_entries import KINDS, made, texts  # noqa: E402
from test_reader import COMMAND, shardq  # noqa: E402

WALK = 10_000
LETTERS = "x" * 64
TAGS = [
    "red", "red", "red", "Red", "re d", "é", "e\u0301", 5, "5", 5.0, "5.0", "-0", -0.0, True, "true", False, None, "", " ", [], ["red"],
    ["red", "blue"], {}, {"x": "red"}, {"x": 5}, "null", "[]", LETTERS, LETTERS + "a", LETTERS + "b", LETTERS + "b" * 60_000,
    LETTERS + "b" * 60_001, "\n", "😀",
]
FIELDS = ["tag", "tag.x", "id", "country", "name", "w", "others", "key", "always", "created"]


def setUpModule():
    print(f"groups: SHARDQ_SEED={SEED}", file=sys.stderr)


def text_of(scan, position, field):
    """The text that makes the group of a record; None if the record is a group of its own."""
    if field == "key":
        return scan.keys[position] or None
    value = json.loads(scan.lines[position], parse_int=str, parse_float=str)
    for name in field.removeprefix("+").split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value or None if isinstance(value, str) else None


def grouped(scan, ranks, field):
    """The best rank of each group, and the number of its others."""
    groups, found = {}, []
    for rank in ranks:
        text = text_of(scan, rank.position, field)
        if text is not None and text in groups:
            groups[text][1] += 1
            continue
        found.append([rank, 0])
        if text is not None:
            groups[text] = found[-1]
    return found


class Groups(Compared):
    def lines(self, count):
        lines = []
        for line in made(self.rng, count, WEIGHTS["Pareto"]):
            row = json.loads(line)
            if self.rng.randrange(6):
                row["tag"] = self.rng.choice(TAGS)
            if self.rng.randrange(8):
                row["price"] = self.rng.choice([1, 2, "3.5", 8, -4, "2025-01-01", "none"])
            row |= {"always": "same", "key": self.rng.choice(["one", "two"]), "color": self.rng.choice(["AA", "BB"])}
            row["lat"], row["lon"] = self.rng.randrange(-90, 91), self.rng.randrange(-180, 181)
            lines += [json.dumps(row)] * self.rng.choice([1, 1, 1, 4])
        return lines

    def index_with(self, name, lines, *options, oracle=NumberOracle, **features):
        index = self.build(
            self.write(name + ".jsonl", lines), "--key", "{name}, {country}", *SIZES, "--number", "price", *options, name=name)
        return index, oracle.of_index(index, **features)

    def compare_answer(self, scan, answer, found, limit, context, exact=True):
        shown = found[:limit]
        self.assertEqual(hits_of(answer), [parsed(scan.lines[rank.position]) for rank, _ in shown], context)
        self.assertEqual([int(number) for number in answer["others"]], [others for _, others in shown], context)
        self.assertEqual([int(hit["edits"]) for hit in answer["hits"]], [rank.edits for rank, _ in shown], context)
        self.assertEqual(answer["othersAreExact"], exact, context)
        self.assertEqual((int(answer["total"]), answer["totalIsExact"]), (len(found), exact), context)
        self.assertEqual(answer["complete"], exact or len(shown) == limit, context)
        self.assertEqual("cursor" in answer, len(shown) < len(found), context)

    def compare(self, index, scan, queries, field, *options, limits=(1, 10), **conditions):
        name = "rank" if scan.order is None else ("-" if scan.order[1] else "") + scan.order[0]
        options = [
            *options, "--words", "all", f"--group={field}",
            *(f"--filter={path}={text}" for path, some in scan.ranges.items() for text in some)]
        seen = 0
        everything = [grouped(scan, scan.answer(scan.asked(text, **conditions), 10**6), field) for text in queries]
        for limit in limits:
            for text, answer, found in zip(queries, asked(index, queries, limit, *options, sort=name), everything):
                self.compare_answer(scan, answer, found, limit, (text, field, scan.ranges, scan.order, SEED))
                seen += sum(others for _, others in found[:limit])
        return seen

    def choices(self, count):
        for _ in range(count):
            ranges = {"price": [self.rng.choice(["1..3", "2", "..0"])]} if self.rng.randrange(3) == 0 else {}
            yield ranges, self.rng.choice([("price", False), ("price", True), None, None])

    def queries(self, scan, count):
        return ["", "a", "qqq"] + [text for kind in KINDS for text in texts(self.rng, scan, kind, count)]

    def test_everything(self):
        """Groups with words, other names, errors, filters, nearness and an order by numbers."""
        options = ["--weight", "w", "--words", "--alias", "others", "--typos", "--near", "--filter", "color"]
        index, scan = self.index_with("everything", self.lines(600), *options, words="body", alias=["others"])
        seen = 0
        for scan.ranges, scan.order in self.choices(40 if LONG else 8):
            field, queries = self.rng.choice(["tag", "key", "country", "+key", "w"]), self.queries(scan, 8 if LONG else 2)
            seen += self.compare(index, scan, queries, field, "--typos", "none")
            conditions = {"near": ("48.5", "2"), "filters": {"color": ["AA"]}}
            self.compare(index, scan, queries[::3], field, "--typos=none", "--near=48.5,2", "--filter=color=AA", **conditions)
            self.compare(index, scan, queries[::5], field, typos=True, limits=(10,))
        self.assertGreater(seen, 100)

    def test_fields(self):
        """Each kind of field: missing, empty, arrays, one text for all records, one for each, long texts."""
        index, scan = self.index_with("fields", self.lines(400), "--weight", "w")
        for field in FIELDS[:-1] + ["+key"]:
            self.compare(index, PlainOracle.of_index(index), ["", "a", "b ", "ab", "zzz"], field, limits=(3, 50, 1000))
        with self.assertRaises(Refused) as refusal:
            asked(index, ["a"], 3, "--group", "created")
        self.assertEqual(refusal.exception.args[0], 64)
        self.assertIn("the index has no field created to group by; name key or one of its fields: name, country", refusal.exception.args[1])

    def test_pages(self):
        """Pages joined by cursors, and pages at offsets, are one page."""
        index, scan = self.index_with("pages", self.lines(500), "--weight", "w", "--words", words="body")
        for scan.order in None, ("price", True):
            name = "-price" if scan.order else "rank"
            for text, field in ("", "tag"), ("a", "key"), ("b", "id"), ("", "always"), ("a", "w"):
                found = grouped(scan, scan.answer(scan.asked(text), 10**6), field)
                options, after, joined, others = ["--words", "all", "--group", field], [], [], []
                while True:
                    (answer,) = asked(index, [text], 7, *options, *after, sort=name)
                    self.assertEqual((int(answer["total"]), answer["othersAreExact"]), (len(found), True))
                    joined += hits_of(answer)
                    others += [int(number) for number in answer["others"]]
                    if "cursor" not in answer:
                        break
                    after = ["--after", answer["cursor"]]
                self.assertEqual(joined, [parsed(scan.lines[rank.position]) for rank, _ in found], (text, field, SEED))
                self.assertEqual(others, [number for _, number in found], (text, field, SEED))
                (answer,) = asked(index, [text], 5, *options, "--offset", "3", sort=name)
                self.assertEqual([int(number) for number in answer["others"]], [number for _, number in found[3:8]])
                self.assertEqual(hits_of(answer), joined[3:8])
                if after:
                    for other in ["--group", "country"], []:
                        with self.assertRaises(Refused) as refusal:
                            asked(index, [text], 7, "--words", "all", *other, *after, sort=name)
                        self.assertIn("belongs to another query", refusal.exception.args[1])

    def test_words_left_out(self):
        """Groups of a text that has matches without some of its words, and of its pages."""
        index, scan = self.index_with("left out", self.lines(400), "--weight", "w", oracle=PlainOracle)
        rows = 0
        for text in "a qqq zz", "b zz", "ab qqq", "zz a b":
            (whole,) = asked(index, [text], 500)
            (answer,) = asked(index, [text], 500, "--group", "country")
            self.assertEqual(whole.get("dropped"), answer.get("dropped"))
            first, others = {}, {}
            for row in hits_of(whole):
                first.setdefault(row["country"], row)
                others[row["country"]] = others.get(row["country"], -1) + 1
            self.assertEqual(hits_of(answer), list(first.values()))
            self.assertEqual([int(number) for number in answer["others"]], list(others.values()))
            joined, after = [], []
            while first:
                (page,) = asked(index, [text], 1, "--group", "country", *after)
                joined += hits_of(page)
                if "cursor" not in page:
                    break
                after = ["--after", page["cursor"]]
            self.assertEqual(joined, list(first.values()), text)
            rows += len(joined)
        self.assertGreater(rows, 3)

    def test_changes(self):
        """The records of an overlay, and the shards of an update."""
        options = ["--weight", "w", "--words", "--typos", "--id", "id"]
        lines = list({json.loads(line)["id"]: line for line in self.lines(500)}.values())
        index, _ = self.index_with("changed", lines, *options, words="body")
        changed = [dict(json.loads(line), id=self.rng.randrange(600)) for line in self.lines(60)]
        changes = self.write("changes.jsonl", [json.dumps(row) for row in {row["id"]: row for row in changed}.values()])
        for where in ["--overlay"], []:
            shardq("update", "-i", index, "--upsert", changes, *where)
            scan = NumberOracle.of_index(index, words="body")
            for field in "tag", "key", "always":
                self.assertGreater(self.compare(index, scan, self.queries(scan, 2), field, "--typos", "none", limits=(10,)), 0)

    def test_many(self):
        """Of more than 10,000 matches the best 10,000 make the groups, and the answer says so."""
        rows = [
            {"name": f"a{i % 7}", "country": "B", "w": self.rng.randrange(1 << 20), "few": str(i % 300), "many": i}
            for i in range(WALK + 2500)]
        index = self.build(self.write("many.jsonl", [json.dumps(row) for row in rows]), *KEY, name="many")
        plain = Oracle.of_index(index)
        for field in "few", "many", "key":
            ranks = plain.best(plain.ranks_of_all_words(plain.query("a")), WALK)
            found = grouped(plain, ranks, field)
            for limit in 5, 300, 11_000:
                (answer,) = asked(index, ["a"], limit, "--words", "all", "--group", field)
                self.compare_answer(plain, answer, found, limit, (field, limit), exact=False)
            after, joined = [], []
            while True:
                (answer,) = asked(index, ["a"], 90 if field == "few" else 2100, "--group", field, *after)
                joined += hits_of(answer)
                if "cursor" not in answer:
                    break
                after = ["--after", answer["cursor"]]
            self.assertEqual(joined, [parsed(plain.lines[rank.position]) for rank, _ in found])
        # One key has fewer matches than that.
        (answer,) = asked(index, ["a1"], 5, "--group", "few")
        found = grouped(plain, plain.best(plain.ranks_of_all_words(plain.query("a1")), WALK), "few")
        self.compare_answer(plain, answer, found, 5, "a1")

    def run_query(self, *arguments):
        run = subprocess.run([COMMAND, "query", *arguments], capture_output=True, text=True)
        return run.returncode, run.stdout, run.stderr

    def test_forms(self):
        """The formats of the command, its count and its notes."""
        rows = [{"name": "Springfield", "country": "US", "w": w} for w in range(50)] + [{"name": "Springe", "country": "DE", "w": 9}]
        index = self.build(self.write("forms.jsonl", [json.dumps(row) for row in rows]), *KEY, name="forms")
        status, text, note = self.run_query("sprin", "-i", index, "--group", "key", "--format", "text")
        self.assertEqual((status, text, note), (0, "Springfield, US (+49)\nSpringe, DE\n", ""))
        status, text, note = self.run_query("sprin", "-i", index, "--group", "key", "--format", "text", "-n", "1", "--color", "never")
        self.assertEqual((text, note), ("Springfield, US (+49)\n", "the best 1 of 2 shown; --limit shows more, --all lists all\n"))
        self.assertEqual(self.run_query("sprin", "-i", index, "--group", "key", "--count")[1], "2\n")
        self.assertEqual(self.run_query("sprin", "-i", index, "--group", "name", "--format", "tsv")[1], "Springfield\tUS\t49\nSpringe\tDE\t9\n")
        self.assertEqual(self.run_query("q", "-i", index, "--group", "name", "--words", "all")[:2], (1, ""))
        self.assertEqual(self.run_query("sprin", "-i", index, "--group", "key", "-q")[:2], (0, ""))
        report = self.run_query("sprin", "-i", index, "--group", "key", "--explain", "-n", "1")[1]
        self.assertRegex(report, r"group +key")
        self.assertRegex(report, r"total +2\b")
        self.assertRegex(report, r"highest left +score \d+, weight 9,")

    def test_refusals(self):
        index = self.build(self.write("small.jsonl", ['{"name": "a", "country": "B", "w": 1}']), *KEY, name="small")
        for name in "nam", "Name", "name ", "name,country":
            status, text, message = self.run_query("a", "-i", index, f"--group={name}")
            self.assertEqual((status, text), (64, ""), name)
            self.assertIn(f"the index has no field {name} to group by; name key or one of its fields: name, country, w", message)
        status, text, message = self.run_query("a", "-i", index, "--group", "name", "--sort", "key")
        self.assertEqual((status, text), (64, ""))
        self.assertIn("--group", message)
        unranked = self.build(self.write("plain.jsonl", ['{"name": "a"}']), name="unranked")
        status, text, message = self.run_query("a", "-i", unranked, "--group", "name")
        self.assertEqual((status, text), (64, ""))
        self.assertIn("the index has no ranks; build it again with --weight", message)


if __name__ == "__main__":
    unittest.main()
