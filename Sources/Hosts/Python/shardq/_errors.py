"""The errors of the package."""

import errno
from typing import Any, Optional


class ShardqError(Exception):
    """The error of opening, searching or building an index; the message is for people.

    ``code`` is "not found" if there is no index, "damaged" for a damaged index, "changed" for an index that was rebuilt
    several times meanwhile, "refused" for a wrong argument or record, "busy" if another build is running, and "system"
    for a failed system call. The error is a FileNotFoundError too if there is no index, a ValueError for a wrong argument,
    and an OSError for a failed system call.
    """

    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> Any:
        return made, (self.code, str(self), getattr(self, "filename", None))


class NotFoundError(ShardqError, FileNotFoundError):
    """There is no index at the path, or no command in the package; ``filename`` is the path."""


class RefusedError(ShardqError, ValueError):
    """An argument or a record is wrong, or the index cannot answer the question."""


class SystemFailure(ShardqError, OSError):
    """A system call failed."""


_KINDS = {"not found": NotFoundError, "refused": RefusedError, "system": SystemFailure}


def made(code: str, message: str, path: Optional[str] = None) -> ShardqError:
    """The error of a code."""
    error = _KINDS.get(code, ShardqError)(code, message)
    if isinstance(error, NotFoundError):
        error.errno, error.filename = errno.ENOENT, path
    return error


def refused(message: str) -> ShardqError:
    return made("refused", message)
