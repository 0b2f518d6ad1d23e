/// The field whose equal texts make groups of records, or the folded key. Source: docs/groups.md.
struct GroupField: Sendable {
  /// The number of the field; nil for the folded key.
  private let number: Int?

  /// The name of the folded key.
  private static let key = "key"

  /// - Parameter name: The path of a field, or `key` for the folded key. `+key` is a field called `key`.
  /// - Returns: nil if the index has no such field, and without a name.
  init?(_ name: String?, in manifest: ManifestReader) {
    guard let name else { return nil }
    if name.utf8.elementsEqual(Self.key.utf8) {
      number = nil
      return
    }
    let isSigned = name.utf8.elementsEqual("+key".utf8)
    guard let number = manifest.fieldNames.number(of: isSigned ? Self.key : name) else { return nil }
    self.number = number
  }

  /// The size of the texts that are kept whole, in bytes.
  private static let wholeSize = 64

  /// Returns the bytes that tell a text from other texts: the text, or the beginning and the SHA-256 of a longer one, so
  /// that texts of megabytes are not kept.
  ///
  /// - Returns: No bytes for an empty text, which makes no group.
  private static func identity(of text: RawSpan) -> [UInt8] {
    let isWhole = text.byteCount <= wholeSize
    var bytes: [UInt8] = []
    // With the digest the bytes are more than those of any whole text.
    for index in 0..<(isWhole ? text.byteCount : wholeSize) { bytes.append(text[index]) }
    return isWhole ? bytes : bytes + SHA256.digest(of: text)
  }

  private static func isGroup(_ kind: ValueKind, firstByte: UInt8?) -> Bool {
    kind != .literal || firstByte == UInt8(ascii: "t") || firstByte == UInt8(ascii: "f")
  }

  /// Returns the identity of the text of each of some records; no bytes for a record that is a group of its own, since
  /// its field is missing, empty, `null` or an array.
  ///
  /// Each part is unpacked once.
  func identities(of records: [RankedRecord], in generation: Generation) throws(IndexError) -> [[UInt8]] {
    var found = [[UInt8]](repeating: [], count: records.count)
    let order = Array(records.indices).ordered { left, right in
      let (left, right) = (records[left], records[right])
      if left.part.shard != right.part.shard { return left.part.shard < right.part.shard }
      if left.part.part != right.part.part { return left.part.part < right.part.part }
      return left.record < right.record
    }
    var start = 0
    while start < order.count {
      let first = records[order[start]]
      if first.part.isOverlay {
        if let overlay = generation.overlay { found[order[start]] = identity(added: first.record, in: overlay) }
        start += 1
        continue
      }
      // Records that stand close together are decoded together.
      var (end, last) = (start + 1, first.record)
      while end < order.count {
        let next = records[order[end]]
        guard next.part.shard == first.part.shard, next.part.part == first.part.part, next.record <= last + 4 else {
          break
        }
        (end, last) = (end + 1, next.record)
      }
      let shard = try generation.manifest.shardPosition(ofShard: first.part.shard)
      let part = try generation.shards.part(of: shard, promotes: false, unpacks: true) { _ in first.part.part }
      var at = start
      try forEachIdentity(first.record..<last + 1, of: part, in: generation.shards) { record, identity in
        while at < end, records[order[at]].record < record { at += 1 }
        if at < end, records[order[at]].record == record { found[order[at]] = identity }
      }
      start = end
    }
    return found
  }

  /// Calls `body` with the identity of the text of each of some records of a part, in order.
  private func forEachIdentity(
    _ range: Range<Int>, of part: PartReference, in shards: ShardReader, _ body: (_ record: Int, [UInt8]) -> Void
  ) throws(IndexError) {
    guard let number else {
      unsafe part.part.keys.forEachKey(in: range) { record, key in
        body(record, unsafe Self.identity(of: key.span.bytes))
      }
      return
    }
    try unsafe PartReader(shards, part).forEachField(number, in: range) { record, text, kind in
      guard unsafe Self.isGroup(kind, firstByte: text.first) else { return }
      body(record, unsafe Self.identity(of: text.span.bytes))
    }
  }

  /// Returns the identity of the text of an added record of the overlay.
  private func identity(added record: Int, in overlay: Overlay) -> [UInt8] {
    guard let number else { return unsafe Self.identity(of: overlay.folded(record).span.bytes) }
    var (found, isFound): ([UInt8], Bool) = ([], false)
    overlay.forEachField(of: record) { entry in
      guard !isFound, entry.name == number else { return }
      isFound = true
      let kind = ValueKind(rawValue: entry.kind) ?? .literal
      if unsafe Self.isGroup(kind, firstByte: entry.text.first) {
        found = unsafe Self.identity(of: entry.text.span.bytes)
      }
    }
    return found
  }

  /// Adds the field to the bytes that tell queries apart.
  func write(to bytes: inout [UInt8]) {
    let number = number ?? -1
    bytes += [0, 0xfb, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    bytes.append(UInt8(truncatingIfNeeded: number >> 16))
  }
}
