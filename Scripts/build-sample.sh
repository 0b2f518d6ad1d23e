#!/bin/sh
# Builds the index in shards/, or in DIRECTORY, from Samples/cities.csv: Scripts/build-sample.sh [DIRECTORY]
set -eu
cd "$(dirname "$0")/.."
exec bin/shardq build Samples/cities.csv --shard-size 16KiB --weight population --words --typos --index "${1:-shards}"
