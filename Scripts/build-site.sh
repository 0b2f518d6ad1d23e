#!/bin/sh
# Writes a folder that any host of static files serves: the page of `shardq serve`, the engine as WebAssembly, and an index:
#
#     Scripts/build-site.sh SITE [INDEX]
#
# INDEX is ./shards where it is left out. A folder that is there is refused. docs/static-page.md says how it is served.
set -eu
site="${1:?usage: Scripts/build-site.sh SITE [INDEX]}"
index="${2:-$(dirname "$0")/../shards}"
[ ! -e "$site" ] || { echo "$site is there already: name another folder, or remove it" >&2; exit 64; }
[ -e "$index/manifest" ] || { echo "no index at $index: there is no manifest in it" >&2; exit 66; }
# Changes beside the shards do not travel.
[ ! -s "$index/overlay" ] || { echo "$index has changes beside its shards: shardq update --merge first" >&2; exit 65; }
index="$(cd "$index" && pwd)"
mkdir -p "$(dirname "$site")"
site="$(cd "$(dirname "$site")" && pwd)/$(basename "$site")"
cd "$(dirname "$0")/.."

module=.build/wasm/module/shardq.wasm
Scripts/build-wasm.sh "$module" >&2
work="$site.part$$"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/index"
cp "$module" Sources/Wasm/shardq.js Sources/Wasm/static.js "$work"
# Hosts such as nginx with gzip_static send the compressed file as it is.
gzip -9 -n -c "$module" >"$work/shardq.wasm.gz"
cp "$index/manifest" "$index"/*.zst "$work/index"
python3 - Sources/ShardqServe/Resources/page.html "$work/index.html" <<'EOF'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
page = page.replace('<html lang="en">', '<html lang="en" data-index="index/">', 1)
page = re.sub("<noscript>.*?</noscript>", "<noscript>This page needs JavaScript.</noscript>", page, flags=re.S)
def sources(element):
    found = re.findall(f"<{element}[^>]*>(.*?)</{element}>", page, flags=re.S)
    return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in found)
policy = (
    f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval' {sources('script')}; style-src {sources('style')}; "
    "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'"
)
page = page.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)
open(sys.argv[2], "w", encoding="utf-8").write(page)
EOF
mv "$work" "$site"
echo "$site: $(du -sb "$site" | cut -f1) bytes, of which the index has $(du -sb "$site/index" | cut -f1)"
