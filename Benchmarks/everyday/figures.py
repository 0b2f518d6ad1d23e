"""Measures daily changes, ranges of keys and memory, and prints a table: see ../everyday.sh."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Remote")]
from store import Store  # noqa: E402

BIN = pathlib.Path(os.environ["SHARDQ_BIN"])
KEY = ["--key", "{name}, {country}", "--id", "_id"]
FULL = ["--weight", "_id", "--words", "--typos", "--filter", "country", "--near"]
URL = "s3://bucket/list/"
RANGES = 10


class Run:
    """A finished command: its output, its processor time and its time in seconds, and its peak of memory in MiB."""

    def __init__(self, *words, environment=None, source=None, into=None, program="shardq-commands"):
        began = time.monotonic()
        with open(source or os.devnull, "rb") as given, open(into or os.devnull, "wb") as taken:
            process = subprocess.Popen(
                [BIN / program, *map(str, words)], stdin=given, stdout=taken if into else subprocess.PIPE,
                stderr=subprocess.PIPE, env={**os.environ, **(environment or {})})
            # The peak that the system reports at the end begins with this process's own.
            watch = threading.Thread(target=self.watch, args=(process.pid,))
            watch.start()
            self.output = b"" if into else process.stdout.read()
            said = process.stderr.read()
            watch.join()
            _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"shardq {' '.join(map(str, words))}: {said.decode()}")
        self.used, self.seconds = usage.ru_utime + usage.ru_stime, time.monotonic() - began

    def watch(self, process):
        """Reads the peak of a process until it has ended."""
        self.peak = 0
        while True:
            status = pathlib.Path(f"/proc/{process}/status").read_text()
            found = re.search(r"VmHWM:\s+(\d+) kB", status)
            if not found:
                return
            self.peak = int(found[1]) / 1024
            time.sleep(0.02)


def row(what, value):
    print(f"| {what} | {value} |", flush=True)


def build(work, name, options, memory="256MiB"):
    return Run("build", "-q", work / "list.jsonl", "-i", work / name, "--memory", memory, *KEY, *options)


def one_change(work, name, lines):
    """The processor time of an update of one record; the median of five."""
    used = []
    for number in range(5):
        record = json.loads(lines[number])
        with open(work / "one.jsonl", "w", encoding="utf-8") as file:
            file.write(json.dumps({**record, "note": str(number)}, ensure_ascii=False) + "\n")
        used.append(Run("update", "-q", "-i", work / name, "--upsert", work / "one.jsonl").used)
    return sorted(used)[2]


def day(work, count):
    """A day's changes: nine tenths change a member of a record, one tenth removes a record."""
    chosen = random.Random(1)
    with open(work / "list.jsonl", encoding="utf-8") as file:
        total = sum(1 for _ in file)
    places = set(chosen.sample(range(total), count))
    with open(work / "list.jsonl", encoding="utf-8") as file, \
            open(work / "day.jsonl", "w", encoding="utf-8") as changed, open(work / "gone.jsonl", "w", encoding="utf-8") as gone:
        for number, line in enumerate(file):
            if number not in places:
                continue
            record = json.loads(line)
            if number % 10 == 0:
                gone.write(line)
            else:
                changed.write(json.dumps({**record, "note": "changed"}, ensure_ascii=False) + "\n")
    return ["--upsert", work / "day.jsonl", "--delete", work / "gone.jsonl"]


