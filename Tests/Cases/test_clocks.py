"""Commands that look at the times of files, after a clock that went back or ahead: no damage passes for a build's bytes, and
no file of an index is removed."""

import os
import subprocess
import time
import unittest

from case import SHARDQ, Case

KEY = ["--key", "{name}", "--id", "id", "--shard-size", "1KiB"]
YEAR = 365 * 86_400


class Clocks(Case):
    def setUp(self):
        super().setUp()
        rows = [f'{{"name":"{number:03} {number * 7919}","id":{number}}}\n' for number in range(900)]
        self.write("list.jsonl", "".join(rows))

    def test_a_file_that_changed_while_the_clock_was_back(self):
        """Its time is before that of the manifest, as after a build before the change."""
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("this system gives no mounts of one's own, with which a file is put in another's place")
        # The file that comes later has its time now.
        other = self.write("other", b"")
        self.shardq("build", "-q", "-i", "first", *KEY, "list.jsonl")
        name = sorted(path.name for path in (self.directory / "first").glob("*.zst"))[-1]
        whole = bytearray((self.directory / "first" / name).read_bytes())
        whole[-2] ^= 4
        other.write_bytes(whole)
        time.sleep(0.05)
        self.shardq("build", "-q", "-i", "index", *KEY, "list.jsonl")
        self.write("one.jsonl", '{"name":"005 39595","id":5,"note":"new"}\n')
        damaged = self.directory / "index" / name
        self.assertLess(other.stat().st_ctime_ns, (self.directory / "index/manifest").stat().st_ctime_ns)
        ended = subprocess.run(
            ["unshare", "-rm", "sh", "-c", 'mount --bind other "$1"; shift; exec "$@"', "sh", str(damaged), SHARDQ, "update",
             "-i", "index", "--upsert", "one.jsonl"], cwd=self.directory, capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 65, ended.stderr)
        self.assertIn(name, ended.stderr)
        self.shardq("update", "-q", "-i", "index", "--upsert", "one.jsonl")
        self.shardq("verify", "-q", "-i", "index")

    def job(self):
        """A job's ranges and the index that they replace; returns the rows."""
        self.shardq("build", "-q", "-i", "index", *KEY, "list.jsonl")
        with (self.directory / "list.jsonl").open("a") as file:
            file.write('{"name":"zz","id":1001}\n')
        self.write("plan", self.shardq("plan-ranges", "--ranges", "3", *KEY, "list.jsonl"))
        lines = self.shardq("key", "-q", "--plan", "plan", input=(self.directory / "list.jsonl").read_text())
        self.write("rows", self.shardq("write-range", "-q", "--plan", "plan", "--output", "index", input=lines))
        return ["merge", "-q", "--plan", "plan", "--output", "index", "--repeated-ids", "0", "rows"]

    def test_prune_while_the_clock_is_a_year_ahead(self):
        """All files are old: the index stays, and a merge says that its ranges are gone."""
        merge = self.job()
        before = (self.directory / "index/manifest").read_bytes()
        for path in (self.directory / "index").iterdir():
            os.utime(path, (time.time() - YEAR,) * 2)
        self.assertTrue(self.shardq("prune", "--grace", "1h", "index").split())
        self.shardq("verify", "-q", "-i", "index")
        self.assertRegex(self.refused(*merge, status=66), r"index: the files of range \d are gone; write that range again")
        self.assertEqual((self.directory / "index/manifest").read_bytes(), before)
        self.shardq("verify", "-q", "-i", "index")

    def test_prune_while_the_clock_is_an_hour_back(self):
        """All files come from the future, and are as young as can be."""
        merge = self.job()
        for path in (self.directory / "index").iterdir():
            os.utime(path, (time.time() + 3600,) * 2)
        self.assertEqual(self.shardq("prune", "--grace", "1h", "index"), "")
        self.shardq(*merge)
        self.shardq("verify", "-q", "-i", "index")


if __name__ == "__main__":
    unittest.main()
