"""Tests the rules of oracle_features.py on examples made by hand: python3 -m unittest discover -s Tests/FormatReader"""

import itertools
import json
import math
import os
import random
import sys
import unittest
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle_edits  # noqa: E402
import oracle_features as features  # noqa: E402
import oracle_forms as forms  # noqa: E402
from oracle import OCTAVE, code, fold, shorter_texts  # noqa: E402
from oracle_features import FeatureOracle, FeatureQuery  # noqa: E402
from test_reader import Temporary, dataset, unpacked  # noqa: E402

# Name, country, weight, other names, place.
PLACES = [
    ("Paris", "FR", 2138551, "Lutetia", (48.85341, 2.3488)),
    ("Paris", "US", 24782, "", (33.66094, -95.55551)),
    ("Paris 01", "FR", 16000, "", (48.8592, 2.3417)),
    ("London", "GB", 8961989, "Londres,Londinium", (51.50853, -0.12574)),
    ("Londa", "IT", 900, "", None),
    ("San Francisco", "US", 864816, "SF,Frisco", (37.77493, -122.41942)),
    ("New York City", "US", 8804190, "New York,NYC,NY", (40.71427, -74.00597)),
    ("York", "GB", 153717, "Eboracum", (53.95763, -1.08271)),
    ("York", "US", 43718, "", None),
    ("St. Louis", "US", 315685, "Saint Louis", None),
    ("L'Aquila", "IT", 69439, "Aquila", None),
    ("Saint-Denis", "FR", 96128, "", None),
    ("M\u00fcnchen", "DE", 1260391, "Munich", None),
    ("Los Angeles", "US", 3820914, "LA", (34.05223, -118.24368)),
    ("Newtown", "GB", 11357, "", None),
    ("New Newton", "GB", 5, "", None),
]


def oracle_of(rows, **options):
    records = []
    for name, country, weight, others, place in rows:
        row = {"name": name, "country": country, "w": weight, "others": others}
        if place:
            row["coord"] = {"lon": place[1], "lat": place[0]}
        records.append((fold(f"{name}, {country}"), weight, json.dumps(row).encode()))
    return FeatureOracle(sorted(records), **options)


