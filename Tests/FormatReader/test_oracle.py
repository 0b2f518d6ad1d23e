"""The oracle of ranked answers, a plain scan: python3 -m unittest discover -s Tests/FormatReader

SHARDQ_SEED=N repeats a run, whose seed is printed.
"""

import json
import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402
from oracle import Oracle, Query  # noqa: E402

SEED = int(os.environ.get("SHARDQ_SEED") or random.randrange(1 << 32))


def setUpModule():
    print(f"ranked answers: SHARDQ_SEED={SEED}", file=sys.stderr)


# Lists


def names(rng, count):
    """Names of few letters, so that many begin alike: words, commas, accents, signs, keys that are repeated."""
    letters = "aabbcdeé"
    word = lambda: "".join(rng.choice(letters) for _ in range(rng.randrange(1, 6)))
    found = []
    for _ in range(count):
        kind = rng.randrange(10)
        if kind == 0 and found:
            found.append(rng.choice(found))
        elif kind == 1:
            found.append(f"{word()}, {word()}")
        elif kind == 2:
            found.append(rng.choice(["", ",", " ", "a", "한", "하나", "東京", "é", "a-b", "st. a", "Ab Ab", "ﬁ", "ab,,", "a\u0301"]))
        else:
            found.append(" ".join(word() for _ in range(rng.choice([1, 1, 2, 3]))))
    return found


WEIGHTS = {
    "all equal": lambda rng, i: 1000,
    "all 0": lambda rng, i: 0,
    "few": lambda rng, i: rng.randrange(4),
    "uniform": lambda rng, i: rng.randrange(1 << 20),
    "Pareto": lambda rng, i: int(rng.paretovariate(0.8)) * rng.randrange(1, 9),
    "one giant": lambda rng, i: 2**63 - 1 if i == 77 else 1 + i % 3,
    "all sizes": lambda rng, i: rng.randrange(1 << rng.randrange(1, 64)) if i % 5 else (1 << i % 63) - 1,
}


def record(i, name, country, weight):
    return json.dumps({"name": name, "country": country, "w": weight, "id": i}, ensure_ascii=False)


def made(rng, count, weight):
    """Lines of a list, weights by a rule."""
    return [record(i, name, rng.choice(["AA", "AB", "B"]), weight(rng, i)) for i, name in enumerate(names(rng, count))]


def typed(folded):
    """Folded text as it is typed."""
    return folded.decode(errors="ignore").replace("\1", ",")


def prefixes(keys, length=6):
    """All prefixes of up to so many characters."""
    found = {""}
    for key in keys:
        text = typed(key)
        found.update(text[:size] for size in range(1, length + 1))
    return sorted(found)


def queries(rng, keys, count):
    """Beginnings of keys, finished or not, with spaces for separators, too long, and some that nothing matches."""
    found = ["", " ", ",", "q", "a", "a ", "A B", "\u00e9", "ab ab", "ab  ", ", ", "zz"]
    for _ in range(count if keys else 0):
        text = typed(rng.choice(keys))
        change = rng.randrange(7)
        if change == 0:
            text = text[: rng.randrange(len(text) + 1)]
        elif change == 1:
            text = text[: rng.randrange(len(text) + 1)] + " "
        elif change == 2:
            text = text.replace(",", " ")[: rng.randrange(1, len(text) + 2)]
        elif change == 3:
            text = text.rpartition(",")[0]
        elif change == 4:
            text = text.rpartition(",")[0].rpartition(" ")[0] + " "
        elif change == 5:
            text = text.upper() + rng.choice(["", " ", "a", ","])
        found.append(text)
    return found


