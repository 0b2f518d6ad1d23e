/// One shard in memory: its header, and slots for its parts.
@safe final class LoadedShard: @unchecked Sendable {
  /// The header's table of parts, in memory beside the slots.
  let parts: PartTable
  let header: ShardHeader
  /// The resident parts, by number. The cache's lock guards them, so that accesses exclude each other. This file counts
  /// references by hand: otherwise the runtime would look at each slot that is made or freed.
  @exclusivity(unchecked) var slots: [Unmanaged<LoadedPart>?]

  init(header: ShardHeader) {
    self.header = header
    parts = header.parts
    unsafe slots = Array(repeating: nil, count: parts.count)
  }

  deinit { for slot in 0..<parts.count { unsafe slots[slot]?.release() } }

  /// The charge of the header, in bytes.
  var charge: Int { header.charge + parts.count * MemoryLayout<LoadedPart?>.stride + 128 }
}
