"""The cost of numbers and facets, beside SQLite: Benchmarks/run.sh --numbers

    figures.py BIN LIBRARY DATA WORK [--records 200000]

The lists are 200,000 products, made by a seed, and the postal places of DATA, by latitude. All contenders answer in one
process, through Python's bindings, and take turns over the rounds. The first round fills caches. shardq gives the JSON of
ten records, and SQLite rows of all fields. afar.py counts requests. The script writes the tables into
docs/numbers-cost.md; with other --records it prints them.
"""

import argparse
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "../lazy"), os.path.join(HERE, "../../Scripts")]
import afar  # noqa: E402
import generated  # noqa: E402
from timed import medians, package  # noqa: E402

RECORDS = 200_000
TEXTS = 400
ADJECTIVES = (
    "red green blue small large heavy light cordless compact silent folding wooden steel garden kitchen travel mini pro "
    "classic digital").split()
NOUNS = "drill saw lamp hammer wrench sander planer ladder vacuum grinder chair table kettle mixer tent torch pump fan".split()


def products(path, count):
    """A shop's list: prices like those of shops, two hundred brands of falling size, dates of ten years."""
    rng = random.Random(5)
    brands = ["".join(rng.choice("bdklmrst") + rng.choice("aeiou") for _ in range(rng.randrange(2, 4))).title() for _ in range(200)]
    with open(path, "w") as out:
        for number in range(count):
            name = f"{rng.choice(ADJECTIVES)} {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.randrange(10_000)}"
            day = f"{rng.randrange(2015, 2025)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
            row = {
                "name": name, "brand": brands[min(199, int(rng.expovariate(0.03)))], "price": round(rng.lognormvariate(3, 1), 2),
                "created": day, "sold": int(rng.paretovariate(1) * 10), "sku": number}
            out.write(json.dumps(row) + "\n")


def build(shardq, index, source, *options):
    subprocess.run([shardq, "build", "-q", "-i", index, *options, source], check=True)
    return sum(os.path.getsize(os.path.join(index, name)) for name in os.listdir(index))


def opened(shardq, index, text, *options):
    """The parts that a search of the command opens."""
    run = subprocess.run(
        [shardq, "query", "--explain", "-i", index, *options, "--", text], capture_output=True, check=False, text=True)
    return next(int(line.split()[-1].replace(",", "")) for line in run.stdout.splitlines() if line.startswith("parts opened"))


class SQLite:
    """A table with an index by folded key and one by number, and FTS5 over the keys."""

    def __init__(self, rows, fields):
        self.db = sqlite3.connect(":memory:")
        self.db.execute(f"create table t ({', '.join(fields)})")
        self.db.executemany(f"insert into t values ({', '.join('?' * len(fields))})", rows)
        for field in fields[:3]:
            self.db.execute(f"create index i_{field} on t ({field})")
        self.db.execute(f"create virtual table f using fts5 (key, content='', columnsize=0, detail=none, prefix='1 2 3')")
        self.db.execute(f"insert into f (rowid, key) select rowid, {fields[0]} from t")
        self.db.execute("analyze")

    def first(self, text, number):
        end = text[:-1] + chr(ord(text[-1]) + 1)
        return self.db.execute(f"select * from t where key >= ? and key < ? order by {number} limit 10", (text, end)).fetchall()

    def first_by_words(self, text, number):
        words = " ".join(f'"{word}"*' for word in re.findall(r"\w+", text))
        return self.db.execute(
            f"select t.* from f join t on t.rowid = f.rowid where f match ? order by {number} limit 10", (words,)).fetchall()

    def scan(self, text, number):
        return self.db.execute(f"select * from t where +key glob ? order by +{number} limit 10", (text + "*",)).fetchall()

    def facet(self, text, field):
        end = text[:-1] + chr(ord(text[-1]) + 1) if text else ""
        where, values = ("where key >= ? and key < ?", (text, end)) if text else ("", ())
        return self.db.execute(
            f"select {field}, count(*) c from t {where} group by {field} order by c desc limit 10", values).fetchall()


def percentile(found, share):
    return found[min(len(found) - 1, int(share * len(found)))]


def beginnings(keys):
    rng = random.Random(7)
    return [key[: rng.randrange(1, 9)].rstrip() for key in rng.choices(keys, k=TEXTS)]


def row(cells):
    return "| " + " | ".join(cells) + " |\n"


def sorted_rows(title, index, sqlite, texts, number, shardq, command, path):
    """The table of the first ten records by number."""
    asks = {
        "shardq, by rank": lambda text: index.search(text, limit=10),
        f"shardq, by {number}": lambda text: index.search(text, limit=10, sort=number),
        "SQLite, indexes": lambda text: sqlite.first(text, number),
        "SQLite FTS5": lambda text: sqlite.first_by_words(text, number),
    }
    found = medians(asks, texts)
    scans = medians({"SQLite, scan": lambda text: sqlite.scan(text, number)}, texts[:10])
    found |= scans
    some = texts[:60]
    parts = {
        "shardq, by rank": [opened(command, path, text) for text in some],
        f"shardq, by {number}": [opened(command, path, text, f"--sort={number}") for text in some]}
    out = f"\n{title}\n\n| contender | median, us | 99th percentile, us | parts opened, mean |\n|---|--:|--:|--:|\n"
    for name, times in found.items():
        mean = f"{statistics.mean(parts[name]):.1f}" if name in parts else ""
        out += row([name, f"{percentile(times, 0.5):,.0f}", f"{percentile(times, 0.99):,.0f}", mean])
    by_rank, by_number = (percentile(found[name], 0.99) for name in list(found)[:2])
    return out + f"\nBy number over by rank, 99th percentiles: {by_number / by_rank:.2f} (must 1.3).\n"


