import ShardBuilder
import ShardedIndex

/// An index that is built again and again. Every record has the number of its build, so that a mixture shows.
final class LiveIndex: Sendable {
  static let stems = ["al", "be", "ko", "lo", "ma", "sa", "to", "zu"]

  let directory = TemporaryDirectory()
  var path: String { directory("index") }
  let countPerStem: Int

  init(countPerStem: Int = 12) {
    self.countPerStem = countPerStem
  }

  var recordCount: Int { Self.stems.count * countPerStem }

  /// Builds generation `generation`, in which records of the stems in `old` stay as they were in generation 0.
  ///
  /// - Parameter extended: Stems whose records have one field more, before the others.
  @discardableResult
  func build(
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

  func build(_ text: String) throws -> BuildSummary {
    var options = BuildOptions()
    (options.key, options.shardLimitBytes, options.level, options.jobs) = ("{name}", 200, 1, 1)
    return try ShardBuilder.build([directory.write(text, to: "dataset.jsonl")], into: path, options: options)
  }

  func open(cacheLimitBytes: Int = 8 << 20, reloadInterval: Duration? = nil) throws -> ShardedIndex {
    try ShardedIndex(
      opening: path, options: .init(cacheLimitBytes: cacheLimitBytes, reloadInterval: reloadInterval))
  }

  /// The generation of all records of an answer.
  ///
  /// - Throws: ``Mixture`` if the records are of several generations, or too few or too many.
  static func generation(of matches: ShardedIndex.Matches, count: Int) throws -> Int {
    let found = try matches.records(in: 0..<Int.max).map { Int($0["g"] ?? "") ?? -1 }
    guard found.count == count, let first = found.first, found.allSatisfy({ $0 == first }) else {
      throw Mixture(found: found)
    }
    return first
  }

  /// All shard files, of any generation.
  var shardFiles: [String] { Files.names(in: path).filter { $0.hasSuffix(".zst") } }
}

struct Mixture: Error {
  let found: [Int]
}
