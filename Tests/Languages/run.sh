#!/bin/sh
# Compares the C library, the Python package and the package for Node with the command, in two minutes, mostly for the
# compiler. Ends with 77 and a sentence if a tool is missing. $SHARDQ_BIN, else bin, has shardq and shardq-commands.
set -eu
cd "$(dirname "$0")/../.."
export SHARDQ_BIN="${SHARDQ_BIN:-$PWD/bin}" PYTHONDONTWRITEBYTECODE=1
ended=0
build() { # the script, the folder, the files of Tests/Languages that need it, and its name
  status=0
  Scripts/$1 "$2" || status=$?
  case $status in
    0) tests="$tests $3" ;;
    3)
      echo "skipped: $4, because a tool to build it is missing"
      ended=77
      ;;
    *) exit "$status" ;;
  esac
}
tests=""
build build-wheel.sh .build/wheel "test_c test_python test_python_build test_python_remote test_python_threads test_wheel" "the C library and the Python packages"
build build-npm.sh .build/package "test_npm test_instantsearch" "the package for Node"
case $tests in *test_python*test_npm*) tests="$tests test_one_json" ;; esac
cd Tests/Languages
[ -z "$tests" ] || python3 -m unittest $tests
exit "$ended"
