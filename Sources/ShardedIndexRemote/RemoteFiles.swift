#if Remote
  import CLibrary
  import ShardedIndex

  /// A file as it was opened: a manifest, or an archive, of one content.
  final class RemoteRoot: Sendable {
    /// The first bytes: 64 KiB, or all of a file that is smaller, or that the host sends whole alone.
    let head: [UInt8]
    /// The size of the file, in bytes.
    let size: Int64
    /// The host's name for the content.
    let tag: String?
    /// The text before that of a range, in the names that the cache has for ranges of this content.
    let seed: [UInt8]
    /// Whether it is of the disk cache, and the host said that nothing has changed since.
    let isKept: Bool

    init(_ body: FetchedBody, at address: RemoteAddress, isKept: Bool = false) {
      (head, size, tag, self.isKept) = (body.bytes, body.total, body.tag, isKept)
      seed = SHA256.digest(ofBytes: Array(address.shown.utf8) + [0] + body.bytes)
    }

    /// Whether another answer is of the same content.
    func isSame(_ body: FetchedBody) -> Bool { size == body.total && head == body.bytes }

    /// Returns why an answer is no index; nil for one that may be.
    static func failure(of body: FetchedBody, isArchive: Bool) -> FetchFailure? {
      let zstd: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd]
      let zip: [UInt8] = [0x50, 0x4b, 0x03, 0x04]
      if body.bytes.starts(with: isArchive ? zip : zstd) { return nil }
      if body.bytes.first(where: { $0 > 0x20 }) == 0x3c {
        return FetchFailure("the host answers with a page of HTML, a login perhaps")
      }
      return FetchFailure(
        isArchive
          ? "it is no archive of an index; the URL of a directory ends with /" : "the file is no manifest of an index")
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

    /// Returns the bytes to be kept of an answer; nil for one without a tag that stands for its bytes.
    static func kept(_ body: FetchedBody) -> [UInt8]? {
      usable(body.tag).map { Array("\($0)\n\(body.total)\n".utf8) + body.bytes }
    }

    /// A weak tag stands for other bytes of the same meaning as well. Source: RFC 9110 section 8.8.3.
    private static func usable(_ tag: String?) -> String? {
      guard let tag, tag.utf8.count <= tagLimit, tag.hasPrefix("\""), tag.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
        return nil
      }
      return tag
    }
  }

  /// A file of the index, by its number.
  struct RemoteFile {
    let name: String
    /// Where it begins: 0 for a file of its own.
    let start: Int64
    let size: Int64
    /// The manifest or the archive that it is or that it is in; nil for a file that its name says all of.
    var root: RemoteRoot?
    /// The number of the file that it is in; nil for a file at the URL.
    let holder: CInt?
    /// The name of the file at the URL that it is or that it is in; nil for an archive.
    let urlName: String?
    /// Whether it was in a content that no answer is of any more.
    var isForgotten = false

    /// The first 8 bytes of the file's SHA-256, in hexadecimal digits; nil where the name has none. Source:
    /// docs/format.md section 2.
    var digest: Substring? {
      let parts = name.split(separator: "-")
      guard parts.count > 1, let last = parts.last, last.hasSuffix(".zst"), last.utf8.count == 20 else { return nil }
      return last.dropLast(4)
    }
  }

  /// Bytes of a file that a request asks for, or has got.
  final class RemotePiece {
    /// The request; nil once it has ended.
    var fetch: Fetch?
    var bytes: [UInt8] = []
    /// Where the bytes begin in the file at the URL.
    var start: Int64
    var failure: FetchFailure?
    /// Milliseconds: when it ended.
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
