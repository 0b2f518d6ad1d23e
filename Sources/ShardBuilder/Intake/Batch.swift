import ShardedIndex

/// A batch on its way from the reader to the sort. Its memory is used again and again, without the chunk, which the sort
/// keeps.
struct Batch: ~Copyable, Sendable {
  var records = RecordBatch()
  var names = FieldNames()
  var encoder: RecordEncoder?
  var weights: AddedWeights?
  /// The counts of this batch.
  var uses: [FieldUse] = []
  /// The records' blobs.
  var chunk: RecordArena
  private(set) var added = AddedWeights.BatchResult()
  /// The records without a blob.
  private(set) var bad: [UnindexableRecord] = []
  private(set) var emptyKeyCount = 0

  init(_ chunk: RecordArena) { self.chunk = chunk }

  /// The bytes of memory that the batch holds.
  var charge: Int { records.charge + chunk.charge }

  /// Gives the fields the numbers of their names among the names of all inputs.
  mutating func renumber(_ numbers: [UInt32]) {
    guard !numbers.indices.allSatisfy({ numbers[$0] == UInt32($0) }) else { return }
    for field in records.fields.indices {
      records.fields[field].name = numbers[Int(records.fields[field].name)]
    }
  }

  /// The number of records that the index leaves out.
  var leftOutCount: Int { bad.count { $0.flaw == .emptyKey } }

  /// The number of records with a blob whose id is in the weights.
  var weightsFound: Int { added.isFound.count { $0 } - bad.count { added.isFound[$0.index] } }

  /// Makes blobs from the records.
  mutating func encode() {
    if let weights { added = weights.add(to: &records) }
    guard var encoder = encoder.take() else { preconditionFailure("a batch without an encoder") }
    let emptyBefore = encoder.emptyKeyCount
    bad = encoder.encode(records, names: names, into: chunk)
    emptyKeyCount = encoder.emptyKeyCount - emptyBefore
    for index in uses.indices { uses[index].count(chunk, names: names.names) }
    self.encoder = encoder
  }

  /// Returns a fault of a record with its place.
  func badRecord(_ index: Int, of path: String, _ reason: String) -> DatasetReader.BadRecord {
    let place = records.place(of: index)
    return DatasetReader.BadRecord(
      path: path, line: place.line, column: place.column, record: place.record, reason: reason)
  }

  /// Calls `observe` with each record that is not bad, in the order of the dataset, and throws the first reason that it
  /// returns.
  ///
  /// - Parameter id: The field with the id, which these records have.
  func show(to observe: (ChangedRecord) -> String?, id: String, of path: String) throws(BuildError) {
    var bad = bad[...]
    var number = 0  // The position in the chunk.
    for index in records.recordEnds.indices {
      let change: ChangedRecord
      if bad.first?.index == index {
        guard bad.removeFirst().flaw == .emptyKey else { continue }
        change = .leftOut(id: self.id(of: index, field: id))
      } else {
        change = .stored(chunk.record(number))
        number += 1
      }
      if let reason = observe(change) { throw BuildError(DatasetError.bad(badRecord(index, of: path, reason))) }
    }
  }

  /// Returns the text of a record's first field with a name.
  private func id(of index: Int, field name: String) -> [UInt8] {
    let first = index == 0 ? 0 : Int(records.recordEnds[index - 1])
    guard let number = names.names.firstIndex(of: name),
      let field = records.fields[first..<Int(records.recordEnds[index])].first(where: { $0.name == number })
    else { return [] }
    return Array(records.bytes[Int(field.offset)..<Int(field.offset) + Int(field.length)])
  }
}

/// A record of the changes to an index.
enum ChangedRecord {
  case stored(RecordBlob)
  /// The index leaves the record out, because its key is blank.
  case leftOut(id: [UInt8])
}
