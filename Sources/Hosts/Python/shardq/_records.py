"""Records of Python as lines of JSON."""

import datetime
import decimal
import json
import sys
import uuid
from collections.abc import Mapping
from typing import Any, Iterable, Iterator, List, Optional, Sequence

from ._errors import ShardqError, refused


def _other_value(value: Any) -> Any:
    """The JSON value of a value that Python's encoder does not know."""
    if isinstance(value, (datetime.date, datetime.time)) and value == value:
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    # A number of JSON has the digits of a float. The exponent has a limit because 1E+9999999 has ten million digits.
    if isinstance(value, decimal.Decimal) and value.is_finite() and abs(value.adjusted()) < 308:
        if value == int(value):
            return int(value)
        if decimal.Decimal(repr(float(value))) == value:
            return float(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(value, numpy.datetime64) and value == value:
            return str(value)
        if isinstance(value, (numpy.ndarray, numpy.bool_, numpy.number)):
            return value.tolist()
    raise TypeError


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_other_value).encode


def _line(record: Any) -> bytes:
    return _encode(record).encode()


def _wrong_value(number: int, record: "Mapping[Any, Any]") -> ShardqError:
    """The error of a record that has no JSON; it names the first field without JSON."""
    for name, value in record.items():
        try:
            _line({name: value})
        except (TypeError, ValueError, OverflowError, RecursionError):
            if not isinstance(name, str):
                return refused(f"record {number}: the name of a field must be a text, and not {name!r:.100}")
            is_missing = isinstance(value, float) and value != value
            advice = "pass None for no value" if is_missing else "pass a text, a number, True, False, None, a list or a dict"
            return refused(f"record {number}: the field {name!r:.100} has the value {value!r:.100}, which JSON has not; {advice}")
    return refused(f"record {number} has no JSON")


def _frame_rows(frame: Any) -> Iterator[List[Any]]:
    """The rows of a frame of pandas, in which None stands for missing values."""
    pandas = sys.modules["pandas"]
    # NaT is a value of its own.
    missing = (pandas.NA, pandas.NaT)
    for row in frame.itertuples(index=False, name=None):
        yield [
            None if value is missing[0] or value is missing[1] or isinstance(value, float) and value != value else value
            for value in row]


def _fields(columns: Any) -> List[str]:
    if isinstance(columns, (str, bytes)):
        raise refused(f'columns must be a list such as ["name", "country"], and not the text {columns!r:.100}')
    names = list(columns)
    for name in names:
        if not isinstance(name, str):
            raise refused(f"columns must be texts, and not {name!r:.100}")
    if len(set(names)) < len(names):
        raise refused(f"columns must be different texts, and not {names!r:.100}")
    return names


def lines(records: Iterable[Any], columns: Optional[Sequence[str]]) -> Iterator[bytes]:
    """The records as lines of JSON. The call itself refuses arguments that are wrong for every record."""
    if isinstance(records, (str, bytes, Mapping)):
        raise refused(
            f"the records must be an iterable of dicts or lists, and not {records!r:.100}; of a file, the command "
            "`shardq build` makes an index")
    names = None if columns is None else _fields(columns)
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(records, pandas.DataFrame):
        if columns is not None:
            raise refused("columns is for lists, and a frame has its own; leave columns out")
        names = _fields([str(name) for name in records.columns])
        return _encoded(_frame_rows(records), names)
    return _encoded(iter(records), names)


def _encoded(records: Iterator[Any], names: Optional[List[str]]) -> Iterator[bytes]:
    for number, record in enumerate(records, 1):
        if names is not None and isinstance(record, (list, tuple)):
            if len(record) != len(names):
                raise refused(f"record {number} has {len(record)} values, and columns has {len(names)} names: {record!r:.100}")
            record = dict(zip(names, record))
        elif names is not None or not isinstance(record, Mapping):
            wanted = "a dict" if names is None else "a list or a tuple"
            more = "; for lists pass columns, the names of their values" if isinstance(record, (list, tuple)) else ""
            raise refused(f"record {number} must be {wanted}, and not {record!r:.100}{more}")
        elif not isinstance(record, dict):
            record = dict(record)
        try:
            line = _line(record)
        except (TypeError, ValueError, OverflowError, RecursionError):
            raise _wrong_value(number, record) from None
        yield line
