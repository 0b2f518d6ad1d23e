#!/usr/bin/env python3
"""Runs the test classes of a directory, each in its own process.

    Tests/side_by_side.py [--processes N] DIRECTORY [FILE...]

Four processes run at a time, which suits tests that mostly wait; tests that compute take two. With names of files, only
their classes run. The output of each class stands together, and the last line has the number of tests. The script ends
with 1 if a test fails, or if there is no test.
"""

import argparse
import re
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

parser = argparse.ArgumentParser()
parser.add_argument("--processes", type=int, default=4)
parser.add_argument("directory")
parser.add_argument("files", nargs="*", default=["test*.py"])
options = parser.parse_args()


def classes(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from classes(test)
        else:
            yield f"{type(test).__module__}.{type(test).__qualname__}"


def run(name):
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "unittest", name], cwd=options.directory, text=True, errors="replace",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done, time.monotonic() - began


names = {}
for pattern in options.files:
    loader = unittest.TestLoader()
    found = dict.fromkeys(classes(loader.discover(options.directory, pattern)))
    if loader.errors or not found:
        sys.exit("\n".join(loader.errors) or f"no tests in {options.directory}/{pattern}")
    names |= found
failed, tests, skipped = [], 0, 0
with ThreadPoolExecutor(options.processes) as pool:
    for name, (done, seconds) in zip(names, pool.map(run, names)):
        print(f"{name}, {seconds:.0f} s:\n{done.stdout}", flush=True)
        if done.returncode != 0:
            failed.append(name)
        # The summary is behind the output of the tests.
        ran = re.findall(r"^Ran (\d+) tests? in ", done.stdout, re.MULTILINE)
        tests += int(ran[-1]) if ran else 0
        left = re.findall(r"^(?:OK|FAILED) \(.*\bskipped=(\d+)", done.stdout, re.MULTILINE)
        skipped += int(left[-1]) if left else 0
end = f"; failed: {', '.join(failed)}" if failed else ""
print(f"Ran {tests} tests of {len(names)} classes, skipped {skipped}{end}")
sys.exit(1 if failed else 0)
