"""The requests that orders by numbers, ranges and facets take of a far host, for each key of typed sessions."""

import os
import statistics
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lazy"))
import sessions  # noqa: E402
from played import Remote  # noqa: E402

SESSIONS = 30
ASKED = {
    "by rank": [],
    "`--sort price`": ["--sort=price"],
    "`--filter price=20..50`": ["--filter=price=20..50"],
    "`--sort price --filter price=20..50`": ["--sort=price", "--filter=price=20..50"],
    "`--facet brand`": ["--facet=brand"],
    "`--facet price`": ["--facet=price"],
}


def table(shardq, work, names, count=SESSIONS):
    """The table of the index `names` in the directory `work`, given (name, weight) of its records."""
    played = sessions.mixed(sessions.sessions(names, True), count)
    remote = Remote(shardq, work)
    try:
        made = {
            name: [number for texts in played for number in remote.keys("full/", "shards", texts, *options)]
            for name, options in ASKED.items()}
    finally:
        remote.close()
    keys = len(made["by rank"])
    out = (
        f"\nRequests of the remote reader for each key of {len(played)} typed sessions ({keys} keys), whole shards, no disk\n"
        "cache:\n\n"
        "| search | requests a key, mean | 99th percentile | more than by rank, mean | most |\n|---|--:|--:|--:|--:|\n")
    for name, found in made.items():
        more = [own - other for own, other in zip(found, made["by rank"])]
        rest = ["", ""] if name == "by rank" else [f"{statistics.mean(more):.2f}", f"{max(more)}"]
        cells = [name, f"{statistics.mean(found):.2f}", f"{sorted(found)[int(0.99 * (keys - 1))]}", *rest]
        out += "| " + " | ".join(cells) + " |\n"
    return out + "\nA key must take at most 2 requests more than by rank.\n"
