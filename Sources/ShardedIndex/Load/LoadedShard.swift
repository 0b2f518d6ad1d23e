import CSystem
import Synchronization

/// One shard in memory: its header, and places for its parts.
final class LoadedShard: @unchecked Sendable {
  /// The header's, beside the slots that they lead to.
  let parts: PartTable
  /// The parts that are resident. Guarded by the lock of the cache that holds the shard.
  let slots: UnsafeMutablePointer<LoadedPart?>
  let header: ShardHeader

  init(header: ShardHeader) {
    self.header = header
    parts = header.parts
    slots = .allocate(capacity: parts.count)
    slots.initialize(repeating: nil, count: parts.count)
  }

  deinit {
    // One by one: to let go of them at once a type would be made up at run time.
    for slot in 0..<parts.count { slots[slot] = nil }
    slots.deallocate()
  }

  /// Bytes that the header costs the cache.
  var charge: Int { header.charge + parts.count * MemoryLayout<LoadedPart?>.stride + 128 }
}

/// A part of a shard in memory: its keys, and its fields once somebody asked for them.
final class LoadedPart: @unchecked Sendable {
  // What a query comes upon first stands first: it is on its way to the keys.
  /// The cache's node for it; 0 while it is not resident. Guarded by the cache's lock, as is what follows.
  var node: Int32 = 0
  /// The cache's ``LRU/insertions`` when it was last seen to be protected.
  var protectedAt: UInt32 = 0
  // No number that the format counts with has more than 32 bits.
  private let (first, place, keptBytes): (UInt32, UInt32, UInt32)
  let keys: KeyBlocks
  /// Where the fields begin; nil until they are unpacked.
  private let unpacked: Atomic<UnsafeRawPointer?>
  let header: ShardHeader  // Keys and fields lead into it.
  // No optional by itself: of that a type would be made up at run time when the part goes.
  private struct Packed: @unchecked Sendable {
    var fields: UnsafeMutablePointer<UInt8>?
    var size: UInt32
  }
  /// The compressed fields, until they are unpacked: so that this needs no second look at the file.
  private let packed: Lock<Packed>

  /// Counted within the shard.
  @inline(__always) var firstRecord: Int { Int(first) }
  @inline(__always) var number: Int { Int(place) }
  /// Bytes that it cost the cache when it came in.
  var charge: Int { Int(keptBytes) }
  /// Bytes that it costs beside keys and fields: this object, the cache's node, what `malloc` keeps.
  private static let ownCharge = 192

  /// - Parameter columns: The fields, which it takes over.
  init(keys: KeyBlocks, number: Int, header: ShardHeader, columns: FieldColumns) {
    self.keys = keys
    self.header = header
    first = UInt32(header.parts[number].firstRecord)
    place = UInt32(number)
    keptBytes = UInt32(keys.charge + columns.charge + Self.ownCharge)
    unpacked = Atomic(columns.start)
    packed = Lock(Packed(fields: nil, size: 0))
  }

  /// - Parameter frame: The compressed fields, which it copies.
  init(
    keys: KeyBlocks, number: Int, header: ShardHeader, fields frame: UnsafeBufferPointer<UInt8>
  ) {
    self.keys = keys
    self.header = header
    first = UInt32(header.parts[number].firstRecord)
    place = UInt32(number)
    keptBytes = UInt32(keys.charge + frame.count + FieldColumns.slack + Self.ownCharge)
    unpacked = Atomic(nil)
    let fields = UnsafeMutablePointer<UInt8>.allocate(capacity: frame.count + FieldColumns.slack)
    if let start = frame.baseAddress { fields.copy(from: start, count: frame.count) }
    packed = Lock(Packed(fields: fields, size: UInt32(frame.count)))
  }

  deinit {
    keys.deallocate()
    // It has either.
    if let columns { columns.deallocate() } else { packed.withLock { $0.fields?.deallocate() } }
  }

  /// The fields, if they are unpacked; valid as long as this is.
  @inline(__always) var columns: FieldColumns? {
    guard let start = unpacked.load(ordering: .acquiring) else { return nil }
    return FieldColumns(at: start)
  }

  var isUnpacked: Bool { columns != nil }

  /// Bytes of its file and of what that unpacks to.
  var weight: Int { header.parts[number].weight }

  /// Asks for the memory that a search reads, and for what decoding will read of the shard's header, side by side: one
  /// after the other is what an answer takes whose memory has left the processor's caches.
  @inline(__always) func prefetchKeys() {
    keys.prefetch()
    columns?.prefetchHeader()
  }

  /// The same of what decoding begins with at one of its records, if the fields are unpacked.
  @inline(__always) func prefetch(_ record: Int) { columns?.prefetch(record, keys: keys) }

  /// Asks for the memory of what leads to the fields, if they are unpacked.
  @inline(__always) func prefetchFields() {
    guard let start = unpacked.load(ordering: .acquiring) else { return }
    CShims.prefetch(start)
    CShims.prefetch(start + 64)
  }

