"""Tests ranges of keys in separate processes, with sort and awk as the engine: the manifest equals that of `shardq build`."""

import os
import random
import subprocess
import time
import unittest

from ranges import ENVIRONMENT, PATIENCE, SHARDQ, cities, digest, local, path, shardq

SMALL = ["--key", "{name}, {country}", "--id", "_id", "--shard-size", "4KiB"]


def grouped(lines, directory, groups):
    """Puts each range's lines into one of some files, in any order, as an engine groups by a column."""
    os.mkdir(directory)
    engine = "sort -R \"$1\" | awk -F '\\t' -v d=\"$2\" -v n=\"$3\" '{ print > (d \"/\" ($1 % n)) }'"
    subprocess.run(["sh", "-c", engine, "sh", lines, directory, str(groups)], env=ENVIRONMENT, check=True)
    return [os.path.join(directory, name) for name in os.listdir(directory)]


def repeated_ids(source, plan):
    """Counts the lines as the statement of the job does."""
    hashes = shardq("key", "--plan", plan, "--ids", source=source).split(b"\n")[:-1]
    ids = [one for one in hashes if one]
    return len(hashes), len(ids) - len(set(ids))


def built_by_ranges(source, name, ranges, options, groups=None):
    """The directory of an index that processes wrote by ranges."""
    here = path(name)
    os.mkdir(here)
    target, plan = os.path.join(here, "index"), os.path.join(here, "plan")
    shardq("plan-ranges", "--ranges", str(ranges), *options, source, into=plan)
    shardq("key", "--plan", plan, source=source, into=os.path.join(here, "lines"))
    rows = os.path.join(here, "rows")
    with open(rows, "wb") as all_rows, open(os.path.join(here, "entries"), "wb") as entries:
        for group in grouped(os.path.join(here, "lines"), os.path.join(here, "records"), groups or ranges):
            for line in shardq("write-range", "--plan", plan, "--output", target, source=group).splitlines(keepends=True):
                if line.startswith(b"entry\t"):
                    entries.write(line[len(b"entry\t"):])
                all_rows.write(line)
        entries.flush()
        for group in grouped(entries.name, os.path.join(here, "entry-groups"), groups or ranges):
            all_rows.write(shardq("write-range", "--plan", plan, "--entries", "--output", target, source=group))
    records, repeated = repeated_ids(source, plan)
    shardq("merge", "--plan", plan, "--output", target, "--records", str(records), "--repeated-ids", str(repeated), rows)
    return target


class Ranges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = cities(6000)

    def same(self, options, *counts):
        name = "-".join(option.strip("-") for option in options if option.startswith("--")) or "plain"
        want = local(self.source, name, *SMALL, *options)
        for ranges in counts:
            with self.subTest(options=options, ranges=ranges):
                target = built_by_ranges(self.source, "%s-%d" % (name, ranges), ranges, [*SMALL, *options])
                self.assertEqual(digest(target), want)
                shardq("verify", "-i", target)

    def test_plain(self):
        self.same([], 1, 2, 7)

    def test_weights(self):
        self.same(["--weight", "population"], 3)

    def test_typing_errors_and_filters(self):
        self.same(["--weight", "population", "--typos", "--filter", "kind", "--filter", "country", "--near"], 3)

    def test_words_and_other_names(self):
        self.same(["--weight", "population", "--words", "--alias", "names"], 3)

    def test_everything(self):
        self.same(["--weight", "population", "--words", "--alias", "names", "--typos", "--filter", "kind", "--near",
                   "--starts"], 4)

    def test_more_places_than_a_table_holds(self):
        """A merge reads the places of kept shards from their records. One shard alone has over 1,024 of them here."""
        made = random.Random(5)
        with open(path("places.jsonl"), "w", encoding="utf-8") as file:
            for number in range(60_000):
                file.write('{"name":"n%06d","_id":%d,"lat":%.3f,"lng":%.3f}\n' % (
                    made.randrange(10 ** 6), number, made.uniform(-80, 80), made.uniform(-179, 179)))
        options = ["--key", "{name}", "--id", "_id", "--shard-size", "32KiB", "--near", "--typos"]
        want = local(file.name, "places", *options)
        self.assertEqual(digest(built_by_ranges(file.name, "places-3", 3, options)), want)

    def test_one_process_may_write_several_ranges(self):
        want = local(self.source, "several", *SMALL)
        self.assertEqual(digest(built_by_ranges(self.source, "several-8", 8, SMALL, groups=3)), want)


