"""The oracle's rules for typing errors: docs/tiers.md section 2."""

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from oracle import SEPARATOR, SPACE, Match  # noqa: E402

LONGEST_EDITED = 64  # characters of a query that has edits
WHOLE_CORRECTED, WORD_CORRECTED = 2, 1  # octaves, added where the corrected text or its last word ends
OTHER_BONUS, LATER_BONUS, ANY_ORDER_BONUS = -1, -3, -6  # of a match with edits
MOST_WORDS, MOST_EDITS = 8, 3  # of a query whose words match in any order with edits


def words_of(text):
    return text.replace(SEPARATOR, SPACE).split()


def edits_of_word(word, is_alone):
    """The most edits of a word."""
    size = len(word.decode())
    return 0 if size < 3 else 1 if size < (5 if is_alone else 8) else 2


def edits_of(q):
    """The most edits of a query that lead to a beginning of a text."""
    words = words_of(q)
    if len(q.decode()) > LONGEST_EDITED:
        return 0
    return max((edits_of_word(word, len(words) == 1) for word in words), default=0)


def edits_in_any_order(q):
    """The most edits of all words of a query that match words of a key in any order; None if they do not."""
    words = words_of(q)
    if not 2 <= len(words) <= MOST_WORDS or len(q.decode()) > LONGEST_EDITED or not any(map(can_lead, words)):
        return None
    return min(MOST_EDITS, sum(edits_of_word(word, False) for word in words))


def can_lead(word):
    return len(word.decode()) > 1


def without_surplus(ranks):
    """The ranks of an answer: none with edits if a record matches without."""
    return [rank for rank in ranks if rank.edits == 0] or ranks


def distances(q, text):
    """The fewest edits from q to each beginning of the text: optimal string alignment, of characters."""
    before, row = None, list(range(len(text) + 1))
    for i, a in enumerate(q, 1):
        following = [i]
        for j, b in enumerate(text, 1):
            best = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == text[j - 2] and q[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            following.append(best)
        before, row = row, following
    return row


def distance(q, text):
    """The fewest edits from q to some beginning of the text."""
    return min(distances(q, text))


def characters(text, finished):
    """The text in which edits are counted: a separator is a space; a finished query and each text end in a space."""
    return text.replace(SEPARATOR, SPACE).decode() + (" " if finished else "")


def nearest(q, text, finished, limit):
    """Edits to the nearest beginning of a text, and the greatest bonus of such a beginning, by where it ends."""
    whole = text.decode() + "\1"
    row = distances(q, characters(text, finished)[: len(q) + limit])
    around = [whole[max(0, end - 1) : end + 1] for end, edits in enumerate(row) if edits == min(row)]
    return min(row), max(
        WHOLE_CORRECTED if "\1" in pair else WORD_CORRECTED if " " in pair else 0 for pair in around)


def edited(oracle, position, query):
    """Edits, bonus and `via` of the nearest text; None if that text is too far."""
    texts, q, best = oracle.texts(position), characters(query.q, query.finished), None
    found = [(form, 0, "key") for form in texts.forms]
    found += [(other + texts.ending, OTHER_BONUS, ("other", spelled)) for other, spelled in texts.others]
    if oracle.words:
        found += [(text, LATER_BONUS, ("word", start)) for start, text in texts.later]
    for text, bonus, via in found:
        edits, end_bonus = nearest(q, text, query.finished, query.edits)
        # A text that differs only in spaces and separators is no match without edits; it counts as one edit.
        edits, bonus = max(1, edits), bonus + end_bonus
        if edits <= query.edits and (best is None or (edits, -bonus) < (best.edits, -best.bonus)):
            best = Match(edits, bonus, via)
    edits = words_edited(texts, query) if oracle.words else None
    if edits is not None and (best is None or (edits, -ANY_ORDER_BONUS) < (best.edits, -best.bonus)):
        best = Match(edits, ANY_ORDER_BONUS, "words")
    return best


def words_edited(texts, query):
    """The fewest edits with which each word is near to a beginning of a word of its own of the body; the last word may
    begin a word of the last component, without edits. None if they are too many."""
    most = edits_in_any_order(query.q)
    if most is None:
        return None
    words = words_of(query.q)
    *before, last = words
    found = fewest(words, texts.body_words, query.finished, MOST_EDITS)
    in_last = any(word == last if query.finished else word.startswith(last) for word in texts.last_words)
    if in_last and any(map(can_lead, before)):
        found = min(found, fewest(before, texts.body_words, False, MOST_EDITS))
    return max(1, found) if found <= MOST_EDITS else None


def fewest(words, free, finished, most):
    """The fewest edits of all words, each with another of the free words; more than `most` if they are too many."""
    if not words:
        return 0
    word, best = words[-1], most + 1
    for i, other in enumerate(free):
        edits = edits_between(word, other, finished)
        if edits < best:
            best = min(best, edits + fewest(words[:-1], free[:i] + free[i + 1 :], False, best - 1 - edits))
    return best


@functools.cache
def edits_between(word, other, finished):
    """The edits from a word to the nearest beginning of another; many if they are more than the word may have."""
    most = edits_of_word(word, False)
    if other == word or not finished and other.startswith(word):
        return 0
    if most == 0:
        return MOST_EDITS + 1
    edits = distance(characters(word, finished), characters(other, finished))
    return edits if edits <= most else MOST_EDITS + 1
