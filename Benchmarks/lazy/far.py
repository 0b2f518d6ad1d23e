"""Requests, bytes and rounds of typed sessions on a far host, simulated for each design (ways 1, 3, 4 and 5).

    python3 far.py WORK NAME ... [--sessions 150] [--kind mixed]

The simulation knows each text, weight, part and shard of the index. It takes the ten best matches of a text, by key,
later word, other name and words in any order, and counts the parts whose bound is not below the tenth. A session
begins with nothing, fetches whole shards, and keeps them. A text without a match is corrected with the edits that its
size allows, through sketches of six characters, 90 KiB a page; a shard has the bound of its greatest weight. Designs:

- today: entries lead to records; one request for the sketches of each page of 64 shards that a correction walks.
- cover: entries carry rank and row, so no record is read for them.
- first: cover, and first answers with the opening: the rows of each beginning that more than one shard has.
- tree: first, and a leaf of a sketch has the class of its greatest weight (70, 90, 97 and 100 % of the page), which bounds
  its texts closer than their part does.
- letter: tree, and sketches are frames by first letters: a request of 12 KiB for each page that has the letter. Texts with
  another first letter are looked for if none with the same one is as near, in all frames of the pages.
- ahead: letter, and the six best shards are asked at once, needed or not; then all above the tenth best so far.
- shelf: ahead, and a correction with one edit that the first answers have is shown at once, as an answer that is not
  complete. The complete one behind it is not counted.
- lists: ahead without cover, as lists of references for words and names are: each hit of an entry is read.

Rounds are counted as if containers were asked one after the other; `ahead` and the designs behind it ask side by side.
Readings, filters, nearness and words that are left out are not simulated.
"""

import argparse
from bisect import bisect_left, bisect_right

import lists
import trees

LIMIT = 10
AHEAD = 6  # containers
DESIGNS = ("today", "cover", "first", "tree", "letter", "ahead", "shelf", "lists")


def bounded(weights):
    """Per text the code of the greatest weight of its class."""
    levels = trees.classes(weights)
    codes = [lists.code(level) for level in levels]
    return [codes[bisect_left(levels, weight)] for weight in weights]