def in_a_store(work, count, name):
    store = Store()
    try:
        environment = {**store.environment, "XDG_CACHE_HOME": str(work / "cache"), "TMPDIR": str(work)}
        Run("publish", "-q", "-i", work / name, URL, environment=environment, program="shardq-remote")
        before = {key: len(content) for key, (content, _) in store.objects.items()}
        changes = day(work, count)
        store.requests.clear()
        made = Run("update", "-q", URL, *changes, environment=environment, program="shardq-remote")
        asked = collections.Counter(method for method, _, _ in store.requests)
        read = sum(before.get(key, 0) for method, key, _ in store.requests if method == "GET")
        written = sum(len(content) for key, (content, _) in store.objects.items() if key not in before)
        files = sum(key.endswith(".zst") for key in before)
        title = f"{count:,} changes in a store"
        row(f"{title}: GETs, PUTs, HEADs; files of the index", f"{asked['GET']:,}, {asked['PUT']:,}, {asked['HEAD']:,}; {files:,}")
        row(f"{title}: MB read, MB written", f"{read / 1e6:.1f}, {written / 1e6:.1f}")
        row(f"{title}: processor time, time; peak", f"{made.used:.1f} s, {made.seconds:.1f} s; {made.peak:.0f} MiB")
        local = Run("update", "-q", "-i", work / name, *changes)
        row(f"{count:,} changes on disk: processor time; peak", f"{local.used:.1f} s; {local.peak:.0f} MiB")
        Run("fetch", "-q", "-i", work / "fetched", URL, environment=environment, program="shardq-remote")
        if (work / "fetched/manifest").read_bytes() != (work / name / "manifest").read_bytes():
            raise SystemExit("the index in the store differs from the index on disk")
    finally:
        store.close()


def entries_in_ranges(work, plan, target, *options):
    """Divides the output of a job's first step into rows and entries, and writes the ranges of entries."""
    with open(work / "rows", "rb") as rows, open(work / "entries", "wb") as entries, open(work / "kept", "wb") as kept:
        for line in rows:
            if line.startswith(b"entry\t"):
                entries.write(line[6:])
            else:
                kept.write(line)
    os.replace(work / "kept", work / "rows")
    return Run("write-range", "--plan", plan, "--output", target, "--entries", *options, source=work / "entries",
               into=work / "more")


def changes_in_ranges(work, count, name):
    """Many changes by ranges, in one process after another, and by one update."""
    plan, target, changes = work / "plan", work / "over", day(work, count)
    shutil.copytree(work / name, target)
    planned = Run("plan-ranges", "--ranges", RANGES, "--over", target, into=plan)
    (work / "numbers").write_text("".join(f"{number}\n" for number in range(RANGES)))
    written = Run("write-range", "--plan", plan, "--output", target, "--over", target, *changes, source=work / "numbers",
                  into=work / "rows")
    made = entries_in_ranges(work, plan, target, "--over", target)
    merged = Run("merge", "-q", "--plan", plan, "--output", target, work / "rows", work / "more")
    local = Run("update", "-q", "-i", work / name, *changes)
    if (target / "manifest").read_bytes() != (work / name / "manifest").read_bytes():
        raise SystemExit("the ranges give another index than the update")
    used = [run.used for run in (planned, written, made, merged)]
    row(f"{count:,} changes: update; programs of the job: processor time",
        f"{local.used:.1f} s; {sum(used):.1f} s ({', '.join(f'{one:.1f}' for one in used)})")
    row(f"{count:,} changes: peaks of update, write-range, its entries, merge",
        ", ".join(f"{run.peak:.0f}" for run in (local, written, made, merged)) + " MiB")
    shutil.rmtree(target)


def in_ranges(work, options, name, local):
    """The ranges of a list in one process after another, with sort as the engine."""
    plan, target = work / "plan", work / ("ranges-" + name)
    planned = Run("plan-ranges", "--ranges", RANGES, *KEY, *options, work / "list.jsonl", into=plan)
    keyed = Run("key", "--plan", plan, source=work / "list.jsonl", into=work / "keyed")
    written = Run("write-range", "--plan", plan, "--output", target, source=work / "keyed", into=work / "rows")
    peaks, used = [planned.peak, keyed.peak, written.peak], keyed.used + written.used
    if options:
        made = entries_in_ranges(work, plan, target)
        peaks.append(made.peak)
        used += made.used
    rows = [work / "rows", *([work / "more"] if options else [])]
    merged = Run("merge", "-q", "--plan", plan, "--output", target, "--repeated-ids", 0, *rows)
    if (target / "manifest").read_bytes() != (work / name / "manifest").read_bytes():
        raise SystemExit("the ranges give another index")
    row(f"programs of the job over the local build, {name}: processor time", f"{(used + merged.used) / local.used:.2f}")
    row(f"merge over the local build, {name}: processor time", f"{100 * merged.used / local.used:.1f} %")
    row(f"peaks with 256 MiB, {name}: plan-ranges, key, write-range, merge",
        ", ".join(f"{peak:.0f}" for peak in [*peaks, merged.peak]) + " MiB")
    shutil.rmtree(target)


