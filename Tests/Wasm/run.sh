#!/bin/sh
# Builds the WebAssembly module, compares it with the command in Node, and tests the page in Chromium and on nginx. It
# takes two minutes, mostly for the compiler. SHARDQ_LONG=1 asks more queries, types the list of cities, and has the
# page read an index in Ceph's gateway, if Ceph is installed. Ends with 77 and a sentence if a tool is missing.
set -eu
cd "$(dirname "$0")/../.."
[ -n "$(command -v node)" ] || { echo "skipped: the WebAssembly module, because node is missing"; exit 77; }
status=0
Scripts/build-wasm.sh .build/wasm/module/shardq.wasm || status=$?
[ "$status" -ne 3 ] || { echo "skipped: the WebAssembly module, because a tool to build it is missing"; exit 77; }
[ "$status" -eq 0 ] || exit "$status"
export SHARDQ_BIN="${SHARDQ_BIN:-$PWD/bin}" PYTHONDONTWRITEBYTECODE=1
# A connection that is still open does not keep a test's process.
for file in Tests/Wasm/*.test.mjs; do node --test-force-exit --test-timeout=600000 "$file"; done
python3 -m unittest Tests/Wasm/test_command.py
python3 -c 'import sys; sys.path.insert(0, "Tests/Page"); import browser; sys.exit(not browser.executable())' ||
  { echo "skipped: the page without a server, because Chromium is missing"; exit 77; }
python3 -m unittest Tests/Wasm/test_page.py
python3 -m unittest Tests/Wasm/test_filters.py # Also in Firefox, if it is installed.
python3 -m unittest Tests/Wasm/test_first.py # Also in Firefox, if it is installed.
[ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || { echo "skipped: the page on nginx, because nginx is missing"; exit 77; }
python3 -m unittest Tests/Wasm/test_hosts.py
python3 -m unittest Tests/Wasm/test_ceph.py
