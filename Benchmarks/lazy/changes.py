"""Files and bytes that one changed record rewrites, by design, over single changes of random records.

    python3 changes.py WORK NAME ... [--changes 300]
    python3 changes.py WORK gn --build 'PROGRAM build -q FILE --input-format geonames ...' --changes 200

The first form simulates. A change of a record touches the shard of its key, the shards of its entries, the side files of
their pages and two manifests. In design `lists`, references are a page and a place in the page, so a new record moves the
places behind it; `bits` has references of 24 bits of a hash of the key. The dictionary's blocks of 4 KiB are in files of 64. The second
form builds the list with one changed line each time, and counts the files that are not in the index of the list as it
is: the present format, measured.
"""

import argparse
import os
import random
import shlex
import shutil
import subprocess
from bisect import bisect_left, bisect_right
from collections import defaultdict

import lists

BLOCK = 400  # texts of a block of the dictionary, about 4 KiB


def spread(found):
    ordered = sorted(found)
    return f"{sum(ordered) / len(ordered):,.1f} / {ordered[int(0.99 * (len(ordered) - 1))]:,} / {ordered[-1]:,}"


def simulated(work, name, count):
    records, entries, _ = lists.load(work, name)
    of_target = defaultdict(list)
    for place, target in enumerate(entries.targets):
        of_target[target].append(place)
    firsts, entry_firsts = ([shard.first for shard in one.shards] for one in (records, entries))
    side = [one.sides // max(1, -(-len(one.shards) // 64)) for one in (records, entries)]
    # Per block of the dictionary and page, the greatest place.
    pages = [shard.first for shard in records.shards[::64]]
    texts = sorted(
        {
            key.split(b"\1")[0].split(b" ")[0] if begin is not None else key
            for key, begin in zip(entries.keys, entries.begins)
        }
    )
    greatest = [defaultdict(int) for _ in range(-(-len(texts) // BLOCK))]
    for key, begin, target in zip(entries.keys, entries.begins, entries.targets):
        text = key.split(b"\1")[0].split(b" ")[0] if begin is not None else key
        low = bisect_left(records.keys, target)
        page = max(0, bisect_right(pages, low) - 1)
        block = bisect_left(texts, text) // BLOCK
        greatest[block][page] = max(greatest[block][page], low - pages[page])
    rnd = random.Random(5)
    rows = {"entries (today, cover)": ([], []), "lists: a new record": ([], []), "bits: a new record": ([], [])}
    for place in (rnd.randrange(len(records.keys)) for _ in range(count)):
        shard = bisect_right(firsts, place) - 1
        own = of_target[records.keys[place]]
        touched = {bisect_right(entry_firsts, one) - 1 for one in own}
        sides = {(0, shard // 64)} | {(1, one // 64) for one in touched}
        files = 1 + len(touched) + len(sides) + (2 if touched else 1)
        size = (
            records.shards[shard].size
            + sum(entries.shards[one].size for one in touched)
            + sum(side[n] for n, _ in sides)
        )
        size += records.manifest + (entries.manifest if touched else 0)
        for label in rows:
            if label.startswith("entries"):
                found = files, size
            else:
                page = max(0, bisect_right(pages, place) - 1)
                if label.startswith("lists"):
                    blocks = {
                        i for i, most in enumerate(greatest) if page in most and most[page] >= place - pages[page]
                    }
                else:
                    words = {
                        entries.keys[one].split(b"\1")[0].split(b" ")[0]
                        if entries.begins[one] is not None
                        else entries.keys[one]
                        for one in own
                    }
                    blocks = {bisect_left(texts, word) // BLOCK for word in words}
                found = (
                    2 + 1 + len({block // 64 for block in blocks}),
                    records.shards[shard].size + side[0] + records.manifest + 4096 * len(blocks),
                )
            rows[label][0].append(found[0])
            rows[label][1].append(found[1] // 1024)
    for label, (files, size) in rows.items():
        print(f"| {name} | {label} | {spread(files)} | {spread(size)} |", flush=True)


def measured(work, name, command, count):
    command = shlex.split(command)
    at = next(i for i, word in enumerate(command) if os.path.isfile(word) and i > 0)
    with open(command[at], encoding="utf-8") as file:
        lines = file.read().splitlines()
    changed, index = (
        os.path.join(work, "changed" + os.path.splitext(command[at])[1]),
        os.path.join(work, "changed.index"),
    )
    command[at] = changed
    rnd, files, size, known = random.Random(5), [], [], None
    for number in range(count + 1):
        row = rnd.randrange(1, len(lines))
        kept = lines[row]
        if number:
            columns = kept.split("\t")
            column = (1 if name == "gn" else 0) if number % 2 else (14 if name == "gn" else len(columns) - 1)
            columns[column] = columns[column] + "a" if number % 2 else str(int(columns[column] or 0) + 1)
            lines[row] = "\t".join(columns)
        with open(changed, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        lines[row] = kept
        shutil.rmtree(index, ignore_errors=True)
        subprocess.run(["nice", *command, "-i", index], check=True, capture_output=True)
        found = {one: os.path.getsize(os.path.join(index, one)) for one in os.listdir(index) if one != ".lock"}
        if number:
            new = [one for one in found if one not in known or one == "manifest"]
            files.append(len(new))
            size.append(sum(found[one] for one in new) // 1024)
        else:
            known = found
    print(f"| {name} | built, {count} changes of a name or a weight | {spread(files)} | {spread(size)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--changes", type=int, default=300)
    parser.add_argument("--build")
    options = parser.parse_args()
    print("| list | design | files, mean / p99 / most | KB, mean / p99 / most |")
    print("|---|---|--:|--:|")
    for name in options.names:
        if options.build:
            measured(options.work, name, options.build, options.changes)
        else:
            simulated(options.work, name, options.changes)


if __name__ == "__main__":
    main()
