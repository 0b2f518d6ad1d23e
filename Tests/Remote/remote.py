"""The shared part of the tests of an index over HTTP: the programs, indexes, and a faulty host."""

import atexit
import os
import random
import shutil
import subprocess
import tempfile
import unittest

import host

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = os.environ.get("SHARDQ_LONG") == "1"
# No test waits longer than this for anything.
PATIENCE = 60

_base = None if "TMPDIR" in os.environ or not os.access("/dev/shm", os.W_OK) else "/dev/shm"
SCRATCH = tempfile.mkdtemp(prefix="shardq-remote-", dir=_base)
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
# Side by side, as they find each other.
BIN = os.path.join(SCRATCH, "bin")
os.mkdir(BIN)
for _program in ("shardq", "shardq-commands", "shardq-remote"):
    shutil.copy(os.path.join(os.path.abspath(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin"))), _program), BIN)
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no", "HOME": SCRATCH,
               "XDG_CACHE_HOME": os.path.join(SCRATCH, "xdg")}


def shardq(*arguments, text=None, environment=None):
    """Runs the command; gives status, standard output and standard error."""
    done = subprocess.run([os.path.join(BIN, "shardq"), *arguments], input=text, capture_output=True, timeout=PATIENCE,
                          env={**ENVIRONMENT, **(environment or {})}, encoding="utf-8", errors="replace")
    return done.returncode, done.stdout, done.stderr


def build(source, name, *options):
    """An index below the folder that the hosts serve."""
    path = os.path.join(WWW, name)
    status, _, error = shardq("build", source, "--index", path, *options)
    assert status == 0, error
    return path


def records(count, path):
    """A list of made-up names, large enough for several pages of shards."""
    made = random.Random(4)
    syllables = ["ba", "chi", "dor", "el", "fan", "gor", "hu", "il", "jo", "kan", "lu", "mar", "nor", "o", "pra", "san", "ti"]
    with open(path, "w", encoding="utf-8") as file:
        file.write("name,country,population\n")
        for number in range(count):
            name = "".join(made.choice(syllables) for _ in range(made.randint(2, 4))).capitalize()
            file.write(f"{name} {number},{made.choice(['AX', 'BX', 'CX'])},{made.randint(1, 10 ** 7)}\n")
    return path


WWW = os.path.join(SCRATCH, "www")
os.mkdir(WWW)
CITIES = build(os.path.join(ROOT, "Samples/cities.csv"), "cities", "--shard-size", "16KiB")
MANY = build(records(30_000, os.path.join(SCRATCH, "many.csv")), "many", "--shard-size", "4KiB", "--part-size", "1KiB",
             "--key", "{name}, {country}", "--weight", "population", "--typos")
# The same with starts, and a manifest that the opening does not include.
STARTS = build(os.path.join(SCRATCH, "many.csv"), "starts", "--shard-size", "1KiB", "--part-size", "1KiB",
               "--key", "{name}, {country}", "--weight", "population", "--typos", "--starts")
for _name in ("cities", "many", "starts"):
    assert shardq("archive", "-i", os.path.join(WWW, _name), "-o", os.path.join(WWW, _name + ".shardq"))[0] == 0


def texts(count, seed=1):
    """Beginnings of keys, and texts that begin none."""
    keys = [line.split("\t")[0] for line in shardq("query", "-i", MANY, "", "--all", "--sort", "key")[1].splitlines()]
    made = random.Random(seed)
    found = ["zzz", "q", "san f", "Ba  "]
    while len(found) < count:
        key = made.choice(keys)
        found.append(key[:made.randint(1, len(key))])
    return found


class Host(host.Host):
    """A host of the folder with the indexes."""

    def __init__(self, answer):
        super().__init__(answer, WWW)


class RemoteTestCase(unittest.TestCase):
    """A test with a cache of its own."""

    def setUp(self):
        self.cache = tempfile.mkdtemp(dir=SCRATCH, prefix="cache-")

    def ask(self, url, *arguments, text=None, cache=True, environment=None):
        place = ["--cache-dir", self.cache] if cache else ["--cache-size", "0"]
        return shardq("-i", url, *place, *arguments, text=text, environment=environment)
