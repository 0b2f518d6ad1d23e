#!/bin/sh
# Makes the library's documentation, a DocC archive for any web server: .build/docc/ShardedIndex.doccarchive
# The script fails at a warning of DocC, and at a public symbol without a comment or without a place on the pages.
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
swift symbolgraph-extract -module-name ShardedIndex -I "$modules" \
  -target "$(swiftc -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -1)" \
  -minimum-access-level public -skip-synthesized-members -output-dir .build/docc/graphs \
  -Xcc "-fmodule-map-file=$PWD/Sources/System/CZstd/module.modulemap" \
  -Xcc "-fmodule-map-file=$PWD/Sources/System/CShims/module.modulemap"

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

docc convert "$catalogue" --additional-symbol-graph-dir .build/docc/graphs --warnings-as-errors \
  --output-dir .build/docc/ShardedIndex.doccarchive --fallback-display-name ShardedIndex \
  --fallback-bundle-identifier shardq.ShardedIndex
