"""The number of matches: one meaning in every output of the command."""

import json

from case import Case

CITIES = 72


class Counts(Case):
    def setUp(self):
        super().setUp()
        # The word leads to the records; no key begins with it.
        rows = [{"name": f"Old City {number}", "kind": "even" if number % 2 == 0 else "odd", "n": number} for number in range(CITIES)]
        rows += [{"name": "London", "kind": "odd", "n": 9}, {"name": "Londres", "kind": "odd", "n": 8}]
        self.write("rows.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        self.build("words", "--words", "--typos", "--filter", "kind")
        self.build("ranked")

    def build(self, name, *options, source="rows.jsonl"):
        self.shardq("build", "-q", "-i", name, "--key", "{name}", "--weight", "n", *options, source)

    def answer(self, *arguments, **options):
        return json.loads(self.shardq(*arguments, "--json", **options))

    def test_words_are_counted(self):
        for options in ([], ["--sort", "rank"]):
            self.assertEqual(self.shardq("-i", "words", "city", "--count", *options), f"{CITIES}\n")
        self.assertEqual(self.shardq("-i", "words", "city", "--count", "--sort", "key", status=1), "0\n")
        self.assertEqual(self.shardq("-i", "words", "zzzzz", "--count", status=1), "0\n")
        self.assertEqual(self.shardq("-i", "words", "", "--count"), f"{CITIES + 2}\n")

    def test_filters_are_counted(self):
        for text, kind, count in (("city", "even", CITIES // 2), ("", "odd", CITIES // 2 + 2), ("lon", "odd", 2)):
            for options in (["--filter", f"kind={kind}"], ["--filter", f"kind={kind}", "--filter", "kind=none"]):
                self.assertEqual(self.shardq("-i", "words", text, "--count", *options), f"{count}\n", (text, options))

    def test_corrections_count_if_nothing_else_matches(self):
        self.assertEqual(self.shardq("-i", "words", "lodnon", "--count"), "1\n")
        # Londres is two errors away from the text.
        self.assertEqual(self.shardq("-i", "words", "london", "--count"), "1\n")
        self.assertEqual(len(self.shardq("-i", "words", "london", "--all").splitlines()), 1)
        self.assertEqual(len(self.shardq("-i", "words", "lodnon", "--all").splitlines()), 1)

    def test_all_prints_as_many_in_the_order_of_the_answer(self):
        for index in ("words", "ranked"):
            for text in ("city", "old", "lon", ""):
                counted = self.run_shardq("-i", index, text, "--count").stdout
                lines = self.run_shardq("-i", index, text, "--all").stdout.splitlines()
                self.assertEqual(f"{len(lines)}\n", counted, (index, text))
                first = self.run_shardq("-i", index, text, "-n", "12").stdout.splitlines()
                self.assertEqual(lines[:len(first)], first, (index, text))

    def test_offset_is_the_next_page(self):
        for index in ("words", "ranked"):
            for text in ("old", "", "lon"):
                pages = [self.run_shardq("-i", index, text, "-n", "12", *options).stdout.splitlines()
                         for options in ([], ["--offset", "12"], ["--offset", "24"])]
                both = self.run_shardq("-i", index, text, "-n", "36").stdout.splitlines()
                self.assertEqual(sum(pages, []), both, (index, text))
        self.assertIn("in the order of the", self.shardq("query", "--help"))

    def test_members_of_json(self):
        for arguments, wanted in (
            (["-i", "words", "city", "-n", "3"], (3, False, 0)), (["-i", "words", "city", "--all"], (CITIES, True, 0)),
            (["-i", "words", "", "-n", "3"], (CITIES + 2, True, CITIES + 2)),
            (["-i", "ranked", "lon", "-n", "1"], (2, True, 2)),
            (["-i", "words", "lodnon"], (1, True, 0)),
        ):
            answer = self.answer(*arguments)
            self.assertEqual((answer["total"], answer["totalIsExact"], answer["keys"]), wanted, arguments)
            self.assertEqual(answer["count"], answer["total"], arguments)
        counted = self.answer("-i", "words", "city", "--count")
        self.assertEqual(counted, {"schema": 1, "query": "city", "count": CITIES, "total": CITIES, "totalIsExact": True})
        line = self.shardq("query", "-i", "words", "--stdin", "--count", input="city\n")
        self.assertEqual(json.loads(line), counted)

    def test_notes(self):
        def note(*arguments):
            return self.run_shardq("-i", *arguments, "--format", "text").stderr
        self.assertIn("the best 10 of 74 shown", note("words", ""))
        self.assertIn("the best 10 shown", note("words", "city"))
        self.assertIn("11 to 20 of 72 shown; --offset 20 shows the next", note("ranked", "old", "--offset", "10"))

    def test_more_than_ten_thousand(self):
        self.write("many.jsonl", "".join('{"name":"Old City %d","n":%d}\n' % (n, n % 9) for n in range(10_001)))
        self.build("many", "--words", source="many.jsonl")
        self.assertEqual(self.shardq("-i", "many", "city", "--count"), "10,000+\n")
        answer = self.answer("-i", "many", "city", "--count")
        self.assertEqual((answer["total"], answer["totalIsExact"]), (10_000, False))
        self.assertEqual(len(self.shardq("-i", "many", "city", "--all").splitlines()), 10_001)

    def test_nothing_asked_reads_nothing_more(self):
        """An answer costs the same parts, whether its format has a number or not."""
        def cost(*options):
            said = self.run_shardq("-i", "words", "city", "-n", "3", "-v", *options).stderr
            return [line.split(" decompressed")[0] for line in said.splitlines() if "decompressed" in line]
        self.assertEqual(cost("--format", "tsv"), cost("--json"))
        self.assertNotEqual(cost("--format", "tsv"), [])
