import CNettle

/// SHA-256, by nettle.
package enum Digest {
  /// 32 bytes.
  package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var stream = Stream()
    stream.update(bytes)
    return stream.finish()
  }

  package static func sha256(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] { sha256(UnsafeRawBufferPointer(bytes)) }

  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

  package static func sha256(_ bytes: Span<UInt8>) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }

  /// The same of bytes that come in runs.
  struct Stream {
    private var context = sha256_ctx()

    init() { nettle_sha256_init(&context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      guard let start = bytes.baseAddress else { return }
      nettle_sha256_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
    }

    mutating func finish() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
        nettle_sha256_digest(&context, 32, digest.baseAddress)
        count = 32
      }
    }
  }
}
