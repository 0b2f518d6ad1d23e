#!/bin/sh
# Checks the types of the libraries and of shardq for macOS 13, and the syntax of all other sources for macOS, with the
# compiler of this machine.
#
# The compiler is told to compile for macOS, so it takes the branches of `#if` that Apple's systems take, and refuses a
# name that macOS 13 lacks. Its standard library for macOS is made from the text of the module for Linux. Apple's C
# library, Foundation and System are the declarations in Scripts/apple. So the check finds a wrong name, type or version
# in our sources. It does not find a fault of these declarations, or of Apple's own Foundation, and nothing is linked or
# run: no build for Apple's systems was tried. The programs with swift-argument-parser or swift-nio are parsed alone.
set -eu
cd "$(dirname "$0")/.."
[ "$(uname)" = Linux ] || { echo "skipped: this system has Apple's compiler, or no module of Swift for Linux"; exit 77; }
work="$PWD/.build/apple"
target=x86_64-apple-macosx13.0
rm -rf "$work/modules"
mkdir -p "$work/swift" "$work/modules" "$work/include/sys"

# Availability stands in these texts, and is checked in our sources alone. `Array.span` is old on Apple's systems.
library="$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/linux"
for module in Swift SwiftOnoneSupport _Builtin_float _Concurrency _StringProcessing Observation; do
  text="$(echo "$library/$module.swiftmodule"/*-linux-gnu.swiftinterface)"
  text="${text##* }"
  mkdir -p "$work/swift/$module.swiftmodule"
  sed -E -e "1,4s/-target [^ ]+/-target $target/" -e 's|^// swift-module-flags: |&-disable-availability-checking |' \
    -e 's/@backDeployed\([^)]*\) *//' -e '/^import Glibc$/d' "$text" |
    awk '/^  @available\(macOS 26/ { held = $0; next }
      held != "" && !/public var (span|mutableSpan): Swift\.(Mutable)?Span<Element>/ { print held } { held = ""; print }' \
      >"$work/swift/$module.swiftmodule/x86_64-apple-macos.swiftinterface.new"
  # The compiler makes a module anew if its text is newer.
  name="$work/swift/$module.swiftmodule/x86_64-apple-macos.swiftinterface"
  cmp -s "$name.new" "$name" || mv "$name.new" "$name"
  rm -f "$name.new"
done

# Headers of other libraries find the declarations under the usual names.
for name in errno fcntl pthread stdio stdlib string sys/select sys/socket sys/stat sys/time sys/types time unistd; do
  echo '#include <Darwin.h>' >"$work/include/$name.h"
done
cp Scripts/apple/Darwin.h "$work/include/"
echo 'module DarwinHeaders [system] { header "Darwin.h" export * }' >"$work/include/module.modulemap"
for header in /usr/include/*-linux-gnu/curl /usr/include/curl; do
  [ ! -d "$header" ] || ln -sfn "$header" "$work/include/curl"
done

options="-target $target -swift-version 6 -wmo -parse-as-library -module-cache-path $work/cache
  -package-name shardq -I $work/swift -I $work/modules -I $work/include -Xfrontend -disable-objc-interop
  -Xcc -ffreestanding -Xcc -I$work/include"
for map in Sources/System/*/module.modulemap; do options="$options -Xcc -fmodule-map-file=$PWD/$map"; done
check() { # module, folder or file, options...
  module=$1 sources=$2
  shift 2
  swiftc $options "$@" -emit-module -module-name "$module" -emit-module-path "$work/modules/$module.swiftmodule" \
    $(find "$sources" -name '*.swift' -not -path '*.docc/*')
  echo "types: $module"
}
check Darwin Scripts/apple/Darwin.swift
check Foundation Scripts/apple/Foundation.swift
check System Scripts/apple/System.swift
check CLibrary Sources/System/CLibrary
check ShardedIndex Sources/ShardedIndex -enable-experimental-feature Lifetimes
check ShardedIndexFoundation Sources/ShardedIndexFoundation
check ShardedIndexRemote Sources/ShardedIndexRemote -D Remote
check SearchModel Sources/SearchModel
check ShardBuilder Sources/ShardBuilder
check ShardBuilderFoundation Sources/ShardBuilderFoundation
check Answers Sources/Answers
check QueryOutput Sources/Programs/QueryOutput
check shardq Sources/shardq

for traits in "" "-D CommandLineTool -D Server -D Remote -D SQLITE"; do
  find Sources Examples Tests Benchmarks Fuzz -name '*.swift' -not -path '*/.build/*' -print0 |
    xargs -0 swiftc -frontend -parse -target "$target" -swift-version 6 $traits
done
echo "syntax: all sources"
