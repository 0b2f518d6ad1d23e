import ShardedIndex

/// What a build notes in the manifest for the next one: of which records each piece was made. Source: docs/format.md §3.8.
///
/// No query reads it. From it the next build knows which pieces it need not encode again, and an update where the cut
/// can begin anew.
package struct BuildNotes: Sendable {
  /// One piece of the cut; it became one shard, or several when it was too large for one.
  package struct Piece: Sendable, Equatable {
    package var shardCount: Int
    /// See ``ShardBuilder/Piece/isRestart``.
    package var isRestart: Bool
    package var digest: PieceDigest

    package init(shardCount: Int, isRestart: Bool, digest: PieceDigest) {
      (self.shardCount, self.isRestart, self.digest) = (shardCount, isRestart, digest)
    }
  }

  /// zstd's level.
  package var level: Int
  package var pieces: [Piece] = []
  /// Records that have an id, less the ids that are distinct by ``IDCounter/hash(_:)``: 0 means that no two records have
  /// the same. nil if it was not counted.
  package var repeatedIDs: Int?
  /// Records that have no id, by ``RecordID``; 0 if that was not counted. No update changes it.
  package var recordsWithoutID = 0
  /// Whether this program would make the same bytes of the same pieces.
  package private(set) var isOfThisEncoder: Bool

  package init(level: Int) {
    self.level = level
    isOfThisEncoder = true
  }

  /// Pieces whose notes are one frame, so that those of others stay the same bytes when some change.
  private static let groupSize = 64

  /// - Parameters:
  ///   - frames: Contents and checksums of the notes' frames, in order.
  ///   - shardCount: Of the manifest that the notes stand in.
  package init(
    _ frames: [(content: [UInt8], checksum: UInt32)], shardCount: Int
  ) throws(FormatError) {
    guard let first = frames.first else { throw .truncated(offset: 0, needed: 28, available: 0) }
    let head = try BuildNotesHead(first.content)
    (level, repeatedIDs, isOfThisEncoder) = (head.level, head.repeatedIDs, head.isOfThisEncoder)
    recordsWithoutID = head.recordsWithoutID
    let count = head.pieceCount
    guard (count + Self.groupSize - 1) / Self.groupSize == frames.count - 1, head.checksums.count == frames.count - 1
    else {
      throw .invalid(reason: "notes \(count) pieces in \(frames.count - 1) frames", offset: 16)
    }
    for ((_, checksum), expected) in zip(frames.dropFirst(), head.checksums) where checksum != expected {
      throw .wrongChecksum(found: checksum, expected: expected)
    }
    var shards = 0
    for frame in frames.dropFirst() {
      let first = pieces.count
      let group = min(Self.groupSize, count - first)
      try BuildNotesHead.reading(frame.content) { (reader) throws(FormatError) -> Void in
        for _ in 0..<group {
          let word = try reader.readVarint()
          guard word >> 1 > 0 else { throw .invalid(reason: "a piece of no shard", offset: reader.offset) }
          shards += word >> 1
          pieces.append(
            Piece(shardCount: word >> 1, isRestart: word & 1 == 1, digest: PieceDigest(high: 0, low: 0)))
        }
        for index in first..<first + group {
          let high = try reader.read(UInt64.self)
          pieces[index].digest = PieceDigest(high: high, low: try reader.read(UInt64.self))
        }
      }
    }
    guard shards == shardCount else {
      throw .invalid(reason: "notes pieces of \(shards) shards where there are \(shardCount)", offset: 16)
    }
    guard pieces.first?.isRestart ?? true else {
      throw .invalid(reason: "notes a cut that cannot begin at its beginning", offset: 0)
    }
  }

  /// What ``repeatedIDs`` is when `records`, all that have one of `ids` different ids, have been replaced by one each or
  /// removed; nil if it is not known, or wrong.
  package func repeatedIDs(replacing records: Int, of ids: Int) -> Int? {
    guard let repeatedIDs, repeatedIDs >= records - ids else { return nil }
    return repeatedIDs - (records - ids)
  }

  /// The contents of the frames behind the first.
  package var groups: [[UInt8]] {
    stride(from: 0, to: pieces.count, by: Self.groupSize).map { first in
      let group = pieces[first..<min(first + Self.groupSize, pieces.count)]
      var writer = ByteWriter()
      for piece in group { writer.writeVarint(piece.shardCount << 1 | (piece.isRestart ? 1 : 0)) }
      for piece in group {
        writer.write(piece.digest.high)
        writer.write(piece.digest.low)
      }
      return writer.bytes
    }
  }

  /// The content of the first frame.
  ///
  /// - Parameter checksums: Of the others.
  package func head(checksums: [UInt32]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(BuildNotesHead.magic)
    writer.write(BuildNotesHead.encoderVersion)
    writer.write(ZstdFrame.libraryVersion)
    writer.write(UInt32(level))
    writer.write(UInt32(pieces.count))
    writer.write(BuildNotesHead.idCounts(repeated: repeatedIDs, without: recordsWithoutID))
    for checksum in checksums { writer.write(checksum) }
    return writer.bytes
  }
}

/// The first 16 bytes of the SHA-256 of all that a piece's shards are made from.
package struct PieceDigest: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64
}

extension Piece {
  /// What identifies the shards that this piece becomes, the options of the build aside; and the numbers of its fields
  /// in the order in which they come up.
  ///
  /// Field names are numbered by that order here, so that neither the dataset's own nor other pieces show in the digest.
  /// - Parameter names: By number.
  package func digest(names: [String]) -> (digest: PieceDigest, fields: [UInt32]) {
    var fields: [UInt32] = []
    var isInOrder = true  // Whether the numbers are what they would be here.
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: max(1, names.count)) { own in
      own.update(repeating: .max)
      for index in 0..<count {
        let record = record(index)
        for field in 0..<record.fieldCount {
          let name = record.fieldName(field)
          guard own[Int(name)] == .max else { continue }
          own[Int(name)] = UInt32(fields.count)
          isInOrder = isInOrder && Int(name) == fields.count
          fields.append(name)
        }
      }
    }
    var stream = Digest.Stream()
    var head = ByteWriter()
    head.write(UInt64(firstWeight))  // Where a piece is divided depends on it.
    head.write(UInt32(fields.count))
    for field in fields {
      let name = names[Int(field)]
      head.write(UInt32(name.utf8.count))
      head.write(name)
    }
    head.bytes.withUnsafeBytes { stream.update($0) }
    if isInOrder {
      forEachRun { stream.update($0) }
    } else {
      hashRenumbered(fields, names.count, into: &stream)
    }
    let digest = stream.finish()
    return digest.withUnsafeBytes {
      (
        PieceDigest(high: $0.loadUnaligned(as: UInt64.self), low: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)),
        fields
      )
    }
  }

  /// As the records' bytes, with each field's name by its place in `fields`.
  private func hashRenumbered(_ fields: [UInt32], _ nameCount: Int, into stream: inout Digest.Stream) {
    var own = [UInt32](repeating: 0, count: nameCount)
    for (number, name) in fields.enumerated() { own[Int(name)] = UInt32(number) }
    var scratch: [UInt8] = []
    for index in 0..<count {
      let record = record(index)
      record.withHeader(renumbered: own, &scratch) { stream.update($0) }
      stream.update(record.body)
    }
  }
}
