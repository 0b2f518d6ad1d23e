#!/bin/sh
# Measures daily changes, ranges of keys and memory, and prints the tables of docs/distributed.md and docs/daily-changes.md:
#
#     Benchmarks/everyday.sh [--records 10000000] [--changes 10000] [--only-spark]
#
# The list is made by `shardq generate`. The index has a weight, words, typing errors, a filter and places; the table also
# has rows of an index without options, and of one with starts. The store is Tests/Remote/store.py, which counts the
# requests. With pyspark in python3 the job of Packaging/spark runs too. Tests/Nodes/run.sh --long prints the tables of
# docs/nodes.md. SHARDQ_BIN names the directory of the programs; without it Scripts/build.sh builds them.
set -eu
cd "$(dirname "$0")"
if [ -z "${SHARDQ_BIN:-}" ]; then
  ../Scripts/build.sh --base --remote >&2
  SHARDQ_BIN=$(cd ../bin && pwd)
fi
export SHARDQ_BIN SWIFT_BACKTRACE=enable=no PYTHONDONTWRITEBYTECODE=1
exec python3 everyday/figures.py "$@"
