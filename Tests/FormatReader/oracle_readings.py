"""The oracle's readings of a text: docs/tiers.md section 3.

`readings` makes them from a text, filters and the tables of an index; `answered` asks an oracle for the text and for
them. The tables are made of the lines of the files that a build gets, and of the records. Nothing here reads the
settings in which an index keeps them: `names_setting` and `synonyms_setting` make these, for comparison.
"""

import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from oracle import KEY_RULES, Oracle, Query, Rank, fold, words_in  # noqa: E402
from oracle_edits import MOST_EDITS, edits_of  # noqa: E402
from oracle_features import FeatureOracle, FeatureQuery, KeyTexts, values_in  # noqa: E402
from oracle_forms import plain  # noqa: E402

MOST_WORDS = 8  # of a text with readings
MOST_READINGS = 8  # by names, and by synonyms
MOST_VALUES = 16  # readings by values as they stand
LEAST_BEGINNING = 2  # bytes of a name that is not typed to its end
VALUE_SIZES = (1, 2, 3)  # words of a value

Filters = dict[str, list[str]]
Pair = tuple[str, str]


# The tables


class Name(NamedTuple):
    """Another name of a value. The condition is a field and a value."""

    value: str
    name: str
    condition: Pair | None = None


class Tables(NamedTuple):
    """What an index knows about words: fields of filters in order, names by field, and synonyms."""

    fields: list[str]
    names: dict[str, list[Name]]
    synonyms: list[Pair]


def plain_of(text: str) -> bytes:
    """The plain form of words, without commas."""
    return plain(fold(text), 0)


