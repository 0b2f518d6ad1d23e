#!/bin/sh
# All that CI checks, in one command; what it needs and does not find, it installs. Ends with the test runner's summary.
set -eu
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
began=$(date +%s)
step() { printf '\n== %s (after %s s)\n' "$*" $(($(date +%s) - began)); }

step "dependencies"
Scripts/dependencies.sh --tests

step "format"
swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Fuzz

step "the tables of the fold and of widths are what their scripts make of the Unicode data"
python3 Scripts/generate_fold.py --check /usr/share/unicode
python3 Scripts/generate_width.py --check /usr/share/unicode

step "the shipped executables, static, without a warning"
mkdir -p .build
Scripts/build.sh >.build/shipped.log 2>&1 || { cat .build/shipped.log; exit 1; }
if grep -E '\.swift:[0-9]+:[0-9]+: warning:' .build/shipped.log; then exit 1; fi
if [ "$(uname)" != Darwin ]; then
  for name in shardq shardq-commands shardq-footprint; do
    ! readelf -d "bin/$name" 2>/dev/null | grep -q NEEDED || { echo "bin/$name is not static" >&2; exit 1; }
  done
fi

step "the library's documentation, without a warning"
Scripts/documentation.sh >.build/documentation.log 2>&1 || { cat .build/documentation.log; exit 1; }

step "the server, static, without a warning; it is built apart, since it fetches an HTTP library"
Scripts/build.sh --server >.build/server.log 2>&1 || { cat .build/server.log; exit 1; }
if grep -E '^[^ ]*/(Sources)/[^ ]*\.swift:[0-9]+:[0-9]+: warning:' .build/server.log | grep -v /checkouts/; then exit 1; fi
if [ "$(uname)" != Darwin ] && readelf -d bin/shardq-serve | grep -q NEEDED; then
  echo "bin/shardq-serve is not static" >&2
  exit 1
fi

step "the server: every route and limit, slow clients, reloads under load, its end"
Tests/Server/run.sh || [ $? -eq 77 ]

step "the committed index is what the command makes of the committed source"
rebuilt="$(mktemp -d)"
trap 'rm -rf "$rebuilt"' EXIT
Scripts/build-sample.sh "$rebuilt/shards"
diff -r --exclude=.lock --exclude=overlay --exclude=README.md shards "$rebuilt/shards"

step "indexes of the lists: the same bytes as ever"
Scripts/check-digests.sh

step "who uses the library fetches nothing else; the code of its documentation compiles"
Scripts/check-consumer.sh

step "the engine where the system has no libzstd"
Scripts/check-zstd-from-source.sh || [ $? -eq 77 ]  # 77: not possible here, as it has said.

step "installed: what is where, manual pages, completions in the three shells"
python3 -m unittest discover -s Tests/Install -v

step "datasets as people have them: built, verified, queried, exported and built again"
python3 -m unittest discover -s Tests/Datasets

step "the second reader, written from docs/format.md alone"
python3 -m unittest discover -s Tests/FormatReader -v

step "the list and the map in a terminal: keys sent, screens compared, killed by every signal"
python3 -m unittest discover -s Tests/Terminal

step "the allocator of the static query program"
Tests/Allocator/run.sh || [ $? -eq 77 ]

step "faults: killed before every call, every call failing, power cuts"
Tests/Faults/run.sh || [ $? -eq 77 ]

step "memory: in a group of 32 MB, over many queries, under a limit of 32 descriptors"
Tests/Memory/run.sh || [ $? -eq 77 ]

step "the page, in a browser"
Tests/Page/run.sh || [ $? -eq 77 ]

# What reads bytes that nobody vouches for, or moves records through memory it allocates by hand: damaged files and
# contents, datasets of every format, whole builds and what comes out of them. Left out is what takes minutes under the
# sanitizer and reads sound bytes by the same code: every prefix, the real datasets, every byte of every frame. Leaks
# fail it too (those of XCTest are left out with it). Memory that was freed is kept back from use, so that late readers
# are caught; not much of it, since some tests look at how much memory there is.
step "the address sanitizer over what reads untrusted bytes"
# What libdispatch keeps for its threads may look like a leak when the process ends: the test library's, not ours.
suppressions="$PWD/.build/leaks-of-others.txt"
echo 'leak:_dispatch_continuation_alloc_from_heap' > "$suppressions"
LSAN_OPTIONS="suppressions=$suppressions:print_suppressions=0" \
SHARDQ_DATA=/dev/null ASAN_OPTIONS=quarantine_size_mb=16 swift test -c release -Xswiftc -enable-testing --sanitize=address \
  --scratch-path .build/asan --disable-xctest --filter "$(printf %s \
    'CorruptionTests|RuleTests|ContentDamageTests.(fuzz|manifest|huge|records|empty)|BuildTests|RoundTripTests|' \
    'Dataset(JSON|Delimited|Stream)Tests|KeyTemplateTests|PublisherTests|ExternalSortTests|' \
    '(Pack|Repair|Update|Overlay)Tests')"

# Without a limit of time it is Fuzz/run.sh by itself.
step "fuzzing: what is kept, and a million runs of each target, or as many as 60 seconds allow"
Fuzz/run.sh --seconds 60

step "tests"
export SHARDQ_BIN="$PWD/bin"
exec swift test -c release -Xswiftc -enable-testing --traits CommandLineTool
