/// A reader of the columns of a fields frame, which unpacks the packed ones.
@unsafe struct ColumnUnpacker: ~Escapable {
  /// The reader of the bytes that are not packed.
  var plain: ByteReader
  private var packed: ByteReader
  /// The bytes that `plain` reads, which the part keeps; unpacked bytes stand before them.
  let kept: UnsafeMutablePointer<UInt8>
  /// The bytes that `packed` reads.
  private let packedBytes: UnsafePointer<UInt8>
  /// The memory for a Huffman code's table.
  private let table: UnsafeMutablePointer<UInt16>
  /// The offset from the kept bytes at which the next unpacked bytes go.
  private var unpackedOffset: Int
  /// The number of bytes of texts that are not unpacked yet.
  private var textsLeft: Int
  /// The number of records.
  let count: Int

  @_lifetime(copy plain, copy packed)
  init(
    plain: ByteReader, at kept: UnsafeMutablePointer<UInt8>, packed: ByteReader, at packedBytes: UnsafePointer<UInt8>,
    unpackedSize: Int, texts: Int, count: Int, table: UnsafeMutablePointer<UInt16>
  ) {
    unsafe (self.plain, self.kept, self.packed, self.packedBytes) = (plain, kept, packed, packedBytes)
    unsafe (unpackedOffset, textsLeft, self.count, self.table) = (-unpackedSize, texts, count, table)
  }

  /// Reads one code a record, 8 bits wide or 16, each below `limit`.
  ///
  /// - Returns: Their offset from the kept bytes.
  mutating func codes(_ code: HuffmanCode, below limit: Int, isPresent: Bool = true) throws(FormatError) -> Int {
    if code.isPresent { return unsafe try unpack(code, count) }
    guard isPresent else { return unsafe plain.offset }
    let isWide = limit > 256
    let offset = unsafe try plain.pass(isWide ? 2 * count : count)
    let codes = unsafe kept + offset
    var highest = 0
    if isWide {
      for record in unsafe 0..<count {
        unsafe highest = max(highest, Int(codes[2 * record]) | Int(codes[2 * record + 1]) << 8)
      }
    } else if limit < 256 {
      var top: UInt8 = 0
      for record in unsafe 0..<count { unsafe top = max(top, codes[record]) }
      highest = Int(top)
    }
    guard highest < limit else {
      throw .invalid(reason: "has a record with code \(highest) of \(limit)", offset: offset)
    }
    return offset
  }

  /// Unpacks the bytes of a column's texts.
  ///
  /// - Returns: Their offset from the kept bytes.
  mutating func unpackTexts(_ code: HuffmanCode, _ size: Int) throws(FormatError) -> Int {
    guard unsafe size <= textsLeft else {
      throw unsafe .truncated(offset: plain.count, needed: size, available: textsLeft)
    }
    unsafe textsLeft -= size
    return unsafe try unpack(code, size)
  }

  private mutating func unpack(_ code: HuffmanCode, _ size: Int) throws(FormatError) -> Int {
    // The frame's beginning has the sum of these sizes, which was checked.
    unsafe assert(unpackedOffset + size <= 0)
    unsafe try code.unpack(&packed, of: packedBytes, count: size, into: kept + unpackedOffset, table: table)
    defer { unsafe unpackedOffset += size }
    return unsafe unpackedOffset
  }

  /// Checks that all bytes were read.
  func finish() throws(FormatError) {
    guard unsafe plain.remaining == 0, unsafe packed.remaining == 0, unsafe textsLeft == 0 else {
      throw unsafe .invalid(reason: "does not end with its last section", offset: plain.offset)
    }
  }
}
