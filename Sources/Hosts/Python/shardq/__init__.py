"""Finds names as you type in an index of shardq: a directory that ``shardq build`` writes, or an archive.

    with shardq.Index("cities") as index:
        for record in index.search("san", limit=10):
            print(record["name"])
"""

import ctypes
import json
import operator
import os
import threading
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union, overload

__all__ = ["Answer", "Index", "ShardqError"]


class ShardqError(Exception):
    """The error of opening or searching an index; the message is for people.

    ``code`` is "not found" if there is no index, "damaged" for a damaged index, "changed" for an index that was rebuilt
    several times meanwhile, "refused" for a wrong question, and "system" for a failed system call.
    """

    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Options(ctypes.Structure):  # sq_options of shardq.h
    _fields_ = [
        ("size", ctypes.c_size_t), ("from_", ctypes.c_int64), ("limit", ctypes.c_int64), ("sort", ctypes.c_int32),
        ("flags", ctypes.c_int32), ("latitude", ctypes.c_double), ("longitude", ctypes.c_double),
        ("filters", ctypes.POINTER(ctypes.c_char_p)), ("filter_count", ctypes.c_size_t), ("cursor", ctypes.c_char_p),
        ("sort_field", ctypes.c_char_p), ("radius", ctypes.c_double), ("group", ctypes.c_char_p),
        ("facets", ctypes.POINTER(ctypes.c_char_p)), ("facet_count", ctypes.c_size_t), ("facet_limit", ctypes.c_int64),
    ]


# No thread opens or closes an index during a fork, so that a child can open indexes.
_opening = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_opening.acquire, after_in_parent=_opening.release, after_in_child=_opening.release)

_EXACT, _NEAR, _JSON, _DISPLAY, _TOTAL, _HITS, _ALL_WORDS, _MIN_TYPOS = 1, 2, 4, 8, 16, 32, 64, 128
_SORTS = {None: 0, "rank": 1, "key": 2}
_CODES = {1: "not found", 2: "damaged", 3: "changed", 4: "refused", 5: "system"}

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libshardq.so"))


def _function(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


_open = _function("sq_open", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int))
_close = _function("sq_close", None, ctypes.c_void_p)
_field = _function("sq_field", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint32)
_count = _function("sq_count", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
_query = _function("sq_query", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Options))
_facets = _function("sq_facets", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64)
_answer = _function("sq_answer", ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t))
_message = _function("sq_message", ctypes.c_char_p, ctypes.c_void_p)


def _int64(number: int) -> int:
    """The nearest number with 64 bits. ctypes would cut off further bits."""
    return max(-(1 << 63), min(operator.index(number), (1 << 63) - 1))


def _bytes(text: str) -> bytes:
    # The library refuses surrogates.
    return str.encode(text, "utf-8", "surrogatepass")


#: A record: its fields by name, with their JSON values.
Record = Dict[str, Any]


