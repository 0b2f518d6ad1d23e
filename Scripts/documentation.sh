#!/bin/sh
# Makes the library's documentation, a DocC archive for any web server: .build/docc/ShardedIndex.doccarchive
# The script fails at a warning of DocC, at a public symbol without a comment or without a place on the pages, and if the
# public symbols of all products differ from the list in Tests/Golden/swift-api.txt (docs/compatibility.md).
#
# The toolchain's docc reads the module that Scripts/build.sh builds, so the manifest needs no plugin. The first argument
# is the directory of a module that is built already: Scripts/documentation.sh .build/all/release/Modules
set -eu
cd "$(dirname "$0")/.."
modules="${1:-}"
if [ -z "$modules" ]; then
  Scripts/build.sh
  modules=.build/shipped/release/Modules
fi
rm -rf .build/docc
mkdir -p .build/docc/graphs
catalogue=Sources/ShardedIndex/ShardedIndex.docc
target="$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -1)"
maps=""
for map in Sources/System/*/module.modulemap; do maps="$maps -Xcc -fmodule-map-file=$map"; done
extract() { # module, folder
  mkdir -p "$2"
  swift symbolgraph-extract -module-name "$1" -I "$modules" -target "$target" -minimum-access-level public \
    -skip-synthesized-members -output-dir "$2" $maps
}
extract ShardedIndex .build/docc/graphs

python3 - .build/docc/graphs/ShardedIndex.symbols.json "$catalogue" <<'EOF'
import json, sys
graph, catalogue = json.load(open(sys.argv[1])), sys.argv[2]
symbols = [each for each in graph["symbols"] if not each["pathComponents"][-1].startswith("init(rawValue:")]
faults = [f"{'.'.join(each['pathComponents'])} has no comment" for each in symbols if "docComment" not in each]
module, index = (open(f"{catalogue}/{name}.md", encoding="utf-8").read() for name in ("ShardedIndex", "Index"))
for each in symbols:
    path = each["pathComponents"]
    page = module if len(path) == 1 else index if len(path) == 2 and path[0] == "ShardedIndex" else None
    if page and f"``{path[-1]}" not in page and f"/{path[-1]}``" not in page:
        faults.append(f"{'.'.join(path)} stands on no page of {catalogue}")
print(*faults, sep="\n", file=sys.stderr, end="\n" if faults else "")
sys.exit(1 if faults else 0)
EOF

# Scripts/build.sh alone does not build all products.
if [ -e "$modules/ShardedIndexRemote.swiftmodule" ] && [ -e "$modules/SearchModel.swiftmodule" ]; then
  for module in ShardedIndexFoundation ShardedIndexRemote SearchModel ShardBuilder ShardBuilderFoundation; do
    extract "$module" .build/docc/products
  done
  python3 - .build/docc/swift-api.txt .build/docc/graphs .build/docc/products <<'EOF'
import json, pathlib, sys
lines = set()
for path in (path for folder in sys.argv[2:] for path in pathlib.Path(folder).glob("*.json")):
    for each in json.loads(path.read_text())["symbols"]:
        declaration = "".join(part["spelling"] for part in each["declarationFragments"])
        parent = ".".join(each["pathComponents"][:-1])
        lines.add(f"{path.name.split('.')[0]}: {parent + ': ' if parent else ''}{' '.join(declaration.split())}")
pathlib.Path(sys.argv[1]).write_text("".join(line + "\n" for line in sorted(lines)))
EOF
  diff -u Tests/Golden/swift-api.txt .build/docc/swift-api.txt >&2 || {
    echo "the public symbols differ from Tests/Golden/swift-api.txt; if you mean it, copy .build/docc/swift-api.txt there" >&2
    exit 1
  }
fi

docc convert "$catalogue" --additional-symbol-graph-dir .build/docc/graphs --warnings-as-errors \
  --output-dir .build/docc/ShardedIndex.doccarchive --fallback-display-name ShardedIndex \
  --fallback-bundle-identifier shardq.ShardedIndex
