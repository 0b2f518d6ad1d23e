#!/bin/sh
# Builds shardq, the rivals and the benchmark, then prints the tables. See README.md.
#
#     Benchmarks/run.sh [--json] [--quick] [--scale 1,10,50] ...    the budgets of the design
#     Benchmarks/run.sh --write                                     writes docs/figures.md: these tables, and the footprint's
#     Benchmarks/run.sh --ranked [DATA]                             ranked answers and corrections beside rivals: ranked.py
#     Benchmarks/run.sh --far [CITIES]                              requests and bytes on a far host, beside others: far.py
#     Benchmarks/run.sh --lazy [--quick] [--lists gn,cities]        the full index: lazy/figures.py, which writes into docs
#     Benchmarks/run.sh --page [--loads 1] [--index INDEX]          the start of the page on a slow line: page/figures.py
#     Benchmarks/run.sh --numbers                                   orders, ranges and facets beside SQLite: numbers/figures.py
#     Benchmarks/run.sh --encodings [CITIES]                        the cost of encodings, for docs/measurements.md
#     Benchmarks/run.sh --sizes DIRECTORY 1M 10M 50M ...            the growth with the number of records: scale.py
#     Benchmarks/run.sh --sizes DIRECTORY --weight _id 10M ...      the same of ranked answers
#
# SHARDQ_BIN names the executable to measure, or its directory; without it Scripts/build.sh builds the shipped one.
# --lazy also takes SHARDQ_MODULE, the file shardq.wasm, and --lazy and --numbers take SHARDQ_WHEEL, a file
# shardq_core-VERSION-….whl; else they build them.
set -eu
cd "$(dirname "$0")"
# Sets $wheel to the Python package that a user installs. If none can be built, it is a pattern that names no file.
wheel() {
  wheel=${SHARDQ_WHEEL:-}
  [ -z "$wheel" ] || return 0
  ../Scripts/build-wheel.sh .build/wheel >&2 || [ $? -eq 3 ]
  for wheel in ../.build/wheel/shardq_core-*.whl; do :; done
}
if [ "${1:-}" = --lazy ]; then
  shift
  bin=${SHARDQ_BIN:-../bin}
  [ -n "${SHARDQ_BIN:-}" ] || ../Scripts/build.sh --base --remote >&2
  [ ! -f "$bin" ] || bin=$(dirname "$bin")
  # The scripts write below the clone. If they cannot build, figures.py says that the module or the wheel is missing.
  module=${SHARDQ_MODULE:-../.build/wasm/module/shardq.wasm}
  [ -n "${SHARDQ_MODULE:-}" ] || ../Scripts/build-wasm.sh .build/wasm/module/shardq.wasm >&2 || [ $? -eq 3 ]
  wheel
  data=${SHARDQ_DATA:-../../shared/data}
  ./rivals.sh .build/lazy lazy/requirements.txt
  exec .build/lazy/venv/bin/python lazy/figures.py "$bin" "$module" "$wheel" "$data" \
    "${SHARDQ_SUITES:-$data/../suites}" .build/lazy "$@"
fi
if [ "${1:-}" = --numbers ]; then
  shift
  [ -n "${SHARDQ_BIN:-}" ] || ../Scripts/build.sh --base --remote >&2
  wheel
  exec python3 numbers/figures.py "${SHARDQ_BIN:-../bin}" "$wheel" "${SHARDQ_DATA:-../../shared/data}" .build/numbers "$@"
fi
if [ "${1:-}" = --page ]; then
  shift
  if [ -z "${SHARDQ_BIN:-}" ]; then
    # `shardq page` takes the module of the clone.
    ../Scripts/build-wasm.sh .build/wasm/module/shardq.wasm >&2
    ../Scripts/build.sh --server >&2
  fi
  exec python3 page/figures.py "${SHARDQ_BIN:-../bin}" "${SHARDQ_DATA:-../../shared/data}" "$@"
fi
if [ -z "${SHARDQ_BIN:-}" ]; then
  ../Scripts/build.sh
  SHARDQ_BIN=$(cd ../bin && pwd)
  export SHARDQ_BIN
fi
data=${SHARDQ_DATA:-../../shared/data}
if [ "${1:-}" = --far ]; then
  ../Scripts/build-wasm.sh .build/wasm/module/shardq.wasm >&2
  exec python3 far/far.py "${2:-$data/cities.json.zst}" "$SHARDQ_BIN" ../.build/wasm/module/shardq.wasm
fi
baseline/build.sh .build/baseline >&2
rivals/build.sh .build/baseline >&2
# Linked as a user links a program.
swift build -c release --static-swift-stdlib -Xswiftc -static-executable >&2
ranked() { # a directory of data, or a file of records
  commands=$SHARDQ_BIN
  [ ! -d "$commands" ] || commands=$commands/shardq-commands
  python3 ranked/ranked.py "$1" "$commands" .build/release/ranked
}
if [ "${1:-}" = --sizes ]; then
  shift
  exec python3 scale.py "$@"
fi
if [ "${1:-}" = --ranked ]; then
  ranked "${2:-$data}"
  exit
fi
if [ "${1:-}" = --encodings ]; then
  # Without the list a made-up one takes its place: its bytes differ, the proportions hardly.
  cities=${2:-$data/cities.json.zst}
  if [ ! -e "$cities" ]; then
    cities=.build/cities.json
    shardq=$SHARDQ_BIN
    [ ! -d "$shardq" ] || shardq=$shardq/shardq
    "$shardq" generate --count 209556 --seed 1 > "$cities"
  fi
  .build/release/bench --data "$cities" --array .build/cities.array > .build/array.txt
  exec python3 encodings/encodings.py .build/cities.array --shardq "$SHARDQ_BIN" --data "$cities"
fi
if [ "${1:-}" = --write ]; then
  shift
  shardq=$SHARDQ_BIN
  [ ! -d "$shardq" ] || shardq=$shardq/shardq
  cities=$data/cities.json.zst
  figures=.build/figures.md
  {
    echo "# Figures"
    echo
    echo "\`Benchmarks/run.sh --write\` measured these figures and wrote this page on $(date +%F); do not edit it."
    echo "The machine: $(getconf _NPROCESSORS_ONLN) processors, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(uname -s)."
    echo "[Benchmarks](../Benchmarks/README.md) describes the contenders and the measures."
    echo
    .build/release/bench --programs .build/baseline "$@"
    echo
    echo "## Designs that people use instead"
    echo
    echo "\`shardq footprint\` on the city list; [footprint](footprint.md) describes each design."
    echo
    echo '```'
    "$shardq" footprint --dataset "$cities" --svg .build/footprint.svg
    echo '```'
    echo
    echo "## Ranked answers"
    echo
    ranked "$data"
    # --lazy writes this section.
    echo
    sed -n '/^<!-- full index: /,/^<!-- end of full index -->/p' ../docs/figures.md
  } >"$figures"
  mv "$figures" ../docs/figures.md
  mv .build/footprint.svg ../docs/footprint.svg
  exit 0
fi
exec .build/release/bench --programs .build/baseline "$@"