  /// The fields, unpacked by `unpack` if nobody did so before; `grew` is told by how much that changed the charge. They are
  /// valid as long as this is.
  @inline(__always)
  func columns(
    unpack: (UnsafeBufferPointer<UInt8>) throws(IndexError) -> FieldColumns, grew: (Int) -> Void
  ) throws(IndexError) -> FieldColumns {
    if let columns { return columns }
    return try packed.withLock { (packed) throws(IndexError) -> FieldColumns in
      if let columns { return columns }
      let size = Int(packed.size)
      let columns = try unpack(UnsafeBufferPointer(start: packed.fields, count: size))
      unpacked.store(columns.start, ordering: .releasing)
      packed.fields?.deallocate()
      packed.fields = nil
      grew(columns.charge - size - FieldColumns.slack)
      return columns
    }
  }
}

/// Reads shard files and believes nothing of them before it is checked.
struct ShardLoader: Sendable {
  let directory: IndexDirectory
  let contexts: DecompressorPool
  /// Whether a file is used only if its SHA-256 is what the manifest says. Costs reading and hashing all of it for
  /// every part that is loaded.
  let checksDigests: Bool

  /// Opens a shard's file for one part; where digests are asked for, all of it is read and held, and has to have the right one.
  func open(_ name: UnsafePointer<CChar>, _ source: Manifest.Source) throws(IndexError) -> IndexFile {
    var file = try directory.file(name, size: source.file.size)
    if checksDigests {
      let found = SHA256.digest(of: try file.hold())
      guard source.withDigest({ found.starts(with: $0) }) else {
        throw .corrupt(path: file.path, cause: .wrongDigest)
      }
    }
    return file
  }

  /// Reads a part of a shard and checks its keys. The header is read before, unless it is there.
  ///
  /// - Parameters:
  ///   - choose: Names the part, given the header.
  ///   - unpacks: As ``part(_:of:_:unpacks:)``.
  func part(
    of resident: LoadedShard?, _ file: borrowing IndexFile, _ source: Manifest.Source,
    choose: (PartTable) -> Int, unpacks: Bool, fieldNumber: (UnsafeBufferPointer<UInt8>) -> Int?
  ) throws(IndexError) -> (LoadedShard, LoadedPart) {
    let shard: LoadedShard
    if let resident {
      shard = resident
    } else {
      shard = LoadedShard(header: try header(file, source, fieldNumber: fieldNumber))
    }
    return (shard, try part(choose(shard.parts), of: shard.header, file, unpacks: unpacks))
  }

  /// Reads some parts of a shard, keys and fields, and hands them out one by one, until `body` wants no more.
  ///
  /// - Parameter choose: Names the parts, given the header.
  func parts(
    _ name: UnsafePointer<CChar>, _ source: Manifest.Source, choose: (PartTable) -> Range<Int>,
    fieldNumber: (UnsafeBufferPointer<UInt8>) -> Int?, _ body: (LoadedShard, LoadedPart, FieldColumns) -> Bool
  ) throws(IndexError) {
    var file = try open(name, source)
    let shard = LoadedShard(header: try header(file, source, fieldNumber: fieldNumber))
    let numbers = choose(shard.parts)
    if numbers.count > 1 { _ = try file.hold() }
    for number in numbers {
      let part = try part(number, of: shard.header, file, unpacks: true)
      let columns = try part.columns(
        unpack: { (packed) throws(IndexError) in
          try self.columns(packed, of: part, path: directory.filePath(String(cString: name)))
        }, grew: { _ in })
      let wantsMore = body(shard, part, columns)
      withExtendedLifetime((shard, part)) {}
      guard wantsMore else { return }
    }
  }

  /// Reads and checks the header of a shard.
  private func header(
    _ file: borrowing IndexFile, _ source: Manifest.Source, fieldNumber: (UnsafeBufferPointer<UInt8>) -> Int?
  ) throws(IndexError) -> ShardHeader {
    let entry = source.file
    let context = contexts.take()
    defer { contexts.put(context) }
    try ReadingTerms.admit(entry.headerSize + entry.headerContentSize, in: directory)
    let bytes = context.fileRoom(entry.headerSize)
    try file.read(from: 0, size: entry.headerSize, into: bytes)
    let frame = UnsafeBufferPointer(start: bytes, count: entry.headerSize)
    return try unpack(frame, entry.headerContentSize, entry.headerChecksum, with: context, file.path) {
      (content, _) throws(FormatError) in
      try ShardHeader(
        content: content, records: source.recordCount, fileSize: entry.size, frameSize: entry.headerSize,
        name: fieldNumber)
    }
  }

