import ShardedIndex

extension Verifier {
  /// Makes the overlay anew from the records that it adds and the positions of those that it removes: the result has to
  /// be the overlay itself.
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
      return damage(Overlay.fileName, "says that no id is above \(overlay.greatestID), and \(greatestID) is one")
    }
    if isCompared { takeIn(overlay) }
  }

  /// Takes an overlay's changes into the sums of the index's records.
  private mutating func takeIn(_ overlay: Overlay) {
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
    // The shards were read, and are sound.
    guard let all = try? index.matchesInShards(forFoldedPrefix: .empty) else { return }
    for position in overlay.removed {
      Self.forEachRecord(of: all, in: position..<position + 1) { key, buffer in
        RecordSum.serialize(key, buffer.rawFields(ofRecord: 0), of: buffer, schema, into: &bytes)
        sums[Self.shard(of: key, in: generation)].add(bytes)
      }
    }
  }
}
