"""Tests changes of an index by ranges in separate processes: the manifest equals that of a build of the changed list."""

import glob
import json
import os
import shutil
import signal
import subprocess
import unittest

from ranges import ENVIRONMENT, PATIENCE, SHARDQ, digest, local, path, shardq

OPTIONS = ["--key", "{name}, {country}", "--id", "_id", "--shard-size", "4KiB"]
EVERYTHING = ["--weight", "population", "--words", "--alias", "names", "--typos", "--filter", "kind", "--number",
              "population", "--near", "--starts"]


def write(name, records):
    with open(path(name), "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return path(name)


def cities(count):
    """Made-up cities, each with an id of its own."""
    shardq("generate", "--count", str(count), "--seed", "5", "--format", "jsonl", into=path("generated-over"))
    made = []
    with open(path("generated-over"), encoding="utf-8") as file:
        for number, line in enumerate(file):
            record = json.loads(line)
            made.append({**record, "_id": number, "population": number * 7919 % 100_003, "kind": "abc"[number % 3],
                         "names": [record["name"][::-1]] if number % 5 == 0 else [], "lat": number % 80,
                         "lon": number % 170})
    return made


def changed(records):
    """Upserted records, ids to delete, and the list with these changes: weights, moved keys, new ids and a new field."""
    upserted = [{**record, "population": 5} for record in records[100:160]]
    upserted += [{**record, "name": "Zed " + record["name"]} for record in records[200:230]]
    upserted += [{**records[number], "name": "New %d" % number, "_id": "new %d" % number, "mayor": "A"} for number in range(20)]
    gone = {record["_id"] for record in records[300:350]}
    # All of a letter: the plan may have a range of it.
    gone |= {record["_id"] for record in records if record["name"].startswith("M")}
    upserted = [record for record in upserted if record["_id"] not in gone]
    new = {record["_id"]: record for record in records if record["_id"] not in gone}
    new.update((record["_id"], record) for record in upserted)
    return upserted, sorted(gone), list(new.values())


class Over(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = cities(5000)
        cls.source = write("over.jsonl", cls.records)
        upserted, gone, after = changed(cls.records)
        with open(path("gone.csv"), "w", encoding="utf-8") as file:
            file.writelines(["_id\n"] + ["%s\n" % one for one in gone])
        cls.changes = ["--upsert", write("upserted.jsonl", upserted), "--delete", path("gone.csv")]
        cls.after = write("after.jsonl", after)

    def setUp(self):
        self.name = self.id().split(".")[-1]
        self.index, self.plan, self.rows = (path(self.name + end) for end in ("", "-plan", "-rows"))

    def built(self, *options):
        shardq("build", "-q", self.source, "-i", self.index, *OPTIONS, *options)

    def planned(self, ranges):
        shardq("plan-ranges", "--ranges", str(ranges), "--over", self.index, into=self.plan)
        with open(self.plan, encoding="utf-8") as file:
            return sum(line.startswith("bound\t") for line in file) + 1

    def numbers(self, numbers):
        with open(path(self.name + "-numbers"), "w", encoding="utf-8") as file:
            file.writelines("%d\n" % number for number in numbers)
        return file.name

    def write(self, *groups):
        with open(self.rows, "wb") as rows:
            for group in groups:
                rows.write(shardq("write-range", "--plan", self.plan, "-o", self.index, "--over", self.index, *self.changes,
                                  source=self.numbers(group)))
        with open(self.rows, "rb") as rows, open(path(self.name + "-entries"), "wb") as entries:
            entries.writelines(line[len(b"entry\t"):] for line in rows if line.startswith(b"entry\t"))
        if os.path.getsize(entries.name):
            shardq("write-range", "--plan", self.plan, "-o", self.index, "--entries", "--over", self.index,
                   source=entries.name, into=self.rows + "-of-entries")
            return [self.rows, self.rows + "-of-entries"]
        return [self.rows]

    def merge(self, rows):
        shardq("merge", "--plan", self.plan, "-o", self.index, *rows)
        shardq("verify", "-q", "-i", self.index)
        return digest(self.index)

    def refused(self, words, *arguments, status, text=b""):
        done = subprocess.run([SHARDQ, *arguments], input=text, capture_output=True, env=ENVIRONMENT, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(words, done.stderr.decode())

    def write_refused(self, words, status, text=b"0\n", index=None, changes=None):
        index = index or self.index
        self.refused(words, "write-range", "--plan", self.plan, "-o", index, "--over", index,
                     *(self.changes if changes is None else changes), status=status, text=text)

    def test_the_bytes_of_a_build(self):
        for number, (options, ranges) in enumerate((([], 1), ([], 6), (EVERYTHING, 4))):
            with self.subTest(options=options, ranges=ranges):
                self.index = path("%s-%d" % (self.name, number))
                self.built(*options)
                self.assertEqual(self.planned(ranges), ranges)
                rows = self.write(range(0, ranges, 2), range(1, ranges, 2))
                want = local(self.after, "%s-want-%d" % (self.name, number), "-q", *OPTIONS, *options)
                self.assertEqual(self.merge(rows), want)

    def test_a_range_that_loses_all_records(self):
        self.built("--words")
        count = self.planned(150)
        rows = self.write(range(count))
        with open(self.rows, encoding="utf-8") as file:
            counts = [int(line.split("\t")[6]) for line in file if line.startswith("row\t")]
        self.assertEqual(len(counts), count)
        self.assertIn(0, counts)
        self.assertEqual(self.merge(rows), local(self.after, self.name + "-want", "-q", *OPTIONS, "--words"))

    def test_a_writer_that_is_killed_and_one_that_comes_late(self):
        self.built("--words")
        self.planned(3)
        killed = subprocess.Popen([SHARDQ, "write-range", "--plan", self.plan, "-o", self.index, "--over", self.index,
                                   *self.changes], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT)
        killed.stdin.write(b"0\n1\n2\n")
        killed.stdin.close()
        killed.stdout.readline()
        killed.send_signal(signal.SIGKILL)
        killed.stdout.close()
        killed.wait(PATIENCE)
        rows = self.write([2], [0, 1])
        want = local(self.after, self.name + "-want", "-q", *OPTIONS, "--words")
        self.assertEqual(self.merge(rows), want)
        self.assertEqual(glob.glob(self.index + "/.shardq-range-*"), [])
        # The index is another one now.
        self.write_refused("is not the index that the plan was made over; make a new plan", 65)
        self.refused("is not the index that the plan was made over", "merge", "--plan", self.plan, "-o", self.index, *rows,
                     status=65)
        self.assertEqual(digest(self.index), want)

    def test_changes_that_remove_everything(self):
        self.built()
        self.planned(2)
        self.changes = ["--delete", self.source]
        self.write([0, 1])
        before = digest(self.index)
        self.refused("no range has a record", "merge", "--plan", self.plan, "-o", self.index, self.rows, status=65)
        self.assertEqual(digest(self.index), before)

    def test_a_missing_range(self):
        self.built()
        self.planned(3)
        self.write([0, 2])
        self.refused("range 1 has no row", "merge", "--plan", self.plan, "-o", self.index, self.rows, status=65)

    def test_indexes_that_ranges_cannot_change(self):
        def planned(words, *options, source=self.source, status=64):
            index = path(self.name + "-" + words.replace(" ", "-"))
            shardq("build", "-q", source, "-i", index, *options)
            self.refused(words, "plan-ranges", "--ranges", "2", "--over", index, status=status)

        key = ["--key", "{name}, {country}"]
        planned("an id that several records have", *key, "--id", "kind")
        weights = path("weights.tsv")
        with open(weights, "w", encoding="utf-8") as file:
            file.write("1\t5\n")
        planned("weights of a file", *key, "--id", "_id", "--weights", weights)
        with open(path("dots.csv"), "w", encoding="utf-8") as file:
            file.write("name,a.b,_id\nx,y,1\n")
        planned("fields with dots", "--key", "{name}", "--id", "_id", source=path("dots.csv"))
        with open(path("plain.csv"), "w", encoding="utf-8") as file:
            file.write("name\nx\n")
        planned("without --id", "--key", "{name}", source=path("plain.csv"), status=65)
        self.built()
        self.planned(2)
        shardq("update", "-q", "-i", self.index, "--overlay", "--delete", write("one.jsonl", self.records[:1]))
        self.refused("has an overlay; write it into shards with `shardq update` and --merge", "plan-ranges", "--ranges", "2", "--over", self.index,
                     status=64)
        self.write_refused("has an overlay", 64)

    def test_wrong_input(self):
        self.built()
        self.planned(3)
        for text in (b"3\n", b"-1\n", b"one\n", b"0\t{}\n", b"\n"):
            self.write_refused("is not the number of a range, from 0 to 2", 65, text)
        self.write_refused("there are no changes", 64, changes=[])
        self.write_refused("leave out --upsert and --delete", 64, changes=[*self.changes, "--entries"])
        self.write_refused("standard input has the ranges", 64, changes=["--upsert", "-"])
        self.write_refused("none.jsonl", 66, changes=["--upsert", path("none.jsonl")])
        self.write_refused("has no field", 65, changes=["--delete", write("no-id.jsonl", [{"name": "a"}])])
        other = path(self.name + "-other")
        shardq("build", "-q", self.after, "-i", other, *OPTIONS)
        self.write_refused("is not the index that the plan was made over", 65, index=other)
        # Without the index the plan is of no use, and the index is of none without its plan.
        for arguments in (["key", "--plan", self.plan], ["write-range", "--plan", self.plan, "-o", self.index]):
            self.refused("name the index and the changes", *arguments, status=64, text=b'{"name":"a"}\n')
        self.refused("leave out samples and options", "plan-ranges", "--ranges", "2", "--over", self.index, "--typos", status=64)
        self.refused("leave out samples and options", "plan-ranges", "--ranges", "2", "--over", self.index, self.source,
                     status=64)
        self.refused("name a sample", "plan-ranges", "--ranges", "2", status=64)
        shardq("plan-ranges", "--ranges", "2", *OPTIONS, self.source, into=self.plan)
        self.write_refused("the plan was made over no index", 64)
        dotted = write("coordinates.jsonl", [{"name": "a", "country": "b", "_id": 1, "breitengrad": 1, "laengengrad": 2}])
        plain = path(self.name + "-plain")
        shardq("build", "-q", "-i", plain, *OPTIONS, write("short.jsonl", [{"name": "a", "country": "b", "_id": 1}]))
        shardq("plan-ranges", "--ranges", "1", "--over", plain, into=self.plan)
        self.write_refused("fields with coordinates, or with dots in their names, that the index lacks", 64, index=plain, changes=["--upsert", dotted])

    def test_a_damaged_shard(self):
        self.built()
        self.planned(2)
        shard = sorted(name for name in os.listdir(self.index) if name.endswith(".zst"))[0]
        copy = path(self.name + "-copy")
        shutil.copytree(self.index, copy)
        with open(os.path.join(copy, shard), "r+b") as file:
            file.seek(-3, os.SEEK_END)
            file.write(b"\0\0\0")
        self.write_refused(shard, 65, b"0\n1\n", index=copy)


if __name__ == "__main__":
    unittest.main()
