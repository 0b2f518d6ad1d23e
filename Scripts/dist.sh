#!/bin/sh
# Makes the files of a release in .build/dist, from the programs that `make` built:
#
#   shardq-VERSION.tar.gz                    the source of the commit; only in a clone
#   shardq-VERSION-SYSTEM-PROCESSOR.tar.xz   an installation, to unpack into a prefix
#   shardq-serve-VERSION-….tar.xz            `shardq serve`, to unpack into the same prefix; only with bin/shardq-serve
#   shardq-remote-VERSION-….tar.xz           the same for an index of a URL or in a store, only with bin/shardq-remote; it
#                                            needs the system's libcurl
#   shardq_VERSION_….deb and the like        the same as Debian packages; only with dpkg-deb
#   libshardq-….tar.xz, shardq-….whl, shardq_core-….whl, shardq-VERSION.tgz
#                                            the C library, the Python packages and the package for Node, if they can be
#                                            built: Scripts/build-languages.sh
#   shardq-VERSION.resolved                  Package.resolved: the versions of Swift's packages that the programs were built with
#   NAME.spdx.json                           the content of each file above by SPDX 2.3: Scripts/spdx.py
#   shardq.rb                                the formula for Homebrew, with the source's checksum; only in a clone
#   SHA256SUMS                               the checksums of all files
#
# One commit gives the same bytes: all times are the commit's time, or $SOURCE_DATE_EPOCH.
set -eu
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
version="$(bin/shardq --version)"
platform="$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)"
dist=.build/dist
rm -rf "$dist"
mkdir -p "$dist/stage"

# The manual pages have a date, so they are made again.
rm -rf .build/share
make -s install PREFIX= DESTDIR="$dist/stage/shardq"
pack() { # name, directory, its content
  name="$1-$version-$platform"
  mv "$dist/stage/$2" "$dist/stage/$name"
  tar -C "$dist/stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$name" |
    xz -T1 >"$dist/$name.tar.xz"
}
for program in shardq-serve shardq-remote; do
  [ -e "bin/$program" ] || continue
  mkdir -p "$dist/stage/$program/libexec/shardq"
  mv "$dist/stage/shardq/libexec/shardq/$program" "$dist/stage/$program/libexec/shardq/"
  pack "$program" "$program"
done
cp README.md LICENSE "$dist/stage/shardq/"
pack shardq shardq

if command -v dpkg-deb >/dev/null; then
  for package in $(Scripts/package-deb.sh); do cp "$package" "$dist/"; done
fi
Scripts/build-languages.sh "$dist"
if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
  source="$dist/shardq-$version.tar.gz"
  git archive --prefix="shardq-$version/" HEAD | gzip -9n >"$source"
  sum="$(sha256sum "$source" | cut -d' ' -f1)"
  sed "s/VERSION/$version/; s/SHA256/$sum/" Packaging/homebrew/shardq.rb >"$dist/shardq.rb"
fi
rm -rf "$dist/stage"
cp Package.resolved "$dist/shardq-$version.resolved"
Scripts/spdx.py "$dist"
(cd "$dist" && sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS)
ls -l "$dist" >&2
