"""Reads and checks the sketches in side files (docs/format.md §3.12), and makes them anew from the keys."""

PAGE, GROUP = 5, 6  # kinds of frames
SHARDS = 16  # of a group
DEPTH, PAGE_DEPTH = 6, 3  # characters of a beginning


def read_alphabet(reader, cursor):
    """The characters, as text."""
    found, after = [], 0
    for _ in range(cursor.varint()):
        found.append(after + cursor.varint())
        after = found[-1] + 1
    reader.need(after <= 0x110000, f"{cursor.what}: a character that is no Unicode scalar")
    return [chr(scalar) for scalar in found]


def read_forest(reader, cursor, roots, depth, alphabet):
    """Per root the beginnings, as a set of texts."""
    width = 1 if len(alphabet) <= 1 << 8 else 2 if len(alphabet) <= 1 << 16 else 4
    found = [set() for _ in range(roots)]
    nodes = [(root, "") for root in range(roots)]
    for _ in range(depth):
        size = cursor.number("B")
        reader.need(size in (1, 2, 4), f"{cursor.what}: counts of {size} bytes")
        counts = [int.from_bytes(cursor.take(size), "little") for _ in nodes]
        least = 1 if max(counts, default=0) < 1 << 8 else 2 if max(counts) < 1 << 16 else 4
        reader.need(size == least, f"{cursor.what}: counts of more bytes than they need")
        children = []
        for (root, text), count in zip(nodes, counts):
            labels = [int.from_bytes(cursor.take(width), "little") for _ in range(count)]
            reader.need(labels == sorted(set(labels)), f"{cursor.what}: characters that do not ascend")
            reader.need(not labels or labels[-1] < len(alphabet), f"{cursor.what}: a character that is none")
            children += [(root, text + alphabet[label]) for label in labels]
        for root, text in children:
            found[root].add(text)
        nodes = children
    cursor.finish()
    return found


def read_page(reader, contents, shard_count, what):
    """The alphabet of a page, the beginnings of its groups, and those of its shards."""
    groups = -(-shard_count // SHARDS)
    names = [(PAGE, 0, 0)] + [(GROUP, 0, group) for group in range(groups)]
    reader.need([name for name in contents if name[0] in (PAGE, GROUP)] == names, f"{what}: sketches of other frames")
    cursor = reader.Cursor(contents[names[0]], what)
    alphabet = read_alphabet(reader, cursor)
    above = read_forest(reader, cursor, groups, PAGE_DEPTH, alphabet)
    shards = []
    for group, name in enumerate(names[1:]):
        roots = min(SHARDS, shard_count - SHARDS * group)
        shards += read_forest(reader, reader.Cursor(contents[name], what), roots, DEPTH, alphabet)
    return alphabet, above, shards


def beginnings(texts, depth):
    return {text[:size] for text in texts for size in range(1, depth + 1) if size <= len(text)}


def verify(reader, index, is_sketched=lambda key: True):
    """The sketches of all pages, made anew of the folded keys of the shards; `is_sketched` chooses among them."""
    if b"typos" not in index.settings:
        return
    shards = [[key.decode() for part in shard.parts for key in part.keys if is_sketched(key)] for shard in index.shards()]
    for page, contents in enumerate(index.side_contents()):
        own = shards[64 * page : 64 * page + 64]
        alphabet, above, found = read_page(reader, contents, len(own), f"page {page}, sketches")
        made = [beginnings(keys, DEPTH) for keys in own]
        reader.need(alphabet == sorted({character for texts in made for text in texts for character in text}),
                    f"page {page} has another alphabet than its keys")
        reader.need(found == made, f"page {page} has other sketches than its keys")
        expected = [beginnings((key for keys in own[at : at + SHARDS] for key in keys), PAGE_DEPTH) for at in range(0, len(own), SHARDS)]
        reader.need(above == expected, f"page {page} has another sketch than its keys")
