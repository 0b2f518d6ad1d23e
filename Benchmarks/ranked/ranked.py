#!/usr/bin/env python3
"""Ranked answers beside SQLite's and tantivy's: the first ten by weight for a prefix, on one list, in one run.

    ranked.py DATA SHARDQ-COMMANDS RANKED [--queries 1000] [--seed 1] [--directory DIR]

DATA has the city list and GeoNames' dump (cities.json.zst, geonames-cities1000.txt.zst): the cities, with GeoNames'
populations by id; or it is a file that has an object a line with `name`, `country` and `population`. RANKED is the program of that
name (Benchmarks/Sources/ranked). Prints a table in Markdown: the median and the 99th percentile of a query's time, bytes
on disk, and how many answers have the same weights as shardq's, place by place. Each rival has what makes it fastest: an
open connection, prepared statements, a warm cache. Times of rivals include what Python's binding takes, some
microseconds. A rival whose Python package is missing is named and left out.
"""

import argparse
import bisect
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata

LIMIT = 10


def fold(text):
    """Case and accents removed: enough of shardq's fold for the queries here, which are ASCII letters."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def lines_of(data):
    """The records, an object a line."""
    if os.path.isfile(data):
        with open(data) as file:
            return [line.strip() for line in file]

    def unpacked(name):
        command = ["zstd", "-dc", os.path.join(data, name)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()

    rows = (line.split("\t") for line in unpacked("geonames-cities1000.txt.zst").splitlines())
    populations = {int(row[0]): int(row[14] or 0) for row in rows if len(row) > 14}
    lines = []
    for city in json.loads(unpacked("cities.json.zst")):
        if city["_id"] in populations:
            city["population"] = populations[city["_id"]]
        lines.append(json.dumps(city, ensure_ascii=False))
    return lines


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


class Range:
    """SQLite: an index over folded keys, a range of it sorted by weight."""

    name = "SQLite, range ORDER BY weight"

    def __init__(self, records, directory):
        self.path = os.path.join(directory, "range.db")
        self.db = sqlite3.connect(self.path)
        self.db.execute("CREATE TABLE t (key TEXT, weight INTEGER, record TEXT)")
        self.db.executemany("INSERT INTO t VALUES (?, ?, ?)", ((k, w, r) for k, _, w, r in records))
        self.db.execute("CREATE INDEX i ON t (key)")
        self.db.commit()

    def ask(self, text):
        sql = "SELECT weight, record FROM t WHERE key >= ? AND key < ? ORDER BY weight DESC LIMIT 10"
        return [row[0] for row in self.db.execute(sql, (text, text + "\U0010ffff"))]


class FTS5:
    """SQLite's FTS5 with prefix indexes; the weights in a table beside it."""

    name = "SQLite FTS5, ORDER BY weight"
    order = "ORDER BY t.weight DESC"
    presorted = False

    def __init__(self, records, directory):
        self.path = os.path.join(directory, f"fts-{self.presorted}.db")
        self.db = sqlite3.connect(self.path)
        if self.presorted:
            records = sorted(records, key=lambda record: -record[2])
        self.db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, weight INTEGER, record TEXT)")
        self.db.execute("CREATE VIRTUAL TABLE f USING fts5(key, content='', prefix='1 2 3 4')")
        for number, (key, _, weight, record) in enumerate(records):
            self.db.execute("INSERT INTO t VALUES (?, ?, ?)", (number, weight, record))
            self.db.execute("INSERT INTO f (rowid, key) VALUES (?, ?)", (number, key))
        self.db.execute("INSERT INTO f(f) VALUES('optimize')")
        self.db.commit()

    def ask(self, text):
        words = " ".join('"' + word + '"' for word in text.split())
        sql = f"SELECT t.weight, t.record FROM f JOIN t ON t.id = f.rowid WHERE f MATCH ? {self.order} LIMIT 10"
        return [row[0] for row in self.db.execute(sql, ("^" + words + "*",))]


class PresortedFTS5(FTS5):
    """The same, with rowids in the order of weights: the first ten rows are the heaviest."""

    name = "SQLite FTS5, rowids by weight"
    order = "ORDER BY f.rowid"
    presorted = True


