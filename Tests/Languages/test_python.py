"""Compares the Python package, installed from its wheel, with the command."""

import copy
import errno
import json
import os
import pickle
import subprocess
import sys
import threading
import unittest

import languages
from languages import LONG, SMALL, shardq

Package = languages.in_package("test_python")


@unittest.skipIf(shardq is None, "the package is not installed here")
class Answers(unittest.TestCase):
    def test_equal(self):
        for path in (SMALL, languages.build_large()):
            texts = languages.typed(path, 5000)
            self.assertGreater(len(texts), 1500)
            for sort in ("key", "rank"):
                with shardq.Index(path) as index:
                    counts = languages.expected(path, texts, "--sort", sort, "--count")
                    answers = languages.expected(path, texts, "--sort", sort)
                    for text, right, counted in zip(texts, answers, counts):
                        answer = index.search(text, sort=sort)
                        self.assertEqual(answer.records, right["matches"], text)
                        self.assertEqual(answer.keys, right.get("keys", right["count"]), text)
                        total = index.search(text, sort=sort, total="exact").total
                        self.assertEqual(total, counted["count"], text)
                        self.assertTrue(answer.total == total or answer.total < total and not answer.total_is_exact, text)
                        if sort == "rank":
                            self.assertEqual(index.count(text), total, text)
                            self.assertEqual(answer.nearest, right.get("nearest"), text)
                            errors = [hit["edits"] for hit in right["hits"]]
                            self.assertEqual(answer.correction is not None, bool(errors) and min(errors) > 0, text)

    def test_options(self):
        path = languages.build_large()
        with shardq.Index(path, cache_bytes=1 << 20) as index:
            country = index.search("s")[0]["country"]
            for options, command in [
                (dict(filters=[f"country={country}"]), ["--filter", f"country={country}"]),
                (dict(near=(48.5, 2.25)), ["--near", "48.5,2.25"]),
                (dict(near=(48.5, 2.25), radius=400), ["--near", "48.5,2.25", "--radius", "400"]), (dict(typos=False), ["--typos", "none"]), (dict(typos="min"), ["--typos", "min"]),
            ]:
                for text in ("s", "lodnon"):
                    right, = languages.expected(path, [text], *command)
                    self.assertEqual(list(index.search(text, **options)), right["matches"], options)
            first = index.search("s", limit=7)
            second = index.search("s", limit=3, after=first.cursor)
            self.assertEqual(first.records + second.records, index.search("s").records)
            self.assertEqual(index.search("s", offset=7, limit=3).records, second.records)
            self.assertEqual((len(first), first[0], first[-2:]), (7, first.records[0], first.records[5:]))
            self.assertEqual(index.search("s", limit=1, display=True).object["display"][0]["match"][0][0], 0)
            self.assertIn("country", index.fields)
            right, = languages.expected(path, ["s"], "--facet", "country", "--facet-limit", "3")
            self.assertEqual(index.search("s", facets=["country"], facet_limit=3).facets, right["facets"])
            self.assertEqual(index.search("s").facets, [])
            listed = index.facets("country", starting_with=country.lower())
            self.assertEqual((listed["values"][0]["value"], listed["exact"]), (country, True))
            self.assertEqual(len(index.facets("country", limit=2)["values"]), 2)
            for call in (
                lambda: index.facets("name"), lambda: index.facets("country", limit=0), lambda: index.facets("a\0b"),
                lambda: index.search("s", facets=["name"]), lambda: index.search("s", facets=["country"], facet_limit=101),
                lambda: index.search("s", facets="country"),
            ):
                with self.assertRaises(shardq.ShardqError) as caught:
                    call()
                self.assertEqual(caught.exception.code, "refused")
            self.assertEqual(index.search("s", limit=0).records, [])
            self.assertEqual(index.search("s", sort="key").total, index.search("s").keys)
            found, plain = index.search("s", group="country"), index.search("s")
            right, = languages.expected(path, ["s"], "--group", "country")
            self.assertEqual((found.records, found.others), (right["matches"], right["others"]))
            self.assertEqual((found.others_are_exact, found.total), (right["othersAreExact"], right["total"]))
            self.assertEqual((plain.others, plain.others_are_exact), (None, True))
            found = index.search("s", total="exact")
            self.assertGreater(found.total, 0)
            self.assertEqual(repr(found), f"<Answer: {len(found)} records of {found.total}>")
            text = languages.readable()[0]
            found = index.search(text)
            self.assertEqual((found.interpretation["filter"], found[0]["country"]), ({"country": "FR"}, "FR"))
            self.assertIsNone(index.search(text, words="all").interpretation)
            with self.assertRaises(shardq.ShardqError):
                index.search("s", total="all")

    def test_record(self):
        """A record by its id is as a search has it. Readers follow changes of the index."""
        path, rows = languages.build_ids()
        with shardq.Index(path) as index:
            for row in rows[:8] + rows[-2:]:
                self.assertEqual(index.record(row["sku"]), row)
                self.assertIn(row, index.search(row["name"]).records)
            for id in ("", "m-1", "M-", "M-99999", "7\0", "007"):
                self.assertIsNone(index.record(id))
            for id in (7, b"7", None, ["7"]):
                with self.assertRaises(TypeError) as caught:
                    index.record(id)
                self.assertEqual(str(caught.exception), f"id must be a text, and not {id!r}")
            self.assertRaises(ValueError, lambda: index.record("\ud800"))
        self.assertRaises(ValueError, lambda: index.record("7"))
        with shardq.Index(SMALL) as index, self.assertRaises(ValueError) as caught:
            index.record("7")
        self.assertIn("have no ids; build it again with shardq build --id FIELD", str(caught.exception))
        path = os.path.join(languages.WORK, "changing")
        with shardq.build([{"id": "a", "name": "one"}, {"id": "b", "name": "two"}], path, key="{name}", id="id") as index:
            self.assertEqual(index.record("b"), {"id": "b", "name": "two"})
            for name, how in (("other", "--overlay"), ("third", "--merge")):
                changed = json.dumps({"id": "b", "name": name}).encode()
                languages.run("update", "-i", path, how, "--input-format", "jsonl", "--upsert", "-", "-q", input=changed)
                for _ in range(50):
                    if index.record("b")["name"] == name:
                        break
                    threading.Event().wait(0.1)
                self.assertEqual((index.record("b")["name"], index.record("a")["name"]), (name, "one"))

    def test_sequence(self):
        """An answer is a sequence of its records, with all methods of one."""
        with shardq.Index(SMALL) as index:
            answer = index.search("s", limit=5)
            first, last = answer[0], answer[-1]
            self.assertEqual((answer.count(first), answer.index(last), first in answer), (1, 4, True))
            self.assertEqual((list(reversed(answer))[0], answer[3:], [*answer]), (last, answer.records[3:], answer.records))
            self.assertRaises(IndexError, lambda: answer[5])
            self.assertGreater(answer.total, len(answer))

    def test_pages(self):
        """The pages have all matches once, in the order of one list."""
        with shardq.Index(languages.build_large()) as index:
            for options in (dict(), dict(sort="key"), dict(sort="key", offset=3), dict(offset=3), dict(near=(48.5, 2.25)), dict(group="country")):
                whole = index.search("sa", limit=1000, total="exact", **options)
                pages = list(index.pages("sa", limit=37, **options))
                found = [record for page in pages for record in page]
                self.assertEqual(found[:1000], whole.records, options)
                self.assertEqual((len(found), True), (whole.total - options.get("offset", 0), whole.total_is_exact), options)
                self.assertEqual({len(page) for page in pages[:-1]}, {37}, options)
            self.assertEqual(list(index.pages("zzzzzzzz", typos=False)), [])
            for limit in (0, -1, 1001):
                self.assertRaises(ValueError, lambda: index.pages("s", limit=limit))

    def test_version(self):
        self.assertEqual(shardq.__version__, languages.run("--version").decode().strip())

    def test_examples(self):
        place, found = languages.examples("python")
        self.assertEqual(len(found), 4)
        for example in found:
            done = subprocess.run([sys.executable, "-c", example], cwd=place, stdout=subprocess.PIPE, check=True, text=True)
            self.assertTrue(done.stdout)

    def test_archive(self):
        archive = os.path.join(languages.WORK, "small.shardq")
        languages.run("archive", "-i", SMALL, "-o", archive, "-q")
        with shardq.Index(archive) as packed, shardq.Index(SMALL) as index:
            for text in ("", "san", "lodnon"):
                self.assertEqual(packed.search(text).records, index.search(text).records)


