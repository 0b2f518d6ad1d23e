"""Coordinates under the names and in the notations of real lists, and names of columns with dots."""

import json
import sys
import unittest

from case import ROOT, Case

sys.path.insert(0, str(ROOT / "Tests/FormatReader"))
import reader  # noqa: E402
import sides  # noqa: E402

NEAR = "48.8584, 2.2945"


class PlacedCase(Case):
    def build(self, text, *options, name="list.csv", status=0):
        self.write(name, text)
        ended = self.run_shardq("build", "--force", "-i", "index", "--key", "{name}", *options, name)
        self.assertEqual(ended.returncode, status, ended.stderr)
        return ended.stderr

    def agree(self, *places):
        """Checks that every front and the second reader see the places."""
        features = json.loads(self.shardq("export", "-i", "index", "--format", "geojson"))["features"]
        self.assertEqual([f["geometry"] and f["geometry"]["coordinates"][::-1] for f in features], list(places))
        index = reader.Index(self.directory / "index")
        found = []
        for shard in index.shards():
            for part in shard.parts:
                for number in range(part.count):
                    texts = {name: text for name, _, text in reversed(part.record(number))}
                    place = reader.place_of(texts, index)
                    found.append(None if None in place else [float(degrees) for degrees in place])
        if not (self.directory / "index/overlay").exists():
            self.assertEqual(found, list(places))
        self.shardq("verify", "-i", "index")