def job(work, home, name, source):
    """The processor time of the job on Spark and of `merge`, which makes the index `name`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [f"{home}/bin/spark-sql", "--master", "local[2,4]", "--conf", "spark.sql.catalogImplementation=in-memory", "--conf",
         "spark.ui.enabled=false", "--files", f"{BIN}/shardq,{BIN}/shardq-commands,{work}/plan", "-d", f"input={source}",
         "-d", f"work={work}/job", "-d", f"target={work}/{name}", "-d", "partitions=64", "-f", ROOT / "Packaging/spark/build.sql"],
        check=True, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "SPARK_HOME": home})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    rows = sorted((work / "job/rows").glob("part-*"))
    merged = Run("merge", "-q", "--plan", work / "plan", "--output", work / name, "--repeated-ids", 0, *rows)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, merged.used


def on_spark(work, local):
    try:
        import pyspark
    except ImportError:
        return row("the job on Spark", "not run: pyspark is missing")
    home = os.path.dirname(pyspark.__file__)
    planned = Run("plan-ranges", "--ranges", RANGES, *KEY, work / "list.jsonl", into=work / "plan")
    keyed = Run("key", "--plan", work / "plan", source=work / "list.jsonl", into=work / "keyed")
    written = Run("write-range", "--plan", work / "plan", "--output", work / "by-itself", source=work / "keyed", into=work / "rows")
    with open(work / "list.jsonl", "rb") as file, open(work / "few.jsonl", "wb") as few:
        few.writelines(next(file) for _ in range(1000))
    start, _ = job(work, home, "few", work / "few.jsonl")
    used, merged = job(work, home, "spark", work / "list.jsonl")
    if (work / "spark/manifest").read_bytes() != (work / "plain/manifest").read_bytes():
        raise SystemExit("the job on Spark gives another index")
    passed = used - start - keyed.used - written.used
    for what, seconds in (
            ("`shardq build`", local.used), ("the job on Spark, with its start", used), ("`shardq merge`", merged),
            ("Spark's start: the job over 1,000 records", start), ("`shardq key`, run by itself", keyed.used),
            ("`shardq write-range`, run by itself", written.used),
            ("Spark's passing of lines: the job without its start and these two programs", passed),
            ("`shardq plan-ranges`, with all records as the sample", planned.used)):
        row(f"{what}: processor time, s", f"{seconds:.1f}")
    row("ratio of the job to `shardq build`", f"{used / local.used:.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--changes", type=int, default=10_000)
    parser.add_argument("--only-spark", action="store_true", help="measure the job on Spark alone")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/tmp"), prefix="everyday-") as directory:
        work = pathlib.Path(directory)
        Run("generate", "--count", asked.records, "--seed", 1, "--format", "jsonl", into=work / "list.jsonl")
        with open(work / "list.jsonl", encoding="utf-8") as file:
            lines = [next(file) for _ in range(5)]
        print(f"| {asked.records:,} records | |\n|---|--:|", flush=True)
        if asked.only_spark:
            return on_spark(work, build(work, "plain", []))
        local = {}
        for name, options in (("plain", []), ("full", FULL), ("starts", [*FULL, "--starts"])):
            local[name] = build(work, name, options)
            row(f"build, {name}: processor time; peak with 256 MiB", f"{local[name].used:.1f} s; {local[name].peak:.0f} MiB")
        for name in ("plain", "full"):
            in_ranges(work, FULL if name == "full" else [], name, local[name])
        for name in ("plain", "full", "starts"):
            row(f"one change on disk, {name}: processor time", f"{one_change(work, name, lines):.2f} s")
        build(work, "full", [*FULL, "--force"])
        in_a_store(work, asked.changes, "full")
        changes_in_ranges(work, asked.records // 10, "full")
        on_spark(work, local["plain"])


if __name__ == "__main__":
    main()