class Rules(unittest.TestCase):
    """The oracle itself, on examples made by hand."""

    def test_code(self):
        codes = {0: 0, 1: 1, 2: 2049, 3: 3073, 4: 4097, 1024: 20481, 4095: 24576, 4096: 24577, 4097: 24577, 4098: 24578,
                 2**31: 63489, 2**32 - 1: 65535, 2**32: 65535, 2**63 - 1: 65535}
        for weight, code in codes.items():
            self.assertEqual(oracle.code(weight), code, weight)
        self.assertEqual(oracle.code(256 * 1000), oracle.code(1000) + 8 * 2048)

    def test_query(self):
        for text, q, finished, variants in [
            ("Paris", b"paris", False, [b"paris"]),
            ("paris ", b"paris", True, [b"paris"]),
            ("  paris   ", b"paris", True, [b"paris"]),
            ("paris fr", b"paris fr", False, [b"paris fr", b"paris\1fr"]),
            ("new  york us ", b"new york us", True, [b"new york us", b"new york\1us"]),
            ("paris ,fr", b"paris\1fr", False, [b"paris\1fr"]),
            ("paris, ", b"paris\1", False, [b"paris\1"]),
            ("", b"", False, [b""]),
            (" ", b"", False, [b""]),
        ]:
            query = Query(text)
            self.assertEqual((query.q, query.finished, query.variants), (q, finished, variants), text)

    CITIES = [("paris\1fr", 2000), ("paris 01\1fr", 20), ("parish\1us", 9), ("paris hill\1us", 1), ("par\1gb", 30), ("par\1us", 30),
              ("parla\1es", 100), ("york\1gb", 0), ("new york\1us", 8000), ("new york city\1us", 9000), ("new\1york us", 5)]

    def cities(self):
        return Oracle(sorted((key.encode(), weight, key.encode()) for key, weight in self.CITIES))

    def test_matches(self):
        cities = self.cities()
        for text, expected in {
            "par": ["par\1gb", "par\1us", "paris\1fr", "parla\1es", "paris 01\1fr", "parish\1us", "paris hill\1us"],
            "paris": ["paris\1fr", "paris 01\1fr", "parish\1us", "paris hill\1us"],
            "paris ": ["paris\1fr", "paris 01\1fr", "paris hill\1us"],
            "paris fr": ["paris\1fr"],
            "paris f": ["paris\1fr"],
            "paris f ": [],
            "paris fr ": ["paris\1fr"],
            "paris h": ["paris hill\1us"],
            "par us": ["par\1us"],
            "new york": ["new york\1us", "new york city\1us", "new\1york us"],
            "new york us": ["new york\1us"],
            "new york us ": ["new york\1us"],
            "new, york": ["new\1york us"],
            "york": ["york\1gb"],
            "x": [],
        }.items():
            found = [cities.keys[rank.position].decode() for rank in cities.answer(text, 20)]
            self.assertEqual(found, expected, text)
        whole, beginning = cities.answer("paris", 2)
        self.assertEqual((whole.edits, whole.score, whole.weight), (0, oracle.code(2000) + 8 * 2048, 2000))
        self.assertEqual((beginning.edits, beginning.score, beginning.weight), (0, oracle.code(20), 20))
        # An empty query matches every record, none of them whole.
        self.assertEqual([rank.weight for rank in cities.answer("", 3)], [9000, 8000, 2000])
        empty = Oracle([(b"", 1, b""), (b"\1us", 1, b""), (b"a", 2, b"")])
        self.assertEqual([rank.position for rank in empty.answer("", 3)], [2, 0, 1])
        # Eight octaves, and no more: the greater weight of the same score comes first, then the index's order.
        three = Oracle([(b"a", 10, b""), (b"ab", 2560, b""), (b"ac", 2561, b""), (b"ad", 2560, b"")])
        self.assertEqual([rank.position for rank in three.answer("a", 4)], [2, 1, 3, 0])

    def test_pages(self):
        cities = self.cities()
        whole, after, pages = cities.answer("p", 20), None, []
        while found := cities.answer("p", 3, after):
            pages, after = pages + found, found[-1]
        self.assertEqual(pages, whole)

    def test_runs_are_a_scan(self):
        """Looking at the two runs alone finds what looking at every record finds."""
        rng = random.Random(SEED)
        for weight in WEIGHTS.values():
            source = [json.loads(line) for line in made(rng, 300, weight)]
            keys = [oracle.fold(f"{row['name']}, {row['country']}") for row in source]
            records = sorted((key, row["w"], b"%d" % row["id"]) for key, row in zip(keys, source))
            runs, scan = Oracle(records), Oracle(records, list(oracle.KEY_RULES))
            for text in queries(rng, runs.keys, 100):
                self.assertEqual(len(scan.candidates(Query(text))), 300)
                self.assertEqual(runs.answer(text, 400), scan.answer(text, 400), text)


if __name__ == "__main__":
    unittest.main()
