/// The value of a manifest's root: the sorted list of its pages or nodes, the names of fields, the settings.
/// Source: docs/format.md section 3.1.
///
/// The root is the first frame of the manifest's file. A ``ManifestPage`` or a ``ManifestNode`` is the value of another
/// frame. `init` checks all bytes of a root.
@safe package struct Manifest: ~Copyable, @unchecked Sendable {
  package static let magic: UInt32 = 0x314d_5153  // "SQM1"
  package static let version = 1
  package static let headerSize = 48
  package static let fileName = "manifest"
  /// The number of shards of a page, and of children of a node. The last page and the last nodes may have fewer.
  package static let pageCapacity = 64
  /// The largest content of a manifest's frame, in bytes.
  package static let contentLimit = ZstdFrame.contentLimit
  /// The largest file of a manifest, in bytes, for builds, readers and stores. A pinned manifest stays in memory. Two
  /// billion records need about as much.
  package static let sizeLimit = 1 << 26
  /// The largest file of a shard, in bytes, since verification reads whole files.
  package static let fileLimit = 1 << 26
  /// The longest value of a setting, in bytes.
  package static let settingLimit = 65536
  /// The most fields of an index.
  package static let fieldLimit = 65536
  /// The most bytes of all pages, and of all chains, so that the sum of both and a frame is an `Int`.
  static let chainLimit = 1 << (Int.bitWidth - 4)

  private let storage: UnsafeMutableRawBufferPointer
  /// The size of the root's frame, in bytes.
  package let frameSize: Int
  package let recordCount: Int
  package let tree: ManifestTree
  package let node: ManifestNode
  /// The lower bounds of pages, if the root lists pages; otherwise empty.
  let bounds: BoundTable
  /// The size of the content of all pages and nodes together, in bytes.
  let pagesSize: Int
  /// The build option of the size of a shard, in uncompressed bytes.
  package let shardLimit: Int
  /// The build option of the size of a part, in bytes; 0 for the default.
  package let partSize: Int
  package let foldVersion: UInt32
  package let fieldCount: Int
  let fieldNameBytes: UnsafeBufferPointer<UInt8>
  let settingBytes: UnsafeBufferPointer<UInt8>
  let chains: Chains

  /// Checks a root's content and takes over its bytes, unless it throws.
  ///
  /// - Parameter frameSize: The size of the root's frame, in bytes.
  package init(_ storage: UnsafeMutableRawBufferPointer, frameSize: Int) throws(FormatError) {
    var reader = unsafe ByteReader(UnsafeBufferPointer(storage.assumingMemoryBound(to: UInt8.self)))
    let header = try RootHeader(&reader)
    let sections = unsafe try SectionTable(header, &reader, of: storage)
    let tree = ManifestTree(shardCount: header.shardCount)
    let count = tree.count(ofLevel: tree.height)
    let lists = try Lists(sections, count: count, level: tree.height)
    let names = unsafe try sections.required(.fieldNames, size: nil)
    let settings = unsafe try sections.required(.settings, size: nil)
    let chains = try Chains(sections)
    let bounds = try lists.bounds
    let node = ManifestNode(level: tree.height, lists.tables(bounds), start: frameSize)
    guard unsafe count == 0 || bounds[0].isEmpty else {
      throw .invalid(reason: "has a first lower bound that is not empty", offset: 0)
    }
    let pagesSize = try node.check(records: header.recordCount, of: tree)
    guard node.end <= Self.chainLimit else {
      throw .invalid(reason: "has pages of \(node.end) bytes, which are too large", offset: 0)
    }
    unsafe try Self.checkNames(names, count: header.fieldCount)
    unsafe try Self.checkSettings(settings)
    unsafe self.storage = storage
    self.frameSize = frameSize
    (recordCount, foldVersion) = (header.recordCount, header.foldVersion)
    (shardLimit, partSize, fieldCount) = (header.shardLimit, header.partSize, header.fieldCount)
    (self.tree, self.node, self.pagesSize) = (tree, node, pagesSize)
    self.bounds = tree.height == 0 ? bounds : bounds.none
    unsafe (fieldNameBytes, settingBytes) = (names, settings)
    self.chains = chains
  }

  deinit { unsafe storage.deallocate() }

  package var shardCount: Int { tree.shardCount }
  /// The memory of the root, in bytes.
  var size: Int { unsafe storage.count }
  /// The XXH64 of the content, which has a checksum of every frame below it. An overlay names a manifest by this
  /// number.
  package var checksum: UInt64 { unsafe XXHash64.hash(UnsafeRawBufferPointer(storage)) }
  /// The end of the last page, in bytes from the end of the root's frame.
  var pagesEnd: Int { node.end }
  /// The size of the file of all frames, in bytes.
  package var fileSize: Int {
    // Each of the three has a limit: this sum cannot overflow.
    frameSize + pagesEnd + chains.size
  }
}
