import CSystem
import Synchronization

/// The sorted list of an index's shards, searched in the bytes it is stored in. Source: docs/format.md §3.
///
/// Its file is a root frame and a frame per page of shards; where the root would have more than 64 pages to list, nodes
/// stand between, a tree with as many children to each (``ManifestTree``). Opening an index reads the root; a page or a
/// node is read when a query comes upon it, from the file that was opened. So an open index stands for one generation.
///
/// Where all pages and nodes together are no larger than is kept, each is kept once it was read, and found without a
/// lock. Where they are larger, queries keep those that they used last, under a lock.
package final class Manifest: @unchecked Sendable {
  package static let magic: UInt32 = 0x314d_5153  // "SQM1"
  package static let version = 1
  /// Of a manifest whose root lists nodes.
  package static let versionWithNodes = 2
  package static let headerSize = 48
  package static let fileName = "manifest"
  /// Shards of a page, and children of a node; the last ones may have fewer.
  package static let pageCapacity = 64
  /// No frame of a manifest has more content, in bytes.
  package static let contentLimit = ZstdFrame.contentLimit
  /// A pinned manifest is held in memory whole; one of more bytes (some 400 million records) is refused.
  package static let pinnedSizeLimit = 1 << 24
  /// No shard's file is larger, in bytes: who reads one whole, as verification does, needs no more memory for it.
  package static let fileLimit = 1 << 26
  /// No setting has a longer value, in bytes.
  package static let settingLimit = 16384

  /// A shard file and its first frame, the header. Sizes in bytes.
  package struct File: Equatable, Sendable {
    package var size: Int
    package var headerSize: Int
    package var headerContentSize: Int
    /// The frame's own checksum of its content. The header holds those of all other frames.
    package var headerChecksum: UInt32
    /// Whether the shard before ends in keys equal to this one's lower bound.
    package var isContinuation: Bool

    package init(size: Int, headerSize: Int, headerContentSize: Int, headerChecksum: UInt32, isContinuation: Bool) {
      self.size = size
      self.headerSize = headerSize
      self.headerContentSize = headerContentSize
      self.headerChecksum = headerChecksum
      self.isContinuation = isContinuation
    }

    package static let width = 20
  }

  /// Which shard it is, and which records it holds: what a search finds.
  package struct Place: Sendable {
    /// By its place in the manifest.
    package let number: Int
    /// Records in all shards before it.
    package let firstRecord: Int
    package let recordCount: Int

    init(number: Int, firstRecord: Int, recordCount: Int) {
      (self.number, self.firstRecord, self.recordCount) = (number, firstRecord, recordCount)
    }

    @inline(__always)
    fileprivate init(_ index: Int, of page: ManifestPage, number pageNumber: Int, firstRecord: Int) {
      number = pageNumber &* Manifest.pageCapacity &+ index
      let first = page.firstRecord(index)
      self.firstRecord = firstRecord &+ first
      recordCount = page.firstRecord(index &+ 1) &- first
    }
  }

  /// What it takes to read a shard's file: a copy.
  package struct Source: Sendable {
    package let file: File
    package let recordCount: Int
    // As they lie in memory.
    private let digest: (UInt64, UInt64)
    private let label: UInt64

    fileprivate init(_ index: Int, of page: ManifestPage) {
      file = page.file(index)
      recordCount = page.firstRecord(index + 1) - page.firstRecord(index)
      let bytes = UnsafeRawPointer(page.digest(index).baseAddress!)
      digest = (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      label = UnsafeRawPointer(page.label(index).baseAddress!).loadUnaligned(as: UInt64.self)
    }

    /// Whether the other is of the same bytes.
    fileprivate func isSame(as other: Source) -> Bool {
      var (file, otherFile) = (self.file, other.file)
      // That is of its neighbours, not of its bytes.
      (file.isContinuation, otherFile.isContinuation) = (false, false)
      return recordCount == other.recordCount && file == otherFile && digest == other.digest
    }

    /// Calls `body` with the bytes of the digest.
    func withDigest<Result, Failure: Error>(
      _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      try withUnsafeBytes(of: digest) { (digest) throws(Failure) in
        try body(digest.assumingMemoryBound(to: UInt8.self))
      }
    }

    /// Calls `body` with the name of the file that holds the shard, without making a `String` of it.
    package func withFileName<Result, Failure: Error>(
      _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      // 24 bytes of label, a hyphen, 16 digits, `.zst` and the zero fit.
      var name: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
      return try withUnsafeMutableBytes(of: &name) { (bytes) throws(Failure) in
        let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
        withDigest { digest in
          withUnsafeBytes(of: label) { label in
            _ = Manifest.writeFileName(label: label.assumingMemoryBound(to: UInt8.self), digest: digest, to: start)
          }
        }
        return try body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
      }
    }
  }

  /// One shard as the manifest describes it, where it stands there; valid as long as the manifest is, which keeps the
  /// page for it. Not for queries, which take a ``Place`` and a ``Source``.
  package struct Shard: @unchecked Sendable {
    package let place: Place
    fileprivate let page: ManifestPage
    private let index: Int

    fileprivate init(_ index: Int, of page: ManifestPage, number: Int, firstRecord: Int) {
      place = Place(index, of: page, number: number, firstRecord: firstRecord)
      self.page = page
      self.index = index
    }

    /// By its place in the manifest.
    package var number: Int { place.number }
    /// Records in all shards before it.
    package var firstRecord: Int { place.firstRecord }
    package var recordCount: Int { place.recordCount }
    package var bound: UnsafeBufferPointer<UInt8> { page.bounds[index] }
    package var file: File { page.file(index) }
    package var digest: UnsafeBufferPointer<UInt8> { page.digest(index) }
    package var label: UnsafeBufferPointer<UInt8> { page.label(index) }
    package var source: Source { Source(index, of: page) }

    /// The file that holds it.
    package var fileName: String { source.withFileName { String(cString: $0) } }
  }

  private let file: IndexFile
  private let contexts: DecompressorPool
  /// Where the root's frame ends in the file.
  private let rootSize: Int
  private let root: ManifestRoot
  /// Per page and node its content once it is kept, by ``ManifestTree/slot(_:level:)``. In memory that the system hands
  /// out when it is touched.
  private let slots: UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>
  /// The content that was kept last, from which ``CachedFrame/Header/kept`` leads to all others; freed with the manifest.
  private let kept = Atomic<UnsafeMutableRawPointer?>(nil)
  /// Whether all that queries read is kept.
  private let keepsPages: Bool
  /// If not: what they used last.
  private let recent: Lock<PageCache>

  package var version: Int { root.version }
  package var recordCount: Int { root.recordCount }
  package var shardCount: Int { tree.shardCount }
  private var tree: ManifestTree { root.tree }
  /// The build option: bytes of uncompressed shard.
  package var shardLimit: Int { root.shardLimit }
  /// What the index was built with, in bytes; 0 stands for the usual one.
  package var partSize: Int { root.partSize }
  package var foldVersion: UInt32 { root.foldVersion }
  package var fieldCount: Int { root.fieldCount }
  /// Which file it is.
  var stamp: FileStamp { file.stamp }
  /// Of the file, in bytes.
  package var fileSize: Int { file.size }
  /// XXH64 of the root's content, which holds a checksum of every frame below it: what an overlay names it by.
  package var rootChecksum: UInt64 { root.checksum }
  /// Bytes of its content in memory if every page and node is.
  package var size: Int { root.size + root.pagesSize }
  /// Bytes of its content that are in memory.
  package var residentSize: Int {
    var size = root.size + recent.withLock { $0.residentBytes }
    forEachKept { size += $0.size }
    return size
  }

  /// Opens the manifest of a directory, reads its root and checks it.
  ///
  /// - Throws: ``IndexError/notFound(path:)`` if there is none, ``IndexError/corrupt(path:cause:)``,
  ///   ``IndexError/io(operation:path:errno:)``.
  ///
  /// - Parameters:
  ///   - keeping: Bytes of pages and nodes that queries keep, at most.
  ///   - digest: The SHA-256 that the file must have; nothing of it is used before it is known to have it.
  convenience init(
    of directory: IndexDirectory, contexts: DecompressorPool, keeping limit: Int, digest: ManifestDigest? = nil
  ) throws(IndexError) {
    var file = try directory.manifestFile()
    if let digest {
      guard file.size <= Self.pinnedSizeLimit else {
        throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: Self.pinnedSizeLimit))
      }
      let found = ManifestDigest(bytes: SHA256.digest(of: try file.hold()))
      guard found == digest else { throw .wrongDigest(path: file.path, found: found, expected: digest) }
    }
    try self.init(file, contexts: contexts, keeping: limit)
  }

  /// Reads a manifest that is not, or not yet, the one of a directory.
  ///
  /// - Parameter descriptor: Of its file; closed with the manifest, also when this throws.
  /// - Parameter directory: What errors name.
  package convenience init(descriptor: CInt, of directory: IndexDirectory) throws(IndexError) {
    try self.init(directory.manifestFile(descriptor), contexts: DecompressorPool(), keeping: .max)
  }

  init(_ file: consuming IndexFile, contexts: DecompressorPool, keeping limit: Int) throws(IndexError) {
    let (bytes, frame) = try Self.rootFrame(of: file)
    defer { bytes.deallocate() }
    do throws(FormatError) {
      let root = try Self.unpack(frame, with: contexts)
      do throws(FormatError) {
        self.root = try ManifestRoot(root, frameSize: frame.count)
      } catch {
        root.deallocate()
        throw error
      }
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
    rootSize = frame.count
    let end = min(root.pagesEnd, 1 << 60) + (root.dots?.end ?? root.notes?.end ?? 0)
    let isWhole = rootSize + end == file.size
    // A frame has more than eight bytes: so no table of pages is larger than the file.
    let hasRoom = root.tree.count <= root.pagesEnd / 8
    let count = isWhole && hasRoom ? root.tree.count : 0
    guard let memory = calloc(max(1, count), MemoryLayout<Atomic<UnsafeMutableRawPointer?>>.stride) else {
      fatalError("out of memory")
    }
    // nil is zeros.
    slots = memory.bindMemory(to: Atomic<UnsafeMutableRawPointer?>.self, capacity: count)
    keepsPages = root.pagesSize <= limit
    recent = Lock(PageCache(pageCount: keepsPages ? 0 : count, limitBytes: keepsPages ? 0 : limit))
    self.contexts = contexts
    self.file = file
    guard isWhole else {
      throw .corrupt(path: self.file.path, cause: .wrongSize(found: self.file.size, expected: rootSize + end))
    }
    guard hasRoom else {
      throw .corrupt(path: self.file.path, cause: .invalid(reason: "has more shards than bytes", offset: 32))
    }
  }

  deinit {
    forEachKept { $0.deallocate() }
    free(slots)
    recent.withLock { $0.deallocate() }
    root.deallocate()
  }

  /// Reads the file's first frame; returns what was read and, within it, the frame.
  private static func rootFrame(
    of file: borrowing IndexFile
  ) throws(IndexError) -> (bytes: UnsafeMutableBufferPointer<UInt8>, frame: UnsafeBufferPointer<UInt8>) {
    // Most roots end within a page of memory; how far a larger one can reach follows from the content it declares, and
    // seldom is it further than that is long.
    var bytes = try file.read(from: 0, size: min(file.size, 4096))
    let content = ZstdFrame.contentSize(of: UnsafeBufferPointer(bytes)) ?? Int.max
    var limit = content &+ 4096
    while content <= contentLimit, bytes.count < min(file.size, limit),
      ZstdFrame.size(of: UnsafeBufferPointer(bytes)) == nil
    {
      bytes.deallocate()
      bytes = try file.read(from: 0, size: min(file.size, limit))
      limit = ZstdFrame.sizeLimit(content: content)
    }
    guard content <= contentLimit, let size = ZstdFrame.size(of: UnsafeBufferPointer(bytes)) else {
      bytes.deallocate()
      let reason = "no whole frame at its beginning that declares a content size this version accepts"
      throw .corrupt(path: file.path, cause: .zstd(reason: reason))
    }
    return (bytes, UnsafeBufferPointer(rebasing: UnsafeBufferPointer(bytes)[..<size]))
  }

  /// Unpacks a frame that was promised to have this checksum and content size, where they are known.
  private static func unpack(
    _ frame: UnsafeBufferPointer<UInt8>, checksum: UInt32? = nil, size: Int? = nil, with contexts: DecompressorPool
  ) throws(FormatError) -> UnsafeMutableRawBufferPointer {
    let size = try contentSize(of: frame, checksum: checksum, size: size)
    let content = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
    let target = UnsafeMutableRawBufferPointer(rebasing: content[..<size])
    do throws(FormatError) {
      try unpack(frame, into: target, with: contexts)
    } catch {
      content.deallocate()
      throw error
    }
    return target
  }

  private static func unpack(
    _ frame: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableRawBufferPointer, with contexts: DecompressorPool
  ) throws(FormatError) {
    let context = contexts.take()
    defer { contexts.put(context) }
    try ZstdFrame.decompress(frame, into: target, with: context)
  }

  /// The size of the content of a frame that was promised to have this checksum and content size, where they are known.
  private static func contentSize(
    of frame: UnsafeBufferPointer<UInt8>, checksum: UInt32?, size: Int?
  ) throws(FormatError) -> Int {
    guard let found = ZstdFrame.checksum(of: frame) else { throw .zstd(reason: "a frame without a checksum") }
    if let checksum, found != checksum { throw .wrongChecksum(found: found, expected: checksum) }
    let declared = ZstdFrame.contentSize(of: frame) ?? -1
    let wanted = size ?? declared
    guard declared == wanted, wanted >= 0, wanted <= contentLimit else {
      throw .wrongSize(found: declared, expected: min(wanted, contentLimit))
    }
    return wanted
  }

  // MARK: Pages and nodes

  @inline(__always)
  private static func page(_ held: CachedFrame, shards: Int) -> ManifestPage {
    ManifestPage(checked: UnsafePointer(held.content.assumingMemoryBound(to: UInt8.self)), shards: shards)
  }

  private static func node(_ held: CachedFrame, _ number: Int, _ level: Int, of tree: ManifestTree) -> ManifestNode {
    ManifestNode(
      UnsafePointer(held.content.assumingMemoryBound(to: UInt8.self)), number: number, level: level, of: tree,
      start: held.header.pointee.end, firstRecord: held.header.pointee.firstRecord, next: held.next)
  }

  /// What `body` makes of a page, which is there for as long as that takes, and of how many records are in all shards
  /// before it.
  @inline(__always)
  private func withPage<Result: Sendable>(
    _ number: Int, _ body: (ManifestPage, Int) -> Result
  ) throws(IndexError) -> Result {
    let shards = tree.shards(below: number, level: 0)
    return try withFrame(number, level: 0) { body(Self.page($0, shards: shards), $0.header.pointee.firstRecord) }
  }

  /// The same of the tables of a node, or of the root, which is above them all.
  @inline(__always)
  private func withTables<Result: Sendable>(
    ofNode number: Int, level: Int, _ body: (ManifestTables, Int) -> Result
  ) throws(IndexError) -> Result {
    let tree = tree
    if level > tree.height { return body(root.node.tables, 0) }
    let count = tree.children(of: number, level: level)
    return try withFrame(number, level: level) { held in
      let content = UnsafePointer(held.content.assumingMemoryBound(to: UInt8.self))
      return body(ManifestTables(content, count: count, level: level &- 1), held.header.pointee.firstRecord)
    }
  }

  @inline(__always)
  private func withFrame<Result: Sendable>(
    _ number: Int, level: Int, _ body: (CachedFrame) -> Result
  ) throws(IndexError) -> Result {
    let slot = tree.slot(number, level: level)
    if let content = slots[slot].load(ordering: .acquiring) { return body(CachedFrame(content: content)) }
    return try withOtherFrame(number, level: level, slot: slot, body)
  }

  /// The same of a page or node that is not kept.
  @inline(never)
  private func withOtherFrame<Result: Sendable>(
    _ number: Int, level: Int, slot: Int, _ body: (CachedFrame) -> Result
  ) throws(IndexError) -> Result {
    if keepsPages { return body(try keptFrame(number, level: level)) }
    let found = recent.withLock { (recent) -> Result? in recent.use(slot).map(body) }
    if let found { return found }
    let held = try read(number, level: level)
    let result = body(held)
    // Two threads may have read it: one of the two stays.
    recent.withLock { $0.insert(held, of: slot) }
    return result
  }

  /// A page or node that is there as long as the manifest is.
  private func keptFrame(_ number: Int, level: Int) throws(IndexError) -> CachedFrame {
    let slot = tree.slot(number, level: level)
    if let content = slots[slot].load(ordering: .acquiring) { return CachedFrame(content: content) }
    let held = try read(number, level: level)
    let (isMine, other) = slots[slot].compareExchange(
      expected: nil, desired: held.content, ordering: .acquiringAndReleasing)
    // Two threads may have read it: one of the two stays.
    guard isMine else {
      held.deallocate()
      return CachedFrame(content: other!)
    }
    var isListed = false
    var last = kept.load(ordering: .relaxed)
    while !isListed {
      held.header.pointee.kept = last
      (isListed, last) = kept.compareExchange(expected: last, desired: held.content, ordering: .acquiringAndReleasing)
    }
    return held
  }

  private func forEachKept(_ body: (CachedFrame) -> Void) {
    var content = kept.load(ordering: .acquiring)
    while let held = content.map(CachedFrame.init) {
      content = held.header.pointee.kept
      body(held)
    }
  }

  /// Lets go of pages and nodes that are not kept.
  func removeRecentPages() { recent.withLock { $0.removeAll() } }

  /// A page or node, checked; the caller deallocates it.
  private func read(_ number: Int, level: Int) throws(IndexError) -> CachedFrame {
    if level == tree.height { return try read(root.node.promise(number)) }
    let (parent, child) = (number / Self.pageCapacity, number % Self.pageCapacity)
    // Of one that others may let go of while this is read, a copy.
    let isCopy = !keepsPages
    let list = try withFrame(parent, level: level + 1) { isCopy ? $0.copy() : $0 }
    defer { if isCopy { list.deallocate() } }
    return try read(Self.node(list, parent, level + 1, of: tree).promise(child))
  }

  private func read(_ promise: ManifestNode.Promise) throws(IndexError) -> CachedFrame {
    let entry = promise.entry
    let bytes = try file.read(from: promise.start, size: entry.frameSize)
    defer { bytes.deallocate() }
    let frame = UnsafeBufferPointer(bytes)
    do throws(FormatError) {
      let size = try Self.contentSize(of: frame, checksum: entry.checksum, size: entry.contentSize)
      // A page's last bound meets the next one now; a node's are to come.
      let next = promise.level == 0 ? nil : promise.next
      let held = CachedFrame.allocate(contentSize: size, nextSize: next?.bound.count ?? 0)
      do throws(FormatError) {
        let target = UnsafeMutableRawBufferPointer(start: held.content, count: size)
        try Self.unpack(frame, into: target, with: contexts)
        let content = UnsafeBufferPointer(target.assumingMemoryBound(to: UInt8.self))
        if promise.level == 0 {
          try ManifestPage.check(content, promise, of: tree)
        } else {
          try ManifestNode.check(content, promise, of: tree)
        }
      } catch {
        held.deallocate()
        throw error
      }
      if let next { (held.content + size).copyMemory(from: next.bound.baseAddress!, byteCount: next.bound.count) }
      held.header.initialize(
        to: CachedFrame.Header(
          contentSize: size, firstRecord: promise.firstRecord, end: promise.start + entry.frameSize,
          nextSize: next?.bound.count, nextIsContinuation: next?.isContinuation ?? false))
      return held
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  /// No frame of the notes but the first is larger, nor has more content, in bytes.
  private static let notesFrameLimit = 2048

  /// What the builder noted for the next build, frame by frame, read from the file at each call; nil if it noted nothing.
  package func notes() throws(IndexError) -> [(content: [UInt8], checksum: UInt32)]? {
    guard let notes = root.notes else { return nil }
    return try frames(of: notes, limit: Self.notesFrameLimit, name: "notes")
  }

  /// The first frame of that; nil if there is none.
  package func notesHead() throws(IndexError) -> [UInt8]? {
    guard let notes = root.notes else { return nil }
    return try frames(of: notes, limit: Self.notesFrameLimit, name: "notes", most: 1).first?.content
  }

  /// How many records lie where, read from the file at each call; nil if the index does not say.
  package func densityGrid() throws(IndexError) -> DensityGrid? {
    try dots { (frames) throws(FormatError) in try DensityGrid(frames) }
  }

  /// The same, an overlay's changes included.
  package func densityGrid(with overlay: Overlay?) throws(IndexError) -> DensityGrid? {
    var map = try densityGrid()
    guard let overlay, !overlay.cells.isEmpty else { return map }
    if map == nil { map = DensityGrid() }
    map?.add(overlay)
    return map
  }

  /// The map as it stands there.
  package func densityBands() throws(IndexError) -> DensityBands? {
    try dots { (frames) throws(FormatError) in try DensityBands(frames) }
  }

  /// The same, `nil` standing for none, with some records more or fewer in some cells.
  package func densityBands(_ dots: DensityBands?, changedBy changes: CellChanges) throws(IndexError) -> DensityBands {
    var dots = dots ?? DensityBands()
    do throws(FormatError) { try dots.change(changes) } catch { throw .corrupt(path: file.path, cause: error) }
    return dots
  }

  private func dots<Map>(
    _ read: ([(content: [UInt8], checksum: UInt32)]) throws(FormatError) -> Map
  ) throws(IndexError) -> Map? {
    guard let dots = root.dots else { return nil }
    let frames = try frames(of: dots, limit: DensityGrid.frameLimit, name: "map of dots")
    do throws(FormatError) { return try read(frames) } catch { throw .corrupt(path: file.path, cause: error) }
  }

  /// What is read at once of frames that follow each other, in bytes, if they are no larger.
  private static let windowSize = 64 << 10

  /// - Parameters:
  ///   - limit: No frame but the first is larger, nor has more content, in bytes.
  ///   - count: How many are wanted, at most.
  private func frames(
    of chain: ManifestRoot.Chain, limit: Int, name: String, most count: Int = .max
  ) throws(IndexError) -> [(content: [UInt8], checksum: UInt32)] {
    var frames: [(content: [UInt8], checksum: UInt32)] = []
    var start = rootSize + root.pagesEnd + chain.start
    let end = start + chain.size
    // Of the file, from `windowStart` on: of small frames many at once.
    var window = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    var windowStart = start
    defer { window.deallocate() }
    while frames.count < count, start < end || frames.isEmpty {
      let isFirst = frames.isEmpty
      let most = min(end - start, isFirst ? ZstdFrame.sizeLimit(content: chain.contentSize) : limit)
      if windowStart + window.count - start < most || isFirst {
        window.deallocate()
        window = UnsafeMutableBufferPointer(start: nil, count: 0)
        window = try file.read(from: start, size: min(end - start, max(most, Self.windowSize)))
        windowStart = start
      }
      let bytes = UnsafeBufferPointer(rebasing: window[(start - windowStart)...].prefix(most))
      do throws(FormatError) {
        guard let size = ZstdFrame.size(of: bytes) else {
          throw .zstd(reason: "no whole frame in its \(name)")
        }
        let frame = UnsafeBufferPointer(rebasing: bytes[..<size])
        guard isFirst || ZstdFrame.contentSize(of: frame) ?? .max <= limit else {
          throw .wrongSize(found: ZstdFrame.contentSize(of: frame) ?? -1, expected: limit)
        }
        let content = try Self.unpack(
          frame, checksum: isFirst ? chain.checksum : nil, size: isFirst ? chain.contentSize : nil, with: contexts)
        defer { content.deallocate() }
        frames.append((Array(content), ZstdFrame.checksum(of: frame)!))
        start += size
      } catch {
        throw .corrupt(path: file.path, cause: error)
      }
    }
    return frames
  }

  /// A shard by its place; reads the page it stands on, if that was not read yet, and keeps it.
  package func shard(_ number: Int) throws(IndexError) -> Shard {
    let pageNumber = number / Self.pageCapacity
    let held = try keptFrame(pageNumber, level: 0)
    return Shard(
      number % Self.pageCapacity, of: Self.page(held, shards: tree.shards(below: pageNumber, level: 0)),
      number: pageNumber, firstRecord: held.header.pointee.firstRecord)
  }

  /// What it takes to read a shard's file.
  func source(_ number: Int) throws(IndexError) -> Source {
    try withPage(number / Self.pageCapacity) { page, _ in Source(number % Self.pageCapacity, of: page) }
  }

  /// A shard's lower bound, a copy.
  func bound(_ number: Int) throws(IndexError) -> [UInt8] {
    try withPage(number / Self.pageCapacity) { page, _ in Array(page.bounds[number % Self.pageCapacity]) }
  }

  /// The whole file, of this generation whatever the directory has by now.
  package func fileBytes() throws(IndexError) -> [UInt8] {
    let bytes = try file.read(from: 0, size: file.size)
    defer { bytes.deallocate() }
    return Array(bytes)
  }

  /// All shards in order; reads all pages and keeps them.
  package func shards() throws(IndexError) -> [Shard] {
    var shards: [Shard] = []
    // What a root says is believed as far as there are pages: room is made as they come.
    shards.reserveCapacity(min(shardCount, 1 << 16))
    for number in 0..<shardCount { shards.append(try shard(number)) }
    return shards
  }

  /// The number of the shard that has the same bytes as one of another manifest; nil if there is none, or none near
  /// its place.
  ///
  /// Reads the pages of this manifest that it may stand on.
  func shardNumber(like other: Int, of manifest: Manifest) throws(IndexError) -> Int? {
    guard shardCount > 0 else { return nil }
    let (bound, source) = (try manifest.bound(other), try manifest.source(other))
    // Its lower bound depends on the shard before as well, so it may have moved a little: past one or two shards.
    var place = 0
    if !bound.isEmpty {
      place = try bound.withUnsafeBufferPointer { (bound) throws(IndexError) in
        try places(forPrefix: bound, head: KeyBlocks.head(of: bound)).first.number
      }
    }
    for number in max(0, place - 1)..<min(shardCount, place + 3) where try self.source(number).isSame(as: source) {
      return number
    }
    return nil
  }

  /// The SHA-256 of the file.
  package func digest() throws(IndexError) -> ManifestDigest { ManifestDigest(bytes: try file.digest()) }

  /// Whether a file has the bytes of this manifest's.
  func hasContent(of other: borrowing IndexFile) throws(IndexError) -> Bool { try file.hasContent(of: other) }

  /// Whether fields have the same numbers in both.
  func hasFieldNames(of other: Manifest) -> Bool { root.hasFieldNames(of: other.root) }

  // MARK: Search

  /// The shards that can hold keys which begin with `prefix`: the first to the last, both included.
  ///
  /// Every key of those strictly between begins with it. Reads two pages at most, and the nodes above them. There must
  /// be a shard, and the prefix must not be empty.
  @inline(__always)
  package func places(
    forPrefix prefix: UnsafeBufferPointer<UInt8>, head: UInt64
  ) throws(IndexError) -> (first: Place, last: Place) {
    // The first bound is empty, so that some page and some shard of it are below.
    let below = root.bounds.countBelow(prefix, head: head)
    let pageNumber = max(0, below &- 1)
    // Bounds that begin with the prefix follow at once. Of a root that lists nodes, there are none.
    let lastPage = root.bounds.countNotAbove(prefix, head: head, from: below) &- 1
    guard lastPage == pageNumber else { return try placesByNodes(forPrefix: prefix, head) }
    // What withPage does: written out, for as a closure it would not be compiled into the query.
    guard let content = slots[pageNumber].load(ordering: .acquiring) else {
      return try placesByNodes(forPrefix: prefix, head)
    }
    let held = CachedFrame(content: content)
    let page = Self.page(held, shards: tree.shards(below: pageNumber, level: 0))
    let start = held.header.pointee.firstRecord
    let index = Self.firstShard(of: page, forPrefix: prefix, head)
    let first = Place(index, of: page, number: pageNumber, firstRecord: start)
    let last = page.bounds.countNotAbove(prefix, head: head, from: index &+ 1) &- 1
    return (first, last == index ? first : Place(last, of: page, number: pageNumber, firstRecord: start))
  }

  /// The same by way of the nodes, and of pages that are not kept: from the root down, together as far as both ends
  /// lie below the same node.
  @inline(never)
  private func placesByNodes(
    forPrefix prefix: UnsafeBufferPointer<UInt8>, _ head: UInt64
  ) throws(IndexError) -> (first: Place, last: Place) {
    var (first, last) = (0, 0)
    for level in stride(from: tree.height + 1, to: 0, by: -1) {
      let isOne = first == last
      let (low, high) = try withTables(ofNode: first, level: level) { tables, _ in
        let low = tables.first(forPrefix: prefix, head: head)
        return (low, isOne ? tables.last(forPrefix: prefix, head: head, from: low &+ 1) : 0)
      }
      let lastChild =
        isOne
        ? high
        : try withTables(ofNode: last, level: level) { tables, _ in
          tables.last(forPrefix: prefix, head: head, from: 1)
        }
      (first, last) = (first &* Self.pageCapacity &+ low, last &* Self.pageCapacity &+ lastChild)
    }
    if first == last {
      return try withPage(first) { [first] page, start in
        let index = Self.firstShard(of: page, forPrefix: prefix, head)
        let last = page.bounds.countNotAbove(prefix, head: head, from: index &+ 1) &- 1
        return (
          Place(index, of: page, number: first, firstRecord: start),
          Place(last, of: page, number: first, firstRecord: start)
        )
      }
    }
    return (
      try withPage(first) { [first] in
        Place(Self.firstShard(of: $0, forPrefix: prefix, head), of: $0, number: first, firstRecord: $1)
      },
      try withPage(last) { [last] in
        Place($0.bounds.countNotAbove(prefix, head: head, from: 1) &- 1, of: $0, number: last, firstRecord: $1)
      }
    )
  }

  /// The shard of a page that keys which begin with the prefix begin in, if they do on this page.
  @inline(__always)
  private static func firstShard(
    of page: ManifestPage, forPrefix prefix: UnsafeBufferPointer<UInt8>, _ head: UInt64
  ) -> Int {
    let index = max(0, page.bounds.countBelow(prefix, head: head) &- 1)
    // A bound that is the prefix begins the run of keys equal to it, unless that run began before.
    let next = index &+ 1
    let isBeginning =
      next < page.bounds.count && page.bounds.head(next) == head && page.bounds.equals(next, prefix)
      && !page.isContinuation(next)
    return isBeginning ? next : index
  }

  /// The shard that holds the record at `position`, which must be there.
  package func place(holding position: Int) throws(IndexError) -> Place {
    func last(_ count: Int, _ first: (Int) -> Int) -> Int {
      var low = 0
      var size = count
      while size > 1 {
        let half = size >> 1
        if first(low + half) <= position { low += half; size -= half } else { size = half }
      }
      return low
    }
    var number = 0
    for level in stride(from: tree.height + 1, to: 0, by: -1) {
      let child = try withTables(ofNode: number, level: level) { tables, start in
        last(tables.bounds.count) { start &+ tables.firstRecord(of: $0) }
      }
      number = number * Self.pageCapacity + child
    }
    return try withPage(number) { [number] page, start in
      let index = last(page.bounds.count) { start &+ page.firstRecord($0) }
      return Place(index, of: page, number: number, firstRecord: start)
    }
  }

  // MARK: Names

  /// The paths of all fields.
  package var fieldNames: [String] {
    var names: [String] = []
    names.reserveCapacity(fieldCount)
    root.forEachFieldName { _, name in
      names.append(String(decoding: name, as: UTF8.self))
      return true
    }
    return names
  }

  /// The number of the field with this path, found in the bytes of the manifest; nil if no field has it.
  package func fieldNumber(of path: UnsafeBufferPointer<UInt8>) -> Int? {
    var found: Int?
    root.forEachFieldName { number, name in
      guard name.count == path.count, memcmp(name.baseAddress!, path.baseAddress!, name.count) == 0 else { return true }
      found = number
      return false
    }
    return found
  }

  /// The value of a setting; nil if the manifest has none of that name.
  package func setting(_ name: StaticString) -> String? { root.setting(name) }

  /// What a shard's file name begins with is made from: the first two characters of its first key, zeros behind them.
  package static func label(ofKey key: some Collection<UInt8>) -> [UInt8] {
    var label: [UInt8] = []
    var characters = 0
    for byte in key {
      if byte & 0xc0 != 0x80 { characters += 1 }
      if characters > 2 || label.count == 8 { break }
      label.append(byte)
    }
    return label + [UInt8](repeating: 0, count: 8 - label.count)
  }

  /// The name of a shard file: its label and the first half of its digest.
  ///
  /// Of the label, letters a to z and digits stand for themselves, other bytes as `%` and two hexadecimal digits; an
  /// empty one gives `_`. So nothing in a manifest can lead out of its directory.
  package static func fileName(label: [UInt8], digest: [UInt8]) -> String {
    let name = [UInt8](unsafeUninitializedCapacity: 64) { target, count in
      label.withUnsafeBufferPointer { label in
        digest.withUnsafeBufferPointer { digest in
          count = writeFileName(label: label, digest: digest, to: target.baseAddress!)
        }
      }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Writes the name and a zero behind it, at most 46 bytes; returns its size without the zero.
  fileprivate static func writeFileName(
    label: UnsafeBufferPointer<UInt8>, digest: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var size = 0
    func append(_ byte: UInt8) {
      target[size] = byte
      size += 1
    }
    func appendHexadecimal(_ byte: UInt8) {
      let (high, low) = (byte >> 4, byte & 15)
      append(high < 10 ? 0x30 + high : 0x57 + high)
      append(low < 10 ? 0x30 + low : 0x57 + low)
    }
    for index in 0..<min(label.count, 8) where label[index] != 0 {
      let byte = label[index]
      if (byte &- 0x61) < 26 || (byte &- 0x30) < 10 {
        append(byte)
      } else {
        append(0x25)
        appendHexadecimal(byte)
      }
    }
    if size == 0 { append(0x5f) }
    append(0x2d)
    for index in 0..<min(digest.count, 8) { appendHexadecimal(digest[index]) }
    append(0x2e)
    append(0x7a)
    append(0x73)
    append(0x74)
    target[size] = 0
    return size
  }
}
