/// A histogram of sizes, exact below 64 KiB and by the KiB from there on. Its memory does not grow with the count.
package struct SizeCounts {
  private var small = [Int](repeating: 0, count: exact)
  /// The counts of sizes from 64 KiB on, by the KiB, rounded up.
  private var large: [Int: Int] = [:]
  private(set) var count = 0

  package init() {}

  private static let exact = 64 << 10

  package mutating func add(_ size: Int) {
    count += 1
    if size < Self.exact { small[size] += 1 } else { large[(size + 1023) / 1024, default: 0] += 1 }
  }

  /// Returns the least size that `percent` percent of the sizes do not exceed; 0 without sizes.
  package func percentile(_ percent: Int) -> Int {
    var left = (count * percent + 99) / 100
    guard left > 0 else { return 0 }
    for (size, number) in small.enumerated() {
      left -= number
      if left <= 0 { return size }
    }
    for (size, number) in large.sorted(by: { $0.key < $1.key }) {
      left -= number
      if left <= 0 { return size * 1024 }
    }
    return 0
  }
}
