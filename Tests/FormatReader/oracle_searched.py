"""The oracle's rules of searched fields: docs/search-fields.md."""

import re


def in_fields(oracle, position, query):
    """The text begins a word of a searched field; or each of its words begins such a word or one of the key."""
    texts = oracle.texts(position)
    alone = [loss for word, loss in texts.field_words if query.begins(word)]
    if query.q and alone:
        return "field", min(alone), 0
    if len(query.words) < 2 or max(map(len, query.words)) < 4:
        return None
    worst = 0
    for i, word in enumerate(query.words):
        is_last = i == len(query.words) - 1
        fits = lambda other: other == word if is_last and query.finished else other.startswith(word)
        if any(map(fits, texts.body_words)) or is_last and any(map(fits, texts.last_words)):
            continue
        losses = [loss for other, loss in texts.field_words if fits(other)]
        if not losses:
            return None
        worst = max(worst, min(losses))
    return ("field", worst, 3) if worst else None


def in_fields_bonus(query, via):
    return -via[1] - via[2]


def parts_of(text):
    """A text of code, and the rest of each word from a capital behind a small letter on, of the first 16 in a word."""
    yield text
    for word in re.split("[\0-\x20]+", text):
        for start in [found.end() for found in re.finditer("[a-z](?=[A-Z])", word)][:16]:
            yield word[start:]


def path_and_loss(path, usual):
    """The path of a field, and the loss of its matches: FIELD or FIELD:BONUS."""
    bonus = re.fullmatch("(.*):([+-]?[0-9]+)", path, re.DOTALL)
    return (bonus[1], -int(bonus[2])) if bonus else (path, usual)
