"""A filter's value with signs that the fold changes finds its records by every way to a record."""

import json
import unittest

from case import Case

# docs/matching.md section 7: the commas, and forms that decompose to one.
COMMAS = (
    ",\u055d\u060c\u07f8\u1363\u1802\u1808\u2e41\u3001\ua4fe\ua60d\ua6f5\U0001144d\U00016e97\U0001da87"
    "\uff0c\uff64\ufe50\ufe51\ufe10\ufe11")
# Values whose folds begin or end with a separator, repeat it, or hold signs that JSON escapes.
OTHERS = [",soul", "soul,", "a,,b", " a , b ", 'x"y, z', "x\\y, z", "Ａ，Ｂ", "ß, ﬁ", ","]


class FilterValues(Case):
    def records(self):
        values = [f"jazz{comma} soul" for comma in COMMAS] + OTHERS
        lines = []
        for number, value in enumerate(values):
            # In a text, and in an array among others.
            lines.append({"id": 2 * number, "name": f"Blue Moon {number}", "also": f"Sol {number}", "genre": value})
            lines.append({
                "id": 2 * number + 1, "name": f"Red Moon {number}", "also": f"Luna {number}", "genre": ["rock", value, "pop"]})
        lines += [{"id": 1000 + n, "name": f"Green Moon {n}", "also": f"Terra {n}", "genre": "waltz"} for n in range(9)]
        return values, lines

    def found(self, index, text, value):
        output = self.shardq("-i", index, text, "--filter", f"genre={value}", "--format", "jsonl", "--limit", "999", status=0)
        return {json.loads(line)["id"] for line in output.splitlines()}

    def check(self, index, values, lines):
        """Compares answers by the key, by a later word and by another name with those of a list index."""
        for value in dict.fromkeys(values):
            all_of_it = self.found(index, "", value)
            numbers = {2 * n + odd for n, own in enumerate(values) if own == value for odd in (0, 1)}
            self.assertLessEqual(numbers, all_of_it, f"by no text: {value!r}")
            for text, kind in ("moon", "name"), ("sol", "also"), ("luna", "also"), ("blue", "name"):
                wanted = {
                    line["id"] for line in lines
                    if line["id"] in all_of_it and text in line[kind].lower()}
                if wanted:
                    self.assertEqual(self.found(index, text, value), wanted, f"{text!r} with {value!r}")

    def build(self, lines):
        source = self.write("list.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        self.shardq(
            "build", "-q", "-i", "index", "--key", "{name}", "--id", "id", "--words", "--alias", "also", "--filter", "genre",
            source)

    def test_all_ways(self):
        values, lines = self.records()
        self.build(lines)
        self.check("index", values, lines)
        self.shardq("verify", "-i", "index")

    def test_a_value_that_no_record_has(self):
        """The note names up to three values that are near."""
        lines = [{"id": n, "name": f"Moon {n}", "also": "x", "genre": genre, "cc": cc} for n, (genre, cc) in enumerate(
            [("waltz", "FR"), ("Jazz, Soul", "GR"), ("polka", "AR"), ("polkas", "FI"), ("rock", "US")])]
        source = self.write("list.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "--filter", "genre", "--filter", "cc", source)
        for text, filter, said in (
            ("", "genre=walzt", "; did you mean genre=waltz?"), ("m", "genre=jazz soul", "; did you mean genre=jazz, soul?"),
            ("", "genre=plka", "; did you mean genre=polka?"), ("", "genre=Polkax", "; did you mean genre=polka or polkas?"),
            ("", "cc=XR", "; did you mean cc=ar, fr or gr?"), ("", "genre=opera", ""), ("zz", "genre=rock", ""),
        ):
            with self.subTest(filter):
                said = "no match passes the filter" + said
                self.assertEqual(self.refused(
                    "-i", "index", text, "--filter", filter, "--format", "text", status=1), said + "\n")

    def test_updates_and_overlays(self):
        values, lines = self.records()
        # Half of the records come later, with other values before.
        earlier = [dict(line, genre="waltz") if line["id"] % 4 < 2 else line for line in lines]
        for overlay in [], ["--overlay"]:
            with self.subTest(overlay=overlay):
                self.build(earlier)
                changes = self.write(
                    "changes.jsonl", "".join(json.dumps(line) + "\n" for line in lines if line["id"] % 4 < 2))
                self.shardq("update", "-q", "-i", "index", *overlay, "--upsert", changes)
                self.check("index", values, lines)
                if overlay:
                    self.shardq("update", "-q", "-i", "index", "--merge")
                    self.check("index", values, lines)
                self.shardq("verify", "-i", "index")


if __name__ == "__main__":
    unittest.main()
