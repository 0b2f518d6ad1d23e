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

  /// The next `size` bytes; the cursor moves behind them.
  package mutating func read(bytes size: Int) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
    guard size >= 0, size <= remaining else {
      throw .truncated(offset: offset, needed: size, available: remaining)
    }
    defer { offset += size }
    return UnsafeBufferPointer(start: start + offset, count: size)
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

  @inlinable
  package mutating func write(_ run: some Sequence<UInt8>) { bytes.append(contentsOf: run) }

  // The same of what most runs are.
  package mutating func write(_ run: [UInt8]) { bytes.append(contentsOf: run) }
  package mutating func write(_ run: ArraySlice<UInt8>) { bytes.append(contentsOf: run) }
  package mutating func write(_ run: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: run) }
}
