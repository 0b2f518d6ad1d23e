import ShardedIndex

/// The records that answer a text, in order: one run, or two runs with other records between.
package struct ScanAnswer: Equatable, Sendable {
  package let first: Range<Int>
  /// Empty if there is one run.
  package let second: Range<Int>

  /// Runs with nothing in them, and runs that meet, do not count as two.
  package init(_ first: Range<Int>, _ second: Range<Int> = 0..<0) {
    if first.isEmpty || second.isEmpty {
      (self.first, self.second) = (first.isEmpty ? second : first, 0..<0)
    } else if first.upperBound == second.lowerBound {
      (self.first, self.second) = (first.lowerBound..<second.upperBound, 0..<0)
    } else {
      (self.first, self.second) = (first, second)
    }
  }

  /// The answer of an engine.
  package init(_ matches: ShardedIndex.Matches) {
    let runs = matches.positions
    self.init(runs[0], runs.count > 1 ? runs[1] : 0..<0)
  }

  package var count: Int { first.count + second.count }
  package var isEmpty: Bool { count == 0 }
  package var lowerBound: Int { first.lowerBound }
  package var upperBound: Int { second.isEmpty ? first.upperBound : second.upperBound }

  package func prefix(_ count: Int) -> ScanAnswer { self[0..<max(0, count)] }

  /// The records at these places, counted from 0; places beyond the ends are left out.
  package subscript(positions: Range<Int>) -> ScanAnswer {
    let wanted = positions.clamped(to: 0..<count)
    let inSecond = wanted.clamped(to: first.count..<max(first.count, count))
    let distance = second.lowerBound - first.count
    let inFirst = wanted.clamped(to: 0..<first.count)
    return ScanAnswer(
      first.lowerBound + inFirst.lowerBound..<first.lowerBound + inFirst.upperBound,
      inSecond.lowerBound + distance..<inSecond.upperBound + distance)
  }

  /// Two empty answers are equal, at any place.
  package static func == (one: ScanAnswer, other: ScanAnswer) -> Bool {
    one.isEmpty && other.isEmpty || one.first == other.first && one.second == other.second
  }
}
