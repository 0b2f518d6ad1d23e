"""A text is read as words and values, or with other words in the place of some: docs/tiers.md section 3."""

import json
import re
import unittest

from case import Case

PLACES = """name,country,region,pop,id
Paris,FR,IDF,2138551,1
Paris,US,TX,24782,2
Paris,FR,TX,5,3
Paris,US,KY,10171,4
Mount Vernon,US,New York,73893,5
Vernon,CA,BC,40000,6
New York,US,New York,8804190,7
New York,GB,Lincolnshire,100,8
Hamburg Hauptbahnhof,DE,HH,50,9
Saint Denis,FR,IDF,110000,10
"""
PRODUCTS = """name,brand,pop
Desk Lamp,Alma,5
Desk Lamp,Borea,9
Lamp,Alma,1
Floor Lamp,Alma Nord,7
"""
COUNTRIES = "# other names\nFR\tFrance\nUS\tUnited States\nUS\tUSA\nGB\tUnited Kingdom\n"
REGIONS = "New York\tNY\nTX\tTexas\tcountry=US\n"
SYNONYMS = "mt, mount\n# stations\nhbf => hauptbahnhof\n\nst, saint\n"


class Places(Case):
    """Builds indexes of places, and asks them."""

    def build(self, *options, rows=PLACES, filters=("country", "region")):
        """Builds an index of places, again if there is one."""
        arguments = [word for field in filters for word in ("--filter", field)]
        return self.shardq(
            "build", "-q", "--force", "-i", "index", "--key", "{name}", "--weight", "pop", *arguments, *options,
            self.write("list.csv", rows))

    def build_tables(self, *options):
        self.write("countries.tsv", COUNTRIES)
        self.write("regions.tsv", REGIONS)
        self.write("synonyms.txt", SYNONYMS)
        self.build(
            "--names", "country=countries.tsv", "--names", "region=regions.tsv", "--synonyms", "synonyms.txt", *options)

    def answer(self, text, *options):
        """The object of JSON, whether or not there are matches."""
        ended = self.run_shardq("-i", "index", text, "--json", *options)
        self.assertIn(ended.returncode, (0, 1), f"{text}: {ended.stderr}")
        return json.loads(ended.stdout)

    def check(self, text, meant, first, *options):
        """Checks the interpretation, as a text and filters or None, and the first record."""
        answer = self.answer(text, *options)
        wanted = meant and ({"text": meant[0], "filter": meant[1]} if meant[1] else {"text": meant[0]})
        self.assertEqual(answer.get("interpretation"), wanted, text)
        found = answer["matches"][0] if answer["matches"] else None
        self.assertEqual(found and {key: found[key] for key in first}, first, text)
        return answer


