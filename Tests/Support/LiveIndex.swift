import ShardBuilder
import ShardedIndex

/// An index that is built again and again. Every record has the number of its build, so that a mixture shows.
package final class LiveIndex: Sendable {
  package static let stems = ["al", "be", "ko", "lo", "ma", "sa", "to", "zu"]

  package let directory = TemporaryDirectory()
  package var path: String { directory("index") }
  package let countPerStem: Int

  package init(countPerStem: Int = 12) {
    self.countPerStem = countPerStem
  }

  package var recordCount: Int { Self.stems.count * countPerStem }

  /// Builds generation `generation`, in which records of the stems in `old` stay as they were in generation 0.
  ///
  /// - Parameter extended: Stems whose records have one field more, before the others.
  @discardableResult
  package func build(
    _ generation: Int, keeping old: Set<String> = [], extending extended: Set<String> = []
  ) throws -> BuildSummary {
    var text = ""
    for stem in Self.stems {
      for number in 0..<countPerStem {
        text += extended.contains(stem) ? #"{"a":"new","name":""# : #"{"name":""#
        text += "\(stem)-\(number)\",\"g\":\(old.contains(stem) ? 0 : generation),\"t\":\"x\"}\n"
      }
    }
    return try build(text)
  }

  package func build(_ text: String) throws -> BuildSummary {
    var options = BuildOptions()
    (options.key, options.shardLimitBytes, options.level, options.jobs) = ("{name}", 200, 1, 1)
    return try ShardBuilder.build([directory.write(text, to: "dataset.jsonl")], into: path, options: options)
  }

  package func open(cacheLimitBytes: Int = 8 << 20, reloadInterval: Duration? = nil) throws -> ShardedIndex {
    try ShardedIndex(
      opening: path, options: .init(cacheLimitBytes: cacheLimitBytes, reloadInterval: reloadInterval))
  }

  /// The generation of all records of an answer.
  ///
  /// - Throws: ``Mixture`` if the records are of several generations, or too few or too many.
  package static func generation(of matches: ShardedIndex.Matches, count: Int) throws -> Int {
    let found = try matches.records(in: 0..<Int.max).map { Int($0["g"] ?? "") ?? -1 }
    guard found.count == count, let first = found.first, found.allSatisfy({ $0 == first }) else {
      throw Mixture(found: found)
    }
    return first
  }

  /// All shard files, of any generation.
  package var shardFiles: [String] { Files.names(in: path).filter { $0.hasSuffix(".zst") } }
}

package struct Mixture: Error {
  package let found: [Int]
}
