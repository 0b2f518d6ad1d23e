"""The first command for a file as people have it: `shardq build FILE` is right at once, or its message leads on."""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest
import zipfile

from case import SHARDQ, Case
from first_files import FILES, NAMES

# The proposals of a message: a shell line, the key, an option.
KEY = re.compile(r"such as '(\{.*?\})'|--key '?(\{.*?\})'?")
FLAGS = ["--skip-bad", "--name-columns", "--ragged"]


def proposal(message):
    """The first proposal of a message: a shell line before `| shardq build`, or options; nothing if there is none."""
    found = []
    if match := re.search(r" \| shardq build ([^\n]*?)\u2026 -", message):
        before = message[:match.start()]
        start = before.rindex(": ") + 2  # No line has a colon and a blank in it.
        found.append((start, before[start:], match[1]))
    if match := KEY.search(message):
        found.append((match.start(), "", f"--key '{match[1] or match[2]}' "))
    if match := re.search(r"pass (--[a-z-]+)", message):
        value = re.match(r" ('[^']*'|[^\s;,]+(?:,[^\s;,]+)*)", message[match.end():])
        found.append((match.start(), "", match[1] + (" " + value[1] if value and match[1] not in FLAGS else "") + " "))
    elif match := re.search(r"with (--skip-bad)", message):
        found.append((match.start(), "", match[1] + " "))
    return min(found)[1:] if found else None


