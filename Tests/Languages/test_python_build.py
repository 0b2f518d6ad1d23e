"""Builds indexes with the Python package, installed from its wheel, and runs the command of the wheel."""

import collections
import datetime
import decimal
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tracemalloc
import types
import unittest
import uuid

import languages
from languages import shardq

PACKAGES = os.path.join(languages.ROOT, ".build/python")
RECORDS = [{"name": f"name {number}", "kind": "ab"[number % 2], "value": number / 4} for number in range(500)]


class Package(languages.in_package("test_python_build")):
    def test_command(self):
        """The environment's command builds and answers, by itself and by a link; it says which package other commands need."""
        program = os.path.join(os.path.dirname(languages.install()), "shardq")
        place = tempfile.mkdtemp(dir=languages.WORK)
        link = os.path.join(place, "link")
        os.symlink(program, link)
        with open(os.path.join(place, "list.csv"), "w") as file:
            file.write("name\nSan Jose\nLondon\n")
        def run(*arguments):
            return subprocess.run(arguments, cwd=place, env={"HOME": place}, capture_output=True, text=True)
        built = run(program, "build", "-i", "list", "list.csv")
        self.assertEqual(built.returncode, 0, built.stderr)
        for start in (program, link):
            self.assertEqual(run(start, "-i", "list", "lon").stdout, "London\n")
            self.assertIn("records   2\n", run(start, "stats", "-i", "list").stdout)
        for arguments, package in ((["serve"], "shardq-serve"), (["-i", "http://127.0.0.1:1/list/", "lon"], "shardq-remote")):
            refused = run(program, *arguments)
            self.assertEqual(refused.returncode, 66)
            self.assertIn(f"install the package {package}", refused.stderr)

    def test_sizes(self):
        self.assertLess(os.path.getsize(languages.wheel("shardq_core")), 1_000_000)
        if "/.build/" in languages.PROGRAM:
            self.skipTest("the command is no shipped program")
        self.assertLess(os.path.getsize(languages.wheel()), 11_500_000)

    def test_core(self):
        """The small package reads the same indexes; its build says which package has a builder."""
        python = languages.install("shardq_core")
        self.assertFalse(os.path.exists(os.path.join(os.path.dirname(python), "shardq")))
        done = languages.script(python, CORE)
        self.assertEqual((done.returncode, done.stdout), (0, "10 not found\n"), done.stderr)

    def test_target(self):
        """`pip install --target` puts the command beside the package, which finds it there."""
        place = os.path.join(languages.WORK, "target")
        subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-index",
                        "--root-user-action", "ignore", "--target", place, languages.wheel()], check=True)
        done = subprocess.run([sys.executable, "-c", TARGET], cwd=languages.WORK, env={**os.environ, "PYTHONPATH": place})
        self.assertEqual(done.returncode, 0)

    def test_other_systems(self):
        """A library that the system cannot load makes an ImportError, which names the needs of the package."""
        place = os.path.join(tempfile.mkdtemp(dir=languages.WORK), "shardq")
        site, = (os.path.join(folder, "shardq") for folder, names, _ in os.walk(os.path.dirname(os.path.dirname(languages.install())))
                 if "shardq" in names and folder.endswith("site-packages"))
        shutil.copytree(site, place)
        with open(os.path.join(place, "libshardq.so"), "wb") as file:
            file.write(b"another system's library")
        done = subprocess.run([sys.executable, "-c", "import shardq"], cwd=os.path.dirname(place), capture_output=True, text=True)
        self.assertIn("ImportError: this system cannot load the library of shardq", done.stderr)
        self.assertIn("the package needs Linux on x86-64 with glibc 2.34 or later", done.stderr)

    @unittest.skipUnless(os.path.exists(os.path.join(PACKAGES, "mypy")), "there is no mypy: Scripts/dependencies.sh --tests")
    def test_types(self):
        for checked in (["-p", "shardq"], [os.path.join(languages.ROOT, "Tests/Languages/typed.py")]):
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--python-executable", languages.install(), *checked],
                cwd=languages.WORK, env={**os.environ, "PYTHONPATH": PACKAGES}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


CORE = """
import languages, shardq
print(len(shardq.Index(languages.SMALL).search("s")), end=" ")
try:
    shardq.build([{"name": "one"}], "core", key="{name}")
except FileNotFoundError as error:
    assert "shardq-core has no builder; install the package shardq in its place" in str(error), error
    print(error.code)
"""

