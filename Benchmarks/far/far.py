"""Counts the requests and bytes of typing against a distant host, for shardq and for rivals that need no server.

    pip install apsw pagefind pagefind_bin pmtiles
    python3 far.py RECORDS SHARDQ MODULE [--sessions 200] [--pagefind 5000]

RECORDS is a list that `shardq build` takes, SHARDQ the directory of its programs, MODULE the WebAssembly module. Prints a
table of Markdown. A session is the texts of one search in a log of `shardq generate --typing`; each begins with nothing
in memory. The script counts requests and bytes without those of programs, and measures no times, which depend on the
network.

- shardq: Sources/Hosts/Wasm/shardq.js in Node. By key, without and with starts; the best first of an index with words and
  typing errors, which has starts too. Opening includes the starts, which come while the first key is typed.
- SQLite: a table without row ids, by folded key, pages of 4,096 bytes, read by ranges as sql.js-httpvfs reads them
  (ranges.py).
- PMTiles finds its tiles by numbers and not by texts: opening, and one tile, of an archive that holds the shards. No
  archive with a directory takes less.
- Pagefind finds words and their beginnings in texts, in headless Chromium; its records are one file each. It gets a part
  of the list, a page a record.
"""

import argparse
import functools
import html
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unicodedata

import ranges

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def folded(text):
    """Near enough to shardq's fold for the names of a list."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))


def sessions(log, most):
    texts, found = [], []
    for line in log.splitlines():
        text = line.partition("\t")[2]
        if text:
            texts.append(text)
        elif texts:
            found.append(texts)
            texts = []
    return found[:most]


class Figures:
    """The requests of sessions: those of opening, and the later ones."""

    def __init__(self):
        self.opening, self.gets, self.bytes = [], [], []

    def add(self, opening, gets, size):
        self.opening.append(opening)
        self.gets.append(gets)
        self.bytes.append(size)

    def row(self):
        count = len(self.gets)
        return (
            sum(self.opening) / count,
            sum(self.gets) / count,
            sorted(self.gets)[int(0.99 * (count - 1))],
            sum(self.bytes) / count / 1024,
        )


def sqlite(records, texts, work):
    import apsw

    path = work / "cities.sqlite"
    database = apsw.Connection(str(path))
    database.execute("PRAGMA page_size = 4096")
    database.execute("CREATE TABLE places (key TEXT, number INTEGER, record TEXT, PRIMARY KEY (key, number)) WITHOUT ROWID")
    rows = sorted((folded(key), number, text) for number, (key, text) in enumerate(records))
    with database:
        database.executemany("INSERT INTO places VALUES (?, ?, ?)", rows)
    database.close()
    figures, database = Figures(), ranges.FarDatabase(path)
    for session in texts:
        with database.opened() as (far, read):
            opening = read.requests
            read.bytes = 0
            for text in session:
                key = folded(text)
                far.execute(
                    "SELECT record FROM places WHERE key >= ? AND key < ? ORDER BY key LIMIT 10", (key, key + "\U0010ffff")
                ).fetchall()
            figures.add(opening, read.requests - opening, read.bytes)
    return figures


def tiles(index, work):
    from pmtiles.reader import Reader
    from pmtiles.tile import Compression, TileType, tileid_to_zxy
    from pmtiles.writer import Writer

    shards = sorted(path for path in index.iterdir() if path.suffix == ".zst")
    archive = work / "shards.pmtiles"
    with open(archive, "wb") as file:
        writer = Writer(file)
        for number, shard in enumerate(shards):
            writer.write_tile(number, shard.read_bytes())
        writer.finalize({"tile_type": TileType.UNKNOWN, "tile_compression": Compression.NONE}, {})
    data = archive.read_bytes()
    figures = Figures()
    for number in range(len(shards)):
        # PMTiles' client for pages reads 16 KiB first, and keeps the ranges that it read.
        known, counted = {(0, 16384)}, [1, 0]

        def get(offset, size):
            if not any(start <= offset and offset + size <= end for start, end in known):
                known.add((offset, offset + size))
                counted[0] += 1
                counted[1] += size
            return data[offset : offset + size]

        assert Reader(get).get(*tileid_to_zxy(number)) == shards[number].read_bytes()
        figures.add(1, counted[0] - 1, counted[1])
    return figures


class CountingHandler(http.server.SimpleHTTPRequestHandler):
    counted = [0, 0]
    protocol_version = "HTTP/1.1"

    def send_head(self):
        file = super().send_head()
        # Scripts and modules of contenders are not counted, because they stay the same.
        name = self.path.rpartition("/")[2]
        if file and not name.startswith("wasm.") and ".js" not in name:
            self.counted[0] += 1
            self.counted[1] += os.fstat(file.fileno()).st_size
        return file

    def log_message(self, *_):
        pass


def pagefind(records, texts, work):
    sys.path.insert(0, str(ROOT / "Tests/Page"))
    from browser import Browser, Tab

    site = work / "site"
    site.mkdir()

    for number, (key, _) in enumerate(records):
        page = f'<!DOCTYPE html><html lang="en"><title>{html.escape(key)}</title><body>{html.escape(key)}</body></html>'
        (site / f"{number}.html").write_text(page, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "pagefind", "--site", str(site), "--quiet"], check=True, stdout=subprocess.DEVNULL
    )
    (site / "index.html").write_text("<!DOCTYPE html><title>far</title>", encoding="utf-8")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(CountingHandler, directory=str(site))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    figures, counted = Figures(), CountingHandler.counted
    browser = Browser()
    try:
        for session in texts:
            tab = Tab(browser)
            tab.open(f"http://127.0.0.1:{server.server_port}/")
            counted[:] = [0, 0]
            tab.evaluate("(async () => { window.p = await import('/pagefind/pagefind.js'); await p.init() })()", awaits=True)
            opening = counted[0]
            counted[1] = 0
            for text in session:
                tab.evaluate(
                    f"(async () => {{ const found = await p.search({json.dumps(text)});"
                    "await Promise.all(found.results.slice(0, 10).map(result => result.data())) })()",
                    awaits=True,
                )
            figures.add(opening, counted[0] - opening, counted[1])
            tab.close()
    finally:
        browser.close()
        server.shutdown()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records")
    parser.add_argument("shardq", type=pathlib.Path)
    parser.add_argument("module")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--pagefind", type=int, default=5000)
    options = parser.parse_args()
    shardq = str(options.shardq / "shardq")

    def run(*arguments):
        return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout

    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        log = work / "typing.log"

        def built(name, records, *flags):
            run(shardq, "build", "-i", str(work / name), records, *flags)
            return work / name

        index = built("index", options.records)
        started = built("started", options.records, "--starts")
        ranked = built("ranked", options.records, "--starts", "--words", "--typos")
        log.write_text(run(shardq, "generate", "-i", str(index), "--typing", str(12 * options.sessions)), encoding="utf-8")
        texts = sessions(log.read_text(encoding="utf-8"), options.sessions)
        lines = run(shardq, "export", "-i", str(index), "--format", "jsonl").splitlines()
        keys = run(shardq, "export", "-i", str(index), "--fields", "name,country", "--format", "tsv").splitlines()
        keys = keys[1:] if len(keys) > len(lines) else keys
        records = list(zip((key.replace("\t", ", ") for key in keys), lines))
        script = work / "shardq.mjs"
        script.write_bytes((ROOT / "Sources/Hosts/Wasm/shardq.js").read_bytes())

        def page(index, log, **search):
            answer = run(
                "node", str(HERE / "sessions.mjs"), str(script), options.module, str(index), str(log),
                json.dumps(search), str(options.sessions),
            )  # fmt: skip
            found = json.loads(answer)
            return found["opening"], found["mean"], found["p99"], found["kilobytes"]

        print("| | records | requests to open | requests a session, mean | 99th percentile | KB a session, mean |")
        print("|---|--:|--:|--:|--:|--:|")

        def row(name, count, figures):
            opening, mean, most, size = figures
            print(f"| {name} | {count:,} | {opening:.0f} | {mean:.1f} | {most:,} | {size:,.0f} |", flush=True)

        row("shardq, by key", len(records), page(index, log, limit=10, sort="key"))
        row("shardq with starts, by key", len(records), page(started, log, limit=10, sort="key"))
        row("shardq with starts, best first", len(records), page(ranked, log, limit=10))
        row("SQLite by ranges", len(records), sqlite(records, texts, work).row())
        row("PMTiles, one tile", len(records), tiles(index, work).row())
        part = records[:: max(1, len(records) // options.pagefind)][: options.pagefind]
        small = work / "part.jsonl"
        small.write_text("\n".join(line for _, line in part) + "\n", encoding="utf-8")
        few = texts[: max(10, options.sessions // 10)]
        row("shardq, by key", len(part), page(built("part", str(small)), log, limit=10, sort="key"))
        row("Pagefind", len(part), pagefind(part, few, work).row())


if __name__ == "__main__":
    main()
