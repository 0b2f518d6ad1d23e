"""The reader of an index."""

import ctypes
import json
import os
import threading
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _library
from ._answer import Answer, Record
from ._errors import ShardqError, made, refused
from ._library import opening, utf8

if TYPE_CHECKING:
    from ._remote import Remote


def local_path(path: Union[str, "os.PathLike[str]"]) -> bytes:
    """The bytes of a path, which is no URL."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise made("not found", "the path has a NUL character; give a path without NUL")
    if b"://" in name:
        raise refused(
            f"{os.fsdecode(name):.200} is a URL, and no path; build writes a directory, and Index opens a URL that is a str")
    return name


class Index:
    """A reader of an index. Threads that share a reader wait for each other; threads with a reader each run side by side.

    Readers of one path and ``cache_bytes`` share the memory of the index. A reader follows a rebuild of the index within a
    second. A reader cannot be copied or pickled. It belongs to its process: a child of a fork opens another one.

    A reader of a URL fetches the bytes that a question needs, up to six requests side by side, and shares nothing. It
    follows a rebuild within a minute.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, cache_bytes: int = 8 << 20) -> None:
        """Opens the index at a path or at a URL of http or https: a directory or an archive.

        ``cache_bytes``: the limit of the cache. The URL of an archive ends with ``.shardq``.
        """
        self._handle: Optional[int] = None
        self._remote: Optional[Remote] = None
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._size = ctypes.c_size_t()
        self._last: Tuple[Any, Any] = (None, None)
        #: The numbers of the build, if ``shardq.build`` returned this reader.
        self.built: Optional[Dict[str, Any]] = None
        size = _library.int64("cache_bytes", cache_bytes)
        if size <= 0:
            raise refused("cache_bytes must be more than 0")
        status = ctypes.c_int()
        if isinstance(path, str) and "://" in path:
            # Programs that search files alone do not load the modules of HTTP.
            from ._remote import Remote

            remote = self._remote = Remote(path)
            shown = remote.shown
            handle = _library.open_remote(
                shown.encode(), remote.is_archive, size, remote.function, None, ctypes.byref(status))
        else:
            name = local_path(path)
            shown = os.fsdecode(name)
            with opening:
                handle = _library.open_index(name, size, ctypes.byref(status))
        # From here on `close` closes the handle.
        self._handle = handle
        if status.value != 0:
            message = _library.message(handle).decode("utf-8", "replace")
            self.close()
            if self._remote is not None:
                self._remote.check()
            raise made(_library.CODES[status.value], message, shown)

    def search(
        self, text: str, *, limit: int = 10, offset: int = 0, sort: Optional[str] = None,
        typos: Union[bool, str] = True, filters: Iterable[str] = (), near: Optional[Tuple[float, float]] = None,
        after: str = "", display: bool = False, hits: bool = False, total: Optional[str] = None, words: str = "auto",
        radius: Optional[float] = None, group: Optional[str] = None, facets: Iterable[str] = (), facet_limit: int = 10,
    ) -> Answer:
        """Returns the best matches of a text.

        ``limit``: the most records, up to 1,000. ``offset``: the number of matches to skip, at most 10,000 in a
        ranked answer. ``sort``: "rank" or "key"; None means "rank" if the index has ranks. A field of ``build
        --number`` sorts by its numbers or dates, the least first, or with a minus sign the greatest: "price",
        "-price". ``typos``: whether the answer corrects typing errors, if the index can; "min": only records with the
        fewest errors, and ``object["complete"]`` is False if there may be others. ``filters``: texts such as
        "country=FR" or "price=20..50". ``near``: a latitude and a longitude; records near this place rank higher.
        ``radius``: the greatest distance of a record from that place in kilometres, above 0 and at most 20,040.
        ``after``: the ``cursor`` of the previous page. ``display``: whether ``object["display"]`` has the texts that
        a list shows of each record, with the ranges of the matched letters. ``hits``: whether ``object["hits"]`` has
        the rank of each record of a ranked answer. ``total``: "exact" counts the matches, at most 10,000; None or
        "known" takes the number that the search knows. ``words``: "all" finds records that match all words as typed;
        if there are none, "auto" also asks for readings of the text, and then leaves words out. ``group``: a field,
        or "key": the answer has only the best of the records with the same text in it, and ``others`` has the numbers
        of the other ones. ``facets``: fields such as "country", whose values among the matches ``Answer.facets`` has,
        at most ``facet_limit`` of each, up to 100.
        """
        typed = utf8("text", text)
        for name, texts, example in ("filters", filters, "country=FR"), ("facets", facets, "country"):
            if isinstance(texts, (str, bytes, dict)):
                kind = "dict" if isinstance(texts, dict) else "text"
                raise refused(f'{name} must be a list such as ["{example}"], and not the {kind} {texts!r:.100}')
        place = self._place(near)
        asked = (
            limit, offset, sort, typos, tuple(filters), place, after, display, hits, total, words,
            self._radius(radius, place), group, tuple(facets), facet_limit)
        # Successive questions of one list have the same options.
        last, options = self._last
        if asked != last:
            options = self._options(*asked)
            self._last = (asked, options)
        return Answer(self._raw(_library.query, typed, len(typed), options))

    def pages(self, text: str, *, limit: int = 100, **options: Any) -> Iterator[Answer]:
        """Returns an iterator over all matches of a text: answers with at most ``limit`` records, one after the other.

        The other options are those of ``search``. If the index is rebuilt meanwhile, the iterator raises a ShardqError,
        because the next page of another index may repeat or leave out records.
        """
        first = self.search(text, limit=limit, **options)
        if limit < 1:
            raise refused("limit must be at least 1 for pages")
        return self._pages_from(first, text, limit, options)

    def _pages_from(self, page: Answer, text: str, limit: int, options: Dict[str, Any]) -> Iterator[Answer]:
        generation, offset = page.object["generation"], options.get("offset", 0)
        while len(page) > 0:
            yield page
            if page.cursor is not None:
                options = {**options, "after": page.cursor, "offset": 0}
            elif page.object["sort"] != "key" or len(page) < limit:
                return
            else:
                offset += len(page)
                options = {**options, "offset": offset}
            page = self.search(text, limit=limit, **options)
            if page.object["generation"] != generation:
                raise made("changed", "the index was rebuilt between two pages; begin with the first page again")

    def facets(self, field: str, *, starting_with: str = "", limit: int = 100) -> Dict[str, Any]:
        """Returns the values of a field in the whole index: a dict with ``field``, ``values``, ``exact`` and ``more``.

        The index must have a filter by the field (docs/facets.md). ``starting_with``: the beginning of the values.
        ``limit``: the most values, up to 100.
        """
        texts = self._plain("field", field), self._plain("starting_with", starting_with)
        found: Dict[str, Any] = json.loads(self._raw(_library.facets, *texts, _library.int64("limit", limit)).decode())
        return found

    def record(self, id: str) -> Optional[Record]:
        """Returns the record with an id, the text of the field of ``build``'s ``id``; None if no record has the id.

        If several records have the id, the first by key is the result. The first call reads all records, and makes a table
        of 8 bytes a record, which readers of one path share; after a rebuild the next call makes it again.
        """
        wanted = utf8("id", id)
        raw = self._raw(_library.lookup, wanted, len(wanted), _library.JSON)
        found: Optional[Record] = json.loads(raw.decode())["record"]
        return found

    def count(self, text: str) -> int:
        """Returns the number of matches of a text, ``search(text, total="exact").total``."""
        typed = utf8("text", text)
        self._check_process()
        with self._lock:
            count: int = self._call(_library.count, typed, len(typed))
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
            while (name := _library.field(handle, len(names))) is not None:
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
            with opening:
                _library.close(handle)
            if self._remote is not None:
                self._remote.close()

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
            raise refused("another process opened this Index before a fork; open it again in this process")

    @staticmethod
    def _place(near: Any) -> Optional[Tuple[float, float]]:
        if near is None:
            return None
        try:
            if isinstance(near, (str, bytes, dict, set)):
                raise TypeError
            latitude, longitude = (float(number) for number in near if not isinstance(number, (str, bytes)))
        except (TypeError, ValueError):
            raise refused(
                f"near must be a latitude and a longitude such as (48.9, 2.4), and not {near!r:.100}") from None
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
            raise refused(
                f"radius must be a number of kilometres above 0 and at most 20,040, and not {radius!r:.100}") from None
        if place is None:
            raise refused("radius needs a place; pass near too")
        return float(radius)

    def _options(
        self, limit: int, offset: int, sort: Optional[str], typos: Union[bool, str], filters: Tuple[str, ...],
        near: Optional[Tuple[float, float]], after: str, display: bool, hits: bool, total: Optional[str], words: str,
        radius: float, group: Optional[str], facets: Tuple[str, ...], facet_limit: int,
    ) -> _library.Options:
        if group is not None and (not isinstance(group, str) or not group):
            raise refused('group must be a field, "key", or None')
        if sort is not None and (not isinstance(sort, str) or not sort):
            raise refused('sort must be "rank", "key", a field of numbers such as "-price", or None')
        if total not in (None, "exact", "known"):
            raise refused('total must be "exact", "known" or None')
        if words not in ("auto", "all"):
            raise refused('words must be "auto" or "all"')
        if typos not in (True, False, "min"):
            raise refused('typos must be True, False or "min"')
        flags = _library.JSON | (0 if typos else _library.EXACT) | (_library.DISPLAY if display else 0)
        flags |= (_library.TOTAL if total == "exact" else 0) | (_library.HITS if hits else 0)
        flags |= (_library.ALL_WORDS if words == "all" else 0) | (_library.MIN_TYPOS if typos == "min" else 0)
        options = _library.Options(
            ctypes.sizeof(_library.Options), _library.int64("offset", offset), _library.int64("limit", limit),
            _library.SORTS.get(sort, 0), flags)
        if near is not None:
            options.flags |= _library.NEAR
            options.latitude, options.longitude, options.radius = *near, radius
        if filters:
            texts = [self._plain("a filter", text) for text in filters]
            options.filters, options.filter_count = (ctypes.c_char_p * len(texts))(*texts), len(texts)
        if sort is not None and sort not in _library.SORTS:
            options.sort_field = self._plain("sort", sort)
        if group is not None:
            options.group = self._plain("group", group)
        if facets:
            texts = [self._plain("a facet", text) for text in facets]
            options.facets, options.facet_count = (ctypes.c_char_p * len(texts))(*texts), len(texts)
            options.facet_limit = _library.int64("facet_limit", facet_limit)
        if after:
            options.cursor = self._plain("after", after)
        return options

    def _raw(self, function: Any, *arguments: Any) -> bytes:
        """The bytes of the answer that a function of the library makes."""
        self._check_process()
        with self._lock:
            status = self._call(function, *arguments)
            if status != 0:
                raise self._error(status)
            return ctypes.string_at(_library.answer(self._handle, self._size), self._size.value)

    def _call(self, function: Any, *arguments: Any) -> int:
        result: int = function(self._open_handle(), *arguments)
        if self._remote is not None:
            self._remote.check()
        return result

    def _open_handle(self) -> int:
        if self._handle is None:
            raise refused("the index is closed")
        return self._handle

    def _error(self, status: int) -> ShardqError:
        return made(_library.CODES[status], _library.message(self._handle).decode("utf-8", "replace"))

    @staticmethod
    def _plain(name: str, text: str) -> bytes:
        encoded = utf8(name, text)
        if b"\0" in encoded:
            raise refused(f"{name} has a NUL character; leave NUL out")
        return encoded
