#!/bin/sh
# Runs all checks of CI: about 25 minutes on two quiet cores, 40 on busy ones. The script installs missing programs and
# libraries, and runs three lanes of steps side by side, one of which mostly waits. The table of steps and the test
# runner's summary come last. The log of each step is in .build/check; a failed step prints its log.
#
# A step with named inputs is left out if it passed before with the same inputs and tools: Scripts/steps.sh. With --all no
# step is left out, as in a new clone. Scripts/check-long.sh has longer forms of the same checks.
set -eu
cd "$(dirname "$0")/.."
case "${1:-}" in --all) all=yes ;; "") all="" ;; *) echo "usage: Scripts/check.sh [--all]" >&2; exit 64 ;; esac
export SWIFT_BACKTRACE=enable=no PYTHONDONTWRITEBYTECODE=1
logs=.build/check
rm -rf "$logs"
mkdir -p "$logs"
. Scripts/steps.sh

step "dependencies" Scripts/dependencies.sh --tests
step "format" swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks Fuzz Examples
step "the tables of the fold are made from the Unicode data" python3 Scripts/generate_fold.py --check /usr/share/unicode
step "the table of signs is made from the Unicode data" python3 Scripts/generate_signs.py --check /usr/share/unicode
step "the table of widths is made from the Unicode data" python3 Scripts/generate_width.py --check /usr/share/unicode
step "the tables of nearness are made by their script" python3 Scripts/generate_near.py --check
step "the page is joined from its pieces" python3 Scripts/generate_page.py --check
step "the table of look-alikes is made by its script" python3 Scripts/generate_lookalikes.py --check

# Most steps run the programs, and read these files besides their own.
common="bin Samples shards"

# The shipped programs, and steps that compute much.
programs() {
  step "the shipped programs build without a warning, static" shipped
  touch "$logs/programs"
  step "the engine as WebAssembly answers as the command does" \
    --of "$common Examples Packaging Scripts Sources Tests/Page Tests/Remote Tests/Wasm" skippable Tests/Wasm/run.sh
  step "the second reader, written from docs/format.md alone" \
    --of "$common docs Scripts Tests/FormatReader Tests/side_by_side.py" \
    Tests/side_by_side.py --processes 2 Tests/FormatReader
  step "kills, failing calls and power cuts at every 7th point" --of "$common Sources Tests/Faults" \
    skippable Tests/Faults/run.sh --every 7
  step "an index over HTTP: answers, requests, the cache, hosts that do wrong" \
    --of "$common Packaging Tests/Remote" skippable Tests/Remote/run.sh
  step "memory and descriptors, by counts" --of "$common Tests/Memory" skippable Tests/Memory/run.sh
}

# What builds without the programs, the tests in Swift, and a step that the lane has time for.
tests() {
  # Commands of the pages take the module.
  step "the WebAssembly module builds" optional Scripts/build-wasm.sh .build/wasm/module/shardq.wasm
  step "the examples build and run, with declarations in the place of Hummingbird" \
    --of "Examples Package.swift Scripts shards Sources" Scripts/check-examples.sh
  step "an app that uses the library fetches nothing else" --of "Package.swift README.md Scripts shards Sources" \
    Scripts/check-consumer.sh
  await_programs
  step "the tests in Swift build" tests_in_swift build --product shardqPackageTests
  # Some tests read the whole tree.
  step "the tests in Swift" --of . tests_in_swift test --skip-build
  step "the terminal: keys sent, screens compared, every signal" \
    --of "$common docs README.md Scripts Sources Tests/Terminal Tests/side_by_side.py" \
    Tests/side_by_side.py Tests/Terminal
}

# The steps that mostly wait for clients and browsers, and short steps.
waiting() {
  step "the C library builds" optional Scripts/build-library.sh .build/library/out
  await_programs
  step "the library's documentation builds without a warning" Scripts/documentation.sh .build/all/release/Modules
  step "the committed index has the bytes that the command makes" sample
  step "a step is left out only if its inputs are the same" python3 -m unittest discover -s Tests/Steps
  step "indexes of the lists have the same bytes as ever" --of "$common Scripts Tests/digests.txt" \
    Scripts/check-digests.sh
  step "datasets as people have them" python3 -m unittest discover -s Tests/Datasets
  step "situations of people, each once a fault" \
    --of "$common docs Makefile Packaging README.md Scripts Sources Tests/Cases Tests/FormatReader Tests/Remote \
      Tests/side_by_side.py" Tests/side_by_side.py --processes 2 Tests/Cases
  step "the allocator of the static program" skippable Tests/Allocator/run.sh
  step "installed files, manual pages, completions in three shells" --of . \
    python3 -m unittest discover -s Tests/Install
  step "the server: routes, limits, slow clients, reloads under load" \
    --of "$common Sources Tests/FormatReader Tests/Server Tests/side_by_side.py" skippable Tests/Server/run.sh
  step "ranges of keys that processes write apart become the same index" --of "$common docs Packaging Tests/Spark" \
    Tests/Spark/run.sh
  step "nodes with an index in a store, and nginx in front" \
    --of "$common Packaging Tests/Nodes Tests/Remote Tests/side_by_side.py" skippable Tests/Nodes/run.sh
  step "C, Python and Node answer as the command does" \
    --of "$common LICENSE Packaging README.md Scripts Sources Tests/Languages" skippable Tests/Languages/run.sh
  step "the commands of the pages run, and print what the pages show" --of . skippable Tests/Documents/run.sh
  step "the page, in two browsers" --of "$common Sources Tests/Page" skippable Tests/Page/run.sh
}

# Runs a build that ends with 3 if a tool is missing; a step that needs its product says so.
optional() {
  "$@" || [ "$?" -eq 3 ]
}

# Ends the lane if a step of another lane failed, because the programs may be missing then.
await_programs() {
  while [ ! -e "$logs/programs" ] && [ ! -e "$logs/failed" ]; do sleep 1; done
  [ ! -e "$logs/failed" ] || exit 1
}

lanes programs tests waiting
steps_table
echo
tail -n 1 "$logs/the-tests-in-Swift.log"
