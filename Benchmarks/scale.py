"""Measures the growth with the number of records, and finds the law of each measure.

    Benchmarks/run.sh --sizes DIRECTORY [--svg FILE] [--check] SIZE...

SIZE is a number of made-up records, 1M, or a skewed list: one-prefix, equal, long-keys. Each list has a directory in
DIRECTORY: source.jsonl.zst, index/, build.json, measured.json. Existing files are not made again. Prints a table;
--svg draws it, with the law that fits. --check counts the matches of 500 prefixes in the dataset too. With valgrind
installed instructions are counted as well.

    Benchmarks/run.sh --sizes DIRECTORY --weight FIELD [--words] [--typos] SIZE...

builds the same lists with ranks by FIELD instead (index--weight...), and measures the first ten of 2,000 beginnings.
_id is a random number, the hardest weight for bounds: every part has a record that is nearly the heaviest.

A record takes about 13 bytes of disk in the index, 27 in the compressed source, and its own size during a build.
Python's standard library is all that it needs.
"""

import argparse
import itertools
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time

MEMORY = "256M"
SKEWED = ("one-prefix", "equal", "long-keys")
HERE = os.path.dirname(os.path.abspath(__file__))


def count_of(size):
    found = re.fullmatch(r"([1-9]\d*)([kM]?)", size)
    if not found:
        sys.exit("%s is neither a number like 500k or 10M nor one of %s" % (size, ", ".join(SKEWED)))
    return int(found[1]) * {"": 1, "k": 10**3, "M": 10**6}[found[2]]


def write_skewed(name, output):
    """Lines of JSON. Each list has few distinct bytes and many records, or many bytes and few records."""
    line = '{"country":"%s","name":"%s","_id":%d,"coord":{"lon":%d.5,"lat":1.25}}\n'
    if name == "one-prefix":  # Ten million keys that differ after 40 equal characters.
        same = "llanfairpwllgwyngyllgogerychwyrndrobwlll"
        for number in range(10_000_000):
            output.write((line % ("GB", "%s %d" % (same, number * 7919 % 10_000_019), number, number % 180)).encode())
    elif name == "equal":  # Ten million records of one key.
        for number in range(10_000_000):
            output.write((line % ("ID", "Krajan", number, number % 180)).encode())
    elif name == "long-keys":  # 4,000 keys of 64 KiB, equal except for their last characters.
        same = "x" * (65_536 - 16)
        for number in range(4_000):
            output.write((line % ("XX", "%s%09d" % (same, number * 7919 % 4_001), number, number % 180)).encode())


def measured(command):
    """Seconds, processor seconds and peak MiB of a command."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("%s: status %d" % (" ".join(command), child.returncode))
    return {
        "seconds": round(time.monotonic() - start, 2),
        "processor_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mib": round(usage.ru_maxrss / 1024, 1),
    }


def make(directory, shardq, size, features):
    here = os.path.join(directory, size)
    os.makedirs(here, exist_ok=True)
    source = os.path.join(here, "source.jsonl.zst")
    if not os.path.exists(source):
        with open(source + ".part", "wb") as file:
            packer = subprocess.Popen(["zstd", "-1", "-q", "-c"], stdin=subprocess.PIPE, stdout=file)
            if size in SKEWED:
                write_skewed(size, packer.stdin)
            else:
                command = [shardq, "generate", "--count", str(count_of(size)), "--seed", "1", "--format", "jsonl"]
                if subprocess.run(command, stdout=packer.stdin).returncode != 0:
                    sys.exit("shardq generate failed")
            packer.stdin.close()
            if packer.wait() != 0:
                sys.exit("zstd failed")
        os.rename(source + ".part", source)
    variant = "".join(features)
    built = os.path.join(here, "build%s.json" % variant)
    if not os.path.exists(built):
        index = os.path.join(here, "index" + variant)
        options = ["--memory", MEMORY, "--jobs", "2", "--key", "{name}, {country}", *features, "-i", index]
        command = [shardq, "build", *options, source]
        result = measured(command)
        with open(built, "w") as file:
            json.dump(result, file)
    with open(built) as file:
        print(size, file.read(), file=sys.stderr, flush=True)


def counted(*command):
    """Instructions of a command, as valgrind counts them."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    return int(re.search(r"refs:\s+([\d,]+)", said).group(1).replace(",", ""))


