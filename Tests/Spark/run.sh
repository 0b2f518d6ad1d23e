#!/bin/sh
# Ranges of keys that are written apart: Tests/Spark/run.sh [--long]. The short form has sort and awk as the engine; the long
# one runs the job on Spark as well, in some minutes. $SHARDQ_BIN, else bin, has shardq and shardq-commands. Ends with 77
# where the long form lacks Spark or Java and all else held.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
python3 -m unittest -v test_ranges
[ "${1:-}" = --long ] || exit 0
if ! python3 -c 'import pyspark' 2>/dev/null; then
  echo "skipped: the job on Spark; python3 -m pip install pyspark" >&2
  exit 77
elif ! java -version 2>/dev/null; then
  echo "skipped: the job on Spark; Spark 4 needs Java 17, in Debian openjdk-17-jre-headless" >&2
  exit 77
fi
exec python3 -m unittest -v test_spark
