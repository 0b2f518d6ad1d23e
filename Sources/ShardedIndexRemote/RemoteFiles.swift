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

    init(_ body: FetchedBody, at address: RemoteAddress) {
      (head, size, tag) = (body.bytes, body.total, body.tag)
      seed = SHA256.digest(ofBytes: Array(address.shown.utf8) + [0] + body.bytes)
    }

    /// Whether another answer is of the same content.
    func isSame(_ body: FetchedBody) -> Bool { size == body.total && head == body.bytes }
  }

  /// A file of the index, by its number.
  struct RemoteFile {
    let name: String
    /// Where it begins: 0 for a file of its own.
    let start: Int64
    let size: Int64
    /// The manifest or the archive that it is or that it is in; nil for a file that its name says all of.
    let root: RemoteRoot?
    /// The number of the file that it is in; nil for a file at the URL.
    let holder: CInt?
    /// The name of the file at the URL that it is or that it is in; nil for an archive.
    let urlName: String?

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