def instructions(resident, index, prefixes, work):
    """The exact count for a query whose answer is cached: that of all prefixes asked twice, less that of once."""
    with open(prefixes, "rb") as file:
        lines = file.read().splitlines(keepends=True)[:2000]
    counts = []
    for times in (1, 2):
        path = os.path.join(work, "asked")
        with open(path, "wb") as file:
            file.writelines(lines * times)
        counts.append(counted(resident, index, path, str(1 << 34)))
    return (counts[1] - counts[0]) / len(lines)


def measure(directory, shardq, size, check):
    here = os.path.join(directory, size)
    path = os.path.join(here, "measured.json")
    if not os.path.exists(path):
        index, work = os.path.join(here, "index"), os.path.join(here, "work")
        os.makedirs(work, exist_ok=True)
        release = os.path.join(HERE, ".build", "release")
        options = ["--programs", os.path.join(HERE, ".build", "baseline"), "--shardq", shardq, "--work", work]
        # Ten thousand prefixes of keys of 64 KiB would be 300 MB.
        options += ["--rounds", "3", "--prefixes", "200" if size == "long-keys" else "10000", "--index", index]
        if check:
            options += ["--source", os.path.join(here, "source.jsonl.zst")]
        run = subprocess.run([os.path.join(release, "bench"), *options], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stderr)
        result = json.loads(run.stdout)
        if shutil.which("valgrind"):
            prefixes = os.path.join(work, "prefixes.typed")
            result["start_instructions"] = counted(shardq, "-i", index, "sa")
            result["q1_instructions"] = instructions(os.path.join(release, "resident"), index, prefixes, work)
        with open(os.path.join(here, "build.json")) as file:
            result.update({"build_" + name: value for name, value in json.load(file).items()})
        shutil.rmtree(work)
        with open(path, "w") as file:
            json.dump(result, file)
    with open(path) as file:
        return json.load(file)


def beginnings(source, count):
    """The first 0 to 6 characters of names near the start of a made-up list, whose order is random."""
    random.seed(1)
    unpacker = subprocess.Popen(["zstd", "-dcq", source], stdout=subprocess.PIPE)
    names = [json.loads(line)["name"] for line in itertools.islice(unpacker.stdout, 50 * count)]
    unpacker.kill()
    unpacker.wait()
    unpacker.stdout.close()
    return [name[: random.randint(0, 6)] for name in random.sample(names, count)]


def measure_ranked(directory, shardq, size, features):
    """The first ten of 2,000 beginnings: the work of the search and its time, with a cache and without."""
    sys.path.insert(0, os.path.join(HERE, "ranked"))
    from ranked import Answers, percentile

    here, variant = os.path.join(directory, size), "".join(features)
    index, texts = os.path.join(here, "index" + variant), os.path.join(here, "texts")
    with open(texts, "w") as file:
        file.writelines(text + "\n" for text in beginnings(os.path.join(here, "source.jsonl.zst"), 2000))
    program = os.path.join(HERE, ".build", "release", "ranked")
    command = [shardq, "stats", "--format", "json", "-i", index]
    stats = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    result = {"records": stats["records"], "bytes": stats["bytes"]}
    for name, feature in stats["features"].items():
        result[name + "_bytes"] = feature["bytes"]
    for name, cache in (("ranked", 1 << 34), ("ranked_uncached", 0)):
        answers = Answers(name, index, [program, index, texts, str(cache), "5", "10"])
        result.update({
            "parts_mean": sum(answers.parts) / len(answers.parts), "parts_max": max(answers.parts),
            name + "_p50_us": percentile(answers.times, 0.5), name + "_p99_us": percentile(answers.times, 0.99),
            name + "_memory_mib": answers.memory * 1e6 / 2**20,
        })
    with open(os.path.join(here, "build%s.json" % variant)) as file:
        result.update({"build_" + name: value for name, value in json.load(file).items()})
    return result


