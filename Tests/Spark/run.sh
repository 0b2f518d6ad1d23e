#!/bin/sh
# Tests ranges of keys in separate processes: Tests/Spark/run.sh [--long]. The engine of the short form is sort and awk; the
# long form also runs the job on Spark, in some minutes. $SHARDQ_BIN, else bin, has shardq and shardq-commands. Ends with 77
# if Spark or Java is missing for the long form and all else passed.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
python3 -m unittest -v test_ranges test_over
[ "${1:-}" = --long ] || exit 0
if ! python3 -c 'import pyspark' 2>/dev/null; then
  echo "skipped: the job on Spark; python3 -m pip install pyspark" >&2
  exit 77
elif ! java -version 2>/dev/null; then
  echo "skipped: the job on Spark; Spark 4 needs Java 17, in Debian openjdk-17-jre-headless" >&2
  exit 77
fi
exec python3 -m unittest -v test_spark
