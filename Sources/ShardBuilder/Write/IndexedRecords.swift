import ShardedIndex

/// A run of records, and the arena with their blobs.
struct RecordRun {
  let chunk: RecordArena
  let entries: [RecordArena.BlobOffset]

  var count: Int { entries.count }
  /// Returns a record; valid as long as the chunk, until the next append.
  func record(_ index: Int) -> RecordBlob { chunk.record(entries[index]) }

  /// Returns the records with a folded key; all records must be in order.
  func range(ofKey folded: [UInt8]) -> Range<Int> {
    func countBefore(orAt: Bool) -> Int {
      var (low, high) = (0, count)
      while low < high {
        let middle = (low + high) / 2
        let order = unsafe folded.withUnsafeBufferPointer { unsafe compareBytes(record(middle).folded, $0) }
        if order < 0 || (orAt && order == 0) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return countBefore(orAt: false)..<countBefore(orAt: true)
  }
}

/// The reader of an index's records. The records are those that a build makes from the dataset.
struct IndexedRecords {
  private let index: ShardedIndex
  private let names: FieldNames
  /// For each field of the index the number of its name; nil if the field's own number is right.
  private let numbers: [UInt32]?
  private var encoder: RecordEncoder
  private let buffer = RecordBuffer()
  /// A shard that will be read again, and its records.
  var held: (shard: Int, records: RecordRun)?

  /// The shard of the last searched key, and its records, if two consecutive keys were in it.
  private var searched: (shard: Int, records: RecordRun?)?

  /// - Parameter names: The index's field names by their numbers there, then the names that an update adds.
  init(_ index: ShardedIndex, template: KeyTemplate, names: FieldNames) {
    self.init(index, encoder: RecordEncoder(template: template), names: names)
  }

  /// - Parameters:
  ///   - encoder: The encoder of the records' blobs.
  ///   - numbers: For each of the index's fields the number of its name; nil if these names come first.
  init(_ index: ShardedIndex, encoder: RecordEncoder, names: FieldNames, numbers: [UInt32]? = nil) {
    (self.index, self.names, self.encoder, self.numbers) = (index, names, encoder, numbers)
  }

  /// Returns the records of the shards with a folded key, and their positions.
  mutating func records(
    withKey folded: [UInt8], in previous: PreviousIndex
  ) throws(BuildError) -> (records: RecordRun, positions: [RecordPosition]) {
    let chunk = RecordArena(capacity: 0)
    var positions: [RecordPosition] = []
    guard !previous.shards.isEmpty else { return (RecordRun(chunk: chunk, entries: []), []) }
    for number in unsafe folded.withUnsafeBufferPointer({ unsafe previous.shards(ofKey: $0) }) {
      let shard = previous.shards[number]
      // There are many keys in this shard: all its records are decoded once.
      if searched?.shard == number, searched?.records == nil {
        searched = (number, try records(of: shard, into: RecordArena(capacity: 0)))
      }
      if let run = searched?.records, searched?.shard == number {
        for index in run.range(ofKey: folded) {
          chunk.append(run.record(index))
          positions.append(RecordPosition(shard: number, record: index))
        }
        continue
      }
      searched = (number, nil)
      do throws(IndexError) {
        _ = try index.generation.read(shard, keys: (folded, folded)) { part in
          var range = 0..<0
          unsafe part.forEachKey { record, key in
            guard unsafe key.elementsEqual(folded) else { return }
            range = range.isEmpty ? record..<record + 1 : range.lowerBound..<record + 1
          }
          encode(range, of: part, into: chunk)
          positions += range.map { RecordPosition(shard: number, record: part.firstRecord + $0) }
        }
      } catch {
        throw .index(error)
      }
      guard chunk.count == positions.count else { throw unmakeable(shard) }
    }
    return (RecordRun(chunk: chunk, entries: chunk.removeEntries(from: 0)), positions)
  }

  /// Returns all records of a shard, in order.
  ///
  /// - Parameter chunk: The arena for the blobs.
  mutating func records(of shard: Manifest.Shard, into chunk: RecordArena) throws(BuildError) -> RecordRun {
    if let held, held.shard == shard.number {
      self.held = nil
      return held.records
    }
    let first = chunk.count
    // A record is about six times as large as in its shard.
    _ = chunk.reserve(6 * shard.file.size)
    do throws(IndexError) {
      _ = try index.generation.readWhole(shard) { encode(0..<$0.count, of: $0, into: chunk) }
    } catch {
      throw .index(error)
    }
    return try checked(RecordRun(chunk: chunk, entries: chunk.removeEntries(from: first)), shard.recordCount, of: shard)
  }

  /// Returns the last record of a shard, in an arena of its own.
  mutating func lastRecord(of shard: Manifest.Shard) throws(BuildError) -> RecordArena {
    let chunk = RecordArena(capacity: 0)
    do throws(IndexError) {
      _ = try index.generation.readLast(shard) { encode($0.count - 1..<$0.count, of: $0, into: chunk) }
    } catch {
      throw .index(error)
    }
    _ = try unsafe checked(RecordRun(chunk: chunk, entries: chunk.entries), 1, of: shard)
    return chunk
  }

  /// Returns the first record of a shard, in an arena of its own.
  mutating func firstRecord(of shard: Manifest.Shard) throws(BuildError) -> RecordArena {
    let chunk = RecordArena(capacity: 0)
    do throws(IndexError) {
      _ = try index.generation.readFirst(shard) { encode(0..<1, of: $0, into: chunk) }
    } catch {
      throw .index(error)
    }
    _ = try unsafe checked(RecordRun(chunk: chunk, entries: chunk.entries), 1, of: shard)
    return chunk
  }

  /// Calls `body` with a record of an answer, and returns the result; the record is valid during the call.
  mutating func withRecord<Value>(
    _ number: Int, of matches: ShardedIndex.Matches, _ body: (RecordBlob) -> Value
  ) throws(BuildError) -> Value {
    let chunk = RecordArena(capacity: 0)
    encoder.learn(names)
    do throws(IndexError) {
      try matches.read(number..<number + 1, into: buffer)
      try matches.forEachFoldedKey(in: number..<number + 1) { folded in
        withFields { unsafe encoder.append($0.fields, $0.bytes, folded: folded.bytes, suffixSize: nil, into: chunk) }
      }
    } catch {
      throw .index(error)
    }
    guard chunk.count == 1 else {
      throw .index(
        .corrupt(path: index.path, cause: .invalid(reason: "has a record that no build makes", offset: 0)))
    }
    return withExtendedLifetime(chunk) { body(chunk.record(0)) }
  }

  /// Calls `body` with all fields in the buffer, and the memory of their texts.
  private func withFields(_ body: (RecordFields) -> Void) {
    var fields: [FieldSlice] = []
    fields.reserveCapacity(buffer.rawFieldCount)
    buffer.forEachRawField { _, name, kind, offset, size in
      fields.append(
        FieldSlice(
          name: numbers?[Int(name)] ?? UInt32(name), kind: FieldKind(rawValue: kind.rawValue)!,
          offset: UInt32(clamping: offset),
          length: UInt32(clamping: size)))
    }
    unsafe fields.withUnsafeBufferPointer { unsafe body(RecordFields(fields: $0, bytes: buffer.rawTexts)) }
  }

  private func checked(_ run: RecordRun, _ count: Int, of shard: Manifest.Shard) throws(BuildError) -> RecordRun {
    guard run.count == count else { throw unmakeable(shard) }
    return run
  }

  private func unmakeable(_ shard: Manifest.Shard) -> BuildError {
    let path = index.directory.filePath(shard.fileName)
    return .index(.corrupt(path: path, cause: .invalid(reason: "has records that no build makes", offset: 0)))
  }

  /// Appends the records that a build could have made.
  private mutating func encode(_ range: Range<Int>, of part: PartContent, into chunk: RecordArena) {
    // This is a copy: in place, each byte would be checked for exclusive access.
    var encoder = encoder
    let buffer = buffer
    defer { self.encoder = encoder }
    encoder.learn(names)
    // The part is decoded in runs: a few bytes in a shard may be much text.
    let runSize = min(64, part.recordsAtOnce)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: runSize) {
      let run = start..<min(start + runSize, range.upperBound)
      part.decode(run, into: buffer)
      guard !buffer.isOverlong else { continue }
      withFields { all in
        unsafe part.forEachKey(in: run) { number, folded, suffixSize in
          let own = unsafe UnsafeBufferPointer(rebasing: all.fields[buffer.rawFields(ofRecord: number - start)])
          unsafe encoder.append(own, all.bytes, folded: folded, suffixSize: suffixSize, into: chunk)
        }
      }
    }
  }
}
