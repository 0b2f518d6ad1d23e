#!/bin/sh
# Builds what is shipped: bin/shardq, which answers queries, and bin/shardq-commands beside it, which it hands
# everything else to; for `shardq footprint` alone bin/shardq-replay, bin/shardq-footprint and
# bin/shardq-footprint-sqlite, which it starts. On Linux all are static: they run on any machine of the same processor,
# and start fastest.
set -eu
cd "$(dirname "$0")/.."
Scripts/dependencies.sh

# A tree of its own, so that other builds do not undo this one.
names="shardq shardq-commands shardq-replay shardq-footprint shardq-footprint-sqlite"
for name in $names; do
  flags=""
  if [ "$(uname)" != Darwin ]; then
    flags="--static-swift-stdlib -Xswiftc -static-executable -Xswiftc -use-ld=lld -Xlinker --gc-sections"
    # What is run is laid side by side: less of the file is mapped at every start.
    order=link-order
    case "$name" in shardq-replay | shardq-footprint*) order=link-order-session ;; esac
    flags="$flags -Xlinker --symbol-ordering-file=$PWD/Scripts/$order.txt -Xlinker --no-warn-symbol-ordering"
  fi
  swift build -c release --traits CommandLineTool --scratch-path .build/shipped $flags --product "$name" "$@" >&2
done
mkdir -p bin
# Hashes of what the compiler was given, paths included, which nothing reads: without them the same commit gives the same
# bytes in every directory (Scripts/check-reproducible.sh).
drop=""
[ "$(uname)" = Darwin ] || drop="-R .swift_modhash -R .note.gnu.build-id -R .comment"
for name in $names; do
  # Replaced by rename: a running one is not disturbed.
  strip $drop -o "bin/.$name" ".build/shipped/release/$name"
  mv "bin/.$name" "bin/$name"
done
