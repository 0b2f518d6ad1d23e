"""Writes a file that a script generates, or compares the committed file with it."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).parent.parent


def write_or_check(path, code, is_check):
    """Writes `code` to a file of the repository; with `is_check` ends with an error if the file has other bytes."""
    target, code = ROOT / path, code.encode()
    if not is_check:
        target.write_bytes(code)
    elif not target.exists() or target.read_bytes() != code:
        sys.exit(f"{target.name} is not the file that this script writes; run it without --check")
