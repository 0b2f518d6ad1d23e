#!/usr/bin/env python3
"""The league: the quality of shardq's answers beside those of rival engines, over public suites and made cases.

    league.py SHARDQ DATA SUITES WORK [--page PAGE] [--suites A,B] [--engines A,B] [--missed SUITE]

SHARDQ is the directory of shardq's programs, DATA has GeoNames' dump, SUITES has the public suites, and WORK takes
indexes and results. The script names the file of a result by the digest of the result's inputs. After a run that ended
early, the next run asks only for results without a file. PAGE takes the tables. `--missed` prints the texts of a suite
that shardq misses, with the places that other engines give the meant record.
"""

import argparse
import hashlib
import json
import os
import shutil
import sys
from typing import NamedTuple

import judges
import page
import suites
from engines.completype import Completype
from engines.fts5 import FTS5
from engines.fullscan import FullScan
from engines.lucene import Fuzzy1, Fuzzy2, Infix
from engines.shardq import Shardq
from engines.symspell import SymSpell
from engines.tantivy import Tantivy
from engines.trigrams import Trigrams
from records import Lists, Missing

ENGINES = (Shardq, Completype, SymSpell, FTS5, Tantivy, Fuzzy1, Fuzzy2, Infix, FullScan, Trigrams)
HERE = os.path.dirname(os.path.abspath(__file__))


class Tools(NamedTuple):
    """Paths that engines need."""

    shardq: str  # the directory of shardq's programs
    suites: str
    samples: str  # the project's sample tables
    debian: str  # the unpacked packages of Debian


def source(*paths):
    found = b""
    for path in paths:
        with open(os.path.join(HERE, path), "rb") as file:
            found += file.read()
    return found


class League:
    def __init__(self, arguments):
        self.work, self.suites_folder = os.path.abspath(arguments.work), arguments.suites_folder
        self.lists = Lists(arguments.data, arguments.suites_folder, self.work)
        samples = os.path.join(HERE, "..", "..", "Samples")
        debian = os.path.join(self.work, "debian")
        self.tools = Tools(os.path.abspath(arguments.shardq), arguments.suites_folder, samples, debian)
        self.left_out, self.cases, self.results = {}, {}, {}
        os.makedirs(os.path.join(self.work, "results"), exist_ok=True)

    def leave_out(self, name, reason):
        if self.left_out.setdefault(name, str(reason)) == str(reason):
            print(f"left out: {name}: {reason}", file=sys.stderr)

    def versions(self, engines):
        found = {}
        for engine in engines:
            try:
                found[engine] = engine.version(self.tools)
            except Missing as missing:
                self.leave_out(engine.name, missing)
        return found

    def load(self, chosen):
        """The suites whose data are there."""
        there = []
        for suite in chosen:
            try:
                self.cases[suite] = suite.cases(self.lists, self.suites_folder)
                there.append(suite)
            except Missing as missing:
                self.leave_out(suite.title, missing)
        return there

    def path(self, suite, engine, version, digest):
        """The file of a result, by the digest of its inputs."""
        module = engine.__module__.replace(".", os.sep) + ".py"
        inputs = hashlib.sha256(source("texts.py", "judges.py", "engines/base.py", module))
        records = self.lists(suite.list)
        inputs.update(f"{version} {engine.build(self.tools)} {digest} {records.options} {records.parameters}".encode())
        inputs.update(f"{self.cases[suite]} {suite.judge.__name__}".encode())
        name = f"{suite.name}-{engine.__name__}-{inputs.hexdigest()[:16]}.json"
        return os.path.join(self.work, "results", name)

    def run(self, chosen, versions):
        for name in dict.fromkeys(suite.list for suite in chosen):
            of_list = [suite for suite in chosen if suite.list == name]
            records = self.lists(name)
            digest = records.digest()
            for engine, version in versions.items():
                taking_part = [suite for suite in of_list if suite.needs <= engine.abilities]
                paths = {suite: self.path(suite, engine, version, digest) for suite in taking_part}
                self.answer(engine, records, paths)

    def answer(self, engine, records, paths):
        """Reads the results of one engine over one list, and makes those that are not there."""
        absent = [suite for suite, path in paths.items() if not os.path.exists(path)]
        if absent:
            folder = os.path.join(self.work, "index")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            print(f"{engine.name}: {records.title}", file=sys.stderr)
            try:
                running = engine(records, folder, self.tools)
            except (ImportError, RuntimeError) as error:
                self.leave_out(engine.name, error)
                return
            try:
                for suite in absent:
                    found = judges.figures(suite, self.cases[suite], running.ask, records.records)
                    print(f"  {suite.title}: {found[0]}", file=sys.stderr)
                    with open(paths[suite] + ".new", "w", encoding="utf-8") as file:
                        json.dump(found, file)
                    os.rename(paths[suite] + ".new", paths[suite])
            finally:
                running.close()
        for suite, path in paths.items():
            with open(path, encoding="utf-8") as file:
                self.results[suite, engine] = json.load(file)

    def missed(self, suite):
        """Prints the cases that shardq does not have among ten, with the places of the engines that do."""
        for number, (text, wanted) in enumerate(self.cases[suite]):
            results = {engine.name: each[number] for (_, engine), (_, each) in self.results.items()}
            found = {name: value for name, value in results.items() if value is not None}
            # The value of a conjunctive suite is a share.
            if "shardq" not in found or (suite.conjunctive and found["shardq"] < 1):
                print(text, "" if suite.conjunctive else wanted, found, sep="\t")


def main():
    parser = argparse.ArgumentParser()
    for name in ("shardq", "data", "suites_folder", "work", "--page"):
        parser.add_argument(name)
    suite_names = ", ".join(suite.name for suite in suites.SUITES)
    parser.add_argument("--suites", help=suite_names)
    parser.add_argument("--engines", help=", ".join(engine.__name__.lower() for engine in ENGINES))
    parser.add_argument("--missed", metavar="SUITE", help="print the texts that shardq misses")
    arguments = parser.parse_args()

    def chosen(all, name, given):
        return [each for each in all if not given or name(each) in given.split(",")]

    league = League(arguments)
    only = arguments.missed or arguments.suites
    engines = chosen(ENGINES, lambda engine: engine.__name__.lower(), arguments.engines)
    versions = league.versions(engines)
    there = league.load(chosen(suites.SUITES, lambda suite: suite.name, only))
    league.run(there, versions)
    if arguments.missed:
        league.missed(there[0])
        return
    text = page.text(there, versions, league)
    if arguments.page:
        with open(arguments.page + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(arguments.page + ".new", arguments.page)
    else:
        print(text)


if __name__ == "__main__":
    main()
