extension ShardedIndex {
  /// Returns the first record with an id, the text of the field that the index was built with as its id.
  ///
  /// An index is sorted by key and has no table of ids, so the search reads the ids of all records. A program that looks
  /// up many records keeps a table of its own, or a key that finds them.
  ///
  /// - Parameter id: The text of the id field.
  /// - Returns: nil if no record has the id, or if the index was built without ids.
  /// - Throws: ``IndexError`` if a shard cannot be read or is damaged.
  /// - Complexity: O(*n*): *n* records, about half a microsecond for each. Memory holds 64 records at a time.
  public func record(id: String) throws(IndexError) -> Record? {
    let wanted = Array(id.utf8)
    return try withNewest { (generation) throws(IndexError) in
      guard let field = generation.schema.id else { return nil }
      let records = try matches(forPrefix: "", in: generation)
      let buffer = RecordBuffer()
      var at = 0
      while at < records.count {
        let end = min(records.count, at + min(64, try records.recordsAtOnce(at: at)))
        try records.read(at..<end, into: buffer)
        if let found = (0..<buffer.count).first(where: { Record.id(ofRecord: $0, in: buffer, field: field) == wanted })
        {
          return try records.records(in: at + found..<at + found + 1).first
        }
        at = end
      }
      return nil
    }
  }
}
