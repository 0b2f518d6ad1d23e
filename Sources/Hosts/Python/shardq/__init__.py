"""Finds names as you type in an index of shardq: a directory that ``shardq build`` writes, or an archive.

    with shardq.Index("cities") as index:
        for record in index.search("san", limit=10):
            print(record["name"])
"""

from ._answer import Answer, Record
from ._errors import NotFoundError, RefusedError, ShardqError, SystemFailure
from ._index import Index
from ._version import __version__

__all__ = ["Answer", "Index", "NotFoundError", "Record", "RefusedError", "ShardqError", "SystemFailure", "__version__"]
