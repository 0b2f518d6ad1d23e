import CSystem

/// The first frame of a manifest: the sorted list of its pages or nodes, the names of fields, the settings.
/// Source: docs/format.md §3.1.
///
/// All of it is checked when it is made.
package struct ManifestRoot: @unchecked Sendable {
  /// An index has no more fields.
  package static let fieldLimit = 65536

  /// What lies where, by the number that stands in the file; sections of other numbers are passed over.
  package enum Section: UInt32, CaseIterable, Sendable {
    /// u64 per child: the head of its lower bound.
    case heads = 1
    /// u64 per child and one more: records in all before it.
    case firstRecords = 2
    /// u32 per child: where its lower bound ends in `bounds`.
    case boundEnds = 3
    /// The lower bounds, one after the other.
    case bounds = 4
    /// Per child what ``ManifestNode/Entry`` has.
    case children = 5
    /// Per field a varint size and its path.
    case fieldNames = 6
    /// Pairs of texts, each with a varint size before it.
    case settings = 7
    /// 12 bytes, as in ``Chain``; may be missing.
    case notes = 8
    /// 12 bytes, as in ``Chain``; may be missing.
    case dots = 9
  }

  /// Frames behind those of the pages, which no query reads; the first one's content has the checksums of the others.
  /// Sizes in bytes.
  struct Chain {
    /// From the end of the pages.
    var start: Int
    /// Of them all.
    var size: Int
    /// Of the first one's content.
    var contentSize: Int
    /// The first frame's own checksum of its content.
    var checksum: UInt32

    static let width = 12
    var end: Int { start + size }
  }

  private let storage: UnsafeMutableRawBufferPointer
  let version: Int
  let recordCount: Int
  let tree: ManifestTree
  let node: ManifestNode
  /// The lower bounds of pages, where it is pages that the root lists; else none.
  let bounds: BoundTable
  /// Content of all pages and nodes together, in bytes.
  let pagesSize: Int
  let shardLimit: Int
  let partSize: Int
  let foldVersion: UInt32
  let fieldCount: Int
  private let fieldNames: UnsafeBufferPointer<UInt8>
  private let settings: UnsafeBufferPointer<UInt8>
  /// What a builder notes for the next build; nil if there are no notes.
  let notes: Chain?
  /// Where the records lie on the map; nil if the index does not say.
  let dots: Chain?

  /// Checks a root's content and takes over its bytes, unless it throws.
  ///
  /// - Parameter frameSize: Of the root's frame, in bytes.
  init(_ storage: UnsafeMutableRawBufferPointer, frameSize: Int) throws(FormatError) {
    let content = UnsafeBufferPointer(storage.assumingMemoryBound(to: UInt8.self))
    var reader = ByteReader(content)
    let magic = try reader.read(UInt32.self)
    guard magic == Manifest.magic else { throw .wrongMagic(found: magic, expected: Manifest.magic) }
    version = Int(try reader.read(UInt16.self))
    guard version == Manifest.version || version == Manifest.versionWithNodes else {
      throw .unsupportedVersion(found: version, supported: Manifest.versionWithNodes)
    }
    _ = try reader.read(UInt16.self)
    foldVersion = try reader.read(UInt32.self)
    let sectionCount = Int(try reader.read(UInt32.self))
    let hash = try reader.read(UInt64.self)
    guard foldVersion == Fold.version, hash == Fold.tableHash else {
      throw .otherFold(found: UInt32(truncatingIfNeeded: hash), supported: UInt32(truncatingIfNeeded: Fold.tableHash))
    }
    let records = try reader.read(UInt64.self)
    let shardCount = Int(try reader.read(UInt32.self))
    shardLimit = Int(try reader.read(UInt32.self))
    fieldCount = Int(try reader.read(UInt32.self))
    partSize = Int(try reader.read(UInt32.self))
    guard records <= UInt64(Int64.max), fieldCount <= Self.fieldLimit, sectionCount <= 64,
      (records == 0) == (shardCount == 0)
    else { throw .invalid(reason: "counts beyond what an index can hold", offset: 24) }
    recordCount = Int(records)
    tree = ManifestTree(shardCount: shardCount, hasNodes: version == Manifest.versionWithNodes)
    guard (tree.height > 0) == (version == Manifest.versionWithNodes) else {
      throw .invalid(reason: "a version for more shards", offset: 4)
    }
    let count = tree.count(ofLevel: tree.height)
    let table = reader.offset
    _ = try reader.read(bytes: 24 * sectionCount)

    /// The bytes of a section, wherever the table says that they are; nil if it has none of that number.
    func find(_ section: Section, size wanted: Int?) throws(FormatError) -> UnsafeBufferPointer<UInt8>? {
      var entry = UnsafeRawPointer(content.baseAddress! + table)
      for index in 0..<sectionCount {
        defer { entry += 24 }
        guard UInt32(littleEndian: entry.loadUnaligned(as: UInt32.self)) == section.rawValue else { continue }
        let offset = UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        let length = UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let size = UInt64(content.count)
        guard offset <= size, length <= size - offset, wanted == nil || length == UInt64(wanted!) else {
          throw .invalid(
            reason: "section \(section.rawValue) has \(length) bytes at \(offset)", offset: table + 24 * index)
        }
        return UnsafeBufferPointer(start: content.baseAddress! + Int(offset), count: Int(length))
      }
      return nil
    }
    func section(_ section: Section, size: Int?) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
      if let found = try find(section, size: size) { return found }
      throw .invalid(reason: "section \(section.rawValue) is missing", offset: table)
    }
    let heads = try section(.heads, size: 8 * count)
    let firsts = try section(.firstRecords, size: 8 * (count + 1))
    let ends = try section(.boundEnds, size: 4 * count)
    let texts = try section(.bounds, size: nil)
    let children = try section(.children, size: ManifestNode.Entry.width(ofLevel: tree.height) * count)
    fieldNames = try section(.fieldNames, size: nil)
    settings = try section(.settings, size: nil)
    func chain(_ section: Section, behind start: Int) throws(FormatError) -> Chain? {
      guard let entry = try find(section, size: Chain.width) else { return nil }
      var reader = ByteReader(entry)
      let chain = Chain(
        start: start, size: Int(try reader.read(UInt32.self)), contentSize: Int(try reader.read(UInt32.self)),
        checksum: try reader.read(UInt32.self))
      guard chain.contentSize <= Manifest.contentLimit else {
        throw .invalid(reason: "section \(section.rawValue) is of too large a frame", offset: 0)
      }
      return chain
    }
    notes = try chain(.notes, behind: 0)
    dots = try chain(.dots, behind: notes?.size ?? 0)
    let bounds = try BoundTable(count: count, heads: heads.baseAddress!, ends: ends.baseAddress!, texts: texts)
    node = ManifestNode(
      level: tree.height,
      ManifestTables(
        bounds, firstRecords: firsts.baseAddress!, entries: children.baseAddress!, level: tree.height),
      start: frameSize)
    self.bounds = tree.height == 0 ? bounds : bounds.none
    self.storage = storage
    guard count == 0 || bounds[0].isEmpty else {
      throw .invalid(reason: "the first lower bound is not empty", offset: 0)
    }
    pagesSize = try node.check(records: recordCount, of: tree)
    try checkNames()
    try checkSettings()
  }

  func deallocate() { storage.deallocate() }

  /// Bytes that it keeps in memory.
  var size: Int { storage.count }

  var checksum: UInt64 { XXHash64.hash(UnsafeRawBufferPointer(storage)) }

  /// Where the last page ends, in bytes from the end of the root's frame.
  var pagesEnd: Int { node.end }

  // MARK: Names and settings

  /// Calls `body` with the path of each field, in order, until it returns false.
  func forEachFieldName(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Bool) {
    var reader = ByteReader(fieldNames)
    for number in 0..<fieldCount {
      // Readable: checked when made.
      guard let size = try? reader.readVarint(), let name = try? reader.read(bytes: size), body(number, name) else {
        return
      }
    }
  }

  /// Whether the other has the same field names in the same order.
  func hasFieldNames(of other: ManifestRoot) -> Bool {
    fieldNames.count == other.fieldNames.count
      && memcmp(fieldNames.baseAddress!, other.fieldNames.baseAddress!, fieldNames.count) == 0
  }

  private func checkNames() throws(FormatError) {
    var reader = ByteReader(fieldNames)
    for _ in 0..<fieldCount { _ = try reader.read(bytes: try reader.readVarint()) }
    guard reader.remaining == 0 else {
      throw .invalid(reason: "has \(reader.remaining) bytes behind its field names", offset: 0)
    }
  }

  private func checkSettings() throws(FormatError) {
    var reader = ByteReader(settings)
    while reader.remaining > 0 {
      _ = try reader.read(bytes: try reader.readVarint())
      let value = try reader.read(bytes: try reader.readVarint())
      guard value.count <= Manifest.settingLimit else {
        throw .invalid(reason: "has a setting of \(value.count) bytes", offset: 0)
      }
    }
  }

  /// The value of a setting; nil if the manifest has none of that name.
  func setting(_ wanted: StaticString) -> String? {
    var reader = ByteReader(settings)
    while reader.remaining > 0 {
      guard let size = try? reader.readVarint(), let name = try? reader.read(bytes: size),
        let valueSize = try? reader.readVarint(), let value = try? reader.read(bytes: valueSize)
      else { return nil }
      if name.count == wanted.utf8CodeUnitCount,
        name.elementsEqual(UnsafeBufferPointer(start: wanted.utf8Start, count: name.count))
      {
        return String(decoding: value, as: UTF8.self)
      }
    }
    return nil
  }
}
