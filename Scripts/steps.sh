# Functions for check.sh and check-long.sh, which set $logs: a step logs to a file, and a lane runs several steps.
began=$(date +%s)

# Sets $used to the processor time of this lane so far, in seconds.
processor() {
  times >"$log.times"
  used=$(awk -F '[ms ]+' 'NR == 2 { print int(60 * ($1 + $3) + $2 + $4) }' "$log.times")
  rm "$log.times"
}

# Runs a command with its output in a log; prints one line, and the log if the command fails.
step() { # title, command...
  title=$1
  shift
  log="$logs/$(printf %s "$title" | tr -cs 'A-Za-z0-9' '-').log"
  from=$(date +%s)
  processor
  usedBefore=$used
  status=0
  "$@" >"$log" 2>&1 </dev/null || status=$?
  seconds=$(($(date +%s) - from))
  processor
  if [ "$status" -eq 0 ]; then
    printf '%4s s  passed in %3s s, %3s of processor time: %s\n' \
      $(($(date +%s) - began)) "$seconds" $((used - usedBefore)) "$title"
    # The log says which checks were left out.
    grep -h '^skipped' "$log" | sort -u || true
  else
    touch "$logs/failed"
    cat "$log"
    printf '%4s s  FAILED with status %s after %s s: %s\n' $(($(date +%s) - began)) "$status" "$seconds" "$title"
    exit 1
  fi
}

# Runs a command that ends with 77 if it cannot run here.
skippable() {
  "$@" || [ "$?" -eq 77 ]
}

# Runs functions side by side; ends the script if a step of one fails.
lanes() {
  running=""
  for lane; do
    "$lane" &
    running="$running $!"
  done
  ended=0
  for lane in $running; do wait "$lane" || ended=1; done
  [ "$ended" -eq 0 ] || exit 1
}

# Warnings in the code of other packages do not count.
shipped() {
  Scripts/build.sh --all || return 1
  ! grep -E '\.swift:[0-9]+:[0-9]+: warning:' "$log" | grep -qv '/\.build/all/checkouts/' || return 1
  [ "$(uname)" = Darwin ] || for name in shardq shardq-commands shardq-footprint shardq-serve; do
    static "$name" || return 1
  done
}

static() { # a program
  ! readelf -d "bin/$1" 2>/dev/null | grep NEEDED || { echo "bin/$1 is not static"; return 1; }
}

sample() {
  rebuilt="$(mktemp -d)"
  Scripts/build-sample.sh "$rebuilt/shards" &&
    diff -r --exclude=.lock --exclude='overlay*' --exclude=README.md shards "$rebuilt/shards"
  status=$?
  rm -rf "$rebuilt"
  return "$status"
}
