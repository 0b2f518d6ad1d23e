/// A run of keys that a ranked query asks for, and the shards that it lies in. Source: docs/ranking.md section 3.
///
/// The keys that begin with a text stand together. At the run's beginning stand those that *are* the text up to a
/// separator or the end: a match there is whole.
struct RankedRun: Sendable {
  /// The beginning of the keys, without the space that finishes a word.
  private let word: [UInt8]
  /// The beginning of the last keys: the word, or the word and a space where a space finished it.
  private let end: [UInt8]
  /// The word and a separator: the last keys of whole matches begin so.
  private let name: [UInt8]
  let shards: ClosedRange<Int>
  /// The last shard that whole matches can be in.
  private let lastNameShard: Int

  /// The runs that a folded text asks for: one, or two where its last space may also stand for the separator.
  static func runs(of text: [UInt8], in manifest: ManifestReader) throws(IndexError) -> [RankedRun] {
    guard manifest.shardCount > 0 else { return [] }
    return try Fold.readings(of: text).map { (reading) throws(IndexError) in try RankedRun(reading, in: manifest) }
  }

  private init(_ text: [UInt8], in manifest: ManifestReader) throws(IndexError) {
    word = text.count > 1 && text.last == Fold.space ? text.dropLast() : text
    end = text
    name = word + [Fold.separator]
    guard !text.isEmpty else {
      (shards, lastNameShard) = (0...manifest.shardCount - 1, -1)
      return
    }
    func last(_ text: [UInt8]) throws(IndexError) -> Int {
      try text.withFoldedPrefix { (text) throws(IndexError) in try manifest.shardPositions(forPrefix: text).last.number
      }
    }
    let first = try word.withFoldedPrefix { (word) throws(IndexError) in
      try manifest.shardPositions(forPrefix: word).first.number
    }
    shards = first...max(first, try last(end))
    lastNameShard = try last(name)
  }

  /// The pages of the shards.
  var pages: Range<Int> {
    shards.lowerBound / Manifest.pageCapacity..<shards.upperBound / Manifest.pageCapacity + 1
  }

  /// Whether the text is empty, which every record matches.
  private var isEmpty: Bool { word.isEmpty }

  /// Whether shards from one on can have whole matches.
  func canBeWhole(fromShard number: Int) -> Bool { number <= lastNameShard }

  /// Returns the parts of a shard that the run lies in, and how many of them can have whole matches.
  func parts(of shard: Int, _ table: PartTable) -> (range: ClosedRange<Int>, whole: Int) {
    guard !isEmpty else { return (0...table.count - 1, 0) }
    let first = shard == shards.lowerBound ? word.withFoldedPrefix { table.first(for: $0) } : 0
    let last = end.withFoldedPrefix { table.last(for: $0, from: first) }
    guard canBeWhole(fromShard: shard) else { return (first...last, 0) }
    return (first...last, name.withFoldedPrefix { table.last(for: $0, from: first) } - first + 1)
  }

  /// Returns the records of a part that the run has, and the end of those that match whole.
  func records(in keys: KeyBlocks, canBeWhole: Bool) -> (range: Range<Int>, wholeEnd: Int) {
    guard !isEmpty else { return (0..<keys.count, 0) }
    let (lower, _) = word.withFoldedPrefix { keys.lowerBound(of: $0) }
    let upper = Self.end(of: end, in: keys)
    return (lower..<max(lower, upper), canBeWhole ? Self.end(of: name, in: keys) : lower)
  }

  /// Returns the first record behind all that are below a text or begin with it.
  private static func end(of text: [UInt8], in keys: KeyBlocks) -> Int {
    text.withFoldedPrefix { text in
      let (lower, matches) = keys.lowerBound(of: text)
      return matches ? keys.upperBound(of: text, from: lower) : lower
    }
  }

  /// Returns whether a folded key belongs to the run, and whether it matches whole; nil if it does not belong.
  func match(_ key: FoldedPrefix) -> Bool? {
    guard unsafe key.bytes.starts(with: word) else { return nil }
    guard !isEmpty else { return false }
    let isWhole = unsafe key.count == word.count || key.bytes[word.count] == Fold.separator
    return unsafe isWhole || key.bytes.starts(with: end) ? isWhole : nil
  }
}
