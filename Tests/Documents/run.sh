#!/bin/sh
# Runs the commands of README.md and docs/ in a copy of the clone, and compares their output: Tests/Documents/run.sh
# [PAGE...]. With pages it prints each block and its output. documents.py has the rules. $SHARDQ_BIN, else bin, has the
# programs. Ends with 77 where a program is missing.
set -eu
directory="$(cd "$(dirname "$0")" && pwd)"
export PYTHONDONTWRITEBYTECODE=1
for program in shardq shardq-commands shardq-footprint shardq-serve shardq-remote; do
  if [ ! -x "${SHARDQ_BIN:-$directory/../../bin}/$program" ]; then
    echo "skipped: the pages' commands; Scripts/build.sh --all makes $program" >&2
    exit 77
  fi
done
for program in curl nginx; do
  PATH="$PATH:/usr/sbin" command -v $program >/dev/null && continue
  echo "skipped: the pages' commands; $program is missing" >&2
  exit 77
done
[ $# -eq 0 ] || exec python3 "$directory/documents.py" "$@"
exec "$directory/../side_by_side.py" "$directory"
