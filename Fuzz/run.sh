#!/bin/sh
# Runs libFuzzer with the address sanitizer: Fuzz/run.sh [--replay] [--seconds N] [runs] [target...]
# Each target has a million runs, or the runs of N seconds; one target runs on each processor. --replay runs the kept
# inputs and no new ones. Fuzz/.build/findings gets the inputs that fail. The script prints a line for each target, and
# ends with 1 if an input failed.
set -eu
cd "$(dirname "$0")"
all="build pack overlay geonames jsonl csv tsv json geojson lines dialect zstd gzip query manifest shard ranks sides sketch entries fold log"
replay=false
seconds=0
while :; do
  case "${1:-}" in
    --replay) replay=true; shift ;;
    --seconds) seconds="$2"; shift 2 ;;
    *) break ;;
  esac
done
runs=1000000
case "${1:-}" in [0-9]*) runs="$1"; shift ;; esac

# The crash handler of Swift's runtime would run before libFuzzer's, which then keeps no input.
export SWIFT_BACKTRACE=enable=no
# The leak check stays on by default. libFuzzer looks for leaks only after a run that allocated more than it freed. The
# check costs an eighth of the runs a second for manifest, and half for csv.
export ASAN_OPTIONS="quarantine_size_mb=16:malloc_context_size=3${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

if [ -z "${SHARDQ_FUZZ:-}" ]; then
  linker=""
  [ "$(uname)" = Darwin ] || linker="-Xswiftc -use-ld=lld"
  # The compiler heeds the last of two options, and their order is chance: so one option names both sanitizers.
  SHARDQ_TESTS=fuzzer swift build -c release --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address \
    $linker --package-path .. --scratch-path .build --product fuzz >&2
  again=""
  ! $replay || again=--replay
  # The slow targets come first, so that they do not run alone at the end.
  printf '%s\n' ${*:-$all} \
    | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' env SHARDQ_FUZZ='{}' ./run.sh $again --seconds "$seconds" "$runs" \
    || exit 1
  exit 0
fi

target="$SHARDQ_FUZZ"
mkdir -p .build/logs ".build/grown/$target" ".build/findings/$target" "Cases/$target"
log=".build/logs/$target"
case "$target" in build) size=600 ;; manifest | shard) size=8000 ;; pack) size=10000 ;; *) size=1000 ;; esac
# A run has ten seconds, because other work may slow it down, and bounded memory. No input of this size needs a larger
# single allocation.
set -- -timeout=10 -rss_limit_mb=512 -malloc_limit_mb=160 -max_len=$size -artifact_prefix=".build/findings/$target/" \
  -print_final_stats=1
status=0
if $replay; then
  .build/release/fuzz "$@" -runs=0 "Corpora/$target" "Cases/$target" >"$log" 2>&1 || status=$?
  line="$(printf '%-9s %s inputs replayed' "$target" "$(find "Corpora/$target" "Cases/$target" -type f | wc -l)")"
else
  .build/release/fuzz "$@" -runs="$runs" -max_total_time="$seconds" -reload=0 \
    ".build/grown/$target" "Corpora/$target" "Cases/$target" >"$log" 2>&1 || status=$?
  count="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  speed="$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")"
  coverage="$(grep -a 'DONE' "$log" | sed -n 's/.*\(cov: [0-9]*\) \(ft: [0-9]*\).*/, \1 \2/p')"
  line="$(printf '%-9s %s runs, %s a second%s' "$target" "$count" "$speed" "$coverage")"
fi
# Without its counters libFuzzer runs without guidance, and prints only a warning.
if grep -q 'Is the code instrumented' "$log"; then
  status=3
  line="$line, NOT INSTRUMENTED"
fi
[ "$status" = 0 ] || line="$line, FOUND (status $status): see Fuzz/$log"
echo "$line"
[ "$status" = 0 ]
