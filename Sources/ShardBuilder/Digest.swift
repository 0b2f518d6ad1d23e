import CNettle

/// SHA-256, by nettle.
package enum Digest {
  /// 32 bytes.
  package static func sha256(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var context = sha256_ctx()
    nettle_sha256_init(&context)
    nettle_sha256_update(&context, bytes.count, bytes.baseAddress)
    return [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      nettle_sha256_digest(&context, 32, digest.baseAddress)
      count = 32
    }
  }
}

extension Digest {
  /// 32 bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBufferPointer { sha256($0) } }

  /// The same of bytes that come one after the other.
  struct Stream {
    private var context = sha256_ctx()

    init() { nettle_sha256_init(&context) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
      nettle_sha256_update(&context, bytes.count, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }

    mutating func finish() -> [UInt8] {
      [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
        nettle_sha256_digest(&context, 32, digest.baseAddress)
        count = 32
      }
    }
  }
}
