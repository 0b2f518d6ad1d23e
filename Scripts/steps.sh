# Functions for check.sh and check-long.sh, which set $logs: a step logs to a file, and a lane runs several steps.
# $limit is the seconds after which a program of a step ends, because it waits for something that does not come. Its step
# then fails with status 124, and Python's programs say where they waited. macOS has no command for it.
limited=""
! command -v timeout >/dev/null || limited="timeout --signal=ABRT --kill-after=60 ${limit:-1800}"
export PYTHONFAULTHANDLER=1
ulimit -c 0
began=$(date +%s)
# A line for each step: its seconds, its processor time, its title.
table="$logs/.table"
# For each step with named inputs: the digest of the inputs under which it last passed, the time, and its last line.
passed=.build/passed

# Sets $used to the processor time of this lane so far, in seconds.
processor() {
  times >"$log.times"
  used=$(awk -F '[ms ]+' 'NR == 2 { print int(60 * ($1 + $3) + $2 + $4) }' "$log.times")
  rm "$log.times"
}

# Sets $digest to a digest of a step's inputs as they are now: the names, modes and bytes of files and of all files in
# folders, committed or not. The digest also covers the step's command, the datasets, the variables and the tools of the
# machine. Fails if an input is missing.
inputs_now() { # inputs, command...
  digest="" inputs=$1
  shift
  for input in $inputs; do
    [ -e "$input" ] || { echo "the step names an input that is missing: $input"; return 1; }
  done
  digest=$({
    set +e
    echo "$@"
    files "! -type d" $inputs
    # A file that cannot be read gives a digest that never comes again.
    files "-type f" $inputs | git hash-object --no-filters --stdin-paths || date +%s%N
    files "-type f -perm -u+x" $inputs
    files "-type l" $inputs | while read -r link; do readlink "$link"; done
    ls -lLR "${SHARDQ_DATA:-../shared/data}" 2>&1
    env | grep '^SHARDQ_' | LC_ALL=C sort
    machine
  } | git hash-object --stdin)
}

# What builds and tests leave behind in the clone is no input.
files() { # a condition of find, files and folders
  condition=$1
  shift
  find "$@" \( -name .git -o -name .build -o -name __pycache__ -o -name .lock -o -name .schemathesis \) -prune \
    -o $condition -print | LC_ALL=C sort
}

# The tools that steps use, of the system and of Scripts/dependencies.sh.
machine() {
  uname -a
  swiftc --version 2>&1
  dpkg-query -W 2>/dev/null
  ls .build/python .build/axe 2>/dev/null
}

# Runs a command with its output in a log; prints one line, and the log if the command fails. With --of the step names
# its inputs, and does not run if it passed with the same inputs before, unless $all is set.
step() { # title, [--of inputs], command...
  title=$1
  shift
  name="$(printf %s "$title" | tr -cs 'A-Za-z0-9' '-')"
  log="$logs/$name.log"
  : >"$log"
  of="" before="" status=0
  if [ "$1" = --of ]; then
    of=$2
    shift 2
  fi
  # Functions limit their programs themselves.
  case "$(command -v "$1")" in */*) set -- $limited "$@" ;; esac
  if [ -n "$of" ]; then
    inputs_now "$of" "$@" >"$log" 2>&1 || status=$?
    before=$digest
    if [ -z "${all:-}" ] && [ -n "$before" ] && [ "$(sed -n 1p "$passed/$name" 2>/dev/null)" = "$before" ]; then
      say "unchanged since $(sed -n 2p "$passed/$name"): $title"
      sed -n 3p "$passed/$name" >"$log"
      return
    fi
    rm -f "$passed/$name"
  fi
  from=$(date +%s)
  processor
  usedBefore=$used
  [ "$status" -ne 0 ] || "$@" >"$log" 2>&1 </dev/null || status=$?
  seconds=$(($(date +%s) - from))
  processor
  if [ "$status" -eq 0 ]; then
    say "$(printf 'passed in %3s s, %3s of processor time: %s' "$seconds" $((used - usedBefore)) "$title")"
    printf '%6s s %6s s  %s\n' "$seconds" $((used - usedBefore)) "$title" >>"$table"
    # The log says which checks were left out.
    if grep -q '^skipped' "$log"; then grep -h '^skipped' "$log" | sort -u; else keep "$@"; fi
  else
    touch "$logs/failed"
    cat "$log"
    say "FAILED with status $status after $seconds s: $title"
    exit 1
  fi
}

say() { # a sentence
  printf '%4s s  %s\n' $(($(date +%s) - began)) "$1"
}

# Notes that the step passed, unless its inputs changed meanwhile.
keep() { # command...
  [ -n "$before" ] || return 0
  inputs_now "$of" "$@" >>"$log" 2>&1 || return 0
  [ "$digest" = "$before" ] || return 0
  mkdir -p "$passed"
  { printf '%s\n' "$digest" "$(date '+%Y-%m-%d %H:%M')" && tail -n 1 "$log"; } >"$passed/$name"
}

# Prints the steps that ran, the longest computation first, and the sums.
steps_table() {
  [ -e "$table" ] || return 0
  printf '\n%8s %8s\n' time processor
  sort -k 3,3nr "$table"
  awk '{ seconds += $1; used += $3 } END { printf "%6s s %6s s  all steps\n", seconds, used }' "$table"
}

# Runs a command that ends with 77 if it cannot run here. Then the step has not passed, and runs again the next time.
skippable() {
  code=0
  $limited "$@" || code=$?
  [ "$code" -eq 77 ] || return "$code"
  before=""
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

# In the tree of the programs, with their flags: the library's modules are compiled once.
tests_in_swift() { # build or test, options...
  command=$1
  shift
  SHARDQ_SHIPPED=yes SHARDQ_BIN="$PWD/bin" $limited swift "$command" -c release \
    --traits CommandLineTool,Server,Remote --scratch-path .build/all -debug-info-format none \
    -Xcc -ffile-prefix-map="$PWD"=. "$@"
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
