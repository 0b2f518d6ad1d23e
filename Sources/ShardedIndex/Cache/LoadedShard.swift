/// One shard in memory: its header, and slots for its parts.
@safe final class LoadedShard: @unchecked Sendable {
  /// The header's table of parts, beside the slots that it leads to.
  let parts: PartTable
  let header: ShardHeader
  /// The parts that are resident, by number. The lock of the cache that holds the shard guards them, so that accesses
  /// exclude each other. References are counted by hand: otherwise the runtime would look at each slot that is made or
  /// freed.
  @exclusivity(unchecked) var slots: [Unmanaged<LoadedPart>?]

  init(header: ShardHeader) {
    self.header = header
    parts = header.parts
    unsafe slots = Array(repeating: nil, count: parts.count)
  }

  deinit { for slot in 0..<parts.count { unsafe slots[slot]?.release() } }

  /// The bytes that the header costs the cache.
  var charge: Int { header.charge + parts.count * MemoryLayout<LoadedPart?>.stride + 128 }
}
