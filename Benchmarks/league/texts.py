"""Texts: the fold by which answers are judged, words, typing errors and spellings by ear.

The fold is not shardq's own: a judge that shared its fold would not see the fold's faults.
"""

import unicodedata

# Letters that have no decomposition in Unicode.
LETTERS = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th",
})  # fmt: skip
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
# Pairs of spellings with the same or nearly the same sound.
SOUNDS = (
    ("ph", "f"), ("ck", "k"), ("c", "k"), ("k", "c"), ("y", "i"), ("i", "y"), ("ie", "ei"), ("ei", "ie"), ("z", "s"),
    ("s", "z"), ("v", "w"), ("w", "v"), ("th", "t"), ("qu", "kw"), ("x", "ks"), ("ou", "u"), ("oo", "u"), ("ee", "i"),
    ("ai", "ei"), ("ae", "e"), ("oe", "e"), ("sch", "sh"), ("gh", "g"), ("dt", "t"), ("tz", "z"), ("aa", "a"),
    ("bb", "b"), ("dd", "d"), ("ff", "f"), ("gg", "g"), ("ll", "l"), ("mm", "m"), ("nn", "n"), ("pp", "p"),
    ("rr", "r"), ("ss", "s"), ("tt", "t"), ("e", "a"), ("a", "e"), ("o", "u"), ("u", "o"), ("b", "p"), ("d", "t"),
)  # fmt: skip


def fold(text):
    """The text without case, accents and outer spaces."""
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    return "".join(character for character in decomposed if not unicodedata.combining(character)).strip()


def words(text):
    """The runs of letters and digits of the fold."""
    return "".join(character if character.isalnum() else " " for character in fold(text)).split()


def is_plain(text):
    """Whether the text is words of Latin letters with single spaces: typing errors are defined for these."""
    return text.isascii() and text.replace(" ", "").isalpha() and text == " ".join(text.split())


def neighbours(letter):
    """The letters beside a letter on the keyboard, in its row and in the rows above and below."""
    found = []
    for number, row in enumerate(ROWS):
        if letter not in row:
            continue
        place = row.index(letter)
        for other, offsets in ((number, (-1, 1)), (number - 1, (0, 1)), (number + 1, (-1, 0))):
            if 0 <= other < len(ROWS):
                found += [ROWS[other][place + by] for by in offsets if 0 <= place + by < len(ROWS[other])]
    return found


def mistyped(word, random):
    """The word with one typing error behind its first letter.

    The error is a neighbour on the keyboard, a missing letter, a doubled letter, an extra neighbour or an exchange.
    """
    while True:
        place = random.randrange(1, len(word))
        before, letter, after = word[:place], word[place], word[place + 1 :]
        beside = random.choice(neighbours(letter))
        typed = random.choice((
            before + beside + after,
            before + after,
            before + letter + letter + after,
            before + letter + beside + after,
            before + after[:1] + letter + after[1:],
        ))
        if typed != word:
            return typed


def misheard(text, changes, random):
    """The text with so many spellings replaced by others of the same sound, or None where it has too few."""
    places = [
        (place, old, new)
        for old, new in SOUNDS
        for place in range(1, len(text))
        if text.startswith(old, place)
    ]
    random.shuffle(places)
    chosen = []
    for place, old, new in places:
        if all(place + len(old) <= other or other + len(taken) <= place for other, taken, _ in chosen):
            chosen.append((place, old, new))
        if len(chosen) == changes:
            for at, spelling, sound in sorted(chosen, reverse=True):
                text = text[:at] + sound + text[at + len(spelling) :]
            return text
    return None
