import ShardedIndex

/// The first frame of ``BuildNotes``: all that is said of an index as a whole.
package struct BuildNotesHead: Sendable {
  package static let magic: UInt32 = 0x314e_5153  // "SQN1"
  /// Counts up when the same records come to be encoded into other bytes, or pieces to have other digests.
  package static let encoderVersion: UInt32 = 1

  /// zstd's level.
  let level: Int
  /// See ``BuildNotes/repeatedIDs``.
  let repeatedIDs: Int?
  /// See ``BuildNotes/recordsWithoutID``.
  let recordsWithoutID: Int
  /// Whether this program would make the same bytes of the same pieces.
  let isOfThisEncoder: Bool
  let pieceCount: Int
  /// Of the other frames.
  let checksums: [UInt32]

  /// - Parameter content: Of the frame.
  init(_ content: [UInt8]) throws(FormatError) {
    let ids: UInt64
    (level, ids, isOfThisEncoder, pieceCount, checksums) = try Self.reading(content) {
      (reader) throws(FormatError) -> (Int, UInt64, Bool, Int, [UInt32]) in
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let version = try reader.read(UInt32.self)
      let zstd = try reader.read(UInt32.self)
      let level = Int(try reader.read(UInt32.self))
      let count = Int(try reader.read(UInt32.self))
      let ids = try reader.read(UInt64.self)
      var checksums: [UInt32] = []
      while reader.remaining > 0 { checksums.append(try reader.read(UInt32.self)) }
      let isOfThisEncoder = version == Self.encoderVersion && zstd == ZstdFrame.libraryVersion
      return (level, ids, isOfThisEncoder, count, checksums)
    }
    repeatedIDs = ids == .max ? nil : Int(ids & 0xFFFF_FFFF)
    recordsWithoutID = ids == .max ? 0 : Int(ids >> 32)
  }

  /// What the content of a frame says of ids; nil if it says nothing.
  package static func idCounts(_ content: [UInt8]) -> (repeated: Int, without: Int)? {
    guard let head = try? BuildNotesHead(content), let repeated = head.repeatedIDs else { return nil }
    return (repeated, head.recordsWithoutID)
  }

  /// Both counts in one word, each the most that it holds where it is more.
  static func idCounts(repeated: Int?, without: Int) -> UInt64 {
    guard let repeated else { return .max }
    let most = Int(UInt32.max) - 1
    return UInt64(min(repeated, most)) | UInt64(min(without, most)) << 32
  }

  /// Reads all of `content`.
  static func reading<Value>(
    _ content: [UInt8], _ body: (inout ByteReader) throws(FormatError) -> Value
  ) throws(FormatError) -> Value {
    try content.withUnsafeBufferPointer { (bytes) throws(FormatError) in
      var reader = ByteReader(bytes)
      let value = try body(&reader)
      guard reader.remaining == 0 else {
        throw .invalid(reason: "notes with bytes behind their end", offset: reader.offset)
      }
      return value
    }
  }
}
