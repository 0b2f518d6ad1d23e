"""The forms in which an index with entries compares texts: docs/matching.md section 11.

- Plain form: a fold in which signs are white space, without white space at its end, and in which scalars that look alike
  are equal (Scripts/generate_lookalikes.py). Signs have the general category P or S (Scripts/generate_signs.py).
- Closed form: the same without ' - / & and full stops, but with symbols (category S, #, a full stop before a word).
- Spelled form: the plain form with "and" for &. A key has all of these forms; another name has the plain form, the
  closed form if that has symbols, and the spelled form.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "Scripts"))
import generate_lookalikes  # noqa: E402
import generate_signs  # noqa: E402
from oracle import SEPARATOR, SPACE, UNICODE  # noqa: E402

INNER, SYMBOLS, STOP = "'-/&", "#$+<=>^`|~", "."


def respaced(text):
    """Leaves out white space at the start, after white space and beside a separator."""
    parts = [SPACE.join(part.split()) for part in text.split(SEPARATOR)]
    return SEPARATOR.join(parts) + (SPACE if parts[-1] and text.endswith(SPACE) else b"")


def is_sign(letter):
    """Whether a character of a fold is punctuation or a symbol."""
    if letter.isascii():
        return letter not in "\1 " and not letter.isalnum() and letter.isprintable()
    return ord(letter) in generate_signs.classes(UNICODE)


def is_symbol(letter):
    if letter.isascii():
        return letter in SYMBOLS
    return generate_signs.classes(UNICODE).get(ord(letter)) == generate_signs.SYMBOL


def prepared(folded, separators):
    """The text with at most so many separators, the last ones, and with one scalar for those that look alike."""
    if separators is not None:
        surplus = max(0, folded.count(SEPARATOR) - separators)
        folded = folded.replace(SEPARATOR, SPACE, surplus)
    return folded.decode() if folded.isascii() else generate_lookalikes.replaced(folded.decode())


def spaced(folded, separators=None):
    """The plain form, with a space at its end if the text has one."""
    return respaced("".join(" " if is_sign(c) else c for c in prepared(folded, separators)).encode())


def spaced_closed(folded, separators=None):
    """The closed form, with such a space."""
    letters = ""
    for letter in prepared(folded, separators):
        if letter == STOP and letters[-1:] in ("", " ", "\1") or is_symbol(letter):
            letters += letter
        elif letter not in INNER + STOP:
            letters += " " if is_sign(letter) else letter
    return respaced(letters.encode())


def plain(folded, separators=None):
    return spaced(folded, separators).removesuffix(SPACE)


def closed(folded, separators=None):
    return spaced_closed(folded, separators).removesuffix(SPACE)


def with_and(folded):
    return folded.replace(b"&", b" and ")


def has_symbol(folded):
    return any(is_sign(letter) for letter in closed(folded).decode())


def forms_of(folded, separators):
    """The forms of a key, the plain one first."""
    return list(dict.fromkeys([
        plain(folded, separators), closed(folded, separators), plain(with_and(folded), separators)]))


def name_forms(folded):
    """The forms of another name, the plain one first."""
    symbols = [closed(folded, 0)] if has_symbol(folded) else []
    return list(dict.fromkeys([plain(folded, 0), *symbols, plain(with_and(folded), 0)]))
