"""The rivals of ranked answers. Each makes files of the records, and a process of its own answers from them.

    rivals.py RIVAL DIRECTORY EDITS TEXTS ROUNDS

answers every line of the file TEXTS, ROUNDS times over, and prints the same lines as Benchmarks/Sources/ranked. Each
rival is set up to be fast: folded keys, an open and mapped file, prepared statements, a warm cache. Times include those
of Python's binding, a few microseconds.
"""

import bisect
import collections
import heapq
import importlib
import os
import pickle
import sqlite3
import statistics
import sys
import time

from lists import LIMIT, key_of

LAST = "\U0010ffff"


class Rival:
    name = ""
    module = ""

    @classmethod
    def load(cls):
        """The rival's Python module; ImportError where it is not installed."""
        return importlib.import_module(cls.module)

    @classmethod
    def make(cls, records, directory, edits):
        """Makes the files, in an empty directory."""
        raise NotImplementedError

    def __init__(self, directory, edits):
        """Opens the files."""

    def ask(self, text):
        """The best ten records: weight and JSON of each."""
        raise NotImplementedError


class SQLite(Rival):
    """A table in the order of folded keys, as it would be a covering index; a range of it sorted by weight."""

    name = "SQLite, range ORDER BY weight"
    module = "sqlite3"
    sql = "SELECT weight, record FROM t WHERE key >= ? AND key < ? ORDER BY weight DESC LIMIT 10"

    @classmethod
    def make(cls, records, directory, edits):
        db = sqlite3.connect(os.path.join(directory, "db"))
        cls.fill(db, records)
        db.commit()
        db.close()

    @classmethod
    def fill(cls, db, records):
        columns = "key TEXT, id INTEGER, weight INTEGER, record TEXT, PRIMARY KEY (key, id)"
        db.execute(f"CREATE TABLE t ({columns}) WITHOUT ROWID")
        rows = sorted((record.key, number, record.weight, record.line) for number, record in enumerate(records))
        db.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)

    def __init__(self, directory, edits):
        self.db = sqlite3.connect(os.path.join(directory, "db"))
        self.db.execute("PRAGMA mmap_size = 1073741824")

    def parameters(self, text):
        return text, text + LAST

    def ask(self, text):
        return self.db.execute(self.sql, self.parameters(text)).fetchall()


class FTS5(SQLite):
    """SQLite's FTS5 with prefix indexes: keys are tokens, without positions and sizes; weights are in another table."""

    name = "SQLite FTS5, ORDER BY weight"
    order = "t.weight DESC"
    options = "detail=none, columnsize=0, "

    @property
    def sql(self):
        found = "SELECT t.weight, t.record FROM f JOIN t ON t.id = f.rowid WHERE f MATCH ?"
        return f"{found} ORDER BY {self.order} LIMIT 10"

    @classmethod
    def tokenizer(cls, records):
        others = sorted({character for record in records for character in record.key if not character.isalnum()})
        return "unicode61 remove_diacritics 0 tokenchars '%s'" % "".join(others).replace("'", "''")

    @classmethod
    def fill(cls, db, records):
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, weight INTEGER, record TEXT)")
        tokens = cls.tokenizer(records).replace('"', '""')
        options = f"content='', {cls.options}prefix='1 2 3 4', tokenize=\"{tokens}\""
        db.execute(f"CREATE VIRTUAL TABLE f USING fts5(key, {options})")
        for number, record in enumerate(records):
            db.execute("INSERT INTO t VALUES (?, ?, ?)", (number, record.weight, record.line))
            db.execute("INSERT INTO f (rowid, key) VALUES (?, ?)", (number, record.key))
        db.execute("INSERT INTO f(f) VALUES('optimize')")

    def parameters(self, text):
        return (f'"{text}"*',)


class FTS5ByWeight(FTS5):
    """The same, with rowids in the order of weights: the first ten rows are the heaviest."""

    name = "SQLite FTS5, rowids by weight"
    order = "f.rowid"

    @classmethod
    def fill(cls, db, records):
        super().fill(db, sorted(records, key=lambda record: -record.weight))


