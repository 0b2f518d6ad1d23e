/// The times of one contender over several rounds, in microseconds.
struct Times {
  private var medians: [Double] = []
  private var percentiles: [Double] = []
  private var means: [Double] = []

  /// Adds a round: a time for each prefix, in nanoseconds.
  mutating func add(_ round: [Int]) {
    let sorted = round.sorted()
    medians.append(Double(sorted[sorted.count / 2]) / 1000)
    percentiles.append(Double(sorted[sorted.count * 99 / 100]) / 1000)
    means.append(Double(sorted.reduce(0, +)) / Double(sorted.count) / 1000)
  }

  /// The medians over the rounds.
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

  /// Runs every contender once a round, in an order that rotates, after one round that fills the caches.
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

  /// Compares the answers of two contenders: every byte of the first 20 matches, and the counts. Stops at a difference.
  static func compare(_ a: some Answers, _ b: some Answers, _ prefixes: [Prefix], _ names: String) {
    for prefix in prefixes {
      let (left, right) = (a.texts(prefix), b.texts(prefix))
      guard left == right, a.count(prefix) == b.count(prefix) else {
        let typed = String(decoding: prefix.typed, as: UTF8.self)
        stop("\(names) differ for \"\(typed)\": \(a.count(prefix)) \(left) \(b.count(prefix)) \(right)")
      }
    }
  }
}
