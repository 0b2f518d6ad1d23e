"""Tests the key of shardq ui that chooses filters, in tmux: Tests/side_by_side.py Tests/Terminal"""

import json
import os
import re
import subprocess
import unittest

from test_picker import PickerTest
from test_terminal import SHARDQ


class Filters(PickerTest):
    """Ctrl-X lists the fields to filter by, then the values of one; Enter filters by a value, or no longer."""

    RECORDS = [
        {"name": f"Kettle {number:02}", "w": 100 - number, "brand": ["Alma", "Zoë", "Alba", "Bo"][min(number % 6, 3)],
         "tags": ["new", "old"][: 1 + number % 2], "price": number} for number in range(24)]
    OPTIONS = ["--key", "{name}", "--weight", "w", "--filter", "brand", "--filter", "tags", "--number", "price"]

    def opened(self, options="", records=None, build=None, size=(72, 14)):
        screen = self.screen(*size)
        self.build(screen, "f", records or self.RECORDS, *(build or self.OPTIONS))
        screen.run(f"shardq ui -i f --preview-window hidden {options} > out; echo status $?")
        screen.shows(" of ")
        return screen

    def shown(self, screen, *lines):
        """Waits for the first lines of the screen, without the scrollbar."""
        screen.wait(lambda text: [line.rstrip(" │") for line in text.split("\n")[: len(lines)]] == list(lines))

    def value(self, mark, text, count, columns=71):
        return (mark + text).ljust(columns - len(count)) + count

    def test_a_value_is_chosen_and_removed(self):
        screen = self.opened()
        screen.type("kettle")
        screen.shows("1/24 of 24")
        screen.keys("C-x")
        self.shown(screen, "filter by:", "  1/3 fields", "> brand" , "  tags", "  price", "")
        screen.keys("Enter")
        self.shown(screen, "brand:", "  1/4 values of brand", self.value("> ", "Bo", "12"), self.value("  ", "Alba", "4"),
                   self.value("  ", "Alma", "4"), self.value("  ", "Zoë", "4"), "")
        # The values are those of the command.
        facets = json.loads(subprocess.run([SHARDQ, "facets", "brand", "-i", os.path.join(screen.directory, "f"), "--json"],
                                           capture_output=True, text=True, check=True).stdout)["values"]
        self.assertEqual([(each["value"], each["count"]) for each in facets], [("Bo", 12), ("Alba", 4), ("Alma", 4), ("Zoë", 4)])
        screen.type("al")
        self.shown(screen, "brand: al", "  1/2 values of brand", self.value("> ", "Alba", "4"), self.value("  ", "Alma", "4"), "")
        screen.keys("Down", "Enter")
        self.shown(screen, "> kettle", "  1/4 of 24 · brand=Alma", "> Kettle 00", "  Kettle 06")
        # Another value of the field widens the answer, and the field counts as if it had no filter.
        screen.keys("C-x")
        self.shown(screen, "filter by:", "  1/3 fields · brand=Alma", ">*brand: Alma")
        screen.keys("Enter")
        self.shown(screen, "brand:", "  1/4 values of brand · brand=Alma", self.value("> ", "Bo", "12"),
                   self.value("  ", "Alba", "4"), self.value(" *", "Alma", "4"))
        screen.type("z")
        screen.keys("Enter")
        self.shown(screen, "> kettle", "  1/8 of 24 · brand=Alma · brand=Zoë", "> Kettle 00", "  Kettle 01", "  Kettle 06")
        # A filter of another field narrows the values of this one.
        screen.keys("C-x", "Down", "Enter", "Down", "Enter")
        self.shown(screen, "> kettle", "  1/4 of 24 · brand=Alma · brand=Zoë · tags=old", "> Kettle 01")
        screen.keys("C-x", "Enter")
        # No old one is of Alma, which stands above the values that have matches.
        self.shown(screen, "brand:", "  1/3 values of brand · brand=Alma · brand=Zoë · tags=old", ">*Alma",
                   self.value("  ", "Bo", "8"), self.value(" *", "Zoë", "4"), "")

    def test_a_chosen_value_without_matches_can_be_removed(self):
        screen = self.opened("--filter brand=none --filter brand=BO")
        screen.shows("1/12 of 24 · brand=none · brand=BO")
        screen.keys("C-x", "Enter")
        self.shown(screen, "brand:", "  1/5 values of brand · brand=none · brand=BO", ">*none", self.value(" *", "Bo", "12"))
        screen.keys("Enter")
        screen.shows("1/12 of 24 · brand=BO")
        screen.keys("C-x", "Enter", "Enter")
        self.shown(screen, ">", "  1/24 of 24", "> Kettle 00")
        screen.keys("Enter")
        screen.shows("status 0")

    def test_the_list_is_left_without_a_change(self):
        screen = self.opened("--filter tags=old --expect ctrl-o -m")
        screen.type("kettle 1")
        screen.shows("1/5 of 24 · tags=old")
        for key in ["Escape", "C-x", "C-c", "C-g", "C-d"]:
            screen.keys("C-x")
            screen.shows("filter by:")
            # Keys that choose, select or print records do nothing here.
            screen.keys("C-o", "C-y", "Tab", "BTab")
            screen.keys(key)
            self.shown(screen, "> kettle 1", "  1/5 of 24 · tags=old")
        # Keys that come together end with the text that was there before.
        screen.type("\x18\rkettle 1")
        self.shown(screen, "brand: kettle 1", "  0 values of brand · tags=old", "  no value begins with this text")
        screen.keys("Escape")
        self.shown(screen, "> kettle 1", "  1/5 of 24 · tags=old")
        # A text that no field or value has.
        screen.keys("C-x")
        screen.type("zz")
        self.shown(screen, "filter by: zz", "  0 fields · tags=old", "  no field begins with this text")
        screen.keys("Enter", "BSpace", "BSpace", "Enter")
        screen.type("zz")
        self.shown(screen, "brand: zz", "  0 values of brand · tags=old", "  no value begins with this text")
        screen.keys("F1")
        screen.shows("leave without a record")
        screen.keys("F1")
        self.shown(screen, "brand: zz")
        screen.keys("Enter", "Escape")
        self.shown(screen, "> kettle 1", "  1/5 of 24 · tags=old")
        screen.keys("Enter")
        screen.shows("status 0")

    def test_ranges_of_numbers(self):
        screen = self.opened("--sort=-price")
        screen.keys("C-x", "End", "Down", "Down", "Enter")
        screen.wait(lambda text: text.startswith("price:") and "1/8 values of price · sort -price" in text)
        ranges = [line.split() for line in screen.lines()[2:10]]
        self.assertEqual(sum(int(each[-1]) for each in ranges), 24)
        screen.type("20..")
        screen.shows("> 20..")
        screen.type("22")
        self.shown(screen, "price: 20..22", "  1/9 values of price · sort -price", "> 20..22")
        screen.keys("Enter")
        self.shown(screen, ">", "  1/3 of 24 · price=20..22 · sort -price", "> Kettle 22", "  Kettle 21", "  Kettle 20", "")
        screen.keys("C-x", "Down", "Down", "Enter")
        screen.shows(">*20..22")
        screen.keys("Enter")
        screen.shows("1/24 of 24 · sort -price")
        # A text that is no range is no row.
        screen.keys("C-x", "Down", "Down", "Enter")
        screen.type("x")
        screen.shows("1/8 values of price")

    def test_bindings_help_and_an_index_without_filters(self):
        screen = self.opened("--bind f2:filters,ctrl-x:ignore", build=["--key", "{name}", "--filter", "brand"])
        screen.keys("C-x", "F2")
        # One field has no list of fields.
        self.shown(screen, "brand:", "  1/4 values of brand")
        screen.keys("F2", "F1")
        screen.shows("leave without a record")
        screen.type("\x1b[1;5F")
        screen.wait(lambda text: re.search(r"\n  f2 {26}filter by a value, or remove the filter", text))
        screen.close()
        screen = self.opened(build=["--key", "{name}"])
        screen.keys("C-x")
        self.shown(screen, ">", "  the index has no filters; build it with --filter or --number", "> Kettle 00")
        screen.type("kettle 2")
        screen.shows("1/4 of 24")
        screen.close()
        screen = self.opened("--sort key")
        screen.keys("C-x")
        screen.shows("filters go with --sort rank; leave out --sort key")

    def test_lines_for_screen_readers(self):
        screen = self.opened("--plain", size=(100, 30))
        screen.keys("C-x")
        screen.shows("\nfilter by: brand, 1/3 fields\n")
        screen.keys("Enter")
        screen.shows("\nbrand: Bo, 12 matches, 1/4 values of brand\n")
        screen.keys("Enter")
        screen.shows("\nConditions: brand=Bo\n1 of 1+, Kettle 03\n")
        screen.keys("C-x")
        screen.shows("\nfilter by: brand: Bo, 1/3 fields\n")
        screen.keys("Enter")
        screen.shows("\nbrand: Bo, 12 matches, selected, 1/4 values of brand\n")
        screen.keys("Escape")
        screen.wait(lambda text: text.count("\n1 of 1+, Kettle 03\n") == 2)
        screen.keys("C-c")
        screen.shows("status 130")
        screen.run("clear; shardq build -q -i g --key '{name}' f.jsonl; shardq ui -i g --plain")
        screen.shows("1 of 24, Kettle 00")
        screen.keys("C-x")
        screen.shows("\nthe index has no filters; build it with --filter or --number\n")

    def test_hostile_values(self):
        hostile = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\x00\r\nnext"
        field = hostile.replace("\x00", "")
        records = [{"name": f"a{number}", field: "é" + "\u0301" * 100_000, "v": value} for number, value in enumerate(
            [hostile, "x" * 1_000_000, "مكة", "=", " ", "x=y"])]
        screen = self.opened(records=records, build=["--key", "{name}", "--filter", "v", "--filter", field])
        screen.keys("C-x")
        screen.shows("\\u001b[2J")
        screen.keys("Enter")
        text = screen.shows("values of v")
        self.assertIn("\\u001b[2J", text)
        self.assertIn("xxxxx…", text)
        for value, named in [("xx", "v=" + "x" * 35 + "..."), ("x=", "v=x=y"), ("[2J", "v=\\u001b[2J\\u001b]0;title\\u0007")]:
            screen.type(value)
            screen.shows("1/1 values of v")
            screen.keys("Enter")
            screen.shows("1/1 of 6 · " + named)
            screen.keys("C-x", "Enter")
            screen.shows("values of v")
            screen.type(value)
            screen.shows("1/1 values of v")
            screen.keys("Enter")
            screen.shows("1/6 of 6")
            screen.keys("C-x", "Enter")
            screen.shows("1/6 values of v")
        self.assertEqual(screen.tmux("display-message", "-p", "#{pane_title}").count("title"), 0)
        for size in [(1, 24), (2, 2), (5, 3), (23, 4), (72, 1), (72, 14)]:
            screen.tmux("resize-window", "-x", str(size[0]), "-y", str(size[1]))
            screen.wait(lambda text: text.startswith("v") and all(
                len(line.translate({0x2068: "", 0x2069: ""})) <= size[0] for line in text.split("\n")))
        screen.keys("Escape")
        screen.shows("1/6 of 6")
        screen.keys("Escape")
        screen.shows("status 130")

    def test_many_values(self):
        records = [{"name": f"a {number}", "id": f"{number:06}"} for number in range(100_000)]
        screen = self.opened(records=records, build=["--key", "{name}", "--filter", "id"])
        # No table has so many values; the matches that the list counts are the first 10,000.
        screen.keys("C-x")
        screen.shows("1/100+ values of id")
        screen.keys("NPage", "NPage")
        screen.shows("23/100+ values of id")
        screen.type("00123")
        screen.shows("1/10 values of id")
        screen.keys("Enter")
        screen.shows("1/1 of 100,000 · id=001230")

    def test_a_row_has_the_number_of_its_others(self):
        screen = self.opened("--group brand")
        self.shown(screen, ">", "  1/4 of 24 · group brand", "> Kettle 00 (+3)", "  Kettle 01 (+3)", "  Kettle 02 (+3)",
                   "  Kettle 03 (+11)", "")
        index = os.path.join(screen.directory, "f")
        lines = subprocess.run([SHARDQ, "query", "", "-i", index, "--group", "brand", "--format", "text"],
                               capture_output=True, text=True, check=True).stdout.split("\n")
        self.assertEqual(lines[:4], [f"Kettle 0{number} (+{others})" for number, others in enumerate([3, 3, 3, 11])])
        screen.type("kettle 2")
        self.shown(screen, "> kettle 2", "  1/2 of 24 · group brand", "> Kettle 20", "  Kettle 21 (+2)", "")
        screen.keys("Enter")
        screen.shows("status 0")
        with open(os.path.join(screen.directory, "out"), encoding="utf-8") as file:
            self.assertTrue(file.read().startswith("Kettle 20\t"))


if __name__ == "__main__":
    unittest.main()
