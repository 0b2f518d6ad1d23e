"""Tests indexes that several processes write to a store in ranges and one process merges, also with killed processes."""

import collections
import json
import os
import random
import signal
import subprocess
import tempfile
import unittest

import gateway
import nginx
from gateway import KEYS
from remote import BIN, ENVIRONMENT, LONG, PATIENCE, SCRATCH, shardq
from store import Store
from test_store import DAY, PREFIX, SOURCE, URL, late, shown
from test_store_ceph import Front

OPTIONS = ["--input-format", "jsonl", "--key", "{name}, {country}", "--id", "id", "--words", "--typos", "--starts",
           "--shard-size", "4KiB"]


def lines():
    """The sample's cities as JSON lines, in a random order."""
    work = tempfile.mkdtemp(dir=SCRATCH, prefix="ranges-")
    built = shardq("build", "-i", os.path.join(work, "all"), SOURCE)
    assert built[0] == 0, built
    found = shardq("export", "-i", os.path.join(work, "all"), "--format", "jsonl")
    assert found[0] == 0, found
    made = [json.dumps({**json.loads(line), "id": number // 2}, ensure_ascii=False) + "\n"
            for number, line in enumerate(found[1].splitlines())]
    random.Random(1).shuffle(made)
    return made


LINES = lines()


class Job:
    """A build in ranges; `environment` has the store."""

    def __init__(self, environment, ranges=5):
        self.environment = environment
        self.work = tempfile.mkdtemp(dir=SCRATCH, prefix="ranges-")
        self.said = ""
        self.sample = self.path("sample.jsonl")
        with open(self.sample, "w") as file:
            file.writelines(LINES)
        with open(self.path("plan"), "w") as file:
            file.write(self.run("plan-ranges", "--ranges", str(ranges), *OPTIONS, self.sample)[1])
        self.run("build", "-i", self.path("whole"), *OPTIONS, self.sample)
        self.whole = self.path("whole")
        groups = collections.defaultdict(list)
        for line in self.run("key", "--plan", self.path("plan"), input="".join(LINES))[1].splitlines(True):
            groups[line.split("\t")[0]].append(line)
        self.groups = ["".join(group) for group in groups.values()]

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, *arguments, input="", status=0):
        done = subprocess.run([os.path.join(BIN, "shardq"), *arguments], input=input, text=True, timeout=PATIENCE,
                              capture_output=True, env={**ENVIRONMENT, **self.environment})
        self.said += done.stderr
        assert done.returncode == status, (arguments, done.returncode, done.stderr)
        return done.returncode, done.stdout, done.stderr

    def write(self, group, *options, status=0):
        return self.run("write-range", "--plan", self.path("plan"), "--output", URL, *options, input=group, status=status)

    def rows(self):
        """Writes all ranges, each by a process of its own; returns the rows."""
        rows, entries = [], collections.defaultdict(list)
        for group in self.groups:
            for line in self.write(group)[1].splitlines(True):
                if line.startswith("entry\t"):
                    entries[line.split("\t")[1]].append(line.removeprefix("entry\t"))
                else:
                    rows.append(line)
        for group in entries.values():
            rows.append(self.write("".join(group), "--entries")[1])
        return rows

    def merge(self, rows, *options, status=0):
        return self.run("merge", "--plan", self.path("plan"), "--output", URL, "--repeated-ids", str(len(LINES) // 2),
                        "--records", str(len(LINES)), *options, "-", input="".join(rows), status=status)

    def is_whole(self, test):
        """Checks that the newest generation is the index of one build."""
        copy = tempfile.mkdtemp(dir=self.work)
        self.run("fetch", "-i", os.path.join(copy, "index"), URL)
        with open(os.path.join(copy, "index", "manifest"), "rb") as one, open(os.path.join(self.whole, "manifest"), "rb") as other:
            test.assertEqual(one.read(), other.read())


class RangesInAStore(unittest.TestCase):
    def setUp(self):
        self.store = Store()
        self.addCleanup(self.store.close)
        self.job = Job(self.store.environment)
        self.addCleanup(lambda: self.assertNotIn("secret", self.job.said))

    def test_same_bytes(self):
        rows = self.job.rows()
        found = json.loads(self.job.merge(rows, "--json")[1])
        self.assertEqual((found["generation"], found["records"], found["unchanged"]), (1, len(LINES), False))
        self.job.is_whole(self)
        # Once more: the generation exists already.
        self.assertTrue(json.loads(self.job.merge(rows, "--json")[1])["unchanged"])
        # Ranges that were written again change nothing.
        taken = dict(self.store.taken)
        self.job.rows()
        self.assertEqual(taken, self.store.taken)
        # A prune leaves the files that the generation names, and removes those of ranges alone.
        self.store.age(PREFIX, 30 * DAY)
        before = len(self.store.names(PREFIX))
        self.job.run("prune", URL)
        self.assertLess(len(self.store.names(PREFIX)), before)
        self.job.is_whole(self)

    def test_a_merge_draws_a_bar(self):
        with open(self.job.path("rows"), "w") as file:
            file.writelines(self.job.rows())
        self.store.fault = late
        merge = ["merge", "--plan", self.job.path("plan"), "--output", URL, self.job.path("rows")]
        seen = shown(merge, self.store.environment)
        for step in ("opening ranges", "comparing", "uploading"):
            self.assertIn("\r" + step + "  ", seen)
        self.job.said += seen
        self.assertNotIn("\r", shown([*merge, "--no-progress"], self.store.environment))

    def test_killed_writers(self):
        """Some writers are killed at any request and one continues: the index is the same."""
        rng = random.Random(3)
        for group in self.job.groups:
            count = rng.randrange(1, 8)

            def fault(handler, method, key, left=[count]):
                left[0] -= method == "PUT"
                if left[0] == 0:
                    process.kill()
                return False

            process = subprocess.Popen(
                [os.path.join(BIN, "shardq"), "write-range", "--plan", self.job.path("plan"), "--output", URL],
                env={**ENVIRONMENT, **self.store.environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True)
            self.store.fault = fault
            output, _ = process.communicate(group, timeout=PATIENCE)
            self.store.fault = None
            if process.returncode:
                self.assertNotIn("row\t", output)
        self.job.merge(self.job.rows())
        self.job.is_whole(self)

    def test_a_killed_writer_leaves_nothing_behind(self):
        """The next writer on the machine removes its directory, and no other."""
        temporary = self.job.path("tmp")
        os.makedirs(os.path.join(temporary, "shardq-range-mine"))
        self.job.environment = {**self.job.environment, "TMPDIR": temporary}
        with open(os.path.join(temporary, "shardq-range-mine", "letter"), "w") as file:
            file.write("dear")

        def fault(handler, method, key):
            if method == "PUT":
                # The program is a child of the command.
                os.killpg(process.pid, signal.SIGKILL)
            return False

        process = subprocess.Popen(
            [os.path.join(BIN, "shardq"), "write-range", "--plan", self.job.path("plan"), "--output", URL], text=True,
            env={**ENVIRONMENT, **self.job.environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        self.store.fault = fault
        process.communicate(self.job.groups[0], timeout=PATIENCE)
        self.store.fault = None
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertEqual(len(os.listdir(temporary)), 2)
        self.job.write(self.job.groups[0])
        self.assertEqual(os.listdir(temporary), ["shardq-range-mine"])

    def test_damaged_object(self):
        """An object of a range with a changed byte is named, and nothing is published, unless the whole has no need of it."""
        rows = self.job.rows()
        names = sorted(name for name in self.store.names(PREFIX) if name.endswith(".zst"))
        refused = 0
        for name in names if LONG else random.Random(4).sample(names, 12):
            with self.subTest(name):
                content, time = self.store.objects[PREFIX + name]
                changed = bytearray(content)
                changed[len(changed) // 2] ^= 4
                self.store.objects[PREFIX + name] = (bytes(changed), time)
                done = subprocess.run(
                    [os.path.join(BIN, "shardq"), "merge", "--plan", self.job.path("plan"), "--output", URL, "-"],
                    input="".join(rows), text=True, capture_output=True, timeout=PATIENCE,
                    env={**ENVIRONMENT, **self.store.environment})
                if done.returncode:
                    refused += 1
                    self.assertEqual(done.returncode, 65, done.stderr)
                    self.assertIn(name, done.stderr)
                    self.assertFalse([key for key in self.store.names(PREFIX) if key.startswith("generations/")])
                else:
                    copy = tempfile.mkdtemp(dir=self.job.work)
                    self.job.run("fetch", "-i", os.path.join(copy, "index"), URL)
                    self.job.run("verify", "-i", os.path.join(copy, "index"))
                self.store.objects[PREFIX + name] = (content, time)
                for key in [key for key in self.store.objects if key.startswith(PREFIX + "generations/")]:
                    del self.store.objects[key]
        self.assertGreater(refused, 5)

    def test_lost_object(self):
        """An object vanishes before the commit: nothing is published, and the status is that for trying again."""
        rows = self.job.rows()
        names = sorted(name for name in self.store.names(PREFIX) if name.endswith(".zst"))
        refused = 0
        for name in names if LONG else random.Random(2).sample(names, 8):
            with self.subTest(name):
                kept = self.store.objects.pop(PREFIX + name)
                done = subprocess.run(
                    [os.path.join(BIN, "shardq"), "merge", "--plan", self.job.path("plan"), "--output", URL, "-"],
                    input="".join(rows), text=True, capture_output=True, timeout=PATIENCE,
                    env={**ENVIRONMENT, **self.store.environment})
                named = any(name in line for line in done.stderr.splitlines())
                # A missing file matters only if the whole index has a piece of it.
                self.assertTrue(done.returncode == 0 or named and done.returncode in (65, 66, 74, 75), done)
                if done.returncode:
                    refused += 1
                    self.assertFalse([key for key in self.store.names(PREFIX) if key.startswith("generations/")])
                self.store.objects[PREFIX + name] = kept
                for key in [key for key in self.store.objects if key.startswith(PREFIX + "generations/")]:
                    del self.store.objects[key]
        self.assertGreater(refused, 3)

    def test_another_program_and_plan(self):
        with open(self.job.path("plan")) as file:
            text = file.read()
        digest = text.splitlines()[1].split("\t")[2]
        with open(self.job.path("plan"), "w") as file:
            file.write(text.replace(digest, digest[::-1]))
        found = self.job.write(self.job.groups[0], status=64)
        self.assertIn("another program made this plan", found[2])
        self.assertFalse(self.store.objects)

    def test_a_store_without_conditions(self):
        def fault(handler, method, key):
            if method == "PUT" and handler.headers.get("If-None-Match"):
                handler.put(checks=False)
                return True
            return False

        self.store.fault = fault
        rows = self.job.rows()
        found = self.job.merge(rows, status=64)
        self.assertIn("--single-writer", found[2])
        self.job.merge(rows, "--single-writer")
        self.job.is_whole(self)


@unittest.skipUnless(LONG, "Ceph is started in long runs alone")
class RangesInCeph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if gateway.missing():
            raise unittest.SkipTest(f"ranges in Ceph, for there is no {gateway.missing()}: {gateway.PACKAGES}")
        cls.ceph = gateway.Ceph(SCRATCH, nginx.free_ports(5))
        cls.addClassCleanup(cls.ceph.close)
        cls.ceph.bucket("bucket")

    def test_killed_merges(self):
        """A merge that is killed at each of ten requests and run again: the same index, nothing written twice."""
        front = Front(self.ceph.ports["a"])
        self.addCleanup(front.close)
        job = Job({**KEYS, "AWS_ENDPOINT_URL": front.url})
        rows = job.rows()
        killed = set()
        for point in range(10):
            left = [1 + 3 * point]

            def before(method, key):
                left[0] -= method in ("PUT", "HEAD")
                if left[0] == 0:
                    process.kill()
                if left[0] <= 0:
                    killed.add(key)

            process = subprocess.Popen(
                [os.path.join(BIN, "shardq"), "merge", "--plan", job.path("plan"), "--output", URL, "--repeated-ids",
                 str(len(LINES) // 2), "-"],
                env={**ENVIRONMENT, **job.environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True)
            front.before = before
            process.communicate("".join(rows), timeout=PATIENCE)
            front.before = None
        job.merge(rows)
        job.is_whole(self)
        taken = [key for method, key, status in front.requests if method == "PUT" and status == 200 and key.endswith(".zst")]
        self.assertLessEqual({key for key in taken if taken.count(key) > 1}, killed)


if __name__ == "__main__":
    unittest.main()
