// The C library of the platform, and the few functions that C has and Swift has not: one name for every module.
@_exported import CShims

#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#else
  @_exported import Darwin
#endif

/// Returns the name of an entry of a directory; nil if it is not UTF-8.
@inlinable package func fileName(of entry: inout dirent) -> String? {
  unsafe withUnsafeBytes(of: &entry.d_name) { unsafe String(utf8: $0.prefix { $0 != 0 }) }
}

extension String {
  /// Makes a text of its bytes; nil if they are not UTF-8. The standard library's own initializer needs macOS 15.
  @inlinable package init?(utf8 bytes: some Collection<UInt8>) {
    // Bytes that are not UTF-8 become U+FFFD, whose own bytes are UTF-8.
    self.init(decoding: bytes, as: UTF8.self)
    guard self.utf8.elementsEqual(bytes) else { return nil }
  }
}

/// Returns the result of `call`, with `errno`; makes the call again as long as a signal came first.
@inlinable package func retrying(_ call: () -> CInt) -> CInt {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
