#!/usr/bin/env python3
"""Ranked answers beside those of rivals: the first ten by weight, and corrections, on one list, in one run.

    ranked.py DATA SHARDQ-COMMANDS RANKED [--queries 1000] [--mistyped 500] [--seed 1] [--directory DIR]

DATA has the city list and GeoNames' dump (cities.json.zst, geonames-cities1000.txt.zst): the cities, with GeoNames'
populations by id. Or DATA is a file with an object of `name`, `country` and `population` per line. RANKED is the
program of that name (Benchmarks/Sources/ranked). Prints tables in Markdown; Benchmarks/README.md explains
their columns. Each contender answers in a process of its own. A rival whose package is missing is named and left out.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile

import lists
import rivals

ROUNDS = "5"


def size(path):
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def percentile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


class Answers:
    """A process's answers to all texts: times in microseconds, weights and keys of hits, memory in MB."""

    def __init__(self, name, directory, command):
        self.name, self.disk = name, size(directory)
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        first, *lines = (line.split("\t") for line in output.splitlines())
        self.memory = (int(first[1]) - int(first[0])) * 1024 / 1e6
        self.times = sorted(int(line[0]) / 1000 for line in lines)
        self.parts = [int(line[2]) for line in lines]
        hits = [[hit.split(" ", 1) for hit in line[3:]] for line in lines]
        self.weights = [[int(weight) for weight, _ in each] for each in hits]
        self.keys = [[key for _, key in each] for each in hits]

    def row(self, *more):
        cells = [self.name, *(f"{percentile(self.times, share):,.1f}" for share in (0.5, 0.99))]
        cells += [f"{self.disk / 1e6:,.2f}", f"{self.memory:,.2f}", *more]
        return "| " + " | ".join(cells) + " |"


def heading(last):
    print(f"| engine | median, us | 99th percentile, us | on disk, MB | memory, MB | {last} |")
    print("|---|--:|--:|--:|--:|--:|")


class Run:
    """The list in a directory, and the processes that answer from it."""

    def __init__(self, arguments, directory):
        self.arguments, self.directory = arguments, directory
        self.records = lists.records_of(arguments.data)
        with open(os.path.join(directory, "records.jsonl"), "w") as file:
            file.writelines(record.line + "\n" for record in self.records)

    def texts(self, texts):
        path = os.path.join(self.directory, "texts")
        with open(path, "w") as file:
            file.writelines(text + "\n" for text in texts)
        return path

    def shardq(self, texts, *options):
        """shardq's answers, with all read parts in its cache and with none."""
        index = os.path.join(self.directory, "index" + "".join(options))
        build = [self.arguments.shardq, "build", "-i", index, "--key", "{name}, {country}", "--weight", "population"]
        build += [*options, os.path.join(self.directory, "records.jsonl")]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        rivals.reread(index)
        for name, cache in (("shardq, all in its cache", 1 << 31), ("shardq, nothing in its cache", 0)):
            command = [self.arguments.ranked, index, self.texts(texts), str(cache), ROUNDS, str(lists.LIMIT)]
            yield Answers(name, index, command)

    def rivals(self, kinds, texts, edits):
        for kind in kinds:
            directory = os.path.join(self.directory, f"{kind.__name__}-{edits}")
            if not os.path.exists(directory):
                os.mkdir(directory)
                try:
                    kind.make(self.records, directory, edits)
                except ImportError as error:
                    print(f"left out: {kind.name}: {error}", file=sys.stderr)
                    os.rmdir(directory)
                    continue
                rivals.reread(directory)
            program = [sys.executable, rivals.__file__, kind.__name__, directory, str(edits), self.texts(texts), ROUNDS]
            yield Answers(kind.name, directory, program)


def ranked(run, count, seed):
    random.seed(seed)
    texts = lists.prefixes(run.records, count, random)
    expected = lists.Expected(run.records)
    by_rules, by_weight = [expected.ranked(text) for text in texts], [expected.heaviest(text) for text in texts]
    rows = [(answers, by_rules) for answers in run.shardq(texts)]
    opened = rows[0][0].parts
    rows += ((answers, by_weight) for answers in run.rivals(rivals.RANKED, texts, 0))
    print(
        "### the heaviest records of a prefix\n\n"
        f"{len(run.records):,} records, {count:,} prefixes of 1 to 6 letters of their names (seed {seed}),\n"
        f"the first {lists.LIMIT} by weight.\n"
        f"shardq opened {statistics.mean(opened):.1f} parts a query, {max(opened)} at most.\n")
    heading("right answers")
    for answers, right in rows:
        print(answers.row(f"{sum(a == b for a, b in zip(answers.weights, right)):,} of {count:,}"))


def corrected(run, count, errors, edits, seed):
    random.seed(seed)
    pairs = lists.mistyped(run.records, count, errors, edits, random)
    texts, meant = [text for text, _ in pairs], [key for _, key in pairs]
    rows = [*run.shardq(texts, "--typos"), *run.rivals(rivals.CORRECTING, texts, edits)]
    opened = sorted(rows[0].parts)
    numbers, words = ("no", "one", "two"), ("", "of 4 to 7 letters", "of 8 letters and more")
    print(
        f"\n### {numbers[errors]} typing error{'s' if errors > 1 else ''}, the longest word {words[edits]}\n\n"
        f"{count:,} beginnings of names, 6 letters and more (seed {seed}); engines look for {numbers[edits]} "
        f"error{'s' if edits > 1 else ''}.\nshardq opened {statistics.mean(opened):.1f} parts a query, "
        f"{percentile(opened, 0.99)} at the 99th percentile.\n")
    heading(f"the meant city among the first {lists.LIMIT}")
    for answers in rows:
        found = sum(key in map(lists.fold, keys) for key, keys in zip(meant, answers.keys))
        print(answers.row(f"{100 * found / count:.1f} %"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("shardq")
    parser.add_argument("ranked")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--mistyped", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.directory) as directory:
        run = Run(arguments, directory)
        ranked(run, arguments.queries, arguments.seed)
        for errors, edits in ((1, 1), (1, 2), (2, 2)):
            corrected(run, arguments.mistyped, errors, edits, arguments.seed)


if __name__ == "__main__":
    main()
