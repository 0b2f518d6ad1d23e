#!/bin/sh
# Builds the C library, as Embedded Swift with the system's C library, for Linux on x86-64 with glibc 2.34 or later:
#
#     Scripts/build-library.sh FOLDER
#
# The folder gets libshardq.so, libshardq.a and shardq.h. With SHARDQ_SANITIZE=thread it gets shardq.h and a libshardq.a
# for that sanitizer. If a tool is missing, the script builds nothing and ends with 3.
set -eu
out="${1:?usage: Scripts/build-library.sh FOLDER}"
cd "$(dirname "$0")/.."
missing() {
  echo "the C library is not built: $1 is missing" >&2
  exit 3
}
[ "$(uname -sm)" = "Linux x86_64" ] || missing "an Embedded Swift for $(uname -sm)"
toolchain="$(dirname "$(realpath "$(command -v swiftc)")")"
tables="$toolchain/../lib/swift/embedded/x86_64-unknown-linux-gnu/libswiftUnicodeDataTables.a"
zstd="$(cc -print-file-name=libzstd.a 2>/dev/null || true)"
for file in /usr/include/stdlib.h /usr/include/zstd.h "$tables" "$toolchain/ld.lld" "$toolchain/llvm-objcopy" "$zstd"; do
  [ -e "$file" ] || missing "$file"
done
for tool in objdump readelf; do command -v "$tool" >/dev/null || missing "$tool (binutils)"; done
sources="Sources/Hosts/Library Sources/Hosts/Embedded Sources/System/CLibrary Sources/System/CShims Sources/System/CZstd Sources/ShardedIndex Sources/Answers"
# Tests and a release may build at the same time: one build waits for the other.
mkdir -p .build
! command -v flock >/dev/null || { exec 9>.build/library.lock; flock 9; }
[ ! -e "$out/shardq.h" ] ||
  [ -n "$(find $sources Scripts/build-library.sh Scripts/embedded.sh -type f -newer "$out/shardq.h")" ] || exit 0

work=.build/library${SHARDQ_SANITIZE:+-$SHARDQ_SANITIZE}
mkdir -p "$work" "$out"
flags="-target x86_64-unknown-linux-gnu -enable-experimental-feature Embedded -enable-experimental-feature Lifetimes -swift-version 6 -package-name shardq"
flags="$flags -O -wmo -parse-as-library -I $work -Xfrontend -function-sections -file-prefix-map $PWD=."
[ -z "${SHARDQ_SANITIZE:-}" ] || flags="$flags -sanitize=$SHARDQ_SANITIZE -DSHARDQ_TSAN -Xcc -fsanitize=$SHARDQ_SANITIZE"
for map in Sources/Hosts/Library Sources/Hosts/Embedded Sources/System/CShims Sources/System/CZstd; do
  flags="$flags -Xcc -fmodule-map-file=$map/module.modulemap"
done
. Scripts/embedded.sh
module Musl module Sources/Hosts/Embedded/Musl.swift
module CLibrary module Sources/System/CLibrary/CLibrary.swift
module ShardedIndex module $(find Sources/ShardedIndex -name '*.swift' -not -path '*.docc/*' | sort)
module Answers module $(find Sources/Answers -name '*.swift' | sort)
module Library object Sources/Hosts/Library/*.swift
# An own arc4random_buf, because the system's needs a newer glibc.
"$toolchain/clang" -O2 -std=gnu11 -Wall -Wextra -fPIC -ffunction-sections -c Sources/Hosts/Embedded/random.c -o "$work/random.o"
objects="$work/Library.o $work/random.o $zstd $tables"
if [ -n "${SHARDQ_SANITIZE:-}" ]; then
  rm -f "$out/libshardq.a"
  "$toolchain/llvm-ar" qcsL "$out/libshardq.a" $objects
  cp Sources/Hosts/Library/shardq.h "$out"
  exit 0
fi
cc -shared -nostartfiles -o "$work/libshardq.so" -Wl,-soname,libshardq.so.0 -Wl,--version-script=Sources/Hosts/Library/exports.map \
  -Wl,-z,defs -Wl,-z,now -Wl,-z,noexecstack -Wl,--gc-sections -Wl,-s $objects -lm

# One object with these names: no name of zstd or Swift meets a name of a program.
roots=""
for name in open close field count query facets lookup answer message open_remote; do roots="$roots -u sq_$name"; done
"$toolchain/ld.lld" -r --gc-sections $roots -o "$work/all.o" $objects
"$toolchain/llvm-objcopy" --strip-unneeded --keep-global-symbol='sq_*' --wildcard "$work/all.o" "$work/shardq.o"
rm -f "$work/libshardq.a"
"$toolchain/llvm-ar" rcsD "$work/libshardq.a" "$work/shardq.o"

wrong() {
  echo "libshardq.so $1" >&2
  exit 1
}
needed="$(readelf -d "$work/libshardq.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ')"
case $needed in "libc.so.6 " | "libc.so.6 libm.so.6 ") ;; *) wrong "needs other libraries than libc and libm: $needed" ;; esac
exports="$(objdump -T "$work/libshardq.so" | awk '/ g .*\.text/ { print $NF }' | sort | tr '\n' ' ')"
[ "$exports" = "sq_answer sq_close sq_count sq_facets sq_field sq_lookup sq_message sq_open sq_open_remote sq_query " ] || wrong "exports other names: $exports"
glibc="$(objdump -T "$work/libshardq.so" | sed -n 's/.*(GLIBC_\([0-9.]*\)).*/\1/p' | sort -uV | tail -n 1)"
[ "$(printf '%s\n2.34\n' "$glibc" | sort -V | tail -n 1)" = 2.34 ] || wrong "asks for glibc $glibc"
mv "$work/libshardq.so" "$work/libshardq.a" "$out"
# Programs link to this name.
ln -sf libshardq.so "$out/libshardq.so.0"
cp Sources/Hosts/Library/shardq.h "$out"
echo "$out/libshardq.so: $(wc -c <"$out/libshardq.so") bytes, $(gzip -9 -n -c "$out/libshardq.so" | wc -c) with gzip -9, for glibc $glibc or later"