class Features(unittest.TestCase):
    def setUp(self):
        self.places = oracle_of(PLACES, words="body", alias=["others"])

    def hits(self, text, limit=20, **asked):
        query = FeatureQuery(text, **asked)
        return [self.named(rank.position) for rank in self.places.answer(query, limit)]

    def named(self, position):
        row = json.loads(self.places.lines[position])
        return f"{row['name']} {row['country']}"

    def match(self, text, name, **asked):
        query = FeatureQuery(text, **asked)
        (position,) = [i for i in range(len(self.places.keys)) if self.named(i) == name]
        return self.places.match(position, query)

    def test_forms(self):
        for text, plain, closed in [
            ("C++ & C#", b"c c", b"c++ c#"),
            ("AT&T", b"at t", b"att"),
            (".NET (4.5)", b"net 4 5", b".net 45"),
            ("a_b @c [d]", b"a b c d", b"a b c d"),
            ("\U0001f331plants", b"plants", "\U0001f331plants".encode()),
            ("\u00a1Hola! \u00bfQu\u00e9?", b"hola que", b"hola que"),
            ("St. Louis", b"st louis", b"st louis"),
            ("L'Aquila", b"l aquila", b"laquila"),
            ("N'Djamena", b"n djamena", b"ndjamena"),
            ("Washington, D.C.", b"washington\1d c", b"washington\1dc"),
            ("Saint-Denis (93)", b"saint denis 93", b"saintdenis 93"),
            ("-/", b"", b""),
            ("a-, -b", b"a\1b", b"a\1b"),
            ("((a))", b"a", b"a"),
        ]:
            folded = fold(text)
            self.assertEqual((forms.plain(folded), forms.closed(folded)), (plain, closed), text)
        for text, q, finished in [("St.", b"st", True), ("st. ", b"st", True), ("st", b"st", False), ("saint-", b"saint", True),
                                  ("a,-", b"a\1", False), ("-", b"", False)]:
            query = FeatureQuery(text)
            self.assertEqual((query.q, query.finished), (q, finished), text)

    def test_look_alikes(self):
        for a, b in [
            ("\u56db\u30c3\u8c37", "\u56db\u30c4\u8c37"), ("\u5fa1\u8336\u30ce\u6c34", "\u5fa1\u8336\u306e\u6c34"),
            ("\u971e\u304c\u95a2", "\u971e\u30f6\u95a2"), ("\u91d1\u6fa4", "\u91d1\u6ca2"), ("\u0e40\u0e40\u0e1b", "\u0e41\u0e1b"),
            ("\u0ec0\u0ec0", "\u0ec1"), ("\u0e40\u0e40\u0e40", "\u0e41\u0e40"), ("\u092e\u093e\u0901", "\u092e\u093e\u0902"),
        ]:
            self.assertEqual(forms.plain(fold(a)), forms.plain(fold(b)), a)
        for a, b in [("\u30b1", "\u30ab"), ("\u3063", "\u3064"), ("\u30e3", "\u30e4"), ("\u0e40-\u0e40", "\u0e41"), ("\u529b", "\u30ab")]:
            self.assertNotEqual(forms.plain(fold(a)), forms.plain(fold(b)), a)

    def test_first_hits(self):
        for text, first in {
            "par": "Paris FR", "san f": "San Francisco US", "munchen": "M\u00fcnchen DE", "nyc": "New York City US",
            "ny": "New York City US", "paris fr": "Paris FR", "st louis": "St. Louis US", "saint louis": "St. Louis US",
            "york": "York GB", "los angeles": "Los Angeles US", "york new": "New York City US", "laquila": "L'Aquila IT",
            "l aquila": "L'Aquila IT", "aquila": "L'Aquila IT", "city new us": "New York City US", "saint denis": "Saint-Denis FR",
        }.items():
            self.assertEqual(self.hits(text)[0], first, text)
        for text, first in {"lodnon": "London GB", "newyork": "New York City US", "los angelse": "Los Angeles US"}.items():
            self.assertEqual(self.hits(text, all_words=True), [], text)
            self.assertEqual(self.hits(text, typos=True)[0], first, text)
        self.assertEqual(self.hits("paris tx", all_words=True), [])
        self.assertEqual(self.hits("york")[:3], ["York GB", "York US", "New York City US"])

    def test_rules(self):
        for text, name, found in [
            ("york", "York GB", (0, 6, "key")),
            ("york ", "York GB", (0, 8, "key")),
            ("york gb", "York GB", (0, 6, "key")),
            ("yor", "York GB", (0, 0, "key")),
            ("yor ", "York GB", None),
            ("york", "New York City US", (0, -3, ("word", 4))),
            ("york ", "New York City US", (0, -3, ("word", 4))),
            ("yor ", "New York City US", None),
            ("city us", "New York City US", (0, -3, ("word", 9))),
            ("us", "New York City US", None),
            ("new york", "New York City US", (0, 2, ("other", "New York", 8, 0))),
            ("new york us", "New York City US", (0, 2, ("other", "New York", 8, 0))),
            ("nyc us ", "New York City US", (0, 4, ("other", "NYC", 3, 0))),
            ("nyc gb", "New York City US", None),
            ("n", "New York City US", (0, 0, "key")),
            ("londin", "London GB", (0, -3, ("other", "Londinium", 9, 0))),
            ("londr", "London GB", (0, -3, ("other", "Londres", 7, 0))),
            ("londre", "London GB", (0, -2, ("other", "Londres", 7, 0))),
            ("city new", "New York City US", (0, -6, "words")),
            ("city ne", "New York City US", (0, -6, "words")),
            ("city ne ", "New York City US", None),
            ("us new", "New York City US", None),
            ("city new us", "New York City US", (0, -6, "words")),
            ("city new u", "New York City US", (0, -6, "words")),
            ("city new u ", "New York City US", None),
            ("new new", "New York City US", None),
            ("new new", "New Newton GB", (0, 0, "key")),
            ("newt ne", "New Newton GB", (0, -6, "words")),
            ("newt new new", "New Newton GB", None),
        ]:
            self.assertEqual(self.match(text, name), found, text)

    def test_words_of_all(self):
        self.places = oracle_of(PLACES, words="all")
        self.assertEqual(self.match("us", "New York City US"), (0, -3, ("word", 14)))
        self.assertEqual(self.match("us city", "New York City US"), (0, -6, "words"))
        self.places = oracle_of(PLACES)
        self.assertEqual(self.hits("york"), ["York GB", "York US"])
        self.assertEqual(self.hits("nyc"), [])

    def test_assigned(self):
        """Taking the longest word first, for the shortest one that fits, finds a way if there is one."""
        rng = random.Random(3)
        for _ in range(4000):
            word = lambda: bytes(rng.choice(b"ab") for _ in range(rng.randrange(1, 4)))
            words, free = [word() for _ in range(rng.randrange(1, 4))], [word() for _ in range(rng.randrange(5))]
            for finished in False, True:
                fits = lambda i, other: other == words[i] if finished and i == len(words) - 1 else other.startswith(words[i])
                exists = any(all(fits(i, other) for i, other in enumerate(order))
                             for order in itertools.permutations(free, len(words)))
                self.assertEqual(features.assigned(words, free, finished), exists, (words, free, finished))

    def test_edits(self):
        for q, text, edits in [
            ("london", "london gb", 0), ("lodnon", "london gb", 1), ("rondon", "london gb", 1), ("lon don", "london gb", 1),
            ("newyork", "new york city us", 1), ("lonon", "london", 1), ("lonndon", "london", 1), ("olnodn", "london", 2),
            ("abc", "", 3), ("", "abc", 0), ("ca", "abc", 1), ("ab", "ba", 1), ("abcd", "badc", 2),
        ]:
            self.assertEqual(oracle_edits.distance(q, text), edits, (q, text))
        rng = random.Random(4)
        for _ in range(300):
            q, text = ("".join(rng.choice("ab ") for _ in range(rng.randrange(6))) for _ in range(2))
            self.assertEqual(oracle_edits.distance(q, text), min(slow(q, text[:end]) for end in range(len(text) + 1)), (q, text))

    def test_allowed_edits(self):
        for text, edits in {"": 0, "ab": 0, "abc": 1, "ab abcd": 1, "abcde": 2, "abc abcde": 2, "ab ab ab": 1,
                            "abcdefgh": 3, "ab abcdefgh": 2, "\ud55c\uad6d": 2, "a" * 64: 3, "a" * 65: 3, "a b": 0,
                            "a " * 33 + "abcdefgh": 2, "new york": 1}.items():
            self.assertEqual(FeatureQuery(text).edits, edits, text)
        for text, edits in {"abc": None, "a b": None, "ab c": 0, "abc ab": 1, "abc abc": 2, "abc abc abcdefgh": 3,
                            "a b c d e f g hi": 0, "a b c d e f g h ij": None, "ab " + "a" * 62: 2}.items():
            self.assertEqual(oracle_edits.edits_in_any_order(FeatureQuery(text).q), edits, text)
        for text, name, found in [
            ("lodno", "London GB", (1, 0, "key")),
            ("lodnon", "London GB", (1, 4, "key")),
            ("lodnon gb", "London GB", (1, 4, "key")),
            ("londni", "London GB", (1, -1, ("other", "Londinium"))),
            ("eboarcum", "York GB", (1, 3, ("other", "Eboracum"))),
            ("eboarcum g", "York GB", (1, -1, ("other", "Eboracum"))),
            ("eboarcun", "York GB", (2, 3, ("other", "Eboracum"))),
            ("yrok", "New York City US", (1, -2, ("word", 4))),
            ("ctiy", "New York City US", (1, 1, ("word", 9))),
            ("pari", "Paris 01 FR", (0, 0, "key")),
            ("parsi ", "Paris 01 FR", (1, 1, "key")),
            ("par", "York GB", None),
            ("yok", "York GB", (1, 4, "key")),
            ("yorkk", "York GB", (1, 4, "key")),
            ("york gb x", "York GB", None),
            ("nwe yrok", "New York City US", (2, -6, "words")),
            ("yrok nwe", "New York City US", (2, -6, "words")),
            ("yrok new ", "New York City US", (1, -6, "words")),
            ("yrok ne ", "New York City US", None),
            ("yrok nwe ctiy", "New York City US", (3, -6, "words")),
            ("yrok nwe ctiy us", "New York City US", (3, -6, "words")),
            ("yrok nwe ctiy su", "New York City US", None),
            ("yrok nwe ctyi ctyi", "New York City US", None),
            ("yo ne", "New York City US", (1, -6, "words")),
            ("y n", "New York City US", None),
            ("c us", "New York City US", None),
            ("ci us", "New York City US", (1, -6, "words")),
            ("new york city us x", "New York City US", (2, 4, "key")),
            ("new york city us xyz", "New York City US", None),
            ("lo sangelse", "Los Angeles US", (2, 4, "key")),
            ("sanfrnciscoo", "San Francisco US", (3, 4, "key")),
            ("xsnfrancisco", "San Francisco US", None),
        ]:
            self.assertEqual(self.match(text, name, typos=True), found, text)
        # Fewer edits come before any score.
        self.assertEqual(self.hits("lodna", typos=True), ["Londa IT", "London GB", "Los Angeles US"])
        # A whole match has no corrections beside it.
        self.assertEqual(self.hits("londa", typos=True), ["Londa IT"])
        # A typed comma may stand inside of a value.
        self.places = oracle_of(PLACES)
        self.assertEqual(self.match("saint, denis", "Saint-Denis FR", typos=True), (0, 6, "key"))

    def test_words_left_out(self):
        for text, shorter in {
            "a b, c": ["a b ", "a ", "b, c", "c"], "a b ": ["a ", "b "], " a,b": ["a ", "b"], "a": [], "a ": [], "": [],
            "a b c d e f g h i j": ["a b c d e f g h ", "a b c d e f g ", "a b c d e f ", "a b c d e ", "a b c d ", "a b c ",
                                    "a b ", "a ", "b c d e f g h ", "c d e f g h ", "d e f g h ", "e f g h ", "f g h ", "g h ", "h "],
        }.items():
            self.assertEqual(list(shorter_texts(text)), shorter, text)
        self.assertEqual(list(shorter_texts("a, b, c", [0, 2])), ["a, c", "a ", "c"])
        for text, first in {
            "london map": "London GB", "map london": "London GB", "the york": "York GB", "paris tx": "Paris FR", "xyz saint d": "Saint-Denis FR",
            "new york city, united states of america 10001": "New York City US", "londno map": "London GB", "xyz xyz": None,
        }.items():
            self.assertEqual(next(iter(self.hits(text, typos=True)), None), first, text)
            self.assertEqual(self.hits(text, all_words=True), [], text)
        self.assertEqual(self.hits("paris tx", filters={"country": ["US"]}), ["Paris US"])

    def test_filters(self):
        self.assertEqual(self.hits("york", filters={"country": ["us"]}), ["York US", "New York City US"])
        self.assertEqual(self.hits("paris", filters={"country": ["GB", "FR"]}), ["Paris FR", "Paris 01 FR"])
        self.assertEqual(self.hits("paris", filters={"country": ["FR"], "name": ["paris 01"]}), ["Paris 01 FR"])
        self.assertEqual(self.hits("paris", filters={"region": ["FR"]}), [])
        line = json.dumps({"name": "a", "list": ["X", "\u00c9"], "coord": {"lat": 1}}).encode()
        self.places = FeatureOracle([(b"a", 0, line)])
        for filters, count in [({"list": ["e"]}, 1), ({"list": ["xe"]}, 0), ({"coord.lat": ["1"]}, 1), ({"list": ["y", "x"]}, 1)]:
            self.assertEqual(len(self.places.answer(FeatureQuery("", filters=filters), 9)), count, filters)

    def test_near(self):
        self.assertEqual([features.hundredths(Fraction(text)) for text in ("0.005", "-0.005", "0.0049", "-1.239", "90")],
                         [1, -1, 0, -124, 9000])
        home = (4885, 235)
        self.assertEqual(features.nearness(home, home), 8 * OCTAVE)
        self.assertEqual(features.nearness(home, (-4885, 18235 - 36000)), 0)  # the other end of the globe
        self.assertEqual(features.nearness((0, 17999), (0, -18000)), features.nearness((0, 0), (0, 1)))
        self.assertEqual(features.nearness((9000, 0), (9000, 17000)), 8 * OCTAVE)  # one pole
        rng = random.Random(5)
        for _ in range(3000):
            here = rng.randrange(-9000, 9001), rng.randrange(-18000, 18001)
            there = [min(9000, max(-9000, here[0] + rng.randrange(-3000, 3001))), rng.randrange(-18000, 18001)]
            if rng.random() < 0.8:
                there[1] = max(-18000, min(18000, here[1] + rng.randrange(-1500, 1501)))
            near = features.nearness(here, tuple(there))
            distance = kilometers(here, there)
            # The table's step is 3.11 km, and more where the globe is nearly round.
            exact = lambda km: max(0, 8 - math.log2(1 + max(0, km) / 10)) * OCTAVE
            self.assertLessEqual(exact(distance) - 1.001, near, (here, there))
            self.assertLessEqual(near, exact(distance - 3.3) + 0.001, (here, there))
        # Without a place a record is not near; the nearest of a name comes first otherwise.
        self.assertEqual(self.hits("paris")[0], "Paris FR")
        self.assertEqual(self.hits("paris", near=(33.66, -95.55))[0], "Paris US")
        rank = self.places.answer(FeatureQuery("lond", near=(51.5, -0.12)), 2)
        self.assertEqual([hit.score for hit in rank], [code(8961989) + 8 * OCTAVE, code(900)])


