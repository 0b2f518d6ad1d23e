/// Records in order, in batches.
package protocol RecordBatches: AnyObject {
  /// The next records, at least one; nil after the last. The records are valid until the next call.
  func nextBatch() throws(BuildError) -> [RecordBlob]?
  /// Frees the memory of large records that were delivered.
  func release()
}

extension SortedRecords: RecordBatches {}

/// The pieces of sorted records, in order.
package final class PieceStream {
  private let records: any RecordBatches
  private var cutter: Cutter
  private var isAtEnd = false
  private var next = 0
  /// Called with records after they were read.
  private let observe: (([RecordBlob]) throws(BuildError) -> Void)?

  package init(
    _ records: any RecordBatches, limit: Int, names: FieldNames,
    observe: (([RecordBlob]) throws(BuildError) -> Void)? = nil
  ) {
    self.records = records
    self.observe = observe
    cutter = Cutter(limit: limit, order: RecordOrder(names: names))
  }

  /// Returns the next piece; nil after the last.
  package func nextPiece() throws(BuildError) -> Piece? {
    while next == cutter.finished.count {
      if isAtEnd { return nil }
      cutter.finished.removeAll(keepingCapacity: true)
      next = 0
      if let batch = try records.nextBatch() {
        try observe?(batch)
        cutter.append(contentsOf: batch)
        records.release()
      } else {
        cutter.finish()
        isAtEnd = true
      }
    }
    next += 1
    return cutter.finished[next - 1]
  }
}

extension MemoryPlan {
  /// Returns the bytes of memory for a piece in progress: its records, and the columns made from them.
  func cost(_ piece: Piece) -> Int { piece.charge * 6 }
}
