#!/bin/sh
# Makes Debian packages of the programs that `make` built, and prints their paths:
#
#   .build/deb/shardq_VERSION_ARCHITECTURE.deb
#   .build/deb/shardq-serve_….deb    `shardq serve`; only with bin/shardq-serve
#   .build/deb/shardq-remote_….deb   queries of an index of a URL, publishing to stores; only with bin/shardq-remote
#
# The script uses plain dpkg-deb: Debian has no package of the compiler and the Swift packages, so debhelper could not
# install the build-dependencies. The executables are static: the packages depend on no library, and Built-Using names
# their sources. Only shardq-remote uses the system's libcurl, and depends on the packages that dpkg-shlibdeps finds. The
# same commit gives the same bytes: all times are the commit's time, or $SOURCE_DATE_EPOCH. $DEBFULLNAME and $DEBEMAIL
# name the maintainer.
set -eu
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
[ -x bin/shardq ] || { echo "bin/shardq is missing; build it with make" >&2; exit 66; }

version="$(bin/shardq --version)"
architecture="$(dpkg --print-architecture)"
maintainer="${DEBFULLNAME:-The shardq authors} <${DEBEMAIL:-authors@shardq.invalid}>"
stage=.build/deb/shardq
rm -rf .build/deb
mkdir -p "$stage"

# The manual pages have a date, so they are made again.
rm -rf .build/share
make -s install PREFIX=/usr DESTDIR="$stage" zshdir=/usr/share/zsh/vendor-completions
find "$stage/usr/share/man" -type f -exec gzip -9n {} +

# The source packages of statically linked libraries.
built_using=""
for package in libzstd-dev zlib1g-dev nettle-dev libsqlite3-dev libc6-dev musl-dev wasi-libc libclang-rt-14-dev-wasm32 "$(
  dpkg -S "$(gcc -print-libgcc-file-name)" | cut -d: -f1
)"; do
  source="$(dpkg-query -W -f '${source:Package} (= ${source:Version})' "$package" 2>/dev/null)" || continue
  built_using="${built_using:+$built_using, }$source"
done

# Makes the package NAME from the files in .build/deb/NAME; the standard input has its description.
package() { # name, fields of the control file that are its own
  stage=".build/deb/$1"
  documents="$stage/usr/share/doc/$1"
  mkdir -p "$stage/DEBIAN" "$documents" "$stage/usr/share/lintian/overrides"
  cp Packaging/debian/copyright "$documents/copyright"
  # lintian warns of an override without effect.
  [ -d "$stage/usr/bin" ] && others='' || others='/usr.bin/d'
  sed "s/^shardq:/$1:/;$others" Packaging/debian/lintian-overrides >"$stage/usr/share/lintian/overrides/$1"
  gzip -9nc CHANGELOG.md >"$documents/NEWS.gz"
  {
    printf '%s (%s) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n' "$1" "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -d "@$SOURCE_DATE_EPOCH" '+%a, %d %b %Y %H:%M:%S +0000')"
  } | gzip -9n >"$documents/changelog.gz"
  find "$stage" -type d -exec chmod 755 {} +
  find "$documents" "$stage/usr/share/lintian" -type f -exec chmod 644 {} +
  size="$(find "$stage" -path "$stage/DEBIAN" -prune -o -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')"
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
  # One thread, because the bytes depend on the number of threads.
  dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$stage" "$file" >&2
  echo "$file"
}

mkdir -p "$stage/usr/share/doc/shardq"
cp README.md SECURITY.md "$stage/usr/share/doc/shardq/"
for name in shardq-serve shardq-remote; do
  [ -e "$stage/usr/libexec/shardq/$name" ] || continue
  mkdir -p ".build/deb/$name/usr/libexec/shardq"
  mv "$stage/usr/libexec/shardq/$name" ".build/deb/$name/usr/libexec/shardq/"
done
# The service: its unit, its options, and the directory where the options expect indexes.
serve=.build/deb/shardq-serve
if [ -e "$serve" ]; then
  mkdir -p "$serve/DEBIAN" "$serve/usr/lib/systemd/system" "$serve/etc/shardq" "$serve/var/lib/shardq"
  install -m 644 Packaging/debian/shardq-serve.service "$serve/usr/lib/systemd/system/"
  install -m 644 Packaging/debian/serve.conf "$serve/etc/shardq/"
  echo /etc/shardq/serve.conf >"$serve/DEBIAN/conffiles"
  for name in postinst prerm postrm; do
    install -m 755 "Packaging/debian/shardq-serve.$name" "$serve/DEBIAN/$name"
  done
fi
package shardq <<'END'
Suggests: shardq-serve, shardq-remote
Description: type-ahead over lists too big to load
 shardq finds names as you type, in lists of any size. The list stays on disk
 in small compressed shards; a query reads only the few kilobytes that the
 letters typed so far need.
 .
 shardq builds indexes of JSON, CSV, TSV and GeoNames files, and updates,
 compares, ships, verifies and repairs indexes.
END
[ ! -e .build/deb/shardq-serve ] || package shardq-serve <<END
Depends: shardq (= $version)
Description: type-ahead over HTTP, with a search page
 shardq-serve adds the command "shardq serve", which answers queries over HTTP
 and has a search page. The systemd service of that name reads its options from
 /etc/shardq/serve.conf, and starts when an administrator enables it.
END
if [ -e .build/deb/shardq-remote ]; then
  command -v dpkg-shlibdeps >/dev/null || { echo "dpkg-shlibdeps is missing; install dpkg-dev" >&2; exit 69; }
  # dpkg-shlibdeps needs the control file of a source package, and the package's own directory.
  mkdir -p .build/deb/source/debian .build/deb/shardq-remote/DEBIAN
  printf 'Source: shardq\n\nPackage: shardq-remote\nArchitecture: any\n' >.build/deb/source/debian/control
  libraries="$(cd .build/deb/source && dpkg-shlibdeps -O ../shardq-remote/usr/libexec/shardq/* |
    sed -n 's/^shlibs:Depends=//p' | sed 's/\(libcurl[^ ,]*\) ([^)]*)/\1 (>= 7.85)/')" # dpkg-shlibdeps sees only symbols, and no options of libcurl.
  package shardq-remote <<END
Depends: shardq (= $version), $libraries
Description: type-ahead over an index on another machine
 shardq-remote reads an index over HTTP or from S3, as in
 "shardq -i https://example.org/cities/ san". A query fetches only the parts
 that the letters need, and keeps them in a disk cache. The package also has
 "shardq publish", "shardq fetch" and "shardq prune" for object stores.
END
fi
