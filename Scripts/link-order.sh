#!/bin/sh
# Writes Scripts/link-order.txt: the functions that queries run, in the order in which they first do. Linked one after
# the other they lie on few pages, and a process maps fewer of them: see docs/measurements.md. Names that a later
# build does not have are passed over by the linker, so a stale list costs speed and nothing else.
# Needs valgrind, and an index of the city list or one like it: Scripts/link-order.sh INDEX
set -eu
cd "$(dirname "$0")/.."
index="${1:?usage: Scripts/link-order.sh INDEX}"
Scripts/build.sh
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
number=0
for arguments in lond 'san --count' zzzqq 'münch --format jsonl' 'kö --format text' 'tok --format json' \
  'par --format csv' 'rio --format geojson'; do
  number=$((number + 1))
  # Unquoted: options are words of their own.
  valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/$number" \
    .build/shipped/release/shardq $arguments --index "$index" >"$work/output" 2>&1 || true
done
# And what runs for as long as somebody types: shards come and go.
number=$((number + 1))
for first in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
  for second in '' a e i o u; do printf '%s%s\n' "$first" "$second"; done
done >"$work/prefixes"
valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/$number" \
  .build/shipped/release/shardq --stdin --index "$index" <"$work/prefixes" >"$work/output" 2>&1
for file in $(seq 1 "$number"); do cat "$work/$file"; done \
  | grep -oE '^c?fn=\([0-9]+\) .*' | sed -E "s/^c?fn=\([0-9]+\) //; s/'[0-9]+\$//" | awk '!seen[$0]++' \
  >Scripts/link-order.txt
wc -l Scripts/link-order.txt
# The list is no source to the build: what was linked without it has to go.
rm -f .build/shipped/release/shardq .build/shipped/release/shardq-commands
Scripts/build.sh