class Readings(Places):
    def test_names_of_values(self):
        for options in [], ["--words"], ["--words", "--typos"]:
            with self.subTest(options):
                self.build_tables(*options)
                france, usa = ("paris", {"country": "FR"}), ("paris", {"country": "US"})
                self.check("paris france", france, {"country": "FR", "region": "IDF"})
                self.check("Paris, FRANCE", ("Paris", france[1]), {"country": "FR"})
                self.check("france paris", france, {"country": "FR"})
                self.check("paris fran", france, {"country": "FR"})
                self.check("paris united states", usa, {"country": "US"})
                self.check("paris united s", usa, {"country": "US"})
                self.check("paris us", ("paris", {"country": "US"}), {"country": "US"})
                self.check("paris united states texas", ("paris", {"region": "TX", "country": "US"}), {"id": "2"})
                self.assertEqual(self.answer("paris f")["dropped"], ["f"])
                self.assertEqual(self.answer("paris fran ")["dropped"], ["fran"])
                self.assertEqual(len(self.answer("paris usa")["matches"]), 2)
                # A text that matches is no other one.
                self.check("paris", None, {"id": "1"})
                self.check("france", None, None)
                self.shardq("verify", "-i", "index")

    def test_conditions(self):
        self.build_tables()
        self.check("paris texas", ("paris", {"region": "TX", "country": "US"}), {"id": "2"})
        self.assertEqual([row["id"] for row in self.answer("paris texas")["matches"]], ["2"])
        self.assertEqual(self.answer("paris texas", "--filter", "country=FR")["dropped"], ["texas"])
        # A condition and the value word before it must agree.
        answer = self.check("paris france texas", None, {"id": "1"})
        self.assertEqual(answer["dropped"], ["france", "texas"])
        self.check("paris usa texas", ("paris", {"region": "TX", "country": "US"}), {"id": "2"})

    def test_values_as_they_stand(self):
        self.build()
        self.check("new york gb", ("new york", {"country": "gb"}), {"id": "8"})
        self.check("mount vernon new york", ("mount vernon", {"region": "new york"}), {"id": "5"})
        self.assertEqual(self.answer("new york ny")["dropped"], ["ny"])
        self.build_tables()
        answer = self.check("new york ny", ("new york", {"region": "New York"}), {"id": "7"})
        self.assertNotIn("dropped", answer)

    def test_products(self):
        self.build("--words", rows=PRODUCTS, filters=("brand",))
        self.check("desk lamp alma", ("desk lamp", {"brand": "alma"}), {"name": "Desk Lamp", "brand": "Alma"})
        self.check("floor lamp alma nord", ("floor lamp", {"brand": "alma nord"}), {"name": "Floor Lamp"})
        self.check("desk lamp", None, {"brand": "Borea"})

    def test_synonyms(self):
        for options in [], ["--words", "--typos"]:
            with self.subTest(options):
                self.build_tables(*options)
                self.check("mt vernon", ("mount vernon", {}), {"id": "5"})
                self.check("Mt. Vernon", ("mount Vernon", {}), {"id": "5"})
                self.check("hamburg hbf", ("hamburg hauptbahnhof", {}), {"id": "9"})
                self.check("hamburg hauptbahnhof", None, {"id": "9"})
                self.check("mt vernon usa", ("mount vernon", {"country": "US"}), {"id": "5"})
                self.check("st denis france", ("saint denis", {"country": "FR"}), {"id": "10"})
                self.shardq("verify", "-i", "index")

    def test_cycles_and_many_words(self):
        self.write("synonyms.txt", "mt, mount\nmount, berg\nberg, mt\nvernon => mt vernon\n")
        self.write("countries.tsv", COUNTRIES)
        self.build("--synonyms", "synonyms.txt", "--names", "country=countries.tsv")
        self.check("berg vernon", ("mount vernon", {}), {"id": "5"})
        self.check("mt mt mt mt mt mt mt mt", None, None)
        answer = self.answer("paris" + " france" * 63)
        self.assertNotIn("interpretation", answer)
        self.assertEqual(answer["dropped"], ["france"] * 63)
        # Eight words have readings, and nine have none.
        names = "a b c d e f g"
        self.write("countries.tsv", COUNTRIES + f"FR\t{names}\nFR\t{names} h\n")
        self.build("--names", "country=countries.tsv")
        self.check("paris " + names, ("paris", {"country": "FR"}), {"id": "1"})
        self.assertNotIn("interpretation", self.answer(f"paris {names} h"))

    def test_filters_of_the_query(self):
        self.build_tables()
        answer = self.check("paris france", None, {"id": "2"}, "--filter", "country=US")
        self.assertEqual(answer["dropped"], ["france"])
        both = ["--filter", "country=us", "--filter", "country=fr"]
        self.check("paris france", ("paris", {"country": "FR"}), {"id": "1"}, *both)
        self.assertEqual({row["country"] for row in self.answer("paris france", *both)["matches"]}, {"FR"})
        self.check("paris usa", ("paris", {"country": "US"}), {"id": "4"}, "--filter", "region=KY")
        self.assertEqual(self.check("mt vernon", None, {"id": "6"}, "--filter", "country=CA")["dropped"], ["mt"])

    def test_options_turn_it_off(self):
        self.build_tables("--words", "--typos")
        for text in "paris france", "mt vernon", "mt vernon usa":
            self.assertEqual(self.answer(text, "--words", "all")["matches"], [], text)
            self.assertNotIn("interpretation", self.answer(text, "--words", "all"))
            self.assertNotIn("interpretation", self.answer(text, "--sort", "key"))
        answer = self.check("pariss france", ("pariss", {"country": "FR"}), {"id": "1"})
        self.assertIn("correction", answer)
        self.assertEqual(self.answer("pariss france", "--typos", "none")["matches"], [])
        self.check("paris france", ("paris", {"country": "FR"}), {"id": "1"}, "--typos", "none")

    def test_what_the_command_says(self):
        self.build_tables()
        said = self.shardq("-i", "index", "paris france", "--json")
        self.assertIn('"interpretation":{"text":"paris","filter":{"country":"FR"}}', said)
        self.assertIn('"interpretation":{"text":"mount vernon"}', self.shardq("-i", "index", "mt vernon", "--json"))
        for text, wanted in (
            ("paris france", ["paris", "country=FR"]), ("mt vernon", ["mount vernon"]),
            ("paris texas", ["paris", "region=TX", "country=US"]), ("new york ny", ["new york", "region=New York"]),
        ):
            ended = self.run_shardq("-i", "index", text, "--format", "text")
            self.assertEqual(ended.returncode, 0)
            for part in wanted:
                self.assertIn(part, ended.stderr.replace('"', ""), text)
        self.assertEqual(self.run_shardq("-i", "index", "paris", "--format", "text").stderr, "")

    def test_pages(self):
        rows = "name,country,pop\n" + "".join(f"Paris {n},{'FR' if n % 2 else 'US'},{n * 10}\n" for n in range(60))
        self.write("countries.tsv", COUNTRIES)
        self.build("--names", "country=countries.tsv", rows=rows, filters=("country",))
        whole = self.answer("france paris", "--limit", "100")
        self.assertEqual(len(whole["matches"]), 30)
        joined, cursor = [], []
        while cursor is not None:
            page = self.answer("france paris", "--limit", "7", *cursor)
            self.assertEqual(page["interpretation"], {"text": "paris", "filter": {"country": "FR"}})
            joined += page["matches"]
            cursor = ["--after", page["cursor"]] if "cursor" in page else None
        self.assertEqual(joined, whole["matches"])
        self.assertEqual(self.answer("france paris", "--offset", "20")["matches"], whole["matches"][20:])
        self.assertEqual(self.shardq("-i", "index", "france paris", "--count").strip(), "30")
        # A cursor belongs to its query.
        cursor = self.answer("france paris", "--limit", "7")["cursor"]
        self.refused("-i", "index", "usa paris", "--limit", "7", "--after", cursor)

    def test_updates_keep_the_tables(self):
        self.build_tables("--id", "id", "--words")
        self.write("more.csv", "name,country,region,pop,id\nParis,GB,X,9,20\nMount Hbf,FR,IDF,7,21\n")
        for options in ["--overlay"], ["--merge"], []:
            with self.subTest(options):
                changes = [] if options == ["--merge"] else ["--upsert", "more.csv"]
                self.shardq("update", "-q", "-i", "index", *options, *changes)
                self.check("paris united k", ("paris", {"country": "GB"}), {"id": "20"})
                self.check("mt vernon usa", ("mount vernon", {"country": "US"}), {"id": "5"})
                self.shardq("verify", "-i", "index")

    def test_ranges_keep_the_tables(self):
        """A plan has the tables, so ranges give the bytes of a build."""
        lines = [json.dumps({"name": f"Paris {i}", "country": "FR" if i % 2 else "US"}) for i in range(400)]
        self.write("list.jsonl", "".join(line + "\n" for line in lines))
        self.write("countries.tsv", COUNTRIES)
        self.write("synonyms.txt", SYNONYMS)
        options = [
            "--key", "{name}", "--filter", "country", "--names", "country=countries.tsv", "--synonyms", "synonyms.txt"]
        self.shardq("build", "-q", "-i", "index", *options, "list.jsonl")
        self.write("plan", self.shardq("plan-ranges", "--ranges", "3", *options, "list.jsonl"))
        keyed = self.shardq("key", "--plan", "plan", input="".join(line + "\n" for line in lines))
        self.write("rows", self.shardq("write-range", "--plan", "plan", "--output", "target", input=keyed))
        self.shardq("merge", "--plan", "plan", "--output", "target", "rows")
        read = lambda name: (self.directory / name / "manifest").read_bytes()
        self.assertEqual(read("target"), read("index"))
        self.assertIn(rb"united kingdom\09GB", (self.directory / "plan").read_bytes())

    def test_several_files(self):
        self.write("a.tsv", "US\tUnion\n\n  FR \t The  Union \r\n")
        self.write("b.tsv", "GB\tunion\nFR\tUnion\nUS\tUnion\n")
        for files, country in (["a.tsv", "b.tsv"], "US"), (["b.tsv", "a.tsv"], "GB"):
            self.build(*(word for file in files for word in ("--names", f"country={file}")))
            self.check("new york union", ("new york", {"country": country}), {"country": country})
            self.check("paris the union", ("paris", {"country": "FR"}), {"country": "FR"})
        self.write("c.txt", "hamburg => paris\n")
        self.write("d.txt", "main station => hauptbahnhof\n")
        self.build("--synonyms", "c.txt", "--synonyms", "d.txt")
        self.check("hamburg main station", ("hamburg hauptbahnhof", {}), {"id": "9"})

    def test_a_value_that_no_record_has(self):
        self.build()
        before = self.answer("paris nowhere")
        self.write("names.tsv", "XX\tNowhere\nFR\tSomewhere\tregion=Nil\n")
        self.build("--names", "country=names.tsv")
        for text in "paris nowhere", "paris somewhere":
            after = self.answer(text)
            self.assertNotIn("interpretation", after)
            self.assertEqual(after["matches"], before["matches"])
            self.assertEqual(after["dropped"], [text.split()[1]])
        said = self.run_shardq(
            "build", "--force", "-i", "other", "--key", "{name}", "--filter", "country", "--names",
            "country=" + str(self.write("more.tsv", "FR\tFrance\nXX\tNowhere\nYY\tElsewhere\n")), "list.csv").stderr
        self.assertIn('--names has values that no record has: "country=YY", "country=XX"', said)


