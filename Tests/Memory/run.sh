#!/bin/sh
# Counts the memory and the descriptors of a reader: Tests/Memory/run.sh [--long]
# The long form also has ten million records, and asks a million queries of each index. Ends with 77 if the memory limit
# cannot be set here and all else passed. docs/live-readers.md has the figures.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
exec python3 memory.py "$@"
