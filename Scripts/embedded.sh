# A function for the scripts that build Embedded Swift, which set $toolchain, $flags and $work,
# and $hint to a line for errors.

# Compiles a module. The code of a module is in the objects of those that import it as well, since functions are specialized
# there: the last one has all of it, and nothing else needs to be compiled to the end.
module() { # its name, object or module, and its sources
  name=$1
  emit=$2
  shift 2
  [ "$emit" = module ] || set -- -c "$@" -o "$work/$name.o"
  # The warning is of the C library, whose module is one of ours.
  "$toolchain/swiftc" $flags -module-name "$name" -emit-module -emit-module-path "$work/$name.swiftmodule" "$@" \
    2>"$work/$name.log" || {
    cat "$work/$name.log" >&2
    [ -z "${hint:-}" ] || echo "$hint" >&2
    exit 1
  }
  grep -v "libc not found" "$work/$name.log" >&2 || true
}
