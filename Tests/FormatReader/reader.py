#!/usr/bin/env python3
"""A second reader of the index format, written from docs/format.md alone; section numbers refer to that page.

    python3 reader.py DIRECTORY            prints every record as a line of JSON, in the index's order
    python3 reader.py --keys DIRECTORY     prints every folded key; other bytes appear as \\xNN
    python3 reader.py --verify DIRECTORY   makes the overlay and the ranks anew from the records, and compares

All three apply the changes of the overlay. The reader needs Python 3.11 and the zstd command. It decodes everything,
checks all rules of the page, and refuses an index that breaks a rule. It is not fast, and it does not search.
"""

import argparse
import hashlib
import os
import re
import stat
import struct
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections import Counter
from fractions import Fraction

import archive
import numbers_of_records
import sides
import sketches

CONTENT_LIMIT = 1 << 24  # content bytes of a frame
FRAME_EXCESS = 65536  # bytes that a frame may have more than its content
FILE_LIMIT = 1 << 26  # bytes of a shard
OVERLAY_LIMIT = 1 << 20  # bytes of an overlay's file
OVERLAY_START = b"SQO1\4\0\0\0"  # magic and version
FIELD_LIMIT = 4096  # fields of a record that an overlay adds
CELLS = 360 * 720
SETTING_LIMIT = 65536  # bytes of a setting's value
LAST_COMPONENTS = 4096
CHAINS, KNOWN_CHAINS = range(8, 32), (8, 9, 10, 11, 12, 14)  # sections that describe frames behind the pages
WEIGHT_LIMIT = (1 << 63) - 1
PAGE = 64  # shards
BATCH = 1 << 25  # content bytes that are unpacked by one zstd process, if one shard does not take more
FOLD_VERSION = 1
FOLD_HASH = 0x8CF6471A7B7D041A
BLOCK = 16

TEXT_KIND, NUMBER_KIND, VALUE_KIND, MIXED_KIND = range(4)
CONSTANT, DICTIONARY, TEXT, SUFFIX_FIELD, SPELLED, NUMBER = range(6)


class FormatError(Exception):
    """The index breaks a rule of the format."""


def need(condition, message):
    if not condition:
        raise FormatError(message)


# §2: conventions


