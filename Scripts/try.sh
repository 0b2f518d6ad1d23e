#!/bin/sh
# Builds shardq, installing libzstd's headers and its few friends if they are missing, and answers a query from
# the index that the clone carries: Scripts/try.sh 'são p'
set -eu
directory="$(cd "$(dirname "$0")/.." && pwd)"
"$directory/Scripts/build.sh"
exec "$directory/bin/shardq" --index "$directory/shards" "$@"
