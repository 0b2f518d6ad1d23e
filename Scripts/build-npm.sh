#!/bin/sh
# Builds the package for Node and for bundlers, as npm packs it: Scripts/build-npm.sh FOLDER
#
# The package has the WebAssembly module (Scripts/build-wasm.sh), its script and Sources/Hosts/Node. The script fetches nothing.
# If a tool is missing, the script builds nothing and ends with 3.
set -eu
out="${1:?usage: Scripts/build-npm.sh FOLDER}"
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "the package for Node is not built: npm is missing" >&2; exit 3; }
module=.build/wasm/module/shardq.wasm
Scripts/build-wasm.sh "$module"
package=.build/npm
rm -rf "$package"
mkdir -p "$package" "$out"
cp "$module" Sources/Hosts/Wasm/shardq.js Sources/Hosts/Node/*.js Sources/Hosts/Node/*.d.ts Sources/Hosts/Node/README.md LICENSE Packaging/debian/copyright "$package"
version="$(sed -n 's/.*text = "\(.*\)"/\1/p' Sources/Programs/QueryOutput/ProductVersion.swift)"
cat >"$package/package.json" <<END
{
  "name": "shardq",
  "version": "$version",
  "description": "Type-ahead over lists of any size, on disk",
  "license": "MIT",
  "type": "module",
  "sideEffects": false,
  "engines": { "node": ">=20" },
  "exports": {
    ".": { "types": "./index.d.ts", "node": "./node.js", "default": "./shardq.js" },
    "./instantsearch": { "types": "./instantsearch.d.ts", "default": "./instantsearch.js" },
    "./shardq.wasm": "./shardq.wasm"
  },
  "types": "./index.d.ts"
}
END
file="$(npm pack --offline --silent --pack-destination "$out" "./$package")"
echo "$out/$file: $(wc -c <"$out/$file") bytes"
