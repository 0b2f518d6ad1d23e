"""Tests ranges of keys in separate processes, with sort and awk as the engine: the manifest equals that of `shardq build`."""

import os
import subprocess
import unittest

from ranges import ENVIRONMENT, cities, digest, local, path, shardq

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

    def test_one_process_may_write_several_ranges(self):
        want = local(self.source, "several", *SMALL)
        self.assertEqual(digest(built_by_ranges(self.source, "several-8", 8, SMALL, groups=3)), want)


if __name__ == "__main__":
    unittest.main()
