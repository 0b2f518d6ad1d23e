"""Counts the shards that a single change replaces: python3 -m unittest discover -s Tests/FormatReader

The tests change a real list with words, other names and sketches, in 20 separate updates, or 1,000 with
SHARDQ_LONG=1.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reader  # noqa: E402
from test_reader import DATA, shardq  # noqa: E402

CHANGES = 1000 if os.environ.get("SHARDQ_LONG") == "1" else 20
SEED = int(os.environ.get("SHARDQ_SEED") or 9)
LIST = DATA / "geonames-cities1000.txt.zst"
ID, NAME, OTHERS, POPULATION = 0, 1, 3, 14  # Columns.


def pairs(index, shards):
    """The folded keys and records of some shards."""

    def read(shard):
        data = reader.read_file(index.directory, shard.name)
        return shard, data, reader.frames_of(data, shard.name)

    found = []
    for entry, frames, contents in index._unpack([read(shard) for shard in shards]) if shards else ():
        for part in reader.Shard(index, entry, frames, contents).parts:
            found += zip(part.keys, part.lines)
    return found


def differences(old, new):
    """The number of shards that are gone, and of the keys and records that differ."""
    olds, news = ({shard.name: shard for shard in each.entries} for each in (old, new))
    gone = [shard for name, shard in olds.items() if name not in news]
    come = [shard for name, shard in news.items() if name not in olds]
    return len(gone), len(set(pairs(old, gone)) ^ set(pairs(new, come)))


@unittest.skipUnless(LIST.exists(), f"skipped: {LIST} is not there")
class Locality(unittest.TestCase):
    def test_a_change_replaces_two_shards_for_the_record_and_for_each_entry(self):
        directory = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, directory)
        index, change = str(directory / "index"), directory / "change"
        text = subprocess.run(["zstd", "-dc", LIST], check=True, capture_output=True).stdout.decode()
        rows = [line.split("\t") for line in text.split("\n") if line]
        features = ["--id", "geonameid", "--weight", "population", "--words", "--alias", "alternatenames", "--typos"]
        shardq("build", str(LIST), "-i", index, "--input-format", "geonames", *features, "--quiet")
        rng = random.Random(SEED)
        before = reader.Index(index, check_digests=False)
        for number in range(CHANGES):
            kind = rng.choice(["weight", "removed", "added", "renamed", "other names"])
            place = rng.randrange(len(rows))
            row = list(rows[place])
            if kind == "weight":
                row[POPULATION] = str(rng.randrange(10 ** rng.randrange(1, 8)))
            elif kind == "added":
                row[ID], place = str(10**9 + number), len(rows)
                row[NAME] += rng.choice([" Nord", "a", "-sur-Mer", " zz"])
            elif kind == "renamed":
                row[NAME] = row[NAME][::-1].capitalize()
            elif kind == "other names":
                row[OTHERS] = ",".join([*row[OTHERS].split(",")[1:], row[NAME][::-1]])
            if kind == "removed":
                change.write_text(f"geonameid\n{row[ID]}\n")
                shardq("update", "-i", index, "--delete", str(change), "--input-format", "csv")
                rows.pop(place)
            else:
                change.write_text("\t".join(row) + "\n")
                shardq("update", "-i", index, "--upsert", str(change), "--input-format", "geonames")
                rows[place : place + 1] = [row]
            after = reader.Index(index, check_digests=False)
            gone, _ = differences(before, after)
            entries_gone, entries = differences(before.text_entries, after.text_entries)
            # A renamed record counts as a removed and an added one, as entries do.
            records = 2 if kind == "renamed" else 1
            with self.subTest(change=number, kind=kind, seed=SEED):
                self.assertLessEqual(gone + entries_gone, 2 * (records + entries))
            before = after


if __name__ == "__main__":
    unittest.main()
