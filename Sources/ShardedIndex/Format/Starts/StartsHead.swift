/// The content of the first frame of the starts: the texts that they answer, and the sizes of their files, which follow
/// the frame. Source: docs/format.md section 3.14.
package struct StartsHead: Equatable, Sendable {
  static let magic: UInt32 = 0x3142_5153  // "SQB1"
  /// The magic of starts without the first records by key.
  static let rankMagic: UInt32 = 0x3242_5153  // "SQB2"
  /// The most matches of a text in the starts.
  package static let depth = 20
  /// The most texts, and the most bytes of each.
  package static let textLimit = 1 << 16
  package static let textSizeLimit = 64
  /// The largest content of the frame, in bytes.
  static let contentLimit = 8 << 20

  /// Whether the records are the best ones of each text alone, and not the first ones by key too.
  package let isByRank: Bool
  /// The folded texts, ascending. The first may be empty.
  package let texts: [[UInt8]]
  /// The sizes of the manifest and of the other files, in bytes, in the order of an archive.
  package let sizes: [Int]

  /// The checksum of the frame of the manifest's root.
  package let rootChecksum: UInt32

  package init(texts: [[UInt8]], sizes: [Int], rootChecksum: UInt32, isByRank: Bool) {
    (self.texts, self.sizes, self.rootChecksum, self.isByRank) = (texts, sizes, rootChecksum, isByRank)
  }

  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - room: The number of bytes of the chain behind the frame.
  init(_ content: [UInt8], room: Int) throws(FormatError) {
    var reader = unsafe ByteReader(content.span.bytes)
    let magic = try reader.read(UInt32.self)
    isByRank = magic == Self.rankMagic
    guard isByRank || magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
    rootChecksum = try reader.read(UInt32.self)
    texts = try Self.readTexts(&reader)
    let count = try reader.readVarint()
    guard count > 0, count <= reader.remaining else {
      throw .invalid(reason: "has starts of \(count) files", offset: reader.offset)
    }
    var (sizes, left): ([Int], Int) = ([], room)
    for _ in 0..<count {
      let size = try reader.readVarint()
      guard size <= left else {
        throw .invalid(reason: "has starts beyond the end of their frames", offset: reader.offset)
      }
      left -= size
      sizes.append(size)
    }
    guard left == 0, reader.remaining == 0 else {
      throw .invalid(reason: "has bytes behind the starts", offset: reader.offset)
    }
    self.sizes = sizes
  }

  private static func readTexts(_ reader: inout ByteReader) throws(FormatError) -> [[UInt8]] {
    let count = try reader.readVarint()
    guard count <= textLimit else { throw .invalid(reason: "has starts of \(count) texts", offset: reader.offset) }
    var texts: [[UInt8]] = []
    for _ in 0..<count {
      let common = try reader.readVarint()
      let size = try reader.readVarint()
      guard common <= texts.last?.count ?? 0, size <= textSizeLimit - common else {
        throw .invalid(reason: "has a start of \(common) and \(size) bytes", offset: reader.offset)
      }
      let text = unsafe Array(texts.last?.prefix(common) ?? []) + Array(try reader.read(bytes: size))
      guard texts.last.map({ $0.lexicographicallyPrecedes(text) }) ?? true else {
        throw .invalid(reason: "has starts out of order", offset: reader.offset)
      }
      texts.append(text)
    }
    return texts
  }

  /// The content of the frame.
  package var content: [UInt8] {
    var writer = ByteWriter()
    writer.write(isByRank ? Self.rankMagic : Self.magic)
    writer.write(rootChecksum)
    writer.writeVarint(texts.count)
    var before: [UInt8] = []
    for text in texts {
      let common = zip(before, text).prefix { $0 == $1 }.count
      writer.writeVarint(common)
      writer.writeVarint(text.count - common)
      writer.write(Array(text.dropFirst(common)))
      before = text
    }
    writer.writeVarint(sizes.count)
    for size in sizes { writer.writeVarint(size) }
    return writer.bytes
  }

  /// Returns whether the starts answer a folded text.
  package func answers(_ text: [UInt8]) -> Bool {
    var (low, high) = (0, texts.count)
    while low < high {
      let middle = (low + high) / 2
      if texts[middle].lexicographicallyPrecedes(text) { low = middle + 1 } else { high = middle }
    }
    return low < texts.count && texts[low] == text
  }
}
