#!/usr/bin/env python3
"""Measures the start of the page without a server beside that of the served page, on a slow line, in both browsers.

    Benchmarks/run.sh --page                writes docs/page-start.md
    Benchmarks/run.sh --page --loads 1      fewer loads; prints the page instead

run.sh gives the other options. README.md describes the measures.
"""

import argparse
import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Page"), str(ROOT / "Tests/Remote"), str(ROOT / "Benchmarks/lazy")]

import indexes as lists  # noqa: E402
import loads  # noqa: E402
import nginx  # noqa: E402
import slow  # noqa: E402

DELAY, RATE = 0.4, 50_000
MUST = 1.6
# The situations: the link, the typed keys, and the thing that each measure waits for.
SITUATIONS = {
    "opened without a text": ("", "", {"hint": "the hint below the field"}),
    "opened with a text": ("#q=lon", "", {"rows": "rows", "all": "more rows than eight"}),
    "`l`, `o`, `n` typed at once": ("", "lon", {"rows": "rows", "text": "rows of `lon`"}),
}


class Served:
    """shardq serve on a free port."""

    def __init__(self, shardq, index):
        port = nginx.free_ports(1)[0]
        self.address = ("127.0.0.1", port)
        self.process = subprocess.Popen(
            [shardq, "serve", "--listen", f"127.0.0.1:{port}", "--index", index], stdout=subprocess.PIPE
        )
        self.process.stdout.readline()

    def close(self):
        self.process.terminate()
        self.process.wait(10)


class Run:
    def __init__(self, options, work):
        self.options = options
        shardq = os.path.join(os.path.abspath(options.shardq), "shardq")
        index = options.index or self.build(shardq, work)
        self.site = os.path.join(work, "site")
        subprocess.run([shardq, "page", "-q", "-i", index, "-o", self.site], check=True)
        self.served = Served(shardq, index)
        self.files = nginx.Nginx(work, self.site, ["gzip_static on;"])
        host, port = self.files.origins[0].removeprefix("http://").split(":")
        self.pages = {"served": self.served.address, "without a server": (host, int(port))}
        self.times, self.logs = {}, {}

    def build(self, shardq, work):
        one = next(one for one in lists.LISTS if one.name == "gn")
        packed = lists.packed_path(one, self.options.data, self.options.data)
        return lists.Indexes(one, packed, work, shardq).starts

    def measure(self, driver):
        """Loads take turns, so that other work of the machine meets both pages."""
        for number in range(self.options.loads):
            for situation, (link, keys, things) in SITUATIONS.items():
                for page, upstream in self.pages.items():
                    host = slow.SlowHost(upstream, DELAY, RATE)
                    try:
                        load = loads.Load(driver, host.address, link, keys, things)
                        driver.evaluate("void setTimeout(() => { location.href = 'about:blank' })")
                    finally:
                        host.close()
                    for thing, seconds in load.times.items():
                        self.times.setdefault((driver.name, situation, thing, page), []).append(seconds)
                    self.logs[driver.name, situation, page] = sorted(host.log, key=lambda request: request.asked)
                    print(f"{driver.name}, {situation}, {page}: {load.times}", file=sys.stderr, flush=True)

    def all(self):
        for kind in loads.KINDS:
            driver = kind()
            try:
                self.measure(driver)
            finally:
                driver.close()

    def close(self):
        self.served.close()
        self.files.stop()

    def table(self):
        out = "| browser | page | until | served, s | without a server, s | times the served | must be |\n|---|---|---|--:|--:|--:|--:|\n"
        for kind in loads.KINDS:
            for situation, (_, _, things) in SITUATIONS.items():
                for thing, title in things.items():
                    served, static = (
                        statistics.median(self.times[kind.name, situation, thing, page]) for page in self.pages
                    )
                    must = f"{MUST}" if thing == "rows" else ""
                    out += f"| {kind.name} | {situation} | {title} | {served:.2f} | {static:.2f} | {static / served:.2f} | {must} |\n"
        return out

    def waterfall(self, key):
        log = self.logs[key]
        out = "| request | asked, s | first byte, s | last byte, s | bytes |\n|---|--:|--:|--:|--:|\n"
        for request in log:
            last = f"{request.last - log[0].asked:.2f}" if request.last else "not before the rows"
            path = request.path.replace("|", "%7c")
            out += f"| `{path}` | {request.asked - log[0].asked:.2f} | {request.first - log[0].asked:.2f} | {last} | {request.size:,} |\n"
        return out

    def text(self):
        out = (
            "# The start of the page\n\n"
            f"`Benchmarks/run.sh --page` measured these figures and wrote this page on {datetime.date.today()}; do not edit it.\n"
            "[Benchmarks](../Benchmarks/README.md#the-start-of-the-page) describes the measures.\n\n"
            f"The list is GeoNames with all options of the full index and `--starts`. A request waits {DELAY * 1000:.0f} ms, and\n"
            f"all answers together have {RATE // 1000} KB/s. Figures are medians of {self.options.loads} fresh loads.\n\n{self.table()}"
        )
        for (name, situation, page) in self.logs:
            if name == loads.KINDS[0].name and situation == "opened with a text":
                out += f"\n## The requests of the page {page}\n\n{name}, {situation}, one load, until the rows show.\n\n"
                out += self.waterfall((name, situation, page))
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardq", help="the directory of shardq's programs")
    parser.add_argument("data")
    parser.add_argument("--index", help="a directory of an index, in the place of GeoNames")
    parser.add_argument("--loads", type=int, default=5)
    options = parser.parse_args()
    if not loads.KINDS or not nginx.executable():
        sys.exit("this machine has no browser or no nginx; Scripts/dependencies.sh --tests installs them")
    with tempfile.TemporaryDirectory() as work:
        run = Run(options, work)
        try:
            run.all()
        finally:
            run.close()
        is_whole = options.loads >= 5 and len(loads.KINDS) == 2 and not options.index
        if is_whole:
            (ROOT / "docs/page-start.md").write_text(run.text())
        else:
            print(run.text())


if __name__ == "__main__":
    main()
