"""Reads and checks side files (docs/format.md §3.12): the values, cells and sketches of a page's shards."""

import hashlib
import json
import re
from typing import NamedTuple

GROUP = 64  # pages of a frame of the chain
SHARDS = 16  # of a frame with the lists of parts
VALUES, PARTS_OF_VALUES, CELLS, PARTS_OF_CELLS = 1, 2, 3, 4  # kinds of frames
MOST_VALUES, MOST_BYTES = 1024, 65536


class SideFrame(NamedTuple):
    kind: int
    number: int
    group: int
    size: int
    content_size: int
    checksum: int

    @property
    def name(self):
        return self.kind, self.number, self.group


class Entry(NamedTuple):
    """A value of a shard or a part: its number in the list above, the number of its records, their greatest weight."""

    number: int
    count: int
    weight: int


class Table(NamedTuple):
    """The values of a filter in a page: the texts, the lists of the shards, and per shard the lists of its parts."""

    values: list
    shards: list
    parts: list


def step(weight, of_entries):
    """The step of a weight, rounded up."""
    if of_entries:
        return -(-weight // 512)
    if weight == 0:
        return 0
    exponent = weight.bit_length() - 1
    quarters = -(-4 * weight // 2**exponent)
    return 1 + 4 * exponent + quarters - 4


def read_chain(reader, head, groups, frames, page_count):
    """Per page the digest of its side file and its frames."""
    what = "manifest: sides"
    cursor = reader.Cursor(head, what)
    reader.need(cursor.take(4) == b"SQS1", f"{what} of another magic")
    reader.need(cursor.number("I") == page_count, f"{what} of another count of pages")
    count = -(-page_count // GROUP)
    ends, checksums = cursor.unpack(f"{count}I"), cursor.unpack(f"{count}I")
    cursor.finish()
    reader.need(len(groups) == count, f"{what} of another count of groups")
    pages, at = [], 0
    for number, (content, frame) in enumerate(zip(groups, frames)):
        at += frame.size
        reader.need((ends[number], checksums[number]) == (at, frame.checksum), f"{what}: group {number} is another than promised")
        group = reader.Cursor(content, f"{what}, group {number}")
        for _ in range(min(GROUP, page_count - GROUP * number)):
            pages.append(read_page(reader, group))
        group.finish()
    return pages


def read_page(reader, cursor):
    digest = cursor.take(16)
    frames = []
    for _ in range(cursor.varint()):
        kind = cursor.number("B")
        number, group, size, content_size = (cursor.varint() for _ in range(4))
        frames.append(SideFrame(kind, number, group, size, content_size, cursor.number("I")))
        reader.need(0 < size <= content_size + 65536 and content_size <= 1 << 24, f"{cursor.what}: a frame is too large")
    names = [frame.name for frame in frames]
    reader.need(names == sorted(set(names)), f"{cursor.what}: frames are not in order")
    reader.need(bool(frames) == any(digest), f"{cursor.what}: a digest without frames, or frames without a digest")
    reader.need(sum(frame.size for frame in frames) <= 1 << 26, f"{cursor.what}: a side file is too large")
    return digest, frames


def name_of(digest):
    return f"side-{digest[:8].hex()}.zst"


def read_file(reader, directory, page):
    """The contents of a side file by the names of its frames."""
    digest, frames = page
    if not frames:
        return {}
    what = name_of(digest)
    data = reader.read_file(directory, what)
    reader.need(hashlib.sha256(data).digest()[:16] == digest, f"{what}: another digest than promised")
    found = reader.frames_of(data, what)
    shown = [(frame.size, frame.content_size, frame.checksum) for frame in found]
    reader.need(shown == [(f.size, f.content_size, f.checksum) for f in frames], f"{what}: other frames than promised")
    return dict(zip([frame.name for frame in frames], reader.unpack_frames(data, found, what)))


def read_lists(reader, cursor, limits, rounded):
    """The entries of each container; `limits` has the greatest number of values of each."""
    counts = [cursor.varint() for _ in limits]
    numbers = []
    for count, limit in zip(counts, limits):
        after = 0
        for _ in range(count):
            numbers.append(after + cursor.varint())
            after = numbers[-1] + 1
        reader.need(after <= limit, f"{cursor.what}: a value that is none")
    records = [cursor.varint() for _ in numbers]
    reader.need(0 not in records, f"{cursor.what}: a value of no record")
    weights = [cursor.number("B") if rounded else cursor.weight() for _ in numbers]
    entries = iter([Entry(*entry) for entry in zip(numbers, records, weights)])
    return [[next(entries) for _ in range(count)] for count in counts]


def read_table(reader, contents, number, shard_count, what, kinds=(VALUES, PARTS_OF_VALUES), of_entries=False):
    """The table of a filter; None if the page has none."""
    groups = -(-shard_count // SHARDS)
    found = [name for name in contents if name[0] in kinds and name[1] == number]
    if not found:
        return None
    expected = [(kinds[0], number, 0)] + [(kinds[1], number, group) for group in range(groups)]
    reader.need(found == expected, f"{what}: a table of other frames")
    cursor = reader.Cursor(contents[expected[0]], what)
    values = [cursor.text() for _ in range(cursor.varint())]
    reader.need(values == sorted(set(values)), f"{what}: values that do not ascend")
    reader.need(len(values) <= MOST_VALUES and sum(map(len, values)) <= MOST_BYTES, f"{what}: too many values")
    shards = read_lists(reader, cursor, [len(values)] * shard_count, False)
    cursor.finish()
    parts = []
    for group, name in enumerate(expected[1:]):
        cursor, own = reader.Cursor(contents[name], what), shards[SHARDS * group : SHARDS * group + SHARDS]
        counts = [cursor.varint() for _ in own]
        reader.need(0 not in counts, f"{what}: a shard without parts")
        limits = [len(shard) for shard, count in zip(own, counts) for _ in range(count)]
        lists = iter(read_lists(reader, cursor, limits, True))
        cursor.finish()
        for shard, count in zip(own, counts):
            parts.append([next(lists) for _ in range(count)])
            for i, entry in enumerate(shard):
                same = [e for part in parts[-1] for e in part if e.number == i]
                sums = sum(e.count for e in same), max((e.weight for e in same), default=0)
                reader.need(sums == (entry.count, step(entry.weight, of_entries)), f"{what}: a shard is not the sum of its parts")
    return Table(values, shards, parts)


def settings_list(value):
    """§3.6: paths with commas between, and backslashes before those that belong to one."""
    names, escaped = [b""], False
    for i in range(len(value)):
        byte = value[i : i + 1]
        if not escaped and byte == b"\\":
            escaped = True
        elif not escaped and byte == b",":
            names.append(b"")
        else:
            names[-1], escaped = names[-1] + byte, False
    return names


def texts_in(value):
    """The texts of a field: of an array those of its strings and numbers."""
    if isinstance(value, list):
        return [text for text in value if isinstance(text, str)]
    return [value] if isinstance(value, str) else []


def values_of(kind, text, fold):
    """The values of a field as it is stored."""
    if kind < 2:
        return {fold(text.decode())}
    if text in (b"true", b"false"):
        return {text}
    return {fold(one) for one in texts_in(json.loads(text, parse_int=str, parse_float=str))}


def verify_tables(reader, index, fold):
    """The tables of all filters and of cells, made anew of the records of the shards; entries list folds (§3.13)."""
    of_entries = index.settings.get(b"entries") == b"yes"
    if of_entries:
        fold = str.encode
    filters = settings_list(index.settings[b"filter"]) if b"filter" in index.settings else []
    weight = reader.Weights(index.settings)
    shards = list(index.shards())
    for page, contents in enumerate(index.side_contents()):
        own = shards[64 * page : 64 * page + 64]
        wanted = [((VALUES, PARTS_OF_VALUES), number, path) for number, path in enumerate(filters)]
        if index.settings.get(b"near") == b"10":
            wanted.append(((CELLS, PARTS_OF_CELLS), 0, None))
        for kinds, number, path in wanted:
            of_field = lambda fields, path=path: field_values(fields, path, fold)
            of_record = of_field if path is not None else lambda fields: cells_of(reader, index, fields)
            made = [[made_part(part, of_record, weight, path is not None) for part in shard.parts] for shard in own]
            values = sorted({value for shard in made for part in shard for value in part})
            table = read_table(reader, contents, number, len(own), f"page {page}, table {number}", kinds, of_entries)
            if len(values) > MOST_VALUES or sum(map(len, values)) > MOST_BYTES:
                reader.need(table is None, f"page {page} has a table of too many values")
                continue
            reader.need(table is not None and table.values == values, f"page {page} has other values")
            for shard, entries, parts, entry in zip(made, table.shards, table.parts, own):
                listed = sorted({value for part in shard for value in part})
                exact = [
                    (value, sum(part[value][0] for part in shard if value in part),
                     max(part[value][1] for part in shard if value in part)) for value in listed]
                reader.need([(values[e.number], e.count, e.weight) for e in entries] == exact,
                            f"{entry.entry.name}: other values than its records have")
                found = [{listed[e.number]: (e.count, e.weight) for e in part} for part in parts]
                rounded = [{value: (count, step(most, of_entries)) for value, (count, most) in part.items()} for part in shard]
                reader.need(found == rounded, f"{entry.entry.name}: parts of other values than their records have")


def cells_of(reader, index, fields):
    """The cells of a record, or those that an entry lists."""
    if index.settings.get(b"entries") != b"yes":
        return cell_values(reader, fields, index)
    return {int(cell).to_bytes(2, "big") for cell in field_values(fields, b"c", str.encode)}


def made_part(part, of_record, weight, counts):
    """Per value of a part's records the number of records with it, if they count, and their greatest weight."""
    found = {}
    for number in range(part.count):
        fields = part.record(number)
        own = None
        for value in of_record(fields):
            own = weight.of_record(fields) if own is None else own
            count, most = found.get(value, (0, 0))
            found[value] = count + 1 if counts else 1, max(most, own)
    return found


def field_values(fields, path, fold):
    """The values of a record's field; `true` stands for an entry with more values than a table holds."""
    field = next(((kind, text) for name, kind, text in fields if name == path), None)
    if field == (2, b"true") and re.fullmatch(rb"f\d+", path):
        return {b"%d" % i for i in range(MOST_VALUES + 1)}
    return set() if field is None else values_of(*field, fold)


def cell_values(reader, fields, index):
    """The cell of 10 degrees that a record lies in, by hundredths of a degree, in two bytes."""
    place = reader.place_of({name: text for name, _, text in reversed(fields)}, index)
    if None in place:
        return set()
    north, east = (int(abs(degrees) * 200 + 1) // 2 * (1 if degrees >= 0 else -1) for degrees in place)
    return {(min(17, (north + 9000) // 1000) * 36 + min(35, (east + 18000) // 1000)).to_bytes(2, "big")}
