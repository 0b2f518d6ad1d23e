#!/bin/sh
# Builds the programs that shardq is measured beside:
#
#     baseline/build.sh DIRECTORY
#
# empty, read40k, spawn, array_query and, where SQLite's library is there, sqlite_query; static on Linux.
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
$compiler $flags -I "$array/include" -o "$out/array_query" "$here/array_query.c" "$array/sorted_array.c"
if printf '#include <sqlite3.h>\n' | $compiler -E - >/dev/null 2>&1; then
  $compiler $flags -o "$out/sqlite_query" "$here/sqlite_query.c" -lsqlite3 -lm 2>"$out/sqlite.log" ||
    { cat "$out/sqlite.log" >&2; echo "baseline: no static SQLite library; its rows will be missing" >&2; }
  rm -f "$out/sqlite.log"
else
  echo "baseline: no sqlite3.h (Debian: libsqlite3-dev); SQLite's rows will be missing" >&2
fi
