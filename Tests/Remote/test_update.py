"""Tests updates of an index in a store: the bytes of a build, the requests, faults at each request, two updates at once."""

import hashlib
import json
import os
import shutil
import threading
import unittest

from remote import SCRATCH, records, shardq
from store import is_shard
from test_store import DAY, PREFIX, URL, StoreTestCase

OPTIONS = ["--key", "{name}, {country}", "--id", "_id", "--weight", "population", "--words", "--alias", "names", "--typos",
           "--filter", "country", "--number", "population", "--near", "--shard-size", "4KiB"]


def lines(count):
    made = []
    with open(records(count, os.path.join(SCRATCH, "update.csv")), encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines()[1:]):
            name, country, population = line.split(",")
            made.append({"name": name, "country": country, "_id": number, "population": int(population),
                         "names": [name[::-1]] if number % 9 == 0 else [], "lat": number % 80, "lon": number % 170})
    return made


def write(name, listed):
    path = os.path.join(SCRATCH, name)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in listed)
    return path


LINES = lines(20_000)
BEFORE = os.path.join(SCRATCH, "before-update")
assert shardq("build", "-q", write("all.jsonl", LINES), "-i", BEFORE, *OPTIONS)[0] == 0
CHANGED = [{**record, "population": 1} for record in LINES[700:703]]
CHANGES = ["--upsert", write("day.jsonl", CHANGED), "--delete", write("gone.jsonl", LINES[900:902])]
AFTER = os.path.join(SCRATCH, "after-update")
assert shardq("build", "-q", write("after.jsonl", LINES[:700] + CHANGED + LINES[703:900] + LINES[902:]), "-i", AFTER,
              *OPTIONS)[0] == 0


