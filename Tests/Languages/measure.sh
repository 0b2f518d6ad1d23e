#!/bin/sh
# Prints the time of a query in C, Python and JavaScript, in microseconds: Tests/Languages/measure.sh INDEX TEXT
set -eu
index="$(realpath "${1:?usage: Tests/Languages/measure.sh INDEX TEXT}")"
text="${2:?usage: Tests/Languages/measure.sh INDEX TEXT}"
cd "$(dirname "$0")/../.."
Scripts/build-wheel.sh .build/wheel
Scripts/build-npm.sh .build/package
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cc -O2 -std=c11 -I.build/library/out Tests/Languages/measure.c .build/library/out/libshardq.a -lm -o "$work/measure"
"$work/measure" "$index" "$text"
python3 -m zipfile -e .build/wheel/shardq_core-*.whl "$work"
PYTHONPATH="$work" python3 Tests/Languages/measure.py "$index" "$text"
mkdir -p "$work/node_modules/shardq"
tar -xzf .build/package/*.tgz -C "$work/node_modules/shardq" --strip-components=1
cp Tests/Languages/measure.mjs "$work"
node "$work/measure.mjs" "$index" "$text"