class Answer(Sequence[Record]):
    """The records of an answer, in their order. The first access to a record or another member parses the JSON."""

    __slots__ = ("raw", "_object")

    #: The text of the answer: a JSON object, as /v1/search of ``shardq serve`` returns (docs/answer.schema.json).
    raw: bytes

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self._object: Optional[Dict[str, Any]] = None

    @property
    def object(self) -> Dict[str, Any]:
        """The parsed JSON object."""
        found = self._object
        if found is None:
            found = self._object = json.loads(self.raw.decode())
        return found

    @property
    def records(self) -> List[Record]:
        """The records, each a dict of its fields."""
        records: List[Record] = self.object["matches"]
        return records

    @property
    def count(self) -> int:  # type: ignore[override]
        """The number of matches, as ``total``."""
        return self.total

    @property
    def total(self) -> int:
        """The number of matches; if ``total_is_exact`` is false, there may be more (docs/totals.md)."""
        total: int = self.object["total"]
        return total

    @property
    def total_is_exact(self) -> bool:
        """Whether there are no more matches than ``total``."""
        is_exact: bool = self.object["totalIsExact"]
        return is_exact

    @property
    def keys(self) -> int:
        """The number of records whose keys begin with the text."""
        keys: int = self.object["keys"]
        return keys

    @property
    def is_ranked(self) -> bool:
        """Whether the records are in the order of ranks, or of numbers."""
        return self.object["sort"] != "key"

    @property
    def correction(self) -> Optional[str]:
        """The corrected text, if all records match only with corrected typing errors."""
        return self.object.get("correction")

    @property
    def interpretation(self) -> Optional[Dict[str, Any]]:
        """The reading that the answer comes from: its ``text``, and its ``filter`` if it has one; None for the typed text."""
        return self.object.get("interpretation")

    @property
    def dropped(self) -> List[str]:
        """The words that the answer leaves out, since no record matches all words."""
        dropped: List[str] = self.object.get("dropped", [])
        return dropped

    @property
    def facets(self) -> List[Dict[str, Any]]:
        """The values of the fields of the option ``facets`` among the matches: dicts with ``field``, ``values``, ``exact``
        and ``more`` (docs/facets.md)."""
        facets: List[Dict[str, Any]] = self.object.get("facets", [])
        return facets

    @property
    def nearest(self) -> Optional[str]:
        """The longest beginning of the typed text that a record matches, if no record matches the text."""
        return self.object.get("nearest")

    @property
    def others(self) -> Optional[List[int]]:
        """The number of the others of each record's group; None if the search makes no groups."""
        return self.object.get("others")

    @property
    def others_are_exact(self) -> bool:
        """Whether ``others`` and the number of groups are exact (docs/groups.md)."""
        are_exact: bool = self.object.get("othersAreExact", True)
        return are_exact

    @property
    def cursor(self) -> Optional[str]:
        """The ``after`` of the next page of a ranked answer; None on the last page."""
        return self.object.get("cursor")

    def __len__(self) -> int:
        return len(self.records)

    @overload
    def __getitem__(self, number: int) -> Record: ...
    @overload
    def __getitem__(self, number: slice) -> List[Record]: ...
    def __getitem__(self, number: Union[int, slice]) -> Union[Record, List[Record]]:
        return self.records[number]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __repr__(self) -> str:
        return f"<Answer: {len(self)} records of {self.total}{'' if self.total_is_exact else '+'}>"


