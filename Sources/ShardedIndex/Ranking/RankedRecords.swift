/// The records of some hits, in their order.
struct RankedRecords {
  private let hits: ArraySlice<RankedRecord>
  private let generation: Generation

  init(_ hits: ArraySlice<RankedRecord>, in generation: Generation) {
    (self.hits, self.generation) = (hits, generation)
  }

  /// Decodes the records into a buffer, behind its present records.
  func read(into buffer: RecordBuffer) throws(IndexError) {
    for hit in hits {
      if hit.part.isOverlay {
        unsafe generation.overlay?.decode(hit.record, into: &buffer.output.pointee)
      } else {
        try PartReader(generation.shards, part(of: hit)).decode(hit.record..<hit.record + 1, into: buffer)
      }
    }
  }

  /// Returns the folded keys.
  func foldedKeys() throws(IndexError) -> FoldedKeys {
    var keys = FoldedKeys()
    for hit in hits {
      if hit.part.isOverlay {
        if let overlay = generation.overlay { unsafe keys.append(overlay.folded(hit.record)) }
      } else {
        let part = try part(of: hit)
        let position = part.start + hit.record
        try RecordReader(generation.shards, first: part)
          .forEachFoldedKey(from: position, to: position + 1) { unsafe keys.append($0.bytes) }
      }
    }
    return keys
  }

  /// Takes memory for decoding from the thread's terms, for each hit whose part is large.
  func admit() throws(IndexError) {
    for hit in hits where !hit.part.isOverlay {
      let weight = try part(of: hit).part.weight
      if weight > RecordReader.usualWeight { try ReadingTerms.admit(weight, in: generation.directory) }
    }
  }

  /// Returns the part of a hit in a shard. The search has opened the part, so it is mostly in memory.
  private func part(of hit: RankedRecord) throws(IndexError) -> PartReference {
    let shard = try generation.manifest.shardPosition(ofShard: hit.part.shard)
    return try generation.shards.part(of: shard, promotes: false, unpacks: true) { _ in hit.part.part }
  }
}
