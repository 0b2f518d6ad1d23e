/// The reason why this version cannot read a file of an index.
@nonexhaustive
public enum FormatError: Error, Equatable, Sendable {
  /// A field at `offset` would end past the last byte. All three numbers are in bytes.
  case truncated(offset: Int, needed: Int, available: Int)
  /// The first four bytes are not the magic of this kind of file.
  case wrongMagic(found: UInt32, expected: UInt32)
  /// This version does not read the format version of the file.
  case unsupportedVersion(found: Int, supported: Int)
  /// Another fold table made the index, so its keys have another order.
  case otherFold(found: UInt32, supported: UInt32)
  /// The content has another checksum than the manifest says.
  case wrongChecksum(found: UInt32, expected: UInt32)
  /// The file has another SHA-256 than the manifest says.
  case wrongDigest
  /// A file or a frame has another size than its index says. Both sizes are in bytes.
  case wrongSize(found: Int, expected: Int)
  /// zstd refused the frame; `reason` is zstd's own.
  case zstd(reason: String)
  /// The bytes contradict the format. `offset` counts bytes of the decompressed content; 0 if the fault has no place.
  case invalid(reason: String, offset: Int)
}

extension FormatError: CustomStringConvertible {
  /// The fault, as it follows the name of a file in a sentence.
  public var description: String {
    switch self {
    case .truncated(let offset, let needed, let available):
      "ends too early: \(available) of \(needed == 1 ? "1 byte" : "\(needed) bytes") are left at byte \(offset)"
    case .wrongMagic(let found, let expected):
      "begins with \(hexadecimal(found)), not with \(hexadecimal(expected))"
    case .unsupportedVersion(let found, let supported):
      "has format version \(found); this program reads version \(supported)"
    case .otherFold(let found, let supported):
      "was folded by table \(hexadecimal(found)); this program has table \(hexadecimal(supported))"
    case .wrongChecksum(let found, let expected):
      "has checksum \(hexadecimal(found)), not \(hexadecimal(expected))"
    case .wrongDigest: "has another SHA-256 than the manifest says"
    case .wrongSize(let found, let expected):
      "has \(found == 1 ? "1 byte" : "\(found) bytes"), not \(expected)"
    case .zstd(let reason):
      "is damaged: \(reason)"
    case .invalid(let reason, let offset):
      offset == 0 ? reason : "\(reason) (at byte \(offset) of its content)"
    }
  }

  /// The remedy, as it follows ``description`` in a sentence.
  var advice: String {
    switch self {
    case .unsupportedVersion: "; use a program that reads that version, or build the index again"
    case .otherFold: "; build the index again"
    default: "; repair the index from a copy, or build it again"
    }
  }
}

func hexadecimal(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return "0x" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
}
