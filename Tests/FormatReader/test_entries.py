"""Compares the entries of indexes with the records by the rules: python3 -m unittest discover -s Tests/FormatReader"""

import json
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import oracle  # noqa: E402
import reader  # noqa: E402
from oracle_features import FeatureOracle, SEPARATOR  # noqa: E402
from oracle_forms import plain, spaced  # noqa: E402
import sides  # noqa: E402
from test_reader import Temporary, shardq  # noqa: E402

KEY = ("--key", "{name}, {country}")
SIZES = ("--shard-size", "4KiB", "--part-size", "512")


def expected(index, words, alias, searched):
    """The entries that the records of an index give."""
    records = oracle.records_of(index)
    weights = {}
    for key, weight, _ in records:
        weights[key] = max(weight, weights.get(key, 0))
    scan, entries, last = FeatureOracle(records, words, alias, searched), set(), set()
    raised = max([3] + [1 + loss for _, loss in scan.alias] + [loss for _, loss in scan.searched])
    names, field_words = {}, {}  # Of all records with a key: the least losses.
    for position, (key, _, _) in enumerate(records):
        texts = scan.texts(position)
        found = {(form, None, 0, None, None) for form in texts.forms if texts.forms[0] != key}
        if words:
            found |= {(text, form[:start], -3, None, None) for form, start, text in texts.new_later}
        entries |= {(text, before, key, oracle.code(weights[key]) + 2048 * (bonus + raised), *losses)
                    for text, before, bonus, *losses in found}
        for other, loss in texts.losses.items():
            if other + texts.ending not in texts.forms:
                place = key, other + texts.ending
                names[place] = min(loss, names.get(place, loss))
        for word, loss in texts.field_words:
            if word not in texts.body_words:
                field_words[key, word] = min(loss, field_words.get((key, word), loss))
        if SEPARATOR in plain(key, 1):
            last.add(plain(key, 1).rpartition(SEPARATOR)[2])
    weight = lambda key, bonus: oracle.code(weights[key]) + 2048 * (bonus + raised)
    entries |= {(text, None, key, weight(key, -1 - loss), loss or None, None) for (key, text), loss in names.items()}
    entries |= {(text, None, key, weight(key, -loss), None, loss) for (key, text), loss in field_words.items()}
    return entries, sorted(last)


def resolved(key, beginning, target, *rest):
    """An entry with the text before its word start, where the plain form gives that text."""
    return key, spaced(target.removesuffix(key)) if beginning == b"" else beginning, target, *rest


