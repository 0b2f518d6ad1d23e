# Functions for check.sh and check-long.sh, which set $logs: steps that log to a file each, and two lanes of them.
began=$(date +%s)

# Runs a command with its output in a log; prints one line, and the log where the command fails.
step() { # title, command...
  title=$1
  shift
  log="$logs/$(printf %s "$title" | tr -cs 'A-Za-z0-9' '-').log"
  from=$(date +%s)
  status=0
  "$@" >"$log" 2>&1 </dev/null || status=$?
  seconds=$(($(date +%s) - from))
  if [ "$status" -eq 0 ]; then
    printf '%4s s  passed in %3s s: %s\n' $(($(date +%s) - began)) "$seconds" "$title"
    # A check says here that it left something out.
    grep -h '^skipped' "$log" | sort -u || true
  else
    touch "$logs/failed"
    cat "$log"
    printf '%4s s  FAILED with status %s after %s s: %s\n' $(($(date +%s) - began)) "$status" "$seconds" "$title"
    exit 1
  fi
}

# Runs a command whose status 77 says that it cannot run here.
skippable() {
  "$@" || [ "$?" -eq 77 ]
}

# Runs two functions side by side; ends the script if a step of either fails.
lanes() {
  "$1" &
  first=$!
  "$2" &
  second=$!
  ended=0
  wait "$first" || ended=1
  wait "$second" || ended=1
  [ "$ended" -eq 0 ] || exit 1
}

shipped() {
  Scripts/build.sh
  ! grep -qE '\.swift:[0-9]+:[0-9]+: warning:' "$log" || return 1
  [ "$(uname)" = Darwin ] || for name in shardq shardq-commands shardq-footprint; do static "$name"; done
}

server() {
  Scripts/build.sh --server
  ! grep -E '^[^ ]*/Sources/[^ ]*\.swift:[0-9]+:[0-9]+: warning:' "$log" | grep -qv /checkouts/ || return 1
  [ "$(uname)" = Darwin ] || static shardq-serve
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
