import ShardedIndex

/// The notes in the manifest: a build writes them for the next build. They say which records each piece was made from.
/// Source: docs/format.md section 3.8.
///
/// No query reads the notes. From them the next build knows which pieces stay, and an update knows where the cut can
/// begin again.
package struct BuildNotes: Sendable {
  /// One piece of the cut. It became one shard, or several if it was too large for one.
  package struct NotedPiece: Sendable, Equatable {
    package var shardCount: Int
    /// Whether the cut can begin again here: ``ShardBuilder/NotedPiece/isRestart``.
    package var isRestart: Bool
    package var digest: PieceDigest

    package init(shardCount: Int, isRestart: Bool, digest: PieceDigest) {
      (self.shardCount, self.isRestart, self.digest) = (shardCount, isRestart, digest)
    }
  }

  package static let magic: UInt32 = 0x314e_5153  // "SQN1"
  /// The version of the encoder. It rises when the same records get other bytes, or pieces other digests.
  package static let encoderVersion: UInt32 = 1

  /// The level of zstd.
  package var level: Int
  package var pieces: [NotedPiece] = []
  /// The number of records with an id, less the number of distinct ids by ``IDCounter/hash(_:)``. 0 means that no two
  /// records have the same id. nil if ids were not counted.
  package var repeatedIDs: Int?
  /// The number of records without an id, by ``RecordID``; 0 if ids were not counted. No update changes this number.
  package var recordsWithoutID = 0
  /// Whether this program would make the same bytes from the same pieces.
  package private(set) var isOfThisEncoder: Bool

  package init(level: Int) {
    self.level = level
    isOfThisEncoder = true
  }

  /// The number of pieces in one frame of notes. A change of some pieces leaves the frames of the others as they are.
  private static let groupSize = 64

  /// - Parameters:
  ///   - frames: The contents and checksums of the notes' frames, in order.
  ///   - shardCount: The number of shards in the manifest that has the notes.
  package init(
    _ frames: [(content: [UInt8], checksum: UInt32)], shardCount: Int
  ) throws(FormatError) {
    guard let first = frames.first else { throw .truncated(offset: 0, needed: 28, available: 0) }
    let head = try FirstFrame(first.content)
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
    for frame in frames.dropFirst() {
      try addGroup(frame.content, count: min(Self.groupSize, count - pieces.count))
    }
    let shards = pieces.reduce(0) { $0 + $1.shardCount }
    guard shards == shardCount else {
      throw .invalid(reason: "notes pieces of \(shards) shards, and the manifest has \(shardCount)", offset: 16)
    }
    guard pieces.first?.isRestart ?? true else {
      throw .invalid(reason: "notes a cut that cannot begin at its beginning", offset: 0)
    }
  }

  /// Adds the pieces of a frame after the first.
  private mutating func addGroup(_ content: [UInt8], count: Int) throws(FormatError) {
    try Self.reading(content) { (reader) throws(FormatError) -> Void in
      let first = pieces.count
      for _ in 0..<count {
        let word = try reader.readVarint()
        guard word >> 1 > 0 else { throw .invalid(reason: "a piece of no shard", offset: reader.offset) }
        pieces.append(NotedPiece(shardCount: word >> 1, isRestart: word & 1 == 1, digest: PieceDigest(high: 0, low: 0)))
      }
      for index in first..<first + count {
        let high = try reader.read(UInt64.self)
        pieces[index].digest = PieceDigest(high: high, low: try reader.read(UInt64.self))
      }
    }
  }

  /// Reads all of `content`.
  private static func reading<Value>(
    _ content: [UInt8], _ body: (inout ByteReader) throws(FormatError) -> Value
  ) throws(FormatError) -> Value {
    try unsafe content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = unsafe ByteReader(bytes)
      let value = try body(&reader)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "notes with bytes after their end", offset: reader.offset)
      }
      return value
    }
  }

  /// The first frame, with the facts on the index as a whole.
  private struct FirstFrame {
    let level: Int
    let repeatedIDs: Int?
    let recordsWithoutID: Int
    let isOfThisEncoder: Bool
    let pieceCount: Int
    /// The checksums of the other frames.
    let checksums: [UInt32]

    init(_ content: [UInt8]) throws(FormatError) {
      let ids: UInt64
      (level, ids, isOfThisEncoder, pieceCount, checksums) = try reading(content) {
        (reader) throws(FormatError) -> (Int, UInt64, Bool, Int, [UInt32]) in
        let magic = try reader.read(UInt32.self)
        guard magic == BuildNotes.magic else { throw .wrongMagic(found: magic, expected: BuildNotes.magic) }
        let version = try reader.read(UInt32.self)
        let zstd = try reader.read(UInt32.self)
        let level = Int(try reader.read(UInt32.self))
        let count = Int(try reader.read(UInt32.self))
        let ids = try reader.read(UInt64.self)
        var checksums: [UInt32] = []
        while reader.remaining > 0 { checksums.append(try reader.read(UInt32.self)) }
        let isOfThisEncoder = version == BuildNotes.encoderVersion && zstd == ZstdFrame.libraryVersion
        return (level, ids, isOfThisEncoder, count, checksums)
      }
      repeatedIDs = ids == .max ? nil : Int(ids & 0xFFFF_FFFF)
      recordsWithoutID = ids == .max ? 0 : Int(ids >> 32)
    }
  }

  /// Returns the counts of ids in the content of the first frame; nil if the frame has none.
  package static func idCounts(_ content: [UInt8]) -> (repeated: Int, without: Int)? {
    guard let head = try? FirstFrame(content), let repeated = head.repeatedIDs else { return nil }
    return (repeated, head.recordsWithoutID)
  }

  /// Both counts in one word; a count that is too large becomes the greatest possible one.
  private var idCounts: UInt64 {
    guard let repeatedIDs else { return .max }
    let most = Int(UInt32.max) - 1
    return UInt64(min(repeatedIDs, most)) | UInt64(min(recordsWithoutID, most)) << 32
  }

  /// Returns the new ``repeatedIDs`` after a change: all `records` with one of `ids` different ids were removed, or
  /// replaced by one record for each id. Returns nil if the number is unknown or wrong.
  package func repeatedIDs(replacing records: Int, of ids: Int) -> Int? {
    guard let repeatedIDs, repeatedIDs >= records - ids else { return nil }
    return repeatedIDs - (records - ids)
  }

  /// The contents of the frames after the first.
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

  /// Returns the content of the first frame.
  ///
  /// - Parameter checksums: The checksums of the other frames.
  package func head(checksums: [UInt32]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Self.magic)
    writer.write(Self.encoderVersion)
    writer.write(ZstdFrame.libraryVersion)
    writer.write(UInt32(level))
    writer.write(UInt32(pieces.count))
    writer.write(idCounts)
    for checksum in checksums { writer.write(checksum) }
    return writer.bytes
  }
}
