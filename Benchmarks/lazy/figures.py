#!/usr/bin/env python3
"""Measures the bytes, requests, parts and times of the full index, and writes the figures into docs.

    Benchmarks/run.sh --lazy                        all lists; writes docs/figures.md, full-index.md and remote.md
    Benchmarks/run.sh --lazy --quick                a fifth of the sessions and texts; prints the tables instead
    Benchmarks/run.sh --lazy --lists gn,cities      some lists (gn, cities, air, words, post); prints the tables instead

run.sh gives the other options. README.md describes the lists, the texts and the measures.
"""

import argparse
import datetime
import os
import shutil
import subprocess
import sys
import time

import indexes as lists
import played
import processes
import sessions
import tables
import timed

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../league"))


class Run:
    def __init__(self, options):
        self.options = options
        self.work = os.path.abspath(options.work)
        os.makedirs(self.work, exist_ok=True)
        self.shardq = os.path.join(os.path.abspath(options.shardq), "shardq")
        self.began = time.monotonic()
        self.left_out = []
        self.records = {}
        self.found = {
            "indexes": {}, "module": {}, "remote": {}, "sqlite": {}, "works": {}, "hard": None, "cold": {}, "times": {},
            "instructions": None,
        }  # fmt: skip

    def count(self, number):
        return number // 5 if self.options.quick else number

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.0f} s  {text}", file=sys.stderr, flush=True)

    def leave_out(self, name, reason):
        self.left_out.append(f"{name}: {reason}")
        self.say(f"left out: {name}: {reason}")

    def measure(self, name, step, *needs):
        """Runs a step if the machine has the files and programs that it needs."""
        missing = [each for each in needs if not os.path.exists(each) and not shutil.which(each)]
        if missing:
            self.leave_out(name, f"this machine has no {os.path.basename(missing[0])}")
            return
        self.say(name)
        try:
            step()
        except ImportError as error:
            self.leave_out(name, f"the Python package {error.name} is not installed")

    def lists(self):
        """The lists whose sessions are played, with their indexes."""
        return [(name, indexes) for name, indexes in self.found["indexes"].items() if indexes.list.has_sessions]

    def build(self):
        for one in lists.LISTS:
            if one.name not in self.options.lists:
                continue
            packed = lists.packed_path(one, self.options.data, self.options.suites)
            if not packed:
                self.leave_out(one.title, f"no {one.packed} in the data")
                continue
            self.say(f"build: {one.title}")
            indexes = self.found["indexes"][one.name] = lists.Indexes(one, packed, self.work, self.shardq)
            self.records[one.name] = records = indexes.records()
            indexes.count = len(records)

    def of_kinds(self, name):
        return sessions.sessions(self.records[name], self.found["indexes"][name].list.weighted)

    def mixed(self, name):
        return sessions.mixed(self.of_kinds(name), self.count(sessions.SESSIONS))

    def module(self):
        module = played.Module(self.options.module, self.work)
        for name, indexes in self.lists():
            of_kinds = self.of_kinds(name)
            mixed = sessions.mixed(of_kinds, self.count(sessions.SESSIONS))
            self.found["module"][name, "full", "mixed"] = module.play(indexes.full, mixed)
            self.found["module"][name, "starts", "mixed"] = module.play(indexes.starts, mixed)
            self.found["module"][name, "exact", "mixed"] = module.play(indexes.starts, mixed, exact=True)
            if name == "gn":
                for kind, of_kind in of_kinds.items():
                    of_kind = of_kind[: self.count(sessions.SESSIONS)]
                    self.found["module"][name, "starts", kind] = module.play(indexes.starts, of_kind)

    def remote(self):
        remote = played.Remote(self.shardq, os.path.join(self.work, "idx"))
        try:
            for name, indexes in self.lists():
                if name not in ("gn", "cities"):
                    continue
                forms = {"directory": f"{name}/"}
                if name == "gn":
                    forms["archive"] = f"{name}.shardq"
                    path = os.path.join(self.work, "idx", forms["archive"])
                    if os.path.exists(path):
                        os.remove(path)  # The command replaces no archive of an earlier run.
                    command = [self.shardq, "archive", "-q", "-i", indexes.full, "-o", path]
                    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                for form, path in forms.items():
                    for fetch in ("shards", "ranges"):
                        label = f"{indexes.list.title}, {form}, `{fetch}`"
                        self.found["remote"][label] = remote.play(path, fetch, self.mixed(name))
        finally:
            remote.close()

    def sqlite(self):
        import texts

        for name, indexes in self.lists():
            if name not in ("gn", "cities"):
                continue
            rows = sorted(indexes.rows(), key=lambda row: -row[1])
            words = [
                " ".join(word for text in (row[0], row[2], *row[3]) for word in texts.words(text)) for row in rows
            ]
            shown = {"whole records": [row[4] for row in rows], "names": [f"{row[0]}, {row[2]}" for row in rows]}
            for label, column in shown.items():
                database = played.SQLite(zip(words, column), os.path.join(self.work, f"{name}.sqlite"))
                self.found["sqlite"][name, label] = database.play(self.mixed(name), texts.words)

    def parts(self):
        for name, indexes in self.lists():
            texts = sessions.Texts(self.records[name], indexes.list.weighted)
            for kind in sessions.TEXTS:
                chosen = texts.of(kind, self.count(300))
                self.found["works"][name, kind] = processes.works_of(self.shardq, indexes.full, chosen)

    def hard(self):
        indexes = self.found["indexes"].get("post")
        if not indexes:
            return
        field = indexes.list.filter
        texts = [*sessions.HARD, *sessions.at_random(self.records["post"], False, self.count(10_000))]
        self.found["hard"] = [
            (processes.work_of(self.shardq, indexes.full, text, f"{field}={value}" if value else ""), (text, value))
            for text, value in texts
        ]

    def cold(self):
        for name, indexes in self.lists():
            texts = [each[-1] for each in self.mixed(name)]
            times = processes.cold(self.shardq, [indexes.plain, indexes.full], texts)
            works = processes.works_of(self.shardq, indexes.full, texts)
            self.found["cold"][name] = times[indexes.plain], times[indexes.full], works

    def times(self):
        indexes = self.found["indexes"].get("gn")
        if not indexes:
            return
        rivals = timed.Rivals(self.options.data, self.options.suites, self.work)
        for name, reason in rivals.left_out.items():
            self.leave_out(name, reason)
        try:
            texts = sessions.Texts(self.records["gn"], True)
            chosen = {kind: texts.of(kind, self.count(150)) for kind in timed.BESIDE}
            shardq = timed.package(self.options.wheel, self.work)
            self.found["times"] = timed.compared(shardq, indexes.full, chosen, rivals)
        finally:
            rivals.close()

    def instructions(self):
        if indexes := self.found["indexes"].get("gn"):
            counts = [processes.instructions(self.shardq, indexes.full, text) for text in ("lodnon", "london")]
            self.found["instructions"] = counts[0] / counts[1]

    def all(self):
        self.build()
        remote = os.path.join(os.path.dirname(self.shardq), "shardq-remote")
        self.measure("sessions in the module", self.module, self.options.module, "node")
        self.measure("parts of texts", self.parts)
        self.measure("parts of the hardest texts", self.hard)
        self.measure("new processes", self.cold)
        self.measure("instructions", self.instructions, "valgrind")
        self.measure("sessions of the remote reader", self.remote, self.nginx(), remote)
        self.measure("sessions in SQLite by ranges", self.sqlite)
        self.measure("times", self.times, self.options.wheel)
        self.leave_out("SIGIR 2020's engine (jermp/autocomplete)", "this machine has no copy")
        self.leave_out("ten million records", "the data have no such list; `run.sh --sizes` builds made-up ones")
        self.say("done")

    @staticmethod
    def nginx():
        return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin") or "nginx"

    def pages(self):
        """The texts by page and section."""
        found = self.found
        out = "".join(f"- {each}.\n" for each in self.left_out)
        written = (
            f"`Benchmarks/run.sh --lazy` measured these figures and wrote them on {datetime.date.today()}; do not edit them.\n"
            "[Its page](../Benchmarks/lazy/README.md#the-figures) describes the lists, the texts and the measures.\n"
        )
        measures = (
            f"\n## The full index\n\n{written}[The full index](full-index.md) has more of them.\n\n{tables.Measures(found).text()}\n"
        )
        page = (
            f"# The full index\n\n{written}{machine()}"
            "[Figures](figures.md#the-full-index) has the bounds, and [an index on another machine](remote.md) more sessions.\n\n"
            f"## Bytes\n\n{tables.bytes_table(found)}\n"
            f"## Sessions on a far host\n\n{tables.requests_table(found, False)}\n"
            f"## The work of a search\n\n{tables.parts_table(found)}\n{tables.hard_table(found)}\n"
            f"## A new process\n\n{tables.cold_table(found)}\n"
            f"## Times of GeoNames, median and 99th percentile\n\n{tables.times_table(found)}\n"
            f"## Left out\n\n{out}"
        )
        return {
            ("figures.md", "full index"): measures,
            ("full-index.md", ""): page,
            ("remote.md", "sessions of the remote reader"): tables.remote_table(found),
            ("remote.md", "sessions of the module"): tables.requests_table(found, True),
        }


def machine():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        model = ""
    return f"The machine: {os.cpu_count()} processors, {model}, {os.uname().sysname}.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardq", help="the directory of shardq's programs")
    parser.add_argument("module", help="shardq.wasm, with shardq.js beside it")
    parser.add_argument("wheel", help="shardq_core-….whl")
    parser.add_argument("data")
    parser.add_argument("suites")
    parser.add_argument("work")
    parser.add_argument("--quick", action="store_true")
    names = [one.name for one in lists.LISTS]
    parser.add_argument("--lists", type=lambda text: text.split(","), default=names)
    options = parser.parse_args()
    if unknown := set(options.lists) - set(names):
        parser.error(f"there is no list {', '.join(sorted(unknown))}; the lists are {', '.join(names)}")
    run = Run(options)
    run.all()
    # Figures of some lists do not take the place of those of all.
    is_whole = not options.quick and list(run.found["indexes"]) == names
    for (page, section), text in run.pages().items():
        if is_whole:
            tables.put(page, section, text)
        else:
            print(f"----- {page} {section}\n{text}")


if __name__ == "__main__":
    main()
