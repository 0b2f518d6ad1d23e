"""The oracle for word starts, plain forms, other names, any order, edits, filters and nearness.

`FeatureOracle` adds forms of text, rules and filters to `Oracle`. The rules:

- Texts have forms: oracle_forms.py. A text with symbols is searched in closed form, without edits, and only if that has no
  match in the others.
- Components stand between separators; the name is the first component; the body is all but the last, or the only one.
- Later word (-3): the key from a word start on begins with q; word starts are in the body, behind white space or SEP.
- Whole other, other beginning: another name, with or without the last component, is or begins with q.
- A path of names or of searched words may have a bonus behind a colon: `others:-3`, `text:-5`. Names lose it, and words of
  a searched field have it. Words in any order with the worst such word have 3 less.
- Any order (-6): two words or more, one of them with four bytes or more, each the beginning of a different word of the
  body. If the key also has a last component, the last word may begin a word of that component. In a finished query the
  last word must be a whole word.
- Edits: oracle_edits.py. Of equal matches, the leftmost word start, the first field and the first name count.
"""

import json
import re
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import reader  # noqa: E402
from oracle import (  # noqa: E402
    OCTAVE, SEPARATOR, SPACE, Oracle, Query, Rank, fold, whole_bonus, words_in)
from oracle_forms import (  # noqa: E402
    closed, forms_of, has_symbol, name_forms, plain, spaced, spaced_closed, with_and)
from oracle_near import hundredths, nearness  # noqa: E402
from oracle_searched import in_fields, in_fields_bonus, parts_of, path_and_loss  # noqa: E402
from oracle_edits import MOST_WORDS, edited, edits_of, without_surplus, words_of  # noqa: E402


def separators_of(template):
    """The number of separators of a key whose values have none."""
    return fold(re.sub(r"\{[^{}]+\}", "x", template)).count(SEPARATOR)


def initials(folded):
    """The leading consonants of Hangul syllables: each stands before a vowel."""
    return "".join(re.findall("[\u1100-\u1112](?=[\u1161-\u1175])", folded.decode()))


def body_of(form):
    """All components but the last, or the only one."""
    body, separator, last = form.rpartition(SEPARATOR)
    return body if separator else last


def later_starts(body):
    return [i + 1 for i in range(len(body)) if body[i : i + 1] in (SPACE, SEPARATOR) and i + 1 < len(body)]


class Texts:
    """The texts of a record that rules match."""

    def __init__(self, folded, others, all_words, separators, searched=()):
        """`others` are other names and `searched` texts of searched fields, each with its loss in octaves."""
        self.forms = forms_of(folded, separators)
        first = self.forms[0]
        body, separator, last = first.rpartition(SEPARATOR)
        if not separator:
            body, last = first, b""
        self.name = first.split(SEPARATOR)[0]
        self.ending = separator + last
        if all_words:
            body, last = first, b""
        self.body_words, self.last_words = words_of(body), words_of(last)
        later = [
            (form, start, form[start:]) for form in self.forms
            for start in later_starts(form if all_words else body_of(form))]
        self.later = [(start, text) for _, start, text in later]
        # Entries: a later word of a form, unless one of the forms before has the same.
        self.new_later = [
            (form, start, text) for form, start, text in later
            if not any(text == other for before, _, other in later if self.forms.index(before) < self.forms.index(form))]
        found = {}  # by a form: the loss, and the text as it was spelled
        for spelled, loss in others:
            for other in name_forms(fold(spelled)):
                if other and other != self.name and (other not in found or loss < found[other][0]):
                    found.pop(other, None)
                    found[other] = (loss, spelled)
        self.others = [(other, spelled) for other, (_, spelled) in found.items()]
        self.losses = {other: loss for other, (loss, _) in found.items()}
        self.field_words = [
            (word, loss) for text, loss in searched for form in name_forms(fold(text)) for word in words_of(form)]


class FeatureQuery(Query):
    """A query with filters and a place: `filters` are values by field, `near` a latitude and a longitude."""

    def __init__(self, text, typos=False, filters=None, near=None, separators=1, all_words=False, closed=False):
        """`separators` is the number of separators of a key; with `all_words` no word is left out; `closed` is whether the
        text is in closed form."""
        self.asked = {"typos": typos, "filters": filters, "near": near, "separators": separators}
        self.all_words, self.closed = all_words, closed
        typed = fold(text)
        super().__init__(text, lambda folded: (spaced_closed if closed else spaced)(folded, separators))
        self.variants = self.variants_of(typed, separators)
        self.typos = typos
        self.filters = {field: {fold(value) for value in values} for field, values in (filters or {}).items()}
        self.near = near and tuple(hundredths(Fraction(degrees)) for degrees in near)
        self.words = words_of(self.q)
        self.edits = edits_of(self.q)

    def exact(self, text, filtered=True):
        return FeatureQuery(text, filters=self.asked["filters"] if filtered else None, separators=self.asked["separators"])

    def shorter(self, text):
        return FeatureQuery(text, **self.asked)

    def variants_of(self, typed, separators):
        """The text with each number of its last separators, and with one more for its last space."""
        most = min(typed.count(SEPARATOR), separators)
        variants = []
        for number in range(most, -1, -1) if not self.q.endswith(SEPARATOR) else [most]:
            for q in [closed(typed, number)] if self.closed else [plain(typed, number), plain(with_and(typed), number)]:
                variants.append(q)
                if number < separators and SPACE in q:
                    before, _, behind = q.rpartition(SPACE)
                    variants.append(before + SEPARATOR + behind)
        return list(dict.fromkeys(variants))


