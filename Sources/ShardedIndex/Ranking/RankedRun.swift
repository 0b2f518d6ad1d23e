/// The sets of sorted texts that a ranked query searches.
enum KeySet: Sendable {
  /// The keys of the records.
  case records
  /// The other texts that lead to records. Source: docs/format.md section 3.13.
  case entries
}

/// A run of keys that a ranked query searches, and the run's shards. Source: docs/ranking.md section 3.
struct RankedRun: Sendable {
  enum Purpose: Equatable, Sendable {
    /// The keys that begin with the typed text. The run begins with keys that end behind the text or have a separator
    /// there: these are whole matches.
    case typed
    /// All keys, each of which is compared with the typed text.
    case all
    /// The keys that begin with one word of the typed text. The other words may stand anywhere.
    case word
    /// The keys that equal the key that an entry named.
    case key
    /// The keys at a number of edits from the typed text.
    case near
    /// The keys that begin with a word at a few edits from one word of the typed text, by its number. The other words
    /// may stand anywhere.
    case nearWord(Int)
  }

  let set: KeySet
  let purpose: Purpose
  /// The difference between the weight of an entry and its score, in steps.
  var raiseOfEntries = 0
  /// Whether entries without a bonus come behind all keys of their score, since no record has a weight, and keys that begin
  /// with the text as it was typed are in runs of keys.
  var isBehindKeys = false
  /// The number of edits of the matches.
  let edits: Int
  /// The rank of the entry that named the key, which bounds the ranks of its records; nil for other runs.
  private let entry: ShardedIndex.Rank?
  /// The beginning of the keys, without the space that finishes a word.
  let text: [UInt8]
  private let isFinished: Bool
  /// The beginning of the last keys: the text, with a space behind it if the text is finished.
  private let end: [UInt8]
  /// The text and a separator, with which the last whole matches begin.
  private let name: [UInt8]
  let shards: ClosedRange<Int>
  /// The last shard that can have whole matches.
  private let lastNameShard: Int

  /// - Parameters:
  ///   - text: The beginning of the keys, or the whole key.
  ///   - isFinished: Whether a space finishes the last word of a typed text.
  ///   - manifest: The manifest of the set, which must have a shard.
  init(
    _ set: KeySet, _ purpose: Purpose, _ text: [UInt8], isFinished: Bool = false, edits: Int = 0,
    entry: ShardedIndex.Rank? = nil, in manifest: ManifestReader
  ) throws(IndexError) {
    (self.set, self.purpose, self.text, self.edits, self.entry) = (set, purpose, text, edits, entry)
    self.isFinished = isFinished
    end = isFinished ? text + [Fold.space] : text
    name = text + [Fold.separator]
    guard !text.isEmpty else {
      (shards, lastNameShard) = (0...manifest.shardCount - 1, -1)
      return
    }
    func positions(_ text: [UInt8]) throws(IndexError) -> ClosedRange<Int> {
      try text.withFoldedPrefix { (text) throws(IndexError) in
        let (first, last) = try manifest.shardPositions(forPrefix: text)
        return first.number...max(first.number, last.number)
      }
    }
    let first = try positions(text).lowerBound
    if case .key = purpose {
      // A key that begins with another key is not before that key and a separator.
      self.shards = first...max(first, try positions(name).lowerBound)
      lastNameShard = -1
    } else {
      self.shards = first...max(first, try positions(end).upperBound)
      lastNameShard = purpose == .typed ? try positions(name).upperBound : -1
    }
  }

  /// Makes the run of all keys, in which a search looks for keys at a number of edits from the typed text or one of its
  /// words.
  init(_ set: KeySet, _ purpose: Purpose, edits: Int, in manifest: ManifestReader) {
    (self.set, self.purpose, text, self.edits, entry) = (set, purpose, [], edits, nil)
    (end, name, isFinished) = ([], [], false)
    (shards, lastNameShard) = (0...manifest.shardCount - 1, -1)
  }

  /// Whether the run has keys by one word of the typed text.
  var isByWord: Bool {
    switch purpose {
    case .word, .nearWord: true
    case .typed, .all, .key, .near: false
    }
  }

