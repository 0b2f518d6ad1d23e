#!/bin/sh
# Builds what is shipped: bin/shardq, which answers queries, and bin/shardq-commands beside it, which it hands
# everything else to. On Linux both are static: they run on any machine of the same processor, and start fastest.
set -eu
cd "$(dirname "$0")/.."
Scripts/dependencies.sh

flags=""
if [ "$(uname)" != Darwin ]; then
  flags="--static-swift-stdlib -Xswiftc -static-executable -Xswiftc -use-ld=lld -Xlinker --gc-sections"
  # What a query runs is laid side by side: less of the file is mapped at every start.
  flags="$flags -Xlinker --symbol-ordering-file=$PWD/Scripts/link-order.txt -Xlinker --no-warn-symbol-ordering"
fi
# A tree of its own, so that other builds do not undo this one.
swift build -c release --traits CommandLineTool --scratch-path .build/shipped $flags \
  --product shardq "$@" >&2
swift build -c release --traits CommandLineTool --scratch-path .build/shipped $flags \
  --product shardq-commands "$@" >&2
mkdir -p bin
for name in shardq shardq-commands; do
  # Replaced by rename: a running one is not disturbed.
  strip -o "bin/.$name" ".build/shipped/release/$name"
  mv "bin/.$name" "bin/$name"
done
