"""The first command for a list of records, `shardq build FILE`: the key is right, or the proposal of the message is."""

import json
import re
import unittest

from case import Case

ROWS = [["7", "Quince Harbour", "AX"], ["8", "Plum Ridge", "BY"], ["9", "Fig Hollow", "CZ"]]


class FirstKeys(Case):
    def test_taken(self):
        """Lists with one field for the name need no option."""
        for name, content in (
            ("plain.csv", "id,name,code\n" + "\n".join(map(",".join, ROWS)) + "\n"),
            ("lines.jsonl", "".join(json.dumps({"name": row[1]}) + "\n" for row in ROWS)),
            ("objects.json", json.dumps([{"id": row[0], "name": row[1]} for row in ROWS])),
            ("one.json", json.dumps([{"word": row[1]} for row in ROWS])),
            ("geo.csv", "name,country\n" + "\n".join(f"{row[1]},{row[2]}" for row in ROWS) + "\n"),
        ):
            with self.subTest(name):
                self.write(name, content)
                ended = self.run_shardq("build", "-i", name + ".index", name)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn("Plum Ridge", self.shardq("-i", name + ".index", "plum"))
                if name in ("plain.csv", "objects.json"):
                    self.assertIn("the key is {name}; --key names another", ended.stderr)

    def test_one_column(self):
        self.write("fruits.csv", "apple\nbanana\n")
        ended = self.run_shardq("build", "-i", "fruits", "fruits.csv")
        self.assertIn('"apple" is the column\'s name; if it is a record, name the column with --columns', ended.stderr)
        self.write("words.csv", "word\nbanana\n")
        self.assertNotIn("--columns", self.run_shardq("build", "-i", "words", "words.csv").stderr)

    def test_proposed(self):
        """A refusal proposes the field that holds the names, wherever it stands."""
        for header, wanted in (
            ("id,stop_name,zone", "stop_name"), ("code,Title,full_name", "Title"), ("uid,countyName,state", "countyName"),
            ("no,nome_municipio,nome", "nome"), ("id,Label,x", "Label"), ("geo_id,notes,rank", "notes"),
        ):
            with self.subTest(header):
                self.write("list.csv", header + "\n" + "\n".join(map(",".join, ROWS)) + "\n")
                said = self.refused("build", "-i", "index", "list.csv")
                self.assertEqual(re.search(r"such as '\{(.*?)\}'", said)[1], wanted)

    def test_long_lists_of_fields(self):
        self.write("wide.csv", ",".join(f"f{number}" for number in range(3000)) + "\n")
        said = self.refused("build", "-i", "index", "wide.csv")
        self.assertLess(len(said), 2000)
        self.assertIn("f19 and 2,980 more", said)


if __name__ == "__main__":
    unittest.main()