class Model:
    def __init__(self, work, name):
        self.records, self.entries, _ = lists.load(work, name)
        self.sets = (self.records, self.entries)
        self.texts = [[key.decode().replace("\1", " ") for key in one.keys] for one in self.sets]
        self.lasts = [
            [len(key.rpartition(b"\1")[2].decode()) + 1 if b"\1" in key else 0 for key in one.keys] for one in self.sets
        ]
        self.firsts = [[part[0] for shard in one.shards for part in shard.parts] for one in self.sets]
        self.holders = [[i for i, shard in enumerate(one.shards) for _ in shard.parts] for one in self.sets]
        self.bounds = []
        for number, one in enumerate(self.sets):
            ends = self.firsts[number][1:] + [len(one.keys)]
            self.bounds.append([max(one.weights[a:b]) for a, b in zip(self.firsts[number], ends)])
        self.heaviest = [
            [
                lists.code(max(one.weights[shard.first : shard.parts[-1][0] + shard.parts[-1][1]]))
                for shard in one.shards
            ]
            for one in self.sets
        ]
        self.sketches = [
            (number, low, tree, bounded(weights))
            for number, one in enumerate(self.sets)
            for low, tree, weights in trees.of_pages(one, self.texts[number], 64, 0, 6)
        ]
        self.forms = {
            place
            for place, (begin, text) in enumerate(zip(self.entries.begins, self.texts[1]))
            if begin is None and lists.plain(self.entries.targets[place].decode()) == lists.plain(text)
        }
        self.known, self.corrected = {}, {}
        # The first answers: beginnings of lower bounds, of both sets.
        self.starts = {""}
        for one in self.sets:
            for shard in one.shards:
                bound = shard.bound.decode(errors="ignore").replace("\1", " ")
                self.starts |= {bound[:size] for size in range(1, len(bound))}

    def shelf(self):
        """The records and texts of the first answers: per text its ten best matches, as (set, place)."""
        if not hasattr(self, "rows"):
            self.answers = {text: self.exact(text)[0] for text in sorted(self.starts)}
            self.rows = sorted({(number, place) for hits in self.answers.values() for _, number, place in hits})
            self.rows = [(number, place, self.texts[number][place]) for number, place in self.rows]
        return self.rows

    def first_bytes(self):
        """The bytes of the first answers: rows in order (title, value, weight), texts, and per text its rows."""
        rows = self.shelf()
        numbers = {(number, place): i for i, (number, place, _) in enumerate(rows)}
        names, others = bytearray(), bytearray()
        for number, place, _ in rows:
            target = self.target(number, place)
            at = bisect_left(self.records.keys, target)
            title = self.records.titles[at].encode() if at < len(self.records.keys) else target
            names += title + b"\n" + (target.rpartition(b"\1")[2] if b"\1" in target else b"") + b"\n"
            others += self.sets[number].weights[place].to_bytes(8, "little")
        lists_of = bytearray()
        for text in sorted(self.answers):
            names += text.encode() + b"\n"
            lists_of += bytes([len(self.answers[text])])
            for _, number, place in self.answers[text]:
                lists_of += numbers[number, place].to_bytes(3, "little")
        return len(self.answers), len(rows), lists.packed(names) + lists.packed(others) + lists.packed(lists_of)

    def part_of(self, number, place):
        return bisect_right(self.firsts[number], place) - 1

    def score(self, number, place, text):
        one, whole = self.sets[number], self.texts[number][place]
        size = len(whole) - self.lasts[number][place]
        is_whole = size == len(text) or len(whole) == len(text)
        code = lists.code(one.weights[place])
        if number == 0 or place in self.forms:
            return code + 2048 * (6 if is_whole else 0)
        if one.begins[place] is not None:
            return code if code else -3 * 2048  # The weight of an entry has the factor of its kind already.
        untyped = 8 * max(0, size - len(text)) // max(1, size)
        return code + 2048 * (3 if is_whole else -untyped)

    def run(self, number, text):
        texts = self.texts[number]
        low = bisect_left(texts, text)
        return low, bisect_left(texts, text + "\U0010ffff", low)

    def target(self, number, place):
        return self.records.keys[place] if number == 0 else self.entries.targets[place]

    def ended(self, scored, reached):
        """The hits of scored items, and the containers whose bound reaches the tenth: (set, part, best score)."""
        best, order = {}, sorted(scored, key=lambda one: (-one[0], one[1], one[2]))
        for score, number, place in order:
            target = self.target(number, place)
            ordinal = place - bisect_left(self.records.keys, target) if number == 0 else 0
            best.setdefault((target, ordinal), (score, number, place))
            if len(best) == LIMIT:
                break
        last, behind = -(1 << 30), b""
        if len(best) == LIMIT:
            last, number, place = min(best.values(), key=lambda one: (one[0], -one[2]))
            behind = self.target(number, place)
        opened = [
            (bound, number, part)
            for bound, number, part in reached
            if bound > last or bound == last and (number == 1 or self.records.keys[self.firsts[0][part]] <= behind)
        ]
        leads = [
            (number, place)
            for score, number, place in scored
            if number == 1 and (score > last or score == last and self.target(number, place) <= behind)
        ]
        self.ahead = [(number, self.holders[number][part]) for _, number, part in sorted(reached, reverse=True)]
        return list(best.values()), sorted(opened, reverse=True), leads

    def exact(self, text):
        """Matches of a text: hits, opened containers, and the entries that lead to records."""
        if text in self.known:
            return self.known[text]
        scored, reached = [], []
        for number in (0, 1):
            low, high = self.run(number, text)
            for place in range(low, high):
                score = self.score(number, place, text)
                scored.append((score, number, place))
            if low < high:
                for part in range(self.part_of(number, low), self.part_of(number, high - 1) + 1):
                    extra = 6 if part == self.part_of(number, low) else 0
                    reached.append((lists.code(self.bounds[number][part]) + 2048 * extra, number, part))
        words = text.split()
        if len(words) > 1 and len(scored) < LIMIT and max(map(len, words)) >= 4:
            word = max(words, key=len)
            for number in (0, 1):
                low, high = self.run(number, word)
                if low < high:
                    for place in range(low, high):
                        whole = self.target(number, place).decode().replace("\1", " ").replace("-", " ").split()
                        if all(any(w.startswith(q) for w in whole) for q in words):
                            scored.append(
                                (
                                    lists.code(self.sets[number].weights[place]) - (3 if number else 6) * 2048,
                                    number,
                                    place,
                                )
                            )
                    reached += [
                        (lists.code(self.bounds[number][part]) - (3 if number else 6) * 2048, number, part)
                        for part in range(self.part_of(number, low), self.part_of(number, high - 1) + 1)
                    ]
        self.known[text] = *self.ended(scored, reached), list(dict.fromkeys(self.ahead))[:AHEAD]
        return self.known[text]

    def correct(self, text, by_leaf):
        """The same with edits; None if nothing matches, and the edits that were tried."""
        if (text, by_leaf) in self.corrected:
            return self.corrected[text, by_leaf]
        longest = max(map(len, text.split()), default=0)
        most = 0 if longest < 3 else 1 if longest < 8 and " " in text or longest < 5 else 2
        most = min(most, 2) if len(text) <= 64 else 0
        tried, all_opened = set(), []
        hits, leads, ahead = [], [], []
        for edits, same in [
            (edits, same) for edits in range(1, most + 1) for same in ((True, False) if by_leaf == 2 else (None,))
        ]:
            tried.add(same)
            scored, reached = [], {}
            for number, low, tree, codes in self.sketches:
                found = []
                tree.walk(text, edits, lambda node, _: found.append(node))
                for node in found:
                    a, b = tree.ranges[node]
                    if a == b or same is not None and (tree.texts[a][:1] == text[0]) != same:
                        continue
                    for part in range(self.part_of(number, low + a), self.part_of(number, low + b - 1) + 1):
                        bound = max(codes[a:b]) if by_leaf else self.heaviest[number][self.holders[number][part]]
                        bound += 4096
                        reached[number, part] = max(bound, reached.get((number, part), -(1 << 30)))
                    for place in range(low + a, low + b):
                        if trees.near(text, self.texts[number][place], edits):
                            scored.append((lists.code(self.sets[number].weights[place]), number, place))
            hits, opened, leads = self.ended(scored, [(bound, *key) for key, bound in reached.items()])
            all_opened += opened
            ahead += self.ahead
            if hits:
                break
        self.corrected[text, by_leaf] = hits, all_opened, leads, list(dict.fromkeys(ahead))[:AHEAD], tried
        return self.corrected[text, by_leaf]