class Index:
    """A reader of an index. Threads that share a reader wait for each other; threads with a reader each run side by side.

    Readers of one path and ``cache_bytes`` share the memory of the index. A reader follows a rebuild of the index within a
    second. A reader cannot be copied or pickled. It belongs to its process: a child of a fork opens another one.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, cache_bytes: int = 8 << 20) -> None:
        """Opens the index at a path. ``cache_bytes``: the limit of the cache."""
        self._handle: Optional[int] = None
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._size = ctypes.c_size_t()
        self._last: Tuple[Any, Any] = (None, None)
        if cache_bytes <= 0:
            raise ShardqError("refused", "cache_bytes must be more than 0")
        name = os.fsencode(path)
        if b"\0" in name:
            raise ShardqError("not found", "the path has a NUL character; give a path without NUL")
        status = ctypes.c_int()
        with _opening:
            handle = _open(name, _int64(cache_bytes), ctypes.byref(status))
        if status.value != 0:
            message = _message(handle).decode("utf-8", "replace")
            with _opening:
                _close(handle)
            raise ShardqError(_CODES[status.value], message)
        self._handle = handle

    def search(
        self, text: str, *, limit: int = 10, offset: int = 0, sort: Optional[str] = None,
        typos: Union[bool, str] = True, filters: Iterable[str] = (), near: Optional[Tuple[float, float]] = None,
        after: str = "", display: bool = False, hits: bool = False, total: Optional[str] = None, words: str = "auto",
        radius: Optional[float] = None, group: Optional[str] = None, facets: Iterable[str] = (), facet_limit: int = 10,
    ) -> Answer:
        """Returns the best matches of a text.

        ``limit``: the most records, up to 1,000. ``offset``: the number of matches to skip, at most 10,000 in a ranked
        answer. ``sort``: "rank" or "key"; None means "rank" if the index has ranks. A field of ``build --number`` sorts by
        its numbers or dates, the least first, or with a minus sign the greatest: "price", "-price". ``typos``: whether the
        answer corrects typing errors, if the index can; "min": only records with the fewest errors, and
        ``object["complete"]`` is False if there may be others. ``filters``: texts such as "country=FR" or "price=20..50". ``near``: a latitude and a
        longitude; records near this place rank higher. ``radius``: the greatest distance of a record from that place in
        kilometres, above 0 and at most 20,040. ``after``: the ``cursor`` of the previous page. ``display``: whether
        ``object["display"]`` has the texts that a list shows of each record, with the ranges of the matched letters.
        ``hits``: whether ``object["hits"]`` has the rank of each record of a ranked answer.
        ``total``: "exact" counts the matches, at most 10,000; None or "known" takes the number that the search knows.
        ``words``: "all" finds records that match all words as typed; if there are none, "auto" also asks for readings of
        the text, and then leaves words out. ``group``: a field, or "key": the answer has only the best of the records with
        the same text in it, and ``others`` has the numbers of the other ones. ``facets``: fields such as "country", whose
        values among the matches ``Answer.facets`` has, at most ``facet_limit`` of each, up to 100.
        """
        typed = _bytes(text)
        for name, texts, example in ("filters", filters, "country=FR"), ("facets", facets, "country"):
            if isinstance(texts, (str, bytes)):
                raise ShardqError("refused", f'{name} must be a list such as ["{example}"], and not the text {texts!r:.100}')
        place = self._place(near)
        asked = (
            limit, offset, sort, typos, tuple(filters), place, after, display, hits, total, words,
            self._radius(radius, place), group, tuple(facets), facet_limit)
        # Successive questions of one list have the same options.
        last, options = self._last
        if asked != last:
            options = self._options(*asked)
            self._last = (asked, options)
        self._check_process()
        with self._lock:
            handle = self._open_handle()
            status = _query(handle, typed, len(typed), options)
            if status != 0:
                raise self._error(status)
            return Answer(ctypes.string_at(_answer(handle, self._size), self._size.value))

    def facets(self, field: str, *, starting_with: str = "", limit: int = 100) -> Dict[str, Any]:
        """Returns the values of a field in the whole index: a dict with ``field``, ``values``, ``exact`` and ``more``.

        The index must have a filter by the field (docs/facets.md). ``starting_with``: the beginning of the values.
        ``limit``: the most values, up to 100.
        """
        texts = self._plain(field), self._plain(starting_with)
        self._check_process()
        with self._lock:
            handle = self._open_handle()
            status = _facets(handle, *texts, _int64(limit))
            if status != 0:
                raise self._error(status)
            found: Dict[str, Any] = json.loads(ctypes.string_at(_answer(handle, self._size), self._size.value).decode())
            return found

    def count(self, text: str) -> int:
        """Returns the number of matches of a text, ``search(text, total="exact").total``."""
        typed = _bytes(text)
        self._check_process()
        with self._lock:
            count: int = _count(self._open_handle(), typed, len(typed))
            if count < 0:
                raise self._error(-count)
            return count

    @property
    def fields(self) -> List[str]:
        """The names of all fields; the name of a nested field is its path, ``coord.lon``."""
        names: List[str] = []
        self._check_process()
        with self._lock:
            handle = self._open_handle()
            while (name := _field(handle, len(names))) is not None:
                names.append(name.decode("utf-8", "replace"))
        return names

    def close(self) -> None:
        """Closes the reader. Another call does nothing."""
        # A child of a fork has no threads that would release the locks of its parent.
        if self._process != os.getpid():
            self._handle = None
            return
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            with _opening:
                _close(handle)

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an Index cannot be copied or pickled; open another Index of the same path")

    def _check_process(self) -> None:
        if self._process != os.getpid():
            raise ShardqError("refused", "another process opened this Index before a fork; open it again in this process")

    @staticmethod
    def _place(near: Any) -> Optional[Tuple[float, float]]:
        if near is None:
            return None
        try:
            if isinstance(near, (str, bytes, dict, set)):
                raise TypeError
            latitude, longitude = (float(number) for number in near if not isinstance(number, (str, bytes)))
        except (TypeError, ValueError):
            raise ShardqError(
                "refused", f"near must be a latitude and a longitude such as (48.9, 2.4), and not {near!r:.100}"
            ) from None
        return latitude, longitude

    @staticmethod
    def _radius(radius: Any, place: Optional[Tuple[float, float]]) -> float:
        """The kilometres; 0 for no limit."""
        if radius is None:
            return 0
        try:
            if isinstance(radius, (str, bytes, bool)) or not 0 < float(radius) <= 20_040:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise ShardqError(
                "refused", f"radius must be a number of kilometres above 0 and at most 20,040, and not {radius!r:.100}"
            ) from None
        if place is None:
            raise ShardqError("refused", "radius needs a place; pass near too")
        return float(radius)

    def _options(
        self, limit: int, offset: int, sort: Optional[str], typos: Union[bool, str], filters: Tuple[str, ...],
        near: Optional[Tuple[float, float]], after: str, display: bool, hits: bool, total: Optional[str], words: str,
        radius: float, group: Optional[str], facets: Tuple[str, ...], facet_limit: int,
    ) -> _Options:
        if group is not None and (not isinstance(group, str) or not group):
            raise ShardqError("refused", 'group must be a field, "key", or None')
        if sort is not None and (not isinstance(sort, str) or not sort):
            raise ShardqError("refused", 'sort must be "rank", "key", a field of numbers such as "-price", or None')
        if total not in (None, "exact", "known"):
            raise ShardqError("refused", 'total must be "exact", "known" or None')
        if words not in ("auto", "all"):
            raise ShardqError("refused", 'words must be "auto" or "all"')
        if typos not in (True, False, "min"):
            raise ShardqError("refused", 'typos must be True, False or "min"')
        flags = _JSON | (0 if typos else _EXACT) | (_DISPLAY if display else 0) | (_TOTAL if total == "exact" else 0)
        flags |= (_HITS if hits else 0) | (_ALL_WORDS if words == "all" else 0) | (_MIN_TYPOS if typos == "min" else 0)
        options = _Options(ctypes.sizeof(_Options), _int64(offset), _int64(limit), _SORTS.get(sort, 0), flags)
        if near is not None:
            options.flags |= _NEAR
            options.latitude, options.longitude, options.radius = *near, radius
        if filters:
            texts = [self._plain(text) for text in filters]
            options.filters, options.filter_count = (ctypes.c_char_p * len(texts))(*texts), len(texts)
        if sort is not None and sort not in _SORTS:
            options.sort_field = self._plain(sort)
        if group is not None:
            options.group = self._plain(group)
        if facets:
            texts = [self._plain(text) for text in facets]
            options.facets, options.facet_count = (ctypes.c_char_p * len(texts))(*texts), len(texts)
            options.facet_limit = _int64(facet_limit)
        if after:
            options.cursor = self._plain(after)
        return options

    def _open_handle(self) -> int:
        if self._handle is None:
            raise ShardqError("refused", "the index is closed")
        return self._handle

    def _error(self, status: int) -> ShardqError:
        return ShardqError(_CODES[status], _message(self._handle).decode("utf-8", "replace"))

    @staticmethod
    def _plain(text: str) -> bytes:
        encoded = _bytes(text)
        if b"\0" in encoded:
            raise ShardqError("refused", "a filter, a facet, a cursor, sort or group has a NUL character; leave NUL out")
        return encoded
