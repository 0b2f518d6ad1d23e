#!/bin/sh
# The tests in which threads meet, under the thread sanitizer: Scripts/check-threads.sh
# Some three minutes on two cores, most of it the build, so it is no step of check.sh: run it when you have touched
# Cache/, FrameTable.swift, OnceColumns.swift, DecompressorPool.swift, WorkerPool.swift or ExternalSort.swift. Then the
# engine's locks are left out, and a race has to be reported. Any report is a failure, and so is none for that.
set -eu
cd "$(dirname "$0")/.."
Scripts/dependencies.sh
export SWIFT_BACKTRACE=enable=no SHARDQ_DATA=/dev/null
# SHARDQ_TSAN puts a pthread mutex in the place of Synchronization.Mutex, which the sanitizer does not see, and words of
# C in the place of Atomic, as builds for Apple's systems have them: Lock.swift, Atomic.swift.
run() {
  swift test -c release -Xswiftc -enable-testing -Xswiftc -DSHARDQ_TSAN --sanitize=thread \
    --scratch-path .build/tsan --disable-xctest "$@"
}

run --filter "$(printf %s '(QueryTests|OpenFilesTests).threads|QueryTests.oneLoad|(ManyPages|ManifestTree)Tests.concurrent|ReloadTests|PinTests|' \
  'WorkerPoolTests|ExternalSortTests|DeterminismTests')"

# A check that cannot fail says nothing: with the engine's locks left out there has to be a report.
log=.build/tsan/planted.log
if SHARDQ_PLANTED_RACE=1 TSAN_OPTIONS=halt_on_error=1 run --skip-build --filter 'QueryTests.threads' >"$log" 2>&1; then
  echo "the planted race was not reported: nothing that passed above means anything" >&2
  exit 1
fi
grep -Eq 'WARNING: ThreadSanitizer: .*race' "$log" || { cat "$log" >&2; exit 1; }
echo "the planted race was reported"

# The C library as well: threads with a handle each, of indexes that come and go.
toolchain="$(dirname "$(realpath "$(command -v swiftc)")")"
runtime="$toolchain/../lib/swift/linux"
library=.build/library-thread
status=0
SHARDQ_SANITIZE=thread Scripts/build-library.sh "$library/out" || status=$?
[ "$status" -ne 3 ] || { echo "skipped: the C library, for a piece that builds it is missing"; exit 0; }
[ "$status" -eq 0 ] || exit "$status"
# The sanitizer's library, as Swift has it, knows queues and blocks.
"$toolchain/clang" -O1 -g -std=c11 -Wall -Wextra -fsanitize=thread -I"$library/out" Tests/Languages/threads.c \
  "$library/out/libshardq.a" -lm -L"$runtime" -ldispatch -lBlocksRuntime -Wl,-rpath,"$runtime" -o "$library/threads"
TSAN_OPTIONS=halt_on_error=1 "$library/threads" shards
if SHARDQ_PLANTED_RACE=1 TSAN_OPTIONS=halt_on_error=1 "$library/threads" shards >"$log" 2>&1; then
  echo "the race that was planted in the C library was not reported" >&2
  exit 1
fi
grep -Eq 'WARNING: ThreadSanitizer: .*race' "$log" || { cat "$log" >&2; exit 1; }
echo "the race that was planted in the C library was reported"
