#if ZstdFromSource
  import libzstd
#elseif canImport(CZstd)
  import CZstd
#else
  #error("no zstd: turn on the trait ZstdFromSource of the package shardq")
#endif

/// A zstd decompression context and its memory, with one owner. Not safe to use from two threads at once.
@safe package final class Decompressor: @unchecked Sendable {
  /// The context, made at the first use of zstd.
  private(set) lazy var pointer: OpaquePointer = {
    guard let made = unsafe ZSTD_createDCtx() else { fatalError("zstd: out of memory") }
    isMade = true
    return unsafe made
  }()
  private var isMade = false
  // It has one owner, so accesses exclude each other.
  /// The memory for the table of a ``HuffmanCode`` and, behind it, for a content.
  @exclusivity(unchecked) private var memory = unsafe Room(size: tableSize + usualRoom)
  /// The memory for bytes from a file.
  @exclusivity(unchecked) private var file = unsafe Room(size: usualFileRoom)
  private static let tableSize = (MemoryLayout<UInt16>.stride * HuffmanCode.tableCapacity + 15) & ~15
  private static let usualRoom = 14 << 10
  private static let usualFileRoom = 16 << 10
  private static let keptRoom = 64 << 10

  /// Memory of one owner, which frees it.
  @unsafe private struct Room: ~Copyable {
    let start: UnsafeMutablePointer<UInt8>
    /// The size, in bytes.
    let size: Int

    init(size: Int) {
      unsafe (start, self.size) = (.allocate(capacity: size), size)
      // Aligned as malloc aligns: for a table of 16 bits.
      unsafe assert(UInt(bitPattern: start) % UInt(MemoryLayout<UInt16>.alignment) == 0)
    }
    deinit { unsafe start.deallocate() }
  }

  package init() {}
  deinit { if isMade { unsafe ZSTD_freeDCtx(pointer) } }

  package var table: UnsafeMutablePointer<UInt16> {
    unsafe UnsafeMutableRawPointer(memory.start).bindMemory(to: UInt16.self, capacity: HuffmanCode.tableCapacity)
  }

  /// Decompresses a frame of `size` bytes, at most ``ZstdFrame/contentLimit``, into memory that is valid until the next
  /// call.
  ///
  /// - Returns: The content, with ``FieldColumns/slack`` zeros behind it. The call may move ``table``.
  /// - Throws: As ``ZstdFrame/decompress(_:into:with:)``.
  package func unpack(
    _ frame: UnsafeBufferPointer<UInt8>, size: Int
  ) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
    let wanted = Self.tableSize + size + FieldColumns.slack
    if unsafe wanted > memory.size { unsafe memory = Room(size: wanted) }
    let start = unsafe memory.start + Self.tableSize
    unsafe try ZstdFrame.decompress(frame, into: .init(start: start, count: size), with: self)
    unsafe (start + size).update(repeating: 0, count: FieldColumns.slack)
    return unsafe .init(start: start, count: size)
  }

  /// Returns room for `size` bytes of a file, valid until the next call, with ``FieldColumns/slack`` readable bytes
  /// behind them.
  func fileRoom(_ size: Int) -> UnsafeMutablePointer<UInt8> {
    if unsafe size + FieldColumns.slack > file.size { unsafe file = Room(size: size + FieldColumns.slack) }
    return unsafe file.start
  }

  /// Frees the memory that a large content and a large read took.
  func trim() {
    if unsafe memory.size > Self.tableSize + Self.keptRoom {
      unsafe memory = Room(size: Self.tableSize + Self.usualRoom)
    }
    if unsafe file.size > Self.keptRoom { unsafe file = Room(size: Self.usualFileRoom) }
  }
}
