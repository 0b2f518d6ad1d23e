"""The first steps of a person with the command: each message names the line that does what was meant."""

import unittest

from case import Case


class FirstSteps(Case):
    def build(self):
        self.write("cities.csv", "name,country,state,people\nParis,FR,,9\nPisa,IT,PI,2\nPerth,AU,WA,5\n")
        self.shardq("build", "-q", "cities.csv", "--key", "{name}", "--filter", "country", "--filter", "state", "-i", "i")

    def test_a_filter_by_another_field_names_the_filters(self):
        self.build()
        for field in ("people", "Country"):
            said = self.refused("-i", "i", "p", "--filter", field + "=9")
            self.assertIn(f"no filter by {field}, but by country, state;", said)
            self.assertIn(f"--filter {field}", said)
        self.shardq("build", "-q", "cities.csv", "--key", "{name}", "--weight", "people", "-i", "plain")
        self.assertIn("has no filters", self.refused("-i", "plain", "p", "--filter", "country=FR"))

    def test_a_text_that_begins_with_a_command_names_the_line_that_searches(self):
        self.write("names.txt", "Key West\nWarm Springs\nSearch Hill\n")
        self.shardq("build", "-q", "names.txt", "--input-format", "lines", "-i", "i")
        for words in (["key", "west"], ["warm", "springs"], ["-i", "i", "key", "west"]):
            said = self.refused(*words)
            self.assertRegex(said, r"To search for this text: shardq (-i i )?-- " + " ".join(words[-2:]) + "\n$")
            line = said.rsplit("shardq ", 1)[1].split()
            self.assertIn(" ".join(words[-2:]).title(), self.shardq(*([] if "-i" in line else ["-i", "i"]), *line))
        # An error of a command's options is no text.
        self.assertNotIn("To search", self.refused("stats", "--formt", "x"))

    def test_the_word_search_is_taken_as_meant(self):
        self.write("names.txt", "London\nSearch Hill\n")
        self.shardq("build", "-q", "names.txt", "--input-format", "lines", "-i", "i")
        said = self.refused("-i", "i", "search", "london")
        line = said.split("did you mean shardq ")[1].split("?")[0].split()
        self.assertIn("London", self.shardq(*line))
        self.assertIn("Search Hill", self.shardq("-i", "i", "search", "hill"))


if __name__ == "__main__":
    unittest.main()
