extension ShardedIndex {
  /// Returns the first record with an id, the text of the field that the index was built with as its id.
  ///
  /// An index is sorted by key and has no table of ids, so the search reads the ids of all records. A program that looks
  /// up many records keeps a table of its own, or a key that finds them.
  ///
  /// - Parameter id: The text of the id field.
  /// - Returns: nil if no record has the id, or if the index was built without ids.
  /// - Throws: ``IndexError`` if a shard cannot be read or is damaged.
  /// - Complexity: O(*n*): *n* records. Memory holds 64 records at a time.
  public func record(id: String) throws(IndexError) -> Record? {
    let wanted = Array(id.utf8)
    return try withNewest { (generation) throws(IndexError) in
      guard let field = generation.schema.id else { return nil }
      let records = Matches(allOf: generation)
      var found: Int?
      try records.forEachID(ofField: field) { position, id in
        if id == wanted { found = position }
        return found == nil
      }
      guard let found else { return nil }
      return try records.records(in: found..<found + 1).first
    }
  }
}

extension ShardedIndex.Matches {
  /// Calls `body` with the position and the id of each record that has an id, in order, until it returns false.
  ///
  /// - Parameter field: The number of the field with the ids.
  package func forEachID(ofField field: Int, _ body: (Int, [UInt8]) -> Bool) throws(IndexError) {
    let buffer = RecordBuffer()
    var start = 0
    while start < count {
      let end = min(count, start + min(64, try recordsAtOnce(at: start)))
      try read(start..<end, into: buffer)
      for record in 0..<buffer.count {
        guard let id = ShardedIndex.Record.id(ofRecord: record, in: buffer, field: field) else { continue }
        guard body(start + record, id) else { return }
      }
      start = end
    }
  }
}
