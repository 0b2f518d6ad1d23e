"""SQLite's FTS5, with rowids in the order of weights: the first rows of an answer are the heaviest."""

import os
import sqlite3

import texts

from .base import ALL, Engine


class FTS5(Engine):
    name = "FTS5"
    abilities = ALL - {"corrections"}
    about = "SQLite's index of all words of a record, prefixes of 1 to 3 letters indexed; all words, heaviest first"

    @classmethod
    def version(cls, tools):
        return sqlite3.sqlite_version

    def __init__(self, records, folder, tools):
        self.db = sqlite3.connect(os.path.join(folder, "db"))
        options = "content='', detail=none, columnsize=0, prefix='1 2 3', tokenize=\"unicode61 remove_diacritics 0\""
        self.db.execute(f"CREATE VIRTUAL TABLE names USING fts5(words, {options})")
        self.order = sorted(range(len(records.records)), key=lambda row: -records.records[row].weight)
        rows = ((place, all_words(records.records[row])) for place, row in enumerate(self.order))
        self.db.executemany("INSERT INTO names (rowid, words) VALUES (?, ?)", rows)
        self.db.commit()

    def ask(self, text, limit):
        words = texts.words(text)
        if not words:
            return []
        query = " AND ".join(f'"{word}"' for word in words) + " *"
        found = self.db.execute("SELECT rowid FROM names WHERE names MATCH ? ORDER BY rowid LIMIT ?", (query, limit))
        return [self.order[place] for place, in found]

    def close(self):
        self.db.close()


def all_words(record):
    """The words of a record's key and of its other names."""
    return " ".join(word for text in (record.key, *record.others) for word in texts.words(text))
