#!/bin/sh
# Runs the tests of threads under the thread sanitizer: Scripts/check-threads.sh
# The script takes about three minutes on two cores, mostly for the build, so it is no step of check.sh. Run it after a
# change of Cache/, FrameTable.swift, OnceColumns.swift, DecompressorPool.swift, WorkerPool.swift or ExternalSort.swift.
# Any reported race is a failure. Then the tests run without the engine's locks, and the sanitizer must report a race.
set -eu
cd "$(dirname "$0")/.."
Scripts/dependencies.sh
export SWIFT_BACKTRACE=enable=no SHARDQ_DATA=/dev/null
# SHARDQ_TSAN replaces Synchronization.Mutex, which the sanitizer does not see, by a pthread mutex, and Atomic by words of
# C, as builds for Apple's systems do: Lock.swift, Atomic.swift.
run() {
  swift test -c release -Xswiftc -DSHARDQ_TSAN --sanitize=thread \
    --scratch-path .build/tsan --disable-xctest "$@"
}

run --filter "$(printf %s '(QueryTests|OpenFilesTests).threads|QueryTests.oneLoad|(ManyPages|ManifestTree)Tests.concurrent|ReloadTests|PinTests|' \
  'WorkerPoolTests|ExternalSortTests|DeterminismTests')"

# The check must be able to fail: without the engine's locks there must be a report.
log=.build/tsan/planted.log
if SHARDQ_PLANTED_RACE=1 TSAN_OPTIONS=halt_on_error=1 run --skip-build --filter 'QueryTests.threads' >"$log" 2>&1; then
  echo "the sanitizer did not report the planted race, so the passed tests prove nothing" >&2
  exit 1
fi
grep -Eq 'WARNING: ThreadSanitizer: .*race' "$log" || { cat "$log" >&2; exit 1; }
echo "the sanitizer reported the planted race"

# The C library: threads with a handle each, of indexes that come and go.
toolchain="$(dirname "$(realpath "$(command -v swiftc)")")"
runtime="$toolchain/../lib/swift/linux"
library=.build/library-thread
status=0
SHARDQ_SANITIZE=thread Scripts/build-library.sh "$library/out" || status=$?
[ "$status" -ne 3 ] || { echo "skipped: the C library, because a tool to build it is missing"; exit 0; }
[ "$status" -eq 0 ] || exit "$status"
# The sanitizer's library, as Swift has it, knows queues and blocks.
"$toolchain/clang" -O1 -g -std=c11 -Wall -Wextra -fsanitize=thread -I"$library/out" Tests/Languages/threads.c \
  "$library/out/libshardq.a" -lm -L"$runtime" -ldispatch -lBlocksRuntime -Wl,-rpath,"$runtime" -o "$library/threads"
TSAN_OPTIONS=halt_on_error=1 "$library/threads" shards
if SHARDQ_PLANTED_RACE=1 TSAN_OPTIONS=halt_on_error=1 "$library/threads" shards >"$log" 2>&1; then
  echo "the sanitizer did not report the race planted in the C library" >&2
  exit 1
fi
grep -Eq 'WARNING: ThreadSanitizer: .*race' "$log" || { cat "$log" >&2; exit 1; }
echo "the sanitizer reported the race planted in the C library"
