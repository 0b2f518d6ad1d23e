"""Ranks the records of an index by a plain scan. The engine's search must give the same answer.

    python3 oracle.py DIRECTORY [QUERY ...]    the first ten hits of each query, or of each line of standard input

The oracle follows the rules of docs/ranking.md §2 to §4 and shares no code with the engine. It ranks every record that
can match by the rules, and sorts the ranks. reader.py reads the index, Scripts/generate_fold.py folds queries.

A rule is a function of a record and the query; oracle_features.py adds rules, forms of text and filters.
"""

import argparse
import functools
import heapq
import importlib.util
import os
import sys
from bisect import bisect_left
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import reader  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
UNICODE = Path(os.environ.get("SHARDQ_UNICODE") or "/usr/share/unicode")  # Debian: unicode-data
SPACE, SEPARATOR = b" ", b"\1"
OCTAVE = 2048  # steps of a score
GREATEST_CODE = 65535


# docs/matching.md: the fold of the typed text


@functools.cache
def fold_rules():
    spec = importlib.util.spec_from_file_location("generate_fold", ROOT / "Scripts" / "generate_fold.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Rules(module.Database(UNICODE))


@functools.lru_cache(1 << 16)
def fold(text):
    """The fold of a text; ASCII needs no table."""
    folded = reader.ascii_fold(text.encode())
    return fold_rules().fold(text) if folded is None else folded


# §2: the query


class Query:
    """The typed text: its fold `q`, whether it is finished, and the texts with which a key may begin."""

    all_words = closed = False

    def __init__(self, text, form=bytes):
        self.text = text
        spaced = form(fold(text))
        self.q = spaced.removesuffix(SPACE)
        self.finished = self.q != spaced
        self.variants = [self.q]
        before, space, behind = self.q.rpartition(SPACE)
        if space:
            self.variants.append(before + SEPARATOR + behind)

    @functools.cached_property
    def with_separator(self):
        return tuple(q + SEPARATOR for q in self.variants)

    @functools.cached_property
    def with_end(self):
        """The variants, and where the query is finished each with a space and with the separator behind it."""
        return tuple(q + end for q in self.variants for end in ((SPACE, SEPARATOR) if self.finished else (b"",)))

    def is_whole(self, text):
        """Whether the text is a variant, or continues behind one with the separator."""
        return text in self.variants or text.startswith(self.with_separator)

    def begins(self, text):
        """Whether the text starts with a variant and, where the query is finished, ends there or continues with a space or
        the separator."""
        return text.startswith(self.with_end) or self.finished and text in self.variants

    def exact(self, text, filtered=True):
        """A query for all words of a text, without typing errors and nearness."""
        return type(self)(text)

    def shorter(self, text):
        """The query with fewer words."""
        return type(self)(text)


# docs/tiers.md section 4: words left out

MOST_SEARCHED = 8
WHOLE = 1  # the least bonus of a whole match, if its name loses little


def shorter_texts(text, known=None):
    """The texts without the last words, the longest first, then without the first; words end at white space and commas.
    Only the words at these positions may stay, which are the first eight by default."""
    return (shorter for shorter, _ in shorter_choices(text, known))


def shorter_choices(text, known=None):
    """The texts of `shorter_texts`, each with the words that it leaves out."""
    pieces = words_in(text)
    kept = list(range(min(len(pieces) - 1, MOST_SEARCHED))) if known is None else known
    choices = [kept[:size] for size in range(len(kept), 0, -1)] + [kept[start:] for start in range(1, len(kept))]
    for choice in choices:
        if len(choice) < len(pieces) - 1:
            left = "".join(gap * (i != choice[0]) + word for i, (gap, word) in enumerate(pieces) if i in choice)
            dropped = [word for i, (_, word) in enumerate(pieces[:-1]) if i not in choice]
            yield left + (pieces[-1][0] if choice[-1] == len(pieces) - 2 else " "), dropped


def words_in(text):
    """The words, each behind the white space and the commas before it, and at last an empty one."""
    is_divider = [fold(f"a{scalar}a") in (b"a a", b"a\1a") for scalar in text]
    pieces, gap, word = [], "", ""
    for scalar, divides in zip(text, is_divider):
        if divides and word:
            pieces.append((gap, word))
            gap, word = "", ""
        if divides:
            gap += scalar
        else:
            word += scalar
    return pieces + [(gap, word), ("", "")] if word else pieces + [(gap, "")]


# §3: matches. A rule returns the matched text as `via`, or None.


def whole(oracle, position, query):
    return "key" if query.q and query.is_whole(oracle.keys[position]) else None


def beginning(oracle, position, query):
    return "key" if query.begins(oracle.keys[position]) else None


# Rule, and bonus in octaves: a number, or a function of the query and the `via` of the rule. A record's match is that of its
# best rule.
def whole_bonus(query, via):
    return 8 if query.finished else 6


KEY_RULES = [(whole, whole_bonus), (beginning, 0)]


# §4: ranks


def code(weight):
    """The code of a weight, on a logarithmic scale."""
    if weight == 0:
        return 0
    exponent = weight.bit_length() - 1
    mantissa = (weight << 11 >> exponent) - 2048
    return min(2048 * exponent + mantissa + 1, GREATEST_CODE)


class Match(NamedTuple):
    """The match of a record; answers show `via`, the matched text."""

    edits: int
    bonus: int
    via: object


class Rank(NamedTuple):
    """The rank of a hit; the least rank comes first."""

    edits: int
    minus_score: int
    minus_weight: int
    is_other_form: bool  # whether the key does not begin with the text as it was typed
    position: int

    @property
    def score(self):
        return -self.minus_score

    @property
    def weight(self):
        return -self.minus_weight


class Oracle:
    """Records in the index's order, and the rules that rank them."""

    digits = False  # whether words with digits may have edits

    def __init__(self, records, rules=KEY_RULES):
        """`records`: folded key, weight and line of each."""
        self.keys, self.weights, self.lines = map(list, zip(*records)) if records else ([], [], [])
        assert self.keys == sorted(self.keys)
        self.rules = rules
        self.codes = [code(weight) for weight in self.weights]

    @classmethod
    def of_index(cls, directory, **options):
        """The oracle of an index, with the changes of its overlay."""
        return cls(records_of(reader.Index(directory)), **options)

    def query(self, text):
        return text if isinstance(text, Query) else Query(text)

    def match(self, position, query):
        """A record's best match, of equal matches that of the first rule; None if no rule matches."""
        best = None
        for rule, bonus in self.rules:
            via = rule(self, position, query)
            value = bonus(query, via) if via and callable(bonus) else bonus
            if via and (best is None or value > best.bonus):
                best = Match(0, value, via)
        return best

    def rank(self, position, query):
        found = self.match(position, query)
        if found is None:
            return None
        score = self.codes[position] + OCTAVE * found.bonus + self.near(position, query)
        is_other = not found.edits and self.is_other_form(position, query)
        return Rank(found.edits, -score, -self.weights[position], is_other, position)

    def is_other_form(self, position, query):
        """Whether the key does not begin with the text as it was typed."""
        return False

    def near(self, position, query):
        return 0

    def candidates(self, query):
        """The positions of all records that may match; `rank` decides.

        If every rule wants a key that starts with a variant of q, these keys stand together, because keys are sorted:
        from the first key that is not below q to the first that is not below q with a byte that no fold has.
        """
        if self.rules is not KEY_RULES:
            return range(len(self.keys))
        runs = [(bisect_left(self.keys, q), bisect_left(self.keys, q + b"\xff")) for q in query.variants]
        return sorted({position for run in runs for position in range(*run)})

    def ranks(self, text):
        """The ranks of all matches, in no order; without some words if no record matches all of them."""
        query = self.query(text)
        ranks = self.ranks_of_all_words(query)
        if query.all_words or any(rank.edits == 0 for rank in ranks):
            return ranks
        return self.ranks_across_names(query) or ranks or self.ranks_without_words(query)

    def ranks_across_names(self, query):
        """The ranks of records with words of the query in the key and in other names."""
        return []

    def ranks_of_all_words(self, query):
        found = (self.rank(position, query) for position in self.candidates(query))
        return [rank for rank in found if rank is not None]

    def ranks_without_words(self, query):
        """The ranks of the first shorter text that is a whole text, else of the first that matches."""
        return self.without_words(query)[0]

    def without_words(self, query):
        """The ranks of that text, and the words that it leaves out."""
        if len(words_in(query.text)) < 3:
            return [], []
        for text, dropped in shorter_choices(query.text):
            exact = query.exact(text)
            ranks = self.ranks_of_all_words(exact)
            if ranks and self.match(min(ranks).position, exact).bonus >= WHOLE:
                return self.ranks_of_all_words(query.shorter(text)), dropped
        pieces = words_in(query.text)[:-1][:MOST_SEARCHED]
        known = [i for i, (_, word) in enumerate(pieces) if self.ranks_of_all_words(query.exact(word, filtered=False))]
        for text, dropped in shorter_choices(query.text, known or list(range(len(pieces)))):
            ranks = self.ranks_of_all_words(query.shorter(text))
            if ranks:
                return ranks, dropped
        return [], []

    def answer(self, text, limit, after=None):
        """The ranks of the best matches, best first; `after` is the rank of the last hit of the page before."""
        return self.best(self.ranks(text), limit, after)

    @staticmethod
    def best(ranks, limit, after=None):
        return heapq.nsmallest(limit, ranks if after is None else (rank for rank in ranks if rank > after))


def records_of(index):
    """Folded key, weight and line of each record of a generation, in order."""
    weight = reader.Weights(index.settings)
    stored = (
        (key, weight.of_text(text), line)
        for shard in index.shards()
        for part in shard.parts
        for key, text, line in zip(part.keys, part.texts(weight.path), part.lines)
    )
    made = lambda key, fields: (key, weight.of_record(fields), reader.json_record(fields, index.flat))
    return list(index.overlay.merged(stored, made) if index.overlay else stored)


def main():
    parser = argparse.ArgumentParser(description="Print the best records of an index for queries, by a plain scan.")
    parser.add_argument("directory")
    parser.add_argument("query", nargs="*")
    parser.add_argument("--limit", type=int, default=10)
    arguments = parser.parse_args()
    try:
        oracle = Oracle.of_index(arguments.directory)
    except reader.FormatError as error:
        print(f"oracle.py: {error}", file=sys.stderr)
        return 65
    for text in arguments.query or (line.rstrip("\n") for line in sys.stdin):
        for rank in oracle.answer(text, arguments.limit):
            print(rank.score, rank.weight, oracle.lines[rank.position].decode(), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
