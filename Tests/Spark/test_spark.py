"""Tests the whole job on Spark: the digest of the manifest equals that of `shardq build`, also after failures."""

import decimal
import glob
import json
import os
import re
import stat
import subprocess
import time
import unittest

import spark
from ranges import BIN, ROOT, SHARDQ, cities, digest, local, path, shardq

OPTIONS = ["--key", "{name}, {country}", "--id", "_id", "--shard-size", "8KiB", "--weight", "population", "--words",
           "--alias", "names", "--typos", "--filter", "kind", "--starts"]
RANGES = 8


class Base(unittest.TestCase):
    def setUp(self):
        self.here = path(self.id().split(".")[-1])
        os.mkdir(self.here)
        self.target, self.plan = os.path.join(self.here, "index"), os.path.join(self.here, "plan")
        self.work, self.faults = os.path.join(self.here, "work"), os.path.join(self.here, "faults")
        os.mkdir(self.faults)

    def program(self, *faults):
        """A program that fails on demand."""
        for fault in faults:
            open(os.path.join(self.faults, fault), "w").close()
        directory = os.path.join(self.here, "faulty")
        os.mkdir(directory)
        with open(os.path.join(ROOT, "Tests/Spark/faulty.sh"), encoding="utf-8") as file:
            script = file.read().replace("@SHARDQ@", SHARDQ).replace("@FAULTS@", self.faults)
        name = os.path.join(directory, "shardq")
        with open(name, "w", encoding="utf-8") as file:
            file.write(script)
        os.chmod(name, os.stat(name).st_mode | stat.S_IXUSR)
        return name

    def plan_of(self, source, options=OPTIONS):
        shardq("plan-ranges", "--ranges", str(RANGES), *options, source, into=self.plan)

    def end(self, job):
        spark.end(job, os.path.join(self.here, "job.log"))

    def merge(self):
        counts = []
        for part in glob.glob(self.work + "/counts/part-*"):
            with open(part, encoding="utf-8") as file:
                counts += file.read().split()
        # Each row has its summary.
        rows = []
        for part in glob.glob(self.work + "/rows/part-*"):
            with open(part, encoding="utf-8", newline="\n") as file:
                rows += [line.split("\t") for line in file]
        ranges = {kind: sorted(row[1:3] for row in rows if row[0] == kind) for kind in ("row", "summary")}
        self.assertEqual(ranges["row"], ranges["summary"])
        self.assertEqual(len(ranges["row"]) * 2, len(rows))
        shardq("merge", "--plan", self.plan, "--output", self.target, *counts, *glob.glob(self.work + "/rows/part-*"))
        return digest(self.target)

    def happened(self, fault):
        return bool(glob.glob(os.path.join(self.faults, "done-%s-*" % fault)))

    def await_file(self, pattern, job, seconds=300):
        deadline = time.monotonic() + seconds
        while not glob.glob(os.path.join(self.faults, pattern)):
            self.assertIsNone(job and job.poll(), "the job ended before there was " + pattern)
            self.assertLess(time.monotonic(), deadline, "waited for " + pattern)
            time.sleep(0.1)


