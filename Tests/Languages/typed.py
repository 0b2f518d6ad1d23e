"""Uses all of the Python package's types; mypy refuses each line with `type: ignore`, and no other."""

import pathlib
from typing import Any, Dict, Iterator, List, Optional

import shardq


def used() -> List[str]:
    index: shardq.Index = shardq.build(
        ({"name": name} for name in ("one", "two")), pathlib.Path("list"), key="{name}", filter=["kind"], typos=True, min_records=2)
    shardq.build([["one"]], "list", columns=["name"], memory="64MiB", weight_scale=0.5, near=False, id=None)
    numbers: Optional[Dict[str, Any]] = index.built
    answer: shardq.Answer = index.search(
        "san", limit=3, offset=1, sort="-price", typos="min", filters=["kind=a"], near=(48.5, 2.25), after="", display=True,
        hits=True, total="exact", words="all", radius=25, group="key", facets=["kind"], facet_limit=3)
    record: shardq.Record = answer[0]
    more: List[shardq.Record] = answer[1:]
    texts: List[Optional[str]] = [answer.correction, answer.nearest, answer.cursor, *answer.dropped]
    counts: List[int] = [answer.total, answer.keys, answer.count(record), answer.index(record), index.count("s"), len(answer)]
    facts: List[bool] = [answer.total_is_exact, answer.is_ranked, answer.others_are_exact]
    known: Optional[shardq.Record] = index.record("7")
    pages: Iterator[shardq.Answer] = index.pages("san", limit=100, filters=["kind=a"])
    tables: List[Dict[str, Any]] = [*answer.facets, index.facets("kind", starting_with="a", limit=3), answer.object]
    rest: List[object] = [answer.interpretation, answer.others, answer.raw, answer.records, known, numbers, texts, counts, facts, tables]
    with shardq.Index("list", cache_bytes=1 << 20) as other:
        names: List[str] = [*other.fields, *(record["name"] for page in pages for record in page), *map(repr, more + rest)]
    return names + [shardq.__version__]


def refused(index: shardq.Index) -> None:
    index.record(7)  # type: ignore[arg-type]
    index.search(b"san")  # type: ignore[arg-type]
    index.search("san", limit="3")  # type: ignore[arg-type]
    index.search("san", limt=3)  # type: ignore[call-arg]
    index.search("san", near="48,2")  # type: ignore[arg-type]
    index.search("san")["name"]  # type: ignore[call-overload]
    index.pages("san").total  # type: ignore[attr-defined]
    shardq.Index("list", 1 << 20)  # type: ignore[call-arg]
    shardq.Index(3)  # type: ignore[arg-type]
    shardq.build([{"name": "one"}], "list", "{name}")  # type: ignore[call-arg]
    shardq.build([{"name": "one"}], "list", key=3)  # type: ignore[arg-type]
    shardq.build([{"name": "one"}], "list", memory=b"64MiB")  # type: ignore[arg-type]


def caught() -> str:
    try:
        return str(used())
    except shardq.NotFoundError as error:
        return str(error.filename)
    except (shardq.RefusedError, shardq.SystemFailure) as error:
        return str(error)
    except shardq.ShardqError as error:
        return error.code
