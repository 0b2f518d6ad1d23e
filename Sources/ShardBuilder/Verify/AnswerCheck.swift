import ShardedIndex

extension Verifier {
  /// Queries every prefix of every key, and every key in its own spelling.
  mutating func checkAnswers() {
    var check = AnswerCheck(of: index, progress, report)
    check.run(shards)
    summary.prefixes = check.asked
    summary.wrongAnswers = check.wrong
  }
}

/// The check of an index's answers. It queries every prefix of every key, and compares the answer with the positions of
/// the keys that begin with the prefix.
///
/// The earlier checks have proven the keys: they ascend, and are those of the dataset, with the right counts.
private struct AnswerCheck {
  private let index: ShardedIndex
  private let schema: Schema
  private let report: (Verifier.Finding) -> Void
  private let progress: ((Verifier.Progress) -> Void)?
  /// The answer with every record; nil if the query failed.
  private let all: ShardedIndex.Matches?
  /// The number of queried prefixes and keys.
  private(set) var asked = 0
  private(set) var wrong = 0

  /// The previous folded key.
  private var previous: [UInt8] = []
  /// For each *n*, the position of the first key that begins with the first *n* bytes of `previous`.
  private var starts: [Int] = [0]
  /// The position of the current key.
  private var position = 0
  /// The keys of this record and of the previous one, not folded.
  private var key: [UInt8] = []
  private var keyBefore: [UInt8] = []

  init(
    of index: ShardedIndex, _ progress: ((Verifier.Progress) -> Void)?, _ report: @escaping (Verifier.Finding) -> Void
  ) {
    (self.index, self.progress, self.report) = (index, progress, report)
    schema = index.generation.schema
    all = try? index.matches(forPrefix: "")
  }

  mutating func run(_ shards: [Manifest.Shard]) {
    if index.generation.overlay == nil {
      let buffer = RecordBuffer()
      for shard in shards {
        _ = try? index.generation.readWhole(shard) { visit($0, buffer) }
      }
    } else if let all {
      Verifier.forEachRecord(of: all, in: 0..<all.count) { key, buffer in
        visit(key)
        if schema.isKeyStored { queryKey(of: buffer.rawFields(ofRecord: 0), in: buffer) }
        position += 1
      }
    }
    close(above: 0)
    query([], expecting: [0..<index.recordCount])
  }

  private mutating func visit(_ part: PartContent, _ buffer: RecordBuffer) {
    var decoded = 0..<0
    unsafe part.forEachKey { record, stored in
      unsafe visit(stored.span)
      if schema.isKeyStored {
        if !decoded.contains(record) {
          decoded = record..<min(record + part.recordsAtOnce, part.count)
          part.decode(decoded, into: buffer)
        }
        queryKey(of: buffer.rawFields(ofRecord: record - decoded.lowerBound), in: buffer)
      }
      position += 1
    }
  }

  /// Takes the next key, and queries the prefixes that ended with the previous key.
  private mutating func visit(_ stored: Span<UInt8>) {
    if position & 0xfff == 0xfff {
      progress?(Verifier.Progress(phase: .answers, done: position, total: index.recordCount))
    }
    let common = commonPrefix(previous.span, stored)
    guard common < max(stored.count, previous.count) || position == 0 else { return }
    close(above: common)
    // The separator sorts first: a key that continues the previous key with a separator would be next.
    if position > 0, !(common == previous.count && stored.count > common && stored[common] == Fold.separator) {
      previous.append(Fold.separator)
      query(previous[...], ownAt: position..<position)
    }
    previous.replace(with: stored)
    starts.removeLast(starts.count - min(starts.count, common + 1))
    while starts.count <= stored.count { starts.append(position) }
  }

  /// Queries the prefixes of `previous` that the next key lacks, the longest first.
  private mutating func close(above common: Int) {
    for size in stride(from: previous.count, to: common, by: -1) {
      // People can type a prefix only up to the end of a character.
      guard size == previous.count || previous[size] & 0xc0 != 0x80 else { continue }
      let prefix = previous[..<size]
      // The keys that end after a word, or continue with a comma, come before the keys that continue with a space.
      let isFinished = prefix[size - 1] == Fold.space
      query(prefix, ownAt: starts[isFinished ? size - 1 : size]..<position)
    }
  }