@unittest.skipIf(shardq is None, "the package is not installed here")
class Errors(unittest.TestCase):
    def refused(self, code, call):
        kind = {"not found": FileNotFoundError, "refused": ValueError}[code]
        with self.assertRaises(kind) as caught:
            call()
        self.assertIsInstance(caught.exception, shardq.ShardqError)
        self.assertEqual(caught.exception.code, code)
        self.assertTrue(str(caught.exception))

    def test_paths(self):
        for path in ("/nowhere", "/", languages.ROOT + "/README.md", "", "a\0b", "/dev/null"):
            self.refused("not found", lambda: shardq.Index(path))
        self.refused("refused", lambda: shardq.Index(b"\xff".decode("utf-8", "surrogateescape")))
        with self.assertRaises(FileNotFoundError) as caught:
            shardq.Index("/nowhere")
        for error in (caught.exception, pickle.loads(pickle.dumps(caught.exception))):
            self.assertEqual((error.code, error.errno, error.filename), ("not found", errno.ENOENT, "/nowhere"))
            self.assertIn("no index at /nowhere: there is no such directory or archive", str(error))
        with self.assertRaises(ValueError) as caught:
            shardq.Index(b"https://host/cities/")
        self.assertIn("https://host/cities/ is a URL, and no path", str(caught.exception))
        self.refused("refused", lambda: shardq.Index(SMALL, cache_bytes=-1))
        shardq.Index(SMALL, cache_bytes=1 << 80).close()

    def test_questions(self):
        with shardq.Index(SMALL) as index:
            for options in (
                dict(limit=-1), dict(limit=1001), dict(limit=1 << 80), dict(offset=-1), dict(offset=-(1 << 80)),
                dict(offset=10_001), dict(sort="best"), dict(after="nonsense"), dict(after="a\0b"), dict(filters=["x"]),
                dict(filters=["name=x"]), dict(near=(91, 0)), dict(near=(float("nan"), 0)), dict(sort="key", near=(0, 0)),
                dict(group="counrty"), dict(group=""), dict(group=1), dict(group="a\0b"), dict(group="key", sort="key"),
            ):
                self.refused("refused", lambda: index.search("s", **options))
            for call in (index.search, index.count):
                self.refused("refused", lambda: call("\ud800"))
                self.refused("refused", lambda: call("x" * 65_537))
                self.assertRaises(TypeError, lambda: call("s", limit=None) if call == index.search else call(None))
            # The fold leaves control characters out.
            self.assertEqual(index.search("s\0").records, index.search("s").records)
            self.assertEqual(index.count("s\0"), index.count("s"))
            self.assertEqual(len(index.search("x" * 65_536)), 0)
            self.assertEqual(len(index.search("s", offset=1 << 80, sort="key")), 0)
            self.assertEqual(len(index.search("s")), 10)
        index.close()
        for call in (lambda: index.search("s"), lambda: index.count("s"), lambda: index.fields):
            self.refused("refused", call)

    def test_radius(self):
        with shardq.Index(SMALL) as index:
            for radius in (0, -1, float("nan"), float("inf"), 1e9, 10**400, "25", b"25", True, (1,)):
                with self.assertRaises(shardq.ShardqError) as caught:
                    index.search("s", near=(48, 2), radius=radius)
                self.assertEqual(caught.exception.code, "refused")
                self.assertIn(f"above 0 and at most 20,040, and not {radius!r:.100}", str(caught.exception))
            with self.assertRaises(shardq.ShardqError) as caught:
                index.search("s", radius=5)
            self.assertIn("radius needs a place", str(caught.exception))

    def test_values(self):
        """A value of another form is refused, with its name and an example of the right form."""
        with shardq.Index(SMALL) as index:
            for near in ("48,2", b"48", (1, 2, 3), (1,), {"latitude": 1, "longitude": 2}, ("48", "2"), 48, (None, 1)):
                with self.assertRaises(shardq.ShardqError) as caught:
                    index.search("s", near=near)
                self.assertEqual(caught.exception.code, "refused")
                self.assertIn("near must be a latitude and a longitude such as (48.9, 2.4)", str(caught.exception))
            for filters in ("cc=US", b"cc=US", ""):
                with self.assertRaises(shardq.ShardqError) as caught:
                    index.search("s", filters=filters)
                self.assertIn('filters must be a list such as ["country=FR"]', str(caught.exception))
            with self.assertRaises(shardq.ShardqError) as caught:
                index.search("s", filters={"country": "FR"})
            self.assertIn('filters must be a list such as ["country=FR"], and not the dict', str(caught.exception))
            for call, said in (
                (lambda: index.search("s", limt=3), "limt"), (lambda: index.search("s", filter=["x=y"]), "'filter'"),
                (lambda: index.search(None), "text must be a text, and not None"),
                (lambda: index.search("s", limit="5"), "limit must be a whole number, and not '5'"),
                (lambda: index.search("s", filters=[3]), "a filter must be a text, and not 3"),
                (lambda: index.search("s", after=3), "after must be a text, and not 3"),
                (lambda: index.pages("s", limt=3), "limt"), (lambda: index.count(b"s"), "text must be a text, and not b's'"),
                (lambda: shardq.Index(SMALL, cache_bytes=None), "cache_bytes must be a whole number, and not None"),
            ):
                with self.assertRaises(TypeError) as caught:
                    call()
                self.assertIn(said, str(caught.exception))

    def test_copies(self):
        """No copy closes the handle of another reader."""
        with shardq.Index(SMALL) as index:
            for make in (copy.copy, copy.deepcopy, pickle.dumps, lambda index: copy.deepcopy([index])):
                with self.assertRaises(TypeError) as caught:
                    make(index)
                self.assertIn("an Index cannot be copied or pickled", str(caught.exception))
            answer = index.search("s")
            self.assertEqual(copy.deepcopy(answer).records, pickle.loads(pickle.dumps(answer)).records)
            self.assertEqual(len(index.search("s")), 10)

    def test_fork(self):
        """A child refuses the readers of its parent, which may be locked, and opens readers of its own."""
        done = languages.script(sys.executable, FORK)
        self.assertEqual((done.returncode, done.stdout), (0, "sound\n"), done.stderr[-2000:])

    def test_damage(self):
        """A changed byte gives an error or does not matter; it never ends the process."""
        for archive in ("", "archive"):
            done = languages.script(sys.executable, DAMAGE, "3000" if LONG else "200", archive)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            right, refused = map(int, done.stdout.split())
            self.assertTrue(right > 0 and refused > 0, done.stdout)

    def test_rebuilt(self):
        """An open index answers from the next generation within a second, or from its own until then; never from both."""
        path = os.path.join(languages.WORK, "rebuilt")
        def build(rows):
            languages.run("build", "-", "--input-format", "jsonl", "-i", path, "--key", "{name}", "-q", input=rows)
        build(b'{"name":"one","a":1}\n')
        with shardq.Index(path) as index:
            self.assertEqual((index.search("o").records, index.fields), ([{"name": "one", "a": 1}], ["name", "a"]))
            build(b'{"name":"other","b":2}\n')
            seen = [index.search("o").records]
            for _ in range(50):
                if seen[-1] != seen[0] or "b" in seen[0][0]:
                    break
                threading.Event().wait(0.1)
                seen.append(index.search("o").records)
            self.assertEqual((seen[-1], index.fields), ([{"name": "other", "b": 2}], ["name", "b"]))


