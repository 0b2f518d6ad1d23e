#!/bin/sh
# Makes a Debian package of what `make` built: .build/deb/shardq_VERSION_ARCHITECTURE.deb
#
# With bin/shardq-serve there, `shardq serve` is in it. Plain dpkg-deb: the compiler and the Swift packages are none of
# Debian's, so debhelper and its build-dependencies would promise what they cannot hold. The executables are static:
# the package depends on nothing, and says in Built-Using which sources are in it. The same commit gives the same bytes:
# times are those of the commit, or of $SOURCE_DATE_EPOCH. $DEBFULLNAME and $DEBEMAIL are its maintainer.
set -eu
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
[ -x bin/shardq ] || { echo "bin/shardq is missing: make builds it" >&2; exit 66; }

version="$(bin/shardq --version)"
architecture="$(dpkg --print-architecture)"
maintainer="${DEBFULLNAME:-The shardq authors} <${DEBEMAIL:-authors@shardq.invalid}>"
stage=.build/deb/stage
rm -rf .build/deb
mkdir -p "$stage/DEBIAN" "$stage/usr/share/doc/shardq" "$stage/usr/share/lintian/overrides"

# The days on manual pages as well: they are made again.
rm -rf .build/share
make -s install PREFIX=/usr DESTDIR="$stage" zshdir=/usr/share/zsh/vendor-completions
find "$stage/usr/share/man" -type f -exec gzip -9n {} +

documents="$stage/usr/share/doc/shardq"
cp Packaging/debian/copyright "$documents/copyright"
cp README.md SECURITY.md "$documents/"
cp Packaging/debian/lintian-overrides "$stage/usr/share/lintian/overrides/shardq"
gzip -9nc CHANGELOG.md >"$documents/NEWS.gz"
{
  printf 'shardq (%s) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n' "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
} | gzip -9n >"$documents/changelog.gz"

# What is linked statically, by the source packages that it comes from.
built_using=""
for package in libzstd-dev zlib1g-dev nettle-dev libsqlite3-dev libc6-dev musl-dev "$(
  dpkg -S "$(gcc -print-libgcc-file-name)" | cut -d: -f1
)"; do
  source="$(dpkg-query -W -f '${source:Package} (= ${source:Version})' "$package" 2>/dev/null)" || continue
  built_using="${built_using:+$built_using, }$source"
done

find "$stage" -type d -exec chmod 755 {} +
find "$documents" -type f -exec chmod 644 {} +
chmod 644 "$stage/usr/share/lintian/overrides/shardq"
size="$(find "$stage/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')"
cat >"$stage/DEBIAN/control" <<EOF
Package: shardq
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Built-Using: $built_using
Section: utils
Priority: optional
Description: type-ahead over lists too big to load
 shardq makes an index of a list of records, cut into small compressed shards,
 and answers what begins with the letters typed so far: it loads the kilobytes
 that it needs, and the list follows every key.
 .
 JSON, CSV, TSV and GeoNames files can be indexed; indexes can be updated,
 compared, shipped as packs, verified and repaired.
EOF
(cd "$stage" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$stage/DEBIAN/md5sums"

package=".build/deb/shardq_${version}_$architecture.deb"
# One thread, since how the work is divided is seen in the bytes.
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$stage" "$package" >&2
echo "$package"
