"""An index with entries of an earlier kind: a ranked search says so, and a build over it leaves nothing of the old forms."""

import shutil
import unittest

from case import ROOT, Case

EARLIER = ROOT / "Tests" / "Golden" / "entries-2"
BUILD = ("build", "--key", "{name}", "--weight", "w", "--words", "--typos", "--shard-size", "1KiB", EARLIER / "list.csv")


class EarlierKinds(Case):
    def setUp(self):
        super().setUp()
        shutil.copytree(EARLIER / "index", self.directory / "index")

    def files(self, name):
        return {path.name: path.read_bytes() for path in (self.directory / name).iterdir() if path.is_file()}

    def test_a_search_says_so(self):
        ended = self.run_shardq("-i", "index", "a")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("entries of an earlier kind; build the index again", ended.stderr)
        self.assertEqual(self.run_shardq("-i", "index", "a", "--sort", "key").returncode, 0)

    def test_a_build_over_it(self):
        self.shardq(*BUILD, "-q", "-i", "index")
        self.shardq(*BUILD, "-q", "-i", "fresh")
        self.shardq("verify", "-q", "-i", "index", "--source", EARLIER / "list.csv")
        # A build leaves the files of the generation before.
        files, fresh = self.files("index"), self.files("fresh")
        self.assertEqual({name: files.get(name) for name in fresh}, fresh)


if __name__ == "__main__":
    unittest.main()
