#!/bin/sh
# Builds the WebAssembly module, compares it with the command, in Node, and looks at the page in Chromium, on nginx: two
# minutes, most of them the compiler's. SHARDQ_LONG=1 asks more, types through the list of cities, and has the page ask an
# index in Ceph's gateway, where that is installed.
# Ends with 77, and a sentence, where something is missing.
set -eu
cd "$(dirname "$0")/../.."
[ -n "$(command -v node)" ] || { echo "skipped: the WebAssembly module, for there is no node"; exit 77; }
status=0
Scripts/build-wasm.sh .build/wasm/module/shardq.wasm || status=$?
[ "$status" -ne 3 ] || { echo "skipped: the WebAssembly module, for something that builds it is missing"; exit 77; }
[ "$status" -eq 0 ] || exit "$status"
[ "${SHARDQ_LONG:-}" != 1 ] || Scripts/build-wasm.sh --keys .build/wasm-keys/module/shardq.wasm
export SHARDQ_BIN="${SHARDQ_BIN:-$PWD/bin}" PYTHONDONTWRITEBYTECODE=1
node --test Tests/Wasm/
python3 -m unittest Tests/Wasm/test_command.py
python3 -c 'import sys; sys.path.insert(0, "Tests/Page"); import browser; sys.exit(not browser.executable())' ||
  { echo "skipped: the page without a server, for there is no Chromium"; exit 77; }
python3 -m unittest Tests/Wasm/test_page.py
[ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || { echo "skipped: the page on nginx, which is not here"; exit 77; }
python3 -m unittest Tests/Wasm/test_hosts.py
python3 -m unittest Tests/Wasm/test_ceph.py
