#!/bin/bash
# Spark calls this script as ./shardq in the tests of failures. FAULTS names a directory; each file of the directory is a
# failure that happens once. The first caller that removes the file fails.
real=@SHARDQ@
faults=@FAULTS@
once() { mv "$faults/$1" "$faults/done-$1-$$" 2>/dev/null; }

[ "$1" = write-range ] || exec "$real" "$@"
echo "$*" >>"$faults/calls"
for number in 1 2 3; do
  if once "die-$number"; then # After the process has published everything.
    "$real" "$@" >/dev/null
    exit 1
  fi
done
if once straggler; then
  # A process that Spark has given up continues, and publishes after the index is complete.
  trap '' TERM PIPE HUP
  cat >"$faults/late-$$"
  for second in $(seq 600); do
    [ ! -e "$faults/go-on" ] || break
    sleep 1
  done
  "$real" "$@" <"$faults/late-$$" >"$faults/late-rows" 2>"$faults/late-errors"
  echo $? >"$faults/late-status"
  exit 1
fi
if [ -e "$faults/slow" ]; then
  cat >"$faults/slow-$$"
  sleep 2
  exec "$real" "$@" <"$faults/slow-$$"
fi
exec "$real" "$@"
