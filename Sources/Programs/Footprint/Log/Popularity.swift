/// The popularity of records. By Zipf's law, people look for the record of rank *k* in proportion to 1/*k*.
///
/// All arithmetic is on whole numbers, so that the same seed gives the same records on every platform.
package struct Popularity {
  private let count: UInt64
  private let keys: [UInt64]
  private let halfBits: UInt64

  /// - Parameters:
  ///   - count: The number of records, at least 1.
  ///   - seed: A number that decides which records are popular.
  package init(count: Int, seed: UInt64) {
    self.count = UInt64(count)
    var random = SplitMix64(seed: seed)
    keys = (0..<4).map { _ in random.next() }
    let bits = UInt64(max(2, 64 - (self.count - 1).leadingZeroBitCount))
    halfBits = (bits + 1) / 2
  }

  /// Draws a record's position.
  func draw(_ random: inout SplitMix64) -> Int { Int(position(ofRank: rank(&random))) }

  /// Draws a rank, from 0. Its probabilities are exact. The ranks from one power of two to the next have about the same
  /// share as the ranks from there to the following power. So the function draws a power 2^*j*, then a rank *k* above
  /// that power, and keeps the rank with probability 2^*j* / *k*.
  package func rank(_ random: inout SplitMix64) -> UInt64 {
    let octaves = UInt64(64 - count.leadingZeroBitCount)
    while true {
      let first: UInt64 = 1 << random.below(octaves)
      let rank = first + random.below(first)
      if rank <= count, random.below(rank) < first { return rank - 1 }
    }
  }

  /// Returns the position of a rank. Each rank has its own position: a Feistel network over the next even number of
  /// bits is repeated until its result is a position.
  package func position(ofRank rank: UInt64) -> UInt64 {
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

/// The generator of Steele, Lea and Flood, which gives the same numbers for the same seed on every platform.
///
/// Its arithmetic is defined modulo 2^64, so the operators wrap.
package struct SplitMix64 {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

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

  /// Returns a number below `limit`. The limit is far below 2^64, so the bias is negligible.
  mutating func below(_ limit: UInt64) -> UInt64 { next().multipliedFullWidth(by: limit).high }

  mutating func below(_ limit: Int) -> Int { Int(below(UInt64(limit))) }
}
