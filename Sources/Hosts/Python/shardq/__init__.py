"""Finds names as you type in an index of shardq: a directory that ``shardq.build`` or the command writes, or an archive.

    shardq.build([{"name": "San Jose"}, {"name": "London"}], "cities", key="{name}")

    with shardq.Index("cities") as index:
        for record in index.search("san", limit=10):
            print(record["name"])
"""

from ._answer import Answer, Record
from ._build import build
from ._errors import NotFoundError, RefusedError, ShardqError, SystemFailure
from ._index import Index
from ._version import __version__

__all__ = ["Answer", "Index", "NotFoundError", "Record", "RefusedError", "ShardqError", "SystemFailure", "__version__", "build"]
