/// XXH64 with seed 0, whose low half is the checksum of a zstd frame's content.
/// Source: the xxHash specification, version 0.1.1; RFC 8878 section 3.1.1.
///
/// The engine has its own because zstd's is private and the engine reads stored frames without zstd.
package enum XXHash64 {
  private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0x9e37_79b1_85eb_ca87, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x85eb_ca77_c2b2_ae63, 0x27d4_eb2f_1656_67c5
  )

  @inline(__always)
  private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value &<< bits | value &>> (64 &- bits) }

  @inline(__always)
  private static func round(_ sum: UInt64, _ lane: UInt64) -> UInt64 {
    rotated(sum &+ lane &* primes.1, 31) &* primes.0
  }

  @inline(__always)
  private static func merged(_ hash: UInt64, _ sum: UInt64) -> UInt64 {
    (hash ^ round(0, sum)) &* primes.0 &+ primes.3
  }

  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 { hash(unsafe bytes.bytes) }

  /// The hash of `bytes`. O(*n*).
  ///
  /// Arithmetic is modulo 2^64, as in the specification; offsets end at the size of the bytes.
  package static func hash(_ bytes: RawSpan) -> UInt64 {
    let count = bytes.byteCount
    var hash = primes.4
    var at = 0
    // In bounds by the condition of each loop.
    @inline(__always) func word(_ offset: Int) -> UInt64 { unsafe bytes.load(unchecked: offset, as: UInt64.self) }
    if count >= 32 {
      var (a, b, c, d) = (primes.0 &+ primes.1, primes.1, UInt64(0), 0 &- primes.0)
      let last = count - 32
      while at <= last {
        a = round(a, word(at))
        b = round(b, word(at &+ 8))
        c = round(c, word(at &+ 16))
        d = round(d, word(at &+ 24))
        at &+= 32
      }
      hash = rotated(a, 1) &+ rotated(b, 7) &+ rotated(c, 12) &+ rotated(d, 18)
      hash = merged(merged(merged(merged(hash, a), b), c), d)
    }
    hash &+= UInt64(count)
    while at &+ 8 <= count {
      hash = rotated(hash ^ round(0, word(at)), 27) &* primes.0 &+ primes.3
      at &+= 8
    }
    if at &+ 4 <= count {
      hash = rotated(hash ^ UInt64(bytes.load(at, as: UInt32.self)) &* primes.0, 23) &* primes.1 &+ primes.2
      at &+= 4
    }
    while at < count {
      hash = rotated(hash ^ UInt64(bytes[at]) &* primes.4, 11) &* primes.0
      at &+= 1
    }
    hash = (hash ^ hash &>> 33) &* primes.1
    hash = (hash ^ hash &>> 29) &* primes.2
    return hash ^ hash &>> 32
  }
}
