"""Records whose keys have no text are counted, and `--skip-empty-keys` leaves them out wherever records are read."""

import json
import unittest

from case import Case

KEY = ["--key", "{Title}, {Vendor}", "--id", "Handle"]
SKIP = "--skip-empty-keys"
# Folds of keys without text: a separator, with spaces, with other separators, white space of other scripts.
BLANK = [("", ""), (" ", ""), ("", "  "), (", ", ","), ("\u00a0", "\u3000"), ("\u200b", "")]


def products(count, blank):
    """Returns products; `blank` are the numbers of those whose key has no text, and whose fields are their own."""
    made = []
    for number in range(count):
        title, vendor = (f"Desk {number * 7 % count}", f"Maker {number % 5}")
        record = {"Handle": f"h{number}", "Title": title, "Vendor": vendor, "Price": number}
        if number in blank:
            record["Title"], record["Vendor"] = BLANK[number % len(BLANK)]
            record["Note"] = "a variant"
        made.append(record)
    return made


class EmptyKeys(Case):
    def lines(self, name, records):
        return self.write(name, "".join(json.dumps(record) + "\n" for record in records))

    def build(self, name, source, *options):
        return self.run_shardq("build", "-i", name, *KEY, "--shard-size", "4KiB", *options, source)

    def digest(self, name):
        return json.loads(self.shardq("stats", "-i", name, "--json"))["manifest_sha256"]

    def names(self, name):
        lines = self.shardq("-i", name, "", "--all", "--format", "jsonl").splitlines()
        return sorted(json.loads(line)["Handle"] for line in lines)

    def test_counted_and_left_out(self):
        blank = set(range(3, 300, 10))
        records = products(300, blank)
        source = self.lines("all.jsonl", records)
        said = self.build("kept", source).stderr
        self.assertIn("30 records have a key without text (empty, or separators and spaces alone); "
                      "build --skip-empty-keys leaves them out\n", said)
        self.assertEqual(len(self.names("kept")), 300)
        said = self.build("left", source, SKIP).stderr
        self.assertIn("300 records read, 270 in the index, 0 bad\n", said)
        self.assertIn("\n30 records without a key were left out\n", said)
        self.assertNotIn("without text", said)
        # The index is that of the other records, names of fields included.
        rest = self.lines("rest.jsonl", [record for number, record in enumerate(records) if number not in blank])
        said = self.build("rest", rest, SKIP).stderr
        self.assertNotIn("left out", said)
        self.assertEqual(self.digest("left"), self.digest("rest"))
        self.assertNotEqual(self.digest("left"), self.digest("kept"))
        self.assertEqual(self.names("left"), sorted(record["Handle"] for number, record in enumerate(records)
                                                    if number not in blank))
        report = json.loads(self.build("left", source, SKIP, "--json").stdout)
        self.assertEqual((report["records_left_out"], report["records"], report["bad_records"]), (30, 270, 0))
        self.assertTrue(report["unchanged"])

    def test_keys_that_have_text_stay(self):
        records = [{"Handle": str(number), "Title": title, "Vendor": vendor}
                   for number, (title, vendor) in enumerate([("a", ""), ("", "b"), ("-", ""), ("\u00a0", "!"), ("7", " ")])]
        said = self.build("index", self.lines("all.jsonl", records), SKIP).stderr
        self.assertNotIn("left out", said)
        self.assertEqual(self.names("index"), ["0", "1", "2", "3", "4"])

    def test_bad_records_stay_bad(self):
        records = [{"Handle": "1", "Title": "a", "Vendor": "b"}, {"Handle": "2"}, {"Handle": "3", "Title": None},
                   {"Handle": "4", "Title": ""}]
        source = self.lines("all.jsonl", records)
        ended = self.build("index", source, SKIP)
        self.assertEqual(ended.returncode, 65, ended.stderr)
        self.assertIn("all.jsonl:2:1: record 2: lacks the fields", ended.stderr)
        said = self.build("index", source, SKIP, "--skip-bad").stderr
        self.assertIn("4 records read, 1 in the index, 2 bad\n", said)
        self.assertIn("\n1 record without a key was left out\n", said)

    def test_an_index_is_not_emptied(self):
        self.build("index", self.lines("all.jsonl", products(5, ())), SKIP)
        ended = self.build("index", self.lines("blank.jsonl", products(4, range(4))), SKIP)
        self.assertEqual(ended.returncode, 65)
        self.assertIn("of 4 records none has text in its key, and --skip-empty-keys leaves such records out", ended.stderr)
        self.assertEqual(len(self.names("index")), 5)
        self.assertEqual(self.build("index", self.directory / "blank.jsonl", SKIP, "--min-records", "0").returncode, 0)
        self.assertEqual(self.shardq("-i", "index", "", "--count", status=1), "0\n")

    def test_updates_keep_the_rule(self):
        records = products(400, range(0, 400, 9))
        source = self.lines("all.jsonl", records)
        # Records lose their key, get one, change, are new without a key, and are new with one.
        changes = {1: ("", ""), 9: ("Chair 9", "Alma"), 5: ("Chair 5", ""), 14: (" ", ", ")}
        changed = [dict(record) for record in records]
        for number, (title, vendor) in changes.items():
            changed[number] |= {"Title": title, "Vendor": vendor}
        new = [{"Handle": "n1", "Title": "", "Vendor": "", "Price": 1}, {"Handle": "n2", "Title": "Stool", "Vendor": "x",
                                                                         "Price": 2}]
        upserted = self.lines("changes.jsonl", [changed[number] for number in changes] + new)
        self.build("whole", self.lines("changed.jsonl", changed + new), SKIP)
        for steps in (["--upsert", upserted],), (["--overlay", "--upsert", upserted], ["--merge"]):
            self.build("index", source, SKIP)
            before = len(self.names("index"))
            for number, step in enumerate(steps):
                ended = self.run_shardq("update", "-i", "index", *step)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                if number == 0:
                    self.assertIn("6 changes read, 0 bad; 3 records replaced or removed, "
                                  f"{before} in the index\n3 records without a key were left out\n", ended.stderr)
                self.assertEqual(self.names("index"), self.names("whole"))
                self.shardq("verify", "-i", "index", "--source", "changed.jsonl")
            self.assertEqual(self.digest("index"), self.digest("whole"))
        self.lines("twice.jsonl", [new[0], new[0]])
        self.assertIn("twice.jsonl:2:1: record 2: the id n1 is in the changes twice",
                      self.refused("update", "-i", "index", "--upsert", "twice.jsonl", status=65))
        # Without the rule the records stay, and are counted.
        self.build("kept", source)
        said = self.run_shardq("update", "-i", "kept", "--upsert", upserted).stderr
        self.assertIn("3 records have a key without text", said)
        self.assertEqual(len(self.names("kept")), 402)

    def test_verify_follows_the_index(self):
        source = self.lines("all.jsonl", products(50, {3, 4}))
        self.build("left", source, SKIP)
        self.build("kept", source)
        ended = self.run_shardq("verify", "-i", "left", "--source", source)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("48 records in the dataset and 2 without a key: all in the index, and no others\n", ended.stderr)
        # The line of the build can be repeated.
        self.shardq("verify", "-i", "left", *KEY[:2], SKIP, "--source", source)
        self.assertIn("\n50 records in the dataset: all in", self.run_shardq("verify", "-i", "kept", "--source", source).stderr)
        fewer = self.lines("fewer.jsonl", products(49, {3, 4}))
        self.assertIn("not in the dataset", self.shardq("verify", "-i", "left", "--source", fewer, status=1))
        self.assertIn(" --skip-empty-keys ", self.plan("left"))
        self.assertNotIn("skip-empty-keys", self.plan("kept"))
        self.assertIn("records without text in it are left out", self.shardq("stats", "-i", "left"))

    def plan(self, index):
        self.write("log", "".join(f"{time}\t{text}\n" for time, text in enumerate(["d", "de", "des", ""] * 40)))
        return self.shardq("plan", "-i", index, "--log", "log", "--shard-sizes", "4K,8K", "--part-sizes", "2K") + " "

    def test_ranges_give_the_same_index(self):
        blank = set(range(0, 500, 6))
        source = self.lines("all.jsonl", products(500, blank))
        for options in [], ["--words"]:
            self.build("whole", source, SKIP, *options)
            ended = self.run_shardq(
                "plan-ranges", "--ranges", "4", *KEY, "--shard-size", "4KiB", SKIP, *options, source)
            self.assertIn("in the sample, 84 records without a key were left out\n", ended.stderr)
            self.write("plan", ended.stdout)
            keyed = self.run_shardq("key", "--plan", "plan", input=source.read_text())
            self.assertRegex(keyed.stderr, r"^84 records without a key were left out\n416 records in [\d,]+ bytes, .* s\n$")
            self.assertEqual(len(keyed.stdout.splitlines()), 416)
            ids = self.shardq("key", "--plan", "plan", "--ids", input=source.read_text()).splitlines()
            self.assertEqual(len(ids), 416)
            rows = self.shardq("write-range", "--plan", "plan", "-o", "target", input=keyed.stdout).splitlines(True)
            entries = "".join(row.split("\t", 1)[1] for row in rows if row.startswith("entry\t"))
            if entries:
                rows += self.shardq("write-range", "--plan", "plan", "-o", "target", "--entries", input=entries)
            self.write("rows", "".join(rows))
            self.shardq("merge", "--plan", "plan", "-o", "target", "--records", "416", "--repeated-ids", "0", "--force",
                        "rows")
            self.assertEqual(self.digest("target"), self.digest("whole"))
        # Without the rule, the planner counts these records.
        ended = self.run_shardq("plan-ranges", "--ranges", "4", *KEY, source)
        self.assertIn("in the sample, 84 records have a key without text", ended.stderr)


if __name__ == "__main__":
    unittest.main()