  /// The pages of the run's shards.
  var pages: Range<Int> {
    shards.lowerBound / Manifest.pageCapacity..<shards.upperBound / Manifest.pageCapacity + 1
  }

  /// Whether the text is empty, so that every record matches.
  private var isEmpty: Bool { text.isEmpty }
  /// Whether the run has all records.
  var isAll: Bool { isEmpty }

  /// Whether all records of one of the shards belong to the run.
  func covers(shard: Int) -> Bool { isEmpty || shards.lowerBound < shard && shard < shards.upperBound }

  /// Whether a shard or a later one can have whole matches.
  func canBeWhole(fromShard number: Int) -> Bool { number <= lastNameShard }

  /// Returns the bound of the ranks of some keys.
  ///
  /// - Parameters:
  ///   - weight: The greatest weight of the keys in the ranks.
  ///   - near: The greatest nearness in the scores, in steps.
  ///   - key: The greatest key of an order by numbers; 0 for none.
  ///   - position: The position of the first of the keys.
  func bound(
    _ weight: UInt64, canBeWhole: Bool = false, near: Int, key: UInt64, position: Int
  ) -> ShardedIndex.Rank {
    if var rank = entry {
      // Of equal entries, those whose records have the first positions are opened first.
      (rank.position, rank.key) = (position, key)
      return rank
    }
    let bonus = bonus(canBeWhole: canBeWhole)
    var rank =
      set == .entries
      ? EntryKind.bound(weight, raise: raiseOfEntries, bonus: isByWord ? EntryKind.wordsBonus : bonus, near: near)
      : ShardedIndex.Rank(weight: weight, bonus: bonus, near: near, position: position)
    (rank.edits, rank.key) = (edits, key)
    if isBehindKeys, bonus <= 0 { (rank.weight, rank.isOtherForm) = (0, true) }
    return rank
  }

  /// Returns the greatest bonus of a match, in octaves.
  private func bonus(canBeWhole: Bool) -> Int {
    switch purpose {
    case .typed: canBeWhole ? RecordMatch.wholeBonus(isFinished: isFinished) : 0
    case .word, .nearWord: RecordMatch.wordsBonus
    case .all: RecordMatch.wholeBonus(isFinished: true)
    case .key: 0
    case .near: RecordMatch.wholeNearBonus
    }
  }

  /// Returns the parts of a shard in the run, and the number of them that can have whole matches.
  func parts(of shard: Int, _ table: PartTable) -> (range: ClosedRange<Int>, whole: Int) {
    guard !isEmpty else { return (0...table.count - 1, 0) }
    let first = shard == shards.lowerBound ? text.withFoldedPrefix { table.first(for: $0) } : 0
    if case .key = purpose { return (first...max(first, name.withFoldedPrefix { table.first(for: $0) }), 0) }
    let last = end.withFoldedPrefix { table.last(for: $0, from: first) }
    guard canBeWhole(fromShard: shard) else { return (first...last, 0) }
    return (first...last, name.withFoldedPrefix { table.last(for: $0, from: first) } - first + 1)
  }

  /// Returns the records of a part in the run, and the end of the whole matches.
  func records(in keys: KeyBlocks, canBeWhole: Bool) -> (range: Range<Int>, wholeEnd: Int) {
    guard !isEmpty else { return (0..<keys.count, 0) }
    let (lower, _) = text.withFoldedPrefix { keys.lowerBound(of: $0) }
    if case .key = purpose {
      let (upper, _) = name.withFoldedPrefix { keys.lowerBound(of: $0) }
      return (lower..<max(lower, upper), lower)
    }
    let upper = Self.end(of: end, in: keys)
    return (lower..<max(lower, upper), canBeWhole ? Self.end(of: name, in: keys) : lower)
  }

  /// Returns the first record that is above a text and does not begin with it.
  private static func end(of text: [UInt8], in keys: KeyBlocks) -> Int {
    text.withFoldedPrefix { text in
      let (lower, matches) = keys.lowerBound(of: text)
      return matches ? keys.upperBound(of: text, from: lower) : lower
    }
  }
}
