#!/bin/sh
# Compiles the allocator of the static query program (Sources/Hosts/Embedded/main.c) with its test, and runs it, in a second.
set -eu
cd "$(dirname "$0")/../.."
[ "$(uname)" = Linux ] || { echo "skipped: the static query program is built on Linux alone"; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
wrap=""
for name in malloc calloc realloc aligned_alloc posix_memalign free; do wrap="$wrap -Wl,--wrap=$name"; done
cc -O2 -g -std=gnu11 -Wall -Wextra -Werror -fno-builtin $wrap -o "$work/allocator" Tests/Allocator/allocator.c
"$work/allocator"
