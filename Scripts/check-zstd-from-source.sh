#!/bin/sh
# Builds an app with the trait ZstdFromSource, for systems without libzstd such as iOS. If possible, root hides the
# system's zstd meanwhile. zstd's own package comes from the URL in the manifest. If that URL cannot be reached, git uses
# the same tree from Debian's source package. Ends with 77 if neither can be fetched.
set -eu
cd "$(dirname "$0")/.."
root="$PWD"
zstd="$root/.build/zstd-package"
address="$(sed -n 's|.*url: "\(.*/zstd\)".*|\1|p' Package.swift)"
if ! GIT_TERMINAL_PROMPT=0 timeout 20 git ls-remote --exit-code "$address" HEAD >/dev/null 2>&1; then
  Scripts/zstd-sources.sh "$zstd"
  echo "zstd's package: $(git -C "$zstd" describe --tags), out of Debian's source package"
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.$zstd.insteadOf" GIT_CONFIG_VALUE_0="$address"
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# The last component of a path is the name of a package in SwiftPM.
ln -s "$root" "$work/shardq"
mkdir -p "$work/app/Sources/app"
cat >"$work/app/Package.swift" <<'EOF'
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
  name: "app",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../shardq", traits: ["ZstdFromSource"])],
  targets: [.executableTarget(name: "app", dependencies: [.product(name: "ShardedIndex", package: "shardq")])])
EOF
cat >"$work/app/Sources/app/main.swift" <<'EOF'
import ShardedIndex

let index = try ShardedIndex(opening: CommandLine.arguments[1])
for record in try index.search("reyk", order: .key).records(in: 0..<20) { print(record.key) }
EOF
cd "$work/app"
# Removes the fetched packages and their revisions, so that other builds do not use them.
build="swift build --cache-path $work/cache --security-path $work/security"
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
  # The shared library stays, because Swift's own tools need it.
  unshare --mount sh -eu -c '
    for file in /usr/include/zstd*.h /usr/lib/*/libzstd.a /usr/lib/*/pkgconfig/libzstd.pc; do
      [ ! -e "$file" ] || mount --bind /dev/null "$file"
    done
    '"$build"
  hidden=", the system's hidden meanwhile"
  ! readelf -d .build/debug/app | grep -q 'NEEDED.*zstd' || { echo "it links the system's libzstd" >&2; exit 1; }
else
  $build
  hidden=""
fi
nm .build/debug/app | grep -q ' T ZSTD_decompressDCtx$' || { echo "zstd is not compiled into it" >&2; exit 1; }
.build/debug/app "$root/shards" | tee answer
grep -q '^Reykjavík, IS$' answer
echo "answered with zstd from its sources$hidden"