class Reports(unittest.TestCase):
    """What the commands of a job say."""

    @classmethod
    def setUpClass(cls):
        cls.source = cities(2000, "reports.jsonl")
        cls.plan = path("reports-plan")
        shardq("plan-ranges", "--ranges", "3", *SMALL, "--words", cls.source, into=cls.plan)
        shardq("key", "--plan", cls.plan, source=cls.source, into=path("reports-lines"))

    def said(self, *arguments, source=os.devnull):
        """The standard output and the standard error of a command that ends well."""
        with open(source, "rb") as given:
            done = subprocess.run([SHARDQ, *arguments], stdin=given, capture_output=True, text=True, timeout=PATIENCE,
                                  env=ENVIRONMENT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def written(self, target):
        return self.said("write-range", "--plan", self.plan, "-o", path(target), source=path("reports-lines"))[0]

    def test_a_summary_follows_each_row(self):
        rows = [line.split("\t") for line in self.written("summaries").splitlines() if not line.startswith("entry\t")]
        self.assertEqual([row[0] for row in rows], ["row", "summary"] * 3)
        for row, summary in zip(rows[::2], rows[1::2]):
            self.assertEqual(summary[1:4], [row[1], row[2], row[6]])
            self.assertGreater(int(summary[4]), int(row[5]))
            self.assertRegex(summary[5], r"^\d+\.\d$")
        sizes = sum(os.path.getsize(os.path.join(path("summaries"), name)) for name in os.listdir(path("summaries")))
        self.assertEqual(sum(int(summary[4]) for summary in rows[1::2]), sizes)

    def test_a_slow_command_writes_a_line_every_ten_seconds(self):
        with open(self.source, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        runs = {}
        for option in ("--plan", "--no-progress", "--quiet"):
            arguments = [SHARDQ, "key", "--plan", self.plan] + [option] * (option != "--plan")
            runs[option] = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, env=ENVIRONMENT)
            runs[option].stdin.write(b"".join(lines[:10]))
            runs[option].stdin.flush()
        time.sleep(11)
        said = {option: run.communicate(b"".join(lines[10:]), PATIENCE)[1].decode() for option, run in runs.items()}
        self.assertEqual([run.returncode for run in runs.values()], [0, 0, 0])
        summary = r"[\d,]+ records in [\d,]+ bytes, 1\d\.\d\d s\n$"
        self.assertRegex(said["--plan"], r"^shardq key: reading  .*\n" + summary)
        self.assertRegex(said["--no-progress"], "^" + summary)
        self.assertEqual(said["--quiet"], "")

    def test_the_plan_names_a_key_that_has_many_records(self):
        self.assertNotIn("over twice the mean", self.said("plan-ranges", "--ranges", "8", *SMALL, self.source)[1])
        with open(self.source, "rb") as file, open(path("skewed.jsonl"), "wb") as skewed:
            skewed.write(file.read() + b'{"name":"Paris","country":"FR","_id":1}\n' * 1500)
        plan, note = self.said("plan-ranges", "--ranges", "8", *SMALL, path("skewed.jsonl"))
        self.assertRegex(note, r'range \d has 1,\d{3} of the sample\'s 3,\d{3} records, over twice the mean: 1,5\d\d have '
                               r'its first key, "paris, fr"')
        self.assertIn("\nbound\tparis\\01fr\n", plan)
        self.assertIn("--key", note)

    def test_one_command_removes_what_a_job_left(self):
        self.written("left")
        target = path("left")
        left = sorted(os.listdir(target))
        with open(os.path.join(target, "notes.txt"), "w") as file:
            file.write("mine")
        self.assertEqual(self.said("prune", target)[0], "")
        names, note = self.said("prune", "--grace", "0s", "--dry-run", target)
        self.assertEqual((names.split(), sorted(os.listdir(target))), (left, sorted([*left, "notes.txt"])))
        self.assertIn("%d files would be removed" % len(left), note)
        self.assertEqual(self.said("prune", "--grace", "0s", target)[0].split(), left)
        self.assertEqual(sorted(os.listdir(target)), [".lock", "notes.txt"])


if __name__ == "__main__":
    unittest.main()