def digest(index):
    with open(os.path.join(index, "manifest"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Updates(StoreTestCase):
    def setUp(self):
        super().setUp()
        self.publish(BEFORE)
        self.published = dict(self.store.objects)
        self.store.requests.clear()

    def update(self, *options, status=0, words="", changes=CHANGES):
        found = self.run_command("update", URL, *changes, *options)
        self.assertEqual(found[0], status, found)
        self.assertIn(words, found[2])
        return found

    def fetched(self):
        """The digest of the newest generation, whose files are all there."""
        copy = os.path.join(self.work, "copy")
        shutil.rmtree(copy, ignore_errors=True)
        self.fetch()
        self.assertEqual(shardq("verify", "-q", "-i", copy)[0], 0)
        return digest(copy)

    def test_the_bytes_of_a_build_and_few_requests(self):
        found = json.loads(self.update("--json")[1])
        self.assertEqual((found["generation"], found["records"], found["records_removed"]), (2, len(LINES) - 2, 5))
        made = [key for key in self.store.objects if key not in self.published and is_shard(os.path.basename(key))]
        read = [key for method, key, _ in self.store.requests if method == "GET" and is_shard(os.path.basename(key))]
        files = sum(is_shard(os.path.basename(key)) for key in self.published)
        self.assertEqual(self.fetched(), digest(AFTER))
        # Five changes in two places of the list: their shards, the shards of their entries, and the pages' side files.
        self.assertLess(len(read), files // 4, f"{len(read)} of {files} files read")
        # The commit reads the manifests of the generation once more.
        twice = {os.path.basename(key).split("-")[0] for key in read if read.count(key) > 1}
        self.assertLessEqual(twice, {"entries"})
        self.assertLessEqual(len(made), len(read) + 1)
        # Once more: nothing changes.
        found = json.loads(self.update("--json", changes=CHANGES[:2])[1])
        self.assertEqual((found["generation"], found["shards_written"], found["unchanged"]), (2, 0, True))

    def test_an_update_with_starts(self):
        index, after = (os.path.join(self.work, name) for name in ("index", "after"))
        self.assertEqual(shardq("build", "-q", os.path.join(SCRATCH, "all.jsonl"), "-i", index, *OPTIONS, "--starts")[0], 0)
        self.assertEqual(shardq("build", "-q", os.path.join(SCRATCH, "after.jsonl"), "-i", after, *OPTIONS, "--starts")[0], 0)
        self.publish(index)
        self.update()
        self.assertEqual(self.fetched(), digest(after))

    def test_new_ids_and_changes_that_move(self):
        """A new id, and a record that moves to another place of the list."""
        changed = [{**LINES[5], "name": "Zzz"}, {**LINES[6], "_id": "new", "name": "Aaa"}]
        self.update(changes=["--upsert", write("moved.jsonl", changed)])
        after = os.path.join(self.work, "after")
        moved = LINES[:5] + LINES[6:] + changed
        self.assertEqual(shardq("build", "-q", write("moved-all.jsonl", moved), "-i", after, *OPTIONS)[0], 0)
        self.assertEqual(self.fetched(), digest(after))

    def test_a_store_that_fails_from_each_request_on(self):
        self.update()
        count, step = len(self.store.requests), 1
        for failing in range(0, count + 1, step):
            self.store.objects = dict(self.published)
            self.refuse_from(failing)
            status, _, said = self.run_command("update", URL, *CHANGES)
            self.store.fault = None
            names = [name for name in self.store.names(PREFIX) if name.startswith("generations/")]
            self.assertIn(status, (0, 65, 66, 74), said)
            self.assertTrue(status == 0 or said.startswith("shardq: "), said)
            if len(names) == 1:
                self.assertNotEqual(status, 0, failing)
                if failing % 10 == 0:
                    self.assertEqual(self.fetched(), digest(BEFORE), failing)
                    self.update()
            # The changes came once, whether or not their update said so.
            if failing % 10 == 0:
                self.update()
                self.assertEqual(self.fetched(), digest(AFTER), failing)

    def test_two_updates_at_once(self):
        """Another update commits while this one works: both changes are there."""
        other = ["--upsert", write("other.jsonl", [{**LINES[10_000], "population": 2}])]
        overtaken = []

        def fault(handler, method, key):
            # Right before this one's commit, and once.
            if method == "PUT" and key.endswith("generations/00000000000000000002") and not overtaken:
                overtaken.append(True)
                thread = threading.Thread(target=lambda: overtaken.append(self.run_command("update", URL, *other)))
                thread.start()
                thread.join()
            return False

        self.store.fault = fault
        found = self.update("--json", words="")
        self.assertEqual(overtaken[1][0], 0, overtaken)
        self.assertEqual(json.loads(found[1])["generation"], 3)
        after = os.path.join(self.work, "after")
        with open(os.path.join(SCRATCH, "after.jsonl"), encoding="utf-8") as file:
            both = [json.loads(line) for line in file]
        both = [{**record, "population": 2} if record["_id"] == 10_000 else record for record in both]
        self.assertEqual(shardq("build", "-q", write("both.jsonl", both), "-i", after, *OPTIONS)[0], 0)
        self.assertEqual(self.fetched(), digest(after))

    def test_an_update_that_is_always_overtaken_gives_up(self):
        attempts = []

        def fault(handler, method, key):
            if method == "PUT" and "/generations/" in key:
                attempts.append(key)
                handler.refuse(412, "PreconditionFailed")
                return True
            return False

        self.store.fault = fault
        said = self.update(status=75)[2]
        self.assertEqual((len(attempts), said.count("trying again")), (4, 3), said)
        attempts.clear()
        # Standard input can be read only once.
        found = shardq("update", URL, "--upsert", "-", "--input-format", "jsonl", text=json.dumps(CHANGED[0]),
                       environment=self.store.environment)
        self.assertEqual((found[0], len(attempts)), (75, 1), found)

    def test_a_list_that_lags(self):
        """Neither an update nor a prune takes the list's word for the newest generation."""
        self.update()

        def fault(handler, method, key):
            if method != "GET" or key != "" or "list-type" not in handler.query:
                return False
            with self.store.lock:
                newest = max(name for name in self.store.objects if "/generations/" in name)
                kept = self.store.objects.pop(newest)
            try:
                handler.answer()
            finally:
                self.store.objects[newest] = kept
            return True

        self.store.fault = fault
        self.update(changes=["--delete", write("late.jsonl", LINES[50:51])])
        self.store.age(PREFIX, 30 * DAY)
        self.prune("--keep", "1")
        self.store.fault = None
        self.assertEqual(self.generations(), ["generations/00000000000000000003"])
        self.assertEqual(json.loads(self.run_command("-i", URL, "", "--json", "--cache-size", "0")[1])["count"], len(LINES) - 3)
        self.fetched()

    def test_refusals(self):
        everything = ["--delete", os.path.join(SCRATCH, "all.jsonl")]
        said = self.update(status=65, words="the changes remove all records, and the index in", changes=everything)[2]
        self.assertTrue(said.endswith(f"{URL} has 20,000; to empty it, pass --allow-empty\n"), said)
        self.assertEqual(self.generations(), ["generations/00000000000000000001"])
        self.update("--allow-empty", changes=everything)
        self.update("--overlay", status=64, words="no overlay")
        # The index of queries is the index of updates.
        found = self.run_command("update", "-i", URL, "--upsert", os.path.join(SCRATCH, "day.jsonl"), "--json")
        self.assertEqual((found[0], json.loads(found[1])["records"]), (0, 3), found)
        self.update("-i", BEFORE, status=64, words="exclude each other")
        found = self.run_command("update", "s3://bucket/none/", *CHANGES)
        self.assertEqual(found[0], 66, found)
        self.assertIn("no generation in s3://bucket/none/; publish one", found[2])
        found = self.run_command("update", BEFORE, *CHANGES)
        self.assertEqual(found[0], 64, found)
        self.assertIn("name a directory with --index", found[2])

    def test_a_damaged_shard_ends_the_update(self):
        self.update()
        read = [key for method, key, _ in self.store.requests
                if method == "GET" and is_shard(os.path.basename(key)) and "/side-" not in key and "/entries-" not in key]
        for key in read[:3]:
            self.store.objects = dict(self.published)
            content, modified = self.store.objects[key]
            self.store.objects[key] = (content[:-9] + bytes([content[-9] ^ 1]) + content[-8:], modified)
            found = self.run_command("update", URL, *CHANGES)
            self.assertEqual(found[0], 65, found)
            self.assertIn(os.path.basename(key), found[2])
            self.assertEqual(len(self.generations()), 1)


class Ranges(StoreTestCase):
    """Changes by ranges in separate processes, and files that come from another URL than the store's."""

    def setUp(self):
        super().setUp()
        self.publish(BEFORE)
        self.published = dict(self.store.objects)
        self.store.is_public = True
        self.public = f"{self.store.environment['AWS_ENDPOINT_URL']}/bucket/{PREFIX}"

    def run_with(self, text, *arguments, status=0, words=""):
        found = shardq(*arguments, text=text, environment=self.store.environment)
        self.assertEqual(found[0], status, found)
        self.assertIn(words, found[2])
        return found[1]

    def file(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def planned(self, ranges, over=URL):
        return self.file("plan", self.run_with(None, "plan-ranges", "--ranges", str(ranges), "--over", over))

    def rows(self, plan, groups, over=URL):
        rows = [self.run_with("".join(f"{number}\n" for number in group), "write-range", "--plan", plan, "-o", URL, "--over",
                              over, *CHANGES) for group in groups]
        entries = "".join(line[6:] + "\n" for row in rows for line in row.split("\n") if line.startswith("entry\t"))
        rows.append(self.run_with(entries, "write-range", "--plan", plan, "-o", URL, "--entries", "--over", over))
        return self.file("rows", "".join(rows))

    def fetched(self):
        self.fetch()
        return digest(os.path.join(self.work, "copy"))

    def test_the_bytes_of_a_build(self):
        for over in (URL, self.public):
            self.store.objects = dict(self.published)
            plan = self.planned(4, over)
            self.store.requests.clear()
            rows = self.rows(plan, ([0, 3], [2, 1]), over)
            put = [key for method, key, _ in self.store.requests if method == "PUT"]
            # At most the pieces at the borders of the ranges, of records and of entries, were made again.
            self.assertLessEqual(len([key for key in put if key in self.published]), 8)
            self.store.requests.clear()
            self.run_with(None, "merge", "--plan", plan, "-o", URL, rows)
            # The merge compares no object of the generation before.
            read = {key for method, key, _ in self.store.requests if method == "GET" and key in self.published}
            shards = [key for key in self.published if is_shard(os.path.basename(key))]
            self.assertLess(len([key for key in shards if key in read]), len(shards) // 2)
            self.assertEqual(self.fetched(), digest(AFTER))

    def test_an_update_comes_first(self):
        plan = self.planned(2)
        rows = self.rows(plan, ([0, 1],))
        self.assertEqual(self.run_command("update", URL, "--delete", write("late.jsonl", LINES[50:51]))[0], 0)
        generations = self.generations()
        self.run_with(None, "merge", "--plan", plan, "-o", URL, rows, status=75, words="make a new plan")
        self.run_with("0\n", "write-range", "--plan", plan, "-o", URL, "--over", URL, *CHANGES, status=75, words="new plan")
        self.assertEqual(self.generations(), generations)

    def test_a_store_that_fails_from_each_request_on(self):
        plan = self.planned(2)
        rows = self.rows(plan, ([0, 1],))
        commands = (("0\n1\n", ["write-range", "--plan", plan, "-o", URL, "--over", URL, *CHANGES]),
                    (None, ["merge", "--plan", plan, "-o", URL, rows]))
        written = dict(self.store.objects)
        for text, command in commands:
            self.store.objects = dict(written)
            self.store.requests.clear()
            self.run_with(text, *command)
            for failing in range(0, len(self.store.requests), 1 + len(self.store.requests) // 25):
                self.store.objects = dict(written)
                self.refuse_from(failing)
                status, _, said = shardq(*command, text=text, environment=self.store.environment)
                self.store.fault = None
                self.assertIn(status, (0, 65, 66, 74), said)
                self.assertTrue(status == 0 or said.startswith("shardq: "), said)
                if status and len(self.generations()) == 1:
                    self.run_with(text, *command)
            if text is None:
                self.assertEqual(self.fetched(), digest(AFTER))

    def test_an_update_reads_from_another_url(self):
        self.store.requests.clear()
        found = self.run_command("update", URL, "--over", self.public, *CHANGES)
        self.assertEqual(found[0], 0, found)
        self.assertEqual(self.fetched(), digest(AFTER))
        for options, words in ((["-i", BEFORE, "--over", self.public], "goes with an index in a store"),
                               ([URL, "--over", BEFORE], "is no URL")):
            found = self.run_command("update", *options, *CHANGES)
            self.assertEqual((found[0], words in found[2]), (64, True), found)

    def test_refusals(self):
        self.run_with(None, "plan-ranges", "--ranges", "2", "--over", "s3://bucket/none/", status=66)
        build = self.file("build", self.run_with(None, "plan-ranges", "--ranges", "2", *OPTIONS, os.path.join(SCRATCH, "all.jsonl")))
        self.run_with("0\n", "write-range", "--plan", build, "-o", URL, "--over", URL, *CHANGES, status=64,
                      words="the plan was made over no index")
        plan = self.planned(2)
        self.run_with("0\n", "write-range", "--plan", plan, "-o", BEFORE, "--over", URL, *CHANGES, status=64,
                      words="must be the place of the index")
        self.run_with("0\n", "write-range", "--plan", plan, "-o", "s3://bucket/other/", "--over", URL, *CHANGES, status=75,
                      words="make a new plan")


if __name__ == "__main__":
    unittest.main()
