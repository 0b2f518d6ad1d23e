/// A writer of the values that ``ByteReader`` reads.
package struct ByteWriter {
  package var bytes: [UInt8] = []

  package init() {}

  // Other modules compile the generic methods for each type; otherwise each call would look up its type.
  @inlinable
  package mutating func write<T: FixedWidthInteger>(_ value: T) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  package mutating func writeVarint(_ value: Int) {
    precondition(value >= 0 && UInt64(value) <= UInt64(UInt32.max))
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

  // Writes a run of one of the common types.
  package mutating func write(_ run: [UInt8]) { bytes.append(contentsOf: run) }
  package mutating func write(_ run: ArraySlice<UInt8>) { bytes.append(contentsOf: run) }
  package mutating func write(_ run: UnsafeBufferPointer<UInt8>) { unsafe bytes.append(contentsOf: run) }
  package mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
  }
}