class Session:
    """The requests of one session: the shards and the frames of sketches that it has."""

    def __init__(self, model, design):
        self.model, self.design = model, design
        self.covers, self.begins, self.cuts, self.asks, self.shelves = (
            DESIGNS.index(design) >= level for level in (1, 2, 4, 5, 6)
        )
        if design == "lists":
            self.covers = self.shelves = False
        self.have, self.count, self.size, self.corrections = set(), 0, 0, 0

    def fetch(self, number, shard):
        if (number, shard) in self.have:
            return 0
        self.have.add((number, shard))
        self.count += 1
        self.size += self.model.sets[number].shards[shard].size
        return 1

    def read(self, opened, leads, ahead):
        """Containers, then the records that entries lead to; returns the rounds."""
        model = self.model
        missing = {(number, model.holders[number][part]): None for _, number, part in opened}
        missing = [one for one in missing if one not in self.have]
        rounds = max(min(1, len(missing)), len(missing) - 1)
        if self.asks and missing:
            rounds = 2 if set(missing) - set(ahead) else 1
            missing += ahead
        for one in missing:
            self.fetch(*one)
        if not self.covers:
            for _, place in leads:
                at = bisect_left(model.records.keys, model.entries.targets[place])
                if at < len(model.records.keys):
                    rounds += self.fetch(0, model.holders[0][model.part_of(0, at)])
        return rounds

    def sketches(self, text, tried):
        """The frames of the first letter, and all frames of a page for errors in it; returns the rounds."""
        model, wanted = self.model, set()
        if self.cuts:
            wanted = {
                (number, low, text[0])
                for number, low, tree, _ in model.sketches
                if any(label == text[0] for label, _ in tree.children[0])
            }
        if None in tried or False in tried:
            wanted |= {(number, low, "") for number, low, _, _ in model.sketches}
        fresh = [one for one in wanted if not {("sketch", one), ("sketch", (*one[:2], ""))} & self.have]
        self.have.update(("sketch", one) for one in wanted)
        self.count += len(fresh)
        self.size += sum(12 << 10 if one[2] else 90 << 10 for one in fresh)
        return min(1, len(fresh))

    def ask(self, text):
        """The rounds and the opened parts of a text."""
        model = self.model
        if not text or self.begins and text in model.starts:
            return 0, 0
        hits, opened, leads, ahead = model.exact(text)
        rounds, parts = self.read(opened, leads, ahead), len(opened) + (0 if self.covers else len(leads))
        if hits:
            return rounds, parts
        if (
            self.shelves
            and max(map(len, text.split())) > 2
            and any(trees.near(text, whole, 1) for _, _, whole in model.shelf())
        ):
            return rounds, parts
        hits, opened, leads, ahead, tried = model.correct(text, 2 if self.cuts else 1 if self.design == "tree" else 0)
        before = self.count
        if tried:
            rounds += self.sketches(text, tried) + self.read(opened, leads, ahead)
            parts += len(opened) + (0 if self.covers else len(leads))
        self.corrections += self.count - before
        return rounds, parts


