"""An option that takes one value is refused the second time, and one that takes a list adds up: every option."""

import json
import unittest

from case import Case

LISTS = {"--columns", "--coordinates", "--designs", "--fields", "--keep", "--part-sizes", "--shard-sizes"}


class RepeatedOptions(Case):
    def options(self):
        """Yields command, spelling, kind and whether the parser collects the values, for every option."""
        for command in json.loads(self.shardq("--experimental-dump-help"))["command"]["subcommands"]:
            for argument in command.get("arguments", []):
                if argument["kind"] == "positional" or command["commandName"] == "help":
                    continue
                for name in argument["names"]:
                    spelling = {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]] + name["name"]
                    yield command["commandName"], spelling, argument["kind"], argument["isRepeating"]

    def test_every_option(self):
        refused = 0
        for command, spelling, kind, collects in self.options():
            with self.subTest(command=command, option=spelling):
                value = [] if kind == "flag" else ["-1,2" if spelling == "--near" else "x"]
                ended = self.run_shardq(command, spelling, *value, spelling, *value)
                if kind == "flag" or collects or spelling in LISTS:
                    self.assertNotIn("given twice", ended.stderr)
                else:
                    self.assertEqual(ended.returncode, 64)
                    self.assertIn("is given twice; give it once", ended.stderr)
                    refused += 1
        self.assertGreater(refused, 150)

    def test_spellings(self):
        for line in (["-i", "a", "--index=b", "x"], ["-n5", "x", "--limit", "6"], ["x", "-i", "a", "-ib"]):
            self.assertIn("is given twice", self.refused(*line))
        self.write("list.csv", "name,b,c\nAnn,1,2\n")
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "list.csv")
        # A text that looks like an option.
        self.assertIn("Ann", self.shardq("-i", "index", "--limit", "1", "--", "ann"))
        self.assertNotIn("given twice", self.run_shardq("-i", "index", "--", "-n", "-n").stderr)

    def test_values_that_may_be_left_out(self):
        """A value behind `=` counts wherever it stands, and a wrong one is refused."""
        self.write("list.csv", "name,b\nAnn Lee Ann,1\n")
        for words in (["--words=all", "--typos=digits"], ["--typos=digits", "--words=all"], ["--words", "all", "--typos", "digits"], ["--typos", "--words=all"]):
            self.shardq("build", "-q", "-i", "index", "--key", "{name}, {b}", "--weight", "b", *words, "--filter", "name", "list.csv")
            self.assertIn("words (all)", self.shardq("stats", "-i", "index"))
        for word, values in (("--words=foo", "body or all"), ("--typos=", "letters or digits")):
            name, value = word.split("=")
            for more in ([], ["--weight", "b"]):
                ended = self.refused("build", "-i", "index", word, *more, "list.csv")
                self.assertIn(f"{name} has no value '{value}'; choose {values}", ended)
        for words in (["--typos", "--weight", "b"], ["--words=all", "--weight", "b"]):
            self.assertIn("--weight is given twice", self.refused("build", "-i", "index", *words, "--weight", "name", "list.csv"))

    def test_lists_add_up(self):
        self.write("list.csv", "url,name,t,u\nu,Ann,1,2\n")
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "--keep", "url", "--keep=name", "--keep", "u", "list.csv")
        self.assertEqual(json.loads(self.shardq("export", "-i", "index")), {"url": "u", "name": "Ann", "u": "2"})
        self.assertEqual(self.shardq("-i", "index", "ann", "--fields", "u", "--fields", "name,url"), "2\tAnn\tu\n")
        self.write("plain.csv", "Ann,1,2\n")
        self.shardq(
            "build", "-q", "-i", "plain", "--key", "{a}", "--columns", "a", "--columns", "b,c", "plain.csv")
        self.assertEqual(json.loads(self.shardq("export", "-i", "plain")), {"a": "Ann", "b": "1", "c": "2"})


if __name__ == "__main__":
    unittest.main()
