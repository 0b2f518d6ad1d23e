"""Texts of people on small lists of products and addresses: the meant record stands first. docs/tiers.md"""

import json
import unittest

from case import ROOT, Case

PRODUCTS = """name,w
T-Shirt Men's,5
T-Shirt Women's,6
Women's Running Shoe,9
Men's Running Shoe,8
AA Batteries,7
D Batteries,9
0.5 mm Mechanical Pencil,4
0.7 mm Mechanical Pencil,5
Vitamin C,10
Headphones Wireless Noise-Cancelling,10
"""
ADDRESSES = """name,city,w
Raymund-Wulff-Weg 9,Kiel,1
Raimundstra\u00dfe 3,Kiel,2
al. Wojska Polskiego,Jaros\u0142aw,3
al. Wojska Polskiego,Krak\u00f3w,9
"11, boulevard Fernandes",Paris,1
"12, boulevard Fernandes",Paris,2
Weg am Wulf 2,Kiel,1
Hauptstra\u00dfe 1,Kiel,4
Boulevard de la Mer 11,Nice,3
Fernandes 11,Lisboa,1
"""
WORDS = """name,w
garden,110
guard,20
gardens,18
guardian,16
accommodating,3
accompanied,30
mischievous,2
miscellaneous,90
Birmingham,40
Birmingham Gardens,1
"""


class Meant(Case):
    def first(self, text):
        """The name and the city of the first record."""
        (match,) = json.loads(self.shardq("-i", "index", text, "--json", "-n", "1"))["matches"]
        return match["name"], match.get("city")

    def test_products(self):
        self.write("products.csv", PRODUCTS)
        self.shardq("build", "-q", "-i", "index", "--weight", "w", "--words", "--typos", "--key", "{name}", "products.csv")
        for text, name in [
            ("mens t-shirt", "T-Shirt Men's"), ("womens shoe", "Women's Running Shoe"), ("battries aa", "AA Batteries"),
            ("0.5mm pencil", "0.5 mm Mechanical Pencil"), ("vit c", "Vitamin C"),
            ("noise canceling headphones", "Headphones Wireless Noise-Cancelling"),
        ]:
            self.assertEqual(self.first(text)[0], name, text)

    def test_addresses(self):
        self.write("addresses.csv", ADDRESSES)
        self.shardq(
            "build", "-q", "-i", "index", "--weight", "w", "--words", "--typos", "--key", "{name}, {city}", "--synonyms",
            ROOT / "Samples" / "synonyms-streets.txt", "addresses.csv")
        for text, name in [
            ("raimund wulf weg", ("Raymund-Wulff-Weg 9", "Kiel")),
            ("wojska polskiego jaroslw", ("al. Wojska Polskiego", "Jaros\u0142aw")),
            ("11 bd fernandes", ("11, boulevard Fernandes", "Paris")),
        ]:
            self.assertEqual(self.first(text), name, text)

    def test_words(self):
        """A corrected whole word is before heavier longer ones. A third error of a long word is behind its sixth letter.
        Missing and surplus spaces leave each word its own errors."""
        self.write("words.csv", WORDS)
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "--weight", "w", "--words", "--typos", "words.csv")
        for text, name in {
            "gaurd": "guard", "acomadatin": "accommodating", "mischeivuos": "mischievous", "bir mingam": "Birmingham",
            "birming hsm": "Birmingham", "birmnghamgardns": "Birmingham Gardens",
        }.items():
            self.assertEqual(self.first(text)[0], name, text)
        answer = json.loads(self.shardq("-i", "index", "acomadatin", "--json", "-n", "1"))
        self.assertEqual(answer["hits"][0]["edits"], 3)

    def test_words_across_names(self):
        """A word of the key and a word of another name, in any order; with a filter, and by pages."""
        self.write("airports.csv", (
            "name,other,country,w\nHaneda Airport,Tokyo,JP,9\nNarita Airport,Tokyo,JP,8\n"
            "Charles de Gaulle,\"Paris,CDG\",FR,7\nParis Beach,,US,1\n"))
        self.shardq(
            "build", "-q", "-i", "index", "--weight", "w", "--words", "--typos", "--alias", "other", "--filter", "country",
            "--key", "{name}", "airports.csv")
        for text, name in [
            ("tokyo haneda", "Haneda Airport"), ("haneda tokyo", "Haneda Airport"), ("tokyo nari", "Narita Airport"),
            ("paris cdg", "Charles de Gaulle"), ("tokyo airport", "Haneda Airport"),
        ]:
            self.assertEqual(self.first(text)[0], name, text)
        self.assertEqual(self.run_shardq("-i", "index", "tokyo haneda", "--filter", "country=FR", "--typos", "none").returncode, 1)
        answer = json.loads(self.shardq("-i", "index", "airport tokyo", "--json", "-n", "1"))
        self.assertEqual((answer["count"], answer["totalIsExact"], "interpretation" in answer), (1, False, False))
        (match,) = json.loads(
            self.shardq("-i", "index", "airport tokyo", "--json", "-n", "1", "--after", answer["cursor"]))["matches"]
        self.assertEqual(match["name"], "Narita Airport")
        self.assertEqual(self.shardq("-i", "index", "--count", "airport tokyo").strip(), "2")

    def test_words_with_digits(self):
        """2001 is not 2010, unless the build says so; a space beside a digit may be missing."""
        self.write("codes.csv", "name,w\n2010,3\nV001,5\nGPT-3 mini,2\n")
        for rule, is_found in ("letters", False), ("digits", True):
            self.shardq("build", "-q", "-i", "index", "--weight", "w", "--typos", rule, "--key", "{name}", "codes.csv")
            for text in "2001", "a001":
                answer = json.loads(self.run_shardq("-i", "index", text, "--json").stdout)
                self.assertEqual(answer["count"] > 0, is_found, text)
        self.shardq("build", "-q", "-i", "index", "--weight", "w", "--typos", "--words", "--key", "{name}", "codes.csv")
        self.assertEqual(self.first("gpt3")[0], "GPT-3 mini")


if __name__ == "__main__":
    unittest.main()
