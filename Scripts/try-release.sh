#!/bin/sh
# Tries each file of a release where it would be used: Scripts/try-release.sh FOLDER [MIRROR]
#
# The root is a fresh Debian 12 from debootstrap, with Python and nothing of Swift. Only root can make it. MIRROR is a Debian
# mirror; the default is the machine's own. The package for Node, the C library and the Swift package are tried on the machine
# itself, in new folders. The script prints a line for each file that works, and ends at the first that does not.
set -eu
dist="$(cd "${1:?usage: Scripts/try-release.sh FOLDER [MIRROR]}" && pwd)"
clone="$(cd "$(dirname "$0")/.." && pwd)"
mirror="${2:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | sed -n 's/^URIs: *//p; s/^deb [^h]*\(http[^ ]*\).*/\1/p' | head -1)}"
[ "$(id -u)" -eq 0 ] || { echo "only root can make a clean Debian" >&2; exit 77; }
PATH="$PATH:/usr/sbin:/sbin"
command -v debootstrap >/dev/null || apt-get install -y debootstrap >/dev/null
work="$(mktemp -d)"
root="$work/root"
served=""
# Stops the server: the program itself, or unshare below a shell, and with it the program in the root. unshare ignores TERM.
stop() {
  [ -z "$served" ] || pkill -KILL -P "$served" || kill "$served" 2>/dev/null || true
  served=""
}
finish() {
  stop
  rm -rf "$work"
}
trap finish EXIT
version="$(basename "$dist"/shardq-[0-9]*.tar.gz .tar.gz)"
version="${version#shardq-}"
say() { echo "works: $1"; }
wrong() { echo "does not work: $1" >&2; exit 1; }
# Runs a command in the root, with a /proc of its own. The mount ends with the command.
within() {
  unshare --mount --pid --kill-child --mount-proc="$root/proc" \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"
}
answers() { # what, command...
  what=$1
  shift
  "$@" >"$work/said" 2>"$work/failed" || { cat "$work/said" "$work/failed" >&2; wrong "$what"; }
  grep -q Reykjav "$work/said" || { cat "$work/said" "$work/failed" >&2; wrong "$what"; }
}

(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
say "SHA256SUMS"
debootstrap --variant=minbase --include=python3,python3-venv bookworm "$root" "$mirror" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mkdir "$root/release"
cp "$dist"/* "$clone/Samples/cities.csv" "$root/release/"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true

# The static programs, unpacked.
within sh -ec 'cd /opt; for file in /release/shardq-*-linux-*.tar.xz; do case "$file" in *serve*|*remote*) ;; *) python3 -c "import tarfile, sys; tarfile.open(sys.argv[1]).extractall()" "$file";; esac; done'
answers "the tarball" within sh -ec 'cd /tmp; /opt/shardq-*/bin/shardq build -q -i t /release/cities.csv; /opt/shardq-*/bin/shardq -i t reykj'
say "the tarball of static programs"

# The wheels, without a network, in environments of their own.
within python3 -m venv /opt/python
within sh -ec '/opt/python/bin/pip install -q --no-index /release/shardq-*.whl'
answers "the wheel's command" within sh -ec 'cd /tmp; /opt/python/bin/shardq build -q -i w /release/cities.csv; /opt/python/bin/shardq -i w reykj'
answers "the wheel" within /opt/python/bin/python -c '
import shardq
records = ({"name": name, "n": number} for number, name in enumerate(["Reykjavík", "London"]))
with shardq.build(records, "/tmp/p", key="{name}", weight="n", typos=True) as index:
    assert index.built["records"] == 2
    print(index.search("rekjav")[0])'
within python3 -m venv /opt/core
within sh -ec '/opt/core/bin/pip install -q --no-index /release/shardq_core-*.whl'
answers "shardq-core" within /opt/core/bin/python -c 'import shardq; print(shardq.Index("/tmp/p").search("rey")[0])'
say "the wheels"

# The Debian packages; apt fetches libcurl from the mirror.
within sh -ec 'dpkg -i /release/shardq_*.deb' >"$work/log" 2>&1 || { cat "$work/log" >&2; wrong "shardq.deb"; }
answers "the Debian package" within sh -ec 'cd /tmp; shardq build -q -i d /release/cities.csv; shardq -i d reykj'
say "the Debian package shardq"
within sh -ec 'apt-get update -q && apt-get install -y -q --no-install-recommends /release/shardq-*.deb' >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; wrong "the other Debian packages"; }
within shardq serve -i /tmp/d --listen 127.0.0.1:18743 >"$work/served" 2>&1 &
served=$!
answers "shardq serve" within python3 -c '
import time, urllib.request
for left in range(100):
    try:
        print(urllib.request.urlopen("http://127.0.0.1:18743/v1/search?q=reykj").read().decode())
        break
    except OSError:
        time.sleep(0.1)'
