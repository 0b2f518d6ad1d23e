/// The name of a file of an index, at most 55 bytes. The value holds the bytes, so that opening a file makes no
/// `String`.
package struct FileName: Sendable, BitwiseCopyable {
  /// The bytes, with zeros behind them.
  private var bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
  private static let capacity = 55

  /// - Parameter name: ASCII, at most 55 bytes.
  package init(_ name: StaticString) {
    precondition(name.utf8CodeUnitCount <= Self.capacity, "a file name of an index is short")
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
      name.withUTF8Buffer { unsafe bytes.copyMemory(from: UnsafeRawBufferPointer($0)) }
    }
  }

  /// The name of a shard's file: its label and the first half of its digest.
  ///
  /// Letters a to z and digits of the label stand for themselves. Other bytes become `%` and two hexadecimal digits,
  /// and an empty label becomes `_`. So no manifest can name a file outside its directory.
  ///
  /// - Parameters:
  ///   - label: The label, of which the first 8 bytes count, without zeros.
  ///   - digest: The digest, of which the first 8 bytes count.
  package init(label: some Collection<UInt8>, digest: some Collection<UInt8>) {
    // 24 bytes of label, a hyphen, 16 digits and `.zst` fit.
    var size = 0
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
      func append(_ byte: UInt8) {
        unsafe bytes[size] = byte
        size += 1
      }
      func appendHexadecimal(_ byte: UInt8) {
        let (high, low) = (byte >> 4, byte & 15)
        append(high < 10 ? 0x30 + high : 0x57 + high)
        append(low < 10 ? 0x30 + low : 0x57 + low)
      }
      for byte in label.prefix(8) where byte != 0 {
        switch byte {
        case 0x61...0x7a, 0x30...0x39: append(byte)
        default:
          append(0x25)
          appendHexadecimal(byte)
        }
      }
      if size == 0 { append(0x5f) }
      append(0x2d)
      for byte in digest.prefix(8) { appendHexadecimal(byte) }
      append(0x2e)
      append(0x7a)
      append(0x73)
      append(0x74)
    }
  }

  /// Calls `body` with the name and a zero behind it.
  func withCString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe try withUnsafeBytes(of: bytes) { (bytes) throws(Failure) in
      unsafe try body(bytes.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }

  /// The name as text.
  package var text: String { unsafe withCString { unsafe String(cString: $0) } }
}

extension Manifest {
  /// Returns the label of a shard, with which its file's name begins: the first two characters of its first key, with
  /// zeros behind them.
  package static func label(ofKey key: some Collection<UInt8>) -> [UInt8] {
    var label: [UInt8] = []
    var characters = 0
    for byte in key {
      if byte & 0xc0 != 0x80 { characters += 1 }
      if characters > 2 || label.count == 8 { break }
      label.append(byte)
    }
    return label + [UInt8](repeating: 0, count: 8 - label.count)
  }

  /// Returns the name of a shard's file.
  package static func fileName(label: [UInt8], digest: [UInt8]) -> String {
    FileName(label: label, digest: digest).text
  }
}
