/// Records in order, some at a time.
package protocol RecordBatches: AnyObject {
  /// The next records, at least one; nil behind the last. They are valid until the next call.
  func nextBatch() throws(BuildError) -> [RecordBlob]?
  /// Gives back the memory of large records that were delivered.
  func release()
}

extension SortedRecords: RecordBatches {}

/// The pieces of sorted records, one after the other.
package final class PieceStream {
  private let records: any RecordBatches
  private var cutter: Cutter
  private var isAtEnd = false
  private var next = 0
  /// Called with records once they are read.
  private let observe: (([RecordBlob]) throws(BuildError) -> Void)?

  package init(
    _ records: any RecordBatches, limit: Int, names: FieldNames,
    observe: (([RecordBlob]) throws(BuildError) -> Void)? = nil
  ) {
    self.records = records
    self.observe = observe
    cutter = Cutter(limit: limit, order: RecordOrder(names: names))
  }

  /// Returns the next piece; nil behind the last.
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
  /// Returns the bytes that a piece takes while it is under way: its records, and the columns that they become.
  func cost(_ piece: Piece) -> Int { piece.charge * 6 }
}
