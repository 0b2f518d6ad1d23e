#!/bin/sh
# Builds the executables that are shipped: bin/shardq answers queries, and bin/shardq-commands runs every other command.
# `shardq footprint` starts bin/shardq-footprint once for each design that it measures. On Linux all are static: they run
# on any machine of the same processor, and start fastest. bin/shardq is Embedded Swift where it can be
# (build-embedded.sh), and not with SHARDQ_EMBEDDED=no.
# With --server as the first argument, only bin/shardq-serve is built: that fetches an HTTP library and takes minutes.
# --all builds that and the others, and compiles the modules that they share once.
# With --remote only bin/shardq-remote and bin/shardq-store are built, which answer from an index of a URL and publish one
# to a store: they link the system's libcurl, and so are not static. All other arguments are swift build's.
set -eu
cd "$(dirname "$0")/.."
names="shardq shardq-commands shardq-footprint"
traits=CommandLineTool
# A tree of its own, so that other builds do not undo this one; one for each set of traits, which every module is given.
tree=.build/shipped
case "${1:-}" in
--server | --all)
  [ "$1" = --server ] || names="$names shardq-serve"
  [ "$1" = --all ] || names=shardq-serve
  traits=CommandLineTool,Server
  tree=.build/server
  shift
  ;;
--remote)
  names="shardq-remote shardq-store"
  traits=CommandLineTool,Remote
  # Of its own, since the flags of a static program are those of all its modules.
  tree=.build/remote
  shift
  ;;
esac
if [ "$tree" = .build/remote ]; then Scripts/dependencies.sh --remote; else Scripts/dependencies.sh; fi

embedded=.build/embedded/shardq
if [ "$names" = shardq-serve ] || [ "$tree" = .build/remote ] || [ "${SHARDQ_EMBEDDED:-}" = no ]; then
  embedded=""
else
  status=0
  Scripts/build-embedded.sh "$embedded" >&2 || status=$?
  case $status in
    0) names="${names#shardq }" ;;
    3) embedded="" ;;
    *) exit "$status" ;;
  esac
fi

for name in $names; do
  # Shipped programs are stripped: debugging information would be a sixth of the compiler's work, for nothing.
  flags="-debug-info-format none"
  # Linked as a user's program is: `shardq footprint` measures what a user gets.
  [ "$(uname)" = Darwin ] || flags="$flags --static-swift-stdlib"
  case "$(uname) $name" in
    Darwin*) ;;
    # What the loader has filled in cannot be written any more, as Debian wants it of all that is linked to libraries.
    *shardq-remote | *shardq-store) flags="$flags -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now" ;;
    *) flags="$flags -Xswiftc -static-executable" ;;
  esac
  swift build -c release --traits "$traits" --scratch-path "$tree" $flags --product "$name" "$@" >&2
done
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
    *shardq-remote | *shardq-store) "$(dirname "$(realpath "$(command -v swiftc)")")/llvm-objcopy" --strip-all $drop "$2" "bin/.$1" ;;
    *) strip $drop -o "bin/.$1" "$2" ;;
  esac
  mv "bin/.$1" "bin/$1"
}
[ -z "$embedded" ] || ship shardq "$embedded"
for name in $names; do ship "$name" "$tree/release/$name"; done
