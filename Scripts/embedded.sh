# A function for the scripts that build Embedded Swift, which set $toolchain, $flags and $work,
# and $hint to a line for errors.

# Compiles a module. The code of a module is in the objects of those that import it as well, since functions are specialized
# there: the last one has all of it, and nothing else needs to be compiled to the end.
module() { # its name, object or module, and its sources
  name=$1
  emit=$2
  shift 2
  [ "$emit" = module ] || set -- -c "$@" -o "$work/$name.o"
  "$toolchain/swiftc" $flags -module-name "$name" -emit-module -emit-module-path "$work/$name.swiftmodule" "$@" \
    2>"$work/$name.log" || {
    cat "$work/$name.log" >&2
    [ -z "${hint:-}" ] || echo "$hint" >&2
    exit 1
  }
  # Warnings of other sources, such as zstd's headers, are none of ours.
  grep "^Sources/.*warning:" "$work/$name.log" >&2 || true
}
