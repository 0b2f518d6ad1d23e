#!/bin/sh
# Makes Debian packages of what `make` built, and prints their paths: .build/deb/shardq_VERSION_ARCHITECTURE.deb, with
# bin/shardq-serve there shardq-serve_….deb, which has `shardq serve`, and with bin/shardq-remote shardq-remote_….deb, by
# which queries read an index of a URL, and indexes are published to stores. Plain dpkg-deb: the compiler and the Swift packages are none of Debian's, so
# debhelper and its build-dependencies would promise what they cannot hold. The executables are static: the packages
# depend on no library, and say in Built-Using which sources are in them; shardq-remote alone takes libcurl from the
# system, and depends on the packages that dpkg-shlibdeps finds. The same commit gives the same bytes: times are those of
# the commit, or of $SOURCE_DATE_EPOCH. $DEBFULLNAME and $DEBEMAIL are its maintainer.
set -eu
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
[ -x bin/shardq ] || { echo "bin/shardq is missing: make builds it" >&2; exit 66; }

version="$(bin/shardq --version)"
architecture="$(dpkg --print-architecture)"
maintainer="${DEBFULLNAME:-The shardq authors} <${DEBEMAIL:-authors@shardq.invalid}>"
stage=.build/deb/shardq
rm -rf .build/deb
mkdir -p "$stage"

# The days on manual pages as well: they are made again.
rm -rf .build/share
make -s install PREFIX=/usr DESTDIR="$stage" zshdir=/usr/share/zsh/vendor-completions
find "$stage/usr/share/man" -type f -exec gzip -9n {} +

# What is linked statically, by the source packages that it comes from.
built_using=""
for package in libzstd-dev zlib1g-dev nettle-dev libsqlite3-dev libc6-dev musl-dev wasi-libc libclang-rt-14-dev-wasm32 "$(
  dpkg -S "$(gcc -print-libgcc-file-name)" | cut -d: -f1
)"; do
  source="$(dpkg-query -W -f '${source:Package} (= ${source:Version})' "$package" 2>/dev/null)" || continue
  built_using="${built_using:+$built_using, }$source"
done

# Makes the package NAME of the files below .build/deb/NAME; the standard input has its description.
package() { # name, fields of the control file that are its own
  stage=".build/deb/$1"
  documents="$stage/usr/share/doc/$1"
  mkdir -p "$stage/DEBIAN" "$documents" "$stage/usr/share/lintian/overrides"
  cp Packaging/debian/copyright "$documents/copyright"
  # lintian warns of an override of nothing.
  [ -d "$stage/usr/bin" ] && others='' || others='/usr.bin/d'
  sed "s/^shardq:/$1:/;$others" Packaging/debian/lintian-overrides >"$stage/usr/share/lintian/overrides/$1"
  gzip -9nc CHANGELOG.md >"$documents/NEWS.gz"
  {
    printf '%s (%s) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n' "$1" "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
  } | gzip -9n >"$documents/changelog.gz"
  find "$stage" -type d -exec chmod 755 {} +
  find "$documents" "$stage/usr/share/lintian" -type f -exec chmod 644 {} +
  size="$(find "$stage/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')"
  cat >"$stage/DEBIAN/control" <<END
Package: $1
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Built-Using: $built_using
Section: utils
Priority: optional
$(cat)
END
  (cd "$stage" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$stage/DEBIAN/md5sums"
  file=".build/deb/$1_${version}_$architecture.deb"
  # One thread, since how the work is divided is seen in the bytes.
  dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$stage" "$file" >&2
  echo "$file"
}

mkdir -p "$stage/usr/share/doc/shardq"
cp README.md SECURITY.md "$stage/usr/share/doc/shardq/"
for name in shardq-serve shardq-remote; do
  [ -e "$stage/usr/libexec/shardq/$name" ] || continue
  mkdir -p ".build/deb/$name/usr/libexec/shardq"
  mv "$stage/usr/libexec/shardq/$name" ".build/deb/$name/usr/libexec/shardq/"
  [ "$name" != shardq-remote ] || for other in shardq-store shardq-serve-remote; do
    [ ! -e "$stage/usr/libexec/shardq/$other" ] ||
      mv "$stage/usr/libexec/shardq/$other" ".build/deb/$name/usr/libexec/shardq/"
  done
done
package shardq <<'END'
Suggests: shardq-serve, shardq-remote
Description: type-ahead over lists too big to load
 shardq makes an index of a list of records, cut into small compressed shards,
 and answers what begins with the letters typed so far: it loads the kilobytes
 that it needs, and the list follows every key.
 .
 JSON, CSV, TSV and GeoNames files can be indexed; indexes can be updated,
 compared, shipped as packs, verified and repaired.
END
[ ! -e .build/deb/shardq-serve ] || package shardq-serve <<END
Depends: shardq (= $version)
Description: type-ahead over HTTP, with a search page
 shardq-serve has the command "shardq serve": it answers what begins with the
 letters typed so far, over HTTP, and shows a search page.
END
if [ -e .build/deb/shardq-remote ]; then
  command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is missing: Debian's dpkg-dev has it" >&2; exit 69; }
  # It looks for the control file of a source package, and for the directory of the package's own.
  mkdir -p .build/deb/source/debian .build/deb/shardq-remote/DEBIAN
  printf 'Source: shardq\n\nPackage: shardq-remote\nArchitecture: any\n' >.build/deb/source/debian/control
  libraries="$(cd .build/deb/source && dpkg-shlibdeps -O ../shardq-remote/usr/libexec/shardq/* |
    sed -n 's/^shlibs:Depends=//p' | sed 's/\(libcurl[^ ,]*\) ([^)]*)/\1 (>= 7.85)/')" # It sees no options, only symbols.
  package shardq-remote <<END
Depends: shardq (= $version), $libraries
Description: type-ahead over an index on another machine
 shardq-remote lets queries of shardq read an index over HTTP or out of S3, as
 in "shardq -i https://example.org/cities/ san": it fetches the parts that the
 letters need, and keeps them in a disk cache. shardq-store, beside it, has the
 commands "shardq publish", "shardq fetch" and "shardq prune" for object stores.
END
fi
