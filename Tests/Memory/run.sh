#!/bin/sh
# What a reader needs of memory and descriptors, by counts: Tests/Memory/run.sh [--long]
# The long form asks ten million records as well, and a million queries of each. Ends with 77 if the memory limit
# cannot be set here and all else held. docs/live-readers.md has the figures.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
exec python3 memory.py "$@"
