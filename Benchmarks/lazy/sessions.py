"""Typed sessions and texts of a list, from a seeded generator.

A session has the beginnings of a text, from its first letter to its fifth to ninth. The text is a name, the later words
of a name, or a name with one error. Names are drawn by Zipf's law with the exponent 0.9, in the order of weights.
"""

import bisect
import itertools
import random

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SESSIONS = 150  # Of each kind; a mixed log has a third of each kind.
KINDS = ("names", "later words", "one error")


class Typist:
    """Draws names of a list. Records are (name, weight, value of the filter)."""

    def __init__(self, records, is_weighted, seed):
        self.random = random.Random(seed)
        kept = sorted((record for record in records if len(record[0]) >= 4), key=lambda record: -record[1])
        if not is_weighted:
            self.random.shuffle(kept)
        self.records = kept
        self.sums = list(itertools.accumulate(1 / (place + 1) ** 0.9 for place in range(len(kept))))

    def record(self):
        return self.records[bisect.bisect(self.sums, self.random.random() * self.sums[-1])]

    def name(self):
        return self.record()[0]

    def with_error(self, text):
        """The text with two letters exchanged, or with one left out, inserted or replaced, behind the first letter."""
        place, kind = self.random.randrange(1, len(text) - 1), self.random.randrange(4)
        before, after = text[:place], text[place + 1 :]
        if kind == 0:
            return before + text[place + 1] + text[place] + text[place + 2 :]
        if kind == 1:
            return before + after
        if kind == 2:
            return before + self.random.choice(LETTERS) + text[place:]
        return before + self.random.choice(LETTERS) + after

    def session(self, kind):
        while True:
            text = self.name()
            if kind == "later words":
                words = text.split()
                if len(words) < 2 or len(words[1]) < 4:
                    continue
                text = " ".join(words[1:])
            if kind == "one error":
                if len(text) < 5:
                    continue
                text = self.with_error(text)
            size = min(len(text), self.random.randrange(5, 10))
            return [text[:end] for end in range(1, size + 1)]


def sessions(records, is_weighted):
    """The sessions of each kind. With this seed the sessions are those of the bounds."""
    typist = Typist(records, is_weighted, 4711)
    return {kind: [typist.session(kind) for _ in range(SESSIONS)] for kind in KINDS}


def mixed(of_kinds, count):
    """As many sessions, a third of each kind."""
    return [session for kind in KINDS for session in of_kinds[kind][: count // len(KINDS)]]


def log_of(played):
    """A log of typing, as `Benchmarks/far/sessions.mjs` reads it."""
    return "".join("".join(f"0\t{text}\n" for text in texts) + "0\t\n" for texts in played)


# The texts of the measures of parts and times, by kind.
TEXTS = ("beginning", "one error", "two errors", "any order")


class Texts:
    """Texts of one kind after another, each kind with a generator of its own."""

    def __init__(self, records, is_weighted):
        self.records, self.is_weighted = records, is_weighted

    def of(self, kind, count):
        typist = Typist(self.records, self.is_weighted, f"texts {kind}")
        make = getattr(self, kind.replace(" ", "_"))
        found = []
        # A list may have too few such texts: one of single words has no second words.
        for _ in range(1000 * count):
            if len(found) == count:
                break
            text = make(typist, typist.name())
            if text:
                found.append(text)
        return found

    def beginning(self, typist, name):
        """One to six letters of a name."""
        return name[: typist.random.randrange(1, 7)].strip()

    def one_error(self, typist, name):
        """The first five to seven letters of a name, with an error in them."""
        return self.mistyped(typist, name[: typist.random.randrange(5, 8)], 5, 1)

    def two_errors(self, typist, name):
        """The first nine to twelve letters of a name whose first word is as long, with two errors in them."""
        return self.mistyped(typist, name.split()[0][: typist.random.randrange(9, 13)], 9, 2)

    def mistyped(self, typist, text, least, errors):
        """The text with errors; None for a text of fewer letters, or if the errors give the same text."""
        if len(text) < least or not text.isalpha():
            return None
        wrong = text
        for _ in range(errors):
            wrong = typist.with_error(wrong)
        return wrong if wrong != text else None

    def any_order(self, typist, name):
        """The first two words of a name, the second before the first."""
        words = name.split()
        return f"{words[1]} {words[0]}" if len(words) > 1 and min(map(len, words[:2])) > 2 else None

    def three_words(self, typist, name):
        """The first three words of a name, the last one half typed."""
        words = name.split()
        return " ".join([*words[:2], words[2][: (len(words[2]) + 1) // 2]]) if len(words) > 2 else None


# Texts that took the most parts of many hand-written ones, each with the value of the filter.
HARD = (
    ("villanueva", ""), ("villanuva", ""), ("villanuva", "FR"), ("de la villa san", ""), ("bucurset", "FR"),
    ("warzsawa", "FR"), ("makangos", ""), ("bakanaas", ""), ("michelbach wal", ""),
    ("santiago iwaki springfield khadki del rahatgarh", ""), ("lodnon", ""), ("london", ""),
)  # fmt: skip


def at_random(records, is_weighted, count):
    """Texts of all kinds in turn; of each four, two have a filter: the record's value, and another record's."""
    texts = Texts(records, is_weighted)
    typists = [Typist(records, is_weighted, f"at random {kind}") for kind in TEXTS]
    makes = [getattr(texts, kind.replace(" ", "_")) for kind in TEXTS]
    found = []
    while len(found) < count:
        typist, make = typists[len(found) % len(TEXTS)], makes[len(found) % len(TEXTS)]
        # Records count the same here, as the most parts are of seldom names.
        record = typist.random.choice(typist.records)
        text = make(typist, record[0])
        if text:
            turn = len(found) // len(TEXTS) % 4
            value = typist.random.choice(typist.records)[2] if turn == 3 else record[2] if turn == 2 else ""
            found.append((text, value))
    return found