def is_content(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def names_of(lines: Iterable[str]) -> list[Name]:
    """The rows of a file of names, in the order of a table; of rows that are the same the first stays."""
    rows = []
    for line in filter(is_content, lines):
        value, name, *condition = (part.strip() for part in line.split("\t"))
        rows.append(Name(value, name, tuple(condition[0].split("=", 1)) if condition else None))
    return sorted({(row.value, plain_of(row.name), row.condition): row for row in reversed(rows)}.values(),
                  key=lambda row: (plain_of(row.name), rows.index(row)))


def synonyms_of(lines: Iterable[str]) -> list[Pair]:
    """The phrases of a file of synonyms, each with a text that replaces it, in the file's order."""
    pairs = []
    for line in filter(is_content, lines):
        left, arrow, right = line.partition("=>")
        phrases = [text.strip() for text in left.split(",")]
        others = [text.strip() for text in right.split(",")] if arrow else phrases
        pairs += [
            (phrase, other) for i, phrase in enumerate(phrases) for j, other in enumerate(others) if arrow or i != j]
    found = {}
    for phrase, other in pairs:
        if plain_of(phrase) != plain_of(other):
            found.setdefault((plain_of(phrase), other), (phrase, other))
    return list(found.values())


def names_setting(rows: list[Name]) -> bytes:
    """docs/format.md section 3.6: the setting `names PATH` of a table."""
    lines = [plain_of(row.name) + b"\t" + row.value.encode() + (
        "\t{}={}".format(*row.condition).encode() if row.condition else b"") for row in rows]
    return b"".join(line + b"\n" for line in lines)


def synonyms_setting(pairs: list[Pair]) -> bytes:
    """The setting `synonyms`: sorted by phrases, each with its texts in the order of the file."""
    lines = sorted(((plain_of(phrase), other) for phrase, other in pairs), key=lambda pair: pair[0])
    return b"".join(phrase + b"\t" + other.encode() + b"\n" for phrase, other in lines)


# Readings


class Reading(NamedTuple):
    """A text and filters to search for; `made` are the filters that its value words became."""

    text: str
    filters: Filters
    made: dict[str, str]
    by: str

    @property
    def identity(self) -> tuple:
        return self.text, frozenset((field, frozenset(map(fold, values))) for field, values in self.filters.items())

    @property
    def interpretation(self) -> dict:
        typed = Typed.of(self.text)
        text = typed.slice(0, len(typed.words))
        return {"text": text, "filter": self.made} if self.made else {"text": text}


class Typed(NamedTuple):
    """A text as words, each behind the white space and the commas before it, and the rest behind the last."""

    words: tuple[Pair, ...]
    tail: str

    @classmethod
    def of(cls, text: str) -> "Typed":
        *words, (tail, _) = words_in(text)
        return cls(tuple(words), tail)

    def slice(self, first: int, last: int) -> str:
        """From a word's first character to another's last one."""
        return "".join(gap * (i > 0) + word for i, (gap, word) in enumerate(self.words[first:last]))

    @property
    def text(self) -> str:
        return self.slice(0, len(self.words)) + self.tail


class State(NamedTuple):
    """The words that are left, as a range, the filters so far, and those of value words."""

    first: int
    last: int
    filters: Filters
    made: dict[str, str]

    def narrowed(self, first: int, last: int, pairs: Iterable[Pair]) -> Iterator["State"]:
        """Fewer words, and more filters: a value must be one of those that its field has, and takes their place."""
        filters, made = dict(self.filters), dict(self.made)
        for field, value in pairs:
            if field in filters and fold(value) not in map(fold, filters[field]):
                return
            filters[field], made[field] = [value], value
        yield State(first, last, filters, made)


def is_unfinished(phrase: bytes, name: bytes) -> bool:
    return len(phrase) >= LEAST_BEGINNING and name.startswith(phrase) and name != phrase


def by_values(typed: Typed, tables: Tables, filters: Filters, by: str) -> list[Reading]:
    """The readings by value words, in their order: by names, then by values as they stand; each once."""
    whole = State(0, len(typed.words), filters, {})

    def pairs_of(field: str, row: Name) -> list[Pair]:
        return [(field, row.value)] + ([row.condition] if row.condition else [])

    def named(first: int, last: int, is_name) -> Iterator[list[Pair]]:
        phrase = plain_of(typed.slice(first, last))
        for field in tables.fields:
            for row in tables.names.get(field, []):
                if is_name(phrase, plain_of(row.name)):
                    yield pairs_of(field, row)

    def value(first: int, last: int) -> Iterator[list[Pair]]:
        for field in tables.fields:
            yield [(field, typed.slice(first, last))]

    def ending_in_name(state: State, is_name) -> Iterator[State]:
        for first in range(state.first + 1, state.last):
            for pairs in named(first, state.last, is_name):
                yield from state.narrowed(state.first, first, pairs)

    def ending_in_value(state: State, size: int) -> Iterator[State]:
        if size < state.last - state.first:
            for pairs in value(state.last - size, state.last):
                yield from state.narrowed(state.first, state.last - size, pairs)

    def beginning() -> Iterator[State]:
        return iter(()) if typed.tail else ending_in_name(whole, is_unfinished)

    def twice(states: Iterator[State]) -> Iterator[State]:
        for state in states:
            yield from ending_in_name(state, bytes.__eq__)
            yield from ending_in_value(state, 1)

    def start() -> Iterator[State]:
        for last in range(whole.last - 1, 0, -1):
            for pairs in named(0, last, bytes.__eq__):
                yield from whole.narrowed(last, whole.last, pairs)

    def names() -> Iterator[State]:
        return ending_in_name(whole, bytes.__eq__)

    def values(sizes: Iterable[int]) -> Iterator[State]:
        return (state for size in sizes for state in ending_in_value(whole, size))

    def reading(state: State) -> Reading:
        # Value words behind the text finish it.
        tail = typed.tail if state.last == whole.last else " "
        return Reading(typed.slice(state.first, state.last) + tail, state.filters, state.made, by)

    seen, found = set(), []
    for states, most in (
            (itertools.chain(names(), twice(names()), beginning(), twice(beginning()), start()), MOST_READINGS),
            (itertools.chain(values(VALUE_SIZES), twice(values(VALUE_SIZES[:1]))), MOST_VALUES)):
        new = (made for made in map(reading, states) if not (made.identity in seen or seen.add(made.identity)))
        found += itertools.islice(new, most)
    return found


BORDER = re.compile(r"(?<=[0-9])(?=[A-Za-z]|[^\x00-\x7f])|(?:(?<=[A-Za-z])|(?<=[^\x00-\x7f]))(?=[0-9])")


def respaced(words: list[str]) -> list[str]:
    """The spelling of a word with spaces between digits and letters, or of two words without; none for others."""
    if len(words) == 1 and BORDER.search(words[0]):
        return [BORDER.sub(" ", words[0])]
    if len(words) == 2 and BORDER.search(words[0][-1:] + words[1][:1]):
        return ["".join(words)]
    return []


def by_synonyms(typed: Typed, synonyms: list[Pair]) -> Iterator[Typed]:
    """All texts with replaced phrases, in their order."""
    phrases = [(plain_of(phrase), other) for phrase, other in synonyms]

    def texts(first: int, words: tuple[Pair, ...], is_replaced: bool) -> Iterator[Typed]:
        if first == len(typed.words):
            if is_replaced:
                yield Typed(words, typed.tail)
            return
        gap = typed.words[first][0]
        for last in range(len(typed.words), first, -1):
            phrase = plain_of(typed.slice(first, last))
            others = [other for known, other in phrases if known == phrase]
            others += respaced([word for _, word in typed.words[first:last]])
            for other in others:
                # One word from now on.
                yield from texts(last, (*words, (gap, other)), True)
        yield from texts(first + 1, (*words, typed.words[first]), is_replaced)

    return texts(0, (), False)


def readings(text: str, tables: Tables, filters: Filters) -> list[Reading]:
    """The readings of a text in their order; `filters` are those of the query."""
    typed = Typed.of(text)
    if len(typed.words) > MOST_WORDS:
        return []
    texts = list(itertools.islice(by_synonyms(typed, tables.synonyms), MOST_READINGS))
    found = by_values(typed, tables, filters, "values")
    found += [Reading(other.text, filters, {}, "synonyms") for other in texts]
    both = (reading for other in texts for reading in by_values(other, tables, filters, "both"))
    return found + list(itertools.islice(both, MOST_READINGS + MOST_VALUES))


# Answers


class KeyQuery(Query):
    """A query with filters of an index that matches folds."""

    near = None

    def __init__(self, text: str, typos: bool = False, filters: Filters | None = None):
        super().__init__(text)
        self.asked = {"typos": typos, "filters": filters}
        self.edits = edits_of(self.q) if typos else 0
        self.typos = self.edits > 0
        self.filters = {field: set(map(fold, values)) for field, values in (filters or {}).items()}

    def exact(self, text: str, filtered: bool = True) -> "KeyQuery":
        return KeyQuery(text, False, self.asked["filters"] if filtered else None)

    def shorter(self, text: str) -> "KeyQuery":
        return KeyQuery(text, **self.asked)


class ReadingOracle(FeatureOracle):
    """The oracle for one text with filters. It keeps its matches, since readings share texts and filters."""

    def __init__(self, records, words: str | None = None):
        super().__init__(records, words=words)
        if words is None:
            self.rules = KEY_RULES
        self.known, self.values, self.matched = {}, {}, {}

    def query_of(self, text: str, filters: Filters, typos: bool) -> Query:
        if self.words is None:
            return KeyQuery(text, typos, filters)
        return FeatureQuery(text, typos, filters, separators=self.separators)

    def texts(self, position: int):
        return super().texts(position) if self.words else KeyTexts(self.keys[position])

    def fields(self, position: int) -> dict:
        if position not in self.known:
            self.known[position] = super().fields(position)
        return self.known[position]

    def passes(self, position: int, query: Query) -> bool:
        for field, wanted in query.filters.items():
            if (position, field) not in self.values:
                self.values[position, field] = set(map(fold, values_in(self.fields(position).get(field))))
            if not wanted & self.values[position, field]:
                return False
        return True

    def match(self, position: int, query: Query):
        """A record's match does not depend on the filters that it passes."""
        if not self.passes(position, query):
            return None
        key = position, query.text, query.typos
        if key not in self.matched:
            self.matched[key] = super().match(position, query)
        return self.matched[key]


class Answer(NamedTuple):
    """The ranks of an answer, in no order, the reading that it comes from, and the words that it leaves out."""

    ranks: list[Rank]
    reading: Reading | None = None
    dropped: list[str] = []

    @property
    def edits(self) -> int:
        return min((rank.edits for rank in self.ranks), default=0)


def answered(
    oracle: ReadingOracle, tables: Tables, text: str, filters: Filters, typos: bool = True, all_words: bool = False
) -> Answer:
    """The answer to a text: of all texts that match with the fewest edits the first."""
    found: list[Reading | None] = [None]
    if not all_words:
        found += readings(text, tables, filters)
    for with_typos in (False, True) if typos else (False,):
        answers = []
        for reading in found:
            asked = (reading.text, reading.filters) if reading else (text, filters)
            ranks = oracle.ranks_of_all_words(oracle.query_of(*asked, with_typos))
            answers.append(Answer(ranks, reading))
            if ranks and answers[-1].edits == (1 if with_typos else 0):
                return least(answers)
        if any(answer.ranks for answer in answers):
            return least(answers)
    if all_words:
        return Answer([])
    ranks, dropped = Oracle.without_words(oracle, oracle.query_of(text, filters, typos))
    return Answer(ranks, None, dropped if ranks else [])


def least(answers: list[Answer]) -> Answer:
    """The first of the answers with the fewest edits."""
    found = min((answer for answer in answers if answer.ranks), key=lambda answer: answer.edits)
    assert found.edits <= MOST_EDITS
    return found
