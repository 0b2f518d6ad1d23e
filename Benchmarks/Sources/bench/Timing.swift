/// Times of one contender over several rounds. Microseconds.
struct Times {
  private var medians: [Double] = []
  private var percentiles: [Double] = []
  private var means: [Double] = []

  /// One round: a time per prefix, in nanoseconds.
  mutating func add(_ round: [Int]) {
    let sorted = round.sorted()
    medians.append(Double(sorted[sorted.count / 2]) / 1000)
    percentiles.append(Double(sorted[sorted.count * 99 / 100]) / 1000)
    means.append(Double(sorted.reduce(0, +)) / Double(sorted.count) / 1000)
  }

  /// Medians over the rounds.
  var p50: Double { median(medians) }
  var p99: Double { median(percentiles) }
  var mean: Double { median(means) }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}

enum Timing {
  /// A contender's work on all prefixes, each timed by itself.
  typealias Pass = ([Prefix], inout [Int]) -> Void

  static func firstMatches<Some: Contender>(_ contender: Some) -> Pass {
    { prefixes, times in
      for (number, prefix) in prefixes.enumerated() {
        let start = Clock.now
        _ = contender.firstMatches(prefix)
        times[number] = Clock.now &- start
      }
    }
  }

  static func counts<Some: Contender>(_ contender: Some) -> Pass {
    { prefixes, times in
      for (number, prefix) in prefixes.enumerated() {
        let start = Clock.now
        _ = contender.count(prefix)
        times[number] = Clock.now &- start
      }
    }
  }

  /// Every contender once per round, in an order that moves on; one round before the first that counts, which fills
  /// the caches.
  static func measure(_ passes: [Pass], _ prefixes: [Prefix], rounds: Int) -> [Times] {
    var results = [Times](repeating: Times(), count: passes.count)
    var times = [Int](repeating: 0, count: prefixes.count)
    for round in 0...rounds {
      for step in passes.indices {
        let number = (step + round) % passes.count
        passes[number](prefixes, &times)
        if round > 0 { results[number].add(times) }
      }
    }
    return results
  }

  /// Stops unless both give the same answers; `checked` of the counts are compared.
  static func compare(
    _ a: some Contender, _ b: some Contender, _ prefixes: [Prefix], counts checked: Int, _ names: String
  ) {
    for (number, prefix) in prefixes.enumerated() {
      let (left, right) = (a.texts(prefix), b.texts(prefix))
      let isSame =
        left.count == right.count
        && zip(left, right).allSatisfy { $0.count == $1.count && zip($0, $1).allSatisfy(Self.isSame) }
      let isSameCount = number >= checked || a.count(prefix) == b.count(prefix)
      guard isSame, isSameCount else {
        let typed = String(decoding: prefix.typed, as: UTF8.self)
        stop("\(names) differ for \"\(typed)\": \(a.count(prefix)) \(left) \(b.count(prefix)) \(right)")
      }
    }
  }

  /// The same bytes, or the same number.
  private static func isSame(_ a: String, _ b: String) -> Bool {
    if a.utf8.elementsEqual(b.utf8) { return true }
    guard let x = Double(a), let y = Double(b) else { return false }
    return x == y && (b.utf8.elementsEqual("\(y)".utf8) || a.utf8.elementsEqual("\(x)".utf8))
  }
}
