"""Tests small files of common kinds: each is built, verified, queried, exported and built again.

    python3 -m unittest discover -s Tests/Datasets     $SHARDQ_BIN, else bin/, has the programs

Python's csv and json modules read the records of a file. The tests compare the texts of the index's records with them.
"""

import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.join(os.path.abspath(os.environ.get("SHARDQ_BIN") or os.path.join(ROOT, "bin")), "shardq")


def rows(text, delimiter=",", columns=None, quoted=True):
    """The records of a csv or tsv text: a dictionary of texts for each."""
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True))
    columns = columns or lines.pop(0)
    for line in lines:
        assert not line or len(line) == len(columns), line
    return [dict(zip(columns, line)) for line in lines if line]


def flat(value, path=""):
    """The fields of a JSON object as csv has them: the path of each, and its text."""
    fields = {}
    for name, member in value.items():
        if isinstance(member, dict) and member:
            fields.update(flat(member, path + name + "."))
        elif isinstance(member, str):
            fields[path + name] = member
        else:
            fields[path + name] = json.dumps(member, ensure_ascii=False, separators=(",", ":"))
    return fields


def same(records):
    """The records, sorted, without empty fields: csv does not distinguish an empty field from a missing one."""
    return sorted(sorted((name, text) for name, text in record.items() if text != "") for record in records)


