/// The priority of a gap between two neighbouring records as a boundary between pieces.
///
/// Let *d* be the number of bytes that the folded keys *a* < *b* have in common. The shortest byte strings *s* with *a*
/// < *s* <= *b* are *b*'s first *d* bytes and one more byte *c*, *a*[*d*] < *c* <= *b*[*d*] (without a lower end if *a*
/// ends there). The rank is 4 times the number of characters begun in *s*, plus 1 for each byte after the first of its
/// last character. The value is the greatest ``hash(_:_:)`` of those strings.
///
/// A longer string always has a higher rank than its own beginning. If a record leaves, two gaps become one: their
/// strings unite, or the shorter strings stay. If a record comes, a gap and its strings are divided. In both cases the
/// better of two gaps remains. (Equal ranks for one and two characters, or for all bytes of one character, would break
/// this rule: a sixth of the removals at a border in Japanese text then changed two or three pieces.)
package struct GapPriority: Comparable, Sendable {
  /// The rank; lower is better.
  package var rank: UInt32
  /// The value; among equal ranks higher is better.
  package var value: UInt64

  package init(rank: UInt32, value: UInt64) {
    self.rank = rank
    self.value = value
  }

  /// The priority between identical records, below all others.
  package static let lowest = GapPriority(rank: .max, value: 0)
  /// The base of ranks between equal folded keys; the depth in ``RecordOrder/serializeRest(_:into:)`` is added. It is
  /// above the number of characters of any folded key.
  static let restRank = 1 << 20

  package static func < (a: GapPriority, b: GapPriority) -> Bool {
    a.rank != b.rank ? a.rank > b.rank : a.value < b.value
  }

  /// The start of ``hash(_:_:)``: FNV-1a's offset basis.
  static let seed: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Adds a byte to the FNV-1a hash (64 bits) of a string. FNV-1a needs a product that wraps.
  @inline(__always)
  static func add(_ byte: UInt8, to state: UInt64) -> UInt64 { (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  /// Returns the hash of the string that led to `state` and `byte`: FNV-1a, then the finisher of SplitMix64, which
  /// needs products that wrap.
  @inline(__always)
  static func hash(_ state: UInt64, _ byte: UInt8) -> UInt64 {
    var hash = add(byte, to: state)
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return hash ^ hash >> 31
  }

  /// Returns the best hash among the shortest strings above `a` and not above `b`. The two texts differ first at
  /// `depth`.
  static func best(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, depth: Int) -> UInt64 {
    unsafe best(above: depth < a.count ? a[depth] : nil, b, depth: depth)
  }

  /// Returns the best hash for the byte of `a` at `depth`; nil if `a` ends there.
  static func best(above byte: UInt8?, _ b: UnsafeBufferPointer<UInt8>, depth: Int) -> UInt64 {
    var state = seed
    for index in 0..<depth { state = unsafe add(b[index], to: state) }
    // The byte is less than b's, unless an index has its records in another order than a builder's.
    var next = byte.map { Int($0) + 1 } ?? 0
    var best: UInt64 = 0
    while unsafe next <= Int(b[depth]) {
      best = max(best, hash(state, UInt8(truncatingIfNeeded: next)))
      next += 1
    }
    return best
  }

  /// Returns the priority of a gap between different folded keys, which have `depth` bytes in common.
  static func between(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>, depth: Int) -> GapPriority {
    var (rank, inCharacter): (UInt32, UInt32) = (0, 0)
    for index in 0...depth {
      if unsafe b[index] & 0xC0 != 0x80 {
        rank += 4
        inCharacter = 0
      } else {
        inCharacter = min(3, inCharacter + 1)
      }
    }
    return unsafe GapPriority(rank: rank + inCharacter, value: best(a, b, depth: depth))
  }
}
