"""Runs the commands of README.md and docs/, and compares their output with the pages: documents.py has the rules."""

import glob
import os
import unittest

import documents


class Rules(unittest.TestCase):
    def failures(self, page):
        return documents.run(page)[0]

    def test_output_is_compared(self):
        self.assertEqual(self.failures("```sh\necho one; echo two\n```\n\n```\none\ntwo\n```\n"), [])
        self.assertEqual(self.failures("```sh\nseq 9\n```\n```\n1\n2\n…\n```\n"), [])
        self.assertEqual(len(self.failures("```sh\necho one\n```\n```\ntwo\n```\n")), 1)
        self.assertEqual(len(self.failures("```sh\nseq 9\n```\n```\n1\n3\n…\n```\n")), 1)
        self.assertEqual(self.failures("```sh\necho one\n```\nThis is another list:\n```\ntwo\n```\n"), [])
        self.assertEqual(len(self.failures("<!-- output of: echo one -->\n```\ntwo\n```\n")), 1)

    def test_times_may_differ_and_counts_may_not(self):
        block = "```sh\necho '7 records in 2.5 s'\n```\n"
        self.assertEqual(self.failures(block + "```\n7 records in 31 s\n```\n"), [])
        self.assertEqual(len(self.failures(block + "```\n8 records in 2.5 s\n```\n")), 1)

    def test_a_failing_command_is_one_unless_it_is_marked(self):
        self.assertEqual(len(self.failures("```sh\nfalse\ntrue\n```\n")), 1)
        self.assertEqual(len(self.failures("```sh\necho $unset\n```\n")), 1)
        marked = documents.run("<!-- not run: fails -->\n\n```sh\nfalse\n```\n")
        self.assertEqual(marked, ([], [(3, "fails")]))

    def test_another_script_has_the_lines_that_it_is_said_to_run(self):
        block = "<!-- run by: Scripts/try.sh Makefile -->\n```sh\n%s  # says why\n```\n"
        self.assertEqual(documents.run(block % "swift build"), ([], [(2, "run by Scripts/try.sh, Makefile")]))
        self.assertEqual(self.failures(block % "swift bui"), ["line 2: no script runs swift bui"])

    def test_a_block_that_needs_a_file(self):
        self.assertEqual(len(self.failures("<!-- needs: Makefile -->\n```sh\nfalse\n```\n")), 1)
        self.assertEqual(documents.run("<!-- needs: none -->\n```sh\nfalse\n```\n"), ([], [(2, "none is not there")]))

    def test_places_of_the_pages_are_on_this_machine(self):
        page = ("<!-- prepare: shardq build -q -i /srv/list Samples/cities.csv; cp -r /srv/list list -->\n```sh\n"
                "shardq publish -q -i /srv/list s3://bucket/list/\n"
                "for url in s3://bucket/ https://example.org/; do shardq -i ${url}list/ london ca --fields name; done\n```\n")
        self.assertEqual(self.failures(page + "```\nLondon\nLondon\n```\n"), [])

    def test_a_command_in_a_block_without_a_language_is_found(self):
        page = "```\nshardq build -i places\n```\n```\n$ ls\n```\n```\nshardq generation 1\n```\n"
        self.assertEqual(documents.unnamed_commands(page), [1, 4])
        self.assertEqual(documents.unnamed_commands("A block:\n\n    shardq build -i places\n"), [3])

    def test_prepared_and_written_files_stay_for_the_next_block(self):
        page = "<!-- prepare:\necho a >list\n-->\n```sh\ncp list other\n```\n\n```sh\ncat other\n```\n\n```\na\n```\n"
        self.assertEqual(self.failures(page), [])
        self.assertEqual(len(self.failures("<!-- prepare: false -->\n```sh\ntrue\n```\n")), 1)

    def test_servers_answer_and_end(self):
        ask = "\ncurl -sS --retry 9 --retry-connrefused 'http://127.0.0.1:7878/v1/search?q=lon&limit=1'"
        with documents.Clone() as clone:
            status, printed = clone.run("shardq serve  # in the foreground" + ask)
            self.assertEqual(status, 0, printed)
            self.assertIn("London", printed)
            server, = clone.servers()
            clone.stop()
            self.assertFalse(os.path.exists(f"/proc/{server}"))
            status, printed = clone.run("shardq serve --title 'A & B' \\\n  -i shards >address &" + ask + "\nkill $!")
            self.assertEqual(status, 0, printed)
            self.assertIn("London", printed)
            self.assertEqual(clone.servers(), [])


class Page:
    def test_blocks(self):
        with open(os.path.join(documents.ROOT, self.page), encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(documents.unnamed_commands(page), [], "these blocks with commands are no `sh` blocks")
        failures, left = documents.run(page)
        for line, reason in left:
            # Scripts/steps.sh prints lines that begin with `skipped`.
            begin = "skipped: " * reason.endswith(" is not there")
            print(f"{begin}{self.page}:{line}: not run: {reason}", flush=True)
        self.assertEqual(failures, [], "\n".join([""] + failures))


def pages():
    return ["README.md"] + [os.path.join("docs", os.path.basename(path))
                            for path in sorted(glob.glob(os.path.join(documents.ROOT, "docs", "*.md")))]


for name in pages():
    title = "Page_" + "".join(letter if letter.isalnum() else "_" for letter in name)
    globals()[title] = type(title, (Page, unittest.TestCase), {"page": name, "__module__": __name__})
