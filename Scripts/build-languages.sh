#!/bin/sh
# Builds the packages for other languages that can be built here: Scripts/build-languages.sh FOLDER
#
#   libshardq-VERSION-SYSTEM-PROCESSOR.tar.xz   the C library and its header, to unpack into a prefix
#   shardq-VERSION-py3-none-….whl               the Python package, with the command
#   shardq_core-VERSION-py3-none-….whl          the Python package without the command
#   shardq-VERSION.tgz                          the package for Node and bundlers
set -eu
out="${1:?usage: Scripts/build-languages.sh FOLDER}"
cd "$(dirname "$0")/.."
mkdir -p "$out"
version="$(sed -n 's/.*text = "\(.*\)"/\1/p' Sources/Programs/QueryOutput/ProductVersion.swift)"

built() { # a script
  status=0
  "Scripts/$1" "$out" >&2 || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit "$status"
  [ "$status" -eq 0 ]
}
built build-npm.sh || true
built build-wheel.sh || exit 0
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
name="libshardq-$version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
mkdir -p "$stage/$name/lib" "$stage/$name/include"
cp -P .build/library/out/libshardq.* "$stage/$name/lib"
cp .build/library/out/shardq.h "$stage/$name/include"
cp LICENSE Packaging/debian/copyright "$stage/$name"
tar -C "$stage" --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner -cf - "$name" | xz -T1 >"$out/$name.tar.xz"