class FirstFiles(Case):
    def follow(self, name, content, steps=5):
        """Builds a file, and follows the first proposal of each refusal; returns the messages."""
        if content is not None:
            self.write(name, content)
        shutil.rmtree(self.directory / "index", ignore_errors=True)
        pipe, options, source, said = "", {}, name, []
        for _ in range(steps):
            words = " ".join(f"{option} {shlex.quote(value) if value else ''}" for option, value in options.items())
            line = f"{pipe}'{SHARDQ}' build -i index {words} {source}"
            ended = subprocess.run(
                ["sh", "-c", line], cwd=self.directory, capture_output=True, text=True, timeout=60,
                stdin=subprocess.DEVNULL, env={**os.environ, "SHARDQ_CONFIG": "/dev/null"})
            said.append(ended.stderr)
            if ended.returncode == 0:
                return said
            found = proposal(ended.stderr)
            self.assertIsNotNone(found, f"no proposal: {line}: {ended.stderr}")
            if found[0]:
                pipe += found[0].replace(" FILE", "") + " | "
                options, source = {}, "-"
            # An option takes the place of the one that was given before.
            for word in shlex.split(found[1]):
                if word.startswith("--"):
                    options[last := word] = ""
                else:
                    options[last] = word
        self.fail(f"{steps} proposals: {said}")

    def test_files(self):
        for name, content, typed, found in FILES:
            with self.subTest(name):
                said = self.follow(name, content)
                self.assertIn(found, self.shardq("-i", "index", typed), said)
                for message in said:
                    self.assertLess(len(message), 2000)

    def test_right_at_once(self):
        """These need no second command."""
        for name in ("airports.csv", "regions.csv", "all.json", "us_counties.json", "french", "uk-us-dict.txt", "labels_ja.txt"):
            with self.subTest(name):
                content = next(content for file, content, _, _ in FILES if file == name)
                self.assertEqual(len(self.follow(name, content)), 1)

    # A5

    def key(self, name, content):
        self.write(name, content)
        said = self.refused("build", "-i", "index", name)
        return re.search(r"such as '\{(.*?)\}'", said)[1]

    def rows(self, header, row):
        return header + "\n" + "\n".join(",".join(map(str, row(n, name))) for n, name in enumerate(NAMES)) + "\n"

    def test_the_key_by_values(self):
        for header, row, wanted in (
            ("mag,place,time", lambda n, name: [n / 10 + 1, name, f"2024-01-{n + 10}T10:00:00Z"], "place"),
            ("Registry,Assignment,Organization", lambda n, name: ["MA-L", f"{n:02}AF", name], "Organization"),
            ("iso,nazwa", lambda n, name: [chr(65 + n) + "X", name], "nazwa"),
            ("link,mail,inhalt", lambda n, name: [f"https://a.example/{name}", f"{n}a@b.example", name], "inhalt"),
            ("hash,inhalt", lambda n, name: [f"{n + 10}c0ffee-dead-beef-cafe-0123456789ab", name], "inhalt"),
            ("slug,inhalt", lambda n, name: [name.lower().replace(" ", "-"), name], "inhalt"),
            ("remark,inhalt", lambda n, name: ["made up " * 20 + str(n), name], "inhalt"),
        ):
            with self.subTest(header):
                self.assertEqual(self.key("list.csv", self.rows(header, row)), wanted)
        records = [{"a": n, "b": {"c": name}, "d": [name], "e": "made up"} for n, name in enumerate(NAMES)]
        self.assertEqual(self.key("list.json", json.dumps(records)), "b.c")

    # A6

    def test_the_records_of_an_object(self):
        """The first proposal leads to all records."""
        people = [{"name": name} for name in NAMES]
        frame = {"n": {str(n): name for n, name in enumerate(NAMES)}, "id": {str(n): n for n in range(20)}}
        for name, value, wanted in (
            ("rows.json", {"columns": [{"n": "a"}], "rows": people}, "--records rows"),
            ("long.json", {"tags": ["made"] * 30, "short": people[:2], "deep": {"long": people}}, "--records deep.long"),
            ("near.json", {"deep": {"people": people}, "people": people}, "--records people"),
            ("lists.json", {str(n): {"name": name, "alt": ["x", "y"]} for n, name in enumerate(NAMES)}, "to_entries"),
            ("beside.json", {"about": "x", **{f"k{n}": {"name": name} for n, name in enumerate(NAMES * 2)}}, "to_entries"),
            ("split.json", {"columns": ["name", "n"], "data": [[name, n] for n, name in enumerate(NAMES)]}, "@csv"),
            ("texts.json", {f"c{n}": name for n, name in enumerate(NAMES)}, "[.key,.value] | @csv"),
            ("numbers.json", {name: n for n, name in enumerate(NAMES)}, "[.key,.value] | @csv"),
        ):
            with self.subTest(name):
                if name == "beside.json":
                    self.write(name, json.dumps(value))
                    self.assertIn(wanted, self.refused("build", "-i", "index", name))
                    continue
                said = self.follow(name, json.dumps(value))
                self.assertIn(wanted, said[0])
                self.assertIn("20 in the index", said[-1])
                self.assertIn("Plum Ridge", self.shardq("-i", "index", "plum"))
        # The rows are the longest array, though the columns are objects.
        columns, rows = [{"name": f"c{n}"} for n in range(30)], [[n, name] for n in range(200) for name in NAMES]
        self.write("view.json", json.dumps({"meta": {"view": {"columns": columns}}, "data": rows}))
        self.assertIn("jq -r '.data[] | @csv' view.json", self.refused("build", "-i", "index", "view.json"))
        self.write("frame.json", json.dumps(frame))
        self.assertIn('to_json(orient="records")', self.refused("build", "-i", "index", "frame.json"))
        # One object with a name is a record, as before.
        self.write("one.json", json.dumps({"name": "Ann", "born": 1950}))
        self.shardq("build", "-q", "-i", "one", "one.json")

    def test_an_object_of_many_texts(self):
        self.write("many.json", json.dumps({f"w{n}": n for n in range(70000)}))
        said = self.refused("build", "-i", "index", "many.json", status=65)
        self.assertIn("jq -r 'to_entries[] | [.key,.value] | @csv' many.json", said)

    # A12

    def test_encodings(self):
        russian = "id,name\n1,Москва\n2,Новгород\n3,Тверь\n4,Псков\n5,Рязань\n"
        japanese = "id,name\n1,東京タワー\n2,お茶の水\n3,大阪\n4,カタカナ\n"
        chinese = "id,name\n1,北京\n2,上海市\n3,乌鲁木齐\n4,深圳\n"
        for text, encoding, typed in (
            (russian, "windows-1251", "твер"), (russian, "koi8-r", "твер"), (russian, "cp866", "твер"),
            (japanese, "shift_jis", "大"), (japanese, "euc-jp", "大"), (chinese, "gbk", "上"),
            ("id,name\n1,臺北市\n2,高雄\n3,新竹縣\n4,澎湖\n", "big5", "高"),
            ("id,name\n1,서울\n2,부산광역시\n3,인천\n", "euc-kr", "인"),
            ("id,name\n1,Łódź\n2,Białystok\n3,Gdańsk\n4,Wąbrzeźno\n", "windows-1250", "gda"),
            ("id,name\n1,Łódź\n2,Wąsosz\n", "utf-16", "wa"),
        ):
            with self.subTest(encoding):
                said = self.follow("made.csv", text.encode(encoding))
                self.assertNotEqual(self.shardq("-i", "index", typed), "", said)
        for text in (
            "id,name\n1,Zürich\n", "id,name\n1,Köln\n2,Besançon\n3,L’Haÿ\n4,Straße\n", "id,name\n1,Düren\n2,Münster\n3,Lünen\n",
        ):
            said = self.follow("made.csv", text.encode("windows-1252"))
            word = re.search(r'which reads "([^"]*)" there', said[0])[1]
            self.assertIn(word, text)
            self.assertIn("pass --encoding windows-1252", said[0])
        self.write("made.json", '[{"name":"Z\u00fcrich"}]'.encode("latin1"))
        self.assertIn("pass --encoding windows-1252", self.refused("build", "-i", "index2", "made.json", status=65))

    def test_a_zip_of_several_files(self):
        with zipfile.ZipFile(self.directory / "feed.zip", "w") as made:
            made.writestr("agency.txt", "agency_id,agency_name\n1,Made\n")
            made.writestr("data/", "")
            made.writestr("data/stops [x].txt", self.rows("stop_id,stop_name", lambda n, name: [n, name]))
            for n in range(30):
                made.writestr(f"f{n}.txt", "x\n")
        said = self.follow("feed.zip", None)
        self.assertIn("a zip archive of 32 files: agency.txt, data/stops [x].txt, f0.txt", said[0])
        self.assertIn("f17.txt and 12 more", said[0])
        self.assertIn("Plum Ridge", self.shardq("-i", "index", "plum"))

    # A15

    def test_lines_with_commas(self):
        for content, typed, found in (
            ("Washington, D.C.\nBoston\nNew York\n", "washington", "Washington, D.C."),
            ("Smith, John\nDoe, Jane\n", "smith", "Smith, John"),
            ("Kansas City, MO\nBoston, MA\n", "kansas", "Kansas City, MO"),
        ):
            for name in ("c.txt", "-"):
                with self.subTest(content, name=name):
                    self.write("c.txt", content)
                    ended = self.run_shardq("build", "-i", "c", name, input=content if name == "-" else None)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    self.assertIn("--input-format csv changes that", ended.stderr)
                    self.assertIn(found, self.shardq("-i", "c", typed))
                    self.shardq("verify", "-q", "-i", "c", "--source", "c.txt")
        self.write("c.txt", "Washington, D.C.\nBoston\n")
        said = self.refused("build", "-i", "other", "--columns", "city,state", "c.txt", "--key", "{city}", status=65)
        self.assertIn("expected 2 fields, found 1", said)
        self.assertIn("--input-format lines", said)

    def test_tables_without_a_suffix(self):
        """Tables stay tables."""
        for content, options in (
            ("name,country\nAnn,FR\n", []), ("id, name\n1, Ann\n2, Bob\n", ["--key", "{ name}"]),
            ("stop,zone\nMain,A\n", ["--key", "{stop}"]),
            ("town, place\nYork, here\n", ["--key", "{town}"]), ("a,b\n1,2\n", ["--key", "{a}"]),
        ):
            with self.subTest(content):
                self.shardq("build", "-i", "t", "--force", *options, "-", input=content)
                fields = self.shardq("-i", "t", "", "--format", "csv").splitlines()[0]
                self.assertEqual(fields, content.splitlines()[0])
        said = self.refused("build", "-i", "u", "-", input="Paris,Texas\nRome,Georgia\n")
        self.assertIn("--columns", said)
        self.assertIn("--input-format lines", said)

    # A3

    def test_one_column(self):
        for content, typed in (
            ("apple\nfig\napple\n", "apple"), ("a1@x.example\nb@y.example\n", "a1"), ("x.example\ny.example\n", "x."), ("B-12\nC-13\n", "b-12"),
        ):
            with self.subTest(content):
                said = self.follow("one.csv", content)
                self.assertIn("pass --columns name", said[0])
                self.assertIn("--key", said[0])
                self.assertNotEqual(self.shardq("-i", "index", typed), "")
        for content in ("apple\nfig\n", "Sepal.Length\n5.1\n", "word\nword\n"):
            self.write("one.csv", content)
            self.shardq("build", "-q", "-i", "one", "--force", "one.csv")

    # A16

    def test_skip_bad_is_named(self):
        for content in ('{"a":"x"}\n{"b":1}\n', '{"a":"x"}\n{"a":null}\n', json.dumps({"a": "x" * 300000}) + '\n{"a":"y"}\n'):
            with self.subTest(content[:40]):
                self.write("r.jsonl", content)
                said = self.refused("build", "-i", "r", "--key", "{a}", "r.jsonl", status=65)
                self.assertIn("leave such records out with --skip-bad", said)
                self.shardq("build", "-q", "-i", "r", "--force", "--key", "{a}", "--skip-bad", "r.jsonl")
        # It helps nothing where no record has the field.
        self.write("r.jsonl", '{"b":"x"}\n{"b":1}\n')
        self.assertNotIn("--skip-bad", self.run_shardq("build", "-i", "r", "--key", "{a}", "r.jsonl").stderr)

    def test_what_other_programs_take_for_json(self):
        for name, content, wanted in (
            ("nan.json", '[{"name":"Ann","v":NaN},{"name":"Bob","v":1}]', r"sed 's/\bNaN\b/null/g' nan.json"),
            ("nan.jsonl", '{"name":"Ann","v":NaN}\n{"name":"Bob","v":1}\n', r"sed 's/\bNaN\b/null/g' nan.jsonl"),
            ("inf.json", '[{"name":"Ann","v":-Infinity},{"name":"Bob","v":NaN}]', "sed -E"),
            ("commas.jsonl", '{"name":"Ann"},\n{"name":"Bob"},\n', "sed 's/,$//' commas.jsonl"),
            ("commas.json", '{"name":"Ann"},\n{"name":"Bob"},\n', "sed 's/,$//' commas.json"),
            ("commas", '{"name":"Ann"},\n{"name":"Bob"}\n', "sed 's/,$//' commas"),
            ("long.json", '{\n"name":"Ann",\n"v":1\n},\n{"name":"Bob",\n"v":2},\n', "put the objects into an array"),
        ):
            with self.subTest(name):
                said = self.follow(name, content)
                self.assertIn(wanted, said[0])
                self.assertIn("Bob", self.shardq("-i", "index", "bob"))
        for content in ('[{"name":"Ann"},]', '[{"name":"Ann"},\n]', '[{"name":"Ann",}]', '[{"name":"Ann","a":[1,]}]'):
            self.write("comma.json", content)
            self.assertIn("remove the comma before it", self.refused("build", "-i", "index", "comma.json", status=65))

    def test_quotes_inside_of_quotes(self):
        for ends in ("\n", "\r\n"):
            content = ends.join([
                "id,stop_name,zone", '1,"Lahr "Vis-a-Vis Bus"",A', '2,"Plum, ""old""",B', '3,"The "Fig"",C', '4,"A "b" c",D', '5,,"The "X""', ""])
            said = self.follow("stops.txt", content)
            out = self.shardq("-i", "index", "", "--format", "csv")
            for row in ('"A ""b"" c"', '"Lahr ""Vis-a-Vis Bus"""', '"Plum, ""old"""', '"The ""Fig"""', '"The ""X"""'):
                self.assertIn(row, out, said)

    def test_a_header_again(self):
        for again in ("name,country\n", "\ufeffname,country\r\n", "\ufeffname,country"):
            self.write("joined.csv", "\ufeffname,country\nAnn,FR\n" + again)
            said = self.refused("build", "-i", "index", "joined.csv", status=65)
            self.assertIn("joined.csv:3:1: record 2: repeats the header; leave such records out with --skip-bad", said)
        self.shardq("build", "-q", "-i", "index", "--skip-bad", "joined.csv")
        self.shardq("verify", "-q", "-i", "index", "--skip-bad", "--source", "joined.csv")
        self.assertEqual(self.shardq("-i", "index", ""), "Ann\tFR\n")

    def test_ids_without_a_header(self):
        self.write("all.csv", "id,name\n1,Ann\n2,Bob\n")
        self.shardq("build", "-q", "-i", "index", "--key", "{name}", "--id", "id", "all.csv")
        self.write("gone.csv", "1\n")
        said = self.refused("update", "-i", "index", "--delete", "gone.csv")
        self.assertIn("if the first line is an id, pass --columns id", said)
        self.shardq("update", "-q", "-i", "index", "--delete", "gone.csv", "--columns", "id")
        self.assertEqual(self.shardq("-i", "index", ""), "2\tBob\n")

    # Comments and sizes

    def test_comments_above_a_list(self):
        for sign in ("//", "#"):
            self.write("list.dat", f"{sign} made, up\n{sign}\n\nplum\nfig\n")
            said = self.follow("list.dat", None)
            self.assertRegex(said[0], f"pass --comment '?{sign}'? if such lines are not records, or --input-format lines")
            self.assertIn("2 in the index", said[-1])
        for content in ("#plum\nfig\n", "#plum\n#fig\n", "# plum\n# fig\n"):
            self.write("list.txt", content)
            self.shardq("build", "-q", "-i", "list", "list.txt")

    def test_messages_are_short(self):
        wide = ",".join(f"field{n}" + "x" * 300 for n in range(3000))
        record = {f"f{n}" + "y" * 900: n for n in range(3000)}
        for name, content in (("wide.csv", wide + "\n"), ("wide.json", json.dumps([record]))):
            self.write(name, content)
            for options in ([], ["--key", "{no}"], ["--key", "{f0" + "y" * 3000 + "}"]):
                self.assertLess(len(self.run_shardq("build", "-i", "index", *options, name).stderr), 2100)
        for n in range(60):
            self.write(f"{'d' * 200}/{n}.jsonl", '{"a":1}\n')
        files = sorted((self.directory / ("d" * 200)).iterdir())
        self.assertLess(len(self.run_shardq("build", "-i", "index", "--key", "{b}", *files).stderr), 2100)


if __name__ == "__main__":
    unittest.main()
