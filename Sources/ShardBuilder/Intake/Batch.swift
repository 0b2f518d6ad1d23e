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

  /// The number of records that fit into an index and whose id is in the weights.
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

  /// Calls `observe` with each record that fits into an index, and throws the first reason that it returns.
  func show(to observe: (RecordBlob) -> String?, of path: String) throws(BuildError) {
    var bad = bad[...]
    var index = 0  // The position in the batch.
    for number in 0..<chunk.count {
      while bad.first?.index == index {
        bad.removeFirst()
        index += 1
      }
      if let reason = observe(chunk.record(number)) {
        throw BuildError(DatasetError.bad(badRecord(index, of: path, reason)))
      }
      index += 1
    }
  }
}