class Entries(Temporary):
    def check_entries(self, directory, words=None, alias=(), searched=()):
        index = reader.Index(directory)
        entries, last = expected(index, words, alias, searched)
        found = [resolved(*entry) for entry in index.text_entry_set()]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(set(found), entries)
        self.assertEqual([key for key, *_ in found], sorted(key for key, *_ in entries))
        over = len(last) > reader.LAST_COMPONENTS or sum(map(len, last)) > 1 << 16
        self.assertEqual(index.last_components, [] if over else last)
        self.assertEqual(index.text_entries.records, len(entries))
        index.text_entries.verify_ranks()
        self.assertEqual(index.settings.get(b"words"), words and words.encode())
        self.assertEqual(index.settings.get(b"alias"), ",".join(alias).encode() if alias else None)
        self.assertEqual(index.settings.get(b"search-field"), ",".join(searched).encode() if searched else None)
        return index

    def options(self, words=None, alias=(), searched=()):
        return (
            *(["--words", words] if words else []),
            *(word for path in alias for word in ("--alias", path)),
            *(word for path in searched for word in ("--search-field", path)),
        )

    def rows(self, rng, count):
        """Names with signs, look-alikes, Hangul, repeated keys and other names of all kinds."""
        syllables = ["san ", "st. ", "l'", "new-", "ville", "york", "a", "(o)", "\u0e19\u0e4d\u0e49\u0e32", "\u795e\u30f6", "\uac15\ub0a8 ", "\u0629", "/", "x", "\u0e40", "\u56db\u30c3\u8c37",
                     "c++ ", "&", " & ", ".n", "\U0001f331", "\u00bf", "_", "[b] ", "\u300c", "getUser", "IdOf"]
        for i in range(count):
            name = "".join(rng.choices(syllables, k=rng.randint(1, 5)))
            others = [
                "", name, name + ",", None, 5, True, "Big,Apple, ,big", "a;b|c\nd & e\r\nc#", ["Jorvik", "Jorvik", name, "A, B; C", "D & E", "c++", None, ["x"], {"y": 1}],
                [], {}, ",".join(f"n{j}" for j in range(rng.randint(1, 40))),
            ]
            yield {
                "id": i, "name": name, "country": rng.choice(["US", "GB", "", "A-B", "st. x"]),
                "w": rng.choice([0, 1, 4095, 4097, 10**6 + i, 2**63, -1, "x"]),
                "alt": rng.choice(others), "names": {"ko": rng.choice(["\uac15", "b c", ""])},
            }

    def test_rules(self):
        rng = random.Random(33)
        source = self.write("rows.jsonl", map(json.dumps, self.rows(rng, 1500)))
        for number, options in enumerate([
            {"words": "body"}, {"words": "all"}, {"alias": ["alt"]}, {"words": "body", "alias": ["names.ko", "alt", "initials"]},
            {"words": "body", "alias": ["alt"]}, {"alias": ["initials"]},
            {"words": "body", "searched": ["alt"]}, {"words": "all", "searched": ["names.ko:-4", "alt:-16", "country"]},
            {"words": "body", "alias": ["alt:-16", "names.ko", "initials"], "searched": ["alt:-7", "name:-4"]},
            {"alias": ["alt:-2", "alt:-1", "name:-3"]}, {"words": "code", "searched": ["alt:-7", "name:-4"]},
        ]):
            with self.subTest(**options):
                index = self.build(source, *KEY, "--weight", "w", *SIZES, *self.options(**options), name=str(number))
                self.check_entries(index, **options)

    def test_values(self):
        """Entries list the values and cells of all records with their key."""
        rng = random.Random(4)
        rows = list(self.rows(rng, 600))
        rows += [{**rows[0], "tag": f"t{i}"} for i in range(sides.MOST_VALUES + 1)]
        rows += [{**rows[1], "tag": letter * 40_000, "lat": 10 * number} for number, letter in enumerate("xy")]
        for row in rows[:600]:
            row["tag"] = rng.choice(["\u00c9t\u00e9", "ete", 7, ["a\"b", "\\", "\u0001", "a"], [], None, True, ""])
            row["lat"], row["lon"] = rng.choice([(48.85, 2.35), (None, 2), (-90, 180), (rng.uniform(-90, 90), 0)])
        source = self.write("rows.jsonl", map(json.dumps, rows))
        options = self.options("body", ["alt"])
        index = reader.Index(self.build(source, *KEY, *SIZES, *options, "--filter", "tag", "--filter", "w", "--near"))
        values = {}
        for shard in index.shards():
            for part in shard.parts:
                for number, key in enumerate(part.keys):
                    fields = part.record(number)
                    own = values.setdefault(key, (set(), set()))
                    own[0].update(sides.field_values(fields, b"tag", oracle.fold))
                    own[1].update(int.from_bytes(cell, "big") for cell in sides.cell_values(reader, fields, index))
        self.assertEqual(index.text_entries.settings[b"filter"], b"f0,f1")
        targets = [target for _, _, target, *_ in index.text_entry_set()]
        found = [part.record(number) for shard in index.text_entries.shards() for part in shard.parts for number in range(part.count)]
        over = 0
        for target, fields in zip(targets, found, strict=True):
            own, cells = values[target]
            if len(own) > sides.MOST_VALUES or sum(map(len, own)) > sides.MOST_BYTES:
                over += 1
                self.assertIn((b"f0", 2, b"true"), fields)
            else:
                self.assertEqual(sides.field_values(fields, b"f0", str.encode), own)
            self.assertEqual({int(cell) for cell in sides.field_values(fields, b"c", str.encode)}, cells)
        self.assertGreater(over, 0)
        index.text_entries.verify_sides(oracle.fold)
        shardq("verify", "-i", index.directory)

    def test_without_weights(self):
        source = self.write("rows.jsonl", map(json.dumps, self.rows(random.Random(1), 200)))
        index = self.build(source, "--key", "{name}", *self.options("body", ["alt"]))
        self.assertEqual(self.check_entries(index, "body", ["alt"]).last_components, [])

    def test_few_records(self):
        for count in 0, 1:
            source = self.write("rows.jsonl", map(json.dumps, self.rows(random.Random(2), count)))
            index = self.build(source, *KEY, *self.options("body"), *(["--min-records", "0"] if not count else []), name=str(count))
            self.check_entries(index, "body")

    def test_many_last_components(self):
        rows = [{"name": f"a b{i}", "country": f"c{i}"} for i in range(reader.LAST_COMPONENTS + 1)]
        for count in len(rows) - 1, len(rows):
            index = self.build(self.write("rows.jsonl", map(json.dumps, rows[:count])), *KEY, *self.options("body"), name=str(count))
            self.check_entries(index, "body")

    def test_shards_stay(self):
        """The primary set has the same files with entries and without them."""
        source = self.write("rows.jsonl", map(json.dumps, self.rows(random.Random(3), 1500)))
        files = []
        for number, options in enumerate([(), self.options("all", ["alt"])]):
            index = reader.Index(self.build(source, *KEY, "--weight", "w", *SIZES, *options, name=str(number)))
            files.append([entry.name for entry in index.entries])
        self.assertEqual(*files)


if __name__ == "__main__":
    unittest.main()
