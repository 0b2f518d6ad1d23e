#!/bin/sh
# Fetches zstd's sources from Debian's source package, into a git repository with one tag: Scripts/zstd-sources.sh DIRECTORY
# If the directory has the sources, the script does nothing. Ends with 77 if the sources cannot be fetched.
set -eu
zstd="${1:?usage: Scripts/zstd-sources.sh DIRECTORY}"
[ ! -d "$zstd/.git" ] || exit 0
skip() {
  echo "skipped: zstd's sources cannot be fetched, neither from its repository nor from Debian" >&2
  exit 77
}
[ -e /etc/apt/sources.list.d/debian.sources ] || skip

# The sources come from the same place as this machine's packages.
sources="$(mktemp -d)"
trap 'rm -rf "$sources"' EXIT
mkdir -p "$sources/lists/partial" "$sources/parts"
sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' /etc/apt/sources.list.d/debian.sources \
  >"$sources/parts/debian.sources"
# apt downloads as the user _apt, who needs access to the directory.
chmod 755 "$sources"
with_sources() {
  command="$1"
  shift
  "$command" -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$sources/parts" \
    -o "Dir::State::lists=$sources/lists" "$@"
}
with_sources apt-get update >&2 || skip
# The newest first. A mirror may list a version whose files it no longer has.
for version in $(with_sources apt-cache showsrc libzstd | sed -n 's/^Version: //p' | sort -Vr | uniq); do
  (cd "$sources" && with_sources apt-get source --download-only "libzstd=$version" >&2) && break || rm -f "$sources"/libzstd_*
done
[ -n "$(ls "$sources"/libzstd_*.orig.tar.xz 2>/dev/null)" ] || skip
rm -rf "$zstd"
mkdir -p "$zstd"
tar -xf "$sources"/libzstd_*.orig.tar.xz -C "$zstd" --strip-components=1
version="$(ls "$sources"/libzstd_*.orig.tar.xz | sed 's/.*libzstd_\([0-9.]*\).*/\1/')"
cd "$zstd"
git init -q
git add lib Package.swift LICENSE
git -c user.name=zstd -c user.email=zstd@localhost commit -qm "zstd $version"
git tag "v$version"