def play(model, design, texts_of_sessions):
    """The cells of a row: requests and KB of a session, rounds and parts of a key."""
    sessions, rounds, parts = [], [], []
    for texts in texts_of_sessions:
        session = Session(model, design)
        for typed in texts:
            made, opened = session.ask(lists.plain(typed))
            rounds.append(made)
            parts.append(opened)
        sessions.append(session)
    gets = [session.count for session in sessions]
    p = lambda n, q: sorted(n)[int(q * (len(n) - 1))]
    mean = lambda n: sum(n) / len(n)
    return (
        f"{mean(gets):.1f} / {p(gets, 0.99)}",
        f"{mean([s.size for s in sessions]) / 1024:,.0f}",
        f"{p(rounds, 0.99)}, {max(rounds)}",
        f"{mean(parts):.1f} / {p(parts, 0.99)} / {max(parts)}",
        f"{mean([s.corrections for s in sessions]):.1f}",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--sessions", type=int, default=150)
    parser.add_argument("--kind", default="mixed")
    parser.add_argument("--first", action="store_true", help="print the bytes of the first answers")
    options = parser.parse_args()
    print(
        "| list | design | GETs of a session, mean / p99 | KB | rounds of a key, p99, most | parts of a key, mean / p99 / most | GETs of corrections |"
    )
    print("|---|---|--:|--:|--:|--:|--:|")
    for name in options.names:
        model = Model(options.work, name)
        if options.first:
            print(f"{name}: first answers: texts, rows, bytes: {model.first_bytes()}", flush=True)
            continue
        sessions = lists.sessions(model.records, options.kind, options.sessions)
        for design in DESIGNS:
            print(f"| {name} | {design} | " + " | ".join(play(model, design, sessions)) + " |", flush=True)


if __name__ == "__main__":
    main()
