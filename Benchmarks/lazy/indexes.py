"""The lists that `run.sh --lazy` measures: their files, their options of `shardq build`, and their indexes."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass

POST_HEADER = "place\tpostcode\tcountry\tstate\tprovince\tcommunity\tlat\tlon\n"


@dataclass(frozen=True)
class List:
    """A list, and its options. `key` stands in the commands of both indexes, `full` only in that of the full index."""

    name: str
    title: str
    packed: str  # The file in the directory of the data, or in that of the suites.
    file: str  # The unpacked file in the work directory.
    key: tuple
    full: tuple
    weighted: bool  # Whether records have weights; the generator of sessions shuffles a list without weights.
    filter: str = ""  # The field of the filter.
    header: str = ""  # The line that the file lacks.
    has_sessions: bool = True

    @property
    def others(self):
        """The fields with other names."""
        return [field for option, field in zip(self.full, self.full[1:]) if option == "--alias"]


LISTS = (
    List(
        "gn", "GeoNames", "geonames-cities1000.txt.zst", "geonames.txt", ("--input-format", "geonames"),
        ("--weight", "population", "--words", "--alias", "alternatenames", "--typos", "--filter", "country code", "--near"),
        True, "country code",
    ),
    List("cities", "cities", "cities.json.zst", "cities.json", (),
         ("--words", "--typos", "--filter", "country", "--near"), False, "country"),
    List(
        "air", "airports", "airports.list.tsv.zst", "airports.tsv", ("--key", "{name}"),
        ("--weight", "weight", "--words", "--alias", "city", "--alias", "iata", "--alias", "icao", "--typos",
         "--filter", "country", "--near"),
        True, "country",
    ),
    List("words", "words", "words82k.list.tsv.zst", "words.tsv", ("--key", "{name}"),
         ("--weight", "weight", "--words", "--typos"), True, has_sessions=False),
    List("post", "postal places", "postal-places.tsv.zst", "post.tsv", ("--key", "{place}, {country}"),
         ("--words", "--typos", "--filter", "country"), False, "country", POST_HEADER),
)  # fmt: skip


def packed_path(one, data, suites):
    """The path of the list's compressed file, or None."""
    found = [os.path.join(folder, one.packed) for folder in (data, suites)]
    return next((path for path in found if os.path.exists(path)), None)


class Indexes:
    """The indexes of a list in the work directory: `plain`, `full`, and `starts`, which is full with first answers."""

    def __init__(self, one, packed, work, shardq):
        self.list, self.source = one, os.path.join(work, one.file)
        with open(self.source, "wb") as file:
            file.write(one.header.encode())
            file.flush()
            subprocess.run(["zstd", "-dcq", packed], check=True, stdout=file)
        self.folder = os.path.join(work, "idx")
        os.makedirs(self.folder, exist_ok=True)
        self.plain, self.full, self.starts = (
            os.path.join(self.folder, one.name + ending) for ending in ("-plain", "", "-starts")
        )
        for index, options in ((self.plain, ()), (self.full, one.full), (self.starts, (*one.full, "--starts"))):
            # An index of another build may keep files that this build would make in another way.
            shutil.rmtree(index, ignore_errors=True)
            subprocess.run(
                [shardq, "build", "-q", "-i", index, self.source, *one.key, *options], check=True, stdout=subprocess.DEVNULL
            )
        self.bytes = {index: size_of(index) for index in (self.plain, self.full, self.starts)}

    def more(self, index):
        """The bytes of an index beside the plain index, in per cent."""
        return 100 * self.bytes[index] / self.bytes[self.plain] - 100

    def rows(self):
        """The name, the weight, the value of the filter, the other names and the text of each record.

        The weight is 1 in a list without weights.
        """
        with open(self.source, encoding="utf-8") as file:
            if self.list.name == "cities":
                for row in json.load(file):
                    yield row["name"], 1, row["country"], (), json.dumps(row, ensure_ascii=False)
                return
            lines = (line.rstrip("\n") for line in file)
            if self.list.name == "gn":
                for line in lines:
                    row = line.split("\t")
                    yield row[1], int(row[14] or 0), row[8], row[3].split(","), line
                return
            columns = next(lines).split("\t")
            name = self.list.key[1][1:].split("}")[0]
            others = self.list.others
            for line in lines:
                row = dict(zip(columns, line.split("\t")))
                yield row[name], int(row.get("weight", 1)), row.get("country", ""), [row[each] for each in others], line

    def records(self):
        """The name, the weight and the value of the filter of each record."""
        return [row[:3] for row in self.rows()]


def size_of(path):
    return sum(os.path.getsize(os.path.join(path, name)) for name in os.listdir(path))
