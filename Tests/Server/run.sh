#!/bin/sh
# Tests the server as its users run it: Tests/Server/run.sh [--long]. The long form has ten thousand idle connections and
# two thousand slow ones. $SHARDQ_BIN, else bin, has shardq, shardq-commands and shardq-serve. Ends with 77 if a package of
# PyPI is missing and all other tests passed.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
[ "${1:-}" != --long ] || export SHARDQ_LONG=1
skipped=""
for name in geopy schemathesis; do [ -d "../../.build/python/$name" ] || skipped="$skipped $name"; done
../side_by_side.py --processes "${SHARDQ_LONG:+1}${SHARDQ_LONG:-2}" .
if [ -n "$skipped" ]; then
  echo "skipped: the tests that need$skipped; Scripts/dependencies.sh --tests installs them from PyPI" >&2
  exit 77
fi
