// The additions of Swift's module Musl to the C library's headers, as far as shardq uses them. That module comes with
// an SDK of its own; this file is for Embedded Swift: Scripts/build-embedded.sh.
@_exported import MuslC

public var errno: CInt {
  get { __errno_location().pointee }
  set { __errno_location().pointee = newValue }
}

public func open(_ path: UnsafePointer<CChar>, _ flags: CInt) -> CInt { open_file(path, flags) }

public func openat(_ place: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt, _ mode: mode_t = 0) -> CInt {
  open_file_at(place, path, flags, mode)
}

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }

public var SIG_DFL: (@convention(c) (CInt) -> Void)? { nil }