  /// Queries a beginning of `previous`, or `previous` with a separator behind it.
  ///
  /// - Parameter own: The positions of the keys that match with each space of the prefix as a space.
  private mutating func query(_ prefix: ArraySlice<UInt8>, ownAt own: Range<Int>) {
    let word = prefix.last == Fold.space ? prefix.dropLast() : prefix
    if let space = word.lastIndex(of: Fold.space), let all {
      let before = starts[space]..<starts[space + 1]
      query(prefix, expecting: [Self.run(ofSeparated: prefix, at: space, of: all, among: before), own])
    } else {
      query(prefix, expecting: [own])
    }
  }

  /// Queries a folded prefix, and reports an answer with other positions than `runs`.
  private mutating func query(_ prefix: ArraySlice<UInt8>, expecting runs: [Range<Int>]) {
    asked += 1
    let reason: String
    do throws(IndexError) {
      let found = try unsafe prefix.withUnsafeBufferPointer { (prefix) throws(IndexError) in
        try unsafe index.matches(forFoldedPrefix: FoldedPrefix(prefix)).positions.filter { !$0.isEmpty }
      }
      let expected = runs.filter { !$0.isEmpty }
      if found == expected { return }
      reason = "answered with the positions from \(Self.text(found)), not from \(Self.text(expected))"
    } catch {
      reason = error.description
    }
    reportWrongAnswer(to: ReadableFold.readable(prefix), reason)
  }

  private static func text(_ runs: [Range<Int>]) -> String {
    runs.isEmpty ? "none" : runs.map { "\($0.lowerBound) to before \($0.upperBound)" }.joined(separator: " and from ")
  }

  private mutating func reportWrongAnswer(to prefix: String, _ reason: String) {
    wrong += 1
    if wrong <= Verifier.reportLimit { report(.wrongAnswer(prefix: prefix, reason: reason)) }
  }

  /// Queries the record's key in its own spelling, with the fold.
  private mutating func queryKey(of fields: Range<Int>, in buffer: RecordBuffer) {
    schema.composeKey(of: fields, in: buffer, into: &key)
    guard key != keyBefore else { return }
    swap(&key, &keyBefore)
    asked += 1
    let matches = unsafe keyBefore.withUnsafeBufferPointer { try? unsafe index.matches(forPrefix: $0) }
    if matches?.index(ofPosition: position) != nil { return }
    reportWrongAnswer(to: String(decoding: keyBefore, as: UTF8.self), "does not find its own record")
  }

  /// Returns the positions of the keys that match a prefix because one of the prefix's spaces stands for a comma.
  ///
  /// - Parameter positions: The positions of the keys that begin with the prefix up to that space, without the keys
  ///   that continue with the space.
  private static func run(
    ofSeparated prefix: ArraySlice<UInt8>, at space: Int, of all: ShardedIndex.Matches, among positions: Range<Int>
  ) -> Range<Int> {
    var word = Array(prefix)
    word[space] = Fold.separator
    let isFinished = word.last == Fold.space
    if isFinished { word.removeLast() }
    /// Returns the first position with a key that is not below `key`.
    func first(notBelow key: [UInt8]) -> Int {
      var (low, high) = (positions.lowerBound, positions.upperBound)
      while low < high {
        let middle = (low + high) / 2
        var isBelow = false
        try? all.forEachFoldedKey(in: middle..<middle + 1) { isBelow = unsafe $0.bytes.lexicographicallyPrecedes(key) }
        if isBelow { low = middle + 1 } else { high = middle }
      }
      return low
    }
    // 0xff is above every byte of a fold, and no byte of a fold is between the space and 0x21.
    return first(notBelow: word)..<first(notBelow: word + [isFinished ? Fold.space + 1 : 0xff])
  }
}
