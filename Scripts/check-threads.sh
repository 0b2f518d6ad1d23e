#!/bin/sh
# The tests in which threads meet, under the thread sanitizer: Scripts/check-threads.sh
# Some three minutes on two cores, most of it the build, so it is no step of check.sh: run it when you have touched
# Cache/, LoadedShard.swift, WorkerPool.swift or ExternalSort.swift. Ends with the test runner's summary; a race is a
# failure.
set -eu
cd "$(dirname "$0")/.."
Scripts/dependencies.sh
export SWIFT_BACKTRACE=enable=no SHARDQ_DATA=/dev/null
# SHARDQ_TSAN puts a pthread mutex in the place of Synchronization.Mutex, which the sanitizer does not see: Lock.swift.
exec swift test -c release -Xswiftc -enable-testing -Xswiftc -DSHARDQ_TSAN --sanitize=thread \
  --scratch-path .build/tsan --disable-xctest \
  --filter 'QueryTests.(threads|oneLoad)|WorkerPoolTests|ExternalSortTests|DeterminismTests'
