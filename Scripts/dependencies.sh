#!/bin/sh
# Installs missing C libraries for the build of shardq: libzstd (the engine), zlib and nettle (the builder), and on Debian
# for x86-64 musl (the executable shardq). --query installs only libzstd, which suffices for queries. --remote also installs
# libcurl, for shardq-remote. --tests installs all, the programs of the tests, and SQLite, which `shardq footprint`
# measures. The script prints the name of each package that it installs.
set -eu

missing=""
need() { # header package
  for directory in /usr/include /usr/include/*-linux-gnu /usr/local/include /opt/homebrew/include; do
    [ ! -e "$directory/$1" ] || return 0
  done
  missing="$missing $2"
}
tool() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }

if [ "$(uname)" = Darwin ]; then
  need zstd.h zstd
  [ "${1:-}" = --query ] || need nettle/sha2.h nettle
  [ "${1:-}" != --tests ] || { for name in zstd tmux jq xz sqlite3; do tool "$name" "$name"; done; }
  [ -z "$missing" ] || { echo "installing:$missing" >&2; brew install $missing; }
  exit 0
fi

need zstd.h libzstd-dev
if [ "${1:-}" != --query ]; then
  need zlib.h zlib1g-dev
  need nettle/sha2.h nettle-dev
  # Without musl, shardq is built with Swift's runtime: Scripts/build-embedded.sh.
  [ "$(uname -m)" != x86_64 ] || ! command -v apt-get >/dev/null 2>&1 || need x86_64-linux-musl/stdlib.h musl-dev
fi
if [ "${1:-}" = --tests ] || [ "${1:-}" = --remote ]; then
  need curl/curl.h libcurl4-openssl-dev
fi
if [ "${1:-}" = --tests ]; then
  need sqlite3.h libsqlite3-dev
  tool zstd zstd
  tool python3 python3
  tool tmux tmux
  tool strace strace
  # Programs that messages recommend for files in other formats; a test runs each.
  for name in jq bzip2 zip unzip sqlite3; do tool "$name" "$name"; done
  tool xz xz-utils
  tool chromium chromium # Tests/Page tests the page in these two.
  tool firefox-esr firefox-esr
  # The WebAssembly module: Scripts/build-wasm.sh.
  need wasm32-wasi/stdlib.h wasi-libc
  [ -n "$(ls /usr/lib/llvm-*/lib/clang/*/lib/wasi/libclang_rt.builtins-wasm32.a 2>/dev/null)" ] ||
    missing="$missing libclang-rt-14-dev-wasm32"
  tool wasm-opt binaryen
  tool node nodejs
  tool tsc node-typescript # tsc checks the page's scripts, and reads the types of the package for Node.
  # nginx, a host of files, is in a folder that only root has in PATH.
  [ -x /usr/sbin/nginx ] || tool nginx nginx
  for name in zsh fish mandoc lintian; do tool "$name" "$name"; done
  [ -e /usr/share/unicode/UnicodeData.txt ] || missing="$missing unicode-data"
fi
if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing packages; install them under the names of your system:$missing" >&2
    exit 69
  fi
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  echo "installing:$missing" >&2
  $sudo apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq $missing >&2
fi

# axe-core, an accessibility checker, from a Python package that contains it. Without axe-core its test is skipped.
axe="$(dirname "$0")/../.build/axe"
if [ "${1:-}" = --tests ] && [ ! -e "$axe/axe_playwright_python/axe.min.js" ]; then
  { python3 -m pip download -q --no-deps -d "$axe" axe-playwright-python==0.1.8 &&
    python3 -m zipfile -e "$axe"/axe_playwright_python-*.whl "$axe"; } >&2 || echo "axe-core cannot be fetched; its test will be skipped" >&2
fi

# From PyPI, for tests only: geopy, a client of Photon's interface; schemathesis, which makes requests from an OpenAPI
# document; mypy, which checks types; pandas. Without these packages their tests are skipped.
python="$(dirname "$0")/../.build/python"
missing=""
for name in geopy==2.5.0 schemathesis==4.32.5 mypy==2.4.1 pandas==3.1.1; do
  [ -e "$python/${name%%==*}" ] || missing="$missing $name"
done
if [ "${1:-}" = --tests ] && [ -n "$missing" ]; then
  python3 -m pip install -q --upgrade --target "$python" $missing >&2 ||
    echo "these packages cannot be fetched, and their tests will be skipped:$missing" >&2
fi
