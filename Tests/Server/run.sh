#!/bin/sh
# The server, run as its users run it: Tests/Server/run.sh [--long]. The long form has ten thousand idle connections and
# two thousand slow ones. $SHARDQ_BIN, else bin, has shardq, shardq-commands and shardq-serve.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
[ "${1:-}" != --long ] || export SHARDQ_LONG=1
exec python3 -m unittest discover -s . -v
