#!/bin/sh
# Builds the tests of one area without optimization, and runs them: Scripts/test.sh AREA [REGULAR-EXPRESSION]
# The area is format, engine, builder, remote, programs, tidy or fuzz; the expression chooses tests by their names. After
# a change of one file the first test runs within a minute. The tests of programs run those in bin/, if Scripts/build.sh
# has built them. Tests of whole lists run in release builds alone: Scripts/check.sh.
set -eu
cd "$(dirname "$0")/.."
area="${1:-}"
case "$area" in
  format | engine | builder | remote | programs | tidy | fuzz) ;;
  *) sed -n '2,/^set/s/^# //p' "$0" >&2; exit 64 ;;
esac
export SHARDQ_TESTS="$area" SWIFT_BACKTRACE=enable=no
[ ! -e bin/shardq ] || export SHARDQ_BIN="$PWD/bin"
Scripts/dependencies.sh --remote
swift build --traits CommandLineTool,Remote --product shardqPackageTests
swift test --skip-build --traits CommandLineTool,Remote ${2:+--filter "$2"}
