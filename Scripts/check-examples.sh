#!/bin/sh
# Builds and runs the examples of Examples/: Scripts/check-examples.sh [--route]
# The types of the example for Hummingbird are checked against declarations of a few lines. With --route the script builds
# and runs that example alone, with Hummingbird itself, which takes minutes.
set -eu
cd "$(dirname "$0")/.."
work="$(mktemp -d)"
server=""
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
expect() { # a text that the last example printed
  grep -qF "$1" "$work/output" || { cat "$work/output"; echo "the example did not print: $1"; exit 1; }
}

# Without debugging information the examples build in less time.
build="swift build -debug-info-format none --disable-index-store --package-path"

if [ "${1:-}" = --route ]; then
  $build Examples/Route
  "$(swift build --package-path Examples/Route --show-bin-path)/route" shards 18423 >"$work/server" 2>&1 &
  server=$!
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    python3 -c 'import sys, urllib.request as web; print(web.urlopen(sys.argv[1]).read().decode())' \
      'http://127.0.0.1:18423/search?q=reykj' >"$work/output" 2>&1 && break
    sleep 1
  done
  expect '"name":"Reykjavík"'
  exit 0
fi

$build Examples
bin="$(swift build --package-path Examples --show-bin-path)"

printf 'reykj\nzzqqzz\n' | "$bin/search-field" shards >"$work/output"
expect 'reykj (1)'
expect '  Reykjavík, IS'
expect 'zzqqzz (0)'

"$bin/planets" build Examples/planets.csv "$work/planets" >"$work/output"
expect '9 planets'
"$bin/planets" find "$work/planets" ma >"$work/output"
expect 'Mars: 2 moons, radius 3389.5 km'
expect 'Makemake: 1 moons'
"$bin/planets" find "$work/none" ma >"$work/output"
expect "planets: no index at $work/none"
printf 'name,moons,radius\nPluto,five,1188\n' >"$work/pluto.csv"
"$bin/planets" build "$work/pluto.csv" "$work/pluto" >"$work/output"
"$bin/planets" find "$work/pluto" p >"$work/output"
expect 'the field moons has the text "five", which is not of type Int'

"$bin/live-list" "$work/live" >"$work/output"
expect 'every search was answered'
expect 'the best is Player 7 with 20000 points'

stub="-swift-version 6 -parse-as-library -module-cache-path $work/cache -I $work -I $bin/Modules"
for module in CZstd CShims; do stub="$stub -Xcc -fmodule-map-file=$(find "$PWD/Sources" -path "*/$module/module.modulemap")"; done
swiftc $stub -emit-module -module-name Hummingbird -emit-module-path "$work/Hummingbird.swiftmodule" \
  Examples/Route/Stub/Hummingbird.swift
swiftc $stub -typecheck Examples/Route/Sources/route/*.swift
