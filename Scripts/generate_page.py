#!/usr/bin/env python3
"""Joins the pieces of the search page, Sources/Page, into the one file that the server and `shardq page` ship.

    generate_page.py             write page.html and shardq-box.js of Sources/Programs/Serving/Resources
    generate_page.py --check     fail if a committed file differs from its sources

The markup is page.html. Its line for style.css becomes an element with the style. Its lines for the scripts become one
element with all scripts in their order, without `import`, `export` and lines of comments: their names share one scope.
The script refuses a piece that page.html leaves out, and a name that two pieces declare.

shardq-box.js is Sources/Hosts/Wasm/shardq-box.js without comments and indentation, and without spaces inside braces,
behind commas and colons and around operators, which no text of the box has.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PIECES = ROOT / "Sources/Page"
RESOURCES = ROOT / "Sources/Programs/Serving/Resources"
STYLE = '<link rel="stylesheet" href="style.css">\n'
SCRIPT = re.compile(r'<script type="module" src="(\w+\.js)"></script>\n')
DECLARED = re.compile(r"^(?:async )?(?:function\*? |const |let |class )(.*)", re.MULTILINE)


def piece(name):
    """The text of a script without its imports, exports and lines of comments."""
    text = re.sub(r"^import .*\n|^ *//.*\n|^ */\*\*(?s:.*?)\*/\n", "", (PIECES / name).read_text(), flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE).strip("\n") + "\n"


def declared(text):
    """The names that a script declares at its outermost level."""
    for line in DECLARED.findall(text):
        yield from re.findall(r"^\w+|(?<=, )\w+(?= = )", line) if " = " in line else [re.match(r"\w+", line)[0]]


def joined():
    markup = (PIECES / "page.html").read_text()
    names = SCRIPT.findall(markup)
    if sorted(names) != sorted(path.name for path in PIECES.glob("*.js")):
        sys.exit("Sources/Page/page.html does not name each script of its folder once")
    pieces = [piece(name) for name in names]
    owners = {}
    for name, text in zip(names, pieces):
        for word in declared(text):
            if owners.setdefault(word, name) != name:
                sys.exit(f"{owners[word]} and {name} both declare {word}")
    script = "<script>\n'use strict'\n\n" + "\n".join(pieces) + "</script>\n"
    markup = SCRIPT.sub("", markup.replace(STYLE, f"<style>\n{(PIECES / 'style.css').read_text()}</style>\n"))
    before, after = markup.split("</main>\n")
    return before + "</main>\n" + script + after


def box():
    text = re.sub(r"^ *//.*\n|^ */\*\*(?s:.*?)\*/\n|^\n", "", (ROOT / "Sources/Hosts/Wasm/shardq-box.js").read_text(), flags=re.MULTILINE)
    return re.sub(r"^ +|(?<=[{,;]) | (?=})|(?<=\w:) (?=[\w'#.])|(?<=\S) ?(=>|[=+&|?]+) ?", lambda found: found[1] or "", text, flags=re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if a committed file differs from its sources")
    shipped = {RESOURCES / "page.html": joined(), RESOURCES / "shardq-box.js": box()}
    if not parser.parse_args().check:
        for path, text in shipped.items():
            path.write_text(text)
    for path, text in shipped.items():
        if path.read_text() != text:
            sys.exit(f"{path} differs from its sources: run Scripts/generate_page.py")


if __name__ == "__main__":
    main()
