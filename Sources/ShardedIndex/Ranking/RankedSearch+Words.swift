// This file leaves out the records of entries by one word of a text that have not another one.

import CLibrary

extension RankedSearch {
  /// The keys of the records that have a word of the text.
  struct KeysOfWord: Sendable {
    /// The number of entries by another word that led to records.
    fileprivate var ledCount = 0
    /// The keys, each with 0; nil until the search needs them. A set would take the module further code.
    fileprivate var keys: [[UInt8]: Int]?
  }

  /// The number of entries that lead to records before the search reads the keys of another word.
  private static let ledBefore = 64
  /// The most texts with that word.
  private static let readTexts = 1 << 16

  /// Whether the records with a key, to which an entry by a word leads, may have the other words of the text.
  ///
  /// Entries by a word lead to all its records where the other words may be in other fields or names. If the first ones
  /// do not give the wanted hits, the keys and entries of a second word tell which of the others can.
  mutating func mayHaveOtherWords(_ key: [UInt8], of run: RankedRun) throws(IndexError) -> Bool {
    guard run.purpose == .word, run.edits == 0, rules.acrossNames || rules.hasSearchFields, let entries else {
      return true
    }
    if keysOfWord.ledCount < Self.ledBefore {
      keysOfWord.ledCount += 1
      return true
    }
    if keysOfWord.keys == nil { keysOfWord.keys = try keys(ofWordBeside: run.text, entries) }
    guard let keys = keysOfWord.keys, !keys.isEmpty else { return true }
    return keys[key] != nil
  }

  /// Returns the keys of the records with the rarest word that is not the given one; none if no word is rare enough.
  private func keys(ofWordBeside word: [UInt8], _ entries: EntriesReader) throws(IndexError) -> [[UInt8]: Int] {
    var words = text.words
    if rules.words == .body, entries.canEndKey(words[words.count - 1]) { words.removeLast() }
    var rarest: (word: [UInt8], count: Int)?
    for other in words.prefix(Self.comparedWords).map({ Array($0) }) where other != word {
      let count = try count(ofTextsWith: other, entries)
      if count < rarest?.count ?? Self.readTexts { rarest = (other, count) }
    }
    guard let rarest else { return [:] }
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

  /// Adds the keys of the records in a shard of a run, or of those that the shard's entries lead to.
  private func add(
    shard: Int, of run: RankedRun, _ entries: EntriesReader, to keys: inout [[UInt8]: Int]
  ) throws(IndexError) {
    let reader = reader(of: run.set)
    let place = try reader.manifest.shardPosition(ofShard: shard)
    for part in run.parts(of: shard, try reader.shard(shard).parts).range {
      let reference = try reader.part(of: place, unpacks: run.set == .entries) { _ in part }
      let records = run.records(in: reference.part.keys, canBeWhole: false).range
      if run.set == .entries {
        for entry in try entries.entries(records, of: reference) { keys[entry.recordKey] = 0 }
      } else {
        unsafe reference.part.keys.forEachKey(in: records) { _, key in unsafe keys[Array(key)] = 0 }
      }
    }
  }
}
