#!/bin/sh
# Builds the query program and answers a query from the index that the clone carries: Scripts/try.sh lodnon
# The script takes half a minute on two cores, and installs libzstd's headers if they are missing. It builds without
# optimization, which takes half the time; Scripts/build.sh builds the programs as they are shipped.
set -eu
command -v swift >/dev/null || {
  echo "Swift is missing; install Swift 6.3 (https://www.swift.org/install/), and run Scripts/try.sh again" >&2
  exit 69
}
directory="$(cd "$(dirname "$0")/.." && pwd)"
"$directory/Scripts/dependencies.sh" --query
echo "building the query program takes about half a minute; Scripts/build.sh builds all programs in some minutes" >&2
swift build --package-path "$directory" --product shardq >&2
exec "$directory/.build/debug/shardq" --index "$directory/shards" "$@"
