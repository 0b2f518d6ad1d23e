import CZlib

/// The CRC-32 of ZIP, computed by zlib.
enum Checksum {
  /// Returns the checksum of bytes that follow other bytes with the checksum `before`.
  static func crc32(_ bytes: [UInt8], behind before: UInt32 = 0) -> UInt32 {
    unsafe UInt32(truncatingIfNeeded: CZlib.crc32(UInt(before), bytes, UInt32(bytes.count)))
  }
}
