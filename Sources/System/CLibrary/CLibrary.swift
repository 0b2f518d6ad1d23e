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
  unsafe withUnsafeBytes(of: &entry.d_name) { unsafe String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
}

/// Returns the result of `call`, with `errno`; makes the call again as long as a signal came first.
@inlinable package func retrying(_ call: () -> CInt) -> CInt {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
