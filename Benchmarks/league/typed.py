"""Made cases: texts that people type with errors, from a seed. Each is a pair of a text and the folded name it means.

The meant record is drawn by the root of its weight: people look for large places more often, but not only for them.
"""

import random

import texts

COUNT = 200
SURPLUS = ("city", "center", "map")


class Drawer:
    """Draws records of a list, and makes a text of each."""

    def __init__(self, records, seed, takes=texts.is_plain):
        """`takes` says which folded names are drawn: typing errors are defined for words of Latin letters."""
        self.random = random.Random(seed)
        self.names = {texts.fold(name) for record in records for name in (record.name, *record.others)}
        folded = ((texts.fold(record.name), record.weight) for record in records)
        self.pool = [(name, weight) for name, weight in folded if takes(name)]

    def cases(self, fits, make):
        """Distinct cases. `fits` says whether a name's words can be used, `make` makes a text of the words."""
        pool = [(name, weight) for name, weight in self.pool if fits(texts.words(name))]
        weights = [max(weight, 1) ** 0.5 for _, weight in pool]
        found = {}
        while len(found) < COUNT:
            (name, _), = self.random.choices(pool, weights)
            text = make(texts.words(name))
            # A text that is a name itself means the record of that name.
            if text and text not in self.names:
                found.setdefault(text, name)
        return list(found.items())


def two_words(words, second=4):
    return len(words) == 2 and len(words[0]) >= 4 and len(words[1]) >= second


def error_in_each(drawer):
    return drawer.cases(two_words, lambda words: " ".join(texts.mistyped(word, drawer.random) for word in words))


def second_cut(drawer):
    """The second word ends after four letters, with its error among them."""

    def make(words):
        return f"{texts.mistyped(words[0], drawer.random)} {texts.mistyped(words[1][:4], drawer.random)}"

    return drawer.cases(lambda words: two_words(words, 5), make)


def swapped(drawer):
    def make(words):
        place = drawer.random.randrange(2)
        typed = [texts.mistyped(word, drawer.random) if place == at else word for at, word in enumerate(words)]
        return " ".join(reversed(typed))

    return drawer.cases(two_words, make)


def surplus(drawer):
    def fits(words):
        return len("".join(words)) >= 4 and not set(words) & {*SURPLUS, "centre"}

    return drawer.cases(fits, lambda words: " ".join([*words, drawer.random.choice(SURPLUS)]))


def later_word(drawer):
    def fits(words):
        return len(words) >= 2 and len(words[-1]) >= 5

    return drawer.cases(fits, lambda words: texts.mistyped(words[-1], drawer.random))


def by_ear(drawer):
    def fits(words):
        return len("".join(words)) >= 7

    return drawer.cases(fits, lambda words: texts.misheard(" ".join(words), 2, drawer.random))


def number_first(drawer):
    """An address with its number in front and an error in a word of its street."""

    def make(words):
        *street, number = words
        place = max(range(len(street)), key=lambda at: len(street[at]))
        street[place] = texts.mistyped(street[place], drawer.random)
        return " ".join([number, *street])

    return drawer.cases(lambda words: True, make)


def behind_comma(records, seed):
    """The parts behind the last comma of names, each with the folded name it means.

    At most ten records have all words of a part: so an engine that finds all of them shows the meant one.
    """
    rows_of = {}
    for row, record in enumerate(records):
        for word in texts.words(record.name):
            rows_of.setdefault(word, set()).add(row)
    rows = [row for row, record in enumerate(records) if "," in record.name]
    random.Random(seed).shuffle(rows)
    found = []
    for row in rows:
        name = records[row].name
        words = texts.words(name.rsplit(",", 1)[1])
        first = texts.words(name.split(",")[0])
        if len("".join(words)) < 4 or words[: len(first)] == first:
            continue
        if len(set.intersection(*(rows_of[word] for word in words))) <= 10:
            found.append((" ".join(words), texts.fold(name)))
        if len(found) == COUNT:
            break
    return found
