#!/usr/bin/env python3
"""Runs the test classes of a directory, each in its own process, four at a time: Tests/side_by_side.py Tests/Terminal

The script suits tests that mostly wait. It ends with 1 if a test fails, or if there is no test.
"""

import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor


def classes(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from classes(test)
        else:
            yield f"{type(test).__module__}.{type(test).__qualname__}"


def run(name):
    return subprocess.run([sys.executable, "-m", "unittest", name], cwd=sys.argv[1], text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


loader = unittest.TestLoader()
names = list(dict.fromkeys(classes(loader.discover(sys.argv[1]))))
if loader.errors or not names:
    sys.exit("\n".join(loader.errors) or f"no tests in {sys.argv[1]}")
failed = []
with ThreadPoolExecutor(4) as pool:
    for name, done in zip(names, pool.map(run, names)):
        print(f"{name}:\n{done.stdout}", flush=True)
        if done.returncode != 0:
            failed.append(name)
sys.exit("failed: " + ", ".join(failed) if failed else 0)