# Rules; each returns the matched text as `via`, or None


def whole_key(oracle, position, query):
    forms = oracle.texts(position).forms
    return "key" if query.q and any(map(query.is_whole, forms)) else None


def key_begins(oracle, position, query):
    forms = oracle.texts(position).forms
    return "key" if any(map(query.begins, forms)) else None


def whole_other(oracle, position, query):
    texts = oracle.texts(position)
    found = [("other", spelled, len(other), texts.losses[other]) for other, spelled in texts.others
             if any(q in (other, other + texts.ending) for q in query.variants)]
    return min(found, key=lambda via: via[3]) if found else None


def whole_other_bonus(query, via):
    return (4 if query.finished else 2) - via[3]


def other_begins(oracle, position, query):
    """Of the names that begin so, the one with the greatest bonus, and of these the first."""
    texts = oracle.texts(position)
    found = [("other", spelled, len(other), texts.losses[other]) for other, spelled in texts.others
             if query.begins(other + texts.ending)]
    return max(found, key=lambda via: other_bonus(query, via)) if found else None


def other_bonus(query, via):
    """The bonus of a beginning falls with the share of the name that is not typed, in whole octaves."""
    return -1 - via[3] - 8 * max(0, via[2] - len(query.q)) // via[2]


def later_word(oracle, position, query):
    for start, text in oracle.texts(position).later:
        if query.q and query.begins(text):
            return "word", start
    return None


def any_order(oracle, position, query):
    if len(query.words) < 2 or max(map(len, query.words)) < 4:
        return None
    texts, (*before, last) = oracle.texts(position), query.words
    if assigned(query.words, texts.body_words, query.finished):
        return "words"
    in_last = any(word == last if query.finished else word.startswith(last) for word in texts.last_words)
    return "words" if in_last and assigned(before, texts.body_words, False) else None


def assigned(words, free, finished):
    """Whether each word is a beginning of a different free word; in a finished query the last one is whole.

    The longest word comes first and takes the shortest free word that fits. All free words that fit it fit a shorter
    word too, or none does. Of equal words the whole one comes first.
    """
    free, order = list(free), [(-len(word), i != len(words) - 1, i, word) for i, word in enumerate(words)]
    for _, _, i, word in sorted(order):
        is_last = finished and i == len(words) - 1
        fitting = [other for other in free if (other == word if is_last else other.startswith(word))]
        if not fitting:
            return False
        free.remove(min(fitting, key=len))
    return True


