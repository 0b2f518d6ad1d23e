/// A histogram of times in nanoseconds. It takes 16 KiB for any number of times, with an error of a hundredth at most.
package struct TimeHistogram {
  private static let subBits = 6
  private var counts = [UInt32](repeating: 0, count: (64 - subBits + 1) << subBits)
  package private(set) var count = 0
  private var sum = 0

  package init() {}

  package mutating func add(_ nanoseconds: Int) {
    counts[Self.bucket(UInt64(max(0, nanoseconds)))] += 1
    count += 1
    sum += nanoseconds
  }

  /// The mean; 0 without times.
  package var mean: Int { count == 0 ? 0 : sum / count }

  /// Returns the least time that a share of all times do not exceed.
  ///
  /// - Parameter permille: The share in thousandths: 500 is the median.
  package func quantile(permille: Int) -> Int {
    guard count > 0 else { return 0 }
    let wanted = max(1, (count * permille + 999) / 1000)
    var seen = 0
    for (bucket, count) in counts.enumerated() {
      seen += Int(count)
      if seen >= wanted { return Self.middle(bucket) }
    }
    return Self.middle(counts.count - 1)
  }

  /// Returns the bucket of a value. A value below 2^6 has its own bucket; above, a bucket is a 64th of a power of two.
  private static func bucket(_ value: UInt64) -> Int {
    let bits = UInt64.bitWidth - value.leadingZeroBitCount
    if bits <= subBits + 1 { return Int(value) }
    let shift = bits - subBits - 1
    return (shift << subBits) + Int(value >> UInt64(shift))
  }

  private static func middle(_ bucket: Int) -> Int {
    let shift = max(0, (bucket >> subBits) - 1)
    let lower = (bucket - (shift << subBits)) << shift
    return lower + (1 << shift) / 2
  }
}
