import ShardedIndex

/// Writes what ``Manifest`` reads, a page as soon as it is full: of its shards the lower bound of the first is all that
/// stays, which counts where bounds have 64 KiB. Source: docs/format.md §3.
package struct ManifestEncoder {
  /// One shard as the manifest describes it.
  package struct Shard: Sendable {
    package var bound: [UInt8]
    package var records: Int
    package var file: Manifest.File
    /// At least 16 bytes.
    package var digest: [UInt8]
    /// 8 bytes.
    package var label: [UInt8]

    package init(bound: [UInt8], records: Int, file: Manifest.File, digest: [UInt8], label: [UInt8]) {
      self.bound = bound
      self.records = records
      self.file = file
      self.digest = digest
      self.label = label
    }
  }

  private let level: Int
  private let compressor = Compressor()
  /// Those of the generation before.
  var knownFrames = KnownFrames()
  /// Of all shards.
  package private(set) var shardCount = 0
  package private(set) var recordCount = 0
  /// Of their files, in bytes.
  package private(set) var shardBytes = 0

  /// Shards of the page that is not full.
  private var page: [Shard] = []
  /// Of all pages: their frames, and what the root says of them.
  private var frames: [UInt8] = []
  private var heads = ByteWriter()
  private var firstRecords = ByteWriter()
  private var boundEnds = ByteWriter()
  private var bounds = ByteWriter()
  private var pages = ByteWriter()
  private var pagedRecords = 0

  package init(level: Int) { self.level = level }

  /// - Throws: ``BuildError/dataset(_:message:)`` when no root can hold the bounds any more.
  package mutating func add(_ shard: Shard) throws(BuildError) {
    page.append(shard)
    shardCount += 1
    recordCount += shard.records
    shardBytes += shard.file.size
    if page.count == Manifest.pageCapacity { try finishPage() }
  }

  private mutating func finishPage() throws(BuildError) {
    guard let first = page.first else { return }
    let content = Self.page(page)
    // Root and page are read by every start, and are a thousandth of an index.
    let frame = quickFrame(content)
    frames += frame
    first.bound.withUnsafeBufferPointer { heads.write(KeyBlocks.head(of: $0)) }
    firstRecords.write(UInt64(pagedRecords))
    bounds.write(first.bound)
    guard bounds.bytes.count <= Manifest.contentLimit else { throw tooLarge(fieldCount: 0, size: bounds.bytes.count) }
    boundEnds.write(UInt32(bounds.bytes.count))
    pages.write(UInt64(frames.count))
    pages.write(UInt32(content.count))
    pages.write(frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! })
    pages.write(first.file.isContinuation ? UInt32(1) : 0)
    pagedRecords = recordCount
    page.removeAll(keepingCapacity: true)
  }

  private func quickFrame(_ content: [UInt8]) -> [UInt8] {
    knownFrames[content] ?? ZstdFrame.quick(content, with: compressor)
  }

  private func frame(_ content: [UInt8], level: Int) -> [UInt8] {
    knownFrames[content] ?? ZstdFrame.compress(content, level: level, with: compressor)
  }

  /// Every name of a field is in the root, and a lower bound a page. A page has 64 keys at most, of 64 KiB each.
  private func tooLarge(fieldCount: Int, size: Int) -> BuildError {
    .dataset(
      .bad,
      message: "the names of \(fieldCount) fields and the bounds of \(shardCount) shards take \(size >> 10) KiB, over"
        + " what an index can hold; keep fewer fields, or make shards larger")
  }

  /// The content of a page: its shards' heads, first records, ends of bounds, files, digests, labels and bounds.
  private static func page(_ shards: [Shard]) -> [UInt8] {
    var writer = ByteWriter()
    for shard in shards { shard.bound.withUnsafeBufferPointer { writer.write(KeyBlocks.head(of: $0)) } }
    var records: UInt64 = 0
    for shard in shards {
      writer.write(records)
      records += UInt64(shard.records)
    }
    writer.write(records)
    var end = 0
    for shard in shards {
      end += shard.bound.count
      writer.write(UInt32(end))
    }
    for file in shards.map(\.file) {
      writer.write(UInt32(file.size))
      writer.write(UInt32(file.headerSize))
      writer.write(UInt32(file.headerContentSize))
      writer.write(file.headerChecksum)
      writer.write(file.isContinuation ? UInt32(1) : 0)
    }
    for shard in shards { writer.write(shard.digest.prefix(16)) }
    for shard in shards { writer.write(shard.label) }
    for shard in shards { writer.write(shard.bound) }
    return writer.bytes
  }

  /// The manifest file: the root's frame, a frame per page, the frames of the notes and of the map. Ends the encoder.
  ///
  /// - Parameter threads: What the notes and the map are compressed on.
  /// - Throws: ``BuildError/dataset(_:message:)`` if no reader would accept it.
  package mutating func file(
    shardLimit: Int, partSize: Int = ShardEncoder.usualPartSize, fieldNames: [String],
    settings: [(String, String)], notes: BuildNotes? = nil, dots: DotBands? = nil, threads: Int = 1
  ) throws(BuildError) -> [UInt8] {
    for (name, value) in settings where value.utf8.count > Manifest.settingLimit {
      throw .dataset(
        .bad, message: "the \(name) has \(value.utf8.count) bytes; the most is \(Manifest.settingLimit)")
    }
    try finishPage()
    firstRecords.write(UInt64(recordCount))
    var sections: [(number: ManifestRoot.Section, bytes: [UInt8])] = [
      (.heads, heads.bytes), (.firstRecords, firstRecords.bytes), (.boundEnds, boundEnds.bytes),
      (.bounds, bounds.bytes), (.pages, pages.bytes),
    ]
    func text(_ text: String, _ writer: inout ByteWriter) {
      writer.writeVarint(text.utf8.count)
      writer.write(text.utf8)
    }
    var names = ByteWriter()
    for name in fieldNames { text(name, &names) }
    sections.append((.fieldNames, names.bytes))
    var pairs = ByteWriter()
    for (name, value) in settings {
      text(name, &pairs)
      text(value, &pairs)
    }
    sections.append((.settings, pairs.bytes))
    let compressors = CompressorPool()
    /// A first frame that has the checksums of those behind it.
    func chain(_ section: ManifestRoot.Section, _ contents: [[UInt8]], head: ([UInt32]) -> [UInt8]) {
      func checksum(_ frame: [UInt8]) -> UInt32 { frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! } }
      // Of those that are not known there are few.
      let others = WorkerPool.map(contents.count, threads: knownFrames.isEmpty ? threads : 1) {
        [level, knownFrames] number in
        if let known = knownFrames[contents[number]] { return known }
        let compressor = compressors.take()
        defer { compressors.put(compressor) }
        return ZstdFrame.compress(contents[number], level: level, with: compressor)
      }
      let head = head(others.map(checksum))
      let first = frame(head, level: level)
      frames += first
      for other in others { frames += other }
      var entry = ByteWriter()
      entry.write(UInt32(others.reduce(first.count) { $0 + $1.count }))
      entry.write(UInt32(head.count))
      entry.write(checksum(first))
      sections.append((section, entry.bytes))
    }
    if let notes { chain(.notes, notes.groups) { notes.head(checksums: $0) } }
    if let dots, !dots.bands.isEmpty { chain(.dots, dots.bands.map(\.content)) { dots.head(checksums: $0) } }
    var root = ByteWriter()
    root.write(Manifest.magic)
    root.write(UInt16(Manifest.version))
    root.write(UInt16(0))
    root.write(Fold.version)
    root.write(UInt32(sections.count))
    root.write(Fold.tableHash)
    root.write(UInt64(recordCount))
    root.write(UInt32(shardCount))
    root.write(UInt32(shardLimit))
    root.write(UInt32(fieldNames.count))
    root.write(UInt32(partSize == ShardEncoder.usualPartSize ? 0 : partSize))
    var offset = Manifest.headerSize + 24 * sections.count
    for section in sections {
      root.write(section.number.rawValue)
      root.write(UInt32(0))
      root.write(UInt64(offset))
      root.write(UInt64(section.bytes.count))
      offset += section.bytes.count
    }
    for section in sections { root.write(section.bytes) }
    guard fieldNames.count <= ManifestRoot.fieldLimit, root.bytes.count <= Manifest.contentLimit else {
      throw tooLarge(fieldCount: fieldNames.count, size: root.bytes.count)
    }
    return quickFrame(root.bytes) + frames
  }
}
