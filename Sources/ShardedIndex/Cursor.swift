extension ShardedIndex {
  /// A position in a ranked answer, behind its last hit. A client keeps its text and sends it back for the next page.
  ///
  /// A cursor belongs to one query and one generation of an index. A forged cursor leads to other hits, and nowhere
  /// else.
  public struct Cursor: Hashable, Sendable, LosslessStringConvertible {
    private static let version: UInt8 = 2
    /// The size of a cursor in bytes, before it is written as hexadecimal digits.
    private static let size = 50

    /// The generation and the text that the cursor belongs to.
    let generation: UInt64
    let query: UInt64
    private(set) var rank: Rank

    init(generation: UInt64, query: UInt64, rank: Rank) {
      (self.generation, self.query, self.rank) = (generation, query, rank)
    }

    /// Returns the number that tells queries apart.
    static func identity(of search: RankedSearch) -> UInt64 {
      var bytes = search.text.text
      if search.text.isFinished { bytes.append(Fold.space) }
      if search.editLimit > 0 { bytes += [0, 0xff] }
      if search.rules.acrossNames { bytes += [0, 0xfe] }
      search.filter?.write(to: &bytes)
      search.nearness?.write(to: &bytes)
      search.sort?.write(to: &bytes)
      search.group?.write(to: &bytes)
      return bytes.hash
    }

    /// Throws ``SearchFault/wrongCursor(reason:)`` if the cursor belongs to another query or generation.
    func check(_ identity: UInt64, _ generation: Generation) throws(IndexError) {
      guard query == identity else { throw .refused(.wrongCursor(reason: "belongs to another query")) }
      guard self.generation == generation.identity else {
        throw .refused(.wrongCursor(reason: "belongs to another generation of the index"))
      }
    }

    /// Reads the text of a cursor; nil if the text is not a cursor's.
    public init?(_ description: String) {
      guard let bytes = Self.bytes(ofHexadecimal: description), bytes.count == Self.size,
        Self.checksum(bytes.dropLast(4)) == Self.number(bytes, at: Self.size - 4, as: UInt32.self),
        bytes[0] == Self.version, let position = Int(exactly: Self.number(bytes, at: 30, as: Int64.self))
      else { return nil }
      generation = Self.number(bytes, at: 1, as: UInt64.self)
      query = Self.number(bytes, at: 9, as: UInt64.self)
      rank = Rank(
        edits: Int(bytes[17] & 0x7f), score: Int(Self.number(bytes, at: 18, as: Int32.self)),
        weight: Self.number(bytes, at: 22, as: UInt64.self), isOtherForm: bytes[17] & 0x80 != 0,
        position: position)
      rank.key = Self.number(bytes, at: 38, as: UInt64.self)
    }

    /// The text of the cursor: 100 hexadecimal digits.
    public var description: String {
      var writer = ByteWriter()
      writer.write([Self.version])
      writer.write(generation)
      writer.write(query)
      writer.write([UInt8(clamping: rank.edits) & 0x7f | (rank.isOtherForm ? 0x80 : 0)])
      writer.write(UInt32(bitPattern: Int32(clamping: rank.score)))
      writer.write(rank.weight)
      writer.write(UInt64(bitPattern: Int64(rank.position)))
      writer.write(rank.key)
      writer.write(Self.checksum(writer.bytes[...]))
      let digits = Array("0123456789abcdef".utf8)
      return String(
        decoding: writer.bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8]? {
      let digits = Array(text.utf8)
      guard digits.count == 2 * size else { return nil }
      func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
      }
      var bytes: [UInt8] = []
      for index in 0..<size {
        guard let high = value(digits[2 * index]), let low = value(digits[2 * index + 1]) else { return nil }
        bytes.append(high << 4 | low)
      }
      return bytes
    }

    private static func number<T: FixedWidthInteger>(_ bytes: [UInt8], at offset: Int, as: T.Type) -> T {
      (0..<T.bitWidth / 8).reduce(0) { $0 | T(truncatingIfNeeded: bytes[offset + $1]) << T(8 * $1) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
      unsafe bytes.withUnsafeBytes { unsafe UInt32(truncatingIfNeeded: XXHash64.hash($0)) }
    }
  }
}

extension [UInt8] {
  /// The XXH64 of the bytes.
  var hash: UInt64 { unsafe withUnsafeBytes { unsafe XXHash64.hash($0) } }
}