  /// Reads a part of a shard whose header is there, and checks its keys.
  ///
  /// - Parameter unpacks: Whether its fields are wanted next, and unpacked at once. Where they are damaged they stay compressed:
  ///   whoever wants them is told.
  func part(
    _ number: Int, of header: ShardHeader, _ file: borrowing IndexFile, unpacks: Bool
  ) throws(IndexError) -> LoadedPart {
    let part = header.parts[number]
    try ReadingTerms.admit(part.weight, in: directory)
    // The header's sizes add up to the file's.
    let context = contexts.take()
    defer { contexts.put(context) }
    let bytes = context.fileRoom(part.fileSize)
    try file.read(from: part.offset, size: part.fileSize, into: bytes)
    let frame = UnsafeBufferPointer(start: bytes, count: part.keysSize)
    let keys = try unpack(frame, part.keysContentSize, part.keysChecksum, with: context, file.path) {
      (content, table) throws(FormatError) in
      try KeyBlocks(content: content, records: part.recordCount, header: header, table: table)
    }
    let packed = UnsafeBufferPointer(start: bytes + part.keysSize, count: part.fieldsSize)
    if unpacks, let columns = try? columns(packed, part, of: header, with: context, file.path) {
      return LoadedPart(keys: keys, number: number, header: header, columns: columns)
    }
    return LoadedPart(keys: keys, number: number, header: header, fields: packed)
  }

  /// Unpacks and checks the fields of a part.
  ///
  /// - Parameter path: Of the file they were read from.
  func columns(
    _ frame: UnsafeBufferPointer<UInt8>, of part: LoadedPart, path: @autoclosure () -> String
  ) throws(IndexError) -> FieldColumns {
    let context = contexts.take()
    defer { contexts.put(context) }
    return try columns(frame, part.header.parts[part.number], of: part.header, with: context, path())
  }

  @inline(__always)
  private func columns(
    _ frame: UnsafeBufferPointer<UInt8>, _ part: PartTable.Part, of header: ShardHeader, with context: Decompressor,
    _ path: @autoclosure () -> String
  ) throws(IndexError) -> FieldColumns {
    try unpack(frame, part.fieldsContentSize, part.fieldsChecksum, with: context, path()) {
      (content, table) throws(FormatError) in
      try FieldColumns(content: content, records: part.recordCount, header: header, table: table)
    }
  }

  /// Lends `body` the content of a frame, unpacked or where it stands in it, and room for a Huffman code's table.
  ///
  /// - Parameter frame: ``FieldColumns/slack`` bytes behind it can be read.
  @inline(__always)
  private func unpack<Result>(
    _ frame: UnsafeBufferPointer<UInt8>, _ size: Int, _ checksum: UInt32, with context: Decompressor,
    _ path: @autoclosure () -> String,
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeMutablePointer<UInt16>) throws(FormatError) -> Result
  ) throws(IndexError) -> Result {
    guard size <= ZstdFrame.contentLimit else {
      throw .corrupt(path: path(), cause: .wrongSize(found: size, expected: ZstdFrame.contentLimit))
    }
    // Compared before anything is allocated: an old shard in the place of a new one goes no further.
    guard let found = ZstdFrame.checksum(of: frame) else {
      throw .corrupt(path: path(), cause: .zstd(reason: "a frame without a checksum"))
    }
    guard found == checksum else {
      throw .corrupt(path: path(), cause: .wrongChecksum(found: found, expected: checksum))
    }
    do throws(FormatError) {
      if let stored = ZstdFrame.storedContent(of: frame, size: size) { return try body(stored, context.table) }
      let declared = ZstdFrame.contentSize(of: frame) ?? -1
      guard declared == size else { throw .wrongSize(found: declared, expected: size) }
      return try body(context.unpack(frame, size: size), context.table)
    } catch {
      throw .corrupt(path: path(), cause: error)
    }
  }
}

/// Decompression contexts that no load is using: at most two are kept.
package final class DecompressorPool: @unchecked Sendable {
  // Each holds what it leads to. Not behind a lock, which would be taken and left for each.
  private let one = Atomic<UnsafeRawPointer?>(nil)
  private let other = Atomic<UnsafeRawPointer?>(nil)

  package init() {}

  deinit { removeAll() }

  package func take() -> Decompressor { kept() ?? Decompressor() }

  package func put(_ context: consuming Decompressor) {
    context.trim()
    let kept = UnsafeRawPointer(Unmanaged.passRetained(context).toOpaque())
    if one.compareExchange(expected: nil, desired: kept, ordering: .releasing).exchanged { return }
    if other.compareExchange(expected: nil, desired: kept, ordering: .releasing).exchanged { return }
    Unmanaged<Decompressor>.fromOpaque(kept).release()
  }

  func removeAll() { while kept() != nil {} }

  private func kept() -> Decompressor? {
    guard let kept = one.exchange(nil, ordering: .acquiring) ?? other.exchange(nil, ordering: .acquiring) else {
      return nil
    }
    return Unmanaged<Decompressor>.fromOpaque(kept).takeRetainedValue()
  }
}
