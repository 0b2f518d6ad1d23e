#!/bin/sh
# Makes a virtual environment of Python with the packages of a list, unless it is there: rivals.sh WORK REQUIREMENTS
#
# The environment lies in WORK/venv. A package that cannot be had is named, and leaves out one engine or suite.
set -eu
work=$1 requirements=$2
mkdir -p "$work"
! cmp -s "$requirements" "$work/requirements.txt" || exit 0
[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
# One by one: a package that cannot be had keeps no other from being installed.
while read -r package; do
  "$work/venv/bin/python" -m pip install -q --disable-pip-version-check "$package" </dev/null >&2 ||
    echo "cannot be installed: $package" >&2
done <"$requirements"
cp "$requirements" "$work/requirements.txt"
