#!/usr/bin/env python3
"""Prints the code of the library's documentation as one Swift file, which compiles: Scripts/article-code.py

Each `swift` block of an article and of README.md becomes a function. Each step of the tutorial becomes a type in a
namespace, but the last step, which is a file of its own. Blocks with SwiftUI are left out. Scripts/check-consumer.sh
compiles the file.
"""

import glob
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CATALOGUE = os.path.join(ROOT, "Sources", "ShardedIndex", "ShardedIndex.docc")
FENCE = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        code = match.group(1)
        if "import ShardedIndex" in code:
            # The README's: lines of the manifest, as comments, and then a file.
            code = "".join(line for line in code.splitlines(True) if not line.startswith(("//", "import ")))
        yield line, code


def main():
    print("import SearchModel\nimport ShardedIndex\n")
    count = 0
    for path in sorted(glob.glob(os.path.join(CATALOGUE, "*.md"))) + [os.path.join(ROOT, "README.md")]:
        for line, code in blocks(path):
            count += 1
            print(f'#sourceLocation(file: "{os.path.relpath(path, ROOT)}", line: {line})')
            effects = "async throws" if "await " in code else "throws"
            actor = "@MainActor " if "SearchModel(" in code else ""
            print(f"{actor}func block{count}() {effects} {{\n{code}}}\n#sourceLocation()\n")
    steps = sorted(glob.glob(os.path.join(CATALOGUE, "Resources", "search-*.swift")))
    for number, path in enumerate(steps[:-1], 1):
        with open(path, encoding="utf-8") as file:
            code = "".join(line for line in file if not line.startswith("import "))
        print(f"enum Step{number} {{\n{textwrap.indent(code.strip(), '  ')}\n}}\n")
    if count < 8 or len(steps) < 2:
        sys.exit("there is less code in the documentation than this script knows of: has a directory moved?")


main()
