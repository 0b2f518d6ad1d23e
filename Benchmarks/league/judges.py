"""Judges: whether a record that an engine gives is the one that a text means."""

import functools
import math

import texts


def metres(place, other):
    latitude, longitude, latitude2, longitude2 = map(math.radians, (*place, *other))
    half = math.sin((latitude2 - latitude) / 2) ** 2
    half += math.cos(latitude) * math.cos(latitude2) * math.sin((longitude2 - longitude) / 2) ** 2
    return 12_742_000 * math.asin(min(1, math.sqrt(half)))


def near(record, wanted):
    """`wanted` is latitude, longitude and a radius in metres."""
    return metres(record.place, wanted[:2]) <= wanted[2]


def has_name(record, wanted):
    """`wanted` is a folded name; other names count."""
    return any(texts.fold(name) == wanted for name in (record.name, *record.others))


def is_named(record, wanted):
    """`wanted` is a folded name; other names do not count."""
    return texts.fold(record.name) == wanted


def places_of(ask, cases, records, judge):
    """The 0-based place of the meant record among the first ten, or None, for each case."""

    def place(text, wanted):
        hits = enumerate(ask(text, 10)[:10])
        return next((number for number, row in hits if judge(records[row], wanted)), None)

    return [place(text, wanted) for text, wanted in cases]


def typed(ask, cases, records, judge):
    """For each case the shares of the text that are typed until the meant record is first, and among five.

    A text that does not find the record counts as one letter more than all.
    """
    ask = functools.cache(ask)  # Many texts begin alike.
    shares = []
    for text, wanted in cases:
        first = five = len(text) + 1
        for length in range(1, len(text) + 1):
            hits = enumerate(ask(text[:length], 5)[:5])
            place = next((number for number, row in hits if judge(records[row], wanted)), None)
            if place is not None:
                five = min(five, length)
            if place == 0:
                first = length
                break
        shares.append((first / len(text), five / len(text)))
    return shares


def best_ten(ask, cases, records):
    """The share of the best ten records that an engine gives, for each case.

    `wanted` is the rows of these records and the number of them, ten at most. A record with the weight of the last one
    is one of these records too.
    """
    shares = []
    for text, (rows, count) in cases:
        given = set(ask(text, 10)[:10]) & rows
        shares.append(min(len(given), count) / count)
    return shares


def measured(suite):
    """The measures of a suite."""
    if suite.conjunctive:
        return ("best ten", "fewer")
    return ("first", "five", "ten", *(("typed first", "typed five") if suite.by_letter else ()))


def figures(suite, cases, ask, records):
    """Each measure of an engine's answers, and a list with each case's place or share."""
    if suite.conjunctive:
        shares = best_ten(ask, cases, records)
        counted = [(share, count) for share, (_, (_, count)) in zip(shares, cases)]
        few = [(share, count) for share, count in counted if count < 10]
        found = {
            measure: sum(share * count for share, count in each) / sum(count for _, count in each)
            for measure, each in (("best ten", counted), ("fewer", few))
        }
        return found, shares
    places = places_of(ask, cases, records, suite.judge)
    found = {
        name: sum(place is not None and place < limit for place in places) / len(cases)
        for name, limit in (("first", 1), ("five", 5), ("ten", 10))
    }
    if suite.by_letter:
        shares = typed(ask, cases, records, suite.judge)
        found["typed first"], found["typed five"] = (sum(each) / len(cases) for each in zip(*shares))
    return found, places
