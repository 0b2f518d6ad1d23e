"""Runs the command of the Python package, installed from its wheel."""

import os
import subprocess
import tempfile
import unittest

import languages


class Package(unittest.TestCase):
    def test_command(self):
        """The environment's command builds and answers, by itself and by a link; it says which package other commands need."""
        program = os.path.join(os.path.dirname(languages.install()), "shardq")
        place = tempfile.mkdtemp(dir=languages.WORK)
        link = os.path.join(place, "link")
        os.symlink(program, link)
        with open(os.path.join(place, "list.csv"), "w") as file:
            file.write("name\nSan Jose\nLondon\n")
        def run(*arguments):
            return subprocess.run(arguments, cwd=place, env={"HOME": place}, capture_output=True, text=True)
        built = run(program, "build", "-i", "list", "list.csv")
        self.assertEqual(built.returncode, 0, built.stderr)
        for start in (program, link):
            self.assertEqual(run(start, "-i", "list", "lon").stdout, "London\n")
            self.assertIn("records   2\n", run(start, "stats", "-i", "list").stdout)
        for arguments, package in ((["serve"], "shardq-serve"), (["-i", "http://127.0.0.1:1/list/", "lon"], "shardq-remote")):
            refused = run(program, *arguments)
            self.assertEqual(refused.returncode, 66)
            self.assertIn(f"install the package {package}", refused.stderr)

    def test_sizes(self):
        self.assertLess(os.path.getsize(languages.wheel("shardq_core")), 1_000_000)
        if "/.build/" in languages.PROGRAM:
            self.skipTest("the command is no shipped program")
        self.assertLess(os.path.getsize(languages.wheel()), 11_500_000)