stop
cp -r "$root/tmp/d" "$work/index"
(cd "$work" && exec python3 -m http.server -b 127.0.0.1 18744) >/dev/null 2>&1 &
served=$!
sleep 1
answers "shardq-remote" within shardq -i http://127.0.0.1:18744/index/ reykj
stop
within apt-get purge -y -q shardq shardq-serve shardq-remote >"$work/log" 2>&1 || { cat "$work/log" >&2; wrong "the removal of the packages"; }
[ ! -e "$root/usr/bin/shardq" ] || wrong "the removal of the packages"
say "the Debian packages shardq-serve and shardq-remote, and their removal"

# The package for Node in a new folder; Debian 12 has Node 18, and the package needs 20.
if command -v npm >/dev/null; then
  mkdir "$work/node"
  (cd "$work/node" && npm install --offline --silent "$dist/shardq-$version.tgz" >/dev/null)
  answers "the package for Node" sh -ec "cd '$work/node'; node --input-type=module -e \"
    import {open} from 'shardq';
    const index = await open('$work/index');
    console.log((await index.search('reykj')).matches);\""
  say "the package for Node"
else
  echo "skipped: the package for Node; npm is missing" >&2
fi

# The C library: a program that is linked here, and runs in the root.
mkdir "$work/c"
tar -C "$work/c" --strip-components=1 -xf "$dist"/libshardq-*.tar.xz
cat >"$work/c/list.c" <<'END'
#include <shardq.h>
#include <stdio.h>
int main(void) {
  int status;
  sq_index *index = sq_open("/tmp/d", 0, &status);
  sq_options options = {.size = sizeof(options), .limit = 5, .flags = SQ_JSON};
  if (status != SQ_OK || sq_query(index, "reykj", 5, &options) != SQ_OK) return 1;
  size_t size;
  const char *answer = sq_answer(index, &size);
  printf("%.*s\n", (int)size, answer);
  sq_close(index);
}
END
cc -o "$work/c/list" "$work/c/list.c" -I"$work/c/include" -L"$work/c/lib" -lshardq
cp -r "$work/c" "$root/opt/c"
answers "libshardq" within env LD_LIBRARY_PATH=/opt/c/lib /opt/c/list
say "libshardq"

# The Swift package by its tag, from the source of the release.
mkdir -p "$work/swift/app/Sources/app" "$work/swift/source"
tar -C "$work/swift/source" --strip-components=1 -xf "$dist/shardq-$version.tar.gz"
(
  cd "$work/swift/source"
  git init -q . && git add -A && git -c user.name=release -c user.email=release@invalid commit -qm release && git tag "$version"
)
cat >"$work/swift/app/Package.swift" <<END
// swift-tools-version: 6.1
import PackageDescription
let package = Package(
  name: "app", platforms: [.macOS(.v14)],
  dependencies: [.package(url: "file://$work/swift/source", from: "$version")],
  targets: [.executableTarget(name: "app", dependencies: [.product(name: "ShardedIndex", package: "source")])])
END
cat >"$work/swift/app/Sources/app/main.swift" <<'END'
import ShardedIndex
let index = try ShardedIndex(opening: CommandLine.arguments[1])
for record in try index.search("reykj", order: .key).prefix(3) { print(record.key) }
END
(cd "$work/swift/app" && swift build -q 2>"$work/log") || { cat "$work/log" >&2; wrong "the Swift package"; }
answers "the Swift package" "$work/swift/app/.build/debug/app" "$work/index"
say "the Swift package by its tag"
