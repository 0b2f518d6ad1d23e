#!/bin/sh
# Runs every fault harness in its short form: Tests/Faults/run.sh [--every N] [--seed N] [--long]
# --every 7 tries every seventh point, chosen by a printed seed; --long has larger indexes and more scenarios. Ends with 77
# if a harness cannot run here and the others found no fault. docs/faults.md lists the checks.
set -eu
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
case " $* " in
*" --seed"*) ;;
*) set -- "$@" --seed "$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')" ;; # One for all of them.
esac
ended=0
# The broken variants are built by hand; their lines have to be in the sources.
python3 mutants.py --patterns || [ "$?" -eq 77 ] || ended=1
for harness in kill errors power damage outside; do
  status=0
  python3 "$harness.py" "$@" || status=$?
  if [ "$status" -eq 77 ]; then
    [ "$ended" -ne 0 ] || ended=77
  elif [ "$status" -ne 0 ]; then
    ended=1
  fi
done
exit "$ended"
