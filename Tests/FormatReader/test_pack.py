"""Compares the second reader of packs with the command: python3 -m unittest discover -s Tests/FormatReader"""

import hashlib
import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pack  # noqa: E402
import reader  # noqa: E402
from test_reader import Temporary, dataset, shardq, unpacked  # noqa: E402


class Packs(Temporary):
    def records(self, change=lambda row: row):
        random.seed(5)
        rows = [(row, random.getrandbits(128)) for row in range(6000)]
        return [f'{{"name":"n{row * 7919 % 6000}","value":{value}}}' for row, value in map(change, rows)]

    def list_index(self, name, records):
        source = self.write(name + ".jsonl", records)
        return self.build(source, "--key", "{name}", "--shard-size", "1KiB", name=name)

    def files(self, directory):
        return {path.name: path.read_bytes() for path in Path(directory).iterdir() if path.name not in (".lock", "overlay")}

    def check(self, old, new):
        """The second reader and the command both make the new index of the command's pack."""
        path = self.directory / "pack"
        shardq("diff", old, new, "-o", path)
        made = self.directory / "made"
        self.assertTrue(pack.apply(path, old, made))
        self.assertEqual(self.files(made), self.files(new))
        self.assertFalse(pack.apply(path, made, self.directory / "again"))
        copy = self.directory / "copy"
        shutil.copytree(old, copy)
        shardq("apply", path, "-i", copy)
        self.assertLessEqual(self.files(new).items(), self.files(copy).items())
        size = path.stat().st_size
        for directory in made, copy:
            shutil.rmtree(directory)
        return size

    def test_changes(self):
        old = self.list_index("old", self.records())
        self.assertGreater(len(reader.Index(old).entries), 128)
        whole = sum(map(len, self.files(old).values()))
        changes = {
            "one": lambda row: (row[0], 5) if row[0] == 1234 else row,
            "moved": lambda row: (row[0] + 1, row[1]),
            "all": lambda row: (row[0], row[1] + 1),
        }
        for name, change in changes.items():
            with self.subTest(change=name):
                size = self.check(old, self.list_index(name, self.records(change)))
                if name == "one":
                    self.assertLess(size, whole / 10)
        with self.subTest(change="none are left"):
            self.check(old, self.list_index("empty", []))

    def test_damage(self):
        old = self.list_index("old", self.records()[:300])
        new = self.list_index("new", self.records(lambda row: (row[0], 5) if row[0] == 77 else row)[:300])
        path = self.directory / "pack"
        shardq("diff", old, new, "-o", path)
        whole = path.read_bytes()
        other = self.directory / "other"
        for at in range(0, len(whole), 7):
            for data in whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]:
                other.write_bytes(data)
                with self.subTest(size=len(data), at=at), self.assertRaises(reader.FormatError):
                    pack.apply(other, old, self.directory / "made")
                shutil.rmtree(self.directory / "made", ignore_errors=True)
        with self.assertRaises(reader.FormatError):
            pack.apply(path, self.list_index("third", self.records()[:200]), self.directory / "made")

    def test_header(self):
        """The layout of docs/pack.md, byte by byte."""
        old, new = self.list_index("old", self.records()[:50]), self.list_index("new", self.records()[:51])
        path = self.directory / "pack"
        shardq("diff", old, new, "-o", path)
        data = path.read_bytes()
        manifests = [(directory / "manifest").read_bytes() for directory in (old, new)]
        digests = [hashlib.sha256(manifest).digest() for manifest in manifests]
        sizes = b"".join(len(manifest).to_bytes(8, "little") for manifest in manifests)
        shards = len({entry.name for entry in reader.Index(new).entries} - {entry.name for entry in reader.Index(old).entries})
        start = b"SQP1\1\0\0\0" + digests[0] + digests[1] + sizes + shards.to_bytes(8, "little")
        self.assertEqual(data[:96], start)
        self.assertEqual(data[96:128], hashlib.sha256(start).digest())

    def test_one_city(self):
        """One city changed: the pack stays under 64 KiB."""
        source = unpacked(dataset("cities.json.zst"))
        self.assertEqual(source.count(b'"_id":2643743,'), 1)
        (self.directory / "old.json").write_bytes(source)
        (self.directory / "new.json").write_bytes(source.replace(b'"_id":2643743,', b'"_id":2643744,'))
        old, new = (self.build(self.directory / f"{name}.json", name=name) for name in ("old", "new"))
        self.assertLess(self.check(old, new), 64 << 10)
