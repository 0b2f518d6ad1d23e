#!/bin/sh
# Builds the executables that are shipped: bin/shardq answers queries, and bin/shardq-commands runs every other command.
# `shardq footprint` starts bin/shardq-footprint once for each design that it measures. On Linux all are static: they run
# on any machine of the same processor, and start fastest. bin/shardq is Embedded Swift where it can be
# (build-embedded.sh), and not with SHARDQ_EMBEDDED=no.
# Words before the arguments name the programs; the modules that these share are compiled once:
#   --base    the above; without a word too
#   --server  bin/shardq-serve, which fetches an HTTP library and takes minutes
#   --remote  bin/shardq-remote and bin/shardq-store, which answer from an index of a URL and publish one to a store; they
#             link the system's libcurl, and so are not static
#   --server --remote  these three and bin/shardq-serve-remote, which serves an index of a URL
#   --all     all of them
# All other arguments are swift build's.
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
names="${base:+shardq shardq-commands shardq-footprint }${server:+shardq-serve }${remote:+shardq-remote shardq-store }"
names="$names${server:+${remote:+shardq-serve-remote}}"
traits="CommandLineTool${server:+,Server}${remote:+,Remote}"
# A tree of its own, so that other builds do not undo this one; one for each set of traits, which every module is given.
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

# Shipped programs are stripped: debugging information would be a sixth of the compiler's work, for nothing.
flags="-debug-info-format none"
# Linked as a user's program is: `shardq footprint` measures what a user gets.
[ "$(uname)" = Darwin ] || flags="$flags --static-swift-stdlib"
# Package.swift links shipped programs by it. A flag here would be one of all modules, and compile them again.
export SHARDQ_SHIPPED=yes
compile() { swift build -c release --traits "$traits" --scratch-path "$tree" $flags "$@" >&2; }
if [ "$tree" = .build/all ] && [ -n "$base" ]; then
  # One after the other, products have modules compiled again that the one before them had.
  compile "$@"
else
  for name in $names; do compile --product "$name" "$@"; done
fi
mkdir -p bin
# Hashes of what the compiler was given, paths included, which nothing reads: without them the same commit gives the same
# bytes in every directory (Scripts/check-reproducible.sh).
drop=""
[ "$(uname)" = Darwin ] || drop="-R .swift_modhash -R .note.gnu.build-id -R .comment"
ship() { # name, where it was built
  # Replaced by rename: a running one is not disturbed.
  case "$(uname) $1" in
    Darwin*) strip -o "bin/.$1" "$2" ;;
    # The strip of binutils loses the segment that is read-only once the program is loaded.
    *-remote | *-store) "$(dirname "$(realpath "$(command -v swiftc)")")/llvm-objcopy" --strip-all $drop "$2" "bin/.$1" ;;
    *) strip $drop -o "bin/.$1" "$2" ;;
  esac
  mv "bin/.$1" "bin/$1"
}
[ -z "$embedded" ] || ship shardq "$embedded"
for name in $names; do ship "$name" "$tree/release/$name"; done
