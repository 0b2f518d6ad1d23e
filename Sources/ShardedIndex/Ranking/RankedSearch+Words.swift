// This file leaves out the records of entries by one word of a text that have not another one.

import CLibrary

extension RankedSearch {
  /// The keys of the records that have a word of the text.
  struct KeysOfWord: Sendable {
    /// The number of entries by another word that led to records.
    fileprivate var ledCount = 0
    /// The keys, each with 0, or nil if they are too many, once the search needs them: for each word near to which
    /// entries lead to records, and for nil, a word without edits. A set would take the module further code.
    fileprivate var keys: [(leader: Int?, keys: [[UInt8]: Int]?)] = []
  }

  /// The number of entries that lead to records before the search reads the keys of another word.
  private static let ledBefore = 64
  /// The most texts with that word.
  private static let readTexts = 1 << 16

  /// Whether the records with a key, to which an entry by a word leads, may have the other words of the text.
  ///
  /// Entries by a word lead to all its records where the other words may be in other fields or names. If the first ones
  /// do not give the wanted hits, the keys and entries of a second word, or near to it, tell which of the other records can.
  mutating func mayHaveOtherWords(_ key: [UInt8], of run: RankedRun) throws(IndexError) -> Bool {
    guard leadsByAllEntries, let entries else { return true }
    if keysOfWord.ledCount < Self.ledBefore {
      keysOfWord.ledCount += 1
      return true
    }
    let leader: Int?
    switch run.purpose {
    case .word where run.edits == 0: leader = nil
    case .word: leader = nearQuery?.words?.words.firstIndex { $0.text == run.text }
    case .nearWord(let number): leader = number
    default: return true
    }
    if let known = keysOfWord.keys.first(where: { $0.leader == leader }) {
      return known.keys.map { $0[key] != nil } ?? true
    }
    let keys: [[UInt8]: Int]?
    if let leader {
      keys = try self.keys(nearWordBeside: leader, entries)
    } else {
      keys = try self.keys(ofWordBeside: run.text, entries)
    }
    keysOfWord.keys.append((leader, keys))
    return keys.map { $0[key] != nil } ?? true
  }

  /// Returns the keys of the records with the rarest word that is not the given one; nil if no word is rare enough.
  private func keys(ofWordBeside word: [UInt8], _ entries: EntriesReader) throws(IndexError) -> [[UInt8]: Int]? {
    var rarest: (word: [UInt8], count: Int)?
    for other in wordsOfBody(entries).prefix(Self.comparedWords).map({ Array($0) }) where other != word {
      let count = try count(ofTextsWith: other, entries)
      if count < rarest?.count ?? Self.readTexts { rarest = (other, count) }
    }
    guard let rarest else { return nil }
    var keys: [[UInt8]: Int] = [:]
    var missing: IndexError?
    for set in [KeySet.records, .entries] {
      let run = try RankedRun(set, .word, rarest.word, in: reader(of: set).manifest)
      for shard in run.shards {
        do throws(IndexError) { try add(shard: shard, of: run, entries, to: &keys) } catch {
          // A carrier fetches the bytes of the other shards side by side with these.
          guard case .io(_, _, EAGAIN) = error else { throw error }
          missing = error
        }
      }
    }
    if let missing { throw missing }
    return keys
  }

  /// Returns the keys of the records near to the longest word with edits that is not the given one; nil if there is no
  /// such word, or if the keys are too many.
  private mutating func keys(nearWordBeside leader: Int, _ entries: EntriesReader) throws(IndexError) -> [[UInt8]: Int]?
  {
    guard let words = nearQuery?.words,
      let other = words.nearWord(beside: leader, canEndKey: { entries.canEndKey($0) })
    else { return nil }
    var waiting = RankedHeap<RankedContainer>()
    swap(&waiting, &queue)
    defer { swap(&waiting, &queue) }
    var keys: [[UInt8]: Int] = [:]
    var missing: IndexError?
    try queueSketches(.nearWord(other), edits: words.words[other].limit)
    while keys.count < Self.readTexts, let container = queue.pop() {
      do throws(IndexError) {
        switch container.kind {
        case .sketch(let group, let page): try open(sketch: group, ofPage: page, of: container.run)
        case .nearShard(let shard, let ends): try open(nearShard: shard, sketchEnds[ends], of: container.run)
        case .part(let part, _): try add(nearKeysOf: part, entries, to: &keys)
        default: break
        }
      } catch {
        guard case .io(_, _, EAGAIN) = error else { throw error }
        missing = error
      }
    }
    if let missing { throw missing }
    return keys.count < Self.readTexts ? keys : nil
  }

  /// Adds the keys in a part that are near to a word, or those of the records to which such entries lead.
  private mutating func add(
    nearKeysOf part: RankedPart, _ entries: EntriesReader, to keys: inout [[UInt8]: Int]
  ) throws(IndexError) {
    let run = runs[part.run]
    let place = try reader(of: run.set).manifest.shardPosition(ofShard: part.shard)
    let reference = try reader(of: run.set).part(of: place, unpacks: run.set == .entries) { _ in part.part }
    opened.parts += 1
    for (record, _) in nearKeys(of: reference, run).keys {
      try add(record..<record + 1, of: reference, run.set, entries, to: &keys)
    }
  }

  /// Adds the keys of the records in a shard of a run, or of those that the shard's entries lead to.
  private func add(
    shard: Int, of run: RankedRun, _ entries: EntriesReader, to keys: inout [[UInt8]: Int]
  ) throws(IndexError) {
    let reader = reader(of: run.set)
    let place = try reader.manifest.shardPosition(ofShard: shard)
    for part in run.parts(of: shard, try reader.shard(shard).parts).range {
      let reference = try reader.part(of: place, unpacks: run.set == .entries) { _ in part }
      let records = run.records(in: reference.part.keys, canBeWhole: false).range
      try add(records, of: reference, run.set, entries, to: &keys)
    }
  }

  /// Adds the keys of some records of a part, or of those to which some entries lead.
  private func add(
    _ records: Range<Int>, of reference: PartReference, _ set: KeySet, _ entries: EntriesReader,
    to keys: inout [[UInt8]: Int]
  ) throws(IndexError) {
    if set == .entries {
      for entry in try entries.entries(records, of: reference) { keys[entry.recordKey] = 0 }
    } else {
      unsafe reference.part.keys.forEachKey(in: records) { _, key in unsafe keys[Array(key)] = 0 }
    }
  }
}
