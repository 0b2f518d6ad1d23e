"""What users of fzf expect of shardq ui, in tmux: Tests/side_by_side.py Tests/Terminal"""

import json
import os
import re
import subprocess
import unittest

from test_terminal import CITIES, SHARDQ, TerminalTest, keys, query


class PickerTest(TerminalTest):
    """Screens of a list of products, which are no places."""

    def screen(self, *size, **environment):
        screen = super().screen(*size, **environment)
        # Short commands, so that a prompt and a command fit on one line.
        screen.run(f"cd {screen.directory}; clear")
        screen.wait(lambda text: text.rstrip() == "$")
        return screen

    def build(self, screen, name, records, *options):
        path = screen.write(name + ".jsonl", "".join(json.dumps(record) + "\n" for record in records))
        subprocess.run([SHARDQ, "build", path, "-i", os.path.join(screen.directory, name), *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def products(self, *size, options="", count=100, **environment):
        """A list of products that fills the window."""
        screen = self.screen(*size, **environment)
        self.build(screen, "p", [
            {"title": f"Kettle {number:03}", "price": number, "notes": "", "text": "long words " * 20 + "end",
             **{f"field{each:02}": each for each in range(25)}} for number in range(count)], "--key", "{title}")
        screen.run(f"shardq ui -i p {options}; echo status $?")
        screen.shows(f"1/{count} of {count}")
        return screen


class Preview(PickerTest):
    def test_the_record_of_a_list_that_is_no_place(self):
        screen = self.products(80, 24)
        first = screen.shows("title Kettle 000").split("\n")
        # Empty fields take no line, long ones are cut, and a sign says that there are more.
        self.assertNotIn("notes", "".join(first))
        self.assertIn("long words long words long wo", "".join(first))
        self.assertNotIn("end", "".join(first))
        self.assertIn(" 1/28", first[1])
        screen.keys("Down")
        screen.shows("title Kettle 001")
        screen.type("\x1b[1;2B\x1b[1;2B")
        screen.wait(lambda text: " 3/28" in text and "title Kettle" not in text)
        # Another record is shown from its beginning.
        screen.keys("Down")
        screen.wait(lambda text: " 1/28" in text and "title Kettle 002" in text)
        screen.type("\x1bw")
        screen.shows(" 1/34")
        self.assertIn("end", screen.text())
        screen.keys("Tab")
        screen.wait(lambda text: "title Kettle" not in text)
        screen.keys("Tab")
        screen.shows("title Kettle 002")

    def test_its_place_and_size(self):
        for value, isThere in [
            ("left,30", lambda lines: lines[1].startswith("title Kettle") and lines[1][31:].startswith("  1/100")),
            ("right:50%", lambda lines: lines[1][40:].startswith("title")),
            ("down,5", lambda lines: lines[19].startswith("title") and set(lines[18].strip()) == {"─"}),
            ("up,5,wrap", lambda lines: lines[2].startswith("title") and lines[8].startswith("> Kettle")),
            ("hidden", lambda lines: "title" not in "".join(lines)),
        ]:
            screen = self.products(80, 24, options=f"--preview-window {value}")
            screen.wait(lambda text: isThere(text.split("\n")))
            screen.close()
        for value in ["x", "0", "101%", "right,99x"]:
            done = subprocess.run([SHARDQ, "ui", "-i", CITIES, "--preview-window", value], capture_output=True, text=True)
            self.assertEqual(done.returncode, 64)
            self.assertIn("--preview-window: ", done.stderr)
            self.assertIn("choose right, left, up, down", done.stderr)

    def test_nothing_of_a_record_commands_the_terminal(self):
        screen = self.screen(80, 24)
        hostile = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e<script>&amp;\x00\r\nnext"
        self.build(screen, "h", [{"name": "a" + hostile, "b" + hostile: hostile * 40},
                                 {"name": "b", "text": "x" * 10_000_000}], "--key", "{name}")
        screen.run("shardq ui -i h --preview-window wrap")
        text = screen.shows("1/2 of 2")
        self.assertIn("\\u001b[2J", text)
        self.assertEqual(screen.tmux("display-message", "-p", "#{pane_title}").count("title"), 0)
        screen.keys("Down")
        screen.shows("text xxxxx")
        screen.type("\x1b[1;2B" * 3)
        screen.shows(" 4/1930")
        for size in [(1, 24), (2, 2), (5, 3), (80, 1), (80, 24)]:
            screen.tmux("resize-window", "-x", str(size[0]), "-y", str(size[1]))
            screen.wait(lambda text: text.startswith(">"))
        screen.keys("C-u", "Escape")
        screen.wait(lambda text: text.rstrip().endswith("$"))


class Information(PickerTest):
    def test_position_and_scrollbar(self):
        screen = self.products(80, 12, options="--preview-window hidden")
        bar = lambda text: [number for number, line in enumerate(text.split("\n")) if line[79:80] == "│"]
        screen.wait(lambda text: bar(text) == [2])
        screen.type("\x1b[1;5F")
        screen.shows("100/100 of 100")
        screen.wait(lambda text: bar(text) == [11])
        screen.type("kettle 00")
        screen.shows("1/10 of 100")
        screen.wait(lambda text: not bar(text))

    def test_costs_only_when_wanted(self):
        screen = self.products(80, 24)
        self.assertNotIn("shard", screen.text().split("\n")[1])
        screen.keys("C-_")
        screen.wait(lambda text: re.search(r"1/100 of 100 · [\d.]+ [µm]s · \d of \d shards?", text))
        screen.keys("C-_")
        screen.wait(lambda text: "shard" not in text.split("\n")[1])

    def test_a_correction_is_said(self):
        screen = self.screen(80, 24)
        records = [{"name": name, "w": 5} for name in ["London", "Paris", "Rome", "Berlin", "Madrid"]]
        self.build(screen, "r", records, "--key", "{name}", "--weight", "w", "--typos")
        screen.run("shardq ui -i r --preview-window hidden -q lodnon")
        screen.shows('1/1 of 5 · results for "London"')


class MapOfAList(PickerTest):
    def test_it_fits_the_records_and_the_matches(self):
        screen = self.screen(100, 30)
        towns = [("Sapporo", 43.06, 141.35), ("Tokyo", 35.68, 139.69), ("Osaka", 34.69, 135.5), ("Naha", 26.2, 127.7)]
        self.build(screen, "j", [{"name": name, "lat": lat, "lon": lon} for name, lat, lon in towns], "--key", "{name}")
        screen.run("shardq ui -i j")
        # From the south west to the north east, the map has dots at both ends.
        dots = lambda text: [(row, column) for row, line in enumerate(text.split("\n"))
                             for column, sign in enumerate(line) if column > 54 and ("⠀" < sign <= "⣿" or sign == "X")]
        screen.wait(lambda text: len(dots(text)) == 4 and max(dots(text))[0] - min(dots(text))[0] > 8)
        whole = screen.text()
        screen.type("o")
        screen.shows("1/1 of 4")
        screen.type("\x1bm")
        screen.shows(" matches")
        screen.type("\x1bm")
        screen.shows(" world")
        screen.keys("BSpace")
        screen.type("\x1bm")
        screen.wait(lambda text: text == whole)


if __name__ == "__main__":
    unittest.main()