class FeatureOracle(Oracle):
    """Records ranked by all rules of the features that are on."""

    def __init__(self, records, words=None, alias=(), searched=()):
        """`words` is None, "body", "all" or "code"; `alias` are paths of the fields of other names, `initials` among them, and
        `searched` those of fields whose words are searched."""
        super().__init__(records)
        self.separators = 1
        self.settings = {}  # Those of an index whose fields of coordinates are not the usual ones.
        self.words, self.alias = words, [path_and_loss(path, 0) for path in alias if path != "initials"]
        self.searched = [path_and_loss(path, 5) for path in searched]
        self.initials = len(self.alias) < len(alias)
        self.rules = [(whole_key, whole_bonus), (key_begins, 0)]
        if words:
            self.rules += [(later_word, -3), (any_order, -6)]
        if alias:
            self.rules += [(whole_other, whole_other_bonus), (other_begins, other_bonus)]
        if searched:
            self.rules.append((in_fields, in_fields_bonus))
        self.cache, self.places = {}, {}

    @classmethod
    def of_index(cls, directory, **options):
        oracle = super().of_index(directory, **options)
        oracle.separators = separators_of(reader.Index(directory).settings[b"key"].decode())
        return oracle

    def query(self, text):
        return text if isinstance(text, Query) else FeatureQuery(text, separators=self.separators)

    def fields(self, position):
        """Values by path: texts, and lists of them."""
        fields = {}

        def add(path, value):
            if isinstance(value, dict) and value:
                for name, inner in value.items():
                    add(path + (name.replace("\\", "\\\\").replace(".", "\\."),), inner)
            else:
                fields[".".join(path)] = value

        add((), json.loads(self.lines[position], parse_int=str, parse_float=str))
        return fields

    def texts(self, position):
        found = self.cache.get(position)
        if found is None:
            fields = self.fields(position)
            others = [(name, loss) for path, loss in self.alias for name in names_in(fields.get(path))]
            if self.initials:
                others.append((initials(plain(self.keys[position]).split(SEPARATOR)[0]), 0))
            searched = [
                (part, loss) for path, loss in self.searched for text in texts_in(fields.get(path))
                for part in (parts_of(text) if self.words == "code" else [text])]
            found = self.cache[position] = Texts(
                self.keys[position], others, self.words == "all", self.separators, searched)
        return found

    def match(self, position, query):
        if not self.passes(position, query):
            return None
        best = super().match(position, query)
        if best is None and query.typos and not query.closed:
            best = edited(self, position, query)
        return best

    def passes(self, position, query):
        """Whether the record has one of the values in each filtered field."""
        if not query.filters:
            return True
        fields = self.fields(position)
        return all(
            any(fold(text) in values for text in values_in(fields.get(path))) for path, values in query.filters.items())

    def near(self, position, query):
        if query.near is None:
            return 0
        there = self.place_of(position)
        return nearness(query.near, tuple(map(hundredths, there))) if there else 0

    def place_of(self, position):
        """The latitude and the longitude of a record, exactly; None if the record has no place on the globe."""
        if position not in self.places:
            fields = {path.encode(): text.encode() for path, text in self.fields(position).items() if isinstance(text, str)}
            there = reader.place_of(fields, self)
            self.places[position] = None if None in there else there
        return self.places[position]

    def is_other_form(self, position, query):
        if not (self.words or self.alias or self.initials):
            return False  # an index without entries
        if not query.q:
            return False
        typed = fold(query.text).removesuffix(SPACE)
        before, space, behind = typed.rpartition(SPACE)
        key = self.keys[position]
        return not key.startswith(typed) and not (space and key.startswith(before + SEPARATOR + behind))

    def candidates(self, query):
        return range(len(self.keys))

    def ranks(self, text):
        query = self.query(text)
        if has_symbol(fold(query.text)):
            ranks = self.ranks_of_symbols(query)
            if ranks or not query.q:
                return ranks
        return super().ranks(text)

    def ranks_of_symbols(self, query):
        """The ranks of a text with symbols in closed form."""
        return super().ranks_of_all_words(FeatureQuery(query.text, closed=True, **query.asked))

    def ranks_of_all_words(self, query):
        return without_surplus(super().ranks_of_all_words(query))

    def ranks_across_names(self, query):
        """Each word begins a word of the body, another name or a word of a field, at least one of them only a name."""
        words, typed = words_of(query.q), len(words_in(query.text)) - 1
        if not self.words or not self.alias or typed > MOST_WORDS or len(words) < 2 or max(map(len, words)) < 4:
            return []
        found = []
        for position in range(len(self.keys)):
            texts = self.texts(position)
            names = [(name.split(SPACE)[0], texts.losses[name]) for name, _ in texts.others]
            bonus, has_name = -6, False
            for word in words:
                is_whole = query.finished and word is words[-1]
                fits = lambda other: other == word if is_whole else other.startswith(word)
                if any(map(fits, texts.body_words)):
                    continue
                named = [-6 - loss for other, loss in names if fits(other)]
                in_field = [-3 - loss for other, loss in texts.field_words if fits(other)]
                bonus = min(bonus, max(named + in_field, default=-99))
                has_name = has_name or not in_field
            if bonus > -99 and has_name and self.passes(position, query):
                score = self.codes[position] + bonus * OCTAVE + self.near(position, query)
                found.append(Rank(0, -score, -self.weights[position], self.is_other_form(position, query), position))
        return found


class EditedQuery(Query):
    """A query of an index that matches folds, without word starts and other names."""

    def __init__(self, text, typos=True, filtered=True, all_words=False):
        super().__init__(text)
        self.all_words = all_words
        self.edits, self.filtered = edits_of(self.q) if typos else 0, filtered

    def exact(self, text, filtered=True):
        return EditedQuery(text, False, filtered)


class KeyTexts:
    """The texts of a record of such an index that rules match."""

    others = later = field_words = ()

    def __init__(self, key):
        self.forms = [key]


class EditedOracle(Oracle):
    """Records ranked by the rules of keys, and with edits behind them."""

    words = None

    def query(self, text):
        return text if isinstance(text, Query) else EditedQuery(text)

    def texts(self, position):
        return KeyTexts(self.keys[position])

    def match(self, position, query):
        best = super().match(position, query)
        return edited(self, position, query) if best is None and query.edits else best

    def candidates(self, query):
        return range(len(self.keys)) if query.edits else super().candidates(query)

    def ranks_of_all_words(self, query):
        return without_surplus(super().ranks_of_all_words(query))


def texts_in(value):
    """The texts of a field: of an array its elements."""
    if isinstance(value, list):
        return [text for text in value if isinstance(text, str)]
    return [value] if isinstance(value, str) else []


def values_in(value):
    """The values by which a filter finds a field: its texts, or `true` or `false`."""
    return [str(value).lower()] if isinstance(value, bool) else texts_in(value)


def names_in(value):
    """Other names: an array's elements, or the texts between signs that divide names."""
    return texts_in(value) if isinstance(value, list) else re.split("[,;|\n\r]", value) if isinstance(value, str) else []
