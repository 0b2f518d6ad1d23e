"""A test in a directory of its own, which runs the programs of $SHARDQ_BIN or bin/."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path(os.environ.get("SHARDQ_BIN") or ROOT / "bin").resolve()
SHARDQ = str(BIN / "shardq")


class Case(unittest.TestCase):
    """`self.directory` is empty at the start and removed at the end; commands run in it."""

    def setUp(self):
        self.directory = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def write(self, name, content):
        """Writes a file, with its folders, and returns its path."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_shardq(self, *arguments, input=None, environment=None, program=SHARDQ):
        """Runs `shardq` without the user's settings; returns the ended process, its output as text."""
        variables = {key: value for key, value in os.environ.items() if not key.startswith("SHARDQ_")}
        variables |= {"SHARDQ_CONFIG": "/dev/null", "SWIFT_BACKTRACE": "enable=no"} | (environment or {})
        return subprocess.run(
            [str(program), *map(str, arguments)], cwd=self.directory, env=variables, input=input,
            stdin=subprocess.DEVNULL if input is None else None, capture_output=True, text=True, timeout=60)

    def shardq(self, *arguments, status=0, **options):
        """Runs `shardq`, checks its status, and returns its standard output."""
        ended = self.run_shardq(*arguments, **options)
        self.assertEqual(ended.returncode, status, f"{arguments}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def refused(self, *arguments, status=64, **options):
        """Runs `shardq`, checks that it ends with `status`, and returns its standard error."""
        ended = self.run_shardq(*arguments, **options)
        self.assertEqual(ended.returncode, status, f"{arguments}: {ended.stdout}{ended.stderr}")
        return ended.stderr