class BadTables(Places):
    """Tables that a build refuses: it names the file and the line, and leaves the index as it was."""

    def refuses(self, options, said, statuses=(65,), filters=("country", "region")):
        self.write("list.csv", PLACES)
        arguments = [word for field in filters for word in ("--filter", field)]
        ended = self.run_shardq(
            "build", "-q", "-i", "index", "--key", "{name}", "--weight", "pop", *arguments, *options, "list.csv")
        self.assertIn(ended.returncode, statuses, f"{options}: {ended.stdout}{ended.stderr}")
        for part in said:
            self.assertRegex(ended.stderr, rf"(?<!\w){re.escape(str(part))}(?!\w)", options)
        self.assertFalse((self.directory / "index" / "manifest").exists())

    def names(self, content, *said, statuses=(65,), field="country", filters=("country", "region")):
        self.write("names.tsv", content)
        file = ["names.tsv"] if statuses == (65,) else []
        self.refuses(["--names", f"{field}=names.tsv"], [*file, *said], statuses, filters)

    def synonyms(self, content, *said):
        self.write("synonyms.txt", content)
        self.refuses(["--synonyms", "synonyms.txt"], ["synonyms.txt", *said])

    def test_usage(self):
        self.write("names.tsv", COUNTRIES)
        self.refuses(["--names", "names.tsv"], ["--names"], (64,))
        self.refuses(["--names", "country=none.tsv"], ["none.tsv"], (66,))
        self.refuses(["--synonyms", "none.txt"], ["none.txt"], (66,))
        # A field without a filter: the option or the table is wrong.
        self.names(COUNTRIES, "country", statuses=(64, 65), filters=("region",))
        self.names(COUNTRIES, "nation", statuses=(64, 65), field="nation")
        self.names(COUNTRIES, "country", statuses=(64, 65), filters=())

    def test_lines_of_names(self):
        self.names("# names\nFR\tFrance\nUS United States\n", 3)
        self.names("FR\tFrance\nTX\tTexas\tnation=US\n", 2, "nation")
        self.names("FR\tFrance\nTX\tTexas\tUS\n", 2)
        self.names("FR\tFrance\nTX\t\n", 2)
        self.names(b"FR\tFrance\nUS\tUnit\xe9 States\n", 2)

    def test_lines_of_synonyms(self):
        self.synonyms("# words\nmt, mount\nsaint\n", 3, "saint")
        self.synonyms("mt, mount\nhbf =>\n", 2)
        self.synonyms("mt, mount\n=> hbf\n", 2)
        self.synonyms(b"mt, mount\nst, s\xe3o\n", 2)
        nine = ", ".join(f"word{n}" for n in range(9))
        self.synonyms(f"mt, mount\nst => {nine}\n", "st")
        self.synonyms("".join(f"st => word{n}\n" for n in range(9)), "st")
        self.write("synonyms.txt", f"st => {nine[:-7]}\nst => word7, word0\n")
        self.build("--synonyms", "synonyms.txt")

    def test_sizes(self):
        """A file may have 1 MiB, and a table 65,536 bytes."""
        lines = [f"FR\tname {n:07}\n" for n in range(4097)]
        self.names("".join(lines))
        self.names("FR\tFrance\n" + "# comment\n" * 110_000)
        self.synonyms("# comment\n" * 110_000 + "mt, mount\n")
        self.synonyms("".join(f"short{n:05} => some longer words\n" for n in range(3000)))
        self.write("names.tsv", "".join(lines[:4096]))
        self.build("--names", "country=names.tsv")
        self.check("paris name 0004095", ("paris", {"country": "FR"}), {"country": "FR"})
        self.shardq("verify", "-i", "index")


if __name__ == "__main__":
    unittest.main()
