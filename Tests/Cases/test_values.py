"""Options that read values of fields say how many records they could use, and refuse fields without one."""

import json
import unittest

from case import Case


class Values(Case):
    def build(self, text, *options, name="list.csv", status=0):
        self.write(name, text)
        return self.run_shardq("build", "-i", "index", "--key", "{name}", *options, name)

    def test_none_is_refused(self):
        rows = "name,x,y\nMain,11,a\nSide,12,b\n"
        self.assertEqual(self.build(rows).returncode, 0)
        before = self.shardq("export", "-i", "index")
        for options, field in (["--near"], "lat"), (["--weight", "y"], '"y"'), (["--filter", "z"], '"z"'):
            ended = self.build(rows, *options)
            self.assertEqual(ended.returncode, 64, ended.stderr)
            self.assertIn(field, ended.stderr)
            self.assertIn('"name", "x", "y"', ended.stderr)
            self.assertEqual(self.shardq("export", "-i", "index"), before)
        lines = '{"name":"A","tags":null}\n{"name":"B","tags":{}}\n'
        ended = self.build(lines, "--filter", "tags", name="list.jsonl")
        self.assertEqual(ended.returncode, 64)
        self.assertIn("no record has a value in", ended.stderr)

    def test_some_are_counted(self):
        ended = self.build('name,lat,lon,pop\nA,1,2,950\nB,,,"1,234,567"\nC,91,0,\n', "--near", "--weight", "pop")
        self.assertEqual(ended.returncode, 0)
        self.assertIn("1 of 3 records have coordinates (first without: B)", ended.stderr)
        self.assertIn('2 of 3 records have no number in "pop" (first: "1,234,567")', ended.stderr)
        ended = self.build('{"name":"A","t":["x"]}\n{"name":"B"}\n', "--filter", "t", "--force", name="list.jsonl")
        self.assertIn('1 of 2 records have a value in "t" (first without: B)', ended.stderr)
        ended = self.build("name,lat,lon,pop\nA,1,2,3\n", "--near", "--weight", "pop", "--force")
        self.assertNotIn("of 1 record", ended.stderr)

    def test_a_place_as_maps_copy_it(self):
        ended = self.build("name,lat,lon\nMain East,48.86,2.29\nMain West,-33.87,151.2\n", "--near")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        for place in "48.8584,2.2945", "48.8584, 2.2945", " 48.8584 , 2.2945 ":
            self.assertIn("East", self.shardq("-i", "index", "main", "--near", place).splitlines()[0])
        self.assertIn("West", self.shardq("-i", "index", "main", "--near", "-33.8, 151").splitlines()[0])
        for wrong in "48. 8, 2", ",2", "1,2,3", "48.8 2.3":
            self.refused("-i", "index", "main", "--near", wrong)

    def test_the_third_coordinate(self):
        """A point's altitude is a field, and GeoJSON has it again; a property of its name stands."""
        features = [
            {"type": "Feature", "geometry": {"type": "Point", "coordinates": place}, "properties": {"name": name} | more}
            for name, place, more in (
                ("Deep", [8.5, 47.3, -408.25], {}), ("Flat", [8.5, 47.3], {}), ("Named", [1.5, 2.5, 3.5], {"alt": "high"}))]
        self.write("list.geojson", json.dumps({"type": "FeatureCollection", "features": features}))
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "list.geojson")
        records = [json.loads(line) for line in self.shardq("export", "-i", "index").splitlines()]
        self.assertEqual([record.get("alt") for record in records], [-408.25, None, "high"])
        back = json.loads(self.shardq("export", "-i", "index", "--format", "geojson"))
        self.assertEqual(
            [feature["geometry"]["coordinates"] for feature in back["features"]],
            [[8.5, 47.3, -408.25], [8.5, 47.3], [1.5, 2.5]])
        self.write("back.geojson", json.dumps(back))
        self.shardq("build", "-q", "-i", "again", "--key", "{name}", "back.geojson")
        self.assertEqual(self.shardq("export", "-i", "again"), self.shardq("export", "-i", "index"))

    def test_true_and_false(self):
        lines = [{"name": f"Item {n}", "stock": [True, False, None, "true"][n % 4]} for n in range(12)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        self.assertEqual(self.build(text, "--filter", "stock", "--words", name="list.jsonl").returncode, 0)
        for query in "item", "1":  # By the key, and by a later word.
            for value in "true", "false":
                found = self.shardq(
                    "-i", "index", query, "--filter", f"stock={value}", "--format", "jsonl", "--limit", "99")
                wanted = [
                    line["name"] for line in lines
                    if str(line["stock"]).lower() == value and (query == "item" or f" {query}" in line["name"])]
                names = [json.loads(line)["name"] for line in found.splitlines()]
                self.assertEqual(sorted(names), sorted(wanted))
        self.shardq("verify", "-i", "index")


if __name__ == "__main__":
    unittest.main()
