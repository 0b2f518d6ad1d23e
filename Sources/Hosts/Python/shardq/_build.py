"""Builds an index from Python, by the command of the package."""

import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from ._errors import ShardqError, made, refused
from ._index import Index, local_path

Option = Union[None, bool, int, float, str, "os.PathLike[str]", Iterable[str]]

#: Options of the command that ``build`` sets itself, or that are about files and terminals.
_OWN = {
    "index", "input_format", "json", "quiet", "verbose", "progress", "no_progress", "watch", "help", "version", "delimiter",
    "skip_lines", "comment", "name_columns", "ragged", "null", "encoding", "records",
}
#: The codes of the command's exit statuses.
_STATUSES = {64: "refused", 65: "refused", 66: "not found", 74: "system", 75: "busy"}


def build(
    records: Iterable[Any], path: Union[str, "os.PathLike[str]"], *, key: Optional[str] = None,
    columns: Optional[Sequence[str]] = None, **options: Option,
) -> Index:
    """Makes an index of records in the directory ``path``, and returns it open; its ``built`` has the numbers of the build.

    ``records``: an iterable of dicts, of lists with the names of their values in ``columns``, or a frame of pandas. The
    call reads one record after the other and keeps none. ``key``: the template of the keys, such as "{name}, {country}".
    The other arguments are options of ``shardq build``, with underscores: ``weight="population"``, ``typos=True``,
    ``filter=["country", "kind"]``, ``min_records=1000``; None and False stand for an option that is not set.

    Dates, times and UUIDs become texts, a Decimal a number, numpy's values and arrays those of Python, and missing values
    of a frame null. If there is an index already, the build writes only the files that change. If the iterable raises an
    error, or the build fails, the index stays as it was. An option or a record that is wrong raises a RefusedError, and a
    second build of one directory at the same time a ShardqError whose code is "busy".
    """
    # Programs that only search do not load the modules of builds.
    from ._records import lines

    arguments = [program(), "build", "-", "--input-format", "jsonl", "--json", "--quiet"]
    arguments += ["--index", os.path.abspath(os.fsdecode(local_path(path)))]
    for name, value in {"key": key, **options}.items():
        arguments += _argument(name, value)
    numbers = _run(arguments, lines(records, columns))
    index = Index(path)
    index.built = numbers
    return index


def program() -> str:
    """The path of the command of this package."""
    from importlib import metadata

    places = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin", "shardq")]
    try:
        files = metadata.distribution("shardq").files or []
    except metadata.PackageNotFoundError:
        raise made(
            "not found", "the package shardq-core has no builder; install the package shardq in its place") from None
    # `pip install --target` puts the command into the folder `bin` beside the package.
    places[:0] = [str(file.locate()) for file in files if file.parts[-2:] == ("bin", "shardq")]
    for place in places:
        if os.path.isfile(place):
            return place
    raise made("not found", f"the command of the package is missing at {places[0]}; install the package again", places[0])


def _argument(name: str, value: Option) -> List[str]:
    if name in _OWN:
        raise refused(f"{name} is no option of shardq.build, which sends its records to the command as JSON")
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, (str, int, float, os.PathLike)):
        return [f"{option}={_text(name, value)}"]
    try:
        if isinstance(value, (bytes, dict)):
            raise TypeError
        return [f"{option}={_text(name, one)}" for one in value]
    except TypeError:
        raise refused(f"{name} must be a text, a number, True, False or a list of texts, and not {value!r:.100}") from None


def _text(name: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fsdecode(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError
    if "\0" in str(value):
        raise refused(f"{name} has a NUL character; leave NUL out")
    return str(value)


def _packed(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines as a gzip stream that compresses nothing: its end tells the command that no record is missing.

    If this process ends in the middle, the command finds no end and leaves the index as it was.
    """
    import zlib

    packer = zlib.compressobj(0, zlib.DEFLATED, 31)
    batch: List[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line) + 1
        if size >= 1 << 16:
            yield packer.compress(b"\n".join([*batch, b""]))
            batch, size = [], 0
    yield packer.compress(b"\n".join([*batch, b""])) + packer.flush()


def _run(arguments: List[str], lines: Iterator[bytes]) -> Dict[str, Any]:
    """Runs the command with the lines as its input, and returns the numbers that it prints."""
    import json
    import subprocess
    import tempfile

    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=printed, stderr=said, bufsize=0)
        assert process.stdin is not None
        try:
            for chunk in _packed(lines):
                if not _written(process.stdin, chunk):
                    break
            process.stdin.close()
            status = process.wait()
        except BaseException:
            # Without its end the input is no list, and the command leaves the index as it was.
            process.kill()
            process.stdin.close()
            process.wait()
            raise
        for file in printed, said:
            file.seek(0)
        if status != 0:
            raise _failure(status, said.read().decode("utf-8", "replace"))
        numbers: Dict[str, Any] = json.loads(printed.read().decode())
        return numbers


def _written(pipe: Any, chunk: bytes) -> bool:
    """Whether the command took the chunk. It ends early if an option is wrong, and says why."""
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[pipe.write(rest):]
    except BrokenPipeError:
        return False
    return True


def _failure(status: int, said: str) -> ShardqError:
    import re

    if status < 0:
        return made("system", f"signal {-status} ended the build; the index is as it was")
    # The command's name of an option, --min-records, is min_records here.
    text = re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), said.strip())
    text = "\n".join(line[8:] if line.startswith("shardq: ") else line for line in text.splitlines())
    return made(_STATUSES.get(status, "system"), text.replace("standard input:", "records:"))
