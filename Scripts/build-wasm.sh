#!/bin/sh
# Builds the engine as WebAssembly, for pages and other hosts: Scripts/build-wasm.sh MODULE
#
# The script also writes the other files of a page without a server: the page, its scripts and the compressed module, for
# hosts that send compressed files, such as nginx with gzip_static.
#
# The sources are this repository, zstd's own decoder and the memory functions of Debian's wasi-libc. The module imports
# only three functions (Sources/Hosts/Wasm/host.c). If a tool or a source is missing, the script builds nothing and ends with 3.
# The same sources give the same bytes.
set -eu
work=.build/wasm
out="${1:?usage: Scripts/build-wasm.sh MODULE}"
cd "$(dirname "$0")/.."
missing() {
  echo "the WebAssembly module is not built; install$1, and run the command again" >&2
  exit 3
}
toolchain="$(dirname "$(realpath "$(command -v swiftc)")")"
headers=/usr/include/wasm32-wasi
libc=/usr/lib/wasm32-wasi/libc.a
builtin="$(echo "$toolchain"/../lib/clang/*/include)"
tables="$toolchain/../lib/swift/embedded/wasm32-unknown-none-wasm/libswiftUnicodeDataTables.a"
runtime="$(ls /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a 2>/dev/null | head -1)"
# The files that the build needs, and the packages of Debian that have them.
packages=""
[ -e "$headers/stdlib.h" ] && [ -e "$libc" ] || packages="$packages wasi-libc"
[ -e "$runtime" ] || packages="$packages libclang-rt-14-dev-wasm32"
[ -e "$tables" ] && [ -e "$toolchain/wasm-ld" ] || packages="$packages a Swift toolchain with Embedded Swift for wasm32"
[ -z "$packages" ] || missing "$packages"
sources="Sources/Hosts/Wasm Sources/Hosts/Embedded Sources/System/CLibrary Sources/System/CShims Sources/System/CZstd Sources/ShardedIndex Sources/Answers"
mkdir -p "$work"
# Tests and a release may build at the same time: the later one waits, and finds the module.
exec 9>"$work/.lock"
! command -v flock >/dev/null || flock 9
copy() {
  to="$(dirname "$out")"
  mkdir -p "$to"
  for name in page.html shardq-box.js; do
    cp "Sources/Programs/Serving/Resources/$name" "$to/.new"
    mv "$to/.new" "$to/$name"
  done
  # The scripts without comment lines, but those at the top.
  for name in static.js shardq.js; do
    sed -E '1,/^$/!{/^ *(\/\/|\/\*\*|\*)/d; /^$/d;}' "Sources/Hosts/Wasm/$name" >"$to/.new"
    mv "$to/.new" "$to/$name"
  done
}
if [ -e "$out.gz" ] && [ -z "$(find $sources Scripts/build-wasm.sh Scripts/embedded.sh -type f ! -name '*.js' -newer "$out.gz")" ]; then
  copy
  exit 0
fi
zstd="$PWD/.build/zstd-package"
Scripts/zstd-sources.sh "$zstd" || missing " or fetch the source of zstd (Scripts/zstd-sources.sh)"

# zstd.h is zstd's; all other headers are wasi-libc's. The module has no path of this machine.
c="-nostdinc -isystem $builtin -isystem $headers -isystem $zstd/lib -msimd128 -mbulk-memory -D__wasi__ -ffile-prefix-map=$PWD=."
flags="-target wasm32-unknown-none-wasm -enable-experimental-feature Embedded -enable-experimental-feature Lifetimes"
flags="$flags -swift-version 6 -package-name shardq -Osize -wmo -parse-as-library -I $work -Xfrontend -function-sections"
flags="$flags -Xfrontend -disable-stack-protector -file-prefix-map $PWD=."
# The compiler makes no copy of a function for each closure.
flags="$flags -Xllvm -sil-disable-pass=closure-specialize"
for option in $c; do flags="$flags -Xcc $option"; done
for map in Sources/Hosts/Wasm Sources/System/CShims Sources/System/CZstd; do
  flags="$flags -Xcc -fmodule-map-file=$map/module.modulemap"
done
# The marks @inline(__always) make the native program faster, but the module a tenth larger: the module has no such marks.
rm -rf "$work/Sources"
mkdir "$work/Sources"
cp -R Sources/ShardedIndex Sources/Answers "$work/Sources"
find "$work/Sources" -name '*.swift' -exec sed -i 's/@inline(__always) *//' {} +
. Scripts/embedded.sh
module Musl module Sources/Hosts/Embedded/Musl.swift
module CLibrary module Sources/System/CLibrary/CLibrary.swift
module ShardedIndex module $(find "$work/Sources/ShardedIndex" -name '*.swift' -not -path '*.docc/*' | sort)
module Answers module $(find "$work/Sources/Answers" -name '*.swift' | sort)
module Page object Sources/Hosts/Wasm/Page.swift

compile="$toolchain/clang --target=wasm32-wasi -Oz $c -ffunction-sections -fdata-sections -c"
$compile -Wall -Wextra -Wno-unused-parameter Sources/Hosts/Wasm/host.c -o "$work/host.o"
objects=""
for source in "$zstd"/lib/common/*.c "$zstd"/lib/decompress/*.c; do
  name="$(basename "$source" .c)"
  case $name in pool | threading) continue ;; esac # Of compression with threads.
  $compile -DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT \
    -DZSTD_LEGACY_SUPPORT=0 -DZSTD_DISABLE_ASM -DDYNAMIC_BMI2=0 -DZSTD_TRACE=0 -DDEBUGLEVEL=0 \
    "$source" -o "$work/zstd-$name.o"
  objects="$objects $work/zstd-$name.o"
done

exports=""
for name in reserve open search facets dots answer answer_size; do exports="$exports --export=shardq_$name"; done
wrap=""
for name in __wasi_fd_close __wasi_fd_seek __wasi_fd_write posix_memalign; do wrap="$wrap --wrap=$name"; done
# The module may use at most 256 MiB of memory.
"$toolchain/wasm-ld" --no-entry --gc-sections --strip-all -O2 $exports $wrap -z stack-size=262144 --global-base=1024 \
  --initial-memory=2097152 --max-memory=268435456 -o "$work/linked.wasm" "$work/Page.o" "$work/host.o" $objects "$tables" "$libc" "$runtime"
if command -v wasm-opt >/dev/null; then
  # The linker puts nothing below --global-base. Of the functions that are called once only small ones are inlined: with
  # all of them the module is smaller, but larger with gzip.
  wasm-opt -Oz --converge --low-memory-unused --one-caller-inline-max-function-size=80 --enable-simd \
    --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals "$work/linked.wasm" -o "$work/shardq.wasm"
else
  echo "the module is larger than it could be: install binaryen, whose wasm-opt makes it smaller" >&2
  cp "$work/linked.wasm" "$work/shardq.wasm"
fi
copy
gzip -9 -n -c "$work/shardq.wasm" >"$work/shardq.wasm.gz"
mv "$work/shardq.wasm" "$out"
mv "$work/shardq.wasm.gz" "$out.gz"
size() { echo "$1: $(wc -c <"$1") bytes, $(gzip -9 -n -c "$1" | wc -c) with gzip -9"; }
size "$out"
size "$(dirname "$out")/shardq.js"
