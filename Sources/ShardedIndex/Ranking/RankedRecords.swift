extension Generation {
  /// Decodes the records of hits into a buffer, in their order, behind its present records.
  func read(_ hits: some Collection<RankedRecord>, into buffer: RecordBuffer) throws(IndexError) {
    for hit in hits {
      if hit.part.isOverlay {
        unsafe overlay?.decode(hit.record, into: &buffer.output.pointee)
      } else {
        let part = try part(of: hit)
        try PartReader(shards, part).decode(hit.record..<hit.record + 1, into: buffer)
      }
    }
  }

  /// Returns the folded keys of hits, in their order.
  func foldedKeys(of hits: some Collection<RankedRecord>) throws(IndexError) -> FoldedKeys {
    var keys = FoldedKeys()
    for hit in hits {
      if hit.part.isOverlay {
        if let overlay { unsafe keys.append(overlay.folded(hit.record)) }
      } else {
        let part = try part(of: hit)
        unsafe part.part.keys.forEachKey(in: hit.record..<hit.record + 1) { _, key in unsafe keys.append(key) }
      }
    }
    return keys
  }

  /// Takes memory for decoding a hit from the thread's terms, if its part is large.
  func admit(_ hit: RankedRecord) throws(IndexError) {
    if hit.part.isOverlay { return }
    let weight = try part(of: hit).part.weight
    if weight > RecordReader.usualWeight { try ReadingTerms.admit(weight, in: directory) }
  }

  /// Returns the part of a hit in a shard. The search has opened the part, so it is mostly in memory.
  private func part(of hit: RankedRecord) throws(IndexError) -> PartReference {
    try shards.part(of: manifest.shardPosition(ofShard: hit.part.shard), promotes: false, unpacks: true) { _ in
      hit.part.part
    }
  }

  /// The identity of the generation, for cursors and names.
  package var identity: UInt64 {
    // The product spreads the bits of one checksum, so that the other does not cancel them.
    manifest.rootChecksum ^ (overlay?.checksum ?? 0) &* 0x9e37_79b9_7f4a_7c15
  }

  /// The name of the generation in answers: its identity in 16 hexadecimal digits.
  package var name: String {
    let digits = String(identity, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