class FTS5Rank(FTS5):
    """FTS5 as its manual has it: words, and its own rank (bm25), which knows no weights."""

    name = "SQLite FTS5, ORDER BY rank"
    order = "f.rank"
    options = ""

    @classmethod
    def tokenizer(cls, records):
        return "unicode61"


class Tantivy(Rival):
    """tantivy: a fuzzy prefix of a raw field, of no edits where none are wanted, sorted by a fast field.

    A regular expression takes three to six times as long for the same answers.
    """

    name = "tantivy, FuzzyTermQuery sorted by weight"
    module = "tantivy"

    @classmethod
    def make(cls, records, directory, edits):
        tantivy = cls.load()
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
        builder.add_integer_field("weight", fast=True, stored=True)
        builder.add_bytes_field("record", stored=True)
        index = tantivy.Index(builder.build(), path=directory)
        # With one thread and this memory the writer makes one segment.
        writer = index.writer(heap_size=400_000_000, num_threads=1)
        for record in records:
            writer.add_document(tantivy.Document(key=record.key, weight=record.weight, record=record.line.encode()))
        writer.commit()
        writer.wait_merging_threads()

    def __init__(self, directory, edits):
        tantivy = self.load()
        self.query = tantivy.Query.fuzzy_term_query
        self.index = tantivy.Index.open(directory)
        self.searcher, self.edits = self.index.searcher(), edits

    def ask(self, text):
        query = self.query(self.index.schema, "key", text, self.edits, True, True)
        found = self.searcher.search(query, LIMIT, order_by_field="weight", count=False).hits
        documents = [self.searcher.doc(address) for _, address in found]
        return [(document.get_first("weight"), document.get_first("record")) for document in documents]


class Xapian(Rival):
    """Xapian: terms are whole keys of up to 240 bytes, found by a wildcard; a value to sort by."""

    name = "Xapian, wildcard sorted by a value"
    module = "xapian"
    beginnings = 0

    @classmethod
    def load(cls):
        # Where Debian has it. Another version of Python does not find its library there.
        debian = "/usr/lib/python3/dist-packages"
        sys.path.append(debian)
        try:
            return super().load()
        finally:
            sys.path.remove(debian)

    @classmethod
    def make(cls, records, directory, edits):
        xapian = cls.load()
        db = xapian.WritableDatabase(directory + ".new", xapian.DB_CREATE_OR_OVERWRITE)
        for record in cls.ordered(records):
            document = xapian.Document()
            document.set_data(record.line)
            document.add_value(0, xapian.sortable_serialise(record.weight))
            document.add_boolean_term(b"K" + record.key.encode()[:240])
            for length in range(1, min(cls.beginnings, len(record.key)) + 1):
                document.add_boolean_term("B" + record.key[:length])
            db.add_document(document)
        db.commit()
        db.compact(directory)

    @classmethod
    def ordered(cls, records):
        return records

    def __init__(self, directory, edits):
        self.xapian = self.load()
        self.enquire = self.xapian.Enquire(self.xapian.Database(directory))
        self.enquire.set_weighting_scheme(self.xapian.BoolWeight())
        self.sort()

    def sort(self):
        self.enquire.set_sort_by_value(0, True)

    def ask(self, text):
        query = self.xapian.Query
        if len(text) <= self.beginnings:
            self.enquire.set_query(query("B" + text))
        else:
            self.enquire.set_query(query(query.OP_WILDCARD, "K" + text, 0, query.WILDCARD_LIMIT_ERROR, query.OP_OR))
        documents = [match.document for match in self.enquire.get_mset(0, LIMIT)]
        number = self.xapian.sortable_unserialise
        return [(int(number(document.get_value(0))), document.get_data()) for document in documents]


class XapianByWeight(Xapian):
    """The same with the first six characters as terms too, and documents in the order of weights."""

    name = "Xapian, beginnings as terms, documents by weight"
    beginnings = 6

    @classmethod
    def ordered(cls, records):
        return sorted(records, key=lambda record: -record.weight)

    def sort(self):
        self.enquire.set_docid_order(self.xapian.Enquire.ASCENDING)


