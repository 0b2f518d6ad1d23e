#!/bin/sh
# Builds only the executable shardq, as Embedded Swift with the C library musl, for Linux on x86-64:
#
#     Scripts/build-embedded.sh EXECUTABLE
#
# This executable starts in half the time (docs/measurements.md), because no runtime is set up before main. Also, the GNU
# C library does not ask about the processor; the host of a virtual machine would have to answer. If a tool is missing, the
# script builds nothing and ends with 3; SwiftPM's executable then differs only in the time of its start.
set -eu
out="${1:?usage: Scripts/build-embedded.sh EXECUTABLE}"
cd "$(dirname "$0")/.."
missing() {
  echo "shardq is built with Swift's runtime: $1 is missing" >&2
  exit 3
}
[ "$(uname -sm)" = "Linux x86_64" ] || missing "an Embedded Swift for $(uname -sm)"
toolchain="$(dirname "$(realpath "$(command -v swiftc)")")"
musl=/usr/lib/x86_64-linux-musl
headers=/usr/include/x86_64-linux-musl
tables="$toolchain/../lib/swift/embedded/x86_64-unknown-linux-gnu/libswiftUnicodeDataTables.a"
builtin="$(echo "$toolchain"/../lib/clang/*/include)"
zstd="$(cc -print-file-name=libzstd.a 2>/dev/null || true)"
for file in "$musl/libc.a" "$headers/stdlib.h" "$tables" "$builtin/stddef.h" "$toolchain/ld.lld" "$toolchain/clang" "$zstd"; do
  [ -e "$file" ] || missing "$file"
done

sources="$(find Sources/Hosts/Embedded Sources/System/CLibrary Sources/System/CShims Sources/System/CZstd Sources/ShardedIndex Sources/Answers Sources/Programs/QueryOutput Sources/shardq -type f)"
[ ! -e "$out" ] || [ -n "$(find $sources Scripts/build-embedded.sh Scripts/embedded.sh -newer "$out")" ] || exit 0

work=.build/embedded
mkdir -p "$work"
# zstd.h is among the system's headers; all other headers are musl's, which the compiler finds first.
c="-nostdinc -isystem $builtin -isystem $headers -idirafter /usr/include"
flags="-target x86_64-unknown-linux-gnu -enable-experimental-feature Embedded -enable-experimental-feature Lifetimes -swift-version 6 -package-name shardq"
flags="$flags -O -wmo -parse-as-library -I $work -Xfrontend -function-sections"
for option in $c; do flags="$flags -Xcc $option"; done
for map in Sources/Hosts/Embedded Sources/System/CShims Sources/System/CZstd; do
  flags="$flags -Xcc -fmodule-map-file=$map/module.modulemap"
done
hint="SHARDQ_EMBEDDED=no builds shardq with Swift's runtime"
. Scripts/embedded.sh
module Musl module Sources/Hosts/Embedded/Musl.swift
module CLibrary module Sources/System/CLibrary/CLibrary.swift
module ShardedIndex module $(find Sources/ShardedIndex -name '*.swift' -not -path '*.docc/*' | sort)
module Answers module $(find Sources/Answers -name '*.swift' | sort)
module QueryOutput module $(find Sources/Programs/QueryOutput -name '*.swift' | sort)
module shardq object $(find Sources/shardq -name '*.swift' | sort)
for name in main random; do
  "$toolchain/clang" -O2 -std=gnu11 -Wall -Wextra $c -ffunction-sections -c "Sources/Hosts/Embedded/$name.c" -o "$work/$name.o"
done
wrap=""
for name in malloc calloc realloc aligned_alloc posix_memalign free; do wrap="$wrap --wrap=$name"; done
"$toolchain/ld.lld" -static -z noexecstack --gc-sections $wrap -o "$out" \
  "$musl/crt1.o" "$musl/crti.o" "$work/main.o" "$work/random.o" "$work/shardq.o" "$zstd" "$tables" "$musl/libc.a" "$musl/crtn.o"
