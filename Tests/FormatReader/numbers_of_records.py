"""The numbers and dates of records, and ranges of them, by docs/format.md section 3.15 and docs/numbers.md alone.

A number is a pair: 0 and a fraction, or 1 and a date in milliseconds from the beginning of the year 1.
"""

import json
import re
from datetime import date
from fractions import Fraction

DECIMAL = re.compile(rb"([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?")
DATE = re.compile(
    rb"(\d{4})-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:(Z)|([-+])(\d\d):?(\d\d))?)?)?")
DIGITS, LEAST, GREATEST = 17, -31, 68  # significant digits; a number's digits before the point
DAY = 86_400_000
LAST = (date.max.toordinal()) * DAY - 1


def decimal(text):
    """A decimal number cut to its first digits; None for another text."""
    found = DECIMAL.fullmatch(text)
    if not found or len(text) > 64 or not (found[2] or found[3]):
        return None
    exponent = int(found[4] or 0)
    if abs(exponent) > 10**9:
        return None
    digits = (found[2] + (found[3] or b"")).decode()
    zeros = len(digits) - len(digits.lstrip("0"))
    scale = len(found[2]) - zeros + exponent
    digits = digits.lstrip("0")[:DIGITS]
    if not digits or scale < LEAST:
        return 0, Fraction(0)
    if scale > GREATEST:
        return None
    size = Fraction(int(digits)) * Fraction(10) ** (scale - len(digits))
    return 0, -size if found[1] == b"-" else size


def days_of(year, month, day):
    """The days before a date; None where the calendar has no such day."""
    try:
        return date(year, month, day).toordinal() - 1
    except ValueError:
        return None


def period(text):
    """The first and the last millisecond of a month, a day or an instant; None for another text."""
    found = DATE.fullmatch(text)
    if not found:
        return None
    year, month = int(found[1]), int(found[2])
    start = days_of(year, month, int(found[3] or 1))
    if start is None:
        return None
    if not found[3]:
        after = (year, month + 1) if month < 12 else (year + 1, 1)
        end = days_of(*after, 1) if after[0] < 10000 else date.max.toordinal()
        return start * DAY, end * DAY - 1
    if not found[4]:
        return start * DAY, (start + 1) * DAY - 1
    hours, minutes, seconds = (int(found[i] or 0) for i in (4, 5, 6))
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    time = start * DAY + ((60 * hours + minutes) * 60 + seconds) * 1000 + int(((found[7] or b"") + b"000")[:3])
    if found[9]:
        if int(found[10]) > 23 or int(found[11]) > 59:
            return None
        zone = (60 * int(found[10]) + int(found[11])) * 60_000
        time += zone if found[9] == b"-" else -zone
    return (min(max(0, time), LAST),) * 2


def number(text):
    """The number of a text; None for a text without one."""
    found = period(text)
    return (1, Fraction(found[0])) if found else decimal(text)


def ends(text, of_dates=False):
    """The first and the last number that the end of a range stands for."""
    if of_dates and re.fullmatch(rb"\d{4}", text) and text != b"0000":
        year = int(text)
        return (1, Fraction(days_of(year, 1, 1) * DAY)), (1, Fraction(days_of(year, 12, 31) * DAY + DAY - 1))
    found = period(text)
    if found:
        return (1, Fraction(found[0])), (1, Fraction(found[1]))
    return decimal(text), decimal(text)


def within(number, text, of_dates=False):
    """Whether a number lies in a range."""
    first, points, last = text.partition(b"..")
    if not points:
        last = first
    return (not first or ends(first, of_dates)[0] <= number) and (not last or number <= ends(last, of_dates)[1])


# docs/format.md section 3.15: the chain of numbers


def read_number(cursor, need):
    """The number of a container; None for none."""
    mark = cursor.number("B")
    if mark < 2:
        return (0, Fraction(0)) if mark else None
    value = cursor.weight()
    if mark > 253:
        need(value * (DAY if mark == 254 else 1) <= LAST and (mark == 254 or value % DAY > 0), "a date that is none")
        return 1, Fraction(value * (DAY if mark == 254 else 1))
    power = (mark - 2) // 2 + LEAST - DIGITS
    scale = power + len(str(value))
    need(0 < value < 10**DIGITS and value % 10 > 0 and LEAST <= scale <= GREATEST, "a number that is none")
    return 0, Fraction(-value if mark & 1 else value) * Fraction(10) ** power


def code(number):
    """The code of a number in the chain's first frame; 0 for none."""
    if number is None:
        return 0
    kind, value = number
    if kind:
        return 18_300_000_000_000_000_000 + int(value)
    size, scale = abs(value), LEAST
    if not size:
        return 1 << 63
    while size >= Fraction(10) ** scale:
        scale += 1
    digits = int(size * Fraction(10) ** (DIGITS - scale))
    place = (scale - LEAST) * 9 * 10 ** (DIGITS - 1) + digits - 10 ** (DIGITS - 1) + 1
    return (1 << 63) + (place if value > 0 else -place)


def read_chain(cursor_of, need, head, pages, frames, shard_counts, field_count):
    """Per shard and field: the greatest numbers of the parts, and the least."""
    cursor, count = cursor_of(head, "manifest: numbers"), len(pages)
    need(cursor.take(4) == b"SQM1", "numbers of another magic")
    need(cursor.number("I") == count == len(shard_counts), "numbers of other pages")
    ends, checksums = cursor.unpack(f"{count}I"), cursor.unpack(f"{count}I")
    codes = [cursor.unpack(f"{count}Q") for _ in range(2 * field_count)]
    cursor.finish()
    shards, at = [], 0
    for number, (content, frame) in enumerate(zip(pages, frames)):
        at += frame.size
        need((ends[number], checksums[number]) == (at, frame.checksum), "another page of numbers than promised")
        page = cursor_of(content, f"manifest: numbers, page {number}")
        counts = [page.varint() for _ in range(shard_counts[number])]
        found = [[[read_number(page, need) for _ in range(parts)] for _ in range(2 * field_count)] for parts in counts]
        page.finish()
        for column in range(2 * field_count):
            there = [value for shard in found for value in shard[column] if value is not None]
            best = (min if column & 1 else max)(there) if there else None
            need(code(best) == codes[column][number], "another number of a page than promised")
        shards += found
    return shards


def verify(index, paths, kind_and_texts):
    """Compares the numbers with those of the records in the shards."""
    for shard, promised in zip(index.shards(), index.numbers, strict=True):
        for field, path in enumerate(paths):
            parts = []
            for part in shard.parts:
                found = [number(text) for kind, value in kind_and_texts(part, path) for text in texts_of(kind, value)]
                parts.append([value for value in found if value is not None])
            for column, best in (2 * field, max), (2 * field + 1, min):
                assert [best(part) if part else None for part in parts] == promised[column], (path, promised[column], parts)


def texts_of(kind, value):
    """The strings and numbers of a field."""
    if kind < 2:
        return [value]
    if not value.startswith(b"["):
        return []
    found = json.loads(value, parse_int=str, parse_float=str)
    return [text.encode() for text in found if isinstance(text, str)]
