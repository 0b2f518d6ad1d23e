# A function for the scripts that build Embedded Swift. They set $toolchain, $flags and $work, and $hint to a line for
# errors.

# Compiles a module. Modules that import a module specialize its functions, and so contain its code: the last module has
# all code, and only the last module needs an object file.
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
  # Warnings of other sources, such as zstd's headers, do not count.
  grep "^Sources/.*warning:" "$work/$name.log" >&2 || true
}
