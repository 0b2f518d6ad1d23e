"""Times of searches in one process, by turns: the library with a small cache and with all cached, and rivals.

The rivals are those of the league: SQLite's FTS5 with rowids in the order of weights, and tantivy with fuzzy terms. They
give numbers of rows, and shardq the JSON of ten records. All times include those of Python's binding.
"""

import gc
import importlib
import os
import shutil
import statistics
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 10
ROUNDS = 5
SMALL, LARGE = 1 << 20, 1 << 31


def package(wheel, work):
    """shardq's Python package of a wheel."""
    folder = os.path.join(work, "python")
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder)
    sys.path.insert(0, folder)
    return importlib.import_module("shardq")


class Rivals:
    """The rivals of GeoNames by name; `left_out` has the reasons of those that cannot be had."""

    def __init__(self, data, suites, work):
        sys.path.append(os.path.join(HERE, "../league"))
        from records import Lists, Missing

        self.left_out, self.engines = {}, {}
        records = Lists(data, suites, work)("geonames")
        self.directory = tempfile.TemporaryDirectory(dir=work)
        for name, module, kind in (("FTS5", "engines.fts5", "FTS5"), ("tantivy", "engines.tantivy", "Tantivy")):
            try:
                engine = getattr(importlib.import_module(module), kind)
                engine.version(None)
                folder = os.path.join(self.directory.name, name)
                os.mkdir(folder)
                self.engines[name] = engine(records, folder, None)
            except (ImportError, Missing) as missing:
                self.left_out[name] = str(missing)

    def asks(self):
        """A function of a text for each rival."""
        found = {name: lambda text, engine=engine: engine.ask(text, LIMIT) for name, engine in self.engines.items()}
        if "tantivy" in self.engines:
            # With a limit of 1 it looks for errors only if nothing matches, as shardq does.
            found["tantivy, first matches"] = lambda text, engine=self.engines["tantivy"]: engine.ask(text, 1)
        return found

    def close(self):
        for engine in self.engines.values():
            engine.close()
        self.directory.cleanup()


def medians(asks, texts):
    """For each contender, the median time of each text in microseconds, sorted; contenders take turns over the rounds."""
    times = {name: [[] for _ in texts] for name in asks}
    gc.disable()
    try:
        # The first round fills caches.
        for number in range(ROUNDS + 1):
            for name, ask in asks.items():
                for place, text in enumerate(texts):
                    began = time.perf_counter_ns()
                    ask(text)
                    if number:
                        times[name][place].append((time.perf_counter_ns() - began) / 1000)
    finally:
        gc.enable()
    return {name: sorted(map(statistics.median, found)) for name, found in times.items()}


# The rivals that a kind of texts is compared with.
BESIDE = {
    "beginning": ("FTS5",),
    "one error": ("tantivy", "tantivy, first matches"),
    "two errors": ("tantivy", "tantivy, first matches"),
    "any order": ("FTS5", "tantivy"),
    "three words": ("FTS5",),
}


def compared(shardq, index, texts, rivals):
    """For each kind of texts the sorted times of each contender."""
    with shardq.Index(index, cache_bytes=SMALL) as small, shardq.Index(index, cache_bytes=LARGE) as large:
        own = {
            "all cached": lambda text: large.search(text, limit=LIMIT),
            "1 MiB": lambda text: small.search(text, limit=LIMIT),
        }
        asks = rivals.asks()
        return {
            kind: medians(own | {name: asks[name] for name in BESIDE[kind] if name in asks}, texts[kind]) for kind in BESIDE
        }
