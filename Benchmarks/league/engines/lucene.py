"""Lucene's suggesters, of Debian's liblucene8-java, in a process of Java."""

import glob
import os
import shutil
import subprocess

import texts
from records import Missing

from .base import ALL, REPEATED, Engine, distinct
from .fts5 import all_words

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Suggest.java")
# The suggesters keep weights in 32 bits with a sign.
GREATEST = 2**31 - 2


def libraries(tools):
    folders = (os.path.join(tools.debian, "usr", "share", "java"), "/usr/share/java")
    for folder in folders:
        found = [glob.glob(os.path.join(folder, f"lucene-{part}-8*.jar")) for part in ("core", "suggest")]
        found.append(glob.glob(os.path.join(folder, "lucene-analyzers-common-8*.jar")))
        if all(found):
            return [paths[0] for paths in found]
    raise Missing("Debian's package liblucene8-java is not there")


class Suggester(Engine):
    edits = None  # that it corrects

    @classmethod
    def version(cls, tools):
        if not shutil.which("javac"):
            raise Missing("no Java compiler: apt-get install default-jdk-headless")
        return os.path.basename(libraries(tools)[0]).removeprefix("lucene-core-").removesuffix(".jar")

    @classmethod
    def build(cls, tools):
        with open(SOURCE, encoding="utf-8") as file:
            return file.read()

    def __init__(self, records, folder, tools):
        path = ":".join([folder, *libraries(tools)])
        subprocess.run(["javac", "-cp", path, "-d", folder, SOURCE], check=True)
        names = self.names(records.records)
        limit = 10 if self.edits is None else REPEATED
        command = ["java", "-Xmx3g", "-XX:+UseSerialGC", "-cp", path, "Suggest"]
        command += [str(self.edits or 0), folder, str(limit)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        scale = max(1, -(-max(weight for weight, _, _ in names) // GREATEST))
        self.process.stdin.write(f"{len(names)}\n")
        for weight, row, text in names:
            self.process.stdin.write(f"{weight // scale}\t{row}\t{text}\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("Suggest.java has made no index")

    def ask(self, text, limit):
        self.process.stdin.write(" ".join(texts.words(text)) + "\n")
        self.process.stdin.flush()
        return distinct(map(int, self.process.stdout.readline().split()), limit)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Fuzzy1(Suggester):
    name = "Lucene 1"
    edits = 1
    abilities = frozenset({"corrections", "records"})
    about = "`FuzzySuggester` over all names: one edit in any letter; whole texts first, then by weight"

    def names(self, records):
        return [
            (record.weight, row, " ".join(texts.words(name)))
            for row, record in enumerate(records)
            for name in (record.key, *record.others)
            if texts.words(name)
        ]


class Fuzzy2(Fuzzy1):
    name = "Lucene 2"
    edits = 2
    about = "the same with two edits"


class Infix(Suggester):
    name = "Lucene infix"
    abilities = ALL - {"corrections"}
    about = "`AnalyzingInfixSuggester` over all words of a record: all words, the last as a prefix, heaviest first"

    def names(self, records):
        return [(record.weight, row, all_words(record)) for row, record in enumerate(records) if all_words(record)]