FORK = """
import os, signal, sys, threading, time, warnings, languages, shardq
warnings.simplefilter("ignore")
index, over = shardq.Index(languages.SMALL), threading.Event()

def ask():
    while not over.is_set():
        index.search("san")
        with shardq.Index(languages.SMALL) as other:
            other.search("lodnon")

def child():
    signal.alarm(20)  # A child that hangs is ended.
    for call in (lambda: index.search("s"), lambda: index.count("s"), lambda: index.fields):
        try:
            call()
            return 1
        except shardq.ShardqError as error:
            if error.code != "refused" or "fork" not in str(error):
                return 2
    index.close()
    with shardq.Index(languages.SMALL) as own:
        return 0 if len(own.search("s")) == 10 else 3

threads = [threading.Thread(target=ask) for _ in range(4)]
for thread in threads:
    thread.start()
statuses = []
for _ in range(40):
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(child())
        finally:
            os._exit(9)
    statuses.append(os.waitpid(pid, 0)[1])
over.set()
for thread in threads:
    thread.join()
print("sound" if not any(statuses) and len(index.search("s")) == 10 else statuses)
"""

DAMAGE = """
import sys, languages, shardq
asked = ["", "s", "san f", "lodnon", "zz"]
with shardq.Index(languages.SMALL) as index:
    answers = {text: index.search(text).records for text in asked}
right = refused = 0
for place in languages.damaged_copies(11, int(sys.argv[1]), sys.argv[2] != ""):
    try:
        with shardq.Index(place) as index:
            for text in asked:
                try:
                    assert index.search(text).records == answers[text], text
                    right += 1
                except shardq.ShardqError as error:
                    assert error.code in ("damaged", "not found", "system") and str(error), error.code
                    refused += 1
    except shardq.ShardqError as error:
        assert error.code in ("damaged", "not found", "system") and str(error), error.code
        refused += 1
print(right, refused)
"""


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@unittest.skipIf(shardq is None, "the package is not installed here")
class Bounds(unittest.TestCase):
    def test_growth(self):
        """Questions, readers and errors leave no memory behind."""
        with shardq.Index(SMALL) as index:
            def ask(count):
                for number in range(count):
                    text = "abcdefghijklmnopqrstuvwxyz"[number % 26]
                    index.search(text, limit=number % 12, sort=("rank", "key")[number % 2])
                    index.count(text)
                    if number % 16 == 0:
                        self.assertRaises(shardq.ShardqError, lambda: index.search(text, limit=-1))
                        self.assertRaises(shardq.ShardqError, lambda: shardq.Index("/nowhere"))
                        shardq.Index(SMALL).close()
                        with shardq.Index(SMALL, cache_bytes=1 << 16) as other:
                            other.search(text)
            ask(4_000)
            before = resident()
            ask(1_000_000 if LONG else 50_000)
            self.assertLess(resident() - before, 1 << 20)