class Tantivy:
    """tantivy: a regular expression over a raw field, sorted by a fast field."""

    name = "tantivy, prefix sorted by weight"

    def __init__(self, records, directory):
        import tantivy

        self.tantivy = tantivy
        self.path = os.path.join(directory, "tantivy")
        os.mkdir(self.path)
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
        builder.add_integer_field("weight", fast=True, stored=True)
        builder.add_text_field("record", stored=True, index_option="basic", tokenizer_name="raw")
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema, path=self.path)
        writer = self.index.writer(heap_size=200_000_000, num_threads=1)
        for key, _, weight, record in records:
            writer.add_document(tantivy.Document(key=key, weight=weight, record=record))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def ask(self, text):
        query = self.tantivy.Query.regex_query(self.schema, "key", text.replace(".", "\\.") + ".*")
        found = self.searcher.search(query, LIMIT, order_by_field="weight", count=False).hits
        return [self.searcher.doc(address).get_first("weight") for _, address in found]


def measure(ask, queries, rounds=5):
    times = [[] for _ in queries]
    for _ in range(rounds):
        for number, text in enumerate(queries):
            start = time.perf_counter_ns()
            ask(text)
            times[number].append(time.perf_counter_ns() - start)
    return sorted(statistics.median(each) / 1000 for each in times)


def percentile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def shardq(arguments, lines, queries, directory):
    """Returns what the program printed of each query, with a cache and without, and the index's directory."""
    index, dataset = os.path.join(directory, "index"), os.path.join(directory, "records.jsonl")
    with open(dataset, "w") as file:
        file.writelines(line + "\n" for line in lines)
    subprocess.run(
        [arguments.shardq, "build", "-i", index, "--key", "{name}, {country}", "--weight", "population", dataset],
        check=True, stdout=subprocess.DEVNULL)
    texts = os.path.join(directory, "queries.txt")
    with open(texts, "w") as file:
        file.writelines(text + "\n" for text in queries)

    def run(cache, rounds):
        output = subprocess.run(
            [arguments.ranked, index, texts, str(cache), str(rounds), str(LIMIT)], check=True, capture_output=True,
            text=True).stdout
        return [line.split("\t") for line in output.splitlines()]

    return run(1 << 31, 5), run(0, 3), index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("shardq")
    parser.add_argument("ranked")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory")
    arguments = parser.parse_args()
    directory = tempfile.mkdtemp(dir=arguments.directory)
    try:
        records = []
        lines = lines_of(arguments.data)
        for line in lines:
            record = json.loads(line)
            key = fold(f"{record['name']}, {record['country']}")
            records.append((key, fold(record["name"]), int(record.get("population") or 0), line))
        random.seed(arguments.seed)
        names = [name for _, name, _, _ in records if name.isascii() and name.replace(" ", "").isalpha()]
        queries = [random.choice(names)[: random.randint(1, 6)].strip() for _ in range(arguments.queries)]
        queries = [text for text in queries if text]
        warm, cold, index = shardq(arguments, lines, queries, directory)
        rows = []
        for name, lines in [("shardq, all in its cache", warm), ("shardq, nothing in its cache", cold)]:
            rows.append((name, sorted(int(line[0]) / 1000 for line in lines), size(index), None))
        # Whole names come first with shardq alone: rivals are held against the heaviest of the range.
        ordered = sorted((key, weight) for key, _, weight, _ in records)
        keys = [key for key, _ in ordered]

        def heaviest(text):
            low, high = bisect.bisect_left(keys, text), bisect.bisect_left(keys, text + "\U0010ffff")
            return sorted((weight for _, weight in ordered[low:high]), reverse=True)[:LIMIT]

        expected = {text: heaviest(text) for text in queries}
        for rival in (Range, FTS5, PresortedFTS5, Tantivy):
            try:
                made = rival(records, directory)
            except ImportError as error:
                print(f"left out: {rival.name}: {error}", file=sys.stderr)
                continue
            right = sum(made.ask(text) == expected[text] for text in queries)
            rows.append((rival.name, measure(made.ask, queries), size(made.path), right))
        parts = sorted(int(line[2]) for line in warm)
        print(
            f"{len(records):,} records, {len(queries):,} prefixes of 1 to 6 letters of their names (seed {arguments.seed}),\n"
            f"the first {LIMIT} by weight. shardq opened {statistics.mean(parts):.1f} parts a query, {parts[-1]} at most.\n")
        print("| engine | median, us | 99th percentile, us | bytes on disk | answers that are the range's heaviest |")
        print("|---|--:|--:|--:|--:|")
        for name, times, disk, right in rows:
            share = "" if right is None else f"{right:,} of {len(queries):,}"
            print(f"| {name} | {percentile(times, 0.5):,.1f} | {percentile(times, 0.99):,.1f} | {disk:,} | {share} |")
    finally:
        shutil.rmtree(directory)


if __name__ == "__main__":
    main()
