"""Sketches as one tree a page, cut by count (way 3): bytes by rule, and the parts that corrections open.

    python3 trees.py WORK NAME ... [--most 8] [--table]

A beginning is split while it is shorter than `least` characters or more than `most` texts begin with it. The nodes of
a page stand in the order of their beginnings, in frames of at most 8 KiB of content that begin where a first letter
begins, or deeper in large pages: per depth the counts of children and the labels, and per leaf two bits, the class of
its greatest weight. `--turned` adds the second tree, of the beginnings without their first letter, for errors in the
first letter. `--table` measures the other design instead: a table of deletions, of all beginnings of six characters
with each character left out. `--first` counts names whose wrong first letter would be hidden. Walks are simulated
over keys and entries together.
"""

import argparse
import random
from bisect import bisect_left, bisect_right
from collections import Counter

import lists
from lists import packed, varint

FRAME = 8 << 10
PAGE = 64


def step(weight):
    if weight == 0:
        return 0
    e = weight.bit_length() - 1
    return 1 + 4 * e + -(-4 * weight // 2**e) - 4


def classes(weights):
    """The greatest weights of the classes 0 to 3: up to 70, 90 and 97 % of the texts, and all."""
    ordered = sorted(weights)
    return (
        [ordered[min(len(ordered) - 1, len(ordered) * share // 100)] for share in (70, 90, 97, 100)] if ordered else [0]
    )


class Tree:
    """The tree of sorted texts: per node its children (label, node), and its range of texts."""

    def __init__(self, texts, most, least=6):
        self.least = least
        self.texts, self.children, self.ranges, self.depths = texts, [], [], []
        self._make(0, len(texts), 0, most)

    def _make(self, low, high, depth, most):
        number, texts = len(self.children), self.texts
        self.children.append([])
        self.ranges.append((low, high))
        self.depths.append(depth)
        at = low
        while at < high and len(texts[at]) == depth:
            at += 1  # Texts that end here.
        if (high - low > most or depth < self.least) and at < high:
            while at < high:
                label = texts[at][depth]
                end = bisect_left(texts, texts[at][:depth] + chr(ord(label) + 1), at, high)
                self.children[number].append((label, self._make(at, end, depth + 1, most)))
                at = end
        return number

    def frames(self, weights):
        """The contents of the frames, after one with the nodes above them; and the nodes that each frame begins with."""
        alphabet = {c: i for i, c in enumerate(sorted({label for nodes in self.children for label, _ in nodes}))}
        wide = len(alphabet) > 255
        sizes = [1] * len(self.children)
        for number in range(len(self.children) - 1, -1, -1):
            sizes[number] = 2 + sum(sizes[child] for _, child in self.children[number])

        levels = classes(weights)

        def content(roots, cut=frozenset()):
            out, found, level = bytearray(), [], roots
            while level:
                counts, labels, below = bytearray(), bytearray(), []
                for number in level:
                    nodes = [] if number in cut else self.children[number]
                    counts += varint(len(nodes))
                    for label, child in nodes:
                        labels += alphabet[label].to_bytes(2 if wide else 1, "little")
                        below.append(child)
                    if not nodes:
                        low, high = self.ranges[number]
                        found.append(bisect_left(levels, max(weights[low:high], default=0)))
                out += counts + labels
                level = below
            packed_classes = [
                sum(one << 2 * i for i, one in enumerate(found[at : at + 4])) for at in range(0, len(found), 4)
            ]
            return bytes(out + bytes(packed_classes))

        groups, upper = [], []

        def divide(number):
            if sizes[number] <= FRAME or not self.children[number]:
                if groups and sum(sizes[n] for n in groups[-1]) + sizes[number] <= FRAME:
                    groups[-1].append(number)
                else:
                    groups.append([number])
                upper.append(number)
            else:
                for _, child in self.children[number]:
                    divide(child)

        divide(0)
        top = b"".join(varint(ord(c)) for c in alphabet) + content([0], frozenset(upper))
        return [top] + [content(group) for group in groups], groups

    def walk(self, text, edits, visit, read=None):
        """Calls `visit` with each leaf or matching node that `edits` may lead to, and adds the nodes it expands to `read`."""
        size = len(text)
        left = [(0, list(range(size + 1)), None, "")]
        while left:
            number, row, above, last = left.pop()
            if row[size] <= edits:
                visit(number, True)
                continue
            if not self.children[number]:
                visit(number, False)
                continue
            if read is not None:
                read.add(number)
            for label, child in self.children[number]:
                now = [row[0] + 1]
                for i in range(1, size + 1):
                    cost = min(row[i] + 1, now[i - 1] + 1, row[i - 1] + (text[i - 1] != label))
                    if above and i > 1 and label == text[i - 2] and last == text[i - 1]:
                        cost = min(cost, above[i - 2] + 1)
                    now.append(cost)
                if min(now) <= edits:
                    left.append((child, now, row, label))


def near(text, key, edits):
    """Whether some beginning of `key` is within `edits` of `text`."""
    row, above, last = list(range(len(text) + 1)), None, ""
    for label in key:
        if row[-1] <= edits:
            return True
        now = [row[0] + 1]
        for i in range(1, len(text) + 1):
            cost = min(row[i] + 1, now[i - 1] + 1, row[i - 1] + (text[i - 1] != label))
            if above and i > 1 and label == text[i - 2] and last == text[i - 1]:
                cost = min(cost, above[i - 2] + 1)
            now.append(cost)
        if min(now) > edits:
            return False
        row, above, last = now, row, label
    return row[-1] <= edits


def texts_of(one):
    return [key.decode().replace("\1", " ") for key in one.keys]


def pages_of(one):
    """Ranges of the records of each page."""
    firsts = [shard.first for shard in one.shards[::PAGE]] + [len(one.keys)]
    return list(zip(firsts, firsts[1:]))


def of_pages(one, texts, most, turned, least=6):
    found = []
    for low, high in pages_of(one):
        pairs = sorted((text[turned:], weight) for text, weight in zip(texts[low:high], one.weights[low:high]) if text)
        found.append((low, Tree([text for text, _ in pairs], most, least - turned), [weight for _, weight in pairs]))
    return found


def table(records, entries):
    """The bytes of a table of deletions: each variant, sorted, with the number of its beginning in varint deltas."""
    beginnings = sorted({text[:6] for one in (records, entries) for text in texts_of(one)})
    pairs = sorted({(b[:i] + b[i + 1 :], n) for n, b in enumerate(beginnings) for i in range(len(b) + 1)})
    size, at = 0, 0
    for at in range(0, len(pairs), 4096):
        out, before = bytearray(), ""
        numbers = bytearray()
        for variant, number in pairs[at : at + 4096]:
            shared = 0
            while shared < min(len(variant), len(before)) and variant[shared] == before[shared]:
                shared += 1
            rest = variant[shared:].encode()
            out += bytes([shared << 4 | min(15, len(rest))]) + rest
            numbers += number.to_bytes(3, "little")
            before = variant
        size += packed(out) + packed(numbers)
    return len(beginnings), len(pairs), size


def hidden(records, entries, count=300):
    """Of names with a wrong first letter, drawn as sessions are: how many find a text with that letter one edit away."""
    rnd, texts = random.Random(3), sorted(texts_of(records) + texts_of(entries))
    order = sorted(
        (i for i in range(len(records.keys)) if len(records.titles[i]) > 5), key=lambda i: -records.weights[i]
    )
    names, found, exact = (
        [lists.plain(records.titles[order[int(len(order) * rnd.random() ** 3)]]) for _ in range(count)],
        0,
        0,
    )
    for name in names:
        text = rnd.choice([c for c in "abcdefghijklmnopqrstuvwxyz" if c != name[0]]) + name[1:]
        low, high = bisect_left(texts, text[0]), bisect_left(texts, chr(ord(text[0]) + 1))
        same = [key for key in texts[low:high] if near(text, key, 1)]
        exact += any(key.startswith(text) for key in same)
        found += bool(same) and not any(key.startswith(text) for key in same)
    return f"of {count} names with a wrong first letter {exact} match a text, {found} have a text one edit away with that letter"


def walked(trees, text, edits):
    """The parts, the parts with a hit, the shards, the frames, and the frames of the first letter that a walk leads to."""
    parts, hits, holders, frames = set(), set(), set(), [0, 0]
    for one, low, tree, owner in trees:
        expanded, found = set(), []
        starts = [shard.first for shard in one.shards]
        tree.walk(text, edits, lambda number, _: found.append(number), expanded)
        frames[0] += len({owner[node] for node in expanded})
        frames[1] += len({owner[node] for node in expanded if tree.texts[tree.ranges[node][0]][:1] == text[0]} | {0})
        for number in found:
            for i in range(*tree.ranges[number]):
                shard = bisect_right(starts, low + i) - 1
                part = bisect_right(one.shards[shard].parts, (low + i, 1 << 40)) - 1
                parts.add((id(one), shard, part))
                holders.add((id(one), shard))
                if (id(one), shard, part) not in hits and near(text, tree.texts[i], edits):
                    hits.add((id(one), shard, part))
    return len(parts), len(hits), len(holders), *frames


def print_walks(trees, texts, edits):
    if not texts:
        return
    parts, hits, shards, frames, same = (
        sorted(column) for column in zip(*(walked(trees, text, edits) for text in texts))
    )
    mean, p99 = lambda n: sum(n) / len(n), lambda n: n[int(0.99 * (len(n) - 1))]
    print(
        f"  {edits} edits, {len(parts)} texts: parts mean {mean(parts):.1f} p99 {p99(parts)} most {parts[-1]};"
        f" shards mean {mean(shards):.1f} p99 {p99(shards)}; parts with a hit {mean(hits):.1f};"
        f" frames mean {mean(frames):.1f} most {frames[-1]}, of the first letter {mean(same):.1f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--most", type=int, nargs="+", default=[64])
    parser.add_argument("--least", type=int, nargs="+", default=[6])
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--turned", action="store_true")
    parser.add_argument("--texts", nargs="+")
    parser.add_argument("--queries", type=int, default=200)
    options = parser.parse_args()
    for name in options.names:
        records, entries, kinds = lists.load(options.work, name)
        today = sum(size for (_, kind), size in kinds.items() if kind == "sketches")
        if options.first:
            print(f"{name}: {hidden(records, entries)}", flush=True)
            continue
        if options.table:
            print(
                f"{name}: deletions: beginnings, variants, bytes: {table(records, entries)}, sketches today {today}",
                flush=True,
            )
            continue
        asked = [s[-1] for s in lists.sessions(records, "error", options.queries)]
        asked = options.texts or [lists.plain(text) for text in asked if len(lists.plain(text)) >= 4]
        all_texts = [(one, texts_of(one)) for one in (records, entries)]
        for least, most in ((least, most) for least in options.least for most in options.most):
            sizes, nodes, frames, trees, turned, letters = 0, 0, 0, [], 0, Counter()
            for one, texts in all_texts:
                for low, tree, weights in of_pages(one, texts, most, 0, least):
                    contents, groups = tree.frames(weights)
                    for content, group in zip(contents[1:], groups):
                        for letter in {tree.texts[tree.ranges[number][0]][:1] for number in group}:
                            letters[letter] += packed(content)
                    sizes += sum(map(packed, contents))
                    nodes += len(tree.children)
                    frames += len(contents)
                    owner = [0] * len(
                        tree.children
                    )  # Per node the number of its frame; 0 is the one of the nodes above.
                    for i, group in enumerate(groups, 1):
                        below = list(group)
                        for node in below:
                            owner[node] = i
                            below += [child for _, child in tree.children[node]]
                    trees.append((one, low, tree, owner))
                if options.turned:
                    for low, tree, weights in of_pages(one, texts, most, 1, least):
                        turned += sum(map(packed, tree.frames(weights)[0]))
            print(
                f"{name}, least {least}, most {most}: {nodes:,} nodes, {frames} frames, {sizes:,} bytes, turned {turned:,}; sketches today {today:,};"
                f" the dearest letters: {letters.most_common(3)}"
            )
            for edits in (1, 2):
                texts = [text for text in asked if edits == 1 or options.texts or len(text) >= 7]
                print_walks(trees, texts if edits == 1 or options.texts else texts[: options.queries // 4], edits)


if __name__ == "__main__":
    main()
