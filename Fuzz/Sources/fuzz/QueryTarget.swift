import ShardBuilder
import ShardedIndex

/// Asks any query of an index of a few hundred records, and compares the alphabetical and the ranked answer with a
/// walk.
final class QueryTarget: FuzzTarget {
  private let index: ShardedIndex
  private var keys: [[UInt8]] = []
  /// The weights of the records of ``keys``.
  private var weights: [UInt64] = []
  private let buffer = RecordBuffer()
  private var folded: [UInt8] = []

  init() {
    let directory = RawFile.scratchDirectory()
    let lines = Array(SeedRecords.lines(300).utf8)
    RawFile.write(lines, to: directory + "/records.jsonl")
    var options = BuildOptions()
    (options.key, options.shardLimitBytes, options.jobs) = (SeedRecords.key, 3000, 1)
    options.weight = "id"
    options.replacesOtherIndex = true  // The directory also has the records.
    guard (try? ShardBuilder.build([directory + "/records.jsonl"], into: directory, options: options)) != nil,
      let index = try? ShardedIndex(opening: directory)
    else { fail("the index of the seeds") }
    self.index = index
    SeedRecords.read(lines, format: .jsonl) { batch, names in
      var start = 0
      for end in batch.recordEnds {
        func text(_ name: String) -> String {
          for field in batch.fields[start..<Int(end)] where names.names[Int(field.name)] == name {
            return String(decoding: batch.bytes[Int(field.offset)..<Int(field.offset + field.length)], as: UTF8.self)
          }
          return ""
        }
        keys.append(Fold.fold(text("name") + ", " + text("country")))
        start = Int(end)
      }
    }
    keys.sort { $0.lexicographicallyPrecedes($1) }
    guard let all = try? index.matches(forPrefix: "").records(in: 0..<index.recordCount) else { fail("the records") }
    weights = all.map { UInt64($0["id"] ?? "") ?? 0 }
    require(keys.count == index.recordCount && index.shardCount > 3, "the index of the seeds")
  }

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    folded.removeAll(keepingCapacity: true)
    Fold.fold(input, into: &folded)
    let expected = Self.readings(of: folded).map { run(of: $0) }.filter { !$0.isEmpty }
    let count = expected.reduce(0) { $0 + $1.count }
    do throws(IndexError) {
      let matches = try index.matches(forPrefix: input)
      require(matches.count == count, "\(matches.count) matches, and not \(count)")
      let found = matches.positions.filter { !$0.isEmpty }
      require(found == expected, "matches at \(found), and not \(expected)")
      try matches.read(0..<min(3, matches.count), into: buffer)
      require(buffer.count == min(3, matches.count), "records")
      guard let last = input.last, last & 7 == 0 else { return }
      let text = String(decoding: input, as: UTF8.self)
      require(try index.count(ofPrefix: text) == matches.count, "another count for a text")
      for record in try matches.records(in: max(0, matches.count - 2)..<matches.count) {
        let range = ShardedIndex.matchedRange(ofPrefix: text, in: record.key)
        require(range != nil, "a match that nothing is marked of")
      }
      // The walk leaves out no word of a text that nothing matches.
      let ranked = try index.search(.init(text, words: .all), limit: 5).map { [UInt64($0.score), $0.rank.weight] }
      let best = self.ranks(of: expected, Self.readings(of: folded)).prefix(5)
      require(ranked.elementsEqual(best), "hits of \(ranked), and not of \(best)")
      guard input.count < 40 else { return }
      var session = index.session()
      try session.append(text)
      require(session.matches.count == matches.count, "a session's \(session.matches.count) matches")
      require(session.text.utf8.elementsEqual(text.utf8), "a session's text")
      session.removeLast()
      try session.replace(with: "san")
      require(session.matches.count == (try index.count(ofPrefix: "san")), "a session that was replaced")
    } catch {
      fail("\(error)")
    }
  }

  /// A meaning of a text: keys that begin with these bytes. After a finished word they end, or continue with a space or
  /// a separator.
  private typealias Reading = (word: [UInt8], isFinished: Bool)

  private static func readings(of text: [UInt8]) -> [Reading] {
    let isFinished = text.last == 0x20
    let own: Reading = (isFinished ? text.dropLast() : text, isFinished)
    guard let space = own.word.lastIndex(of: 0x20) else { return [own] }
    var separated = own
    separated.word[space] = 0x01
    return [separated, own]
  }

  private func run(of reading: Reading) -> Range<Int> {
    let lower = lowerBound(reading.word)
    var upper = lower
    while upper < keys.count, keys[upper].starts(with: reading.word) {
      let next = keys[upper].dropFirst(reading.word.count).first
      if reading.isFinished, let next, next != 0x01, next != 0x20 { break }
      upper += 1
    }
    return lower..<upper
  }

  /// Returns the score and the weight of each match, the greatest first. Source: docs/ranking.md section 4.
  private func ranks(of runs: [Range<Int>], _ readings: [Reading]) -> [[UInt64]] {
    let wholeBonus = readings[0].isFinished ? 8 : 6
    return runs.joined().map { number in
      let isWhole = readings.contains { reading in
        let rest = keys[number].dropFirst(reading.word.count)
        return !reading.word.isEmpty && keys[number].starts(with: reading.word) && (rest.isEmpty || rest.first == 1)
      }
      return [UInt64(WeightRule.code(weights[number]) + (isWhole ? wholeBonus * 2048 : 0)), weights[number]]
    }.sorted { ($0[0], $0[1]) > ($1[0], $1[1]) }
  }

  private func lowerBound(_ key: [UInt8]) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  static let seeds: [(name: String, bytes: [UInt8])] = [
    "a", "al", "San ", "san ín0, b", "ŁÓ", "los", "ab", "zü,ch", "東", "東a", "zz", "a,", "alss3, de", "~", "  san", ", ",
  ].enumerated().map { ("text\($0)", Array($1.utf8)) }
}