def facet_rows(index, sqlite, text):
    """The table of facets: a text with about 10,000 matches, and the whole list."""
    out = "\n| facet `brand` of | shardq, us | SQLite's GROUP BY, us | ratio |\n|---|--:|--:|--:|\n"
    for name, text in ((f"`{text}`", text), ("the whole list", "")):
        asks = {
            "shardq": lambda text: index.search(text, limit=0, sort="key", facets=["brand"]),
            "SQLite": lambda text: sqlite.facet(text, "brand")}
        found = medians(asks, [text] * 5)
        own, other = (percentile(found[which], 0.5) for which in asks)
        out += row([name, f"{own:,.0f}", f"{other:,.0f}", f"{own / other:.2f}"])
    return out


def product_tables(command, shardq, work, count):
    source = os.path.join(work, "products.jsonl")
    products(source, count)
    options = ["--key", "{name}", "--weight", "sold", "--filter", "brand", "--words", "--typos"]
    sizes = {name: build(command, os.path.join(work, name), source, *options, *more) for name, more in {
        "plain": [], "price": ["--number", "price"], "full": ["--number", "price", "--number", "created"]}.items()}
    out = "| products: index | bytes | more for each field |\n|---|--:|--:|\n"
    fields = {"plain": 0, "price": 1, "full": 2}
    for name, size in sizes.items():
        share = f"{100 * (size - sizes['plain']) / sizes['plain'] / fields[name]:.2f} %" if fields[name] else ""
        out += row([{"plain": "without numbers", "price": "`price`", "full": "`price` and `created`"}[name], f"{size:,}", share])
    rows = [json.loads(line) for line in open(source)]
    sqlite = SQLite([(r["name"], r["price"], r["created"], r["brand"], r["sold"]) for r in rows], ["key", "price", "created", "brand", "sold"])
    path = os.path.join(work, "full")
    with shardq.Index(path, cache_bytes=1 << 30) as index:
        texts = beginnings([r["name"] for r in rows])
        out += sorted_rows("First ten products of beginnings, one to eight letters:", index, sqlite, texts, "price", shardq, command, path)
        text = min((w[:size] for w in ADJECTIVES for size in (1, 2, 3)), key=lambda w: abs(sum(r["name"].startswith(w) for r in rows[::20]) - 500))
        out += facet_rows(index, sqlite, text)
    return out + afar.table(command, work, [(r["name"], r["sold"]) for r in rows])


def place_tables(command, shardq, data, work):
    from indexes import POST_HEADER

    source, packed = os.path.join(work, "places.tsv"), os.path.join(data, "postal-places.tsv.zst")
    if not os.path.exists(packed):
        return "\nThe postal places are not in the directory of data.\n"
    with open(source, "wb") as out:
        out.write(POST_HEADER.encode())
        out.flush()
        subprocess.run(["zstd", "-dcq", packed], stdout=out, check=True)
    options = ["--key", "{place}, {country}", "--filter", "country", "--words", "--typos"]
    sizes = [build(command, os.path.join(work, f"places{n}"), source, *options, *more) for n, more in enumerate(([], ["--number", "lat"]))]
    rows = [line.rstrip("\n").split("\t") for line in open(source, encoding="utf-8")][1:]
    rows = [(f"{r[0].lower()}, {r[2].lower()}", float(r[6]) if r[6] else None, r[1], r[2]) for r in rows if len(r) > 6]
    sqlite = SQLite(rows, ["key", "lat", "code", "country"])
    out = f"\nPostal places: {len(rows):,} records; `lat` takes {100 * (sizes[1] - sizes[0]) / sizes[0]:.2f} % of the index.\n"
    path = os.path.join(work, "places1")
    with shardq.Index(path, cache_bytes=1 << 30) as index:
        texts = [text for text in beginnings([r[0] for r in rows]) if re.search(r"\w", text) and text.isascii()]
        out += sorted_rows("First ten places of beginnings, one to eight letters:", index, sqlite, texts, "lat", shardq, command, path)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("bin", "wheel", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("--records", type=int, default=RECORDS)
    asked = parser.parse_args()
    os.makedirs(asked.work, exist_ok=True)
    for name in ("plain", "price", "full", "places0", "places1"):
        subprocess.run(["rm", "-rf", os.path.join(asked.work, name)], check=True)
    command = os.path.join(asked.bin, "shardq")
    shardq = package(asked.wheel, asked.work)
    out = (
        f"# The cost of numbers\n\n`Benchmarks/run.sh --numbers` wrote this page. The lists are {asked.records:,} made products and the\n"
        "postal places, built with words, typing errors and a filter. All contenders answer in one process through Python's\n"
        "bindings, with all cached; shardq gives the JSON of ten records, SQLite (in memory) rows.\n\n")
    out += product_tables(command, shardq, asked.work, asked.records) + place_tables(command, shardq, asked.data, asked.work)
    if asked.records == RECORDS:
        generated.write_or_check("docs/numbers-cost.md", out, False)
    else:
        print(out)


if __name__ == "__main__":
    main()
