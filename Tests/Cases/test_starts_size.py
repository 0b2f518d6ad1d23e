"""Starts take at most 2 % of an index, for records of any size."""

import base64
import json
import random
import shutil
import unittest

from case import Case

OPTIONS = ["--key", "{name}", "--id", "id", "--weight", "pop", "--shard-size", "16KiB"]


class StartsSize(Case):
    def records(self, count, sizes):
        """Records with texts of random bytes; `sizes` are their sizes in turn."""
        made = random.Random(5)
        parts = ["san", "ta", "lo", "ri", "me", "ka", "bo", "new", "el"]
        return [
            {"name": " ".join("".join(made.choice(parts) for _ in range(3)) for _ in "12"), "id": number,
             "pop": made.randrange(10**6), "text": base64.b64encode(made.randbytes(sizes[number % len(sizes)])).decode()}
            for number in range(count)]

    def built(self, records, *options):
        """Returns the sizes of the index, of its manifest and of its starts."""
        source = self.write("list.jsonl", "".join(json.dumps(record) + "\n" for record in records))
        sizes = []
        for name, more in ("plain", []), ("starts", ["--starts"]):
            # A build keeps the files of the index before.
            shutil.rmtree(self.directory / name, ignore_errors=True)
            self.shardq("build", "-q", "-i", name, *OPTIONS, *options, *more, source)
            self.shardq("verify", "-i", name)
            files = [path.stat().st_size for path in (self.directory / name).iterdir()]
            sizes.append((sum(files), (self.directory / name / "manifest").stat().st_size))
        (plain, small), (whole, large) = sizes
        self.assertGreater(large, small)
        return plain, whole - plain

    def test_long_records(self):
        for sizes in [1500], [20, 20, 20, 6000]:
            with self.subTest(sizes=sizes):
                plain, starts = self.built(self.records(1200, sizes))
                self.assertGreater(plain * 0.02, 16384)
                self.assertLessEqual(starts, plain * 0.02 + 256)
                # The room is used.
                self.assertGreater(starts, plain * 0.005)

    def test_updates_and_rebuilds_are_the_same(self):
        records = self.records(1200, [20, 20, 1500])
        self.built(records)
        changed = [dict(record, pop=7) for record in records[:40]]
        self.write("changed.jsonl", "".join(json.dumps(record) + "\n" for record in changed))
        self.shardq("update", "-q", "-i", "starts", "--upsert", "changed.jsonl")
        self.shardq("verify", "-i", "starts")
        all_records = self.write("all.jsonl", "".join(json.dumps(record) + "\n" for record in changed + records[40:]))
        self.shardq("build", "-q", "-i", "again", *OPTIONS, "--starts", all_records)
        manifests = [(self.directory / name / "manifest").read_bytes() for name in ("starts", "again")]
        self.assertEqual(*manifests)


if __name__ == "__main__":
    unittest.main()
