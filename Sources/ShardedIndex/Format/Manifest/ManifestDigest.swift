/// The SHA-256 of a manifest's file. It names one generation of one index, and proves every byte of that generation.
///
/// `shardq stats` prints it, as does `sha256sum` of the file `manifest`.
public struct ManifestDigest: Sendable, Hashable, LosslessStringConvertible {
  /// 32 bytes.
  public let bytes: [UInt8]

  /// - Parameter description: 64 hexadecimal digits; any other text gives nil.
  public init?(_ description: String) {
    var bytes: [UInt8] = []
    var high: UInt8? = nil
    for digit in description.utf8 {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit &- 0x30
      case 0x41...0x46: value = digit &- 0x37
      case 0x61...0x66: value = digit &- 0x57
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    guard high == nil, bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// - Parameter bytes: The 32 bytes of the digest.
  init(bytes: [UInt8]) {
    precondition(bytes.count == 32, "not a SHA-256")
    self.bytes = bytes
  }

  /// 64 lower-case hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