class Coordinates(PlacedCase):
    def test_names(self):
        for names in (
            "stop_lat,stop_lon", " stop_lat, stop_lon", "Lat,Long", "LAT,LONG", "lat,long", "geo_lat,geo_lon",
            "latitude_deg,longitude_deg", "y,x", "Y,X", "location.lat,location.lng", "stopLat,stopLon", "LATITUDE,LONGITUDE",
            "Latitud,Longitud", "Latitude (deg),Longitude (deg)", "lat,lon", "coord.lat,coord.lon",
        ):
            with self.subTest(names):
                rows = f"name,{names}\nMain Far,-33.5,151.25\nMain Near,48.75,2.25\n"
                self.assertNotIn("coordinates", self.build(rows, "--near"))
                self.agree([-33.5, 151.25], [48.75, 2.25])
                self.assertIn("Near", self.shardq("-i", "index", "main", "--near", NEAR).splitlines()[0])
                self.shardq("map", "-i", "index", "main")

    def test_nested_names(self):
        lines = [{"name": name, "location": {"lat": lat, "lng": lng}} for name, lat, lng in (("A", -33.5, 151.25), ("B", 48.75, 2.25))]
        self.build("\n".join(map(json.dumps, lines)), "--near", name="list.jsonl")
        self.agree([-33.5, 151.25], [48.75, 2.25])

    def test_one_field(self):
        for name, texts in (
            ("latlng", ["-33.5,151.25", "48.75, 2.25"]), ("lat/lng", ["-33.5 151.25", " 48.75 ; 2.25 "]),
            ("coordinates", ["(-33.5, 151.25)", "( 48.75 2.25 )"]), ("geo_point_2d", ["-33.5,151.25", "48.75, 2.25"]),
        ):
            with self.subTest(name):
                rows = f"name;{name}\nMain Far;{texts[0]}\nMain Near;\"{texts[1]}\"\nMain None;here\n"
                self.assertIn("2 of 3 records have coordinates", self.build(rows, "--near", "--delimiter", ";"))
                self.agree([-33.5, 151.25], [48.75, 2.25], None)
                self.assertIn("Near", self.shardq("-i", "index", "main", "--near", NEAR).splitlines()[0])
                self.assertIn("48.75", self.shardq("-i", "index", "main near"))
                self.shardq("map", "-i", "index", "main")

    def test_named_fields(self):
        rows = "name,north,east,lat,lon,at\nA,-33.5,151.25,1,1,\"-33.5, 151.25\"\nB,48.75,2.25,1,1,48.75 2.25\n"
        for fields in "north,east", "at":
            self.build(rows, "--near", "--coordinates", fields)
            self.agree([-33.5, 151.25], [48.75, 2.25])
        self.assertIn("nord", self.build(rows, "--coordinates", "nord,east", status=64))
        self.build(rows, "--coordinates", "a,b,c", status=64)
        self.build(rows, "--coordinates", "north,east", "--keep", "name,north", status=64)

    def test_no_guess(self):
        """Fields that only look like coordinates give none, and the usual names win."""
        for names in "lat,name2", "from_lat,to_lon", "max_y,max_x":
            self.build(f"name,{names}\nA,1,2\nB,3,4\n")
            self.agree(None, None)
        self.build("name,stop_lat,stop_lon,lat,lon\nA,1,2,3,4\n")
        self.agree([3, 4])
        self.build("name,from_stop_lat,from_stop_lon,to_lat,to_lon\nA,1,2,3,4\n")
        self.agree([3, 4])

    def test_updates(self):
        """Updates, overlays and a rebuild have the same bytes, also if an update brings the first coordinates."""
        first = "id,name,stop_lat,stop_lon\n1,A,-33.5,151.25\n2,B,48.75,2.25\n3,C,,\n"
        change = "id,name,stop_lat,stop_lon\n2,B,10.5,20.5\n4,D,48.75,2.25\n"
        whole = "id,name,stop_lat,stop_lon\n1,A,-33.5,151.25\n2,B,10.5,20.5\n3,C,,\n4,D,48.75,2.25\n"
        for options in ["--near"], ["--near", "--words"], []:
            self.build(first, "--id", "id", *options)
            self.write("change.csv", change)
            self.shardq("update", "-i", "index", "--overlay", "--upsert", "change.csv")
            self.agree([-33.5, 151.25], [10.5, 20.5], None, [48.75, 2.25])
            self.shardq("update", "-i", "index", "--merge")
            changed = (self.directory / "index/manifest").read_bytes()
            self.build(whole, "--id", "id", *options)
            self.assertEqual((self.directory / "index/manifest").read_bytes(), changed)
        self.build("id,name\n1,A\n", "--id", "id")
        self.write("change.csv", change)
        self.shardq("update", "-i", "index", "--upsert", "change.csv")
        self.agree(None, [10.5, 20.5], [48.75, 2.25])

    def test_ranges(self):
        """Ranges of which one has no coordinates become the index of one build."""
        lines = [{"name": f"n{i:03}", "id": i} | ({"stop_lat": i / 4, "stop_lon": -i} if i > 60 else {}) for i in range(90)]
        self.write("list.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        self.shardq("build", "-i", "index", "--key", "{name}", "--near", "list.jsonl")
        plan = self.shardq("plan-ranges", "list.jsonl", "--key", "{name}", "--near", "--ranges", "3")
        self.write("plan", plan)
        keyed = self.shardq("key", "--plan", "plan", input=(self.directory / "list.jsonl").read_text())
        self.write("rows", self.shardq("write-range", "--plan", "plan", "--output", "whole", input=keyed))
        self.shardq("merge", "--plan", "plan", "--output", "whole", "rows")
        self.assertEqual(
            (self.directory / "whole/manifest").read_bytes(), (self.directory / "index/manifest").read_bytes())


class Notations(PlacedCase):
    def test_a_point_that_repeats(self):
        """GeoJSON of an index whose fields have other names does not get the coordinates twice."""
        self.build("name,stop_lat,stop_lon,at\nA,-33.5,151.25,x\nB,48.75,2.25,y\n")
        exported = self.shardq("export", "-i", "index", "--format", "geojson")
        self.build(exported, name="list.geojson")
        self.assertEqual(self.shardq("export", "-i", "index", "--format", "geojson"), exported)
        # A point that differs from the properties stays.
        self.build(exported.replace("[151.25,-33.5]", "[151.0,-33.5]"), name="list.geojson")
        self.assertIn('"lon":151.0', self.shardq("export", "-i", "index"))

    def test_decimal_comma(self):
        rows = "name;pop;lat;lon\nTown;950;-33,5;151,25\nCity;1.234.567,5;48,75;2,25\nHill;no;48.125;1.5\n"
        self.assertIn("--decimal ,", self.build(rows, "--near", "--weight", "pop"))
        self.build(rows, "--near", "--weight", "pop", "--decimal", ",")
        self.agree([48.75, 2.25], [48.125, 1.5], [-33.5, 151.25])
        self.assertTrue(self.shardq("-i", "index", "").startswith("City"))
        records = [json.loads(line) for line in self.shardq("export", "-i", "index").splitlines()]
        self.assertEqual([record["pop"] for record in records], ["1234567.5", "no", "950"])
        self.shardq("verify", "-i", "index", "--source", "list.csv", "--decimal", ",")

    def test_thousands(self):
        rows = "name;pop;code\n" + "".join(
            f"n{i};{text};1,234\n" for i, text in enumerate(
                ["1,234,567.25", "1 234 567", "1\u00a0234", "1'234", "1\u2019234", "12,34,567", "-1,234", "1,23", "12.50", "1,234x"]))
        self.assertIn("--decimal .", self.build(rows, "--weight", "pop"))
        self.build(rows, "--weight", "pop", "--decimal", ".", "--delimiter", ";")
        records = [json.loads(line) for line in self.shardq("export", "-i", "index").splitlines()]
        self.assertEqual([record["pop"] for record in records], [
            "1234567.25", "1234567", "1234", "1234", "1234", "1234567", "-1234", "1,23", "12.50", "1,234x"])
        self.assertEqual({record["code"] for record in records}, {"1,234"})
        self.build(rows, "--decimal", "x", status=64)

    def test_update(self):
        self.build("id;name;pop\n1;A;1,5\n2;B;2.000\n", "--id", "id", "--weight", "pop", "--decimal", ",")
        self.write("change.csv", "id;name;pop\n1;A;3.000,5\n")
        self.shardq("update", "-i", "index", "--decimal", ",", "--upsert", "change.csv")
        records = [json.loads(line) for line in self.shardq("export", "-i", "index").splitlines()]
        self.assertEqual([record["pop"] for record in records], ["3000.5", "2000"])


class Dots(Case):
    ROWS = 'Name.Full,No.,Sepal.Length,a\\b,x\nAda,1,5.1,u,7\nBob,2,5.2,v,8\n'

    def test_every_format_has_the_names_as_they_came(self):
        self.write("list.csv", self.ROWS)
        self.shardq("build", "-i", "index", "--key", "{Name.Full}", "--weight", "No.", "--filter", "Sepal.Length", "list.csv")
        flat = {"Name.Full": "Ada", "No.": "1", "Sepal.Length": "5.1", "a\\b": "u", "x": "7"}
        self.assertEqual(json.loads(self.shardq("export", "-i", "index").splitlines()[0]), flat)
        self.assertEqual(json.loads(self.shardq("-i", "index", "ada", "--format", "json"))["matches"], [flat])
        self.assertEqual(self.shardq("export", "-i", "index", "--format", "csv").splitlines()[0], self.ROWS.splitlines()[0])
        self.assertEqual(self.shardq("-i", "index", "ada", "--format", "tsv", "--fields", "No.,Sepal.Length").strip(), "1\t5.1")
        self.assertIn("Ada", self.shardq("-i", "index", "", "--filter", "Sepal.Length=5.1"))
        self.assertIn('"No."', self.refused("build", "-i", "other", "--key", "{Nmae}", "list.csv"))
        index = reader.Index(self.directory / "index")
        lines = [json.loads(line) for shard in index.shards() for part in shard.parts for line in part.lines]
        self.assertIn(flat, lines)
        self.shardq("verify", "-i", "index", "--source", "list.csv")

    def test_exports_build_the_same_index(self):
        self.write("flat.csv", self.ROWS)
        self.write("nested.jsonl", '{"Name":{"Full":"Ada"},"No.":1,"Sepal":{"Length":5.1}}\n')
        for name, formats in ("flat.csv", ("csv", "tsv", "jsonl")), ("nested.jsonl", ("tsv", "jsonl")):
            self.shardq("build", "--force", "-i", "index", "--key", "{Name.Full}", name)
            own = self.shardq("export", "-i", "index")
            for form in formats:
                self.write(f"back.{form}", self.shardq("export", "-i", "index", "--format", form))
                self.shardq("build", "--force", "-i", "back", "--key", "{Name.Full}", f"back.{form}")
                back = self.shardq("export", "-i", "back")
                strip = (lambda text: text.replace('"', "")) if form == "tsv" else str
                self.assertEqual(strip(back), strip(own), form)
                self.shardq("verify", "-i", "back", "--key", "{Name.Full}", "--source", f"back.{form}")
                if name == "flat.csv" and form != "jsonl":
                    self.assertEqual(
                        (self.directory / "back/manifest").read_bytes(), (self.directory / "index/manifest").read_bytes())

    def test_updates_keep_the_form(self):
        self.write("list.csv", "id,a.b\n1,x\n")
        self.write("nested.jsonl", '{"id":"2","a":{"b":"y"}}\n')
        for first, second in ("list.csv", "nested.jsonl"), ("nested.jsonl", "list.csv"):
            self.shardq("build", "--force", "-i", "index", "--key", "{a.b}", "--id", "id", first)
            form = self.shardq("export", "-i", "index").count('"a.b"')
            self.shardq("update", "-i", "index", "--upsert", second)
            self.assertEqual(self.shardq("export", "-i", "index").count('"a.b"'), 2 * form)


if __name__ == "__main__":
    unittest.main()
