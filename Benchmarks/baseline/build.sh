#!/bin/sh
# Builds the programs that shardq is measured beside:
#
#     baseline/build.sh DIRECTORY
#
# empty, read40k, spawn and array_query; static on Linux. The rivals that need libraries: ../rivals/build.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a directory for the programs}
mkdir -p "$out"
compiler=${CC:-cc}
array=$here/../Sources/CSortedArray
flags="-O2 -std=gnu11 -Wall -Wextra -static"

$compiler $flags -o "$out/empty" "$here/empty.c"
$compiler $flags -o "$out/spawn" "$here/spawn.c"
$compiler $flags -o "$out/read40k" "$here/read40k.c" -lzstd
$compiler $flags -I "$array/include" -I "$here/../rivals" -o "$out/array_query" "$here/array_query.c" "$array/sorted_array.c"
