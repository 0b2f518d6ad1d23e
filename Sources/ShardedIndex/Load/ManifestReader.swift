import CLibrary

/// The reader of a manifest's file: of its root, which opening an index reads, and of its pages and nodes. Source:
/// docs/format.md section 3.
///
/// The file has a root frame and a frame per page of shards. If there are more than 64 pages, nodes stand between in a
/// tree (``ManifestTree``), each with up to 64 children. A query reads the pages and nodes that it needs, from the file
/// that was opened. So an open index stays with one generation.
///
/// If all pages and nodes fit into the limit, each stays in memory once it is read, and is found without a lock. If
/// not, the most recently used ones stay, under a lock.
package final class ManifestReader: @unchecked Sendable {
  package let root: Manifest
  let file: IndexFile
  /// The place of the manifest's first file in an archive.
  let firstPlace: Int64
  let contexts: DecompressorPool
  /// The kept pages and nodes, by ``ManifestTree/slot(_:level:)``.
  let kept: FrameTable
  /// Whether all pages and nodes stay in memory.
  private let keepsPages: Bool
  /// The most recently used pages and nodes, if not all stay in memory.
  private let recent: Lock<PageCache>
  /// The frames of the ranks, which ranked queries read.
  let ranks: MaximaFrames
  /// The frames of the numbers, which sorted queries and ranges read.
  let numbers: MaximaFrames
  /// The frames of the sides, which filtered queries read.
  let sides: SideFrames

  package var recordCount: Int { root.recordCount }
  package var shardCount: Int { root.tree.shardCount }
  /// The build option of the size of a shard, in uncompressed bytes.
  package var shardLimit: Int { root.shardLimit }
  /// The build option of the size of a part, in bytes; 0 for the default.
  package var partSize: Int { root.partSize }
  package var foldVersion: UInt32 { root.foldVersion }
  package var fieldCount: Int { root.fieldCount }
  /// The paths of all fields.
  package var fieldNames: [String] { root.fieldNames }
  /// The path of the file, for messages.
  package var path: String { file.path }
  /// The identity of the file.
  var stamp: FileStamp { file.stamp }
  /// The size of the file, in bytes.
  package var fileSize: Int { file.size }
  /// The XXH64 of the root's content, which has a checksum of every frame below it. An overlay names a manifest by this
  /// number.
  package var rootChecksum: UInt64 { root.checksum }
  /// The size of the content of the root and of all pages and nodes, in bytes.
  package var size: Int { root.size + root.pagesSize }
  /// The number of bytes of content in memory.
  package var residentSize: Int {
    var size = root.size + ranks.residentSize + numbers.residentSize + sides.residentSize
    size += recent.withLock { $0.residentBytes }
    unsafe kept.forEach { unsafe size += $0.size }
    return size
  }

  /// Returns the value of a setting; nil if the manifest has no such setting.
  package func setting(_ name: StaticString) -> String? { root.setting(name) }

  // MARK: Opening

  /// Opens the manifest of a directory, reads its root and checks it.
  ///
  /// - Parameters:
  ///   - keeping: The most bytes of pages and nodes in memory.
  ///   - digest: The SHA-256 that the file must have; it is checked before any use of the file.
  /// - Throws: ``IndexError/notFound(path:)`` if there is none, ``IndexError/corrupt(path:cause:)``,
  ///   ``IndexError/io(operation:path:errno:)``.
  convenience init(
    of directory: IndexDirectory, contexts: DecompressorPool, keeping limit: Int, digest: ManifestDigest? = nil
  ) throws(IndexError) {
    var file = try directory.manifestFile()
    if let digest {
      try Self.checkSize(of: file)
      try file.hold()
      let found = ManifestDigest(bytes: try file.digest())
      guard found == digest else { throw .wrongDigest(path: file.path, found: found, expected: digest) }
    }
    try self.init(file, contexts: contexts, keeping: limit)
  }

  /// Reads a manifest that the directory does not name, or not yet.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor of the file. It is closed with the manifest, also if this call throws.
  ///   - directory: The directory that errors name.
  package convenience init(descriptor: CInt, of directory: IndexDirectory) throws(IndexError) {
    try self.init(directory.manifestFile(descriptor), contexts: DecompressorPool(), keeping: .max)
  }

  init(
    _ file: consuming IndexFile, contexts: DecompressorPool, keeping limit: Int, firstPlace: Int64 = 0
  ) throws(IndexError) {
    self.firstPlace = firstPlace
    try Self.checkSize(of: file)
    let root = try Self.root(of: file, with: contexts)
    let isWhole = root.fileSize == file.size
    // A frame has more than eight bytes, so no table of pages is larger than the file.
    let hasRoom = root.tree.count <= root.pagesEnd / 8
    guard isWhole else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: root.fileSize))
    }
    guard hasRoom else {
      throw .corrupt(path: file.path, cause: .invalid(reason: "has more shards than bytes", offset: 32))
    }
    let count = root.tree.count
    kept = FrameTable(count: count)
    keepsPages = root.pagesSize <= limit
    recent = Lock(PageCache(pageCount: keepsPages ? 0 : count, limitBytes: keepsPages ? 0 : limit))
    ranks = MaximaFrames(limitBytes: limit)
    numbers = MaximaFrames(limitBytes: limit)
    sides = SideFrames(limitBytes: limit)
    self.contexts = contexts
    self.root = root
    self.file = file
  }

  /// Refuses a file above the limit, before any byte of it is read.
  static func checkSize(of file: borrowing IndexFile) throws(IndexError) {
    guard file.size <= Manifest.sizeLimit else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: Manifest.sizeLimit))
    }
  }

  deinit { recent.withLock { $0.removeAll() } }

  /// Reads and checks the file's first frame.
  private static func root(
    of file: borrowing IndexFile, with contexts: DecompressorPool
  ) throws(IndexError) -> Manifest {
    // Most roots end within a page of memory. The declared content bounds the size of a larger root, which is seldom
    // larger than its content.
    var bytes = try file.read(from: 0, size: file.firstReadSize)
    let content = unsafe bytes.withUnsafeBufferPointer { unsafe ZstdFrame.contentSize(of: $0) } ?? Int.max
    var limit = content.addingReportingOverflow(4096).partialValue
    while content <= Manifest.contentLimit, bytes.count < min(file.size, limit),
      unsafe bytes.withUnsafeBufferPointer({ unsafe ZstdFrame.size(of: $0) }) == nil
    {
      bytes = try file.read(from: 0, size: min(file.size, limit))
      limit = ZstdFrame.sizeLimit(content: content)
    }
    guard content <= Manifest.contentLimit,
      let size = unsafe bytes.withUnsafeBufferPointer({ unsafe ZstdFrame.size(of: $0) })
    else {
      let reason = "its first frame is cut short, or its content is too large"
      throw .corrupt(path: file.path, cause: .zstd(reason: reason))
    }
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      return try Manifest(frame: bytes[..<size], with: context)
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  // MARK: Pages and nodes

  /// Returns the result of `body` for a page, which is valid during the call, and the number of records in all shards
  /// before it.
  @inline(__always)
  func withPage<Result: Sendable>(
    _ number: Int, _ body: (ManifestPage, Int) -> Result
  ) throws(IndexError) -> Result {
    let shards = root.tree.shards(below: number, level: 0)
    return unsafe try withFrame(number, level: 0) { unsafe body($0.page(shards: shards), $0.firstRecord) }
  }

  /// Returns the same for the tables of a node, or of the root.
  @inline(__always)
  func withTables<Result: Sendable>(
    ofNode number: Int, level: Int, _ body: (ManifestTables, Int) -> Result
  ) throws(IndexError) -> Result {
    let tree = root.tree
    if level > tree.height { return body(root.node.tables, 0) }
    let count = tree.children(of: number, level: level)
    return unsafe try withFrame(number, level: level) {
      unsafe body($0.tables(count: count, level: level - 1), $0.firstRecord)
    }
  }

  @inline(__always)
  private func withFrame<Result: Sendable>(
    _ number: Int, level: Int, _ body: (CachedFrame) -> Result
  ) throws(IndexError) -> Result {
    let slot = root.tree.slot(number, level: level)
    if let frame = unsafe kept[slot] { return unsafe body(frame) }
    return unsafe try withOtherFrame(number, level: level, slot: slot, body)
  }

  /// Returns the same for a page or node that is not kept.
  @inline(never)
  private func withOtherFrame<Result: Sendable>(
    _ number: Int, level: Int, slot: Int, _ body: (CachedFrame) -> Result
  ) throws(IndexError) -> Result {
    if keepsPages { return unsafe body(try keptFrame(number, level: level)) }
    let found = recent.withLock { (recent) -> Result? in unsafe recent.use(slot).map(body) }
    if let found { return found }
    let frame = unsafe try read(number, level: level)
    let result = unsafe body(frame)
    // Two threads may have read the frame: one copy stays.
    recent.withLock { unsafe $0.insert(frame, of: slot) }
    return result
  }

  /// Returns a page or node that is valid as long as the manifest.
  func keptFrame(_ number: Int, level: Int) throws(IndexError) -> CachedFrame {
    let slot = root.tree.slot(number, level: level)
    if let frame = unsafe kept[slot] { return unsafe frame }
    return unsafe kept.keep(try read(number, level: level), at: slot)
  }

  /// Frees the recent pages and nodes.
  func removeRecentPages() {
    recent.withLock { $0.removeAll() }
    ranks.removeFrames()
    numbers.removeFrames()
    sides.removeFrames()
  }

  /// Reads a page or node and checks it; the caller deallocates it.
  private func read(_ number: Int, level: Int) throws(IndexError) -> CachedFrame {
    if level == 0 { file.archive?.expectPlaces(ofPage: number, firstPlace: firstPlace) }
    if level == root.tree.height { return unsafe try read(root.node.reference(number)) }
    let (parent, child) = (number / Manifest.pageCapacity, number % Manifest.pageCapacity)
    // The reference is copied, since another thread may free its node during the read.
    let isCopy = !keepsPages
    let list = unsafe try withFrame(parent, level: level + 1) { unsafe isCopy ? $0.copy() : $0 }
    defer { if isCopy { unsafe list.deallocate() } }
    return unsafe try read(list.node(parent, level: level + 1, of: root.tree).reference(child))
  }

  private func read(_ reference: ManifestNode.ChildReference) throws(IndexError) -> CachedFrame {
    let bytes = try file.read(from: reference.start, size: reference.entry.frameSize)
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      return unsafe try CachedFrame(reading: bytes, as: reference, of: root.tree, with: context)
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }
}
