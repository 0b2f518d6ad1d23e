import ShardedIndex

/// The encoder of the manifest. ``Manifest`` is the decoder. Source: docs/format.md section 3.
///
/// The encoder writes a page as soon as it is full. Of the page's shards it then holds only the lower bound of the
/// first, until a node has that bound. This saves memory for bounds of 64 KiB.
package struct ManifestEncoder {
  /// One shard, as the manifest describes it.
  package struct ListedShard: Sendable {
    package var bound: [UInt8]
    package var records: Int
    package var file: Manifest.File
    /// The digest, at least 16 bytes.
    package var digest: [UInt8]
    /// The label, 8 bytes.
    package var label: [UInt8]
    /// The greatest weight of each part; empty if the index has no ranks.
    var weights: [UInt64] = []
    /// The columns of the numbers of the parts; empty if the index has none.
    var numbers: [[UInt64]] = []
    /// The shard's share of its page's side file; nil if the index has no sides.
    package var sides: ShardSides?

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
  /// The frames of the previous generation.
  var knownFrames = KnownFrames()
  package private(set) var shardCount = 0
  package private(set) var recordCount = 0
  /// The size of all shards' files, in bytes.
  package private(set) var shardBytes = 0
  /// The ranks; nil if the index has none.
  var ranks: MaximaEncoder?
  /// The numbers; nil if the index has none.
  var numbers: MaximaEncoder?
  /// The sides; nil if the index has none.
  package var sides: SidesEncoder?
  /// The content of the frame of the entries; nil if there are none.
  var entries: EntriesHead?

  /// The shards of the current page, which is not full.
  private var page: [ListedShard] = []
  /// The pages, the nodes of level 1, and so on that no node lists yet; the last list is for the root.
  private var lists = [ChildList()]

  package init(level: Int) { self.init(level: level, CompressorPool()) }

  init(level: Int, _ compressors: CompressorPool) { (self.level, self.compressors) = (level, compressors) }

  package mutating func add(_ shard: ListedShard) {
    page.append(shard)
    shardCount += 1
    recordCount += shard.records
    shardBytes += shard.file.size
    ranks?.add([shard.weights])
    numbers?.add(shard.numbers)
    if let sides = shard.sides { self.sides?.add(sides) }
    if page.count == Manifest.pageCapacity { finishPage() }
  }

  /// Ends the last page. The side files of an index with sides are made between this and ``file(shardLimit:partSize:fieldNames:settings:notes:densityGrid:threads:)``.
  package mutating func finishPage() {
    guard let first = page.first else { return }
    let content = Self.page(page)
    // Every opening reads the root, a node and a page, which are a thousandth of an index.
    let frame = quickFrame(content)
    list(
      ChildList.Child(
        bound: first.bound, isContinuation: first.file.isContinuation, records: page.reduce(0) { $0 + $1.records },
        frame: frame, contentSize: content.count),
      ofLevel: 0)
    page.removeAll(keepingCapacity: true)
    ranks?.finishPage()
    numbers?.finishPage()
    sides?.finishPage()
  }

  /// Lists a page or a node. If a node would have too many children, the earlier ones become a node.
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

  /// Returns the error of a root that is too large: the root has every field's name, and at most 64 bounds of 64 KiB
  /// each.
  private func tooLarge(fieldCount: Int, size: Int) -> BuildError {
    .dataset(
      .bad,
      message: """
        the names of \(fieldCount) fields and the first keys take \(size >> 10) KiB, more than an index can hold; keep \
        fewer fields
        """)
  }

  /// The error of ranks that no reader would accept.
  /// Refuses a file that no reader opens.
  package static func checkSize(of file: [UInt8], hasStarts: Bool) throws(BuildError) {
    guard file.count > Manifest.sizeLimit else { return }
    let starts: BuildMessage = hasStarts ? ", or build without \(.starts)" : ""
    throw .dataset(
      .options,
      message: """
        the manifest would have \(grouped(file.count)) bytes, more than the \(grouped(Manifest.sizeLimit)) that \
        readers open; make shards larger with \(.shardLimit)\(starts)
        """)
  }

  private static var tooManyParts: BuildError {
    .dataset(
      .options, message: "the shards have too many parts for ranks or numbers; make parts larger, or shards smaller")
  }

  /// Returns the content of a page: the heads, first records, ends of bounds, files, digests, labels and bounds of its
  /// shards.
  private static func page(_ shards: [ListedShard]) -> [UInt8] {
    var writer = ByteWriter()
    for shard in shards { writer.write(KeyBlocks.head(ofBound: shard.bound)) }
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

  /// Returns the manifest file: the frames of the root, the nodes and pages, the notes, the density grid, the ranks,
  /// the sides, the entries and the starts. Ends the encoder.
  ///
  /// - Parameter threads: The number of threads that compress the notes, the grid and the ranks.
  /// - Parameter starts: Makes the starts from the manifest without starts; nil for none.
  /// - Throws: ``BuildError/dataset(_:message:)`` if no reader would accept the manifest.
  package mutating func file(
    shardLimit: Int, partSize: Int = EncodingOptions.usualPartSize, fieldNames: [String],
    settings: [(String, String)], notes: BuildNotes? = nil, densityGrid: DensityBands? = nil, threads: Int = 1,
    starts makeStarts: (([UInt8]) throws(BuildError) -> WrittenStarts)? = nil
  ) throws(BuildError) -> [UInt8] {
    for (name, value) in settings where value.utf8.count > Manifest.settingLimit {
      throw .dataset(
        .bad, message: "the \(name) has \(value.utf8.count) bytes, over \(Manifest.settingLimit); make it shorter")
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
    var sections: [Section] = [
      (.heads, top.heads.bytes), (.firstRecords, top.firstRecordsAndEnd), (.boundEnds, top.boundEnds.bytes),
      (.bounds, top.bounds.bytes), (.children, top.entries.bytes), (.fieldNames, Self.texts(fieldNames)),
      (.settings, Self.texts(settings.flatMap { [$0.0, $0.1] })),
    ]
    if let notes {
      let chain = chain(notes.groups, threads: threads) { notes.head(checksums: $0.map(ZstdFrame.checksum(ofFrame:))) }
      sections.append((.notes, chain.entry))
      frames += chain.frames
    }
    if let densityGrid, !densityGrid.bands.isEmpty {
      let chain = chain(densityGrid.bands.map(\.content), threads: threads) {
        densityGrid.head(checksums: $0.map(ZstdFrame.checksum(ofFrame:)))
      }
      sections.append((.densityGrid, chain.entry))
      frames += chain.frames
    }
    if let ranks {
      guard ranks.largestPage <= Manifest.contentLimit else { throw Self.tooManyParts }
      let chain = chain(ranks.pages, threads: threads) { ranks.head($0) }
      sections.append((.ranks, chain.entry))
      frames += chain.frames
    }
    if let sides {
      precondition(sides.isSettled, "a page without its side file")
      let chain = chain(sides.groups, threads: threads) { sides.head($0) }
      sections.append((.sides, chain.entry))
      frames += chain.frames
    }
    if let entries {
      let chain = chain([], threads: 1) { _ in entries.content }
      sections.append((.entries, chain.entry))
      frames += chain.frames
    }
    let lastFrames = try addNumbers(to: &sections, threads: threads)
    func rootFrame() throws(BuildError) -> [UInt8] {
      let root = root(sections, shardLimit: shardLimit, partSize: partSize, fieldCount: fieldNames.count)
      guard fieldNames.count <= Manifest.fieldLimit, root.count <= Manifest.contentLimit else {
        throw tooLarge(fieldCount: fieldNames.count, size: root.count)
      }
      return quickFrame(root)
    }
    if let makeStarts {
      let file = try rootFrame() + frames + lastFrames
      try Self.checkSize(of: file, hasStarts: true)
      let starts = try makeStarts(file)
      let chain = chain(starts)
      sections.append((.starts, chain.entry))
      frames += chain.frames
    }
    return try rootFrame() + frames + lastFrames
  }

  /// Adds the section of the numbers, and returns their frames, which follow those of the starts; no frames if the index
  /// has no numbers.
  private func addNumbers(to sections: inout [Section], threads: Int) throws(BuildError) -> [UInt8] {
    guard let numbers else { return [] }
    guard numbers.largestPage <= Manifest.contentLimit else { throw Self.tooManyParts }
    let chain = chain(numbers.pages, threads: threads) { numbers.head($0) }
    sections.append((.numbers, chain.entry))
    return chain.frames
  }

  /// Returns the frames of the starts, and the root's entry for them.
  private func chain(_ starts: WrittenStarts) -> (frames: [UInt8], entry: [UInt8]) {
    let head = starts.head.content
    let first = quickFrame(head)
    var entry = ByteWriter()
    entry.write(UInt32(starts.files.reduce(first.count) { $0 + $1.count }))
    entry.write(UInt32(head.count))
    entry.write(ZstdFrame.checksum(ofFrame: first))
    return (starts.files.reduce(into: first) { $0 += $1 }, entry.bytes)
  }

  private typealias Section = (number: Manifest.Section, bytes: [UInt8])

  private static func texts(_ texts: [String]) -> [UInt8] {
    var writer = ByteWriter()
    for text in texts {
      writer.writeVarint(text.utf8.count)
      writer.write(text)
    }
    return writer.bytes
  }

  /// Returns the frames of some contents after a first frame that describes them, and the root's entry for them.
  ///
  /// - Parameter head: Returns the content of the first frame from the other frames.
  private func chain(
    _ contents: [[UInt8]], threads: Int, head: ([[UInt8]]) -> [UInt8]
  ) -> (frames: [UInt8], entry: [UInt8]) {
    // If there are known frames, few frames are new.
    let others = WorkerPool.map(contents.count, threads: knownFrames.isEmpty ? threads : 1) {
      [level, knownFrames, compressors] number in
      knownFrames[contents[number]]
        ?? compressors.with { ZstdFrame.compress(contents[number], level: level, with: $0) }
    }
    let head = head(others)
    let first = quickFrame(head)  // Mostly checksums: its reader needs no zstd.
    var entry = ByteWriter()
    entry.write(UInt32(others.reduce(first.count) { $0 + $1.count }))
    entry.write(UInt32(head.count))
    entry.write(ZstdFrame.checksum(ofFrame: first))
    return (others.reduce(into: first) { $0 += $1 }, entry.bytes)
  }

  /// Returns the content of the root.
  private func root(_ sections: [Section], shardLimit: Int, partSize: Int, fieldCount: Int) -> [UInt8] {
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
    root.write(UInt32(fieldCount))
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
    return root.bytes
  }
}

extension KeyBlocks {
  /// Returns the head of a lower bound, for pages and nodes.
  fileprivate static func head(ofBound bound: [UInt8]) -> UInt64 {
    unsafe bound.withUnsafeBufferPointer { unsafe head(of: $0) }
  }
}

/// The children that a node or the root lists, and the frames of these children. Source: docs/format.md section 3.2,
/// section 3.10.
private struct ChildList {
  struct Child {
    let bound: [UInt8]
    let isContinuation: Bool
    let records: Int
    let frame: [UInt8]
    let contentSize: Int
    /// The frames below a node, and the sizes of their contents in bytes.
    var below: [UInt8] = []
    var totalSize = 0
  }

  private(set) var count = 0
  private(set) var records = 0
  /// The size of the contents of all children and of the frames below them, in bytes.
  private(set) var totalSize = 0
  private(set) var firstBound: [UInt8] = []
  private(set) var isContinuation = false
  var frames: [UInt8] = []
  private(set) var heads = ByteWriter()
  private var firstRecords = ByteWriter()
  private(set) var boundEnds = ByteWriter()
  private(set) var bounds = ByteWriter()
  private(set) var entries = ByteWriter()

  /// - Parameter level: The level of the child.
  mutating func add(_ child: Child, ofLevel level: Int) {
    if count == 0 { (firstBound, isContinuation) = (child.bound, child.isContinuation) }
    heads.write(KeyBlocks.head(ofBound: child.bound))
    firstRecords.write(UInt64(records))
    bounds.write(child.bound)
    boundEnds.write(UInt32(bounds.bytes.count))
    frames += child.frame
    frames += child.below
    entries.write(UInt64(frames.count))
    entries.write(UInt32(child.contentSize))
    entries.write(ZstdFrame.checksum(ofFrame: child.frame))
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

  /// Returns the content of a node.
  func node() -> [UInt8] { heads.bytes + firstRecordsAndEnd + boundEnds.bytes + entries.bytes + bounds.bytes }
}

extension ManifestEncoder.ListedShard {
  /// Makes the entry of a shard from its entry in another manifest.
  package init(_ shard: Manifest.Shard) {
    unsafe self.init(
      bound: Array(shard.bound), records: shard.recordCount, file: shard.file, digest: Array(shard.digest),
      label: Array(shard.label))
  }
}
