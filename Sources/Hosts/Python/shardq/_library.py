"""The functions of the C library: shardq.h."""

import ctypes
import operator
import os
import threading
from typing import Any

# No thread opens or closes an index during a fork, so that a child can open indexes.
opening = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=opening.acquire, after_in_parent=opening.release, after_in_child=opening.release)

EXACT, NEAR, JSON, DISPLAY, TOTAL, HITS, ALL_WORDS, MIN_TYPOS = 1, 2, 4, 8, 16, 32, 64, 128
SORTS = {None: 0, "rank": 1, "key": 2}
CODES = {1: "not found", 2: "damaged", 3: "changed", 4: "refused", 5: "system"}


NOT_FOUND, CHANGED, SYSTEM = 1, 3, 5


class Options(ctypes.Structure):  # sq_options of shardq.h
    _fields_ = [
        ("size", ctypes.c_size_t), ("from_", ctypes.c_int64), ("limit", ctypes.c_int64), ("sort", ctypes.c_int32),
        ("flags", ctypes.c_int32), ("latitude", ctypes.c_double), ("longitude", ctypes.c_double),
        ("filters", ctypes.POINTER(ctypes.c_char_p)), ("filter_count", ctypes.c_size_t), ("cursor", ctypes.c_char_p),
        ("sort_field", ctypes.c_char_p), ("radius", ctypes.c_double), ("group", ctypes.c_char_p),
        ("facets", ctypes.POINTER(ctypes.c_char_p)), ("facet_count", ctypes.c_size_t), ("facet_limit", ctypes.c_int64),
    ]


class Request(ctypes.Structure):  # sq_request of shardq.h
    _fields_ = [
        ("name", ctypes.c_char_p), ("first", ctypes.c_int64), ("end", ctypes.c_int64), ("size", ctypes.c_int64),
        ("is_fresh", ctypes.c_int32), ("status", ctypes.c_int32), ("bytes", ctypes.c_void_p), ("count", ctypes.c_size_t),
        ("message", ctypes.c_char_p),
    ]


FETCH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(Request), ctypes.c_size_t)

_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libshardq.so")
try:
    _library = ctypes.CDLL(_path)
except OSError as error:
    raise ImportError(
        f"this system cannot load the library of shardq ({error}); the package needs Linux on x86-64 with glibc 2.34 or later",
        name="shardq", path=_path) from None


def _function(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(_library, name)
    function.restype, function.argtypes = result, arguments
    return function


open_index = _function("sq_open", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64, ctypes.POINTER(ctypes.c_int))
open_remote = _function(
    "sq_open_remote", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int64, FETCH, ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_int))
close = _function("sq_close", None, ctypes.c_void_p)
field = _function("sq_field", ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint32)
count = _function("sq_count", ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
query = _function("sq_query", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Options))
facets = _function("sq_facets", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int64)
lookup = _function("sq_lookup", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int)
answer = _function("sq_answer", ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t))
message = _function("sq_message", ctypes.c_char_p, ctypes.c_void_p)


def int64(name: str, number: int) -> int:
    """The nearest number with 64 bits to an argument. ctypes would cut off further bits."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, and not {number!r:.100}") from None
    return max(-(1 << 63), min(whole, (1 << 63) - 1))


def utf8(name: str, text: str) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a text, and not {text!r:.100}")
    # The library refuses surrogates.
    return text.encode("utf-8", "surrogatepass")
