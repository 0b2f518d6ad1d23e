#!/bin/sh
# Writes Scripts/link-order.txt: the functions that a plain query runs and the data that it touches, in the order in
# which it first does, then the functions of other queries, with Swift's runtime, and Scripts/link-order-embedded.txt:
# the same without; and Scripts/link-order-session.txt: those of a typed
# session, with shardq and with SQLite as shardq footprint measures them; and Scripts/link-order-update.txt: those of
# an update of one record, then those of a build. Linked one after the other they lie on few pages, and a start maps fewer of them: see
# docs/history/measurements.md.
# Names that a later build does not have are passed over by the linker, so a stale list costs speed and nothing else.
# Needs valgrind, and an index of the city list or one like it: Scripts/link-order.sh INDEX
set -eu
cd "$(dirname "$0")/.."
index="${1:?usage: Scripts/link-order.sh INDEX}"
SHARDQ_EMBEDDED=no Scripts/build.sh
embedded=.build/embedded/shardq
Scripts/build-embedded.sh "$embedded" || [ $? -eq 3 ]
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
built=.build/shipped/release
# What runs for as long as somebody types: shards come and go, accents and commas are typed, few parts need zstd.
"$built/shardq-commands" generate --typing 10000 --seed 1 --index "$index" | cut -f 2 | grep . | sort -u >"$work/prefixes"
asked() { # a program and a name: what it runs for some queries, and for that
  number=0
  for arguments in lond 'san --count' zzzqq 'münch --format jsonl' 'kö --format text' 'tok --format json' \
    'par --format csv' 'rio --format geojson'; do
    number=$((number + 1))
    # Unquoted: options are words of their own.
    valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/$2-$number" \
      "$1" $arguments --index "$index" >"$work/output" 2>&1 || true
  done
  valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/$2-typed" \
    "$1" --stdin --index "$index" <"$work/prefixes" >"$work/output" 2>&1
}
names() { # output of callgrind
  cat "$@" | grep -oE '^c?fn=\([0-9]+\) .*' | sed -E "s/^c?fn=\([0-9]+\) //; s/'[0-9]+\$//" | awk '!seen[$0]++'
}
# Likewise in a program that uses the library, where one is built: what Benchmarks/ measures the memory of.
resident=Benchmarks/.build/release/resident
if [ -x "$resident" ]; then
  valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/resident" \
    "$resident" "$index" "$work/prefixes" 262144 >"$work/output" 2>&1
fi
# Most of the standard library is one section of 1.6 MB: named among the others it would stand between them. A start does
# without most of it; a typed session does not, and its list has it.
library="$(dirname "$(realpath "$(command -v swiftc)")")/../lib/swift_static/linux/libswiftCore.a"
ar p "$library" Swift.o >"$work/Swift.o"
nm --defined-only "$work/Swift.o" | sed -E 's/.* //' >"$work/standard"
small() { awk 'NR == FNR { drop[$0]; next } !($0 in drop) && !seen[$0]++' "$work/standard" -; }
# What is updated is small, since stepping through an update takes microseconds an instruction.
"$built/shardq-commands" generate --count 400 --seed 1 --format jsonl >"$work/records"
"$built/shardq-commands" build "$work/records" --index "$work/updated" 2>"$work/output"
sed -n '200s/"lat":[-0-9.]*/"lat":1.5/p' "$work/records" >"$work/change.jsonl"
asked "$built/shardq" runtime
{
  Scripts/touched.py "$built/shardq" 'sao p' --index "$index"
  names $([ ! -e "$work/resident" ] || echo "$work/resident") "$work"/runtime-*
} | small >Scripts/link-order.txt
if [ -x "$embedded" ]; then
  asked "$embedded" embedded
  {
    Scripts/touched.py "$embedded" 'sao p' --index "$index"
    names "$work"/embedded-*
    # And of an update that it makes.
    Scripts/touched.py --before "rm -f '$work/updated/overlay'" \
      "$embedded" update --overlay --index "$work/updated" --upsert "$work/change.jsonl"
    rm -f "$work/updated/overlay"
  } | awk '!seen[$0]++' >Scripts/link-order-embedded.txt
fi
"$built/shardq-commands" generate --typing 300 --index "$index" >"$work/log"
description="$("$built/shardq-footprint" export "$index" "$work/dataset")"
model="$(echo "$description" | sed -n 's/^model //p')"
fields="$(echo "$description" | sed -n 's/^fields //p')"
session() { # a name, a program and its arguments
  out="$work/$1"
  shift
  valgrind --tool=callgrind --demangle=no --callgrind-out-file="$out" "$@" </dev/zero >"$work/output" 2>&1
}
session session-shardq "$built/shardq-replay" "$index" "$work/log" "$model" 50 8388608
if "$built/shardq-footprint-sqlite" designs | grep -q sqlite; then
  "$built/shardq-footprint-sqlite" prepare sqlite "$index" "$model" "$fields" "$work/sqlite"
  session session-sqlite "$built/shardq-footprint-sqlite" run sqlite "$work/sqlite" "$model" "$fields" "$work/log" 50
fi
names "$work"/session-* >Scripts/link-order-session.txt
# An update is stepped through as well.
"$built/shardq-commands" export --index "$index" --format jsonl | head -n 20000 >"$work/list"
valgrind --tool=callgrind --demangle=no --callgrind-out-file="$work/build" \
  "$built/shardq-commands" build --index "$work/built" "$work/list" >"$work/output" 2>&1
{
  Scripts/touched.py --before "rm -rf '$work/again'; cp -r '$work/updated' '$work/again'" \
    "$built/shardq-commands" update --index "$work/again" --upsert "$work/change.jsonl"
  names "$work/build"
} | small >Scripts/link-order-update.txt
wc -l Scripts/link-order*.txt
# The lists are no source to the build: what was linked without them has to go.
for name in shardq shardq-commands shardq-replay shardq-footprint shardq-footprint-sqlite; do
  rm -f ".build/shipped/release/$name"
done
Scripts/build.sh
