/// SHA-256 (FIPS 180-4), which checks pinned indexes. The engine has its own, since it depends on libzstd alone.
package struct SHA256 {
  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
  )
  /// The bytes of an incomplete block.
  private var rest: [UInt8] = []
  private var size: UInt64 = 0

  private static let blockSize = 64
  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes: FIPS 180-4 section 4.2.2.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]

  package init() {}

  /// The digest of `bytes`: 32 bytes.
  package static func digest(of bytes: RawSpan) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  package static func digest(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] { digest(of: unsafe bytes.span.bytes) }

  /// Hashes more bytes.
  package mutating func update(_ bytes: RawSpan) {
    size += UInt64(bytes.byteCount)
    var start = 0
    if !rest.isEmpty {
      start = min(Self.blockSize - rest.count, bytes.byteCount)
      for index in 0..<start { rest.append(bytes[index]) }
      guard rest.count == Self.blockSize else { return }
      let block = rest
      unsafe compress(block.span.bytes)
      rest.removeAll(keepingCapacity: true)
    }
    let end = start + (bytes.byteCount - start) / Self.blockSize * Self.blockSize
    compress(bytes.extracting(start..<end))
    for index in end..<bytes.byteCount { rest.append(bytes[index]) }
  }

  /// The digest of all bytes: 32 bytes. No more can be hashed afterwards.
  package mutating func finish() -> [UInt8] {
    let bits = size * 8
    var end = rest + [0x80]
    while end.count % Self.blockSize != Self.blockSize - 8 { end.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) { end.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    unsafe compress(end.span.bytes)
    return [state.0, state.1, state.2, state.3, state.4, state.5, state.6, state.7].flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  package mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) { update(unsafe bytes.span.bytes) }

  /// Hashes whole blocks. Arithmetic is modulo 2^32, as in the standard; indexes are below 64.
  private mutating func compress(_ blocks: RawSpan) {
    let constants = Self.constants.span
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { buffer in
      let words = buffer.baseAddress!
      for start in stride(from: 0, to: blocks.byteCount, by: Self.blockSize) {
        let block = blocks.extracting(start..<start + Self.blockSize)
        // In bounds: a block has sixteen words.
        for at in 0..<16 { unsafe words[at] = block.load(unchecked: 4 &* at, as: UInt32.self).byteSwapped }
        for at in 16..<64 {
          let (early, late) = unsafe (words[at &- 15], words[at &- 2])
          let low = Self.rotated(early, 7) ^ Self.rotated(early, 18) ^ (early &>> 3)
          let high = Self.rotated(late, 17) ^ Self.rotated(late, 19) ^ (late &>> 10)
          unsafe words[at] = words[at &- 16] &+ low &+ words[at &- 7] &+ high
        }
        unsafe compressBlock(words, constants)
      }
    }
  }

  /// Hashes one block.
  ///
  /// - Parameter words: The 64 words of the rounds.
  @inline(__always)
  private mutating func compressBlock(_ words: UnsafeMutablePointer<UInt32>, _ constants: Span<UInt32>) {
    @inline(__always) func input(_ at: Int) -> UInt32 { unsafe words[at] &+ constants[unchecked: at] }
    /// One round, which changes two of the eight words.
    @inline(__always) func round(
      _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
      _ h: inout UInt32, _ input: UInt32
    ) {
      let sum = h &+ (Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)) &+ (g ^ (e & (f ^ g))) &+ input
      d = d &+ sum
      h = sum &+ (Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)) &+ ((a & b) | (c & (a | b)))
    }
    let before = state
    var (a, b, c, d, e, f, g, h) = before
    var at = 0
    while at < 64 {
      round(a, b, c, &d, e, f, g, &h, input(at))
      round(h, a, b, &c, d, e, f, &g, input(at &+ 1))
      round(g, h, a, &b, c, d, e, &f, input(at &+ 2))
      round(f, g, h, &a, b, c, d, &e, input(at &+ 3))
      round(e, f, g, &h, a, b, c, &d, input(at &+ 4))
      round(d, e, f, &g, h, a, b, &c, input(at &+ 5))
      round(c, d, e, &f, g, h, a, &b, input(at &+ 6))
      round(b, c, d, &e, f, g, h, &a, input(at &+ 7))
      at &+= 8
    }
    state = (
      before.0 &+ a, before.1 &+ b, before.2 &+ c, before.3 &+ d, before.4 &+ e, before.5 &+ f, before.6 &+ g,
      before.7 &+ h
    )
  }

  @inline(__always) private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    (word &>> count) | (word &<< (32 &- count))
  }
}