class Local(Base):
    """One process with two cores, which runs tasks again that fail."""

    def test_three_writers_die_after_publishing(self):
        source = cities(12000)
        want = local(source, "dying", *OPTIONS)
        self.plan_of(source)
        program = self.program("die-1", "die-2", "die-3")
        self.end(spark.start(source, self.work, self.target, self.plan, program))
        for number in (1, 2, 3):
            self.assertTrue(self.happened("die-%d" % number))
        self.assertEqual(self.merge(), want)
        shardq("verify", "-i", self.target)

    def test_changes_of_an_index_while_writers_die(self):
        source = cities(12000)
        with open(source, encoding="utf-8") as file:
            # The line of a megabyte and its id come several times.
            before = [line for line in dict.fromkeys(file) if '"_id": 7,' not in line]
        day = [line.replace('"kind": "ruin"', '"kind": "town"') for line in before[:3000]]
        after = day + before[3000:9000]
        for name, lines in (("before", before), ("after", after), ("day", day), ("gone", before[9000:])):
            with open(path(name + "-day.jsonl"), "w", encoding="utf-8") as file:
                file.writelines(lines)
        want = local(path("after-day.jsonl"), "after-day", *OPTIONS)
        shardq("build", path("before-day.jsonl"), "-i", self.target, *OPTIONS)
        shardq("plan-ranges", "--ranges", str(RANGES), "--over", self.target, into=self.plan)
        program = self.program("die-1", "die-2", "die-3")
        changes = "--upsert %s --delete %s" % (path("day-day.jsonl"), path("gone-day.jsonl"))
        self.end(spark.start(changes, self.work, self.target, self.plan, program, ranges=RANGES))
        for number in (1, 2, 3):
            self.assertTrue(self.happened("die-%d" % number))
        self.assertEqual(self.merge(), want)
        shardq("verify", "-i", self.target)

    def test_no_line_is_changed_on_the_way(self):
        texts = ["plain", "\\N", "\\n \\t \\\\ \\u0041", "one\ttwo\t\tthree", "  spaces on both sides  ", '"quoted, ""twice"""',
                 "\u00e9\u6f22\u5b57 \u2028 \u0085 \ufeff", "NULL", "null", "$dollar ${work} `tick`", "\\", "a\0b", "\x7f\x1b[0m",
                 "\U0001f600", "#comment", "-- no comment", "long " + "x" * 60000, "row\tone", "entry\tone"]
        source = path("nasty.txt")
        with open(source, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(text + " %d\n" % number for number in range(40) for text in texts[: 19 if number < 3 else 16])
            file.writelines(text + "\n" for text in texts)
        options = ["--input-format", "lines", "--shard-size", "8KiB"]
        want = local(source, "nasty", *options)
        self.plan_of(source, options)
        self.end(spark.start(source, self.work, self.target, self.plan, SHARDQ))
        self.assertEqual(self.merge(), want)

    def test_lines_that_spark_would_change_end_the_job(self):
        for name, line in (("bytes", b"no \xff UTF-8\n"), ("separator", b"one\x01two\n"), ("return", b"one\rtwo\n")):
            with self.subTest(name):
                source = path(name)
                with open(source, "wb") as file:
                    file.write(b"one\ntwo\n")
                self.plan_of(source, ["--input-format", "lines"])
                with open(source, "ab") as file:
                    file.write(line)
                job = spark.start(source, self.work, self.target, self.plan, SHARDQ, master="local[2]")
                self.assertRaises(AssertionError, self.end, job)


class Tables(Base):
    """Records in tables. Spark makes these of JSON lines, and the index has the bytes of a build of the same lines."""

    SCHEMA = ("name STRING, country STRING, _id BIGINT, population BIGINT, price DECIMAL(12, 4), day DATE, at TIMESTAMP, "
              "local TIMESTAMP_NTZ, names ARRAY<STRING>, kind STRING, place STRUCT<lat: DOUBLE, more: STRUCT<state: STRING>>, "
              "tags MAP<STRING, STRING>, is_old BOOLEAN")
    OPTIONS = [*OPTIONS, "--number", "price", "--number", "at", "--filter", "place.more.state"]

    def lines(self, count=4000):
        """The lines as Spark writes them: each date and time in full, and null in no member."""
        source = path(os.path.basename(self.here) + ".jsonl")
        with open(cities(count), encoding="utf-8") as given, open(source, "w", encoding="utf-8") as file:
            for number, line in enumerate(given):
                record = json.loads(line)
                made = {name: record[name] for name in ("name", "country", "_id", "population")}
                made["price"] = decimal.Decimal(number).scaleb(-4)
                made["day"] = "%04d-02-%02d" % (1900 + number % 200, 1 + number % 28)
                made["at"] = "2025-01-02T03:04:%02d.%06dZ" % (number % 60, number)
                made["local"] = "2025-07-01T00:00:%02d.000000" % (number % 60)
                made["names"] = record["names"]
                made["kind"] = record["kind"]
                made["place"] = {"lat": number % 90 + 0.25, "more": {"state": "Süd \"%d\"" % (number % 5)}}
                made["tags"] = {"a\n": "b", "10": ""}
                made["is_old"] = number % 2 == 0
                for name in list(made)[3:] if number % 7 == 0 else ["name"] if number % 100 == 1 else []:
                    del made[name]  # A row without a key has an empty name.
                text = json.dumps({**made, "price": 0} if "price" in made else made, ensure_ascii=False, separators=(",", ":"))
                if "price" in made:
                    text = text.replace('"price":0', '"price":%.4f' % made["price"])
                file.write(text + "\n")
        return source

    def table(self, source):
        """A Parquet file of lines; zstd, since Spark's library for Snappy does not load on every Linux."""
        place = os.path.join(self.here, "table")
        statement = ("INSERT OVERWRITE DIRECTORY '%s' USING parquet OPTIONS (compression 'zstd') SELECT row.* FROM "
                     "(SELECT from_json(value, '%s') AS row FROM text.`%s`)" % (place, self.SCHEMA, source))
        spark.end(spark.run(["-e", statement], self.here), os.path.join(self.here, "job.log"))
        return place

    def test_a_table_a_query_and_the_lines_give_the_same_index(self):
        source = self.lines()
        want = local(source, "lines-of-table", *self.OPTIONS)
        self.plan_of(source, self.OPTIONS)
        place = self.table(source)
        for table in ("parquet.`%s`" % place, "(SELECT * FROM parquet.`%s` WHERE kind <> 'it''s' OR kind IS NULL)" % place):
            with self.subTest(table):
                said = os.path.join(self.here, "said")
                self.end(spark.start(table, self.work, self.target, self.plan, SHARDQ, stderr=said))
                self.assertEqual(self.merge(), want)
                with open(said, encoding="utf-8") as file:
                    self.assertRegex(file.read(), r"(?m)^[\d,]+ records in [\d,]+ bytes, \d+\.\d\d s$")
                subprocess.run(["rm", "-r", self.target, said], check=True)

    def test_columns_that_differ_in_case_are_two_fields(self):
        source = path("case.jsonl")
        with open(source, "w", encoding="utf-8") as file:
            file.write('{"name":"a","Name":"b","country":"FR","_id":1}\n')
        options = ["--key", "{name}, {country}", "--id", "_id"]
        want = local(source, "case", *options)
        self.plan_of(source, options)
        self.end(spark.start("(SELECT 'a' AS name, 'b' AS Name, 'FR' AS country, 1 AS _id)", self.work, self.target,
                             self.plan, SHARDQ))
        self.assertEqual(self.merge(), want)


class Standalone(Base):
    """Two workers on two addresses."""

    def test_the_job_of_the_page(self):
        """The block of docs/distributed.md, with places of this machine."""
        with open(os.path.join(ROOT, "docs/distributed.md"), encoding="utf-8") as file:
            commands = re.search(r"```sh\n([^`]*spark-sql[^`]*)```", file.read()).group(1)
        source = path("page.jsonl")
        shardq("generate", "--count", "12000", "--seed", "4", "--format", "jsonl", into=source)
        want = local(source, "page", "--key", "{name}, {country}", "--id", "_id")
        cluster = spark.Cluster(self.here)
        self.addCleanup(cluster.stop)
        for place, here in [
            ("spark://host:7077", cluster.master), ("/usr/local/bin", BIN), ("/usr/local/libexec/shardq", BIN),
            ("/data/records", source), ("sample.jsonl", source), ("/shared", self.here),
        ]:
            self.assertIn(place, commands)
            commands = commands.replace(place, here)
        os.symlink(os.path.join(ROOT, "Packaging"), os.path.join(self.here, "Packaging"))
        with open(os.path.join(self.here, "job.log"), "wb") as log:
            job = subprocess.Popen(["sh", "-euc", commands], cwd=self.here, stdout=log, stderr=log,
                                   env=spark.configured(self.here), start_new_session=True)
        self.end(job)
        self.assertEqual(digest(os.path.join(self.here, "cities")), want)

    def test_a_straggler_is_overtaken_a_worker_dies_and_a_zombie_writes_late(self):
        source = cities(12000, "standalone.jsonl", seed=2)
        want = local(source, "standalone", *OPTIONS)
        self.plan_of(source)
        program = self.program("die-1", "straggler", "slow")
        cluster = spark.Cluster(self.here)
        self.addCleanup(cluster.stop)
        job = spark.start(
            source, self.work, self.target, self.plan, program, master=cluster.master,
            **{"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.speculation": "true",
               "spark.speculation.interval": "200ms", "spark.speculation.quantile": "0.3",
               "spark.speculation.multiplier": "1.5", "spark.speculation.minTaskRuntime": "500ms",
               "spark.network.timeout": "60s"})
        self.end(job)
        self.assertTrue(self.happened("straggler") and self.happened("die-1"))
        self.assertEqual(self.merge(), want)
        # The job did not wait for the straggler.
        self.assertFalse(os.path.exists(os.path.join(self.faults, "late-status")))
        open(os.path.join(self.faults, "go-on"), "w").close()
        self.await_file("late-status", None)
        with open(os.path.join(self.faults, "late-status"), encoding="utf-8") as file:
            self.assertEqual(file.read().strip(), "0")
        self.assertEqual(digest(self.target), want)
        shardq("verify", "-i", self.target)

    def test_a_worker_is_killed(self):
        source = cities(12000, "killed.jsonl", seed=3)
        want = local(source, "killed", *OPTIONS)
        self.plan_of(source)
        program = self.program("slow")
        cluster = spark.Cluster(self.here)
        self.addCleanup(cluster.stop)
        job = spark.start(source, self.work, self.target, self.plan, program, master=cluster.master,
                          **{"spark.executor.memory": "512m", "spark.executor.cores": "1"})
        self.await_file("slow-*", job)
        time.sleep(5)
        cluster.kill(2)
        self.end(job)
        self.assertEqual(self.merge(), want)
        shardq("verify", "-i", self.target)


if __name__ == "__main__":
    unittest.main()
