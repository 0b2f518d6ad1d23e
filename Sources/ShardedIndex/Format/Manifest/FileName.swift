/// The name of a file of an index, at most 55 bytes: it lies in the value itself, so that opening a file makes no
/// `String`.
package struct FileName: Sendable, BitwiseCopyable {
  /// The bytes, zeros behind them.
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
  /// Of the label, letters a to z and digits stand for themselves, other bytes as `%` and two hexadecimal digits; an
  /// empty one gives `_`. So nothing in a manifest can lead out of its directory.
  ///
  /// - Parameters:
  ///   - label: At most 8 of its bytes count, and no zeros.
  ///   - digest: At most 8 of its bytes count.
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

  /// Calls `body` with the name, a zero behind it.
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
  /// Returns the label of a shard, which its file's name begins with: the first two characters of its first key, zeros
  /// behind them.
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
