"""The oracle's rules for typing errors: docs/tiers.md section 2."""

import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from oracle import SEPARATOR, SPACE, Match  # noqa: E402

FIRST = 6  # characters of a text that a third edit of a query of one word is behind
LONGEST_EDITED = 64  # characters of a query that are compared with edits
WHOLE_CORRECTED, WORD_CORRECTED = 4, 1  # octaves, added where the corrected text or its last word ends
OTHER_START = -2  # octaves, if the corrected text begins with another byte
OTHER_BONUS, LATER_BONUS, ANY_ORDER_BONUS = -1, -3, -6  # of a match with edits
MOST_WORDS, MOST_EDITS = 8, 3  # of a query whose words match in any order with edits


def words_of(text):
    return text.replace(SEPARATOR, SPACE).split()


def has_digit(word):
    return any(letter in b"0123456789" for letter in word)


def edits_of_word(word, is_alone):
    """The most edits of a word without digits."""
    size = len(word.decode())
    if is_alone:
        return 0 if size < 3 else 1 if size < 5 else 2 if size < 8 else 3
    return 0 if size < 3 else 1 if size < 8 else 2


def cut(q, finished):
    """The text of a query that is compared with edits, and whether it is finished."""
    letters = q.decode()
    return (letters[:LONGEST_EDITED].rstrip(" \1").encode(), False) if len(letters) > LONGEST_EDITED else (q, finished)


def edits_of(q):
    """The most edits of a query that lead to a beginning of a text."""
    words = words_of(cut(q, False)[0])
    return edits_of_word(b"".join(words), len(words) == 1)


def edits_of_own_word(word, digits):
    """The most edits of a word among others in any order."""
    return 0 if has_digit(word) and not digits else edits_of_word(word, False)


def edits_in_any_order(q, digits=False):
    """The most edits of all words of a query that match words of a key in any order; None if they do not."""
    words = words_of(q)
    if not 2 <= len(words) <= MOST_WORDS or not any(map(can_lead, words)):
        return None
    return min(MOST_EDITS, sum(edits_of_own_word(word, digits) for word in words))


def can_lead(word):
    return len(word.decode()) > 1


def without_surplus(ranks):
    """The ranks of an answer: none with edits if a record matches without."""
    return [rank for rank in ranks if rank.edits == 0] or ranks


def distances(q, text, limit=LONGEST_EDITED):
    """The fewest edits from q to each beginning of the text: optimal string alignment, of characters. If all are more than
    the limit, they may be too few, but still more than the limit."""
    before, row = None, list(range(len(text) + 1))
    for i, a in enumerate(q, 1):
        following = [i]
        for j, b in enumerate(text, 1):
            best = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (a != b))
            if i > 1 and j > 1 and a == text[j - 2] and q[i - 2] == b:
                best = min(best, before[j - 2] + 1)
            following.append(best)
        if min(row) > limit and min(following) > limit:
            return following
        before, row = row, following
    return row


def distance(q, text):
    """The fewest edits from q to some beginning of the text."""
    return min(distances(q, text))


def characters(text, finished):
    """The text in which edits are counted: a separator is a space; a finished query and each text end in a space."""
    return text.replace(SEPARATOR, SPACE).decode() + (" " if finished else "")


def most_by_word(q, digits):
    """For each character of a query the number of its word, None for a space; and the most edits of each word."""
    words = q.split(" ")
    numbers = [None if letter == " " else q[:i].count(" ") for i, letter in enumerate(q)]
    alone = sum(map(bool, words)) == 1
    return numbers, [
        0 if has_digit(word.encode()) and not digits else max(1, edits_of_word(word.encode(), alone)) for word in words]


def ways(q, text, edits, numbers):
    """The words in which edits are, None for a space, by each way of so many edits from the query to the text."""

    @functools.cache
    def rest(i, j, left):
        if abs(len(q) - i - (len(text) - j)) > left:
            return frozenset()
        if i == len(q) and j == len(text):
            return frozenset([()]) if left == 0 else frozenset()
        found = set()
        if i < len(q) and j < len(text) and q[i] == text[j]:
            found |= rest(i + 1, j + 1, left)
        if left > 0:
            here, before = numbers[i] if i < len(q) else None, numbers[i - 1] if i else None
            steps = []
            if i < len(q):
                steps.append((here, i + 1, j))
            if j < len(text):
                inserted = None if text[j] == " " else here if before is None else before
                steps.append((inserted, i, j + 1))
            if i < len(q) and j < len(text) and q[i] != text[j]:
                steps.append((here, i + 1, j + 1))
            if i + 1 < len(q) and j + 1 < len(text) and q[i] == text[j + 1] and q[i + 1] == text[j]:
                steps.append((numbers[i + 1] if here is None else here, i + 2, j + 2))
            for word, k, m in steps:
                found |= {(word, *others) for others in rest(k, m, left - 1)}
        return frozenset(found)

    return rest(0, 0, edits)