@unittest.skipUnless(os.environ.get("SHARDQ_LONG"), "SHARDQ_LONG is not set")
class GeoNames(Temporary):
    """The first hits that a person expects, on a list of cities: name and country."""

    FIRST = {
        "par": "Paris FR", "san f": "San Francisco US", "lodnon": "London GB", "munchen": "M\u00fcnchen DE",
        "nyc": "New York City US", "ny": "New York City US", "paris fr": "Paris FR", "st louis": "Saint Louis US",
        "york": "York GB", "los angeles": "Los Angeles US", "york new": "New York City US", "newyork": "New York City US",
        "los angelse": "Los Angeles US",
    }

    def test_first_hits(self):
        source = self.directory / "cities1000.txt"
        source.write_bytes(unpacked(dataset("geonames-cities1000.txt.zst")))
        index = self.build(source, "--weight", "population")
        cities = FeatureOracle.of_index(index, words="body", alias=["alternatenames"])

        def hits(text, typos):
            rows = [json.loads(cities.lines[rank.position]) for rank in cities.answer(FeatureQuery(text, typos=typos, all_words=True), 3)]
            return [f"{row['name']} {row['country code']}" for row in rows]

        for text, first in self.FIRST.items():
            found = hits(text, False) or hits(text, True)
            self.assertEqual(found[:1], [first], text)
        self.assertEqual(hits("york", False)[2], "New York City US")
        self.assertEqual(hits("paris tx", False), [])


def slow(a, b):
    """Optimal string alignment by its definition."""
    if not a or not b:
        return len(a) + len(b)
    best = min(slow(a[1:], b) + 1, slow(a, b[1:]) + 1, slow(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        best = min(best, slow(a[2:], b[2:]) + 1)
    return best


def kilometers(here, there):
    (lat1, lon1), (lat2, lon2) = (map(math.radians, (x / 100 for x in place)) for place in (here, there))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6371 * math.asin(min(1, math.sqrt(h)))


if __name__ == "__main__":
    unittest.main()
