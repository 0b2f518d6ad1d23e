#!/bin/sh
# Builds the query program and answers a query from the index that the clone carries: Scripts/try.sh lodnon
# Half a minute on two cores. It installs libzstd's headers where they are missing, and builds nothing else, without
# optimization, which takes half the time: the programs as they are shipped come from Scripts/build.sh.
set -eu
directory="$(cd "$(dirname "$0")/.." && pwd)"
"$directory/Scripts/dependencies.sh" --query
echo "building the query program, about half a minute; Scripts/build.sh builds everything, in some minutes" >&2
swift build --package-path "$directory" --product shardq >&2
exec "$directory/.build/debug/shardq" --index "$directory/shards" "$@"
