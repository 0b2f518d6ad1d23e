extension ShardedIndex {
  /// The records whose folded key begins with the fold of `prefix`, in key order.
  ///
  /// Loads at most the keys of the two shards at the ends of the answer. No record is decoded yet.
  ///
  /// - Parameter prefix: As typed. Folded here; a trailing space counts. An empty one matches every record.
  /// - Throws: ``IndexError`` if a shard or a page of the manifest cannot be read or is damaged. The index stays usable.
  /// - Complexity: O(log *s* + log *r*): *s* shards in the index, *r* records in a shard.
  public func matches(forPrefix prefix: String) throws(IndexError) -> Matches {
    var prefix = prefix
    var answer: Result<Matches, IndexError>? = nil
    prefix.withUTF8 { bytes in
      answer = Result { () throws(IndexError) in try matches(forPrefix: bytes) }
    }
    return try answer!.get()
  }

  /// The same for text in UTF-8 that is no `String`; bytes that are no UTF-8 match nothing that is.
  public func matches(forPrefix prefix: UnsafeBufferPointer<UInt8>) throws(IndexError) -> Matches {
    let fast = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) {
      buffer -> Result<Matches, IndexError>? in
      guard prefix.count <= 128, let count = Fold.foldASCII(prefix, into: buffer) else { return nil }
      return Result { () throws(IndexError) in
        try matches(forFolded: UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<count]))
      }
    }
    if let fast { return try fast.get() }
    var folded: [UInt8] = []
    Fold.fold(prefix, into: &folded)
    let answer = folded.withUnsafeBufferPointer { bytes in
      Result { () throws(IndexError) in try matches(forFolded: bytes) }
    }
    return try answer.get()
  }

  /// Counts the matches of a prefix: what ``matches(forPrefix:)`` does, without holding on to a shard.
  public func count(ofPrefix prefix: String) throws(IndexError) -> Int { try matches(forPrefix: prefix).count }

  @inline(__always)
  func matches(forFolded prefix: UnsafeBufferPointer<UInt8>) throws(IndexError) -> Matches {
    guard manifest.shardCount > 0, prefix.count > 0 else {
      return Matches(self, range: 0..<recordCount, first: nil)
    }
    let head = KeyBlocks.head(of: prefix)
    let (first, last) = try manifest.shards(forPrefix: prefix, head: head)
    let part = try part(of: first) { $0.firstPart(for: prefix, head: head) }
    if first.number == last.number {
      let number = part.part.header.lastPart(for: prefix, head: head, from: part.part.number)
      if number == part.part.number {
        let range = part.part.keys.range(ofPrefix: prefix, head: head)
        return Matches(
          self, range: part.start &+ range.lowerBound..<part.start &+ range.upperBound, first: part)
      }
      return try matches(forFolded: prefix, head, from: part, to: number, of: last)
    }
    return try matches(forFolded: prefix, head, from: part, to: nil, of: last)
  }

  /// The matches from a part on up to another one, in the same shard or a later one.
  @inline(never)
  private func matches(
    forFolded prefix: UnsafeBufferPointer<UInt8>, _ head: UInt64, from part: PartReference, to lastPart: Int?,
    of last: Manifest.Shard
  ) throws(IndexError) -> Matches {
    let lower = part.start &+ part.part.keys.lowerBound(of: prefix, head: head).index
    let end = try self.part(of: last) { lastPart ?? $0.lastPart(for: prefix, head: head, from: 0) }
    let (at, matches) = end.part.keys.lowerBound(of: prefix, head: head)
    let upper = end.start &+ (matches ? end.part.keys.upperBound(of: prefix, from: at) : at)
    return Matches(self, range: lower..<max(lower, upper), first: part)
  }
}
