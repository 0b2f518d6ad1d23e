/// The reason why bytes are not a shard or a manifest that this version reads.
@nonexhaustive
public enum FormatError: Error, Equatable, Sendable {
  /// A field that starts at `offset` would end past the last byte. All three are in bytes.
  case truncated(offset: Int, needed: Int, available: Int)
  /// The first four bytes are not the magic of this kind of file.
  case wrongMagic(found: UInt32, expected: UInt32)
  /// The format is newer than this version reads, or was never issued.
  case unsupportedVersion(found: Int, supported: Int)
  /// The index was folded by another table, so its keys have another order.
  case otherFold(found: UInt32, supported: UInt32)
  /// The checksum of the content is not the one the manifest holds.
  case wrongChecksum(found: UInt32, expected: UInt32)
  /// The SHA-256 of the file is not the one that the manifest holds.
  case wrongDigest
  /// A size in bytes is not the one that the reference to these bytes gives.
  case wrongSize(found: Int, expected: Int)
  /// zstd refused the frame; the reason is its own.
  case zstd(reason: String)
  /// The bytes contradict the format; `offset` counts bytes of the content, after decompression if it was compressed.
  case invalid(reason: String, offset: Int)
}

extension FormatError: CustomStringConvertible {
  /// The fault, as it reads behind the name of a file.
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
      "is not a valid zstd frame: \(reason)"
    case .invalid(let reason, let offset):
      offset == 0 ? reason : "\(reason) (at byte \(offset) of its content)"
    }
  }

  /// The remedy, as it reads behind ``description``.
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
  return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
}
