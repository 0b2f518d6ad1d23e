#!/bin/sh
# Checks that the commit gives the same executables and packages in another directory: Scripts/check-reproducible.sh
# The script builds everything twice, in some minutes, and is no step of check.sh.
set -eu
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || echo "changes that are not committed are left out" >&2
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for name in first of-another-name; do git clone -q . "$work/$name"; done
for name in first of-another-name; do
  (cd "$work/$name" && { make -s deb SERVER=1 REMOTE=1 && Scripts/build-languages.sh .build/languages; } >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
done
cd "$work/first"
status=0
for file in bin/* .build/deb/*.deb .build/languages/*; do
  if cmp "$file" "$work/of-another-name/$file"; then echo "the same: $file"; else status=1; fi
done
exit "$status"
