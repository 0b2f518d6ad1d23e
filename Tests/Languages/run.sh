#!/bin/sh
# The C library and the Python package against the command: a minute and a half, most of it the compiler's. Ends with 77,
# and a sentence, where something is missing. $SHARDQ_BIN, else bin, has shardq and shardq-commands.
set -eu
cd "$(dirname "$0")/../.."
export SHARDQ_BIN="${SHARDQ_BIN:-$PWD/bin}" PYTHONDONTWRITEBYTECODE=1
status=0
Scripts/build-wheel.sh .build/wheel || status=$?
[ "$status" -ne 3 ] || { echo "skipped: the C library and the Python package, for a piece that builds them is missing"; exit 77; }
[ "$status" -eq 0 ] || exit "$status"
python3 -m unittest discover -s Tests/Languages
