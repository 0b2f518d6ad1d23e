"""Prints the time of calls of the Python package, in microseconds, the least of ten runs: measure.py INDEX TEXT"""

import subprocess
import sys
import time

import shardq


def least(call, count=2000):
    best = float("inf")
    for _ in range(10):
        from_ = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - from_) / count)
    return best * 1e6


path, text = sys.argv[1:]
program = "import time; a = time.perf_counter(); import shardq; print(time.perf_counter() - a)"
loads = [float(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE).stdout) for _ in range(10)]
with shardq.Index(path) as index:
    for name, cost in [
        ("import", min(loads) * 1e6),
        ("Index(path), the first", least(lambda: shardq.Index(path, cache_bytes=1 << 20).close(), 200)),
        ("Index(path), another", least(lambda: shardq.Index(path).close())),
        ("count(text)", least(lambda: index.count(text))),
        ('search(text, sort="key").raw', least(lambda: index.search(text, sort="key").raw)),
        ('search(text, sort="key").records', least(lambda: index.search(text, sort="key").records)),
        ("search(text).raw", least(lambda: index.search(text).raw)),
        ("search(text).records", least(lambda: index.search(text).records)),
    ]:
        print(f"{name:36} {cost:9.2f}")
