/// A forward cursor over untrusted bytes; every integer is little-endian.
///
/// Every read is checked against the end.
package struct ByteReader: ~Escapable {
  fileprivate let bytes: RawSpan
  /// The offset of the next unread byte.
  package private(set) var offset = 0

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan) { self.bytes = bytes }

  @_lifetime(borrow bytes)
  package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.init(unsafe bytes.span.bytes) }

  /// The number of all bytes, read or not.
  package var count: Int { bytes.byteCount }
  package var remaining: Int { count - offset }

  @inline(__always)
  package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) throws(FormatError) -> T {
    let size = MemoryLayout<T>.size
    guard size <= remaining else { throw .truncated(offset: offset, needed: size, available: remaining) }
    defer { offset += size }
    // In bounds by the guard.
    return unsafe bytes.load(unchecked: offset, as: T.self)
  }

  /// Reads a count or a size of 32 bits.
  package mutating func readCount() throws(FormatError) -> Int { try Self.addend(try read(UInt32.self), at: offset) }

  /// Returns a number of 32 bits as an `Int`. The sum of two such numbers is an `Int` too: where an `Int` has 32 bits,
  /// numbers of 31 and 32 bits are refused.
  @inline(__always)
  private static func addend(_ number: some FixedWidthInteger & UnsignedInteger, at offset: Int) throws(FormatError)
    -> Int
  {
    let count = try count(number, at: offset)
    guard count <= Int.max / 2 else { throw tooLarge(UInt64(number), offset) }
    return count
  }

  /// Returns a count or a size from a file, if an `Int` of this platform holds it.
  @inline(__always)
  static func count(_ number: some FixedWidthInteger & UnsignedInteger, at offset: Int) throws(FormatError) -> Int {
    guard let count = Int(exactly: number) else {
      throw tooLarge(UInt64(number), offset)
    }
    return count
  }

  @inline(never)
  private static func tooLarge(_ number: UInt64, _ offset: Int) -> FormatError {
    .invalid(reason: "has the count \(number), which is too large for programs of this platform", offset: offset)
  }

  /// Reads an unsigned LEB128 number of at most 32 bits.
  @inline(__always)
  package mutating func readVarint() throws(FormatError) -> Int {
    // Most numbers have one byte.
    guard offset < count, unsafe bytes.load(unchecked: offset, as: UInt8.self) < 0x80 else {
      return try readLongVarint()
    }
    return Int(try read(UInt8.self))
  }

  @inline(never)
  private mutating func readLongVarint() throws(FormatError) -> Int {
    var (value, shift, at): (UInt64, UInt64, Int) = (0, 0, offset)
    while true {
      guard at < count else { throw .truncated(offset: at, needed: 1, available: count - at) }
      let byte = unsafe bytes.load(unchecked: at, as: UInt8.self)
      at += 1
      // The shift is at most 28 bits.
      value |= UInt64(byte & 0x7f) &<< shift
      if byte < 0x80 { break }
      shift += 7
      guard shift <= 28 else { throw .invalid(reason: "has a number of over five bytes", offset: at) }
    }
    guard value <= UInt64(UInt32.max) else { throw .invalid(reason: "has a number of over 32 bits", offset: at) }
    offset = at
    return try Self.addend(value, at: at)
  }

  /// Reads a signed number of 64 bits. Its LEB128 number is twice its distance from zero, less one if it is negative.
  package mutating func readSignedVarint() throws(FormatError) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try read(UInt8.self)
      // The tenth byte has room for one bit.
      guard shift < 63 || byte < 2 else { throw .invalid(reason: "has a number of over 64 bits", offset: offset) }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    // The negation of one bit is all ones or all zeros.
    return Int64(bitPattern: value >> 1 ^ (0 &- value & 1))
  }

  /// Passes the next `size` bytes and returns the offset of the first of them.
  package mutating func pass(_ size: Int) throws(FormatError) -> Int {
    guard size >= 0, size <= remaining else {
      throw .truncated(offset: offset, needed: size, available: remaining)
    }
    defer { offset += size }
    return offset
  }

  /// Returns the next `size` bytes; the cursor moves behind them.
  @_lifetime(copy self)
  package mutating func readSpan(_ size: Int) throws(FormatError) -> RawSpan {
    let start = try pass(size)
    return bytes.extracting(start..<start + size)
  }

  /// Returns the next `size` bytes; the cursor moves behind them. They are valid as long as the memory that the reader
  /// reads.
  package mutating func read(bytes size: Int) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
    let span = try readSpan(size)
    return unsafe span.withUnsafeBytes { unsafe $0.bindMemory(to: UInt8.self) }
  }
}

/// Runs of bits, lowest first, that begin at the next byte of a ``ByteReader``.
package struct BitReader: ~Escapable {
  private let bytes: RawSpan
  private let start: Int
  /// The number of the next unread bit.
  private var bit = 0

  /// - Parameter reader: The reader, whose next byte has the first bits. ``finish(_:)`` moves it.
  @_lifetime(copy reader)
  package init(_ reader: ByteReader) {
    bytes = reader.bytes.extracting(droppingFirst: reader.offset)
    start = reader.offset
  }

  /// Reads the next `width` bits, at most 56.
  @inline(__always)
  package mutating func read(_ width: Int) throws(FormatError) -> UInt64 {
    // No reader has 2^60 bytes, so offsets of bits cannot wrap.
    let at = bit >> 3
    let word = at &+ 8 <= bytes.byteCount ? unsafe bytes.load(unchecked: at, as: UInt64.self) : try lastWord(width)
    let shift = UInt64(bit & 7)
    bit &+= width
    return (word &>> shift) & (1 &<< UInt64(width) &- 1)
  }

  /// Reads bits when fewer than eight bytes are left.
  @inline(never)
  private func lastWord(_ width: Int) throws(FormatError) -> UInt64 {
    let at = bit >> 3
    guard bit + width <= 8 * bytes.byteCount else {
      throw .truncated(offset: start + at, needed: (bit + width + 7) >> 3, available: bytes.byteCount)
    }
    return rest
  }

  /// At least the next 57 bits; zeros behind the end.
  @inline(__always)
  var next: UInt64 {
    // As in ``read(_:)``.
    let at = bit &>> 3
    let word = at &+ 8 <= bytes.byteCount ? unsafe bytes.load(unchecked: at, as: UInt64.self) : rest
    return word &>> UInt64(bit & 7)
  }

  /// Passes `width` bits. ``finish(_:)`` checks that they lie within the bytes.
  @inline(__always)
  mutating func pass(_ width: Int) { bit &+= width }  // At most 2^18 passes of 64 bits.

  /// The bytes from the next bit on, fewer than eight.
  @inline(never)
  private var rest: UInt64 {
    var word: UInt64 = 0
    var index = bit >> 3
    var shift: UInt64 = 0
    while index < bytes.byteCount {
      word |= UInt64(bytes[index]) << shift
      index += 1
      shift += 8
    }
    return word
  }

  /// Moves the reader behind the last byte. The unread bits of that byte must be zeros.
  package mutating func finish(_ reader: inout ByteReader) throws(FormatError) {
    guard try read(-bit & 7) == 0 else { throw .invalid(reason: "has bits behind the last", offset: start + bit >> 3) }
    _ = try reader.pass(bit >> 3)
  }
}
