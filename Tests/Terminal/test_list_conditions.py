"""Tests shardq ui with conditions, in tmux: Tests/side_by_side.py Tests/Terminal"""

import os
import re
import shlex
import subprocess
import unittest

from test_picker import PickerTest
from test_terminal import SHARDQ


class Conditions(PickerTest):
    """The order and the conditions of a query are those of the list's answers."""

    RECORDS = [
        {"name": "Paris", "w": 90, "country": "FR", "lat": 48.85, "lon": 2.35},
        {"name": "Paris", "w": 80, "country": "US", "lat": 33.66, "lon": -95.55},
        {"name": "Parma", "w": 70, "country": "IT", "lat": 44.8, "lon": 10.33},
        {"name": "Pau", "w": 20, "country": "FR", "lat": 43.3, "lon": -0.37},
        {"name": "Praia", "w": 60, "country": "CV", "lat": 14.93, "lon": -23.51},
    ]
    OPTIONS = ["--key", "{name}, {country}", "--weight", "w", "--filter", "country", "--near", "--typos"]

    def opened(self, options, typed="p", size=(100, 12)):
        screen = self.screen(*size)
        self.build(screen, "c", self.RECORDS, *self.OPTIONS)
        screen.run(f"shardq ui -i c --preview-window hidden --no-map -q '{typed}' {options}; echo status $?")
        return screen

    def check(self, options, typed, information, names, rows=None):
        screen = self.opened(options, typed)
        screen.wait(lambda text: text.split("\n")[1].rstrip() == "  " + information)
        shown = self.rows(screen)
        self.assertEqual(shown if names else shown[1:], rows or names or ['nearest: "paris"'], options)
        # The answers are those of a query.
        index = os.path.join(screen.directory, "c")
        lines = subprocess.run([SHARDQ, "query", typed, "-i", index, "--fields", "name,country", *shlex.split(options)],
                               capture_output=True, text=True, check=bool(names)).stdout.splitlines()
        self.assertEqual([line.replace("\t", ", ") for line in lines], names)
        return screen

    def test_they_choose_and_order_the_rows(self):
        self.check("", "p", "1/5 of 5", ["Paris, FR", "Paris, US", "Parma, IT", "Praia, CV", "Pau, FR"])
        self.check("--filter country=fr", "p", "1/2 of 5 · country=fr", ["Paris, FR", "Pau, FR"])
        self.check("--filter country=US --filter=country=IT", "par", "1/2 of 5 · country=US · country=IT",
                   ["Paris, US", "Parma, IT"])
        self.check("--near 33,-95", "paris", "1/2 of 5 · near 33,-95", ["Paris, US", "Paris, FR"])
        self.check("--near -10,-20 --filter country=CV", "p", "1/1 of 5 · country=CV · near -10,-20", ["Praia, CV"])
        self.check("--group country", "p", "1/4 of 5 · group country", ["Paris, FR", "Paris, US", "Parma, IT", "Praia, CV"],
                   ["Paris, FR (+1)", "Paris, US", "Parma, IT", "Praia, CV"])
        self.check("--sort key", "p", "1/5 of 5 · sort key", ["Paris, FR", "Paris, US", "Parma, IT", "Pau, FR", "Praia, CV"])
        self.check("--sort rank", "pra", "1/1 of 5 · sort rank", ["Praia, CV"])
        self.check("--typos none", "pariss", "0 of 5 · typos none", [])
        self.check("--typos min --sort rank", "pariss", "1/2+ of 5 · results for \"Paris\" · typos min · sort rank",
                   ["Paris, FR", "Paris, US"])

    def test_they_stay_for_each_text(self):
        screen = self.opened("--filter country=FR", "")
        screen.shows("1/2 of 5 · country=FR")
        for typed, names in [("pa", ["Paris, FR", "Pau, FR"]), ("r", ["Paris, FR"])]:
            screen.type(typed)
            screen.wait(lambda text: self.rows(screen) == names)
        screen.keys("C-u")
        screen.type("zzz")
        screen.shows("no match passes the filter")
        self.assertNotIn("nearest", screen.text())
        screen.keys("Enter")
        screen.shows("status 1")

    def test_a_value_that_no_record_has(self):
        screen = self.opened("--filter country=FT")
        screen.shows("\n  no match passes the filter\n  did you mean country=fr or it?\n")
        screen.keys("Escape")
        screen.shows("status 130")
        screen.run("clear; shardq ui -i c --plain --filter country=FT -q p")
        screen.shows("Conditions: country=FT")
        screen.shows("p: no match passes the filter; did you mean country=fr or it?")

    def test_a_small_window_has_the_count(self):
        screen = self.opened("--filter country=FR --near 48,2", "p", (12, 6))
        screen.wait(lambda text: text.split("\n")[1].rstrip() in ["  1/2 of 5", "  1/2"])

    def test_wrong_ones_are_refused_as_in_a_query(self):
        screen = self.screen()
        self.build(screen, "c", self.RECORDS, *self.OPTIONS)
        self.build(screen, "plain", self.RECORDS, "--key", "{name}")

        def said(index, command, *options):
            done = subprocess.run([SHARDQ, *command, "-i", index, *options], cwd=screen.directory, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, start_new_session=True)
            self.assertEqual((done.returncode, done.stdout), (64, ""), (command, options, done.stderr))
            return re.sub(r"shardq (query|ui) --help", "shardq --help", done.stderr)

        for index, *options in [
            ("c", "--filter", "country"), ("c", "--filter", "=FR"), ("c", "--filter", "continent=EU"), ("c", "--near", "91,0"),
            ("c", "--near", "paris"), ("c", "--typos", "all"), ("c", "--sort", "weight"), ("plain", "--sort", "rank"),
            ("plain", "--filter", "country=FR"), ("plain", "--near", "48,2"), ("plain", "--typos", "auto"),
            ("c", "--sort", "key", "--sort", "rank"), ("c", "--near", "1,1", "--near", "2,2"), ("c", "--typos"),
        ]:
            with self.subTest(options=options):
                self.assertEqual(said(index, ["ui"], *options), said(index, ["query", "p"], *options))
        for options in [["--filter", "country=FR"], ["--near", "48,2"], ["--typos", "auto"]]:
            self.assertEqual(said("c", ["ui"], "--sort", "key", *options),
                             "shardq: --filter, --near, --group and --typos go with --sort rank; leave out --sort key\n")
        self.assertIn("write a field and a value", said("c", ["ui"], "--filter", "san"))

    def test_a_pipe_is_no_list(self):
        screen = self.screen(100, 12)
        self.build(screen, "shards", self.RECORDS, *self.OPTIONS)
        refusal = ("shardq: ui does not read standard input, but lists the records of an index; build one of the lines "
                   "with shardq build -i lines -, or name an index with --index\n")
        variables = {name: value for name, value in os.environ.items() if not name.startswith("SHARDQ_")}
        variables["SHARDQ_CONFIG"] = "/dev/null"
        lines = open(screen.write("lines", "Pau\n"), encoding="utf-8")
        self.addCleanup(lines.close)
        for options, index, status, said in [
            ([], None, 64, refusal), (["-q", "parm", "-1"], None, 64, refusal),
            (["-q", "parm", "-1", "-i", "shards"], None, 0, ""), (["-q", "parm", "-1"], "shards", 0, ""),
        ]:
            for given in [{"input": "Pau\n"}, {"stdin": lines}]:
                done = subprocess.run([SHARDQ, "ui", *options], cwd=screen.directory, capture_output=True, text=True,
                                      start_new_session=True, env=variables | ({"SHARDQ_INDEX": index} if index else {}),
                                      **given)
                self.assertEqual((done.returncode, done.stderr), (status, said), options)


if __name__ == "__main__":
    unittest.main()
