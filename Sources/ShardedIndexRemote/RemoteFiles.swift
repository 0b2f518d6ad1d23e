#if Remote
  import CLibrary
  import ShardedIndex

  /// A manifest, or an archive, at the time of its opening: one content of the file.
  final class RemoteRoot: Sendable {
    /// The first bytes: 64 KiB, or the whole file if it is smaller or if the host sends only whole files.
    let head: [UInt8]
    /// The size of the file, in bytes.
    let size: Int64
    /// The host's name for the content.
    let tag: String?
    /// The beginning of the disk cache's names for ranges of this content; the text of the range follows.
    let seed: [UInt8]
    /// Whether the root is from the disk cache, and the host said that the content is unchanged.
    let isKept: Bool

    init(_ body: FetchedBody, at address: RemoteAddress, isKept: Bool = false) {
      (head, size, tag, self.isKept) = (body.bytes, body.total, body.tag, isKept)
      seed = SHA256.digest(ofBytes: Array(address.cached.utf8) + [0] + body.bytes)
    }

    /// Returns whether another answer has the same content.
    func isSame(_ body: FetchedBody) -> Bool { size == body.total && head == body.bytes }

    /// Returns the reason why an answer is not an index; nil if it may be one.
    static func failure(of body: FetchedBody, isArchive: Bool) -> FetchFailure? {
      let zstd: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
      let zip: [UInt8] = [0x50, 0x4b, 0x03, 0x04]
      if body.bytes.starts(with: isArchive ? zip : zstd) { return nil }
      if body.bytes.first(where: { $0 > 0x20 }) == 0x3c {
        return FetchFailure("the host answers with an HTML page, perhaps a login page")
      }
      return FetchFailure(
        isArchive
          ? "the file is not an archive of an index; the URL of a directory ends with /" : "the file is not a manifest")
    }

    // MARK: On disk: the tag, the size and the first bytes, a line feed behind each of the first two

    /// The most bytes of a tag.
    private static let tagLimit = 256

    /// - Returns: nil for bytes that ``kept(_:)`` does not make.
    convenience init?(kept bytes: [UInt8], at address: RemoteAddress) {
      let parts = bytes.split(separator: 0x0a, maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, let tag = Self.usable(String(decoding: parts[0], as: UTF8.self)),
        let total = Int64(String(decoding: parts[1], as: UTF8.self)), total >= parts[2].count
      else { return nil }
      let body = FetchedBody(
        bytes: Array(parts[2]), total: total, isWhole: total == parts[2].count, tag: tag)
      self.init(body, at: address, isKept: true)
    }

    /// Returns the bytes of an answer for the disk cache; nil if the answer has no tag that stands for its bytes.
    static func kept(_ body: FetchedBody) -> [UInt8]? {
      usable(body.tag).map { Array("\($0)\n\(body.total)\n".utf8) + body.bytes }
    }

    /// A weak tag also stands for other bytes with the same meaning. Source: RFC 9110 section 8.8.3.
    private static func usable(_ tag: String?) -> String? {
      guard let tag, tag.utf8.count <= tagLimit, tag.hasPrefix("\""), tag.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
        return nil
      }
      return tag
    }
  }

  /// A file of the index, as its number stands for it.
  struct RemoteFile {
    let name: String
    /// The offset of the file in its holder; 0 for a file at the URL.
    let start: Int64
    let size: Int64
    /// The manifest or the archive that the file is, or is in; nil for a file whose name follows from its content.
    var root: RemoteRoot?
    /// The number of the file at the URL that has this one in it; nil for a file at the URL.
    var outermost: CInt?
    /// The name of the file at the URL that the file is, or is in; nil for an archive.
    let urlName: String?
    let plan: FetchPlan.File
    /// Whether the file's content is one that no answer belongs to any more.
    var isForgotten = false

    /// The first 8 bytes of the file's SHA-256, in hexadecimal digits; nil if the name has no digest. Source:
    /// docs/format.md section 2.
    var digest: Substring? {
      let parts = name.split(separator: "-")
      guard parts.count > 1, let last = parts.last, last.hasSuffix(".zst"), last.utf8.count == 20 else { return nil }
      return last.dropLast(4)
    }
  }

  /// Bytes of a file that a request asks for, or has fetched.
  final class RemotePiece {
    /// The request; nil once the request has ended.
    var fetch: Fetch?
    var bytes: [UInt8] = []
    /// The offset of the bytes in the file at the URL.
    var start: Int64
    var failure: FetchFailure?
    /// The time of the end, in milliseconds.
    var ended: Int64 = 0
    /// The steps at its end and at its last use.
    var (step, used) = (0, 0)

    init(_ fetch: Fetch?, from start: Int64) { (self.fetch, self.start) = (fetch, start) }
  }

  extension SHA256 {
    static func digest(ofBytes bytes: [UInt8]) -> [UInt8] { unsafe digest(of: bytes.span.bytes) }

    /// Returns bytes as hexadecimal digits.
    static func text(_ digest: some Sequence<UInt8>) -> String {
      let digits = Array("0123456789abcdef".utf8)
      return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }
#endif