def is_allowed(q, text, edits, digits):
    """Whether a way of so many edits leads to the text in which no word has more than it may."""
    numbers, most = most_by_word(q, digits)
    return any(
        all(word is None or way.count(word) <= most[word] for word in way) for way in ways(q, text, edits, numbers))


@functools.cache
def nearest(q, text, finished, limit, digits):
    """Edits to the nearest beginning of a text, and the greatest bonus of such a beginning, by where it ends; None if
    there is none within the limit in which no word has too many."""
    whole, text = text.decode() + "\1", characters(text, finished)[: len(q) + limit]
    row = distances(q, text, limit)
    least = min(row)
    if least > limit or least > 2 and distance(text[:FIRST], q) > 2:
        return None
    around = [
        whole[max(0, end - 1) : end + 1] for end, edits in enumerate(row)
        if edits == least and (least < 3 or end > FIRST) and is_allowed(q, text[:end], edits, digits)]
    return around and (least, max(
        WHOLE_CORRECTED if "\1" in pair else WORD_CORRECTED if " " in pair else 0 for pair in around))


def edited(oracle, position, query):
    """Edits, bonus and `via` of the nearest text; None if that text is too far."""
    typed, finished = cut(query.q, query.finished)
    texts, q, best = oracle.texts(position), characters(typed, finished), None
    found = [(form, 0, "key") for form in texts.forms]
    found += [
        (other + texts.ending, OTHER_BONUS - texts.losses[other], ("other", spelled)) for other, spelled in texts.others]
    found += [(word, -loss, "field") for word, loss in texts.field_words]
    if oracle.words:
        found += [(text, LATER_BONUS, ("word", start)) for start, text in texts.later]
    for text, bonus, via in found:
        near = nearest(q, text, finished, query.edits, oracle.digits)
        if not near:
            continue
        edits, end_bonus = near
        # A text that differs only in spaces and separators is no match without edits; it counts as one edit.
        edits, bonus = max(1, edits), bonus + end_bonus + (0 if text[:1] == typed[:1] else OTHER_START)
        if edits <= query.edits and (best is None or (edits, -bonus) < (best.edits, -best.bonus)):
            best = Match(edits, bonus, via)
    found = words_edited(texts, typed, finished, oracle.digits) if oracle.words else None
    if found is not None:
        edits, loss = found
        bonus = LATER_BONUS - loss if loss else ANY_ORDER_BONUS
        if best is None or (edits, -bonus) < (best.edits, -best.bonus):
            best = Match(edits, bonus, "field" if loss else "words")
    return best


def words_edited(texts, q, finished, digits):
    """The fewest edits with which each word is near to a beginning of a word of its own of the body or of a searched
    field, and the loss of the worst of these words, 0 for the body; the last word may begin a word of the last component,
    without edits. None if the edits are too many."""
    most = edits_in_any_order(q, digits)
    if most is None:
        return None
    words = words_of(q)
    *before, last = words
    free = [(word, 0) for word in texts.body_words] + texts.field_words
    found = fewest(words, free, finished, MOST_EDITS, digits)
    in_last = any(word == last if finished else word.startswith(last) for word in texts.last_words)
    if in_last and any(map(can_lead, before)):
        found = min(found, fewest(before, free, False, MOST_EDITS, digits))
    return (max(1, found[0]), found[1]) if found[0] <= MOST_EDITS else None


def fewest(words, free, finished, most, digits):
    """The fewest edits of all words, each with another of the free words, and of these the least loss of the worst word;
    more edits than `most` if they are too many."""
    if not words:
        return 0, 0
    best = most + 1, 0
    for i, (other, loss) in enumerate(free):
        edits = edits_between(words[-1], other, finished, digits)
        if edits <= best[0]:
            rest = fewest(words[:-1], free[:i] + free[i + 1 :], False, best[0] - edits, digits)
            best = min(best, (edits + rest[0], max(loss, rest[1])))
    return best


@functools.cache
def edits_between(word, other, finished, digits):
    """The edits from a word to the nearest beginning of another; many if they are more than the word may have."""
    most = edits_of_own_word(word, digits)
    if other == word or not finished and other.startswith(word):
        return 0
    if most == 0:
        return MOST_EDITS + 1
    edits = distance(characters(word, finished), characters(other, finished))
    return edits if edits <= most else MOST_EDITS + 1
