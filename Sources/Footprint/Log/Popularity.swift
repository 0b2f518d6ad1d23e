/// Which of `count` records people look for: the one of rank *k* in proportion to 1/*k*, as Zipf's law has it.
///
/// Whole numbers alone, so that the same seed gives the same records on every platform.
struct Popularity {
  private let count: UInt64
  private let keys: [UInt64]
  private let halfBits: UInt64

  /// - Parameters:
  ///   - count: At least 1.
  ///   - seed: Decides which records are the popular ones.
  init(count: Int, seed: UInt64) {
    self.count = UInt64(count)
    var random = SplitMix64(seed: seed)
    keys = (0..<4).map { _ in random.next() }
    let bits = UInt64(max(2, 64 - (self.count - 1).leadingZeroBitCount))
    halfBits = (bits + 1) / 2
  }

  /// A record's position.
  func draw(_ random: inout SplitMix64) -> Int { Int(position(ofRank: rank(&random))) }

  /// From 0. All of its probabilities are exact: the powers of two that ranks lie between have about the same share
  /// each, so one of these is drawn, and of the ranks *k* in it, from 2^*j* on, 2^*j* / *k* are kept.
  func rank(_ random: inout SplitMix64) -> UInt64 {
    let octaves = UInt64(64 - count.leadingZeroBitCount)
    while true {
      let first: UInt64 = 1 << random.below(octaves)
      let rank = first + random.below(first)
      if rank <= count, random.below(rank) < first { return rank - 1 }
    }
  }

  /// Another position for every rank: a Feistel network over the next even number of bits, again until it is one of
  /// the positions that there are.
  func position(ofRank rank: UInt64) -> UInt64 {
    let mask: UInt64 = (1 << halfBits) - 1
    var value = rank
    repeat {
      var (left, right) = (value >> halfBits, value & mask)
      for key in keys { (left, right) = (right, left ^ (SplitMix64.mixed(right ^ key) & mask)) }
      value = left << halfBits | right
    } while value >= count
    return value
  }
}

/// Steele, Lea and Flood's generator: the same numbers for the same seed on every platform.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  static func mixed(_ state: UInt64) -> UInt64 {
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }

  /// A number below `limit`, which is far below 2^64: the bias is one that nobody sees.
  mutating func below(_ limit: UInt64) -> UInt64 { next().multipliedFullWidth(by: limit).high }

  mutating func below(_ limit: Int) -> Int { Int(below(UInt64(limit))) }
}
