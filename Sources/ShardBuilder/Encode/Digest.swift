import CNettle

/// SHA-256, computed by nettle.
package enum Digest {
  /// Returns the digest of `bytes`, which has 32 bytes.
  package static func sha256(_ bytes: RawSpan) -> [UInt8] {
    var stream = Stream()
    stream.update(bytes)
    return stream.finish()
  }

  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { unsafe sha256(bytes.span.bytes) }

  package static func sha256(_ bytes: Span<UInt8>) -> [UInt8] { unsafe sha256(bytes.bytes) }

  package static func hexadecimal(_ digest: [UInt8]) -> String {
    digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The digest of bytes that come in runs.
  struct Stream {
    private var context = sha256_ctx()

    init() { unsafe nettle_sha256_init(&context) }

    mutating func update(_ bytes: RawSpan) {
      unsafe bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        unsafe nettle_sha256_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
      }
    }

    mutating func finish() -> [UInt8] {
      var digest = [UInt8](repeating: 0, count: 32)
      unsafe nettle_sha256_digest(&context, 32, &digest)
      return digest
    }
  }
}
