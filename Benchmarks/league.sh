#!/bin/sh
# Writes docs/league.md: the quality of answers of shardq and of rival engines over public suites and made cases.
#
#     Benchmarks/league.sh                               all engines, all suites
#     Benchmarks/league.sh --engines A,B --suites A,B    some of them; prints the tables instead
#     Benchmarks/league.sh --missed SUITE                the texts of a suite that shardq misses
#     Benchmarks/league.sh --help                        the names of engines and suites
#
# The rivals lie in .build/league: packages of PyPI in a virtual environment, and those of Debian unpacked. Rivals that
# cannot be had are named and left out. SHARDQ_BIN names the directory of shardq's programs; without it
# Scripts/build.sh builds them. SHARDQ_DATA names the directory of GeoNames' dump. The suites lie beside it.
set -eu
cd "$(dirname "$0")"
if [ -z "${SHARDQ_BIN:-}" ]; then
  ../Scripts/build.sh --base --server
  SHARDQ_BIN=../bin
fi
data=${SHARDQ_DATA:-../../shared/data}
suites=${SHARDQ_SUITES:-$data/../suites}
work=.build/league
python=$work/venv/bin/python
./rivals.sh "$work" league/requirements.txt
for package in liblucene8-java ieee-data; do
  if [ ! -e "$work/$package" ]; then
    # Unpacked, not installed: this needs no root.
    if (cd "$work" && apt-get -o APT::Sandbox::User=root download -qq "$package" >&2 &&
      dpkg-deb -x "$package"_*.deb debian); then
      touch "$work/$package"
    else
      echo "cannot be fetched: $package" >&2
    fi
  fi
done
[ $# -gt 0 ] || set -- --page ../docs/league.md
exec "$python" league/league.py "$SHARDQ_BIN" "$data" "$suites" "$work" "$@"
