#!/bin/sh
# Builds the rivals that can be built here, each a static program X_query:
#
#     rivals/build.sh DIRECTORY
#
# The script names each rival whose library is not installed, and leaves it out; programs made otherwise stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?name a directory for the programs}"
out=$(cd "$1" && pwd)
array=$here/../Sources/CSortedArray
flags="-O2 -Wall -Wextra -I $array/include"

# The shared part is compiled once.
"${CC:-cc}" -std=gnu11 $flags -c -o "$out/driver.o" "$here/driver.c"
"${CC:-cc}" -std=gnu11 $flags -c -o "$out/sorted_array.o" "$array/sorted_array.c"

missing() { echo "rivals: no $1_query: install $2 (Debian)" >&2; }

has() {  # Whether a program that includes a header and links libraries can be made.
  compiler=$1 header=$2
  shift 2
  printf '#include <%s>\nint main() {}\n' "$header" > "$out/has.${compiler##*/}.cc"
  "$compiler" -x c++ "$out/has.${compiler##*/}.cc" -x none -static -o "$out/has" "$@" >/dev/null 2>&1
}

# name, source, package, header, libraries
rival() {
  name=$1 source=$2 package=$3 header=$4
  shift 4
  program=$out/${name}_query
  if ! has c++ "$header" "$@"; then
    rm -f "$program"
    missing "$name" "$package"
    return
  fi
  # Built again when anything here has changed.
  [ -x "$program" ] && [ -z "$(find "$here" -type f -newer "$program")" ] && return
  case $source in
    *.cc) "${CXX:-c++}" -std=c++17 $flags -c -o "$out/$name.o" "$here/$source" ;;
    *) "${CC:-cc}" -std=gnu11 $flags -c -o "$out/$name.o" "$here/$source" ;;
  esac
  # A warning alone is not shown: SQLite's static library warns of a call that is never made.
  "${CXX:-c++}" -static -s -Wl,--gc-sections -o "$program" "$out/$name.o" "$out/driver.o" "$out/sorted_array.o" "$@" \
    2>"$out/log" || { cat "$out/log" >&2; exit 1; }
  rm "$out/$name.o"
}

rival lmdb lmdb.c liblmdb-dev lmdb.h -llmdb -lpthread
rival sqlite sqlite.c libsqlite3-dev sqlite3.h -lsqlite3 -lm
rival fts5 fts5.c libsqlite3-dev sqlite3.h -lsqlite3 -lm
rival marisa marisa.cc libmarisa-dev marisa.h -lmarisa
rival rocksdb rocksdb.cc librocksdb-dev rocksdb/db.h -lrocksdb -lsnappy -llz4 -lbz2 -lzstd -lz -lpthread -ldl

registry=/usr/share/cargo/registry
if [ -d "$registry/" ] && ls "$registry" | grep -q '^fst-0\.3' && command -v cargo >/dev/null; then
  if cargo build --release --offline --quiet --manifest-path "$here/fst/Cargo.toml" --target-dir "$out/cargo" \
    --config 'source.crates-io.replace-with="debian"' --config "source.debian.directory=\"$registry\"" >&2; then
    rival fst fst.c librust-fst-dev stdint.h "$out/cargo/release/librival_fst.a" -lpthread -ldl
  else
    rm -f "$out/fst_query"
    echo "rivals: no fst_query: the crate does not build" >&2
  fi
else
  rm -f "$out/fst_query"
  missing fst "librust-fst-dev and cargo"
fi
rm -f "$out"/has* "$out"/*.o "$out/log"
