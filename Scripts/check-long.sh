#!/bin/sh
# Runs Scripts/check.sh, then the long forms of its checks and the checks that need their own build: some hours on two
# cores. The log of each step is in .build/check-long.
set -eu
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no PYTHONDONTWRITEBYTECODE=1
[ "${1:-}" = --only-long ] || Scripts/check.sh
logs=.build/check-long
rm -rf "$logs"
mkdir -p "$logs"
limit=21600
. Scripts/steps.sh

# Damaged files and contents, datasets of every format, whole builds. Left out are tests that take minutes under the
# sanitizer and read sound bytes by the same code: every prefix, the real datasets, every byte of every frame. The
# quarantine keeps freed memory unused, to catch late readers. It is limited, because tests check the use of memory.
sanitizer() {
  # libdispatch's own memory may look like a leak when the process ends.
  echo 'leak:_dispatch_continuation_alloc_from_heap' >"$logs/leaks-of-others.txt"
  LSAN_OPTIONS="suppressions=$PWD/$logs/leaks-of-others.txt:print_suppressions=0" \
  SHARDQ_DATA=/dev/null ASAN_OPTIONS=quarantine_size_mb=16 swift test -c release \
    --sanitize=address --scratch-path .build/asan --disable-xctest --filter "$(printf %s \
      'CorruptionTests|RuleTests|ContentDamageTests.(fuzz|manifest|huge|records|empty)|BuildTests|RoundTripTests|' \
      'Dataset(JSON|Delimited|Stream)Tests|KeyTemplateTests|PublisherTests|ExternalSortTests|' \
      '(Pack|Repair|Update|Overlay)Tests')"
}

every_test() {
  tests_in_swift build --product shardqPackageTests && SHARDQ_LONG=1 tests_in_swift test --skip-build
}

# In a copy, whose build begins with nothing.
first_command() {
  copy="$(mktemp -d)"
  git checkout-index -a --prefix="$copy/"
  (cd "$copy" && Scripts/try.sh lodnon) | grep "^London.*GB"
  status=$?
  rm -rf "$copy"
  return "$status"
}

languages() { SHARDQ_LONG=1 Tests/Languages/run.sh; }
installed() { make -s REMOTE=1 && python3 -m unittest discover -s Tests/Install; }
every_format() { SHARDQ_LONG=1 Tests/side_by_side.py --processes 2 Tests/FormatReader; }

step "dependencies" Scripts/dependencies.sh --tests
step "the README's first command builds and answers" first_command
step "the shipped programs build" Scripts/build.sh --all
step "the tests in Swift, over whole datasets" every_test
step "the address sanitizer over the code that reads strangers' bytes" sanitizer
step "the thread sanitizer over the tests in which threads meet" Scripts/check-threads.sh
step "fuzz targets: a million runs, or 60 seconds each" Fuzz/run.sh --seconds 60
step "the example for Hummingbird builds and answers" Scripts/check-examples.sh --route
step "kills, failing calls and power cuts at every point" skippable Tests/Faults/run.sh
step "the second reader over whole lists" every_format
step "a million questions from Python" skippable languages
step "the server with ten thousand connections" skippable Tests/Server/run.sh --long
step "the engine as WebAssembly, and the page on nginx, over whole lists" skippable env SHARDQ_LONG=1 Tests/Wasm/run.sh
step "installed files and packages, shardq-remote among them" installed
step "an index over HTTP, with more texts and processes" skippable Tests/Remote/run.sh --long
step "an index made on Spark, while writers and workers fail" skippable Tests/Spark/run.sh --long
step "four nodes, ten million records in a store, a kill and a newcomer" skippable Tests/Nodes/run.sh --long
step "the types of the libraries for macOS, with declarations in the place of Apple's modules" \
  skippable Scripts/check-apple.sh
step "the engine where the system has no libzstd" skippable Scripts/check-zstd-from-source.sh
step "the same commit gives the same programs in another directory" Scripts/check-reproducible.sh
steps_table
