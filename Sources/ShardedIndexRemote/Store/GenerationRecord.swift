import ShardedIndex

/// The object of a store that commits a generation of an index. Source: docs/remote.md, section "The layout of a
/// prefix".
package struct GenerationRecord: Equatable, Sendable {
  /// The SHA-256 of the manifest.
  package var digest: ManifestDigest
  /// The size of the manifest, in bytes.
  package var size: Int
  package var recordCount: Int
  package var shardCount: Int
  /// The number of the parent generation; nil for the first generation.
  package var parent: UInt64?

  package init(digest: ManifestDigest, size: Int, recordCount: Int, shardCount: Int, parent: UInt64?) {
    (self.digest, self.size, self.parent) = (digest, size, parent)
    (self.recordCount, self.shardCount) = (recordCount, shardCount)
  }

  /// The most bytes of a record.
  package static let sizeLimit = 512
  private static let firstLine = "shardq generation 1"

  /// The name of the object with the manifest.
  package var manifestName: String { Self.manifestName(digest) }

  /// Returns the name of the object with a manifest: `manifest-` and the first 16 bytes of its SHA-256, in hexadecimal
  /// digits.
  package static func manifestName(_ digest: ManifestDigest) -> String {
    "manifest-" + digest.description.prefix(32)
  }

  /// Returns the name of a generation's record: `generations/` and 20 digits.
  package static func name(_ number: UInt64) -> String {
    let digits = String(number)
    return folder + String(repeating: "0", count: 20 - digits.utf8.count) + digits
  }

  package static let folder = "generations/"

  /// Returns the number of a generation from the name of its record; nil for another name.
  package static func number(ofName name: some StringProtocol) -> UInt64? {
    let digits = name.utf8.dropFirst(folder.utf8.count)
    guard name.utf8.starts(with: folder.utf8), digits.count == 20, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
      return nil
    }
    return UInt64(String(decoding: Array(digits), as: UTF8.self))
  }

  package var bytes: [UInt8] {
    Array(
      """
      \(Self.firstLine)
      digest \(digest)
      size \(size)
      records \(recordCount)
      shards \(shardCount)
      parent \(parent.map(String.init) ?? "none")

      """.utf8)
  }

  /// - Returns: nil for bytes that ``bytes`` does not make.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.sizeLimit, let text = String(utf8: bytes) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 7, lines[0] == Self.firstLine, lines[6].isEmpty else { return nil }
    func value(_ line: Int, _ name: String) -> Substring? {
      lines[line].hasPrefix(name + " ") ? lines[line].dropFirst(name.utf8.count + 1) : nil
    }
    guard let digest = value(1, "digest").flatMap({ ManifestDigest(String($0)) }),
      let size = value(2, "size").flatMap({ Int($0) }), let records = value(3, "records").flatMap({ Int($0) }),
      let shards = value(4, "shards").flatMap({ Int($0) }), let parent = value(5, "parent"),
      1...Manifest.sizeLimit ~= size, records >= 0, shards >= 0, parent == "none" || UInt64(parent) != nil
    else { return nil }
    self.init(digest: digest, size: size, recordCount: records, shardCount: shards, parent: UInt64(parent))
    guard self.bytes == bytes else { return nil }
  }
}
