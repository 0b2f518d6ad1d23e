/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers for the same state on every platform.
///
/// All arithmetic is modulo 2^64, so the operators wrap.
struct GeneratorRandom {
  var state: UInt64

  /// The output function: a bijection that sends neighbours far apart.
  @inline(__always) static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  @inline(__always) mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  /// Returns a number below `limit`. A limit above 2^32 makes some numbers a little likelier.
  @inline(__always) mutating func below(_ limit: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: limit).high
  }
}
