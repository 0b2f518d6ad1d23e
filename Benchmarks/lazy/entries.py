"""Bytes of the entries by design (ways 1 and 2), by the builder itself where the design is made of records.

    python3 entries.py WORK NAME ... --shardq PROGRAM

Each design is written as a list and built without ranks and sides, so its bytes are those of shards and manifest:

- today: the entry's text, b, t, w of 12 bits, the filter's value and the cell.
- cover: the entry's text; the title of its record as given, in two fields for a later word; its exact weight, the count of
  records if it is not one, the value and the cell.
- rows: the text and a row number; and once per 96 KiB of entries and record a row: title, weight, value.
- lists: dictionary of words and names in blocks of 4 KiB, each with the references of its records by weight: page and place in
  the page, and a step of the weight for a name. Packed by zstd at the builder's level, since no record has this form.
- lean: cover without the cell, with the code of the weight instead of the weight, in parts of 4 KiB.
- frequent: lean without the entries of words that more than 64 records have; the words are values of a filter.
  The bytes of their tables are packed as lists of parts, with a number and a step for each.

The weight of a run of equal keys is its greatest. `rows` are lean in the same way.
"""

import argparse
import json
import os
import shutil
import subprocess
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict

import lists
from lists import packed, plain, varint
from trees import step

FREQUENT = 64


def split(title, body, is_word):
    """The title as given, divided where the text of a later word begins; None if it is not found."""
    if is_word:
        for at in range(len(title)):
            if title[at].isalnum() and (at == 0 or not title[at - 1].isalnum()) and plain(title[at:]) == body:
                return title[:at], title[at:]
    return None


