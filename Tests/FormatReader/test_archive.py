"""Compares archives with Python's ZIP, unzip and the second reader: python3 -m unittest discover -s Tests/FormatReader"""

import hashlib
import os
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import archive  # noqa: E402
import reader  # noqa: E402
from test_reader import Temporary, shardq  # noqa: E402


class Archives(Temporary):
    def index(self, count=1500, *options):
        lines = (
            f'{{"name":"n{row * 7919 % count} Nowhere-by-the-Sea","country":"C{row % 7}","w":{row},"lat":{row % 90},"lon":{row % 180}}}'
            for row in range(count)
        )
        features = ("--weight", "w", "--words", "body", "--typos", "--near", "--filter", "country")
        return self.build(self.write("list.jsonl", lines), "--key", "{name}, {country}", "--shard-size", "2KiB", *features, *options)

    def archived(self, index):
        path = self.directory / "index.shardq"
        shardq("archive", "-i", index, "-o", path)
        return path

    def files(self, directory):
        return {path.name: path.read_bytes() for path in Path(directory).iterdir() if path.name != ".lock"}

    def test_zip(self):
        """Any program that reads ZIP gives back the directory, which verify passes."""
        index = self.index()
        path = self.archived(index)
        with zipfile.ZipFile(path) as file:
            self.assertIsNone(file.testzip())
            infos = file.infolist()
            names = [info.filename for info in infos]
            self.assertEqual((names[0], names[-1]), ("manifest", "places"))
            self.assertEqual(len(names), len(set(names)))
            for info in infos:
                self.assertEqual((info.date_time, info.external_attr), ((1980, 1, 1, 0, 0, 0), 0o100644 << 16))
                self.assertEqual((info.compress_type, info.flag_bits), (zipfile.ZIP_STORED, 0))
            file.extractall(self.directory / "python")
        found = self.files(self.directory / "python")
        found.pop("places")
        self.assertEqual(found, self.files(index))
        programs = [["unzip", "-q", path, "-d", self.directory / "unzip"], ["bsdtar", "-xf", path, "-C", self.directory / "bsdtar"]]
        made = [self.directory / "python"]
        for line in programs:
            if shutil.which(line[0]):
                line[-1].mkdir()
                subprocess.run(line, check=True)
                made.append(line[-1])
        for directory in made:
            self.assertEqual(self.files(directory) | {"places": b""}, self.files(index) | {"places": b""})
            self.assertEqual(shardq("verify", "-i", directory), b"")

    def test_second_reader(self):
        index = self.index()
        whole, file = reader.Index(index), archive.Archive(self.archived(index), reader.FormatError)
        self.addCleanup(file.close)
        found = reader.Index(file)
        self.assertEqual(list(found.pairs()), list(whole.pairs()))
        self.assertEqual(found.side_contents(), whole.side_contents())
        self.assertEqual(list(found.text_entry_set()), list(whole.text_entry_set()))
        self.assertEqual(found.text_entries.side_contents(), whole.text_entries.side_contents())
        # The places fill their entry, and are where the central directory says.
        with zipfile.ZipFile(self.directory / "index.shardq") as names:
            starts = {info.filename: info.header_offset + 30 + len(info.filename) for info in names.infolist()}
            self.assertEqual(len(names.read("places")), 8 * len(file.files))
        for number, (name, size) in enumerate(file.files):
            self.assertEqual(file.place(number), starts[name] if size else 0)

    @unittest.skipUnless(os.environ.get("SHARDQ_LONG"), "a long run alone: writes 70,000 files")
    def test_many_entries(self):
        """Records of ZIP64: more entries than 65,535, and files behind the first 4 GiB."""
        digests = (hashlib.sha256(str(row).encode()).hexdigest() for row in range(70_000))
        # A record is over a kilobyte, the least size of a shard, so each is a shard of its own.
        lines = (f'{{"name":"{digest}","text":"{digest * 16}"}}' for digest in digests)
        index = self.build(self.write("many.jsonl", lines), "--key", "{name}", "--shard-size", "1KiB")
        path = self.archived(index)
        with zipfile.ZipFile(path) as file:
            self.assertGreater(len(file.namelist()), 70_000)
            self.assertIsNone(file.testzip())
        self.assertEqual(shardq("verify", "-i", path), b"")
        answers = [shardq("-i", place, "abc", "--all") for place in (index, path)]
        self.assertEqual(*answers)
        self.assertIn(b"abc", answers[0])


if __name__ == "__main__":
    unittest.main()