TARGET = """
import shardq
assert len(shardq.build([{"name": "one"}], "of a target", key="{name}").search("o")) == 1
"""


@unittest.skipIf(shardq is None, "the package is not installed here")
class Build(unittest.TestCase):
    def setUp(self):
        self.place = os.path.join(tempfile.mkdtemp(dir=languages.WORK), "list")

    def files(self, place=None):
        found = {}
        for name in sorted(os.listdir(place or self.place)):
            with open(os.path.join(place or self.place, name), "rb") as file:
                found[name] = file.read()
        return found

    def built(self, records, **options):
        """The records in the order of their keys, behind a build in a new place."""
        place = tempfile.mkdtemp(dir=languages.WORK)
        with shardq.build(records, place, key="{name}", **options) as index:
            return [record for page in index.pages("", sort="key") for record in page]

    def refused(self, said, records, **options):
        before = self.files() if os.path.exists(self.place) else None
        with self.assertRaises(ValueError) as caught:
            shardq.build(records, self.place, **{"key": "{name}", **options})
        self.assertEqual(caught.exception.code, "refused")
        self.assertIn(said, str(caught.exception))
        if before is not None:
            self.assertEqual(self.files(), before)

    def test_same_bytes(self):
        """Dicts, other mappings, lists and generators give the index of the command."""
        options = dict(weight="value", filter=["kind"], typos=True, words="all", number="value", near=False, memory="64MiB")
        other = os.path.join(languages.WORK, "by the command")
        lines = "".join(f'{{"name":"{r["name"]}","kind":"{r["kind"]}","value":{r["value"]}}}\n' for r in RECORDS)
        languages.run(
            "build", "-", "--input-format", "jsonl", "-i", other, "--key", "{name}", "--weight", "value", "--filter", "kind",
            "--typos", "--words", "all", "--number", "value", "-q", input=lines.encode())
        right = self.files(other)
        for records, columns in (
            (RECORDS, None), ((record for record in RECORDS), None), (map(types.MappingProxyType, RECORDS), None),
            (map(collections.OrderedDict, RECORDS), None), ([list(r.values()) for r in RECORDS], ["name", "kind", "value"]),
            ((tuple(r.values()) for r in RECORDS), ("name", "kind", "value")),
        ):
            with shardq.build(records, self.place, key="{name}", columns=columns, **options) as index:
                self.assertEqual(self.files(), right)
                self.assertEqual((index.built["records"], index.built["bytes"]), (500, sum(map(len, right.values()))))
                self.assertEqual(index.search("name 4", total="exact").total, 111)
        with shardq.Index(self.place) as index:
            self.assertIsNone(index.built)

    def test_frame(self):
        if os.path.exists(os.path.join(PACKAGES, "pandas")):
            sys.path.append(PACKAGES)
        try:
            import pandas
        except ImportError:
            self.skipTest("there is no pandas: Scripts/dependencies.sh --tests")
        frame = pandas.DataFrame({
            "name": ["one", "two", "three"], "count": [1, 2, 3], "price": [1.5, float("nan"), 2.0], "open": [True, False, True],
            "day": pandas.to_datetime(["2026-01-31 00:00", None, "2026-02-01 12:30"]), "kind": pandas.array(["a", None, "b"], dtype="string"),
            "least": pandas.array([1, None, 3], dtype="Int64"), 7: [[1], None, {"a": 2}],
        })
        found = {record["name"]: record for record in self.built(frame)}
        self.assertEqual(found["one"], {
            "name": "one", "count": 1, "price": 1.5, "open": True, "day": "2026-01-31T00:00:00", "kind": "a", "least": 1, "7": [1]})
        self.assertEqual(
            found["two"], {"name": "two", "count": 2, "price": None, "open": False, "day": None, "kind": None, "least": None, "7": None})
        self.assertEqual((found["three"]["day"], found["three"]["price"]), ("2026-02-01T12:30:00", 2))
        self.refused("columns is for lists, and a frame has its own", frame, columns=["a"])
        self.refused("columns must be different texts", pandas.DataFrame([[1, 2]], columns=["name", "name"]))

    def test_values(self):
        value = {
            "name": "é\n\u2028\0", "day": datetime.date(2026, 1, 31), "time": datetime.datetime(2026, 1, 31, 1, 2, tzinfo=datetime.timezone.utc),
            "price": decimal.Decimal("12.50"), "whole": decimal.Decimal("1E+3"), "big": 1 << 70, "none": None, "list": [1, [True]],
            "deep": {"a": {"b": "c"}}, "id": uuid.UUID(int=1), 5: "a number's name",
        }
        self.assertEqual(self.built([value]), [{
            "name": "é\n\u2028\0", "day": "2026-01-31", "time": "2026-01-31T01:02:00+00:00", "price": 12.5, "whole": 1000, "big": 1 << 70,
            "none": None, "list": [1, [True]], "deep": {"a": {"b": "c"}}, "id": "00000000-0000-0000-0000-000000000001",
            "5": "a number's name"}])
        try:
            import numpy
        except ImportError:
            return
        value = {"name": numpy.str_("a"), "n": numpy.int32(3), "f": numpy.float32(0.5), "b": numpy.bool_(True),
                 "a": numpy.array([[1, 2]]), "d": numpy.datetime64("2026-01-31T01:00:00.5", "ns")}
        self.assertEqual(
            self.built([value]), [{"name": "a", "n": 3, "f": 0.5, "b": True, "a": [[1, 2]], "d": "2026-01-31T01:00:00.500000000"}])

    def test_records(self):
        """A record that is none is refused by its number, and the index stays as it was."""
        shardq.build(RECORDS, self.place, key="{name}").close()
        good = RECORDS[0]
        endless = []
        endless.append(endless)
        for value in (float("nan"), float("inf"), {1}, b"a", object(), decimal.Decimal("NaN"), decimal.Decimal("1E+999999999"),
                      decimal.Decimal("0.12345678901234567890"), 1j, "\ud800", endless, [float("nan")], self):
            self.refused("record 2: the field 'x' has the value", [good, {"name": "one", "x": value}])
        self.refused("pass None for no value", [{"name": float("nan")}])
        self.refused("record 1: the name of a field must be a text, and not (1,)", [{(1,): 2}])
        for record in (None, 3, "name", b"name", {1}, RECORDS):
            self.refused("record 2 must be a dict, and not", [good, record])
        self.refused("for lists pass columns", [["one"]])
        self.refused("record 2 must be a list or a tuple, and not", [["one"], {"name": "two"}], columns=["name"])
        self.refused("record 1 has 2 values, and columns has 1 names", [["one", 2]], columns=["name"])
        self.refused('columns must be a list such as ["name", "country"]', [["one"]], columns="name")
        self.refused("columns must be texts, and not 1", [["one"]], columns=[1])
        for records in ("list.csv", b"list.csv", good):
            self.refused("the records must be an iterable of dicts or lists", records)
        self.refused("the input has no record, and the index in", [])
        self.assertRaises(TypeError, lambda: shardq.build(None, self.place, key="{name}"))

    def test_options(self):
        """A wrong option is refused by its name in Python, and nothing is written."""
        for options, said in (
            (dict(wieght="value"), "there is no option wieght; did you mean weight?"), (dict(min_recods=3), "did you mean min_records?"), (dict(weight="size"), 'weight names "size"'),
            (dict(quiet=True), "quiet is no option of shardq.build"), (dict(delimiter=","), "delimiter is no option"),
            (dict(filter=[3.5, None]), "filter must be a text, a number"), (dict(filter={"a": "b"}), "filter must be a text"),
            (dict(memory=b"64MiB"), "memory must be a text"), (dict(memory=object()), "memory must be a text"),
            (dict(memory="much"), "memory"), (dict(words="some"), "words has no value 'some'; choose body or all"),
            (dict(near="48,2"), "near"), (dict(weight="a\0b"), "weight has a NUL character"), (dict(level=99), "level"),
            (dict(min_records=501), "min_records asks for 501"),
        ):
            self.refused(said, RECORDS, **options)
            # A build that reads records makes the directory and its lock.
            self.assertFalse(set(self.files() if os.path.exists(self.place) else []) - {".lock"}, options)
        for path in ("https://host/list/", "s3://bucket/list/"):
            with self.assertRaises(ValueError):
                shardq.build(RECORDS, path, key="{name}")
        self.assertRaises(FileNotFoundError, lambda: shardq.build(RECORDS, "a\0b", key="{name}"))
        self.assertRaises(FileNotFoundError, lambda: shardq.build(
            RECORDS, self.place, key="{name}", filter="kind", names="kind=/nowhere"))

    def test_raises(self):
        """An iterable that raises: its error comes through, the index stays as it was, and no child stays."""
        shardq.build(RECORDS, self.place, key="{name}").close()
        before = self.files()
        for count in (0, 1, 20_000):
            for error in (KeyError("x"), BrokenPipeError("of the iterable"), KeyboardInterrupt()):
                def records():
                    for number in range(count):
                        yield {"name": f"other {number}", "text": "x" * 20}
                    raise error
                with self.assertRaises(type(error)) as caught:
                    shardq.build(records(), self.place, key="{name}")
                self.assertIs(caught.exception, error)
                self.assertEqual(self.files(), before)
                self.assertRaises(ChildProcessError, os.wait)
        self.assertEqual(shardq.build(RECORDS[:2], self.place, key="{name}").built["records_before"], 500)

    def test_killed(self):
        """A process that ends in the middle of its records leaves the index as it was."""
        shardq.build(RECORDS, self.place, key="{name}").close()
        before = self.files()
        done = languages.script(sys.executable, KILLED, self.place)
        self.assertEqual(done.returncode, -9, done.stderr)
        for _ in range(600):
            try:
                built = shardq.build(RECORDS, self.place, key="{name}").built
                break
            except shardq.ShardqError as error:  # The builder of the other process ends.
                self.assertEqual(error.code, "busy")
                time.sleep(0.1)
        self.assertEqual((built["records_before"], built["unchanged"], self.files()), (500, True, before))

    def test_busy(self):
        """The second of two builds in one directory at once is refused, and the first one ends."""
        def records():
            # The pipe has no room for all of them, so the builder reads by now.
            for number in range(20_000):
                yield {"name": f"name {number}", "text": "x" * 20}
            with self.assertRaises(shardq.ShardqError) as caught:
                shardq.build(RECORDS, self.place, key="{name}")
            self.assertEqual(caught.exception.code, "busy")
            self.assertIn("another build is running: it holds", str(caught.exception))
        self.assertEqual(shardq.build(records(), self.place, key="{name}").built["records"], 20_000)

    def test_read_only(self):
        shardq.build(RECORDS, self.place, key="{name}").close()
        before = self.files()
        if os.geteuid() != 0:
            start, call = [], lambda: os.chmod(self.place, 0o555)
        else:
            # No permission holds root back, so the directory is read-only in a view of the files.
            mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
            start, call = ["unshare", "--mount", "sh", "-c", mount, self.place], lambda: None
        if start and subprocess.run([*start, "true"], capture_output=True).returncode != 0:
            self.skipTest("root may not mount here")
        call()
        done = subprocess.run([*start, sys.executable, "-c", READ_ONLY, self.place], capture_output=True, text=True)
        os.chmod(self.place, 0o755)
        self.assertEqual((done.returncode, done.stdout), (0, "refused 3\n"), done.stderr)
        self.assertEqual(self.files(), before)

    def test_stream(self):
        """The call keeps no records: its memory is the same for many."""
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        shardq.build(({"name": f"name {number}", "text": "x" * 100} for number in range(100_000)), self.place, key="{name}").close()
        self.assertLess(tracemalloc.get_traced_memory()[1], 4 << 20)

    def test_imports(self):
        """No call imports a package that people may not have."""
        done = languages.script(sys.executable, IMPORTS, self.place)
        self.assertEqual((done.returncode, done.stdout), (0, "[]\n"), done.stderr)


KILLED = """
import os, sys, shardq

def records():
    for number in range(20_000):
        yield {"name": f"other {number}", "text": "x" * 20}
    os.kill(os.getpid(), 9)

shardq.build(records(), sys.argv[1], key="{name}")
"""

READ_ONLY = """
import sys, shardq
try:
    shardq.build([{"name": "one"}] * 3, sys.argv[1], key="{name}")
except OSError as error:
    assert error.code == "system" and sys.argv[1] in str(error), str(error)
    print("refused", len(shardq.Index(sys.argv[1]).search("name", limit=3)))
"""

IMPORTS = """
import sys, shardq
with shardq.build([{"name": "one"}], sys.argv[1], key="{name}") as index:
    index.search("o")[0]
print([name for name in sys.modules if name.partition(".")[0] in ("numpy", "pandas", "asyncio")])
"""
