import ShardedIndex

/// Writes what ``Manifest`` reads, a page as soon as it is full: of its shards the lower bound of the first is all that
/// stays, until a node has it, which counts where bounds have 64 KiB. Source: docs/format.md §3.
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
  private let compressors: CompressorPool
  /// Those of the generation before.
  var knownFrames = KnownFrames()
  /// Of all shards.
  package private(set) var shardCount = 0
  package private(set) var recordCount = 0
  /// Of their files, in bytes.
  package private(set) var shardBytes = 0

  /// Shards of the page that is not full.
  private var page: [Shard] = []
  /// Pages, then nodes of level 1, and so on, that no node lists yet; the last for the root.
  private var lists = [ChildList()]

  package init(level: Int) { self.init(level: level, CompressorPool()) }

  init(level: Int, _ compressors: CompressorPool) { (self.level, self.compressors) = (level, compressors) }

  package mutating func add(_ shard: Shard) {
    page.append(shard)
    shardCount += 1
    recordCount += shard.records
    shardBytes += shard.file.size
    if page.count == Manifest.pageCapacity { finishPage() }
  }

  private mutating func finishPage() {
    guard let first = page.first else { return }
    let content = Self.page(page)
    // Root, node and page are read by every start, and are a thousandth of an index.
    let frame = quickFrame(content)
    list(
      ChildList.Child(
        bound: first.bound, isContinuation: first.file.isContinuation, records: page.reduce(0) { $0 + $1.records },
        frame: frame, contentSize: content.count),
      ofLevel: 0)
    page.removeAll(keepingCapacity: true)
  }

  /// Notes a page or a node; those before it become a node when it is one more than that may have.
  private mutating func list(_ child: ChildList.Child, ofLevel level: Int) {
    if lists[level].count == Manifest.pageCapacity { finishNode(ofLevel: level + 1) }
    lists[level].add(child, ofLevel: level)
  }

  private mutating func finishNode(ofLevel level: Int) {
    let children = lists[level - 1]
    lists[level - 1] = ChildList()
    let content = children.node()
    let frame = quickFrame(content)
    if lists.count == level { lists.append(ChildList()) }
    list(
      ChildList.Child(
        bound: children.firstBound, isContinuation: children.isContinuation, records: children.records, frame: frame,
        contentSize: content.count, below: children.frames, totalSize: children.totalSize),
      ofLevel: level)
  }

  private func quickFrame(_ content: [UInt8]) -> [UInt8] {
    knownFrames[content] ?? compressors.with { ZstdFrame.quick(content, with: $0) }
  }

  /// Every name of a field is in the root, whose bounds, like a page's or a node's, are 64 at most, of 64 KiB each.
  private func tooLarge(fieldCount: Int, size: Int) -> BuildError {
    .dataset(
      .bad,
      message:
        "the names of \(fieldCount) fields and the first keys take \(size >> 10) KiB, over what an index can hold;"
        + " keep fewer fields")
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

  /// The manifest file: the root's frame, those of nodes and pages, those of the notes and of the map. Ends the encoder.
  ///
  /// - Parameter threads: What the notes and the map are compressed on.
  /// - Throws: ``BuildError/dataset(_:message:)`` if no reader would accept it.
  package mutating func file(
    shardLimit: Int, partSize: Int = ShardEncoder.usualPartSize, fieldNames: [String],
    settings: [(String, String)], notes: BuildNotes? = nil, dots: DensityBands? = nil, threads: Int = 1
  ) throws(BuildError) -> [UInt8] {
    for (name, value) in settings where value.utf8.count > Manifest.settingLimit {
      throw .dataset(
        .bad, message: "the \(name) has \(value.utf8.count) bytes; the most is \(Manifest.settingLimit)")
    }
    finishPage()
    var height = 0
    while height + 1 < lists.count {
      height += 1
      finishNode(ofLevel: height)
    }
    var top = lists.removeLast()
    var frames: [UInt8] = []
    swap(&frames, &top.frames)
    var sections: [(number: ManifestRoot.Section, bytes: [UInt8])] = [
      (.heads, top.heads.bytes), (.firstRecords, top.firstRecordsAndEnd), (.boundEnds, top.boundEnds.bytes),
      (.bounds, top.bounds.bytes), (.children, top.entries.bytes),
    ]
    func text(_ text: String, _ writer: inout ByteWriter) {
      writer.writeVarint(text.utf8.count)
      writer.write(text)
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
    /// A first frame that has the checksums of those behind it.
    func chain(_ section: ManifestRoot.Section, _ contents: [[UInt8]], head: ([UInt32]) -> [UInt8]) {
      func checksum(_ frame: [UInt8]) -> UInt32 { frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! } }
      // Of those that are not known there are few.
      let others = WorkerPool.map(contents.count, threads: knownFrames.isEmpty ? threads : 1) {
        [level, knownFrames, compressors] number in
        knownFrames[contents[number]]
          ?? compressors.with { ZstdFrame.compress(contents[number], level: level, with: $0) }
      }
      let head = head(others.map(checksum))
      let first = quickFrame(head)  // Of checksums most: who reads no more of it needs no zstd.
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
    root.write(UInt16(height == 0 ? Manifest.version : Manifest.versionWithNodes))
    root.write(UInt16(0))
    root.write(Fold.version)
    root.write(UInt32(sections.count))
    root.write(Fold.tableHash)
    root.write(UInt64(recordCount))
    root.write(UInt32(shardCount))
    root.write(UInt32(shardLimit))
    root.write(UInt32(fieldNames.count))
    root.write(UInt32(partSize))
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

/// What a node, or the root, says of pages or nodes, its children, and their frames. Source: docs/format.md §3.2, §3.10.
private struct ChildList {
  struct Child {
    let bound: [UInt8]
    let isContinuation: Bool
    let records: Int
    let frame: [UInt8]
    let contentSize: Int
    /// Of a node: the frames of what is below it, and the size of their contents in bytes.
    var below: [UInt8] = []
    var totalSize = 0
  }

  private(set) var count = 0
  private(set) var records = 0
  /// Content of all that is listed and of what is below, in bytes.
  private(set) var totalSize = 0
  private(set) var firstBound: [UInt8] = []
  private(set) var isContinuation = false
  var frames: [UInt8] = []
  private(set) var heads = ByteWriter()
  private var firstRecords = ByteWriter()
  private(set) var boundEnds = ByteWriter()
  private(set) var bounds = ByteWriter()
  private(set) var entries = ByteWriter()

  /// - Parameter level: Of the child.
  mutating func add(_ child: Child, ofLevel level: Int) {
    if count == 0 { (firstBound, isContinuation) = (child.bound, child.isContinuation) }
    child.bound.withUnsafeBufferPointer { heads.write(KeyBlocks.head(of: $0)) }
    firstRecords.write(UInt64(records))
    bounds.write(child.bound)
    boundEnds.write(UInt32(bounds.bytes.count))
    frames += child.frame
    frames += child.below
    entries.write(UInt64(frames.count))
    entries.write(UInt32(child.contentSize))
    entries.write(child.frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! })
    entries.write(child.isContinuation ? UInt32(1) : 0)
    if level > 0 {
      entries.write(UInt32(child.frame.count))
      entries.write(UInt64(child.contentSize + child.totalSize))
    }
    count += 1
    records += child.records
    totalSize += child.contentSize + child.totalSize
  }

  var firstRecordsAndEnd: [UInt8] {
    var writer = firstRecords
    writer.write(UInt64(records))
    return writer.bytes
  }

  /// The content of a node.
  func node() -> [UInt8] { heads.bytes + firstRecordsAndEnd + boundEnds.bytes + entries.bytes + bounds.bytes }
}