class Rows:
    def __init__(self, work, name):
        import reader

        self.records, self.entries, _ = lists.load(work, name)
        index = reader.Index(os.path.join(work, "idx", name), check_digests=False)
        weights = self.records.weights
        self.rows, self.lasts, at, cache = [], set(), 0, {}
        for number, shard in enumerate(index.text_entries.shards()):
            for part in shard.parts:
                for i, key in enumerate(part.keys):
                    fields = {path.decode(): (kind, text) for path, kind, text in part.record(i)}
                    body, _, last = key.decode().rpartition("\1") if b"\1" in key else (key.decode(), "", "")
                    target = self.entries.targets[at]
                    if target not in cache:
                        low = bisect_left(self.records.keys, target)
                        high = bisect_right(self.records.keys, target, low)
                        cache[target] = low, high - low, max(weights[low:high], default=0)
                    self.rows.append((number, body, last, fields, target, cache[target]))
                    at += 1

    def value(self, fields, name):
        if name not in fields:
            return None
        kind, text = fields[name]
        return int(text) if kind == 1 else json.loads(text) if kind == 2 else text.decode()

    def made(self, design):
        frequent = Counter(row[1].split(" ")[0] for row in self.rows if "b" in row[3]) if design == "frequent" else {}
        for shard, body, last, fields, target, (low, count, weight) in self.rows:
            if frequent and "b" in fields and frequent[body.split(" ")[0]] > FREQUENT:
                continue
            row = {"text": body, "last": last}
            if design == "today":
                row |= {name: self.value(fields, name) for name in ("b", "t", "w", "f0", "c") if name in fields}
            else:
                title = self.records.titles[low] if low < len(self.records.titles) else ""
                found = split(title, body, "b" in fields)
                row |= {"b": found[0], "s": found[1]} if found else {"n": title}
                row["w"] = weight if design == "cover" else lists.code(weight)
                if count > 1:
                    row["r"] = count
                row |= {
                    name: self.value(fields, name)
                    for name in (("f0", "c") if design == "cover" else ("f0",))
                    if name in fields
                }
            yield row

    def rows_once(self):
        """The texts with row numbers, and the rows of each group of shards."""
        texts, rows, known = [], [], {}
        for shard, body, last, fields, target, (low, count, weight) in self.rows:
            known.setdefault((shard // 3, target), (body, fields, low, count, weight))
        numbers, group, at = {}, None, 0
        for key in sorted(known):
            at = 0 if key[0] != group else at + 1
            group, numbers[key] = key[0], at
            _, fields, low, count, weight = known[key]
            title = self.records.titles[low] if low < len(self.records.titles) else ""
            row = {"text": f"{group:04d}{title}", "last": key[1].decode().rpartition("\1")[2], "w": lists.code(weight)}
            row |= {name: self.value(fields, name) for name in ("f0",) if name in fields}
            rows.append(row)
        for shard, body, last, fields, target, _ in self.rows:
            texts.append({"text": body, "last": last, "n": numbers[shard // 3, target]})
        return texts, rows


def built(shardq, work, rows, has_last, part=1536):
    path, index = os.path.join(work, "made.jsonl"), os.path.join(work, "made")
    shutil.rmtree(index, ignore_errors=True)
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            if not has_last:
                row.pop("last")
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    key = "{text}, {last}" if has_last else "{text}"
    subprocess.run(
        ["nice", shardq, "build", "-q", "-i", index, path, "--key", key, "--part-size", str(part)],
        check=True,
        capture_output=True,
    )
    size = sum(os.path.getsize(os.path.join(index, name)) for name in os.listdir(index))
    os.remove(path)
    shutil.rmtree(index)
    return size


def dictionary(rows):
    """Way 2: the bytes of blocks of texts and of their lists."""
    records = rows.records
    firsts = [shard.first for shard in records.shards[::64]]
    found = defaultdict(set)
    for shard, body, last, fields, target, (low, count, weight) in rows.rows:
        page = max(0, bisect_right(firsts, low) - 1)
        text = body.split(" ")[0] if "b" in fields else body
        found[text, "b" in fields].add((-weight, page, low - firsts[page]))
    size, out, numbers, before = 0, bytearray(), bytearray(), b""
    for (text, is_word), places in sorted(found.items()):
        data = text.encode()
        shared = 0
        while shared < min(len(data), len(before), 15) and data[shared] == before[shared]:
            shared += 1
        out += bytes([shared << 4 | min(15, len(data) - shared)]) + data[shared:] + varint(2 * len(places) + is_word)
        before = data
        for weight, page, place in sorted(places):
            out += bytes([step(-weight)])
            numbers += varint(page) + place.to_bytes(3, "little")
        if len(out) + len(numbers) > 4096:
            size += packed(out) + packed(numbers)
            out, numbers = bytearray(), bytearray()
    return size + packed(out) + packed(numbers)


def tables(rows):
    """The bytes of the parts' lists of frequent words, in frames of 16 shards, and the number of pairs."""
    records = rows.records
    words = Counter(row[1].split(" ")[0] for row in rows.rows if "b" in row[3])
    numbers = {word: i for i, word in enumerate(sorted(word for word, n in words.items() if n > FREQUENT))}
    size, pairs = sum(len(word) + 1 for word in numbers) * -(-len(records.shards) // 64), 0
    of_record = defaultdict(set)
    for _, body, _, fields, _, (low, count, _) in rows.rows:
        if "b" in fields and body.split(" ")[0] in numbers:
            of_record[low].add(numbers[body.split(" ")[0]])
    starts = sorted(of_record)
    for at in range(0, len(records.shards), 16):
        counts, deltas, steps = bytearray(), bytearray(), bytearray()
        for shard in records.shards[at : at + 16]:
            for first, count, _, _ in shard.parts:
                best = {}
                for low in starts[bisect_left(starts, first) : bisect_left(starts, first + count)]:
                    for word in of_record[low]:
                        best[word] = max(best.get(word, 0), records.weights[low])
                counts += varint(len(best))
                before = -1
                for word in sorted(best):
                    deltas += varint(word - before - 1)
                    steps.append(step(best[word]))
                    before = word
                pairs += len(best)
        size += packed(counts + deltas + steps)
    return size, pairs, len(numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--shardq", required=True)
    parser.add_argument("--fields", action="store_true", help="print the bytes of today's entries without each field")
    options = parser.parse_args()
    print(
        "| list | entries | today | cover | lean | rows | lists | frequent: entries, tables | words, pairs | commonest | rows for each entry |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in options.names:
        rows = Rows(options.work, name)
        has_last = any(row[2] for row in rows.rows)
        size = lambda design, part=4096: built(options.shardq, options.work, rows.made(design), has_last, part)
        if options.fields:
            for field in ("none", "b", "t", "w", "f0", "c"):
                less = ({k: v for k, v in row.items() if k != field} for row in rows.made("today"))
                print(
                    f"{name}, today without {field}: {built(options.shardq, options.work, less, has_last):,}",
                    flush=True,
                )
            only = ({"text": row["text"], "last": row["last"]} for row in rows.made("today"))
            print(f"{name}, the text alone: {built(options.shardq, options.work, only, has_last):,}", flush=True)
            continue
        texts, once = rows.rows_once()
        both = sum(built(options.shardq, options.work, one, has_last, 4096) for one in (texts, once))
        table, pairs, words = tables(rows)
        common = Counter(row[1].split(" ")[0] for row in rows.rows if "b" in row[3]).most_common(1)[0]
        cells = [len(rows.rows), size("today", 1536), size("cover", 1536), size("lean"), both, dictionary(rows)]
        print(
            f"| {name} | "
            + " | ".join(f"{n:,}" for n in cells)
            + f" | {size('frequent'):,}, {table:,} | {words}, {pairs:,}"
            f" | {common[0]}: {common[1]:,} | {len(once) / len(texts):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
