"""The first steps of a person with the command: each message names the line that does the meant work."""

import json
import subprocess
import unittest

from case import ROOT, SHARDQ, Case


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

    def test_an_id_in_the_place_of_a_file_of_ids(self):
        self.write("p.csv", "sku,name\nP-1,Lamp\nP-2,Desk\n")
        self.shardq("build", "-q", "p.csv", "--key", "{name}", "--id", "sku", "-i", "i")
        said = self.refused("update", "-i", "i", "--delete", "P-1", status=66)
        line = said.split("from a file: ")[1]
        subprocess.run(["sh", "-c", line.replace("shardq", f"'{SHARDQ}'")], cwd=self.directory, check=True, capture_output=True)
        self.assertEqual(self.shardq("-i", "i", "", "--fields", "sku"), "P-2\n")

    def test_every_object_has_the_version_of_its_members(self):
        self.write("cities.csv", "name,lat,lon\nParis,48.85,2.35\n")
        self.shardq("build", "-q", "cities.csv", "--key", "{name}", "-i", "i")
        for arguments in (["p", "--format", "geojson"], ["map", "--json", "p"], ["export", "--format", "geojson"], ["p", "--json"]):
            self.assertEqual(json.loads(self.shardq("-i", "i", *arguments))["schema"], 1, arguments)

    def test_verify_takes_the_options_of_the_build(self):
        self.build()
        options = ["--key", "{name}", "--weight", "people", "--words", "all", "--typos", "--filter", "country", "--id", "name", "--starts"]
        self.shardq("build", "-q", "cities.csv", "-i", "v", *options)
        self.shardq("verify", "-q", "-i", "v", "--source", "cities.csv", *options)

    def test_the_manual_names_no_other_system(self):
        subprocess.run(["python3", ROOT / "Scripts/manual.py", SHARDQ, self.directory / "man"], check=True)
        page = (self.directory / "man/shardq-stats.1").read_text()
        self.assertLess(page.index(".ds doc-volume-operating-system shardq"), page.index(".Dt "))

    def test_without_swift_the_first_command_says_what_to_install(self):
        ended = subprocess.run(
            ["/bin/sh", ROOT / "Scripts/try.sh", "lodnon"], env={"PATH": "/usr/sbin:/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 69, ended.stderr)
        self.assertRegex(ended.stderr, "^Swift is missing; install Swift")

    def test_make_ends_by_naming_the_packages_of_the_page(self):
        """A toolchain without the files for wasm32 leaves the page out."""
        swift = self.write("bin/swiftc", "#!/bin/sh\n")
        swift.chmod(0o755)
        ended = subprocess.run(
            ["make", "-C", ROOT, "all", "-o", "bin/shardq", "SERVER=", "REMOTE=", f"made={self.directory}/made",
             f"module={self.directory}/module"],
            env={"PATH": f"{swift.parent}:/usr/bin:/bin"}, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stderr.splitlines()[-1], "shardq page is left out: .*; install .* Swift toolchain")


if __name__ == "__main__":
    unittest.main()
