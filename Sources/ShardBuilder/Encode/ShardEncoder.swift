import ShardedIndex

/// The encoder of a shard file. It gets records in order. Source: docs/format.md section 4 to section 6.
///
/// The file depends on the records alone: not on a clock, not on floating point in a decision, not on the order of a
/// hash.
package struct ShardEncoder {
  /// The content of a frame, and the options of zstd for it.
  struct FrameContent: Sendable {
    var bytes: [UInt8]
    /// The size of the frame's content in bytes if no number in it were packed.
    var plainSize: Int
    /// The offsets at which new blocks begin.
    var cuts: [Int] = []
    /// The size of the shortest match in bytes; nil for the default of zstd's level.
    var minMatch: Int? = nil
    /// Whether a Huffman code for the bytes outside of matches can be worth its table.
    var codesLiterals = true
  }

  /// A shard before compression.
  package struct PlainShard: Sendable {
    fileprivate struct PlainPart {
      var firstRecord: Int
      var bound: [UInt8]
      var isContinuation: Bool
      /// The greatest weight of the records, if the index has ranks.
      var greatestWeight: UInt64?
      var keys: FrameContent
      var fields: FrameContent
    }

    fileprivate var recordCount: Int
    fileprivate var suffixField: SuffixField
    fileprivate var stemCode = HuffmanEncoder()
    /// The last section of the header, which describes the fields.
    fileprivate var fieldsHeader: [UInt8]
    fileprivate var counts: FieldColumnsEncoder.ColumnCounts
    fileprivate var parts: [PlainPart]

    /// The ranges of the parts' records.
    package var partRanges: [Range<Int>] {
      let ends = parts.dropFirst().map(\.firstRecord) + [recordCount]
      return zip(parts, ends).map { $0.firstRecord..<$1 }
    }

    /// The size of all frames together in bytes, uncompressed and unpacked. The limit of a shard applies to it.
    package var size: Int {
      // A reader accepts no more columns, or the records have too many fields: then the shard is too large, with
      // any number of bytes.
      guard counts.columns <= ShardHeader.columnLimit else { return Int.max }
      let suffixSize = suffixField.texts.reduce(0) { $0 + 1 + $1.count }
      let codeSize = stemCode.headerSize + (suffixField.texts.count > 1 ? suffixField.code.headerSize : 0)
      // The sizes of varints are known only with the frames, so this is an estimate.
      return parts.reduce(16 + fieldsHeader.count + suffixSize + codeSize) { sum, part in
        sum + 20 + part.bound.count + part.keys.plainSize + part.fields.plainSize
      }
    }
  }

  /// A finished shard.
  package struct File: Sendable {
    package var bytes: [UInt8]
    package var recordCount: Int
    /// The size of the content in bytes, uncompressed and unpacked.
    package var contentSize: Int
    package var headerSize: Int
    package var headerContentSize: Int
    package var headerChecksum: UInt32
    /// The greatest weight of each part; empty if the index has no ranks.
    package var weights: [UInt64] = []
  }

  /// The fewest bytes that a record adds to ``PlainShard/size``: the sizes of its key's shared and own bytes.
  package static let leastRecordSize = 2

  private let names: [String]
  private let partSize: Int
  private let rankField: RankField?

  /// - Parameters:
  ///   - names: Field names by the numbers that the records use.
  ///   - partSize: The approximate uncompressed size of a part in bytes, at least 1.
  package init(names: [String], partSize: Int = EncodingOptions.usualPartSize) {
    self.init(names: names, partSize: partSize, nil)
  }

  init(names: [String], partSize: Int, _ rankField: RankField?) {
    (self.names, self.partSize, self.rankField) = (names, partSize, rankField)
  }

  /// Encodes records without compression; ``file(_:level:with:known:)`` compresses them.
  package func encode(_ records: [RecordBlob]) -> PlainShard {
    precondition(!records.isEmpty, "a shard without records")
    let suffixField = SuffixField(records)
    guard let fields = FieldColumnsEncoder(records, suffixField, names: names) else {
      return PlainShard(
        recordCount: records.count, suffixField: suffixField, fieldsHeader: [], counts: .tooMany, parts: [])
    }
    let shared = SharedPrefixes(records, suffixField)
    let total = shared.size + fields.size
    let blocks = (records.count + KeyBlocks.blockSize - 1) / KeyBlocks.blockSize
    let parts = shared.parts(min(blocks, max(1, (total + partSize / 2) / partSize)))
    let keys = KeyBlocksEncoder(records, suffixField, shared: shared.ofStems, parts)
    var content = PlainShard(
      recordCount: records.count, suffixField: suffixField, stemCode: keys.code, fieldsHeader: fields.header,
      counts: fields.counts, parts: [])
    for part in parts {
      let first = part.lowerBound
      let (bound, isContinuation) = first == 0 ? ([], false) : Self.bound(records[first - 1], records[first])
      content.parts.append(
        PlainShard.PlainPart(
          firstRecord: first, bound: bound, isContinuation: isContinuation,
          greatestWeight: rankField?.greatest(of: records[part]), keys: keys.content(part, suffixField),
          fields: fields.content(part)))
    }
    return content
  }

  /// Returns the shortest text that is above one key and not above the next; the key itself if both are equal.
  package static func bound(_ before: RecordBlob, _ after: RecordBlob) -> (bytes: [UInt8], isContinuation: Bool) {
    let (a, b) = unsafe (before.folded, after.folded)
    let common = unsafe commonPrefix(a, b)
    return unsafe common == b.count ? (Array(b), true) : (Array(b[...common]), false)
  }

  /// Compresses a shard. Known frames are not compressed again.
  package func file(
    _ content: consuming PlainShard, level: Int, with compressor: Compressor, known: KnownFrames = KnownFrames()
  ) -> File {
    var header = ByteWriter()
    header.write(ShardHeader.magic)
    header.writeVarint(content.recordCount)
    header.writeVarint(content.parts.count)
    header.writeVarint(content.suffixField.texts.count)
    header.writeVarint(content.counts.columns)
    header.writeVarint(content.counts.shapes)
    header.writeVarint(content.counts.rowFormats)
    var body: [UInt8] = []
    for (index, part) in content.parts.enumerated() {
      let end = index + 1 < content.parts.count ? content.parts[index + 1].firstRecord : content.recordCount
      header.writeVarint(end - part.firstRecord)
      header.writeVarint(part.bound.count << 1 | (part.isContinuation ? 1 : 0))
      for frame in [part.keys, part.fields] {
        let compressed =
          known[frame.bytes]
          ?? ZstdFrame.compress(
            frame.bytes, cuts: frame.cuts, level: level, minMatch: frame.minMatch, codesLiterals: frame.codesLiterals,
            with: compressor)
        header.writeVarint(compressed.count)
        header.writeVarint(frame.bytes.count)
        header.write(ZstdFrame.checksum(ofFrame: compressed))
        body += compressed
      }
    }
    for part in content.parts { header.write(part.bound) }
    content.suffixField.write(to: &header)
    content.stemCode.writeLengths(to: &header)
    header.write(content.fieldsHeader)
    var file = File(
      bytes: [], recordCount: content.recordCount, contentSize: content.size, headerSize: 0,
      headerContentSize: header.bytes.count, headerChecksum: 0, weights: content.parts.compactMap(\.greatestWeight))
    content.fieldsHeader = []  // It may hold a large record.
    file.bytes = ZstdFrame.storedUnlessSaved(header.bytes, level: level, with: compressor)
    header.bytes = []
    file.headerSize = file.bytes.count
    file.headerChecksum = ZstdFrame.checksum(ofFrame: file.bytes)
    file.bytes += body
    return file
  }
}
