#!/bin/sh
# Tests an index over HTTP, from nginx and from faulty hosts: Tests/Remote/run.sh [--long]. The long form asks more texts.
# $SHARDQ_BIN, else bin, has shardq, shardq-commands and shardq-remote. Ends with 77 if shardq-remote or
# nginx is missing.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
[ "${1:-}" != --long ] || export SHARDQ_LONG=1
nginx=$(PATH="$PATH:/usr/sbin" command -v nginx || true)
if [ ! -x "${SHARDQ_BIN:-../../bin}/shardq-remote" ]; then
  echo "skipped: an index over HTTP; Scripts/build.sh --remote makes shardq-remote" >&2
  exit 77
elif [ -z "$nginx" ]; then
  echo "skipped: an index over HTTP; Scripts/dependencies.sh --tests installs nginx" >&2
  exit 77
fi
python3 -m unittest discover -s . -v
