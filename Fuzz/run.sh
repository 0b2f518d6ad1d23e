#!/bin/sh
# Fuzz/run.sh [--replay] [--seconds N] [runs] [target...]: a million runs of each target, or as many as N seconds allow,
# with libFuzzer and the address sanitizer; as many targets side by side as there are processors. --replay runs what is
# kept and nothing new. What it finds is left in Fuzz/.build/findings; one line a target on standard output, and status 1
# if anything was found.
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

# The runtime's own crash handler would come before libFuzzer's, which then keeps no input.
export SWIFT_BACKTRACE=enable=no
# The leak check is on where the sanitizer has one, which is its default. libFuzzer looks only after a run that allocated
# more than it freed: that takes an eighth of the runs in a second of manifest, and half of csv's.
export ASAN_OPTIONS="quarantine_size_mb=16:malloc_context_size=3${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

if [ -z "${SHARDQ_FUZZ:-}" ]; then
  linker=""
  [ "$(uname)" = Darwin ] || linker="-Xswiftc -use-ld=lld"
  # Of two options the compiler heeds the last, and the order is chance: one names both. The linker knows both of them.
  swift build -c release --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing \
    $linker --product fuzz >&2
  again=""
  ! $replay || again=--replay
  # The slow ones come first, so that they do not run alone in the end.
  printf '%s\n' ${*:-$all} \
    | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' env SHARDQ_FUZZ='{}' ./run.sh $again --seconds "$seconds" "$runs" \
    || exit 1
  exit 0
fi

target="$SHARDQ_FUZZ"
mkdir -p .build/logs ".build/grown/$target" ".build/findings/$target" "Cases/$target"
log=".build/logs/$target"
case "$target" in build) size=600 ;; manifest | shard) size=8000 ;; pack) size=10000 ;; *) size=1000 ;; esac
# Ten seconds a run where other work may be in the way, memory bounded, no single allocation that an input of this size
# could not need.
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
# Without its counters libFuzzer goes on blindly, and only says so.
if grep -q 'Is the code instrumented' "$log"; then
  status=3
  line="$line, NOT INSTRUMENTED"
fi
[ "$status" = 0 ] || line="$line, FOUND (status $status): see Fuzz/$log"
echo "$line"
[ "$status" = 0 ]
