"""`shardq query --facet` and `shardq facets`: text, JSON, and lines that do not go together."""

import json
import unittest

from case import Case


class Facets(Case):
    def setUp(self):
        super().setUp()
        records = [("Lamp", "Alma", ["red"]), ("Lamp two", "ALMA", ["red", "blue"]), ("Lamp\tx", "Zoe\nBo", []), ("Table", "Zoe\nBo", ["blue"])]
        lines = [json.dumps({"id": n, "name": name, "brand": brand, "tag": tag}) for n, (name, brand, tag) in enumerate(records)]
        self.write("list.jsonl", "\n".join(lines) + "\n")
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "--id", "id", "--filter", "brand", "--filter", "tag", "list.jsonl")

    BRANDS = {"field": "brand", "values": [{"value": "Alma", "count": 2}, {"value": "Zoe\nBo", "count": 1}], "exact": True, "more": False}

    def test_text(self):
        output = self.shardq("-i", "index", "lamp", "-n", "1", "--facet", "brand", "--facet", "tag", "--facet-limit", "1")
        rows, brand, tag = output.split("\n\n")
        self.assertEqual(rows, "Lamp")
        self.assertEqual(brand, "brand\n  2  Alma\n  and more")
        self.assertEqual(tag, "tag\n  2  red\n  and more\n")
        # A value stays on its line.
        self.assertIn("\n  1  Zoe\\u000aBo\n", self.shardq("-i", "index", "lamp", "--facet", "brand"))

    def test_json(self):
        for line in [], ["--sort", "key"]:
            answer = json.loads(self.shardq("-i", "index", "lamp", "-n", "1", "--facet", "brand", "--json", *line))
            self.assertEqual(answer["facets"], [self.BRANDS])
        self.assertNotIn("facets", json.loads(self.shardq("-i", "index", "lamp", "--json")))
        lines = self.shardq("query", "-i", "index", "--stdin", "--facet", "tag", input="lamp\ntable\n").splitlines()
        self.assertEqual([json.loads(line)["facets"][0]["values"][0]["value"] for line in lines], ["red", "blue"])
        filtered = json.loads(self.shardq("-i", "index", "lamp", "--filter", "brand=zoe bo", "--facet", "brand", "--facet", "tag", "--json"))
        self.assertEqual(filtered["facets"], [self.BRANDS, {"field": "tag", "values": [], "exact": True, "more": False}])

    def test_values(self):
        self.assertEqual(self.shardq("facets", "brand", "-i", "index"), "2  Alma\n2  Zoe\\u000aBo\n")
        self.assertEqual(self.shardq("facets", "brand", "-i", "index", "--starting-with", "ál"), "2  Alma\n")
        self.assertEqual(
            json.loads(self.shardq("facets", "brand", "-i", "index", "--json", "-n", "1")),
            {"schema": 1, "field": "brand", "values": [{"value": "Alma", "count": 2}], "exact": True, "more": True})
        self.shardq("facets", "brand", "-i", "index", "--starting-with", "x", status=1)

    def test_refusals(self):
        for line in (
            ["lamp", "--facet", "name"], ["facets", "name"], ["facets", "brand", "-n", "0"], ["facets", "brand", "-n", "101"],
            ["lamp", "--facet", "brand", "--facet-limit", "101"], ["lamp", "--facet", "brand", "--count"],
            ["lamp", "--facet", "brand", "-q"], ["lamp", "--facet", "brand", "--format", "csv"],
            ["lamp", "--facet", "brand", "--fields", "name"], ["lamp", "--facet", "brand", "--explain"],
        ):
            self.assertTrue(self.refused(*line, "-i", "index").startswith("shardq: "), line)


if __name__ == "__main__":
    unittest.main()
