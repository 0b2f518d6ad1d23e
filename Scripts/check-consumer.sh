#!/bin/sh
# Builds a package that depends on ShardedIndex: the package must resolve nothing but this package, build, and answer. The
# package has all code of the documentation, and the model at the end of the tutorial, which must answer too. The
# package shares the tree of the examples, so that the library is compiled once.
set -eu
root="$(cd "$(dirname "$0")/.." && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/app/Sources/app"
cat > "$work/app/Package.swift" <<EOF
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
  name: "app",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "shardq", path: "$root")],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: [
        .product(name: "ShardedIndex", package: "shardq"), .product(name: "SearchModel", package: "shardq"),
      ])
  ])
EOF
cat > "$work/app/Sources/app/main.swift" <<'EOF'
import ShardedIndex

let index = try ShardedIndex(opening: CommandLine.arguments[1])
for record in try index.search("reyk", order: .key).records(in: 0..<20) { print(record.key) }

let search = try citySearch(index: CommandLine.arguments[1])
for text in ["s", "sx", "r", "reykj"] { search.text = text }
await search.settled()
print("tutorial:", search.rows.count, search.rows.map { $0.title }.joined(separator: "; "))
EOF
cp "$root/Sources/ShardedIndex/ShardedIndex.docc/Resources/search-2.swift" "$work/app/Sources/app/CitySearch.swift"
python3 "$root/Scripts/article-code.py" >"$work/app/Sources/app/Documentation.swift"
cd "$work/app"
tree="$root/Examples/.build"
# With other options than those of Scripts/check-examples.sh the library would compile again.
swift build -debug-info-format none --disable-index-store --scratch-path "$tree"
[ ! -e "$tree/checkouts" ] || [ -z "$(ls "$tree/checkouts")" ] || { echo "it fetched: $(ls "$tree/checkouts")" >&2; exit 1; }
"$tree/debug/app" "$root/shards" | tee answer
grep -q '^Reykjavík, IS$' answer
grep -q '^tutorial: 1 Reykjavík, IS$' answer