class SymSpell(Rival):
    """symspellpy: names near to the text, and the records with these names. Everything lies in memory.

    The file is that of `save_pickle`: the dictionary, ready to use.
    """

    name = "symspellpy, whole names"
    module = "symspellpy"

    @classmethod
    def terms(cls, records):
        """Each term, with the weight of its heaviest record."""
        terms = collections.Counter()
        for record in records:
            for term in cls.terms_of(record.name):
                terms[term] = max(terms[term], record.weight + 1)
        return terms

    @classmethod
    def terms_of(cls, name):
        return (name,)

    @classmethod
    def make(cls, records, directory, edits):
        speller = cls.load().SymSpell(max_dictionary_edit_distance=edits)
        for term, count in cls.terms(records).items():
            speller.create_dictionary_entry(term, count)
        rows = sorted((record.name, record.weight, record.line) for record in records)
        with open(os.path.join(directory, "pickle"), "wb") as file:
            pickle.dump((speller, rows), file, protocol=pickle.HIGHEST_PROTOCOL)

    def __init__(self, directory, edits):
        self.all = self.load().Verbosity.ALL
        with open(os.path.join(directory, "pickle"), "rb") as file:
            self.speller, self.rows = pickle.load(file)

    def records(self, term):
        return self.rows[bisect.bisect_left(self.rows, (term,)) : bisect.bisect_left(self.rows, (term + "\0",))]

    def ask(self, text):
        """The records of the nearest terms, the heaviest of each distance first."""
        found, distance = {}, 0
        for item in self.speller.lookup(text, self.all):
            if item.distance != distance and len(found) >= LIMIT:
                break
            distance = item.distance
            for row in self.records(item.term):
                found.setdefault(row, distance)
        best = heapq.nsmallest(LIMIT, found, key=lambda row: (found[row], -row[1]))
        return [(weight, line) for _, weight, line in best]


class SymSpellBeginnings(SymSpell):
    """The same with every beginning of a name, from four characters on, as a term: it corrects as people type."""

    name = "symspellpy, beginnings of names"

    @classmethod
    def terms_of(cls, name):
        return (name[:length] for length in range(min(4, len(name)), len(name) + 1))

    def records(self, term):
        return self.rows[bisect.bisect_left(self.rows, (term,)) : bisect.bisect_left(self.rows, (term + LAST,))]


RANKED = (SQLite, FTS5, FTS5ByWeight, FTS5Rank, Tantivy, Xapian, XapianByWeight)
CORRECTING = (Tantivy, SymSpell, SymSpellBeginnings)


def reread(directory):
    """Evicts the files from the system's cache and reads them again page by page.

    A file that was just written lies there in pieces of up to 2 MiB, and a mapped one would count whole pieces.
    """
    for folder, _, names in os.walk(directory):
        for name in names:
            file = os.open(os.path.join(folder, name), os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_RANDOM)
            for offset in range(0, os.fstat(file).st_size, 4096):
                os.pread(file, 1, offset)
            os.close(file)


def resident(field):
    """VmRSS or VmHWM of this process, in KiB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field))


def main():
    kind, directory, edits, texts, rounds = sys.argv[1:]
    kind = next(rival for rival in RANKED + CORRECTING if rival.__name__ == kind)
    with open(texts) as file:
        texts = file.read().splitlines()
    times = [[0] * int(rounds) for _ in texts]
    kind.load()  # A module is no part of the index.
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # The peak begins anew.
    idle = resident("VmRSS")
    rival = kind(directory, int(edits))
    for turn in range(int(rounds)):
        for number, text in enumerate(texts):
            start = time.perf_counter_ns()
            rival.ask(text)
            times[number][turn] = time.perf_counter_ns() - start
    print(idle, resident("VmHWM"), sep="\t")
    for text, each in zip(texts, times):
        hits = [f"{weight} {key_of(line)}" for weight, line in rival.ask(text)]
        print(int(statistics.median(each)), 0, 0, *hits, sep="\t")


if __name__ == "__main__":
    main()
