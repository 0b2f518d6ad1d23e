"""Compares answers from the starts with answers from disk, with fewer requests."""

import json
import os
import tempfile
import threading

import nginx
from remote import SCRATCH, STARTS, WWW, Host, RemoteTestCase, build, shardq, texts

# Without ranks: the starts of STARTS answer by rank alone.
PLAIN = build(os.path.join(SCRATCH, "many.csv"), "plain", "--shard-size", "1KiB", "--part-size", "1KiB",
              "--key", "{name}, {country}", "--starts")
# With entries, whose manifest is a file of its own, and starts that the opening does not include.
WORDS = build(os.path.join(SCRATCH, "many.csv"), "words", "--shard-size", "1200", "--part-size", "1KiB",
              "--key", "{name}, {country}", "--weight", "population", "--words", "--starts")
assert shardq("archive", "-i", PLAIN, "-o", PLAIN + ".shardq")[0] == 0
NAMES = ("plain/", "plain.shardq")


class Starts(RemoteTestCase):
    @classmethod
    def setUpClass(cls):
        cls.nginx = nginx.Nginx(tempfile.mkdtemp(dir=SCRATCH), WWW)
        cls.addClassCleanup(cls.nginx.stop)

    def url(self, name):
        return f"{self.nginx.origins[0]}/{name}"

    def test_answers_are_those_on_disk(self):
        typed = texts(400) + [letter for letter in "abcdefghijklmnopqrstuvwxyz"] + [""]
        lines = "".join(text + "\n" for text in typed)
        for options in (["-n", "10"], ["-n", "15", "--offset", "5"], []):
            _, expected, _ = shardq("query", "-i", PLAIN, "--stdin", "--sort", "key", *options, text=lines)
            for name in NAMES:
                with self.subTest(name=name, options=options):
                    status, output, error = self.ask(
                        self.url(name), "--stdin", "--sort", "key", "--fetch", "shards", *options, text=lines)
                    self.assertEqual((status, error), (0, ""))
                    uncounted = 0
                    for found, right in zip(output.splitlines(), expected.splitlines(), strict=True):
                        found, right = json.loads(found), json.loads(right)
                        if not found["totalIsExact"]:
                            self.assertGreater(right["count"], int(options[1]) if options else 20, found)
                            self.assertNotIn("keys", found)
                            found |= {name: right[name] for name in ("count", "total", "totalIsExact", "keys")}
                            uncounted += 1
                        self.assertEqual(found, right)
                    self.assertGreater(uncounted, 20)

    def test_counts_are_exact_where_they_are_asked_for(self):
        lines = "s\nba\n"
        # The starts of an index with ranks answer nothing by key.
        for name, index, *options in (("plain/", PLAIN, "-n", "21"), ("plain/", PLAIN, "--count"), ("plain/", PLAIN, "--all"),
                                      ("starts/", STARTS, "--sort", "rank", "-n", "10"), ("starts/", STARTS, "--sort", "key")):
            _, expected, _ = shardq("query", "-i", index, "--stdin", *options, text=lines)
            self.assertEqual(self.ask(self.url(name), "--stdin", *options, text=lines), (0, expected, ""))
        for name, index in (("plain/", PLAIN), ("starts/", STARTS)):
            for options in (["s", "--json"], ["s", "--json", "--sort", "key", "-n", "3"], ["s", "--count"]):
                self.assertEqual(self.ask(self.url(name), *options)[:2], shardq("-i", index, *options)[:2])

    def test_every_form_of_an_answer(self):
        for sort, name, index in (("key", "plain", PLAIN), ("rank", "starts", STARTS), ("key", "starts", STARTS)):
            for form in ("text", "tsv", "csv", "jsonl", "geojson"):
                for text in ("s", "san 1") if form == "tsv" else ("s",):
                    options = [text, "--sort", sort, "--format", form, "-n", "10"]
                    self.assertEqual(self.ask(self.url(name + "/"), *options)[:2], shardq("-i", index, *options)[:2], options)
        for options in (["s", "--fields", "country,name"], ["s", "-q"], ["zzz", "-q"],
                        ["s", "--offset", "3", "-n", "5", "--sort", "rank"], ["s", "--cursor"], ["s", "--fields", "none"],
                        ["", "-n", "20"]):
            self.assertEqual(self.ask(self.url("starts.shardq"), *options), shardq("-i", STARTS, *options), options)

    def test_what_is_said_of_the_rest(self):
        for name, options, said in (
                ("plain/", ["s", "-n", "10"], "the first 10 shown; --all shows the rest"),
                ("plain/", ["s", "-n", "5", "--offset", "5"], "6 to 10 shown; --offset 10 shows the next"),
                ("starts/", ["s"], "the best 10 shown; --limit shows more, --all lists all"),
                ("starts/", ["s", "--sort", "key", "-n", "10"], "10 of 1,809 shown")):
            self.assertIn(said, self.ask(self.url(name), "--format", "text", *options)[2])
        self.assertIn("21 of 1,809 shown", self.ask(self.url("plain/"), "s", "--sort", "key", "--format", "text", "-n", "21")[2])

    def test_requests(self):
        for name, most in (("plain/", 1), ("plain.shardq", 2), ("starts/", 1), ("starts.shardq", 2)):
            self.nginx.requests()
            for text in ("s", "sa", "k", ""):
                # The empty text is one of an index with ranks.
                if text or name.startswith("starts"):
                    self.ask(self.url(name), text, "--format", "tsv", "-n", "10", "--fetch", "shards")
            # The opening, and all starts at once; of an archive the places of the shards, which are fetched beside them.
            requests = [each for each in self.nginx.requests() if each.status != "304"]
            self.assertLessEqual(len(requests), 1 + most, requests)
            self.ask(self.url(name), "s", "-n", "10", "--format", "tsv", "--fetch", "shards")
            self.assertEqual([each.status for each in self.nginx.requests()], ["304"])
            # A text that the starts do not answer takes its shard.
            self.ask(self.url(name), "sanbachi", "--sort", "key", "-n", "10", "--fetch", "shards")
            self.assertLessEqual(len(self.nginx.requests()), 2)

    def test_the_entries_come_beside_the_starts(self):
        ended = threading.Event()

        def answer(handler, content):
            if "/entries-" in handler.path:
                ended.wait(30)
            handler.send_range(content)

        with Host(answer) as host:
            options = ["--format", "tsv", "-n", "10"]
            # The host keeps the entries back, and the starts answer.
            self.assertEqual(self.ask(host.url + "words/", "s", *options), shardq("-i", WORDS, "s", *options))
            asked = [path for path, _ in host.requests]
            self.assertEqual(len([path for path in asked if "/entries-" in path]), 1, asked)
            self.assertLess([n for n, path in enumerate(asked) if "/entries-" in path][0], 3)
            ended.set()
            # A search by key asks for none.
            host.requests.clear()
            self.cache += "-"
            self.ask(host.url + "words/", "s", "--sort", "key", *options)
            self.assertEqual([path for path, _ in host.requests if "/entries-" in path], [])