# Measure, title with unit, divisor.
ROWS = (
    ("build_seconds", "build, s", 1),
    ("build_processor_seconds", "build, processor, s", 1),
    ("build_peak_mib", "peak of the build, MiB", 1),
    ("bytes", "index, MB", 1e6),
    ("manifest_bytes", "manifest, KB", 1e3),
    ("start_ms", "start, ms", 1),
    ("cold_start_ms", "start, files evicted, ms", 1),
    ("start_instructions", "start to answer, instructions", 1),
    ("start_peak_mib", "peak of that process, MiB", 1),
    ("mean_matches", "records decoded by Q1, mean", 1),
    ("q1_instructions", "Q1 cached, instructions", 1),
    ("q1_p50_us", "Q1 cached, p50, us", 1),
    ("q1_p99_us", "Q1 cached, p99, us", 1),
    ("q2_p50_us", "Q2 cached, p50, us", 1),
    ("q2_p99_us", "Q2 cached, p99, us", 1),
    ("q1_1mib_mean_us", "Q1, 1 MiB cache, mean, us", 1),
    ("cache_bytes", "cached by 10,000 prefixes, MB", 1e6),
    ("resident_mib", "resident, all of that cached, MiB", 1),
    ("resident_8mib_mib", "resident, 8 MiB cache, MiB", 1),
    ("resident_1mib_mib", "resident, 1 MiB cache, MiB", 1),
    ("ranks_bytes", "ranks, KB", 1e3),
    ("typos_bytes", "sketches for typing errors, MB", 1e6),
    ("entries_bytes", "entries of words, MB", 1e6),
    ("parts_mean", "parts opened for the first ten, mean", 1),
    ("parts_max", "parts opened for the first ten, most", 1),
    ("ranked_p50_us", "ranked, cached, p50, us", 1),
    ("ranked_p99_us", "ranked, cached, p99, us", 1),
    ("ranked_memory_mib", "ranked, memory with all of that cached, MiB", 1),
    ("ranked_uncached_p50_us", "ranked, no cache of its own, p50, us", 1),
    ("ranked_uncached_p99_us", "ranked, no cache of its own, p99, us", 1),
    ("ranked_uncached_memory_mib", "ranked, memory with no cache, MiB", 1),
)


