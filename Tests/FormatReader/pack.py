#!/usr/bin/env python3
"""A second reader of packs, written from docs/pack.md alone; section numbers refer to that page.

    python3 pack.py PACK OLD NEW           makes NEW, which must not exist, from OLD, a directory of the old index

The new generation gets its own directory, so that no step of §5 is needed.
"""

import argparse
import hashlib
import os
import sys
from pathlib import Path
from typing import NamedTuple

import reader
import sides
from reader import need

SHARD_LIMIT = 1 << 26


class Stream(reader.Cursor):
    """Takes values from a pack; a pack is read whole here, which is no way to read large ones."""

    def __init__(self, path):
        super().__init__(Path(path).read_bytes(), "pack")


def take_pieces(pack, size, copy):
    """§3: a file of `size` bytes; `copy` has the bytes of a source."""
    data = b""
    for _ in range(pack.number("I")):
        source, offset, copied, literal = pack.unpack("IQQQ")
        need(0 < copied + literal <= size - len(data), "pack: a piece that does not fit its file")
        if copied:
            data += copy(source, offset, copied)
        else:
            need(source == offset == 0, "pack: nothing is copied from somewhere")
        data += pack.take(literal)
    need(len(data) == size, "pack: pieces leave something out")
    return data


class File(NamedTuple):
    name: str
    digest: bytes
    file_size: int


def files_of(index):
    """§3, §4: the shards of an index, then its side files."""
    shards = [File(entry.name, entry.digest, entry.file_size) for entry in index.entries]
    pages = [(digest, sum(frame.size for frame in frames)) for digest, frames in index.sides or [] if frames]
    return shards + [File(sides.name_of(digest), digest, size) for digest, size in pages]


def apply(path, old, new):
    """Returns whether the pack changed the index."""
    pack = Stream(path)
    start = pack.take(96)
    header = reader.Cursor(start, "pack")
    need(header.take(4) == b"SQP1", "pack: another magic")
    need(header.number("I") == 1, "pack: another version")
    need(pack.take(32) == hashlib.sha256(start).digest(), "pack: its header is damaged")
    old_digest, new_digest = header.take(32), header.take(32)
    old_size, new_size, count = header.unpack("QQQ")
    need(max(old_size, new_size, count) < 1 << 63, "pack: sizes that no file has")

    manifest = reader.read_file(old, "manifest")
    if hashlib.sha256(manifest).digest() == new_digest:
        return False
    need(hashlib.sha256(manifest).digest() == old_digest and len(manifest) == old_size, "pack: does not fit")
    behind = 0

    def of_manifest(source, offset, copied):
        nonlocal behind
        need(source == 0 and behind <= offset <= old_size - copied, "pack: a copy that goes back or outside")
        behind = offset + copied
        return manifest[offset:behind]

    new_manifest = take_pieces(pack, new_size, of_manifest)
    need(hashlib.sha256(new_manifest).digest() == new_digest, "pack: another manifest than its digest says")
    entries = files_of(reader.Index(old))
    os.mkdir(new)
    Path(new, "manifest").write_bytes(new_manifest)
    new_entries = files_of(reader.Index(new))

    # §4: the list of files.
    known = {entry.name: (entry.digest, entry.file_size) for entry in entries}
    shipped, kept = {}, set()
    for entry in new_entries:
        what = (entry.digest, entry.file_size)
        if entry.name in known or entry.name in shipped:
            other = known.get(entry.name) or (shipped[entry.name].digest, shipped[entry.name].file_size)
            need(other == what, "pack: two shards of one name")
            if entry.name in known:
                kept.add(entry)
        else:
            shipped[entry.name] = entry
    need(len(shipped) == count, "pack: another count of files")

    def of_shard(source, offset, copied):
        sources.add(source)
        need(len(sources) <= 4, "pack: a shard of too many")
        need(1 <= source <= len(entries), "pack: a copy of no shard")
        entry = entries[source - 1]
        data = reader.read_file(old, entry.name)
        need(len(data) == entry.file_size, f"{entry.name}: another size than promised")
        need(hashlib.sha256(data).digest()[:16] == entry.digest, f"{entry.name}: another digest than promised")
        need(offset <= len(data) - copied, "pack: a copy from outside")
        return data[offset : offset + copied]

    for name, entry in shipped.items():
        need(entry.file_size <= SHARD_LIMIT, "pack: a shard that is too large")
        sources = set()
        data = take_pieces(pack, entry.file_size, of_shard)
        need(hashlib.sha256(data).digest()[:16] == entry.digest, "pack: another shard than its manifest says")
        Path(new, name).write_bytes(data)
    pack.finish()
    for entry in kept:
        data = reader.read_file(old, entry.name)
        need(len(data) == entry.file_size, f"{entry.name}: another size than promised")
        Path(new, entry.name).write_bytes(data)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pack")
    parser.add_argument("old")
    parser.add_argument("new")
    arguments = parser.parse_args()
    try:
        if not apply(arguments.pack, arguments.old, arguments.new):
            print("it is the new one already", file=sys.stderr)
    except reader.FormatError as error:
        sys.exit(f"{sys.argv[0]}: {error}")


if __name__ == "__main__":
    main()
