#!/bin/sh
# Compares the indexes that bin/shardq builds with the digests in Tests/digests.txt: indexes of the lists in $SHARDQ_DATA
# (../shared/data), of the clone's sample, and of a million generated records. The script names each index whose bytes
# changed, and ends with 1. `--write` writes new digests, for an intended change of bytes.
set -eu
cd "$(dirname "$0")/.."
data="${SHARDQ_DATA:-../shared/data}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# One digest of the names and bytes of all files, without the lock and the overlay, which no query needs.
digest() { # name, index
  (cd "$2" && find . -type f ! -name .lock ! -name 'overlay*' ! -name README.md | LC_ALL=C sort | xargs sha256sum) \
    | sha256sum | sed "s/ .*/  $1/"
}
list() { # name, file, options
  name=$1 file=$2
  shift 2
  if [ ! -e "$file" ]; then
    echo "skipped $name: $file is missing" >&2
    return
  fi
  bin/shardq build "$file" "$@" --index "$work/$name" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  digest "$name" "$work/$name"
  rm -rf "${work:?}/$name"
}

{
  list cities "$data/cities.json.zst"
  list geonames "$data/geonames-cities1000.txt.zst"
  list postal "$data/postal-places.tsv.zst" --columns place,postcode,country,state,province,community,lat,lon \
    --key '{place}, {country}'
  list japanese "$data/japanese-addresses.tsv.zst" --columns town,koaza,city,prefecture,lat,lon --key '{town}, {city}'
  list sample Samples/cities.csv --shard-size 16KiB
  digest shards shards
  bin/shardq generate --count 1000000 >"$work/million.json"
  list million "$work/million.json"
} >"$work/digests"

if [ "${1:-}" = --write ]; then
  cp "$work/digests" Tests/digests.txt
  exit 0
fi
status=0
while read -r digest name; do
  grep -qx "$digest  $name" Tests/digests.txt || {
    echo "the index of $name differs from its digest in Tests/digests.txt" >&2
    status=1
  }
done <"$work/digests"
[ "$status" -ne 0 ] || echo "$(wc -l <"$work/digests") indexes have the same bytes as before"
exit "$status"
