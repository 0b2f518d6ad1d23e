"""The shared part of the tests of ranges: the programs, lists, and the digest of `shardq build` for a list."""

import atexit
import hashlib
import json
import os
import random
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# No step waits longer than this.
PATIENCE = 900

SCRATCH = tempfile.mkdtemp(prefix="shardq-ranges-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
# Side by side, as they find each other.
BIN = os.path.join(SCRATCH, "bin")
os.mkdir(BIN)
for _program in ("shardq", "shardq-commands"):
    shutil.copy(os.path.join(os.environ.get("SHARDQ_BIN", os.path.join(ROOT, "bin")), _program), BIN)
SHARDQ = os.path.join(BIN, "shardq")
ENVIRONMENT = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no", "HOME": SCRATCH}


def shardq(*arguments, source=None, into=None):
    """Runs the command with files as standard input and output; gives its output as bytes where there is none."""
    with open(source or os.devnull, "rb") as given:
        with open(into or os.devnull, "wb") as taken:
            done = subprocess.run([SHARDQ, *arguments], stdin=given, stdout=taken if into else subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=PATIENCE, env=ENVIRONMENT)
    if done.returncode != 0:
        raise AssertionError("shardq %s: status %d: %s" % (" ".join(arguments), done.returncode, done.stderr.decode()))
    return done.stdout


def path(name):
    """A place in the scratch directory."""
    return os.path.join(SCRATCH, name)


def digest(index):
    with open(os.path.join(index, "manifest"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def local(source, name, *options):
    """The digest of the index that one machine builds."""
    shardq("build", source, "-i", path(name), *options)
    return digest(path(name))


def cities(count, name="cities.jsonl", seed=1):
    """Made-up cities with a number to rank them by, other names and a kind; some ids and whole records come twice, and
    one has a line of a megabyte."""
    made = random.Random(seed)
    long = False
    shardq("generate", "--count", str(count), "--seed", str(seed), "--format", "jsonl", into=path("generated"))
    with open(path("generated"), encoding="utf-8") as source, open(path(name), "w", encoding="utf-8") as file:
        for line in source:
            record = json.loads(line)
            record["population"] = made.randint(0, 10 ** made.randint(0, 7))
            record["kind"] = made.choice(["town", "village", "ruin"])
            record["names"] = [record["name"][::-1].capitalize()] * made.randint(0, 1)
            if made.random() < 0.01:
                record["_id"] = 7
                record["notes"] = "n" * (1 << 20) if not long else ""
                long = True
            line = json.dumps(record, ensure_ascii=False) + "\n"
            file.write(line * (2 if made.random() < 0.01 else 1))
    return path(name)
