"""symspellpy: corrections by a dictionary of deletions."""

import texts

from .base import Engine, distinct


class SymSpell(Engine):
    name = "symspellpy"
    package = "symspellpy"
    abilities = frozenset({"corrections"})
    about = "its dictionary has the list's words; two errors, the nearest first, then the most frequent"

    def __init__(self, records, folder, tools):
        from symspellpy import SymSpell as Dictionary
        from symspellpy import Verbosity

        self.all, self.dictionary, self.rows = Verbosity.ALL, Dictionary(max_dictionary_edit_distance=2), {}
        for row, record in enumerate(records.records):
            term = texts.fold(record.name)
            self.rows.setdefault(term, []).append(row)
            self.dictionary.create_dictionary_entry(term, record.weight)

    def ask(self, text, limit):
        found = self.dictionary.lookup(texts.fold(text), self.all, max_edit_distance=2)[:limit]
        return distinct((row for item in found for row in self.rows[item.term]), limit)