class Datasets(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def shardq(self, *arguments, status=0):
        environment = {name: value for name, value in os.environ.items() if name != "SHARDQ_INDEX"}
        result = subprocess.run(
            (COMMAND,) + arguments, cwd=self.directory, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        message = result.stderr.decode()
        self.assertEqual(result.returncode, status, f"{arguments}: {message}")
        return result.stdout.decode(), message

    def write(self, name, text, encoding="utf-8"):
        with open(os.path.join(self.directory, name), "w", encoding=encoding, newline="") as file:
            file.write(text)

    def records(self, index):
        return rows(self.shardq("query", "-i", index, "", "--all", "--format", "csv")[0])

    def check(self, name, text, expected, *options, key=None, id=None, null=None, geojson=False):
        """Whether an index of the file has the expected records, and an index of its export has them again."""
        self.write(name, text)
        self.assertGreater(len(expected), 1)
        words = options + (("--key", key) if key else ())
        self.shardq("build", "-i", "index", *words, *(("--id", id) if id else ()), name)
        self.shardq("verify", "-i", "index", *words, "--source", name)
        # A csv answer prints a null as null, as JSON does.
        wanted = [{field: "null" if text == null else text for field, text in record.items()} for record in expected]
        found = self.records("index")
        self.assertEqual(same(found), same(wanted))

        for format in ["tsv", "jsonl", "csv"] + (["geojson"] if geojson else []):
            with self.subTest(format=format):
                exported, _ = self.shardq("export", "-i", "index", "--format", format)
                self.write("again." + format, exported)
                again = ("--key", key or "{name}")
                self.shardq("build", "-i", format, *again, "again." + format)
                self.shardq("verify", "-i", format, *again, "--source", "again." + format)
                self.assertEqual(self.shardq("export", "-i", format, "--format", format)[0], exported)
                self.assertEqual(same(self.records(format)), same(found))

    def test_csv_without_header_with_nulls_and_quotes(self):
        text = (
            '1,"Goroka Airport","Goroka","GKA","AYGA",-6.081,145.39\n'
            '2,"Kugaaruk, ""Pelly Bay""","Pelly Bay",\\N,"CYBB",68.53,-89.8\n'
            '3,"Narsarsuaq\nNorth","","UAK",\\N,61.16,-45.42\n'
            '4,"Zürich","Zürich","ZRH","LSZH",47.46,8.54\n')
        columns = ["id", "name", "city", "iata", "icao", "lat", "lon"]
        options = ("--columns", ",".join(columns), "--null", "\\N")
        self.check("airports.dat", text, rows(text, columns=columns), *options, key="{name}", null="\\N", geojson=True)
        message = self.shardq("build", "-i", "other", "airports.dat", status=64)[1]
        self.assertIn("--columns", message)

    def test_weights_from_another_file(self):
        text = '[{"_id":1,"name":"Ann"},{"_id":"2","name":"Bob"},{"_id":3,"name":"Cid"}]'
        weights = {"1": "12", "2": "-3.5", "4": "1e30"}
        self.write("list.json", text)
        self.write("weights.tsv", "".join(f"{id}\t{weight}\r\n" for id, weight in weights.items()))
        options = ("--key", "{name}", "--id", "_id", "--weights", "weights.tsv")
        message = self.shardq("build", "-i", "index", *options, "list.json")[1]
        self.assertIn("weights: 2 of 3 records found in weights.tsv", message)
        self.shardq("verify", "-i", "index", "--weights", "weights.tsv", "--source", "list.json")
        records = [flat(record) for record in json.loads(text)]
        for record in records:
            if record["_id"] in weights:
                record["weight"] = weights[record["_id"]]
        self.assertEqual(same(self.records("index")), same(records))
        self.assertIn('"ranks":{', self.shardq("stats", "-i", "index", "--format", "json")[0])
        # A record whose weight changes is upserted.
        self.write("weights.tsv", "1\t99\n2\t5\n")
        self.write("change.json", '{"_id":1,"name":"Ann"}')
        self.shardq("update", "-i", "index", "--upsert", "change.json", status=64)
        self.shardq("update", "-i", "index", "--weights", "weights.tsv", "--upsert", "change.json")
        records[0]["weight"] = "99"
        self.assertEqual(same(self.records("index")), same(records))
        for bad, line in [("1\t2\n1\t3\n", 2), ("1\t2\n\n2\tNaN\n", 3), ("1 2\n", 1)]:
            self.write("weights.tsv", bad)
            message = self.shardq("build", "-i", "other", *options, "list.json", status=65)[1]
            self.assertIn(f"weights.tsv:{line}:", message)
            self.assertFalse(os.path.exists(os.path.join(self.directory, "other", "manifest")))

    def test_carriage_returns_alone(self):
        self.write("cr-only.csv", "id,name\r1,Ann\r2,Bob\r")
        message = self.shardq("build", "-i", "index", "--key", "{name}", "cr-only.csv", status=65)[1]
        self.assertIn("tr '\\r' '\\n' < cr-only.csv", message)
        self.assertFalse(os.path.exists(os.path.join(self.directory, "index", "manifest")))

    def test_country_subdivisions(self):
        text = (
            "CountryCode,code,name,type\r\nAD,02,Canillo,Parish\r\nAE,AZ,Abū Z̧aby,Emirate\r\n"
            'AF,BAL,"Balkh, North",Province\r\nAG,03,Saint George,\r\nAG,04,Saint John,Parish\r\n')
        self.check("subdivision-codes.csv", text, rows(text), key="{name}, {CountryCode}")

    def test_semicolons_with_commas_inside(self):
        text = (
            "Code_commune;Nom;Code_postal;coordonnees\n01001;L ABERGEMENT CLEMENCIAT;01400;46.15, 4.92\n"
            "01002;L ABERGEMENT DE VAREY;01640;46.00, 5.42\n01004;AMBERIEU;01500;45.96, 5.37\n"
            '2A004;"AJACCIO; NORD";20000;\n')
        self.check("hexasmal.csv", text, rows(text, ";"), key="{Nom}, {Code_postal}")
        self.check("hexasmal.csv", text, rows(text, ";"), "--delimiter", ";", key="{Nom}, {Code_postal}")

    def test_dotted_columns(self):
        text = (
            "name.common,name.official,cca2,idd.root,idd.suffixes,latlng\n"
            'Aruba,Aruba,AW,+2,97,"12.5,-69.96"\nAfghanistan,Islamic Republic of Afghanistan,AF,+9,3,"33,65"\n'
            'Åland,,AX,+3,5818,"60.11,19.9"\n')
        self.check("countries.csv", text, rows(text), key="{name.common}")

    def test_nested_json(self):
        values = [
            {"name": {"common": "Aruba", "native": {"nld": {"common": "Aruba"}}}, "cca2": "AW", "latlng": [12.5, -69.96],
             "landlocked": False, "area": 180},
            {"name": {"common": "Åland", "native": {"swe": {"common": "Åland"}}}, "cca2": "AX", "latlng": [60.11, 19.9],
             "landlocked": False, "area": 1580, "borders": ["FIN", {"a": None}]},
        ]
        text = json.dumps(values, ensure_ascii=False, indent=2)
        self.check("countries.json", text, [flat(value) for value in values], key="{name.common}")
        exported = [json.loads(line) for line in self.shardq("export", "-i", "index", "--format", "jsonl")[0].splitlines()]
        by_code = lambda value: value["cca2"]
        self.assertEqual(sorted(exported, key=by_code), sorted(values, key=by_code))

    def test_wrapped_json(self):
        values = ["accountant", "actor", "Äbtissin", "dancer, \"solo\""]
        text = json.dumps({"description": "Nouns.", "nouns": values}, indent=1)
        expected = [{"name": value} for value in values]
        self.write("nouns.json", text)
        message = self.shardq("build", "-i", "other", "nouns.json", status=64)[1]
        self.assertIn("--records nouns", message)
        self.check("nouns.json", text, expected, "--records", "nouns")
        pokemon = [{"id": 1, "name": "Bulbasaur"}, {"id": 2, "name": "Ivysaur"}]
        text = json.dumps({"description": "x", "data": {"pokemon": pokemon, "count": 2}})
        self.check("pokemon.json", text, [flat(one) for one in pokemon], "--records", "data.pokemon", key="{name}")

    def test_array_of_objects(self):
        values = [{"code": "00A01", "name": "Raspberry", "lrv": 19}, {"code": "04B", "name": "Crème Brûlée"},
                  {"code": "1", "name": "a\tb\\n", "lrv": 1e300}]
        text = '[{"code":"00A01","name":"Raspberry","lrv":19},{"code":"04B","name":"Crème Brûlée"},' \
            '{"code":"1","name":"a\\tb\\\\n","lrv":1e+300}]'
        self.assertEqual(json.loads(text), values)
        self.check("dulux.json", text, [flat(value) for value in values], key="{name}")

    def test_geojson(self):
        features = [
            {"type": "Feature", "properties": {"name": "Bergen", "cca2": "no"},
             "geometry": {"type": "Point", "coordinates": [5.32, 60.39]}},
            {"type": "Feature", "properties": {"name": "Tromsø", "cca2": "no"},
             "geometry": {"type": "Point", "coordinates": [18.95, 69.65]}},
        ]
        text = json.dumps({"type": "FeatureCollection", "features": features})
        expected = [
            dict(feature["properties"], lat=str(feature["geometry"]["coordinates"][1]),
                 lon=str(feature["geometry"]["coordinates"][0])) for feature in features]
        self.check("nor.geo.json", text, expected, key="{name}", geojson=True)

    def test_transit_stops(self):
        text = (
            "stop_id,stop_code,stop_name,stop_desc,stop_lat,stop_lon,wheelchair_boarding\r\n"
            '10000,0001,"N 1st & E Main, EB",,43.0747,-89.3842,1\r\n1001,,"""A"" St",Near the park,43.07,-89.38,\r\n'
            "0100,0100,Square,,43.1,-89.4,0\r\n")
        self.check("stops.txt", text, rows(text), key="{stop_name}", id="stop_id", geojson=True)

    def test_tabs_under_another_suffix(self):
        text = (
            "Id\tPart2B\tRef_Name\tComment\naaa\t\tGhotuo\t\naab\t\tAlumu-Tesu\t\n"
            'deu\tger\t"German"\tquoted, 100 %\nǃxo\t\tǃXóõ\tback\\slash\n')
        self.check("iso-639-3.tab", text, rows(text, "\t", quoted=False), key="{Ref_Name}")


if __name__ == "__main__":
    unittest.main()
