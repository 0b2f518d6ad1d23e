#if ZstdFromSource
  import libzstd
#elseif canImport(CZstd)
  import CZstd
#else
  #error("no zstd: turn on the trait ZstdFromSource of the package shardq")
#endif

/// A zstd compression context with one owner. Not safe to use from two threads at once.
package final class Compressor: @unchecked Sendable {
  private(set) var pointer: OpaquePointer
  /// For a larger content zstd takes tables of up to 50 MB, which no other content needs, in bytes.
  static let usualContent = 1 << 20

  package init() { pointer = Self.made() }

  private static func made() -> OpaquePointer {
    guard let made = ZSTD_createCCtx() else { fatalError("zstd: out of memory") }
    return made
  }

  /// Frees what a large content took.
  func renew() {
    ZSTD_freeCCtx(pointer)
    pointer = Self.made()
  }
  deinit { ZSTD_freeCCtx(pointer) }
}
