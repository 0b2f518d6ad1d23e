#!/bin/sh
# Builds what is shipped: bin/shardq, which answers queries, and bin/shardq-commands beside it, which it hands
# everything else to. On Linux both are static: they run on any machine of the same processor, and start fastest.
set -eu
cd "$(dirname "$0")/.."
Scripts/dependencies.sh

static=""
[ "$(uname)" = Darwin ] || static="--static-swift-stdlib -Xswiftc -static-executable"
# A tree of its own, so that other builds do not undo this one.
swift build -c release --traits CommandLineTool --scratch-path .build/shipped $static \
  --product shardq "$@" >&2
swift build -c release --traits CommandLineTool --scratch-path .build/shipped $static \
  --product shardq-commands "$@" >&2
mkdir -p bin
for name in shardq shardq-commands; do
  # Replaced by rename: a running one is not disturbed.
  strip -o "bin/.$name" ".build/shipped/release/$name"
  mv "bin/.$name" "bin/$name"
done
