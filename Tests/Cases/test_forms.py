"""Signs that divide words, signs that are the word, and words without their signs. docs/matching.md section 11"""

import json
import unittest

from case import Case

RECORDS = [
    ("C++", 5), ("C#", 6), ("C", 50), ("C Major", 70), (".NET", 3), ("Netherlands", 1000), ("AT&T", 20), ("H&M", 21),
    ("Rock & Roll", 8), ("Rock and Roses", 9), ("Chicago O'Hare International", 40), ("Wharepapa South", 90),
    ("Rue de l'\u00c9glise", 4), ("Lake Coeur d'Alene", 3), ("St. Mary's Church", 5), ("Objective-C", 7), ("7-Eleven", 9),
    ("54-OR323014", 1), ("\U0001f331plants", 1), ("invoice_2020-07-13_final_report.pdf", 2),
    ("\u00a1Hola! \u00bfQu\u00e9 tal?", 3), ("@angular/core", 4), ("Crohn's disease [regional enteritis]", 4),
    ("Turdus merula_\u0427\u0451\u0440\u043d\u044b\u0439 \u0434\u0440\u043e\u0437\u0434", 6), ("emit_text_buffer", 2), ("C:\\Windows\\System32", 3),
    ("\u56db\u30c4\u8c37", 1), ("\u304a\u8336\u306e\u6c34", 1), ("\u971e\u30b6\u95a2", 1), ("\u5317\u971e\u304c\u95a2", 1), ("\u0e41\u0e21\u0e48\u0e19\u0e49\u0e33", 1),
]
FOUND = {
    "c++": "C++", "c#": "C#", ".net": ".NET", "at&t": "AT&T", "att": "AT&T", "at t": "AT&T", "h & m": "H&M", "hm": "H&M",
    "at and t": "AT&T", "rock and roll": "Rock & Roll", "rock & roses": "Rock and Roses", "and roll": "Rock & Roll",
    "ohare": "Chicago O'Hare International", "chicago ohare": "Chicago O'Hare International", "leglise": "Rue de l'\u00c9glise",
    "coeur dalene": "Lake Coeur d'Alene", "marys church": "St. Mary's Church", "objectivec": "Objective-C",
    "7eleven": "7-Eleven", "54or323014": "54-OR323014", "54/or323014": "54-OR323014", "plants": "\U0001f331plants",
    "\U0001f331": "\U0001f331plants", "report": "invoice_2020-07-13_final_report.pdf", "2020-07-13": "invoice_2020-07-13_final_report.pdf",
    "hola": "\u00a1Hola! \u00bfQu\u00e9 tal?", "que tal": "\u00a1Hola! \u00bfQu\u00e9 tal?", "angular": "@angular/core",
    "regional": "Crohn's disease [regional enteritis]", "text buffer": "emit_text_buffer", "windows": "C:\\Windows\\System32",
    "\u0447\u0435\u0440\u043d\u044b\u0439 \u0434\u0440\u043e\u0437\u0434": "Turdus merula_\u0427\u0451\u0440\u043d\u044b\u0439 \u0434\u0440\u043e\u0437\u0434",
    "\u56db\u30c3\u8c37": "\u56db\u30c4\u8c37", "\u304a\u8336\u30ce\u6c34": "\u304a\u8336\u306e\u6c34", "\u5317\u971e\u30b1\u95a2": "\u5317\u971e\u304c\u95a2",
    "\u0e40\u0e40\u0e21\u0e48\u0e19\u0e49\u0e33": "\u0e41\u0e21\u0e48\u0e19\u0e49\u0e33",
}


class Forms(Case):
    def first(self, index, text, *options):
        answer = json.loads(self.run_shardq("-i", index, text, "--json", "-n", "1", *options).stdout)
        return answer["matches"][0]["name"] if answer["matches"] else None

    def test_signs(self):
        """Without a correction."""
        self.write("list.jsonl", "\n".join(json.dumps({"name": name, "w": weight}) for name, weight in RECORDS))
        self.shardq("build", "-q", "-i", "index", "--weight", "w", "--words", "--typos", "--key", "{name}", "list.jsonl")
        self.shardq("verify", "-q", "-i", "index", "--source", "list.jsonl")
        for text, name in FOUND.items():
            for typos in "none", "auto":
                self.assertEqual(self.first("index", text, "--typos", typos), name, text)
        # A text of signs alone that no record has finds nothing.
        self.assertIsNone(self.first("index", "\u2605"))

    def test_pages(self):
        """Pages of the answer to a text with signs, in either form."""
        self.write("list.csv", "name,w\nC++,5\nC++ Primer,4\nC++ in a Nutshell,3\nC,9\nC Primer,8\n")
        self.shardq("build", "-q", "-i", "index", "--weight", "w", "--words", "--key", "{name}", "list.csv")
        for text, names in [("c++", ["C++", "C++ Primer", "C++ in a Nutshell"]), ("c++ p", ["C++ Primer"]),
                            ("c# p", ["C++ Primer", "C Primer"])]:
            found, after = [], []
            while True:
                answer = json.loads(self.shardq("-i", "index", text, "--json", "-n", "1", *after))
                found += [match["name"] for match in answer["matches"]]
                if "cursor" not in answer:
                    break
                after = ["--after", answer["cursor"]]
            self.assertEqual(sorted(found), sorted(names), text)

    def test_equal_ranks(self):
        """Of equal ranks the text as it was typed comes first; then the order of the index."""
        names = ["READ.ME", "README", "Read Me First", "read.me too"]
        self.write("list.txt", "\n".join(names) + "\n")
        self.shardq("build", "-q", "-i", "index", "--key", "{text}", "--columns", "text", "--words", "list.txt")
        for text, expected in [("readme", ["README", "READ.ME", "read.me too"]),
                               ("read.me", ["READ.ME", "read.me too", "Read Me First"]),
                               ("read me", ["READ.ME", "Read Me First", "read.me too"])]:
            answer = json.loads(self.shardq("-i", "index", text, "--json"))
            self.assertEqual([match["text"] for match in answer["matches"]], expected, text)
            for number, name in enumerate(expected):
                page = json.loads(self.shardq("-i", "index", text, "--json", "-n", "1", *(after if number else [])))
                self.assertEqual(page["matches"][0]["text"], name, text)
                after = ["--after", page.get("cursor", "")]

    def test_other_names(self):
        """A field of other names divides at four signs; a name has symbols, and a word for a sign."""
        rows = [("one", "Uno;Un|Eins\nIchi, Odin"), ("two", ["a;b", "Dva"]), ("three", "Tri & Co; C++"), ("four", "C")]
        self.write("list.jsonl", "\n".join(json.dumps({"name": name, "other": other}) for name, other in rows))
        self.shardq("build", "-q", "-i", "index", "--alias", "other", "--key", "{name}", "list.jsonl")
        for text, name in [
            ("un ", "one"), ("eins ", "one"), ("ichi", "one"), ("odin", "one"), ("uno un", None), ("a b", "two"), ("b", None),
            ("tri and co", "three"), ("tri & co", "three"), ("c++", "three"), ("c ", "four"),
        ]:
            self.assertEqual(self.first("index", text, "--words", "all"), name, text)


if __name__ == "__main__":
    unittest.main()
