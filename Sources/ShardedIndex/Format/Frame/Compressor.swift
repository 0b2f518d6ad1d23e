#if ZstdFromSource
  import libzstd
#elseif canImport(CZstd)
  import CZstd
#else
  #error("no zstd: turn on the trait ZstdFromSource of the package shardq")
#endif

/// A zstd compression context with one owner. Not safe to use from two threads at once.
@safe package final class Compressor: @unchecked Sendable {
  private(set) var pointer: OpaquePointer
  /// The size in bytes above which zstd takes tables of up to 50 MB, which no smaller content needs.
  static let usualContent = 1 << 20

  package init() { unsafe pointer = Self.made() }

  private static func made() -> OpaquePointer {
    guard let made = unsafe ZSTD_createCCtx() else { fatalError("zstd: out of memory") }
    return unsafe made
  }

  /// Frees the memory that a large content took.
  func renew() {
    unsafe ZSTD_freeCCtx(pointer)
    unsafe pointer = Self.made()
  }
  deinit { unsafe ZSTD_freeCCtx(pointer) }
}
