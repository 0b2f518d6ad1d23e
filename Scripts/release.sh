#!/bin/sh
# Makes the files of a release from the commit, in .build/release, and tries them: Scripts/release.sh
#
# Two clones build everything; each file must have the same bytes in both. Then Scripts/try-release.sh tries each file, most of
# them in a fresh Debian. A file is in .build/release only if both hold. It takes up to half an hour on two cores. Publishing
# the files, and the tag of the version, are the work of a person: docs/install.md.
set -eu
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "there are changes that are not committed; a release is a commit" >&2; exit 65; }
began="$(date +%s)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for name in first of-another-name; do
  git clone -q . "$work/$name"
  (cd "$work/$name" && Scripts/dependencies.sh --tests && make -s dist SERVER=1 REMOTE=1) >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  echo "built in $(($(date +%s) - began)) s: $(find "$work/$name/.build/dist" -type f | wc -l) files"
done
cd "$work/first/.build/dist"
for file in *; do
  cmp "$file" "$work/of-another-name/.build/dist/$file" || { echo "another build has other bytes" >&2; exit 1; }
done
cd "$OLDPWD"
[ "$(ls "$work/first/.build/dist")" = "$(ls "$work/of-another-name/.build/dist")" ] || { echo "another build has other files" >&2; exit 1; }
echo "the same bytes in both"
Scripts/try-release.sh "$work/first/.build/dist"
rm -rf .build/release
mkdir -p .build
mv "$work/first/.build/dist" .build/release
ls -l .build/release
echo "made and tried in $(($(date +%s) - began)) s"
