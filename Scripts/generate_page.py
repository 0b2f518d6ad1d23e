#!/usr/bin/env python3
"""Joins the pieces of the search page, Sources/Page, into the one file that the server and `shardq page` ship.

    generate_page.py             write Sources/Programs/Serving/Resources/page.html
    generate_page.py --check     fail if the committed file differs from the pieces

The markup is page.html. Its line for style.css becomes an element with the style. Its lines for the scripts become one
element with all scripts in their order, without `import`, `export` and lines of comments: their names share one scope.
The script refuses a piece that page.html leaves out, and a name that two pieces declare.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PIECES = ROOT / "Sources/Page"
SHIPPED = ROOT / "Sources/Programs/Serving/Resources/page.html"
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if the committed file differs from the pieces")
    page = joined()
    if not parser.parse_args().check:
        SHIPPED.write_text(page)
    elif SHIPPED.read_text() != page:
        sys.exit(f"{SHIPPED} is not the joined pieces: run Scripts/generate_page.py")


if __name__ == "__main__":
    main()
