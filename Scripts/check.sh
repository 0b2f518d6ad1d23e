#!/bin/sh
# Runs all checks of CI: about 25 minutes on two quiet cores, 40 on busy ones. The script installs missing programs and
# libraries, and runs three lanes of steps side by side, one of which mostly waits. The test runner's summary comes last.
# The log of each step is in .build/check; a failed step prints its log. Scripts/check-long.sh has longer forms of the
# same checks.
set -eu
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no PYTHONDONTWRITEBYTECODE=1
logs=.build/check
rm -rf "$logs"
mkdir -p "$logs"
. Scripts/steps.sh

step "dependencies" Scripts/dependencies.sh --tests
step "format" swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Fuzz Examples
step "the tables of the fold are made from the Unicode data" python3 Scripts/generate_fold.py --check /usr/share/unicode
step "the table of widths is made from the Unicode data" python3 Scripts/generate_width.py --check /usr/share/unicode
step "the tables of nearness are made by their script" python3 Scripts/generate_near.py --check
step "the page is joined from its pieces" python3 Scripts/generate_page.py --check
step "the table of look-alikes is made by its script" python3 Scripts/generate_lookalikes.py --check

# The shipped programs, and the steps that compute most, besides the tests in Swift.
programs() {
  step "the shipped programs build without a warning, static" shipped
  touch "$logs/programs"
  # Commands of the pages take the module that this step builds.
  step "the engine as WebAssembly answers as the command does" skippable Tests/Wasm/run.sh
  step "fuzz targets: every kept input, then 3 seconds each" Fuzz/run.sh --seconds 3
  step "the second reader, written from docs/format.md alone" python3 -m unittest discover -s Tests/FormatReader
  step "kills, failing calls and power cuts at every 7th point" skippable Tests/Faults/run.sh --every 7
  step "memory and descriptors, by counts" skippable Tests/Memory/run.sh
}

# The library as apps build it, without optimization, and the tests in Swift.
tests() {
  step "the tests in Swift build" \
    swift build -c release -debug-info-format none -Xswiftc -enable-testing --traits CommandLineTool,Remote --build-tests
  step "the examples build and run" Scripts/check-examples.sh
  step "an app that uses the library fetches nothing else" Scripts/check-consumer.sh
  await_programs
  step "the tests in Swift" tests_in_swift
}

# The steps that mostly wait for clients, browsers and terminals, and short steps.
waiting() {
  await_programs
  step "the library's documentation builds without a warning" Scripts/documentation.sh .build/all/release/Modules
  step "the committed index has the bytes that the command makes" sample
  step "indexes of the lists have the same bytes as ever" Scripts/check-digests.sh
  step "datasets as people have them" python3 -m unittest discover -s Tests/Datasets
  step "situations of people, each once a fault" python3 -m unittest discover -s Tests/Cases
  step "the allocator of the static program" skippable Tests/Allocator/run.sh
  step "installed files, manual pages, completions in three shells" python3 -m unittest discover -s Tests/Install
  step "the server: routes, limits, slow clients, reloads under load" skippable Tests/Server/run.sh
  step "ranges of keys that processes write apart become the same index" Tests/Spark/run.sh
  step "nodes with an index in a store, and nginx in front" skippable Tests/Nodes/run.sh
  step "C, Python and Node answer as the command does" skippable Tests/Languages/run.sh
  step "the commands of the pages run, and print what the pages show" skippable Tests/Documents/run.sh
  step "the page, in two browsers" skippable Tests/Page/run.sh
  step "an index over HTTP: answers, requests, the cache, hosts that do wrong" skippable Tests/Remote/run.sh
  step "the terminal: keys sent, screens compared, every signal" Tests/side_by_side.py Tests/Terminal
}

tests_in_swift() {
  SHARDQ_BIN="$PWD/bin" swift test --skip-build -c release -Xswiftc -enable-testing --traits CommandLineTool,Remote
}

# Ends the lane if a step of another lane failed, because the programs may be missing then.
await_programs() {
  while [ ! -e "$logs/programs" ] && [ ! -e "$logs/failed" ]; do sleep 1; done
  [ ! -e "$logs/failed" ] || exit 1
}

lanes programs tests waiting
echo
tail -n 1 "$logs/the-tests-in-Swift.log"
