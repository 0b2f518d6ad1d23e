#!/bin/sh
# Tests serving nodes of an index in a store, behind nginx with the files of Packaging/nginx: Tests/Nodes/run.sh [--long]
# The long form measures ten million records with 1, 2 and 4 nodes: measure.py. $SHARDQ_BIN, else bin, has the programs.
# Ends with 77 if shardq-remote or nginx is missing.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
if [ ! -x "${SHARDQ_BIN:-../../bin}/shardq-remote" ]; then
  echo "skipped: nodes; Scripts/build.sh --server --remote makes shardq-remote" >&2
  exit 77
elif ! PATH="$PATH:/usr/sbin" command -v nginx >/dev/null; then
  echo "skipped: nodes; Scripts/dependencies.sh --tests installs nginx" >&2
  exit 77
fi
../side_by_side.py "$PWD"
[ "${1:-}" != --long ] || python3 measure.py
