import ShardedIndex

extension Verifier {
  /// Makes the overlay again from its added records and the positions of its removed records. The result must equal the
  /// overlay.
  mutating func checkOverlay(isCompared: Bool) {
    guard let overlay = index.generation.overlay else { return }
    summary.bytes += overlay.size
    let reason: String?
    do throws(BuildError) {
      reason = try OverlayDraft.fault(of: overlay, in: index)
    } catch {
      reason = error.description
    }
    if let reason { return damage(Overlay.fileName, reason) }
    guard idField == nil || greatestID <= overlay.greatestID else {
      return damage(
        Overlay.fileName, "has the greatest id \(overlay.greatestID), and a record has the id \(greatestID)")
    }
    if isCompared { addChanges(of: overlay) }
  }

  /// Adds an overlay's changes to the sums of the index's records.
  private mutating func addChanges(of overlay: Overlay) {
    let schema = index.generation.schema
    let generation = index.generation.manifest
    var bytes: [UInt8] = []
    for number in overlay.added.indices {
      let key = unsafe overlay.folded(number)
      unsafe RecordSum.begin(&bytes, key: key.span)
      overlay.forEachField(of: number) {
        unsafe RecordSum.append(schema.names[$0.name].utf8, $0.kind, $0.text, to: &bytes)
      }
      unsafe sums[Self.shard(of: key.span, in: generation)].subtract(bytes)
    }
    // The shards were read before, and are sound.
    guard let all = try? index.matchesInShards(forFoldedPrefix: .empty) else { return }
    for position in overlay.removed {
      Self.forEachRecord(of: all, in: position..<position + 1) { key, buffer in
        RecordSum.serialize(key, buffer.rawFields(ofRecord: 0), of: buffer, schema, into: &bytes)
        sums[Self.shard(of: key, in: generation)].add(bytes)
      }
    }
  }
}
