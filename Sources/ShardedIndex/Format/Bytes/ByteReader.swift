/// A forward cursor over untrusted bytes; every integer is little-endian.
///
/// Every read is checked against the end. What it hands out as a pointer lives as long as the bytes do.
package struct ByteReader {
  private let start: UnsafePointer<UInt8>
  package let count: Int
  /// Of the next unread byte.
  package private(set) var offset = 0

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    start = bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!
    count = bytes.count
  }

  package var remaining: Int { count - offset }
  fileprivate var next: UnsafePointer<UInt8> { start + offset }

  package mutating func read<T: FixedWidthInteger & BitwiseCopyable>(_: T.Type) throws(FormatError) -> T {
    let size = MemoryLayout<T>.size
    guard size <= remaining else { throw .truncated(offset: offset, needed: size, available: remaining) }
    defer { offset += size }
    // In bounds by the guard above; every bit pattern is an integer.
    return T(littleEndian: UnsafeRawPointer(start + offset).loadUnaligned(as: T.self))
  }

  /// An unsigned LEB128 number of at most 32 bits.
  package mutating func readVarint() throws(FormatError) -> Int {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try read(UInt8.self)
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
      guard shift <= 28 else { throw .invalid(reason: "a number runs over five bytes", offset: offset) }
    }
    guard value <= UInt64(UInt32.max) else { throw .invalid(reason: "a number is over 32 bits", offset: offset) }
    return Int(value)
  }

  /// A signed number of 64 bits: the LEB128 number of twice its distance from zero, less one if it is below.
  package mutating func readSignedVarint() throws(FormatError) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try read(UInt8.self)
      // Of the tenth byte there is room for one bit.
      guard shift < 63 || byte < 2 else { throw .invalid(reason: "a number is over 64 bits", offset: offset) }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return Int64(bitPattern: value >> 1 ^ (0 &- value & 1))
  }

  /// The next `size` bytes; the cursor moves behind them.
  package mutating func read(bytes size: Int) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
    guard size >= 0, size <= remaining else {
      throw .truncated(offset: offset, needed: size, available: remaining)
    }
    defer { offset += size }
    return UnsafeBufferPointer(start: start + offset, count: size)
  }
}

/// Runs of bits, lowest first, that begin at a ``ByteReader``'s next byte.
package struct BitReader {
  private let bytes: UnsafePointer<UInt8>
  private let count: Int
  /// Of the next unread bit.
  private var bit = 0
  private let start: Int

  /// - Parameter reader: Stands where the bits begin until ``finish(_:)``.
  package init(_ reader: ByteReader) {
    (bytes, count, start) = (reader.next, reader.remaining, reader.offset)
  }

  /// The next `width` bits, at most 56.
  @inline(__always)
  package mutating func read(_ width: Int) throws(FormatError) -> UInt64 {
    let at = bit >> 3
    // In bounds by the condition.
    let word =
      at &+ 8 <= count
      ? UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self)) : try lastWord(width)
    let shift = UInt64(bit & 7)
    bit &+= width
    return (word &>> shift) & (1 &<< UInt64(width) &- 1)
  }

  /// The same where fewer than eight bytes are left.
  @inline(never)
  private func lastWord(_ width: Int) throws(FormatError) -> UInt64 {
    let at = bit >> 3
    guard bit + width <= 8 * count else {
      throw .truncated(offset: start + at, needed: (bit + width + 7) >> 3, available: count)
    }
    return rest
  }

  /// The next 57 bits at least, zeros for those that are not there.
  @inline(__always)
  var next: UInt64 {
    let at = bit &>> 3
    // In bounds by the condition.
    let word =
      at &+ 8 <= count
      ? UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self)) : rest
    return word &>> UInt64(bit & 7)
  }

  /// Passes `width` bits. Whether they were there is seen by ``finish(_:)``.
  @inline(__always)
  mutating func pass(_ width: Int) { bit &+= width }

  /// The bytes from the next bit's on, fewer than eight.
  @inline(never)
  private var rest: UInt64 {
    var word: UInt64 = 0
    var index = bit >> 3
    var shift: UInt64 = 0
    while index < count {
      word |= UInt64(bytes[index]) &<< shift
      index += 1
      shift += 8
    }
    return word
  }

  /// Moves the reader behind the last byte, what is left of which has to be zeros.
  package mutating func finish(_ reader: inout ByteReader) throws(FormatError) {
    guard try read(-bit & 7) == 0 else { throw .invalid(reason: "bits behind the last", offset: start + bit >> 3) }
    _ = try reader.read(bytes: bit >> 3)
  }
}

/// Appends what ``ByteReader`` reads.
package struct ByteWriter {
  package var bytes: [UInt8] = []

  package init() {}

  // These two are compiled into other modules for the types they are used with: else each call would ask what its is.
  @inlinable
  package mutating func write<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func writeVarint(_ value: Int) {
    precondition(value >= 0 && value <= Int(UInt32.max))
    var rest = UInt32(value)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func writeSignedVarint(_ value: Int64) {
    var rest = UInt64(bitPattern: value) << 1 ^ UInt64(bitPattern: value >> 63)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  @inlinable
  package mutating func write(_ run: some Sequence<UInt8>) { bytes.append(contentsOf: run) }

  // The same of what most runs are.
  package mutating func write(_ run: [UInt8]) { bytes.append(contentsOf: run) }
  package mutating func write(_ run: ArraySlice<UInt8>) { bytes.append(contentsOf: run) }
  package mutating func write(_ run: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: run) }
  package mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }
}

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Takes over `count` values. As `update(from:count:)`, which Embedded Swift makes value by value.
  @inline(__always) func copy(from source: UnsafePointer<Pointee>, count: Int) {
    UnsafeMutableRawPointer(self).copyMemory(from: source, byteCount: count &* MemoryLayout<Pointee>.stride)
  }
}
