#!/bin/sh
# A package that depends on ShardedIndex: it must resolve nothing but this package, build, and answer.
set -eu
root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# SwiftPM names a package at a path by the path's last component.
ln -s "$root" "$work/shardq"
mkdir -p "$work/app/Sources/app"
cat > "$work/app/Package.swift" <<'EOF'
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
  name: "app",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../shardq")],
  targets: [.executableTarget(name: "app", dependencies: [.product(name: "ShardedIndex", package: "shardq")])])
EOF
cat > "$work/app/Sources/app/main.swift" <<'EOF'
import ShardedIndex

let index = try ShardedIndex(opening: CommandLine.arguments[1])
for record in try index.matches(forPrefix: "reyk").records(in: 0..<20) { print(record.key) }
EOF
cd "$work/app"
swift build
[ ! -e .build/checkouts ] || [ -z "$(ls .build/checkouts)" ] || { echo "it fetched: $(ls .build/checkouts)" >&2; exit 1; }
.build/debug/app "$root/shards" | tee answer
grep -q '^Reykjavík, IS$' answer