def least_squares(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
    return mean_y - slope * mean_x, slope


def law(points):
    """A text, and the curve with the least error: a + b n, a + b log2 n or, above sqrt n, a power."""
    if len(points) < 3:
        return "", None
    n, y = [p[0] for p in points], [p[1] for p in points]
    if max(y) / min(y) < 1.1:
        return "constant within 10 %", None
    start, exponent = least_squares([math.log(v) for v in n], [math.log(v) for v in y])
    base, slope = least_squares([math.log2(v) for v in n], y)
    first, each = least_squares(n, y)
    laws = [
        ("%.3g %s %.2g log2 n" % (base, "-" if slope < 0 else "+", abs(slope)), lambda v: base + slope * math.log2(v)),
        ("%.3g %s %.2g n / 10^6" % (first, "-" if each < 0 else "+", abs(each) * 1e6), lambda v: first + each * v),
    ]
    if exponent > 0.5:
        laws = [("n^%.2f" % exponent, lambda v: math.exp(start) * v**exponent)]
    return min(laws, key=lambda one: sum((one[1](a) / b - 1) ** 2 for a, b in points))


# A limit of memory, or of the parts that so many prefixes touch, is no law of n.
LIMITED = {
    "build_peak_mib": "at most --memory %s + 14 MiB" % MEMORY,
    "cache_bytes": "at most a part for each prefix",
    "resident_mib": "as that, and manifest pages",
    "resident_8mib_mib": "at most 8 MiB, and manifest pages",
}


def law_of(name, points):
    return (LIMITED[name], None) if name in LIMITED else law(points)


def number(value):
    return "%.0f" % value if value >= 1000 else "%.3g" % value


def table(sizes, results):
    made = [size for size in sizes if size not in SKEWED]
    print("| | " + " | ".join(sizes) + (" | law |" if len(made) > 2 else " |"))
    print("|---" + "|--:" * len(sizes) + ("|---|" if len(made) > 2 else "|"))
    for name, title, unit in ROWS:
        if not any(name in result for result in results.values()):
            continue
        cells = [number(results[size][name] / unit) if name in results[size] else "" for size in sizes]
        if len(made) > 2:
            cells.append(law_of(name, points(made, results, name, unit))[0])
        print("| %s | %s |" % (title, " | ".join(cells)))


def points(sizes, results, name, unit):
    return [(results[size]["records"], results[size][name] / unit) for size in sizes if results[size].get(name)]


def picture(sizes, results):
    """Small plots, both axes logarithmic, each with its law."""
    wide, high, columns = 230, 150, 4
    parts = []
    shown = [row for row in ROWS if len(points(sizes, results, row[0], row[2])) > 1]
    for place, (name, title, unit) in enumerate(shown):
        data = points(sizes, results, name, unit)
        text, curve = law_of(name, data)
        left, top = place % columns * wide + 40, place // columns * high + 34
        inner_wide, inner_high = wide - 60, high - 66
        low_x, high_x = math.log10(data[0][0]), math.log10(data[-1][0])
        values = [math.log10(value) for _, value in data]
        # At least a decade, so that noise does not look like growth.
        middle, half = (min(values) + max(values)) / 2, max((max(values) - min(values)) / 2 * 1.1, 0.5)

        def at(n, value):
            x = left + (math.log10(n) - low_x) / (high_x - low_x) * inner_wide
            return x, top + inner_high / 2 * (1 - (math.log10(value) - middle) / half)

        parts.append('<g><text x="%d" y="%d" class="t">%s</text>' % (left, top - 18, title.replace("&", "&amp;")))
        parts.append('<text x="%d" y="%d" class="l">%s</text>' % (left, top - 6, text))
        box = (left, top, inner_wide, inner_high)
        parts.append('<rect x="%d" y="%d" width="%d" height="%d" class="b"/>' % box)
        if curve:
            steps = [10 ** (low_x + (high_x - low_x) * step / 40) for step in range(41)]
            line = [at(n, curve(n)) for n in steps if curve(n) > 0]
            # A law can leave the box where it fits least.
            line = ["%.1f,%.1f" % (x, y) for x, y in line if top <= y <= top + inner_high]
            parts.append('<polyline points="%s" class="c"/>' % " ".join(line))
        for n, value in data:
            parts.append('<circle cx="%.1f" cy="%.1f" r="3"/>' % at(n, value))
        for n, value in (data[0], data[-1]):
            x, y = at(n, value)
            below = 12 if y < top + 14 else -6
            anchor = "start" if n == data[0][0] else "end"
            parts.append('<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (x, y + below, anchor, number(value)))
        for size, n in ((sizes[0], data[0][0]), (sizes[-1], data[-1][0])):
            x, _ = at(n, 10**middle)
            parts.append('<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (x, top + inner_high + 13, size))
        parts.append("</g>")
    rows = -(-len(shown) // columns)
    style = (
        "text{font:10px sans-serif;fill:#333}.t{font-weight:bold;font-size:11px}.l{fill:#06c}"
        ".b{fill:none;stroke:#bbb}.c{fill:none;stroke:#06c;stroke-width:1.2}circle{fill:#c30}"
    )
    size = (columns * wide + 10, rows * high + 6)
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">' % (size * 2)
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join([head, "<style>%s</style>" % style, paper, *parts, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--svg")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--weight", metavar="FIELD")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("--typos", action="store_true")
    parser.add_argument("directory")
    parser.add_argument("sizes", nargs="+")
    options = parser.parse_args()
    directory, sizes = options.directory, options.sizes
    sizes.sort(key=lambda size: (size in SKEWED, size not in SKEWED and count_of(size)))
    shardq = os.environ["SHARDQ_BIN"]
    if os.path.isdir(shardq):
        shardq = os.path.join(shardq, "shardq")
    features = ["--weight", options.weight] if options.weight else []
    features += [option for option in ("--words", "--typos") if features and getattr(options, option[2:])]
    results = {}
    for size in sizes:
        make(directory, shardq, size, features)
        if features:
            results[size] = measure_ranked(directory, shardq, size, features)
        else:
            results[size] = measure(directory, shardq, size, options.check)
    table(sizes, results)
    made = [size for size in sizes if size not in SKEWED]
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(picture(made, results))


if __name__ == "__main__":
    main()
