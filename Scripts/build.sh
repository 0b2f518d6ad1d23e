#!/bin/sh
# Builds the shipped executables: bin/shardq answers queries, bin/shardq-commands runs every other command, and
# `shardq footprint` starts bin/shardq-footprint for each measured design. On Linux they are static: they run on any
# machine of the same processor, and start fastest. bin/shardq is Embedded Swift if possible (build-embedded.sh), unless
# SHARDQ_EMBEDDED=no.
# Words before the arguments choose the programs; the compiler compiles shared modules once:
#   --base    the programs above; the default
#   --server  bin/shardq-serve; the build fetches an HTTP library and takes minutes
#   --remote  bin/shardq-remote, which reads an index of a URL and publishes an index to a store, and with --server also
#             serves an index of a URL; it links the system's libcurl, and so is not static
#   --all     all programs
# `swift build` gets all other arguments.
set -eu
cd "$(dirname "$0")/.."
base="" server="" remote=""
while [ $# -gt 0 ]; do
  case "$1" in
    --base) base=yes ;;
    --server) server=yes ;;
    --remote) remote=yes ;;
    --all) base=yes server=yes remote=yes ;;
    *) break ;;
  esac
  shift
done
[ -n "$server$remote" ] || base=yes
names="${base:+shardq shardq-commands shardq-footprint }${server:+shardq-serve }${remote:+shardq-remote }"
traits="CommandLineTool${server:+,Server}${remote:+,Remote}"
# Each set of traits has its own tree, because every module depends on the traits. No other build undoes this one.
case "$server $remote" in
  "yes yes") tree=.build/all ;;
  "yes ") tree=.build/server ;;
  " yes") tree=.build/remote ;;
  *) tree=.build/shipped ;;
esac
Scripts/dependencies.sh ${remote:+--remote}

embedded=""
if [ -n "$base" ] && [ "${SHARDQ_EMBEDDED:-}" != no ]; then
  embedded=.build/embedded/shardq
  status=0
  Scripts/build-embedded.sh "$embedded" >&2 || status=$?
  case $status in
    0) names="${names#shardq }" ;;
    3) embedded="" ;;
    *) exit "$status" ;;
  esac
fi

# Shipped programs are stripped, so debugging information, a sixth of the compiler's work, is left out. Sources in C name
# their own files in the messages of assertions; the same commit has the same names in every directory.
flags="-debug-info-format none -Xcc -ffile-prefix-map=$PWD=."
# Package.swift links shipped programs by this variable, on Linux statically. A flag here would compile all modules again
# for the tests (Scripts/check.sh), which share the tree of all programs.
export SHARDQ_SHIPPED=yes
compile() { swift build -c release --traits "$traits" --scratch-path "$tree" $flags "$@" >&2; }
if [ "$tree" = .build/all ] && [ -n "$base" ]; then
  # Product by product, the compiler would compile shared modules again.
  compile "$@"
else
  for name in $names; do compile --product "$name" "$@"; done
fi
mkdir -p bin
# Removes sections that no program reads, with hashes of the compiler's arguments and paths. Without them the same commit
# gives the same bytes in every directory (Scripts/check-reproducible.sh).
drop=""
[ "$(uname)" = Darwin ] || drop="-R .swift_modhash -R .note.gnu.build-id -R .comment"
ship() { # name, where it was built
  # A rename replaces the program, and does not disturb a running one.
  case "$(uname) $1" in
    Darwin*) strip -o "bin/.$1" "$2" ;;
    # The strip of binutils would lose the segment that is read-only after loading.
    *-remote) "$(dirname "$(realpath "$(command -v swiftc)")")/llvm-objcopy" --strip-all $drop "$2" "bin/.$1" ;;
    *) strip $drop -o "bin/.$1" "$2" ;;
  esac
  mv "bin/.$1" "bin/$1"
}
[ -z "$embedded" ] || ship shardq "$embedded"
for name in $names; do ship "$name" "$tree/release/$name"; done
