"""The tables of `run.sh --lazy`: the measures with their bounds, and the sections of the pages that show them."""

import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, "../../docs")

# Half of the parts, mean and most, that the index with sketches of six characters opened for the same texts: the musts.
PARTS = {
    "beginning": ((7.8, 28), (6, 16)),
    "one error": ((27.7, 247), (8, 40)),
    "two errors": ((40.9, 191), (20, 80)),
    "any order": ((8.2, 497), (6, 24)),
}
# The most, in per cent, by which the full index may be larger than the plain one, and the aim.
BYTES = {"cities": (60, 35), "gn": (65, 45), "air": (130, 90), "words": (25, 20)}
# For a kind of texts the rival, the greatest quotient of the times, and the aim.
TIMES = (
    ("beginning", "FTS5", 1.0, 0.5), ("one error", "tantivy", 0.25, None), ("two errors", "tantivy", 0.4, None),
    ("three words", "FTS5", 0.5, None),
)  # fmt: skip


def number(value, digits=0):
    return "" if value is None else f"{value:,.{digits}f}"


def table(heads, rows):
    """A table of Markdown; all columns but the first have numbers."""
    lines = [" | ".join(heads), "|".join(["---", *["--:"] * (len(heads) - 1)])]
    return "".join(f"| {line} |\n" if line[0] != "-" else f"|{line}|\n" for line in [*lines, *map(" | ".join, rows)])


