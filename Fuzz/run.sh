#!/bin/sh
# Fuzz/run.sh [--replay] [runs] [target...]: a million runs of each target, unless told otherwise, with libFuzzer and the
# address sanitizer. --replay runs what is kept and nothing new. What it finds is left in Fuzz/.build/findings; one line
# a target on standard output, and status 1 if anything was found.
set -eu
cd "$(dirname "$0")"
all="fold query manifest shard json jsonl csv tsv geonames gzip zstd build pack"
replay=false
[ "${1:-}" != --replay ] || { replay=true; shift; }
runs=1000000
case "${1:-}" in [0-9]*) runs="$1"; shift ;; esac
targets="${*:-$all}"

# The runtime's own crash handler would come before libFuzzer's, which then keeps no input.
export SWIFT_BACKTRACE=enable=no
# Leaks show as growth: looking for them after every run costs more than the run.
export ASAN_OPTIONS="detect_leaks=0:quarantine_size_mb=16:malloc_context_size=3${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
linker=""
[ "$(uname)" = Darwin ] || linker="-Xswiftc -use-ld=lld"
# Of two options the compiler heeds the last, and the order is chance: one names both. The linker knows both of them.
swift build -c release --sanitize=fuzzer --sanitize=address -Xswiftc -sanitize=fuzzer,address -Xswiftc -enable-testing \
  $linker --product fuzz >&2
mkdir -p .build/grown .build/findings .build/logs

found=0
for target in $targets; do
  mkdir -p ".build/grown/$target" ".build/findings/$target" "Cases/$target"
  log=".build/logs/$target"
  case "$target" in build) size=2000 ;; pack) size=10000 ;; manifest | shard) size=8000 ;; *) size=1000 ;; esac
  # A second a run, memory bounded, no single allocation that an input of this size could not need.
  set -- -timeout=1 -rss_limit_mb=512 -malloc_limit_mb=160 -max_len=$size -artifact_prefix=".build/findings/$target/" \
    -print_final_stats=1
  status=0
  if $replay; then
    SHARDQ_FUZZ=$target .build/release/fuzz "$@" -runs=0 "Corpora/$target" "Cases/$target" >"$log" 2>&1 || status=$?
    printf '%-9s %s inputs replayed' "$target" "$(find "Corpora/$target" "Cases/$target" -type f | wc -l)"
  else
    SHARDQ_FUZZ=$target .build/release/fuzz "$@" -runs="$runs" -reload=0 \
      ".build/grown/$target" "Corpora/$target" "Cases/$target" >"$log" 2>&1 || status=$?
    sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tr -d '\n' | xargs printf '%-9s %s runs' "$target"
    sed -n 's/^stat::average_exec_per_sec: *//p' "$log" | tr -d '\n' | xargs printf ', %s a second'
    grep -a 'DONE' "$log" | sed -n 's/.*\(cov: [0-9]*\) \(ft: [0-9]*\).*/, \1 \2/p' | tr -d '\n'
  fi
  # Without its counters libFuzzer goes on blindly, and only says so.
  if grep -q 'Is the code instrumented' "$log"; then
    status=3
    printf ', NOT INSTRUMENTED'
  fi
  [ "$status" = 0 ] || { found=1; printf ', FOUND (status %s): see Fuzz/%s' "$status" "$log"; }
  echo
done
exit $found
