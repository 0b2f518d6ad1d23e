"""The shared part of the tests of languages: indexes, texts, the command's answers, the installed wheel."""

import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import shardq
except ImportError:  # The tests of the package run in an environment that has it: in_package.
    shardq = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")), "shardq")
LIBRARY = os.path.join(ROOT, ".build/library/out")
LONG = os.environ.get("SHARDQ_LONG") == "1"
SMALL = os.path.join(ROOT, "shards")

_work = tempfile.TemporaryDirectory(prefix="shardq-languages-")
WORK = _work.name


def run(*arguments, input=None):
    return subprocess.run([PROGRAM, *arguments], input=input, stdout=subprocess.PIPE, check=True).stdout


def build_large():
    """An index with all features of ranked answers: words, typing errors, filters, names of values, places."""
    path = os.path.join(WORK, "large")
    if not os.path.exists(path):
        names = os.path.join(WORK, "names")
        with open(names, "w") as file:
            file.write("FR\tFrance\nUS\tUnited States\n")
        rows = run("generate", "--count", "30000", "--seed", "7", "--format", "jsonl")
        run("build", "-", "--input-format", "jsonl", "-i", path, "--shard-size", "8KiB", "--weight", "_id", "--words", "body",
            "--typos", "--near", "--filter", "country", "--names", f"country={names}", "-q", input=rows)
    return path


def build_ids():
    """An index with ids, and its records: ids of many kinds of texts, in several shards."""
    path = os.path.join(WORK, "ids")
    ids = ["7", "07", "a b", "São?", "x" * 600, "\u0301", "true", *(f"M-{number}" for number in range(3000))]
    rows = [{"name": f"Name {number}", "sku": id, "sizes": [number, 0.5]} for number, id in enumerate(ids)]
    if not os.path.exists(path):
        run("build", "-", "--input-format", "jsonl", "-i", path, "--shard-size", "8KiB", "--key", "{name}", "--id", "sku", "-q",
            input="".join(json.dumps(row) + "\n" for row in rows).encode())
    return path, rows


def readable():
    """Texts that the large index answers by a reading: names of records, and behind each one the name of its country."""
    found, = expected(build_large(), [""], "--filter", "country=FR")
    return [record["name"] + " france" for record in found["matches"]]


def typed(path, count):
    """Different texts that people might type, with mistakes."""
    log = run("generate", "--typing", str(count * 3), "-i", path, "--seed", "5").decode().splitlines()
    texts = dict.fromkeys(line.split("\t", 1)[1] for line in log)
    more = ["", " ", "zzzzz", "a ", "san f", "東京", "ß", "𐀀"]
    return list(dict.fromkeys([*more, *texts]))[:count]


def expected(path, texts, *options):
    """The answers of the command: objects of JSON."""
    lines = run("query", "-i", path, "--stdin", "--format", "json", "--limit", "10", *options,
                input="".join(text + "\n" for text in texts).encode())
    return [json.loads(line) for line in lines.decode().splitlines()]


def wheel(name="shardq"):
    path, = glob.glob(os.path.join(ROOT, f".build/wheel/{name}-*.whl"))
    return path


def install(name="shardq"):
    """Installs a wheel into a fresh environment, offline; returns its python."""
    place = os.path.join(WORK, "venv-" + name)
    python = os.path.join(place, "bin/python")
    if not os.path.exists(place):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
        subprocess.run([sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install", "-q",
                        "--no-index", wheel(name)], check=True)
    return python


def install_node():
    """Installs the package for Node into a fresh folder, offline; returns the folder."""
    place = os.path.join(WORK, "node")
    if not os.path.exists(place):
        os.makedirs(place)
        package, = glob.glob(os.path.join(ROOT, ".build/package/*.tgz"))
        with open(os.path.join(place, "package.json"), "w") as file:
            json.dump({"private": True, "type": "module"}, file)
        subprocess.run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", package], cwd=place, check=True)
    return place


def script(python, text, *arguments):
    """Runs a script with this folder's modules."""
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}
    return subprocess.run([python, "-c", text, *arguments], env=environment, cwd=WORK,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def in_package(name):
    """Returns the tests that run the tests of a file in an environment of the wheel."""
    @unittest.skipIf(shardq is not None, "the tests of the package run")
    class Package(unittest.TestCase):
        def test_package(self):
            done = script(install(), f"import unittest; unittest.main({name!r}, argv=['test'])")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("OK", done.stderr)
            print(done.stdout + done.stderr.splitlines()[-3])
    return Package


def examples(language):
    """The examples in a language, and a folder in which they find the index `cities`."""
    place = os.path.join(WORK, "examples")
    if not os.path.exists(place):
        os.mkdir(place)
        run("build", "-", "--input-format", "jsonl", "-i", os.path.join(place, "cities"), "--key", "{name}, {country}",
            "--weight", "population", "--typos", "--near", "--filter", "country", "-q",
            input=run("export", "-i", SMALL, "--format", "jsonl"))
    found = []
    for name in ("docs/languages.md", "Sources/Hosts/Python/README.md", "Sources/Hosts/Node/README.md"):
        with open(os.path.join(ROOT, name)) as file:
            found += re.findall(rf"^```{language}\n(.*?)^```", file.read(), re.DOTALL | re.MULTILINE)
    return place, found


def damaged_copies(seed, count, archive=False):
    """Copies of the small index, one after the other at one path, with changed or missing bytes."""
    numbers = random.Random(seed)
    source, names = SMALL, sorted(name for name in os.listdir(SMALL) if name == "manifest" or name.endswith(".zst"))
    if archive:
        source, names = tempfile.mkdtemp(dir=WORK), ["index.shardq"]
        run("archive", "-i", SMALL, "-o", os.path.join(source, *names), "-q")
    files = {name: open(os.path.join(source, name), "rb").read() for name in names}
    place = tempfile.mkdtemp(dir=WORK)
    for name, content in files.items():
        with open(os.path.join(place, name), "wb") as file:
            file.write(content)
    for _ in range(count):
        name = numbers.choice(names) if archive or numbers.random() < 0.7 else "manifest"
        content = bytearray(files[name])
        for _ in range(1 + numbers.randrange(3)):
            content[numbers.randrange(len(content))] = numbers.randrange(256)
        if numbers.randrange(10) == 0:
            del content[numbers.randrange(len(content)):]
        with open(os.path.join(place, name), "wb") as file:
            file.write(content)
        yield os.path.join(place, *names) if archive else place
        with open(os.path.join(place, name), "wb") as file:
            file.write(files[name])
