"""Reads the golden indexes with the command and the second reader: python3 -m unittest discover -s Tests/FormatReader

An earlier program made the indexes and the answers (Tests/Golden/features). docs/compatibility.md promises that each later
one reads them and gives the same answers.
"""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import archive  # noqa: E402
import reader  # noqa: E402
from oracle import fold  # noqa: E402
from test_reader import ROOT, Temporary, shardq  # noqa: E402

PLACE = ROOT / "Tests/Golden/features"


def listed(name="list.jsonl"):
    with open(PLACE / name, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def has_key(record):
    return bool(record["name"])


class Golden(Temporary):
    def expected(self, index):
        records = listed()
        if index == "everything":
            return [record for record in records if has_key(record)]
        if index == "kept":
            return [{name: record[name] for name in ("sku", "price")} for record in records]
        if index == "overlay":
            changed = {record["sku"]: record for record in listed("changes.jsonl")}
            gone = {"S-010", *changed}
            return [record for record in records if record["sku"] not in gone] + list(changed.values())
        return records

    def test_the_command_verifies_and_exports_them(self):
        for index in ("plain", "kept", "everything", "overlay"):
            shardq("verify", "-q", "-i", PLACE / index)
            found = shardq("export", "-i", PLACE / index).decode().splitlines()
            self.assertCountEqual(map(json.loads, found), self.expected(index), index)
        shardq("verify", "-q", "-i", PLACE / "archive.shardq")

    def test_the_second_reader_reads_them(self):
        for name in ("plain", "kept", "everything", "overlay"):
            index = reader.Index(PLACE / name)
            self.assertCountEqual([json.loads(line) for line in index.lines()], self.expected(name), name)
            for one in filter(None, (index, index.text_entries)):
                one.verify_ranks()
                one.verify_numbers()
                one.verify_sides(fold)
            index.verify_overlay()
        index = reader.Index(PLACE / "everything")
        self.assertTrue(all([index.ranks, index.sides, index.numbers, index.density_grid, index.text_entries]))

    def test_the_second_reader_reads_the_archive(self):
        file = archive.Archive(PLACE / "archive.shardq", reader.FormatError)
        self.addCleanup(file.close)
        self.assertEqual(file.read("manifest"), (PLACE / "everything/manifest").read_bytes())

    def test_answers(self):
        answers = listed("answers.jsonl")
        self.assertGreater(len(answers), 15)
        for line in answers:
            with self.subTest(index=line["index"], arguments=line["arguments"]):
                found = json.loads(shardq("-i", PLACE / line["index"], *line["arguments"], "--json", "--limit", "5"))
                self.assertTrue(line["answer"]["matches"])
                self.assertEqual(found, line["answer"])


if __name__ == "__main__":
    unittest.main()
