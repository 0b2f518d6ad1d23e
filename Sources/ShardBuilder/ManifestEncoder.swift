import ShardedIndex

/// Writes what ``Manifest`` reads. Source: docs/format.md §3.
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

  package init(level: Int) { self.level = level }

  /// The content of a page: its shards' heads, first records, ends of bounds, files, digests, labels and bounds.
  package static func page(_ shards: ArraySlice<Shard>) -> [UInt8] {
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

  /// The manifest file: the root's frame, a frame per page, the frames of the notes and of the map.
  ///
  /// - Throws: ``BuildError/dataset(_:message:)`` if no reader would accept it.
  package func file(
    shards: [Shard], shardLimit: Int, partSize: Int = ShardEncoder.usualPartSize, fieldNames: [String],
    settings: [(String, String)], notes: BuildNotes? = nil, dots: DotMap? = nil
  ) throws(BuildError) -> [UInt8] {
    for (name, value) in settings where value.utf8.count > Manifest.settingLimit {
      throw .dataset(
        .bad, message: "the \(name) has \(value.utf8.count) bytes; the most is \(Manifest.settingLimit)")
    }
    var frames: [UInt8] = []
    let written = ManifestRoot.Section.allCases.filter { section in
      switch section {
      case .notes: notes != nil
      case .dots: dots != nil
      default: true
      }
    }
    var sections: [ByteWriter] = written.map { _ in ByteWriter() }
    func write(_ section: ManifestRoot.Section, _ body: (inout ByteWriter) -> Void) {
      body(&sections[written.firstIndex(of: section)!])
    }
    var records = 0
    var boundEnd = 0
    for start in stride(from: 0, to: shards.count, by: Manifest.pageCapacity) {
      let page = shards[start..<min(start + Manifest.pageCapacity, shards.count)]
      let content = Self.page(page)
      let frame = ZstdFrame.compress(content, level: level, with: compressor)
      frames += frame
      write(.heads) { writer in
        shards[start].bound.withUnsafeBufferPointer { writer.write(KeyBlocks.head(of: $0)) }
      }
      write(.firstRecords) { $0.write(UInt64(records)) }
      records += page.reduce(0) { $0 + $1.records }
      boundEnd += shards[start].bound.count
      write(.boundEnds) { $0.write(UInt32(boundEnd)) }
      write(.bounds) { $0.write(shards[start].bound) }
      write(.pages) {
        $0.write(UInt64(frames.count))
        $0.write(UInt32(content.count))
        $0.write(frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! })
        $0.write(shards[start].file.isContinuation ? UInt32(1) : 0)
      }
    }
    write(.firstRecords) { $0.write(UInt64(records)) }
    /// A first frame that has the checksums of those behind it.
    func chain(_ section: ManifestRoot.Section, _ contents: [[UInt8]], head: ([UInt32]) -> [UInt8]) {
      func checksum(_ frame: [UInt8]) -> UInt32 { frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! } }
      let others = contents.map { ZstdFrame.compress($0, level: level, with: compressor) }
      let head = head(others.map(checksum))
      let first = ZstdFrame.compress(head, level: level, with: compressor)
      frames += first + others.joined()
      write(section) {
        $0.write(UInt32(others.reduce(first.count) { $0 + $1.count }))
        $0.write(UInt32(head.count))
        $0.write(checksum(first))
      }
    }
    if let notes { chain(.notes, notes.groups) { notes.head(checksums: $0) } }
    if let dots { chain(.dots, dots.bands) { dots.head(checksums: $0) } }
    func text(_ text: String, _ writer: inout ByteWriter) {
      writer.writeVarint(text.utf8.count)
      writer.write(text.utf8)
    }
    write(.fieldNames) { writer in for name in fieldNames { text(name, &writer) } }
    write(.settings) { writer in
      for (name, value) in settings {
        text(name, &writer)
        text(value, &writer)
      }
    }
    var root = ByteWriter()
    root.write(Manifest.magic)
    root.write(UInt16(Manifest.version))
    root.write(UInt16(0))
    root.write(Fold.version)
    root.write(UInt32(sections.count))
    root.write(Fold.tableHash)
    root.write(UInt64(records))
    root.write(UInt32(shards.count))
    root.write(UInt32(shardLimit))
    root.write(UInt32(fieldNames.count))
    root.write(UInt32(partSize == ShardEncoder.usualPartSize ? 0 : partSize))
    var offset = Manifest.headerSize + 24 * sections.count
    for (section, writer) in zip(written, sections) {
      root.write(section.rawValue)
      root.write(UInt32(0))
      root.write(UInt64(offset))
      root.write(UInt64(writer.bytes.count))
      offset += writer.bytes.count
    }
    for writer in sections { root.write(writer.bytes) }
    // Every name of a field is in the root, and a lower bound a page. A page has 64 keys at most, of 64 KiB each.
    guard fieldNames.count <= ManifestRoot.fieldLimit, root.bytes.count <= Manifest.contentLimit else {
      throw .dataset(
        .bad,
        message: "the names of \(fieldNames.count) fields and the bounds of \(shards.count) shards take"
          + " \(root.bytes.count >> 10) KiB, over what an index can hold; keep fewer fields, or make shards larger")
    }
    return ZstdFrame.compress(root.bytes, level: level, with: compressor) + frames
  }
}