class Cursor:
    """Takes values from the front of some bytes and refuses to run over their end."""

    def __init__(self, data, what, offset=0):
        self.data, self.what, self.at = data, what, offset

    def take(self, size):
        end = self.at + size
        need(end <= len(self.data), f"{self.what}: runs over its end")
        start, self.at = self.at, end
        return self.data[start:end]

    def unpack(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def number(self, form):
        return self.unpack(form)[0]

    def varint(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                need(value < 1 << 32, f"{self.what}: a varint is too large")
                return value
        raise FormatError(f"{self.what}: a varint is too long")

    def weight(self):
        """§3.11: an unsigned varint of at most nine bytes, and so of 63 bits."""
        value = 0
        for shift in range(0, 63, 7):
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise FormatError(f"{self.what}: a weight is too long")

    def signed_varint(self):
        value = 0
        for shift in range(0, 70, 7):
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                need(value < 1 << 64, f"{self.what}: a signed varint is too large")
                return -(value + 1) // 2 if value & 1 else value // 2
        raise FormatError(f"{self.what}: a signed varint is too long")

    def text(self):
        return self.take(self.varint())

    def finish(self):
        need(self.at == len(self.data), f"{self.what}: something is left over")


class Bits:
    """§4: bits that begin at a cursor's next byte, lowest first."""

    def __init__(self, cursor):
        self.cursor, self.word, self.left = cursor, 0, 0

    def take(self, count):
        missing = (count - self.left + 7) // 8
        if missing > 0:
            self.word |= int.from_bytes(self.cursor.take(missing), "little") << self.left
            self.left += 8 * missing
        value = self.word & (1 << count) - 1
        self.word >>= count
        self.left -= count
        return value

    def finish(self):
        need(self.word == 0, f"{self.cursor.what}: bits behind the last")


class Frame:
    """Where one zstd frame lies in a file, by its own header and block headers (RFC 8878 §3.1.1)."""

    def __init__(self, data, start, what):
        cursor = Cursor(data, what, start)
        need(cursor.number("I") == 0xFD2FB528, f"{what}: no zstd frame where one should begin")
        descriptor = cursor.number("B")
        need(descriptor & 0x08 == 0, f"{what}: a reserved bit is set in a frame")
        need(descriptor & 0x04, f"{what}: a frame without checksum")
        need(descriptor & 0x03 == 0, f"{what}: a frame with a dictionary")
        single = descriptor & 0x20
        if not single:
            cursor.take(1)
        size_flag = descriptor >> 6
        need(single or size_flag, f"{what}: a frame without content size")
        self.content_size = cursor.number("BHIQ"[size_flag]) + (256 if size_flag == 1 else 0)
        need(self.content_size <= CONTENT_LIMIT, f"{what}: a frame's content is too large")
        last = False
        while not last:
            header = int.from_bytes(cursor.take(3), "little")
            last, kind = header & 1, header >> 1 & 3
            need(kind != 3, f"{what}: a zstd block of a reserved type")
            cursor.take(1 if kind == 1 else header >> 3)
        self.checksum = cursor.number("I")
        self.size = cursor.at - start
        need(self.size <= self.content_size + FRAME_EXCESS, f"{what}: a frame is too large")


def frames_of(data, what):
    """All frames of a file, which they must fill."""
    frames, at = [], 0
    while at < len(data):
        frames.append(Frame(data, at, what))
        at += frames[-1].size
    return frames


def unpack_frames(data, frames, what):
    """The contents of frames that follow each other in `data`: one zstd process for all of them."""
    if not frames:
        return []
    run = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True)
    need(run.returncode == 0, f"{what}: {run.stderr.decode(errors='replace').strip()}")
    need(len(run.stdout) == sum(frame.content_size for frame in frames), f"{what}: sizes do not add up")
    contents, at = [], 0
    for frame in frames:
        contents.append(run.stdout[at : at + frame.content_size])
        at += frame.content_size
    return contents


def read_file(directory, name, limit=None):
    """A regular file's bytes; links and devices are refused, and files of more than `limit` bytes."""
    if isinstance(directory, archive.Archive):
        return directory.read(name)
    path = os.path.join(directory, name)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise FormatError(f"{name}: {error.strerror}") from error
    status = os.fstat(descriptor)
    try:
        need(stat.S_ISREG(status.st_mode), f"{name}: not a regular file")
        need(limit is None or status.st_size <= limit, f"{name}: too large")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def head_of(text):
    """§3.3: the first eight bytes as a big-endian number."""
    return int.from_bytes(text[:8].ljust(8, b"\0"), "big")


def check_bounds(bounds, continuations, what):
    """§3.3: bounds rise, except within a run of equal keys."""
    need(bounds[0] == b"", f"{what}: the first bound is not empty")
    for before, bound, continuation in zip(bounds, bounds[1:], continuations[1:]):
        need(before < bound or before == bound and continuation, f"{what}: bounds do not rise")


# §3: the manifest


def bounds_of(heads, ends, texts, what):
    """The bounds, by their ends, which must fill `texts`; each must have its head."""
    bounds, at = [], 0
    for (end,), (head,) in zip(struct.iter_unpack("<I", ends), struct.iter_unpack("<Q", heads)):
        need(at <= end <= len(texts), f"{what}: ends of bounds fall")
        bounds.append(texts[at:end])
        need(head == head_of(bounds[-1]), f"{what}: the head of bound {len(bounds) - 1} is another's")
        at = end
    need(at == len(texts), f"{what}: something is left over behind its bounds")
    return bounds


class ShardEntry:
    """The manifest's entry of one shard."""

    def __init__(self, number, first, records, bound, continuation, digest, label, file):
        self.number, self.first, self.records, self.bound = number, first, records, bound
        self.continuation, self.digest, self.label = continuation, digest, label
        self.file_size, self.header_size, self.header_content, self.header_checksum = file

    @property
    def name(self):
        """§3.5: the file's name."""
        plain = b"abcdefghijklmnopqrstuvwxyz0123456789"
        label = "".join(chr(b) if b in plain else f"%{b:02x}" for b in self.label if b)
        return f"{label or '_'}-{self.digest[:8].hex()}.zst"


class Index:
    """An index: its manifest, read and checked. `shards()` reads everything else."""

    def __init__(self, directory, check_digests=True, file="manifest"):
        """`file` is another manifest in the directory, that of entries."""
        self.directory = directory
        self.check_digests = check_digests
        self.density_grid = None
        self.features = set()  # the features of the format that the index has, for the tests
        overlay = overlay_file(directory) if file == "manifest" else None  # before the manifest (§11)
        data = read_file(directory, file)
        self.data = data
        frame = Frame(data, 0, "manifest")
        (root,) = unpack_frames(data[: frame.size], [frame], "manifest")
        self._read_root(root)
        pages, chains = self._divided(data[frame.size :])
        frames = {number: frames_of(chain, "manifest") for number, chain in [(0, pages), *chains.items()]}
        contents = iter(unpack_frames(pages + b"".join(chains.values()), sum(frames.values(), []), "manifest"))
        contents = {number: [next(contents) for _ in found] for number, found in frames.items()}
        self._read_children(frames[0], contents[0])
        self.entries = []
        for number, place in enumerate(self.page_places):
            self._read_page(number, contents[0][place])
        self._placed((entry.name, entry.file_size) for entry in self.entries)
        self.ranks = self.sides = self.numbers = None
        self.text_entries, self.last_components = None, []
        readers = {8: self._read_notes, 9: self._read_density_grid, 10: self._read_ranks, 11: self._read_sides}
        readers[12], readers[14] = self._read_entries, self._read_numbers
        for number, read in readers.items():
            if number in chains:
                self._check_head(number, frames[number])
                read(contents[number][0], contents[number][1:], frames[number][1:])
        if self.entries:
            check_bounds([e.bound for e in self.entries], [e.continuation for e in self.entries], "manifest")
        self.manifest_size, self.root_hash = len(data), xxh64(root)
        self.overlay = None
        if overlay is not None:
            found = Overlay(overlay, self.records, self.names)
            if (found.manifest_size, found.root_hash) == (self.manifest_size, self.root_hash):
                found.read()
                self.overlay = found

    def _read_root(self, content):
        """§3.1, §3.2: the header and the sections; later steps check children and chains."""
        header = Cursor(content, "manifest")
        need(header.take(4) == b"SQM1", "manifest: another magic")
        version = header.unpack("HH")[0]
        need(version == 1, "manifest: another version")
        fold_version, section_count = header.unpack("II")
        need(section_count <= 64, "manifest: too many sections")
        fold_hash, self.records, self.shard_count = header.unpack("QQI")
        need((fold_version, fold_hash) == (FOLD_VERSION, FOLD_HASH), "manifest: another fold")
        need(self.records < 1 << 63, "manifest: too many records")
        need((self.records == 0) == (self.shard_count == 0), "manifest: records without shards, or the reverse")
        self.shard_limit, name_count, self.part_size = header.unpack("III")
        need(name_count <= 65536, "manifest: too many field names")

        table = [header.unpack("IIQQ") for _ in range(section_count)]
        self.page_count = -(-self.shard_count // PAGE)
        p, level = self.page_count, 0
        while p > PAGE:
            p, level = -(-p // PAGE), level + 1
        width = struct.calcsize(self._entry(level))
        sizes = {1: 8 * p, 2: 8 * (p + 1), 3: 4 * p, 4: None, 5: width * p, 6: None, 7: None}
        sizes |= {number: 12 for number in CHAINS}
        sections = {}
        for number, _, offset, size in table:
            if number in sizes and number not in sections:
                need(offset <= len(content) and size <= len(content) - offset, "manifest: a section lies outside")
                need(sizes[number] in (None, size), f"manifest: section {number} has another size")
                sections[number] = content[offset : offset + size]
        for number in sizes:
            need(number in sections or number in CHAINS, f"manifest: no section {number}")

        self.level, self.tables = level, [sections[number] for number in (1, 2, 3, 5, 4)]
        # Per chain, in their order: its size, and the content's size and the checksum of its first frame.
        self.chains = {number: struct.unpack("<III", sections[number]) for number in CHAINS if number in sections}
        names = Cursor(sections[6], "manifest: field names")
        self.names = [names.text() for _ in range(name_count)]
        names.finish()
        need(len(set(self.names)) == name_count, "manifest: a field name stands twice")
        settings, self.settings = Cursor(sections[7], "manifest: settings"), {}
        while settings.at < len(settings.data):
            name, value = settings.text(), settings.text()
            need(len(value) <= SETTING_LIMIT, "manifest: a setting is too long")
            self.settings.setdefault(name, value)
        self.flat = set(sides.settings_list(self.settings[b"flat"])) if b"flat" in self.settings else set()

    def _divided(self, data):
        """§3.2: the bytes of the pages, and of each chain that this reader knows; chains follow the pages."""
        sizes = sum(size for size, _, _ in self.chains.values())
        need(sizes <= len(data), "manifest: chains of more bytes than there are")
        at, chains = len(data) - sizes, {}
        pages = data[:at]
        for number, (size, _, _) in self.chains.items():
            if number in KNOWN_CHAINS:
                chains[number] = data[at : at + size]
            at += size
        return pages, chains

    def _check_head(self, number, frames):
        """§3.2: a chain begins with the frame that the root promises."""
        _, content_size, checksum = self.chains[number]
        need(frames and (frames[0].content_size, frames[0].checksum) == (content_size, checksum),
             f"manifest: section {number} begins with another frame than promised")

    def _read_children(self, frames, contents=()):
        """§3.2, §3.10: checks the frames of nodes and pages against the root."""
        self.page_firsts, self.page_bounds, self.page_flags, self.page_places = [], [], [], []
        self.listed = 0  # frames so far
        self._read_list(self.tables, self.level, 0, 0, self.records, (b"", False), frames, contents)
        self.page_firsts.append(self.records)
        need(self.listed == len(frames), "manifest: frames behind its last page")

    def _read_notes(self, head, groups, frames):
        """§3.8."""
        notes = Cursor(head, "manifest: notes")
        need(notes.take(4) == b"SQN1", "manifest: notes of another magic")
        _, _, self.zstd_level, count, self.repeated_ids, self.records_without_id = notes.unpack("IIIIII")
        need(len(groups) == -(-count // 64), "manifest: another count of notes than of pieces")
        need([notes.number("I") for _ in groups] == [frame.checksum for frame in frames], "manifest: other notes than promised")
        notes.finish()
        self.pieces, self.piece_digests = [], []
        for number, content in enumerate(groups):
            need(len(content) <= 2048, "manifest: a frame of notes is too large")
            group = Cursor(content, "manifest: notes")
            size = min(64, count - 64 * number)
            self.pieces += [divmod(group.varint(), 2) for _ in range(size)]
            self.piece_digests += [group.take(16) for _ in range(size)]
            group.finish()
        need(all(shards > 0 for shards, _ in self.pieces), "manifest: a piece of no shard")
        need(sum(shards for shards, _ in self.pieces) == self.shard_count, "manifest: notes of other shards")
        need(not self.pieces or self.pieces[0][1] == 1, "manifest: the cut cannot begin anew at its beginning")

    def _read_density_grid(self, head, bands, frames):
        """§3.9."""
        grid = Cursor(head, "manifest: density grid")
        need(grid.take(4) == b"SQD1", "manifest: a density grid of another magic")
        present = grid.number("I")
        numbers = [band for band in range(32) if present >> band & 1]
        need(all(band < 18 for band in numbers) and len(numbers) == len(bands), "manifest: other bands than promised")
        checksums = [grid.number("I") for _ in bands]
        need(checksums == [frame.checksum for frame in frames], "manifest: another density grid than promised")
        grid.finish()
        self.density_grid = {}  # cell: records
        for number, content in zip(numbers, bands):
            need(len(content) <= 1 << 17, "manifest: a band is too large")
            band = Cursor(content, "manifest: density grid")
            cells, cell = [], -1
            for _ in range(band.varint()):
                cell += 1 + band.varint()
                cells.append(14400 * number + cell)
            need(cells and cell < 14400, "manifest: a band without cells, or a cell off it")
            self.density_grid.update((cell, band.varint() + 1) for cell in cells)
            band.finish()

    def _read_ranks(self, head, pages, frames):
        """§3.11: per shard the greatest weight of each of its parts."""
        what, p = "manifest: ranks", self.page_count
        cursor = Cursor(head, what)
        need(cursor.take(4) == b"SQR1", f"{what} of another magic")
        need(cursor.number("I") == p == len(pages), f"{what} of another count of pages")
        ends, checksums, greatest = (cursor.unpack(f"{p}{form}") for form in "IIQ")
        cursor.finish()
        self.ranks, at = [], 0
        for number, (content, frame) in enumerate(zip(pages, frames)):
            at += frame.size
            need((ends[number], checksums[number]) == (at, frame.checksum), f"{what}: page {number} is another than promised")
            page = Cursor(content, f"{what}, page {number}")
            counts = [page.varint() for _ in range(self._shards_of(number))]
            need(0 not in counts, f"{page.what}: a shard without parts")
            shards = [[page.weight() for _ in range(count)] for count in counts]
            page.finish()
            need(max(map(max, shards)) == greatest[number], f"{page.what}: another greatest weight than promised")
            self.ranks += shards

    def _read_numbers(self, head, pages, frames):
        """§3.15."""
        counts = [self._shards_of(number) for number in range(self.page_count)]
        self.numbers = numbers_of_records.read_chain(Cursor, need, head, pages, frames, counts, len(self.number_paths()))

    def number_paths(self):
        return sides.settings_list(self.settings[b"number"]) if b"number" in self.settings else []

    def _read_entries(self, head, others, _):
        """§3.13: the manifest of the entries, and the last components of keys."""
        what = "manifest: entries"
        need(not others, f"{what} of more than one frame")
        cursor = Cursor(head, what)
        need(cursor.take(4) == b"SQE1", f"{what} of another magic")
        kind, size = cursor.unpack("BQ")
        need(kind == 4, f"{what} of another kind")
        digest, (checksum,) = cursor.take(16), cursor.unpack("I")
        count = cursor.varint()
        self.last_components = [cursor.take(cursor.varint()) for _ in range(count % (LAST_COMPONENTS + 1))]
        cursor.finish()
        need(count <= LAST_COMPONENTS + 1, f"{what} of too many last components")
        need(sum(map(len, self.last_components)) <= 1 << 16, f"{what} of too large last components")
        need(all(a < b for a, b in zip(self.last_components, self.last_components[1:])), f"{what}: components out of order")
        self.entries_file = f"entries-{digest[:8].hex()}.zst"
        self._placed([(self.entries_file, size)])
        self.text_entries = Index(self.directory, self.check_digests, self.entries_file)
        data = self.text_entries.data
        need(len(data) == size, f"{self.entries_file}: another size than promised")
        need(hashlib.sha256(data).digest()[:16] == digest, f"{self.entries_file}: another digest than promised")
        need(Frame(data, 0, self.entries_file).checksum == checksum, f"{self.entries_file}: another root than promised")
        need(self.text_entries.text_entries is None, f"{self.entries_file}: has entries of its own")

    def text_entry_set(self):
        """§3.13: per entry its folded key, the text before a word start or None, the record's key, the weight, and the
        losses of another name and of a word of a field, or None.

        A beginning that follows from the plain form of the text before the entry's key is b"", as it is stored.
        """
        for shard in self.text_entries.shards():
            for part in shard.parts:
                fields = zip(*(part.texts(name) for name in (b"b", b"t", b"w", b"a", b"s")))
                for key, (beginning, target, weight, *losses) in zip(part.keys, fields):
                    last = key.rpartition(b"\1")[2] if b"\1" in key else b""
                    if target is None:
                        target = (beginning or b"") + key
                    elif target.endswith(b"\0"):
                        target = target[:-1] + key
                    elif target.endswith(b"\1"):
                        target += last
                    yield key, beginning, target, int(weight), *(loss and int(loss) for loss in losses)

    def _read_sides(self, head, groups, frames):
        """§3.12: per page the digest of its side file and its frames."""
        self.sides = sides.read_chain(sys.modules[__name__], head, groups, frames, self.page_count)
        need(self.ranks is not None, "manifest: sides without ranks")
        self._placed((sides.name_of(digest), sum(frame.size for frame in frames)) for digest, frames in self.sides)

    def _placed(self, files):
        """docs/archive.md: the next files have the next places."""
        if isinstance(self.directory, archive.Archive):
            self.directory.files += files

    def side_contents(self):
        """Per page the contents of its side file, by the kind, number and group of each frame."""
        return [sides.read_file(sys.modules[__name__], self.directory, page) for page in self.sides or []]

    def _shards_of(self, number, level=0):
        """The number of shards of a page, or below a node."""
        size = PAGE ** (level + 1)
        return max(0, min(size, self.shard_count - size * number))

    @staticmethod
    def _entry(level):
        """The layout of a list's entry of a page, and of a node."""
        return "<QIIIIQ" if level else "<QIII"

    def _read_list(self, tables, level, number, first, records, promise, frames, contents):
        """§3.2, §3.10: a root's or a node's tables, down to the pages. `level` is that of its children.

        Returns the bytes of the frames in the file, and the bytes of their contents.
        """
        heads, firsts, ends, entries, texts = tables
        what = f"manifest, list {number} of level {level}"
        bounds = bounds_of(heads, ends, texts, what)
        firsts = struct.unpack(f"<{len(bounds) + 1}Q", firsts)
        need(firsts[0] == 0 and firsts[-1] == records, f"{what}: records do not add up")
        size, content_size = 0, 0
        for i, bound in enumerate(bounds):
            child = PAGE * number + i
            what = f"manifest, {'node' if level else 'page'} {child}"
            end, unpacked, checksum, flags, *node = struct.unpack_from(
                self._entry(level), entries, struct.calcsize(self._entry(level)) * i)
            flag = bool(flags & 1)
            need(i > 0 or (bound, flag) == promise, f"{what}: begins with another bound or flag than was promised")
            need(firsts[i + 1] - firsts[i] >= self._shards_of(child, level), f"{what}: fewer records than shards")
            need(self.listed < len(frames), "manifest: fewer pages than its shards fill")
            frame, place = frames[self.listed], self.listed
            self.listed += 1
            need(frame.content_size == unpacked, f"{what}: another content size than promised")
            need(frame.checksum == checksum, f"{what}: another checksum than promised")
            size, all_unpacked = size + frame.size, unpacked
            if level:
                need(frame.size == node[0], f"{what}: another size than promised")
                cursor, c = Cursor(contents[place], what), -(-self._shards_of(child, level) // PAGE**level)
                width = struct.calcsize(self._entry(level - 1))
                below = [cursor.take(count) for count in (8 * c, 8 * (c + 1), 4 * c, width * c)]
                below.append(contents[place][cursor.at :])
                added = self._read_list(
                    below, level - 1, child, first + firsts[i], firsts[i + 1] - firsts[i], (bound, flag), frames, contents)
                size, all_unpacked = size + added[0], unpacked + added[1]
                need(all_unpacked == node[1] < 1 << 56, f"{what}: other content than promised")
            else:
                self.page_firsts.append(first + firsts[i])
                self.page_bounds.append(bound)
                self.page_flags.append(flag)
                self.page_places.append(place)
            need(size == end, f"{what}: ends elsewhere than promised")
            content_size += all_unpacked
        return size, content_size

    def _read_page(self, number, content):
        """§3.4."""
        what, c = f"manifest, page {number}", self._shards_of(number)
        cursor = Cursor(content, what)
        heads, firsts = cursor.take(8 * c), cursor.unpack(f"{c + 1}Q")
        ends, files, digests, labels = (cursor.take(size * c) for size in (4, 20, 16, 8))
        bounds = bounds_of(heads, ends, content[cursor.at :], what)
        first = self.page_firsts[number]
        need(firsts[0] == 0 and first + firsts[c] == self.page_firsts[number + 1], f"{what}: records do not add up")
        need(all(a < b for a, b in zip(firsts, firsts[1:])), f"{what}: an empty shard")
        need(bounds[0] == self.page_bounds[number], f"{what}: begins with another bound than the root says")
        for i, bound in enumerate(bounds):
            *file, flags = struct.unpack_from("<5I", files, 20 * i)
            need(file[1] <= file[0] <= FILE_LIMIT and file[2] <= CONTENT_LIMIT, f"{what}: sizes of shard {i}")
            digest, label = digests[16 * i : 16 * i + 16], labels[8 * i : 8 * i + 8]
            place, count = PAGE * number + i, firsts[i + 1] - firsts[i]
            entry = ShardEntry(place, first + firsts[i], count, bound, bool(flags & 1), digest, label, file)
            self.entries.append(entry)
        flag = self.entries[PAGE * number].continuation
        need(flag == self.page_flags[number], f"{what}: another continuation flag than the root says")

    def shards(self):
        """Every shard in order, decoded and checked against its neighbours."""
        last_key, records = None, 0
        for entry, frames, contents in self._files():
            shard = Shard(self, entry, frames, contents)
            if self.ranks is not None:
                counts = len(shard.parts), len(self.ranks[entry.number])
                need(counts[0] == counts[1], f"{entry.name}: another count of parts than the ranks have")
            last_key = shard.check_keys(last_key)
            records += entry.records
            yield shard
        need(records == self.records, "the index has another count of records")

    def _files(self):
        batch, size = [], 0
        for entry in self.entries:
            data = read_file(self.directory, entry.name)
            need(len(data) == entry.file_size, f"{entry.name}: another size than promised")
            if self.check_digests:
                digest = hashlib.sha256(data).digest()[:16]
                need(digest == entry.digest, f"{entry.name}: another digest than promised")
            frames = frames_of(data, entry.name)
            header = frames[0]
            need(header.size == entry.header_size, f"{entry.name}: another size of its header than promised")
            need(header.checksum == entry.header_checksum, f"{entry.name}: another header than promised")
            need(header.content_size == entry.header_content, f"{entry.name}: another content size than promised")
            batch.append((entry, data, frames))
            size += sum(frame.content_size for frame in frames)
            if size >= BATCH:
                yield from self._unpack(batch)
                batch, size = [], 0
        if batch:
            yield from self._unpack(batch)

    def _unpack(self, batch):
        what = batch[0][0].name if len(batch) == 1 else f"one of {len(batch)} shards from {batch[0][0].name} on"
        data = b"".join(data for _, data, _ in batch)
        contents = iter(unpack_frames(data, [frame for _, _, frames in batch for frame in frames], what))
        for entry, _, frames in batch:
            yield entry, frames, [next(contents) for _ in frames]

    def pairs(self):
        """Folded key and record of all records of the generation, in order (§11)."""
        stored = (pair for shard in self.shards() for part in shard.parts for pair in zip(part.keys, part.lines))
        made = lambda folded, fields: (folded, json_record(fields, self.flat))
        return self.overlay.merged(stored, made) if self.overlay else stored

    def lines(self):
        """Every record as JSON, in UTF-8."""
        return (line for _, line in self.pairs())

    def keys(self):
        return (key for key, _ in self.pairs())

    def record_count(self):
        return self.records + (len(self.overlay.added) - len(self.overlay.removed) if self.overlay else 0)

    def map(self):
        """The density grid of the generation: records by cell; None if there are none."""
        cells = dict(self.density_grid or {})
        for cell, more in self.overlay.cells if self.overlay else ():
            cells[cell] = cells.get(cell, 0) + more
            need(0 <= cells[cell] < 1 << 32, "overlay: a cell of fewer records than none, or of too many")
            if cells[cell] == 0:
                del cells[cell]
        return cells or None

    def verify_overlay(self):
        """§11: compares the overlay with the bytes of its records and places.

        A folded key with letters beyond ASCII is not checked, because the page does not have the table of their folds.
        """
        if self.overlay is None:
            return
        need(self.overlay.removed or self.overlay.added, "overlay: no changes")
        need(set(self.template_paths()) <= set(self.names), "overlay: beside an index that does not store its keys")
        parts = [part for shard in self.shards() for part in shard.parts]
        keys = [key for part in parts for key in part.keys]
        firsts = [part.shard.entry.first + part.first for part in parts]

        def record(place):
            number = bisect_right(firsts, place) - 1
            return parts[number].record(place - firsts[number])

        need(self.overlay.made_anew(keys, record, self) == self.overlay.data, "overlay: not what its changes make")
        for place in range(self.records):
            whole = whole_id(self, record(place))
            need(whole is None or whole <= self.overlay.greatest_id, "overlay: an id above the greatest")

    def verify_ranks(self):
        """§3.11: the greatest weights, made anew of the records of the shards."""
        if self.ranks is not None:
            weight = Weights(self.settings)
            for shard, promised in zip(self.shards(), self.ranks, strict=True):
                found = [max(map(weight.of_text, part.texts(weight.path))) for part in shard.parts]
                need(found == promised, f"{shard.entry.name}: parts of other greatest weights than the ranks have")

    def verify_numbers(self):
        """§3.15: the least and the greatest numbers, made anew of the records of the shards."""
        need((self.numbers is not None) == bool(self.number_paths()), "manifest: numbers without a setting")
        if self.numbers is not None:
            numbers_of_records.verify(self, self.number_paths(), lambda part, path: part.kinds_and_texts(path))
        if self.text_entries is not None:
            self.text_entries.verify_numbers()

    def verify_sides(self, fold=None):
        """§3.12: the value tables, made anew of the records of the shards; `fold` is of texts beyond ASCII."""
        if self.sides is not None:
            sides.verify_tables(sys.modules[__name__], self, fold or (lambda text: ascii_fold(text.encode())))
            # Which keys are their own plain form takes the tables of the fold: test_edits.py has them.
            if not {b"words", b"alias", b"search-field"} & set(self.settings):
                sketches.verify(sys.modules[__name__], self)

    def template(self):
        """§3.6: the key's template, in texts and paths: (is a path, bytes)."""
        pieces = []
        for match in re.finditer(rb"\{\{|\}\}|\{([^}]*)\}|([^{}]+)", self.settings[b"key"]):
            path = match[1]
            pieces.append((True, path) if path is not None else (False, match[2] or match[0][:1]))
        return pieces

    def template_paths(self):
        return [piece for is_path, piece in self.template() if is_path]


# §3.11: weights

DECIMAL = re.compile(rb"([+-]?)(?:([0-9]+)\.?([0-9]*)|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?")  # the grammar of §3.9


def decimal(text):
    """A decimal number as whole digits and the power of ten that they are times; None if it does not count as one."""
    match = DECIMAL.fullmatch(text) if len(text) <= 64 else None
    if not match:
        return None
    sign, whole, decimals, only, exponent = match.groups()
    decimals = only or decimals or b""
    exponent = int(exponent or 0)
    if abs(exponent) > 10**9:
        return None
    digits = int((whole or b"") + decimals)
    return -digits if sign == b"-" else digits, exponent - len(decimals)


class Weights:
    """The settings from which the weights of an index's records follow."""

    def __init__(self, settings):
        self.path = settings.get(b"weight")
        self.scale = decimal(settings.get(b"weight-scale", b"1"))
        need(self.scale and self.scale[0] > 0, "manifest: a scale of weights that is no number above 0")

    def of_text(self, text):
        """The weight by the text of the field; the text is None if the record has no such field."""
        number = None if text is None else decimal(text)
        if number is None or number[0] <= 0:
            return 0
        digits, power = number[0] * self.scale[0], number[1] + self.scale[1]
        size = len(str(digits)) + power  # digits before the point, if that is above 0
        if not 0 < size <= 19:
            return 0 if size <= 0 else WEIGHT_LIMIT
        whole = digits * 10**power if power >= 0 else digits // 10**-power
        return min(whole, WEIGHT_LIMIT)

    def of_record(self, fields):
        return self.of_text(next((text for name, _, text in fields if name == self.path), None))


# §11: the overlay


def overlay_file(directory):
    """The overlay's bytes; None if there is none."""
    try:
        return read_file(directory, "overlay", OVERLAY_LIMIT)
    except FormatError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


class Overlay:
    """An overlay. Its header is read first; `read` reads the rest if the overlay belongs to the manifest."""

    def __init__(self, data, records, names):
        self.data, self.records, self.names = data, records, names
        cursor = self.cursor = Cursor(data, "overlay")
        need(cursor.take(8) == OVERLAY_START, "overlay: another magic, or another version")
        checksum = cursor.number("Q")
        need(checksum == xxh64(data[cursor.at :]), "overlay: another checksum than it says")
        self.manifest_size, self.root_hash, self.greatest_id, *self.counts = cursor.unpack("QQQIII")

    def read(self):
        cursor = self.cursor
        removed_count, added_count, cell_count = self.counts
        self.removed, place = [], -1
        for _ in range(removed_count):
            place += 1 + self._distance()
            need(place < self.records, "overlay: removes a record that there is not")
            self.removed.append(place)
        self.added, before, last = [], 0, b""  # (records of the shards before it, folded key, fields)
        for _ in range(added_count):
            before += self._distance()
            need(before <= self.records, "overlay: adds a record behind the last")
            folded = cursor.text()
            need(last <= folded, "overlay: keys do not ascend")
            count, last = cursor.varint(), folded
            need(count <= FIELD_LIMIT, "overlay: a record of too many fields")
            heads, names = [], set()
            for _ in range(count):
                name, (size, kind) = cursor.varint(), divmod(cursor.varint(), 4)
                need(name < len(self.names), "overlay: a field without a name")
                need(name not in names, "overlay: a field stands twice in a record")
                need(kind < MIXED_KIND, "overlay: an unknown kind")
                names.add(name)
                heads.append((name, kind, size))
            fields = [(self.names[name], kind, cursor.take(size)) for name, kind, size in heads]
            self.added.append((before, folded, fields))
        self.cells, cell = [], -1
        for _ in range(cell_count):
            cell, more = cell + 1 + cursor.varint(), cursor.signed_varint()
            need(cell < CELLS, "overlay: a cell off the map")
            need(0 < abs(more) < 1 << 32, "overlay: a cell that does not change, or too much")
            self.cells.append((cell, more))
        cursor.finish()

    def _distance(self):
        value = self.cursor.signed_varint()
        need(value >= 0, "overlay: a distance below 0")
        return value

    def merged(self, stored, made):
        """Folded keys and records of the generation, from those of the shards; `made` gives added records their form."""
        added, removed = iter(self.added), set(self.removed)
        following = next(added, None)
        for place, pair in enumerate(stored):
            while following and following[0] == place:
                yield made(*following[1:])
                following = next(added, None)
            if place not in removed:
                yield pair
        while following:
            yield made(*following[1:])
            following = next(added, None)

    def answer(self, low, high, start, end):
        """The positions that answer a run of keys, which the places from `start` to `end` of the shards answer."""
        keys = [folded for _, folded, _ in self.added]
        start += bisect_left(keys, low) - bisect_left(self.removed, start)
        return start, end + bisect_left(keys, high) - bisect_left(self.removed, end)

    def made_anew(self, keys, record, index):
        """The bytes of an overlay that adds these records and removes these places.

        `keys` are the folded keys of the records of all shards, and `record` gives the fields of one.
        """
        ordered, removed, added = {}, set(self.removed), []
        for _, folded, fields in self.added:
            key = ascii_fold(raw_key(index, fields))
            need(key in (None, folded), "overlay: a key that is not the fold of its own")
            first = bisect_left(keys, folded)
            if folded not in ordered:
                equal = range(first, bisect_right(keys, folded, first))
                ordered[folded] = [serialised_rest(index, record(place)) for place in equal]
                ascend = all(a <= b for a, b in zip(ordered[folded], ordered[folded][1:]))
                need(ascend, "overlay: beside records that are out of order")
            rest = serialised_rest(index, fields)
            place = first + bisect_left(ordered[folded], rest)
            added.append(((folded, rest), place, fields))
            same = range(place, first + bisect_right(ordered[folded], rest))
            need(removed.isdisjoint(same), "overlay: adds a record that it removes")
        need(all(a[0] <= b[0] for a, b in zip(added, added[1:])), "overlay: records out of order")
        cells = Counter({None: 0})
        for place in self.removed:
            cells[cell_of(record(place), index)] -= 1
        for _, _, fields in added:
            cells[cell_of(fields, index)] += 1
        del cells[None]
        cells = sorted((cell, more) for cell, more in cells.items() if more)

        body, before = bytearray(), -1
        for place in self.removed:
            body += signed_varint(place - before - 1)
            before = place
        before = 0
        for (folded, _), place, fields in added:
            body += signed_varint(place - before) + varint(len(folded)) + folded + varint(len(fields))
            for name, kind, text in fields:
                body += varint(index.names.index(name)) + varint(4 * len(text) + kind)
            body += b"".join(text for _, _, text in fields)
            before = place
        before = -1
        for cell, more in cells:
            body += varint(cell - before - 1) + signed_varint(more)
            before = cell
        counts = len(self.removed), len(added), len(cells)
        body = struct.pack("<QQQIII", index.manifest_size, index.root_hash, self.greatest_id, *counts) + body
        return struct.pack("<8sQ", OVERLAY_START, xxh64(body)) + body


def whole_id(index, fields):
    """The number of a record's id, if the id is the only decimal text of a number; else None."""
    texts = [text for name, _, text in fields if name == index.settings.get(b"id")]
    if not texts or not re.fullmatch(rb"0|[1-9][0-9]{0,19}", texts[0]) or int(texts[0]) >= 2**64 - 1:
        return None
    return int(texts[0])


def varint(value):
    content = bytearray()
    while value > 0x7F:
        content.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*content, value])


def signed_varint(value):
    return varint(2 * value if value >= 0 else -2 * value - 1)


WORD = (1 << 64) - 1
PRIME1, PRIME2, PRIME3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME4, PRIME5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def xxh64(data):
    """XXH64 with seed 0, as the xxHash specification has it."""

    def rotated(value, count):
        return (value << count | value >> 64 - count) & WORD

    def turned(lane, word):
        return rotated(lane + word * PRIME2 & WORD, 31) * PRIME1 & WORD

    at = len(data) & ~31
    if at:
        lanes = [PRIME1 + PRIME2 & WORD, PRIME2, 0, -PRIME1 & WORD]
        for words in struct.iter_unpack("<4Q", data[:at]):
            lanes = [turned(lane, word) for lane, word in zip(lanes, words)]
        value = sum(map(rotated, lanes, (1, 7, 12, 18))) & WORD
        for lane in lanes:
            value = (value ^ turned(0, lane)) * PRIME1 + PRIME4 & WORD
    else:
        value = PRIME5
    value = value + len(data) & WORD
    while at + 8 <= len(data):
        value ^= turned(0, int.from_bytes(data[at : at + 8], "little"))
        value = rotated(value, 27) * PRIME1 + PRIME4 & WORD
        at += 8
    if at + 4 <= len(data):
        value ^= int.from_bytes(data[at : at + 4], "little") * PRIME1 & WORD
        value = rotated(value, 23) * PRIME2 + PRIME3 & WORD
        at += 4
    for byte in data[at:]:
        value = rotated(value ^ byte * PRIME5 & WORD, 11) * PRIME1 & WORD
    value = (value ^ value >> 33) * PRIME2 & WORD
    value = (value ^ value >> 29) * PRIME3 & WORD
    return value ^ value >> 32


# §9.1, §9.2: the order of records

sys.set_int_max_str_digits(0)  # an exponent may be longer than Python's limit for integers
NUMBER_TEXT = re.compile(rb"(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def number_value(text):
    """The sort key of a number (§9.2); None for a text that is no number by JSON's grammar."""
    match = NUMBER_TEXT.fullmatch(text)
    if not match:
        return None
    sign, whole, decimals, exponent = match.groups()
    digits = (whole + (decimals or b"")).lstrip(b"0")
    if not digits:
        return b"\1"
    zeros = len(whole + (decimals or b"")) - len(digits)
    e = int(exponent or b"0") + len(whole) - zeros
    size = b"%d" % abs(e)
    size = struct.pack(">Q", len(size)) + size
    content = (b"\1" + size if e >= 0 else b"\0" + inverted(size)) + bytes(b - 47 for b in digits.rstrip(b"0")) + b"\0"
    return b"\0" + inverted(content) if sign else b"\2" + content


def inverted(data):
    return bytes(byte ^ 0xFF for byte in data)


def ascii_fold(key):
    """The fold of a text of ASCII alone (matching.md §3, §4, §5, §7, §8); None for another."""
    if not key.isascii():
        return None
    folded = bytearray()
    for byte in key.lower():
        if byte in b"\t\n\v\f\r ":
            if folded and folded[-1] not in b" \1":
                folded += b" "
        elif byte == ord(","):
            if folded[-1:] == b" ":
                folded.pop()
            folded += b"\1"
        elif 0x20 < byte < 0x7F:
            folded.append(byte if byte != ord("`") else ord("'"))
    return bytes(folded)


def serialised_rest(index, fields):
    """The sort key of records with the same folded key (§9.2)."""
    written = lambda text: text.replace(b"\0", b"\0\xff") + b"\0\0"
    content = bytearray(written(raw_key(index, fields)))
    for _, _, text in fields:
        value = number_value(text)
        content += (b"\2" if value is None else b"\1" + value) + written(text)
    content += b"\0" + bytes(kind for _, kind, _ in fields)
    return bytes(content) + b"".join(written(name) for name, _, _ in fields)


def raw_key(index, fields):
    """The key as given (§3.6)."""
    texts = {name: b"" if (kind, text) == (2, b"null") else text for name, kind, text in reversed(fields)}
    return b"".join(texts.get(piece, b"") if is_path else piece for is_path, piece in index.template())


# §3.9: the density grid

LATITUDES = [b"coord.lat", b"lat", b"latitude", b"Latitude", b"LAT"]
LONGITUDES = [b"coord.lon", b"lon", b"lng", b"longitude", b"Longitude", b"LON"]


def coordinates(texts, index):
    """The texts of a record's latitude and longitude; empty where there is none."""
    if b"coordinates" not in index.settings:
        return [next((texts[name] for name in names if name in texts), b"") for names in (LATITUDES, LONGITUDES)]
    names = sides.settings_list(index.settings[b"coordinates"])
    if len(names) == 1:
        text = texts.get(names[0], b"").strip(b" ")
        text = text[1:-1].strip(b" ") if len(text) > 1 and text[:1] + text[-1:] == b"()" else text
        parts = re.fullmatch(rb"([^,;]*)[,;](.*)|([^ ]*) (.*)", text, re.DOTALL)
        return [part.strip(b" ") for part in parts.groups() if part is not None] if parts else [b"", b""]
    return [texts.get(name, b"").strip(b" ") for name in names]


def degrees(text, limit):
    """A coordinate, exactly; None if it is not on the globe."""
    match = DECIMAL.fullmatch(text) if len(text) <= 64 else None
    if not match:
        return None
    sign, whole, decimals, only, exponent = match.groups()
    decimals = only or decimals or b""
    number = int((whole or b"") + decimals)
    # The text has at most 64 bytes: with an exponent above 100 the coordinate is off the globe, or nearly 0.
    number *= Fraction(10) ** (max(-200, min(200, int(exponent or 0))) - len(decimals))
    if number > limit:
        return None
    return -number if sign == b"-" else number


def place_of(texts, index):
    """Latitude and longitude of a record, each None where it is not on the globe."""
    return tuple(degrees(text, limit) for text, limit in zip(coordinates(texts, index), (90, 180)))


def cell_of(fields, index):
    """None for a record that is not on the map."""
    latitude, longitude = place_of({name: text for name, _, text in reversed(fields)}, index)
    if latitude is None or longitude is None:
        return None
    return 720 * min(359, (90 - latitude) * 2 // 1) + min(719, (longitude + 180) * 2 // 1)


# §4: a shard


CODE_BITS = 10  # of the longest code


class HuffmanCode:
    """§4.7: the code by which a column of small numbers is packed, if it has one."""

    def __init__(self, cursor, limit, what, features):
        self.table = []  # per CODE_BITS bits: number, length
        first = cursor.number("B")
        if first == 0:
            return
        halves = [first & 15, first >> 4]  # of the bytes so far, the halves that are not used up

        def half():
            if not halves:
                byte = cursor.number("B")
                halves.extend((byte & 15, byte >> 4))
            return halves.pop(0)

        lengths, left = [], 1 << CODE_BITS  # runs of CODE_BITS bits that begin with no code yet
        while left > 0:
            value = half()
            if value <= CODE_BITS:
                lengths.append(value)
                left -= 1 << CODE_BITS - value if value else 0
            elif value < 15:
                lengths += [0] * (value - 9)
                features.add("short run without codes")
            else:
                lengths += [0] * (half() + 6)
                features.add("long run without codes")
            need(len(lengths) <= limit, f"{cursor.what}: lengths of codes that are of nothing")
        need(left == 0, f"{cursor.what}: lengths that make no code")
        need(not any(halves), f"{cursor.what}: half a byte behind the last length")
        for length in range(1, CODE_BITS + 1):
            for number, found in enumerate(lengths):
                if found == length:
                    self.table += [(number, length)] * (1 << CODE_BITS - length)
        features.add(f"packed {what}")

    def __bool__(self):
        return bool(self.table)

    def unpack(self, cursor, count):
        sizes = cursor.varint(), cursor.varint()
        numbers = []
        for size, first, end in (sizes[0], 0, count // 2), (sizes[1], count // 2, count):
            data = cursor.take(size)
            middle = (end - first) // 2
            # Each half has its first numbers from the front, and the others from the back.
            front, used = self._numbers(cursor, data, middle)
            back, others = self._numbers(cursor, data[::-1], end - first - middle)
            need(used + others == size, f"{cursor.what}: codes do not fill their bytes")
            numbers += front + back
        return bytes(numbers)

    def _numbers(self, cursor, data, count):
        """The first `count` numbers, and the bytes that they take."""
        need(count <= 8 * len(data), f"{cursor.what}: more codes than bits")
        data = iter(data)
        table, numbers, word, bits, used = self.table, [], 0, 0, 0
        for _ in range(count):
            while bits < CODE_BITS:
                word, bits = word << 8 | next(data, 0), bits + 8
            number, length = table[word >> bits - CODE_BITS & (1 << CODE_BITS) - 1]
            numbers.append(number)
            bits -= length
            used += length
        # The last of the read bytes may be beyond all codes.
        rest = word & (1 << bits) - 1
        need(rest >> (bits - -used % 8) == 0, f"{cursor.what}: bits behind the last code")
        return numbers, (used + 7) // 8


class Column:
    """One field of a shard: the encoding of its texts (§4.5)."""

    def __init__(self, cursor, name, suffix_fields, features):
        self.name = name
        self.kind, self.encoding = cursor.unpack("BB")
        need(self.kind <= MIXED_KIND, f"{cursor.what}: an unknown kind")
        need(self.encoding <= NUMBER, f"{cursor.what}: an unknown encoding")
        need(
            self.kind != MIXED_KIND or self.encoding in (DICTIONARY, TEXT),
            f"{cursor.what}: a mixed column has another encoding",
        )
        features.update((f"kind {self.kind}", f"encoding {self.encoding}"))
        if self.encoding == CONSTANT:
            self.values = [self.json(cursor.text())]
        elif self.encoding == DICTIONARY:
            count = cursor.varint()
            need(1 <= count <= 65536, f"{cursor.what}: size of a dictionary")
            self.values = self._texts(cursor, count)
            self.code = HuffmanCode(cursor, count, "dictionary", features) if 1 < count <= 256 else None
            if count > 256:
                features.add("wide codes")
        elif self.encoding == TEXT:
            self.code = HuffmanCode(cursor, 256, "sizes", features)
            self.text_code = HuffmanCode(cursor, 256, "texts", features)
        elif self.encoding == SUFFIX_FIELD:
            need(suffix_fields, f"{cursor.what}: a column by suffix field without suffix fields")
            rule = cursor.number("B")
            need(rule <= 3, f"{cursor.what}: an unknown case rule")
            features.add(f"suffix fields by rule {rule}")
            if rule == 3:
                self.values = self._texts(cursor, len(suffix_fields))
            else:
                self.values = [self.json(cased(suffix_field, rule)) for suffix_field in suffix_fields]
        elif self.encoding == SPELLED:
            self.rule, self.piece = cursor.unpack("BB")
            need(self.rule <= 2, f"{cursor.what}: an unknown case rule")
            features.update((f"case rule {self.rule}", "whole stem" if self.piece == 255 else "piece"))
            self.code = HuffmanCode(cursor, 256, "sizes", features)
            self.text_code = HuffmanCode(cursor, 256, "scripts", features)
        elif self.encoding == NUMBER:
            count = cursor.number("B")
            need(count >= 1, f"{cursor.what}: a number column without formats")
            self.formats = [NumberFormat(cursor, max(1, len(suffix_fields)), self.json, features) for _ in range(count)]

    def _texts(self, cursor, count):
        sizes = [cursor.varint() for _ in range(count)]
        return [self.json(cursor.take(size)) for size in sizes]

    def json(self, text):
        """A text as it stands in JSON (§7)."""
        kind = self.kind
        if kind == MIXED_KIND:
            need(text != b"", "a text of a mixed column is empty")
            kind, text = text[0], text[1:]
            need(kind < MIXED_KIND, "an unknown kind in a mixed column")
        return json_string(text) if kind == TEXT_KIND else text


class NumberFormat:
    """One format of a number column (§4.5, §6.4)."""

    def __init__(self, cursor, contexts, json, features):
        self.type, self.a, self.b = cursor.unpack("BBB")
        self.json = json
        allowed = {
            0: self.a == self.b == 0,
            1: self.a <= 18 and self.b <= 1,
            2: self.a <= 9 and 1 <= self.b <= 9,
            3: self.a == 0 and self.b <= 9,
        }
        need(allowed.get(self.type, False), f"{cursor.what}: an unknown number format")
        features.add(f"number type {self.type}" + (f", b {min(self.b, 1)}" if self.type in (1, 3) else ""))
        self.width, self.ranges = 0, None
        if self.type == 0:
            self.constant = json(cursor.text())
            return
        self.base, width = cursor.signed_varint(), cursor.number("B")
        self.width = width & 0x7F
        need(self.width <= 56, f"{cursor.what}: a value is too wide")
        # Per context None, or the width of its range and the number to add
        if width & 0x80:
            self.ranges = self._ranges(cursor, contexts)
            features.add("ranges")

    @staticmethod
    def _ranges(cursor, contexts):
        bits = Bits(cursor)
        own = [bits.take(1) for _ in range(contexts)]
        bits.finish()
        fewest, more_bits, added_bits, overlap = cursor.unpack("BBBB")
        need(more_bits <= 6, f"{cursor.what}: widths are too wide")
        need(added_bits <= 32, f"{cursor.what}: a number to add is too wide")
        bits, ranges = Bits(cursor), []
        for has in own:
            if not has:
                ranges.append(None)
                continue
            width = fewest + bits.take(more_bits)
            need(width <= 56, f"{cursor.what}: a value is too wide")
            zeros = min(max(width - overlap, 0), added_bits)
            ranges.append((width, bits.take(added_bits - zeros) << zeros))
        bits.finish()
        return ranges

    def plan(self, context):
        """(width, mask, number to add, printer) for a record of this context."""
        if self.type == 0:
            return 0, 0, 0, lambda _: self.constant
        width, added = self.width, self.base
        own = self.ranges[context] if self.ranges else None
        if own:
            width = own[0]
            added += own[1]
        mask = (1 << width) - 1
        printer = self.print
        if added + mask >= 1 << 63:  # in 64 bits
            printer = lambda v: self.print((v + (1 << 63)) % (1 << 64) - (1 << 63))
        if self.a == 0 and self.type == 1 and printer == self.print and self.json(b"1") == b"1":
            printer = b"%d".__mod__
        return width, mask, added, printer

    def print(self, v):
        if self.type == 1:
            return self.json(printed(v, self.a, self.b == 1))
        a = self.a
        if self.type == 3:
            v, a = int_quotient(5000 * v + (1 if v >= 0 else -1), 3), 5
            if self.b == 0:
                return self.json(printed(v, 5, True))
        single = struct.unpack("<f", struct.pack("<f", float(v) / float(10**a)))[0]
        return self.json(printed(round(single * float(10**self.b)), self.b, True))


def int_quotient(a, b):
    """a / b cut towards zero, b above 0."""
    return a // b if a >= 0 else -(-a // b)


def printed(number, decimals, trimmed):
    """number / 10^decimals."""
    if decimals == 0:
        return b"%d" % number
    sign = b"-" if number < 0 else b""
    digits = b"%0*d" % (decimals + 1, abs(number))
    whole, rest = digits[:-decimals], digits[-decimals:]
    if trimmed:
        rest = rest.rstrip(b"0")
    return sign + whole + (b"." + rest if rest else b"")


class Shard:
    def __init__(self, index, entry, frames, contents):
        self.index, self.entry, self.records = index, entry, entry.records
        cursor = Cursor(contents[0], entry.name)
        features = index.features
        need(cursor.take(4) == b"SQH4", f"{entry.name}: another magic")
        records, part_count, suffix_field_count = (cursor.varint() for _ in range(3))
        need(records == entry.records, f"{entry.name}: another count of records than promised")
        need(1 <= part_count <= records, f"{entry.name}: count of parts")
        need(suffix_field_count <= 256, f"{entry.name}: too many suffix fields")
        column_count, shape_count, row_format_count = (cursor.varint() for _ in range(3))
        need(column_count <= 4096, f"{entry.name}: too many columns")
        need(1 <= shape_count <= 65536, f"{entry.name}: count of shapes")
        need(row_format_count <= 256, f"{entry.name}: too many row formats")

        # §4.2: parts
        counts, sizes, continuations, promised = [], [], [], []
        for _ in range(part_count):
            counts.append(cursor.varint())
            size, continuation = divmod(cursor.varint(), 2)
            sizes.append(size)
            continuations.append(bool(continuation))
            promised += [(cursor.varint(), cursor.varint(), cursor.number("I")) for _ in range(2)]
        need(all(counts), f"{entry.name}: an empty part")
        need(sum(counts) == records, f"{entry.name}: records of parts do not add up")
        need((sizes[0], continuations[0]) == (0, False), f"{entry.name}: the first part has a bound, or goes on with another")
        bounds = [cursor.take(size) for size in sizes]
        check_bounds(bounds, continuations, entry.name)
        found = [(frame.size, frame.content_size, frame.checksum) for frame in frames[1:]]
        need(promised == found, f"{entry.name}: other frames than promised")

        # §4.3: suffix fields
        sizes = []
        if suffix_field_count:
            size = cursor.varint()
            sizes = [size] * suffix_field_count if size else list(cursor.take(suffix_field_count))
            need(all(1 <= size <= 255 for size in sizes), f"{entry.name}: an empty suffix field, or a long one")
            features.add("suffix fields of one size" if size else "suffix fields of sizes")
        self.suffix_fields = [cursor.take(size) for size in sizes]
        need(all(a < b for a, b in zip(self.suffix_fields, self.suffix_fields[1:])), f"{entry.name}: suffix fields out of order")
        features.add("suffix fields" if self.suffix_fields else "no suffix fields")
        self.suffix_field_code = HuffmanCode(cursor, suffix_field_count, "suffix fields", features) if suffix_field_count > 1 else None
        self.suffix_code = HuffmanCode(cursor, 256, "suffixes", features)

        # §4.4: names and shapes
        names = [cursor.text() for _ in range(column_count)]
        need(set(names) <= set(index.names), f"{entry.name}: a field name that is not in the manifest")
        need(len(set(names)) == column_count, f"{entry.name}: a field name stands twice")
        self.shapes = []
        for _ in range(shape_count):
            size = cursor.varint()
            need(size <= column_count, f"{entry.name}: a shape is too large")
            shape = [cursor.varint() for _ in range(size)]
            need(all(column < column_count for column in shape), f"{entry.name}: a column that is not there")
            need(len(set(shape)) == size, f"{entry.name}: a column stands twice in a shape")
            self.shapes.append(Shape(shape, names, index.flat))
        self.shape_code = HuffmanCode(cursor, shape_count, "shapes", features) if 1 < shape_count <= 256 else None
        if shape_count > 1:
            features.add("shapes")
        if shape_count > 256:
            features.add("wide shapes")

        # §4.5, §4.6: columns and row formats
        self.columns = [Column(cursor, name, self.suffix_fields, features) for name in names]
        self.numbers = [column for column in self.columns if column.encoding == NUMBER]
        formats = [form for column in self.numbers for form in column.formats]
        need(len(formats) <= 4096, f"{entry.name}: too many formats")
        own = sum(form.ranges is not None for form in formats)
        need(own * max(1, suffix_field_count) <= 1 << 18, f"{entry.name}: too many ranges")
        need((row_format_count == 0) == (not self.numbers), f"{entry.name}: count of row formats")
        need(row_format_count * len(self.numbers) <= 1 << 16, f"{entry.name}: too many numbers of formats")
        self.row_formats, bits = [], Bits(cursor)
        for _ in range(row_format_count):
            row = [bits.take((len(column.formats) - 1).bit_length()) for column in self.numbers]
            for column, number in zip(self.numbers, row):
                need(number < len(column.formats), f"{entry.name}: a number format that is not there")
            self.row_formats.append(row)
        bits.finish()
        self.row_code = None
        if row_format_count > 1:
            features.add("row formats")
            self.row_code = HuffmanCode(cursor, row_format_count, "row formats", features)
        cursor.finish()

        self._plans = {}
        self.parts, first = [], 0
        for i, count in enumerate(counts):
            keys, fields = contents[2 * i + 1 : 2 * i + 3]
            self.parts.append(Part(self, i, first, count, bounds[i], continuations[i], keys, fields))
            first += count
        if part_count > 1:
            features.add("parts")

    def plan(self, row_format, context):
        """The plan for the row of a record of this row format and context: one per number column, in order."""
        plan = self._plans.get((row_format, context))
        if plan is None:
            formats = self.row_formats[row_format]
            plan = [column.formats[f].plan(context) for column, f in zip(self.numbers, formats)]
            plan = self._plans[row_format, context] = (plan, sum(step[0] for step in plan))
        return plan

    def check_keys(self, last_key):
        """§3.3, §3.5, §5: order, bounds, flags and the label; returns the shard's last key."""
        entry = self.entry
        first = self.parts[0].keys[0]
        label = first.decode(errors="surrogateescape")[:2].encode(errors="surrogateescape")
        need(entry.label == label.ljust(8, b"\0"), f"{entry.name}: the label is not the first key's")
        before = last_key
        for part in self.parts:
            bounds = [(part.bound, part.continuation)]
            if part.number == 0:
                # The bound of a shard's first part is empty, and the key before it is in another shard.
                bounds = [(entry.bound, entry.continuation)]
            for bound, continuation in bounds:
                keys = part.keys
                need(bound <= keys[0], f"{entry.name}: a key below its part's bound")
                if before is None:
                    need(not continuation, f"{entry.name}: nothing stands before it to go on with")
                else:
                    need(before <= keys[0], f"{entry.name}: keys do not ascend")
                    need(continuation == (before == keys[0]), f"{entry.name}: a wrong continuation flag")
                    holds = before == bound if continuation else before < bound
                    need(holds, f"{entry.name}: a key above the next bound")
                if continuation:
                    self.index.features.add("continuation")
            before = part.keys[-1]
        return before


class Shape:
    """The fields of a record, as a template for bytes % values (§7)."""

    def __init__(self, columns, names, flat=()):
        self.fields = [(names[column], column) for column in columns]
        tree = {}
        for column in columns:
            name = names[column]
            *parents, member = [name] if name in flat else path_members(name)
            node = tree
            for parent in parents:
                node = node.setdefault((parent, "object"), {})
            node[member, "value"] = column
        self.order = []
        self.template = self._template(tree)

    def _template(self, node):
        members = []
        for (name, _), value in node.items():
            name = json_string(name).replace(b"%", b"%%")
            if isinstance(value, dict):
                members.append(name + b":" + self._template(value))
            else:
                self.order.append(value)
                members.append(name + b":%b")
        return b"{" + b",".join(members) + b"}"


def path_members(path):
    """The members that a path names: a dot divides, a backslash takes the next byte literally (§7)."""
    members, member, at = [], bytearray(), 0
    while at < len(path):
        byte = path[at : at + 1]
        if byte == b".":
            members.append(bytes(member))
            member = bytearray()
        else:
            if byte == b"\\" and at + 1 < len(path):
                at += 1
                byte = path[at : at + 1]
            member += byte
        at += 1
    return members + [bytes(member)]


SPECIAL = re.compile(rb'["\\\x00-\x1f]')


ESCAPES = {bytes([i]): b"\\u%04x" % i for i in range(32)}
ESCAPES |= {b"\b": rb"\b", b"\f": rb"\f", b"\n": rb"\n", b"\r": rb"\r", b"\t": rb"\t", b'"': rb"\"", b"\\": rb"\\"}


def json_string(text):
    return b'"' + SPECIAL.sub(lambda match: ESCAPES[match[0]], text) + b'"'


def kind_and_text(json):
    """The text of a JSON value."""
    if json[:1] != b'"':
        return NUMBER_KIND if json[:1] in b"-0123456789" else VALUE_KIND, json
    return TEXT_KIND, ESCAPED.sub(lambda match: UNESCAPED.get(match[0], match[0]), json[1:-1])


ESCAPED, UNESCAPED = re.compile(rb"\\(?:u....|.)"), {escape: byte for byte, escape in ESCAPES.items()}


def json_record(fields, flat=()):
    """A record of its fields alone: name, kind and text of each."""
    shape = Shape(range(len(fields)), [name for name, _, _ in fields], flat)
    values = [json_string(text) if kind == TEXT_KIND else text for _, kind, text in fields]
    return shape.template % tuple(values[column] for column in shape.order)


# §5, §6: parts


class Part:
    def __init__(self, shard, number, first, count, bound, continuation, keys, fields):
        self.shard, self.number, self.first, self.count = shard, number, first, count
        self.bound, self.continuation = bound, continuation
        self.what = f"{shard.entry.name}, part {number}"
        self._read_keys(Cursor(keys, self.what + ", keys"))
        self._read_fields(Cursor(fields, self.what + ", fields"))

    def _read_keys(self, cursor):
        what, n, features = cursor.what, self.count, self.shard.index.features
        need(cursor.take(4) == b"SQK3", f"{what}: another magic")
        count, size, flags = cursor.varint(), cursor.varint(), cursor.number("B")
        need(count == n, f"{what}: another count of records than promised")
        need(flags <= 1, f"{what}: an unknown flag")
        wide = flags & 1
        features.add("wide keys" if wide else "narrow keys")
        shard = self.shard
        suffixes = None if shard.suffix_code else cursor.take(size)
        sizes = cursor.take(n)
        shared, lengths = [], []
        for byte in sizes:
            for column, half in ((shared, byte & 15), (lengths, byte >> 4)):
                column.append(half if half < 15 else 15 + cursor.varint())
        suffix_fields = shard.suffix_fields
        self.contexts = bytes(n)
        if suffix_fields and not shard.suffix_field_code:
            self.contexts = cursor.take(n)
            need(max(self.contexts) < len(suffix_fields), f"{what}: a suffix field that is not there")
        need(sum(lengths) == size, f"{what}: sizes do not add up")
        if shard.suffix_code:
            suffixes = shard.suffix_code.unpack(cursor, size)
        if shard.suffix_field_code:
            self.contexts = shard.suffix_field_code.unpack(cursor, n)
        cursor.finish()

        self.stems, stem, at = [], b"", 0
        for i in range(n):
            before, common, suffix = stem, shared[i], suffixes[at : at + lengths[i]]
            at += lengths[i]
            need(common <= len(before), f"{what}: shares more than is there")
            if i % BLOCK == 0:
                stem = suffix
                need(stem[:common] == before[:common], f"{what}: shares less than it says")
            else:
                stem = before[:common] + suffix
            parts_here = len(before) == common or len(stem) == common or before[common] != stem[common]
            need(parts_here and common <= len(stem), f"{what}: shares more than it says")
            need(wide or len(stem) <= 255, f"{what}: a long stem in a frame that is not wide")
            need(len(stem) <= CONTENT_LIMIT, f"{what}: a stem is too long")
            self.stems.append(stem)
        self.keys = self.stems
        if suffix_fields:
            endings = [b"\x01" + suffix_field for suffix_field in suffix_fields]
            self.keys = [stem + endings[suffix_field] for stem, suffix_field in zip(self.stems, self.contexts)]
        need(all(a <= b for a, b in zip(self.keys, self.keys[1:])), f"{what}: keys do not ascend")

    def _read_fields(self, cursor):
        what, n, shard = cursor.what, self.count, self.shard
        need(cursor.take(4) == b"SQF3", f"{what}: another magic")
        count, row_bytes, packed_bytes, packed_texts = (cursor.varint() for _ in range(4))
        need(count == n, f"{what}: another count of records than promised")
        self.packed_texts = 0  # bytes, before they were
        end = len(cursor.data) - row_bytes - packed_bytes
        need(end >= cursor.at, f"{what}: runs over its end")
        packed = Cursor(cursor.data[end : end + packed_bytes], what)
        rows = cursor.data[end + packed_bytes :]
        cursor = Cursor(cursor.data[:end], what, cursor.at)
        shapes = None
        if len(shard.shapes) > 1:
            shapes = self._codes(cursor, len(shard.shapes), shard.shape_code, packed)

        columns = []  # per column the JSON of every record's text; numbers come last
        for column in shard.columns:
            values = None
            if column.encoding == CONSTANT:
                values = column.values * n
            elif column.encoding == SUFFIX_FIELD:
                values = [column.values[suffix_field] for suffix_field in self.contexts]
            elif column.encoding == DICTIONARY:
                values = [column.values[code] for code in self._codes(cursor, len(column.values), column.code, packed)]
            elif column.encoding == TEXT:
                values = [column.json(text) for text in self._texts(cursor, column, packed)]
            elif column.encoding == SPELLED:
                values = self._spelled(column, self._texts(cursor, column, packed))
            columns.append(values)
        rows = iter(self._rows(cursor, packed, rows))
        columns = [next(rows) if values is None else values for values in columns]
        cursor.finish()
        packed.finish()
        need(self.packed_texts == packed_texts, f"{what}: sizes of packed texts do not add up")
        self.lines = self._lines(shapes, columns)

    def _codes(self, cursor, choices, code, packed):
        if code:
            return code.unpack(packed, self.count)
        codes = cursor.unpack(f"{self.count}{'B' if choices <= 256 else 'H'}")
        need(max(codes) < choices, f"{cursor.what}: a code is out of range")
        return codes

    def _texts(self, cursor, column, packed):
        size, long_count = cursor.varint(), cursor.varint()
        sizes = list(column.code.unpack(packed, self.count) if column.code else cursor.take(self.count))
        places = [i for i, size in enumerate(sizes) if size == 255]
        need(len(places) == long_count, f"{cursor.what}: another count of long texts than promised")
        for place in places:
            record, sizes[place] = cursor.unpack("II")
            need(record == place, f"{cursor.what}: long texts out of order")
            need(sizes[place] >= 255, f"{cursor.what}: a long text is short")
            self.shard.index.features.add("long texts")
        need(sum(sizes) == size, f"{cursor.what}: sizes do not add up")
        if column.text_code:
            self.packed_texts += size
            data = column.text_code.unpack(packed, size)
        else:
            data = cursor.take(size)
        texts, at = [], 0
        for size in sizes:
            texts.append(data[at : at + size])
            at += size
        return texts

    def _spelled(self, column, scripts):
        values = []
        for stem, script in zip(self.stems, scripts):
            source = stem
            if column.piece != 255:
                pieces = stem.split(b"\x01")
                source = pieces[column.piece] if column.piece < len(pieces) else b""
            source = cased(source, column.rule)
            values.append(column.json(respelled(source, script, self.shard.index.features) if script else source))
        return values

    def _rows(self, cursor, packed, rows):
        """§6.3: the texts of the number columns."""
        what, n, shard = cursor.what, self.count, self.shard
        formats = bytes(n)
        if len(shard.row_formats) > 1:
            formats = self._codes(cursor, len(shard.row_formats), shard.row_code, packed)
        block_bits = []
        if shard.numbers:
            least, width = cursor.varint(), cursor.number("B")
            need(width <= 2, f"{what}: sizes of blocks are too wide")
            for _ in range(-(-n // BLOCK)):
                block_bits.append(least + int.from_bytes(cursor.take(width), "little"))
        need((sum(block_bits) + 7) // 8 == len(rows), f"{what}: sizes of blocks do not add up")
        values = [[] for _ in shard.numbers]
        if not shard.numbers:
            return values
        appends = [column.append for column in values]
        start = 0
        for block, bits in enumerate(block_bits):
            word = int.from_bytes(rows[start >> 3 : start + bits + 7 >> 3], "little") >> (start & 7)
            used = 0
            for i in range(BLOCK * block, min(n, BLOCK * (block + 1))):
                plan, width = shard.plan(formats[i], self.contexts[i])
                used += width
                for append, (width, mask, added, printer) in zip(appends, plan):
                    append(printer((word & mask) + added))
                    word >>= width
            need(used == bits, f"{what}: a block's rows have another size than it says")
            start += bits
        need(start & 7 == 0 or rows[-1] >> (start & 7) == 0, f"{what}: the last byte is not filled up with zeros")
        return values

    def record(self, number):
        """Name, kind and text of each field of a record."""
        shape = self.shard.shapes[self.shapes[number] if self.shapes else 0]
        return [(name, *kind_and_text(self.columns[column][number])) for name, column in shape.fields]

    def kinds_and_texts(self, path):
        """The kind and the text of each record's field of a path, for the records that have it."""
        columns = self._columns_of(path)
        return (kind_and_text(self.columns[column][i]) for i, column in enumerate(columns) if column is not None)

    def texts(self, path):
        """The text of each record's field of a path, in order; None where it has none."""
        columns = self._columns_of(path)
        return (None if column is None else kind_and_text(self.columns[column][i])[1] for i, column in enumerate(columns))

    def _columns_of(self, path):
        columns = [dict(shape.fields).get(path) for shape in self.shard.shapes]
        return [columns[shape] for shape in self.shapes] if self.shapes else columns * self.count

    def _lines(self, shapes, columns):
        self.shapes, self.columns = shapes, columns
        if shapes is None:
            shape = self.shard.shapes[0]
            if not shape.order:
                return [shape.template] * self.count
            return [shape.template % values for values in zip(*(columns[column] for column in shape.order))]
        lines = []
        for i, code in enumerate(shapes):
            shape = self.shard.shapes[code]
            lines.append(shape.template % tuple([columns[column][i] for column in shape.order]))
        return lines


# §6.2: spelled texts

WORD_START = re.compile(rb"(?<![a-z0-9'\x80-\xff])[a-z]")


def cased(text, rule):
    if rule == 1:
        return WORD_START.sub(lambda m: m[0].upper(), text)
    return text.upper() if rule == 2 else text  # of bytes, only a to z


def respelled(source, script, features):
    result, at, i = bytearray(), 0, 0
    while i < len(script):
        operation = script[i]
        i += 1
        if operation == 0xFF:
            features.add("script 11111111")
            return bytes(result + script[i:])
        distance = operation & (0x7F if operation < 0x80 else 0x3F)
        result += source[at : at + distance]
        at = min(at + distance, len(source))
        if operation < 0x80:
            features.add("script 0ddddddd")
            result += bytes(byte ^ 0x20 for byte in source[at : at + 1])
            at = min(at + 1, len(source))
        elif operation < 0xC0:
            features.add("script 10dddddd")
            at = min(at + 1, len(source))
            first = script[i] if i < len(script) else 0
            size = 1 if first < 0x80 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
            result += script[i : i + size]
            i += size
        else:
            features.add("script 11dddddd")
            if i + 2 > len(script):
                break
            dropped, size = script[i], script[i + 1]
            at = min(at + dropped, len(source))
            result += script[i + 2 : i + 2 + size]
            i += 2 + size
    return bytes(result + source[at:])


def escaped(key):
    """A folded key as printable text: a backslash doubled, the separator \\x01."""
    text = key.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
    return re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\x{ord(match[0]):02x}", text)


def main():
    parser = argparse.ArgumentParser(description="Print every record of an index, having checked every byte of it.")
    parser.add_argument("directory")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--keys", action="store_true", help="print the folded keys instead")
    choice.add_argument("--verify", action="store_true", help="print nothing, and compare the overlay and the ranks with the records")
    arguments = parser.parse_args()
    try:
        index = Index(arguments.directory)
        if arguments.verify:
            for _ in index.lines():
                pass
            index.verify_overlay()
            index.verify_ranks()
            index.verify_numbers()
            for _ in index.side_contents():
                pass
            return 0
        out = sys.stdout.buffer
        for line in index.keys() if arguments.keys else index.lines():
            out.write((escaped(line).encode() if arguments.keys else line) + b"\n")
        out.flush()
    except FormatError as error:
        print(f"reader.py: {error}", file=sys.stderr)
        return 65
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