class Measures:
    """The rows of the table of bounds. A measure without a figure has the row "not measured"."""

    def __init__(self, found):
        self.found, self.rows = found, []
        self.sessions()
        self.parts()
        self.times()
        self.sizes()

    def add(self, label, value, must=None, aim=None, digits=1, unit=""):
        shown = number(value, digits) + unit if value is not None else "not measured"
        bounds = [f"{bound}{unit}" if bound is not None else "" for bound in (must, aim)]
        self.rows.append((label, shown, *bounds))

    def sessions(self):
        for name, title, aims in (("gn", "GeoNames", (2.5, 6, 90, 2)), ("cities", "cities", (2.4, 5, None, None))):
            of = lambda index, member: getattr(self.found["module"].get((name, index, "mixed")), member, None)
            self.add(f"{title}: requests of a session, mean", of("starts", "mean"), 6, aims[0])
            self.add(f"{title}: requests of a session with exact answers, mean", of("exact", "mean"))
            self.add(f"{title}: requests of a session, 99th percentile", of("starts", "p99"), 45, aims[1], 0)
            if aims[2]:
                self.add(f"{title}: KB of a session, mean", of("starts", "kilobytes"), 160, aims[2], 0)
                self.add(f"{title}: rounds of requests of a key, most", of("starts", "rounds"), 5, aims[3], 0)
                self.add(f"{title}: rounds of a key with exact answers, most", of("exact", "rounds"), digits=0)

    def parts(self):
        for kind, (must, aim) in PARTS.items():
            works = self.found["works"].get(("gn", kind))
            parts = [work.parts for work in works] if works else None
            self.add(f"GeoNames: parts of a text, {kind}, mean", parts and sum(parts) / len(parts), must[0], aim[0])
            self.add(f"GeoNames: parts of a text, {kind}, most", parts and max(parts), must[1], aim[1], 0)
        hard = self.found["hard"]
        self.add("postal places: parts of a text, most", hard and max(each[0].parts for each in hard), 128, 64, 0)

    def times(self):
        middle = lambda kind, name: self.found["times"].get(kind, {}).get(name)
        p50 = lambda kind, name: (times := middle(kind, name)) and times[len(times) // 2]
        quotient = lambda kind, one, other: (
            p50(kind, one) / p50(kind, other) if middle(kind, one) and middle(kind, other) else None
        )
        for kind in PARTS:
            self.add(f"GeoNames: median time with 1 MiB of cache over all cached, {kind}", quotient(kind, "1 MiB", "all cached"), 2)
        for kind, rival, must, aim in TIMES:
            self.add(f"GeoNames: median time over that of {rival}, {kind}", quotient(kind, "all cached", rival), must, aim, 2)
        self.add("GeoNames: instructions of `shardq lodnon` over `shardq london`", self.found["instructions"], 2)

    def sizes(self):
        titles = {"cities": "cities", "gn": "GeoNames", "air": "airports", "words": "words"}
        for name, (must, aim) in BYTES.items():
            indexes = self.found["indexes"].get(name)
            label = f"{titles[name]}: bytes of the full index beside the plain one"
            self.add(label, indexes and indexes.more(indexes.full), must, aim, 1, " %")

    def text(self):
        return table(("measure", "measured", "must be", "aim"), self.rows)


def bytes_table(found):
    rows = []
    for indexes in found["indexes"].values():
        sizes = [indexes.bytes[index] for index in (indexes.plain, indexes.full, indexes.starts)]
        more = [f"+{indexes.more(index):.1f} %" for index in (indexes.full, indexes.starts)]
        rows.append((indexes.list.title, number(indexes.count), *map(number, sizes), *more))
    heads = ("list", "records", "plain, bytes", "full, bytes", "full with `--starts`, bytes", "full beside plain",
             "full with `--starts` beside plain")  # fmt: skip
    return table(heads, rows)


def parts_table(found):
    rows = []
    for (name, kind), works in found["works"].items():
        columns = [[work[column] for work in works] for column in range(3)]
        cells = [cell for one in columns for cell in (number(sum(one) / len(one), 1), number(max(one)))]
        rows.append((f"{found['indexes'][name].list.title}, {kind}", number(len(works)), *cells))
    heads = ("list and texts", "texts", "parts, mean", "most", "shards opened, mean", "most", "KB unpacked, mean",
             "most")  # fmt: skip
    return table(heads, rows)


def hard_table(found):
    heads = ("hardest texts of the postal places", "parts", "shards", "KB unpacked")
    most = sorted(found["hard"] or (), key=lambda each: -each[0].parts)[:5]
    texts = [f"`{text}`" + (f" in {value}" if value else "") for _, (text, value) in most]
    return table(heads, [(text, *map(number, work)) for text, (work, _) in zip(texts, most)])


def cold_table(found):
    rows = []
    for name, (plain, full, works) in found["cold"].items():
        times = [f"{one[int(share * (len(one) - 1))]:.1f}" for one in (plain, full) for share in (0.5, 0.99)]
        means = [number(sum(work[column] for work in works) / len(works), 1) for column in range(3)]
        rows.append((found["indexes"][name].list.title, *times, *means))
    heads = ("list", "plain, ms, median", "99th percentile", "full, ms, median", "99th percentile", "parts, mean",
             "shards, mean", "KB unpacked, mean")  # fmt: skip
    return table(heads, rows)


def times_table(found):
    names = ("all cached", "1 MiB", "FTS5", "tantivy", "tantivy, first matches")
    rows = []
    for kind, times in found["times"].items():
        cells = [
            f"{one[len(one) // 2]:,.0f} / {one[int(0.99 * (len(one) - 1))]:,.0f}" if (one := times.get(name)) else ""
            for name in names
        ]
        rows.append((kind, *cells))
    heads = ("texts", "shardq, all cached, us", "shardq, 1 MiB of cache, us", *(f"{name}, us" for name in names[2:]))
    return table(heads, rows)


OPTIONS = {"full": "", "starts": " with `--starts`", "exact": " with `--starts`, exact answers too"}


def requests_table(found, is_main):
    """Of the module, and of SQLite: the mixed sessions of indexes with starts, and whole records, or all others."""
    rows = []

    def add(label, played):
        rows.append((
            label, number(played.opening), number(played.opening_kilobytes), number(played.mean, 1), number(played.p99),
            number(played.kilobytes), number(played.rounds), number(played.unanswered),
        ))  # fmt: skip

    title = lambda name: found["indexes"][name].list.title
    for (name, index, kind), played in found["module"].items():
        if is_main == ((index, kind) == ("starts", "mixed")):
            add(f"shardq, {title(name)}{OPTIONS[index]}" + ("" if kind == "mixed" else f", {kind} alone"), played)
    for (name, records), played in found["sqlite"].items():
        if is_main == (records == "whole records"):
            add(f"SQLite FTS5 by ranges, {title(name)}" + ("" if is_main else f", {records} alone"), played)
    heads = ("program and index", "requests to open", "KB to open", "requests of a session, mean", "99th percentile",
             "KB of a session, mean", "rounds of a key, most", "keys without an answer")  # fmt: skip
    return table(heads, rows)


def remote_table(found):
    rows = [
        (label, number(played.mean, 1), number(played.p99), number(played.kilobytes))
        for label, played in found["remote"].items()
    ]
    heads = ("index and `--fetch`", "requests of a session, mean", "99th percentile", "KB of a session, mean")
    return table(heads, rows)


def put(page, section, text):
    """Replaces the lines between the comments of a section of a page, or the page if there is no section."""
    path = os.path.join(DOCS, page)
    if section:
        with open(path, encoding="utf-8") as file:
            content = file.read()
        begin, end = f"<!-- {section}: Benchmarks/run.sh --lazy writes these lines -->\n", f"<!-- end of {section} -->\n"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if len(pattern.findall(content)) != 1:
            raise RuntimeError(f"{page} has no section with these lines: {begin}{end}")
        text = pattern.sub(lambda _: begin + text + end, content)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
