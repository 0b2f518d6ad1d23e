#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The sorted list of an index's shards, searched in the bytes it is stored in. Source: docs/format.md §3.
///
/// The content of the manifest file, which is one zstd frame. Opening an index reads this and nothing else.
package final class Manifest: @unchecked Sendable {
  package static let magic: UInt32 = 0x314d_5153  // "SQM1"
  package static let version = 1
  package static let headerSize = 48
  package static let fileName = "manifest"

  /// What lies where, by the number that stands in the file; sections of other numbers are passed over.
  package enum Section: UInt32, CaseIterable, Sendable {
    /// u64 per shard: the first eight bytes of its lower bound, as a number that orders as they do.
    case heads = 1
    /// u64 per shard and one more: records in all shards before it.
    case firstRecords = 2
    /// u32 per shard: where its lower bound ends in `bounds`.
    case boundEnds = 3
    /// The lower bounds, one after the other.
    case bounds = 4
    /// 20 bytes per shard: five u32 as in ``File``, the last one its flags.
    case files = 5
    /// 16 bytes per shard: the first half of the SHA-256 of its file.
    case digests = 6
    /// Per field a varint size and its path.
    case fieldNames = 7
    /// Pairs of texts, each with a varint size before it.
    case settings = 8
    /// 8 bytes per shard: the first two characters of its first key, zeros behind them. File names begin with them.
    case labels = 9
  }

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

  private let storage: UnsafeMutableRawBufferPointer
  private let content: UnsafeBufferPointer<UInt8>
  /// All records of the index.
  package let recordCount: Int
  package let shardCount: Int
  /// The build option: bytes of uncompressed shard.
  package let shardLimit: Int
  package let foldVersion: UInt32
  private let heads: UnsafePointer<UInt8>
  private let firstRecords: UnsafePointer<UInt8>
  private let boundEnds: UnsafePointer<UInt8>
  private let bounds: UnsafeBufferPointer<UInt8>
  private let files: UnsafePointer<UInt8>
  private let digests: UnsafePointer<UInt8>
  private let labels: UnsafePointer<UInt8>
  package let fieldNameSection: UnsafeBufferPointer<UInt8>
  package let fieldCount: Int
  private let settings: UnsafeBufferPointer<UInt8>

  /// Decompresses and checks the bytes of a manifest file.
  package init(file: UnsafeBufferPointer<UInt8>, with decompressor: Decompressor) throws(FormatError) {
    guard ZstdFrame.checksum(of: file) != nil else { throw .zstd(reason: "a frame without a checksum") }
    guard let size = ZstdFrame.contentSize(of: file), size <= ZstdFrame.contentLimit else {
      throw .zstd(reason: "no frame header with a content size this version accepts")
    }
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
    let content = UnsafeBufferPointer(
      start: UnsafePointer(storage.baseAddress!.assumingMemoryBound(to: UInt8.self)), count: size)
    do throws(FormatError) {
      try ZstdFrame.decompress(
        file, into: UnsafeMutableRawBufferPointer(rebasing: storage[..<size]), with: decompressor)
      var reader = ByteReader(content)
      let magic = try reader.read(UInt32.self)
      guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
      let version = Int(try reader.read(UInt16.self))
      guard version == Self.version else { throw .unsupportedVersion(found: version, supported: Self.version) }
      _ = try reader.read(UInt16.self)
      foldVersion = try reader.read(UInt32.self)
      let sectionCount = Int(try reader.read(UInt32.self))
      let hash = try reader.read(UInt64.self)
      guard foldVersion == Fold.version, hash == Fold.tableHash else {
        throw .otherFold(found: UInt32(truncatingIfNeeded: hash), supported: UInt32(truncatingIfNeeded: Fold.tableHash))
      }
      let records = try reader.read(UInt64.self)
      shardCount = Int(try reader.read(UInt32.self))
      shardLimit = Int(try reader.read(UInt32.self))
      fieldCount = Int(try reader.read(UInt32.self))
      _ = try reader.read(UInt32.self)
      guard records <= UInt64(Int64.max), fieldCount <= 65536, sectionCount <= 64 else {
        throw .invalid(reason: "counts beyond what an index can hold", offset: 24)
      }
      recordCount = Int(records)
      let sections = reader.offset
      _ = try reader.read(bytes: 24 * sectionCount)
      /// The bytes of a section, wherever the table says that they are.
      func section(_ section: Section, size wanted: Int?) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
        for index in 0..<sectionCount {
          let entry = UnsafeRawPointer(content.baseAddress! + sections + 24 * index)
          guard UInt32(littleEndian: entry.loadUnaligned(as: UInt32.self)) == section.rawValue else { continue }
          let offset = UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
          let length = UInt64(littleEndian: entry.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
          guard offset <= UInt64(size), length <= UInt64(size) - offset, wanted == nil || length == UInt64(wanted!)
          else {
            throw .invalid(
              reason: "section \(section.rawValue) has \(length) bytes at \(offset)", offset: sections + 24 * index)
          }
          return UnsafeBufferPointer(rebasing: content[Int(offset)..<Int(offset + length)])
        }
        throw .invalid(reason: "section \(section.rawValue) is missing", offset: sections)
      }
      let count = shardCount
      heads = try section(.heads, size: 8 * count).baseAddress ?? content.baseAddress!
      firstRecords = try section(.firstRecords, size: 8 * (count + 1)).baseAddress!
      boundEnds = try section(.boundEnds, size: 4 * count).baseAddress ?? content.baseAddress!
      bounds = try section(.bounds, size: nil)
      files = try section(.files, size: File.width * count).baseAddress ?? content.baseAddress!
      digests = try section(.digests, size: 16 * count).baseAddress ?? content.baseAddress!
      labels = try section(.labels, size: 8 * count).baseAddress ?? content.baseAddress!
      fieldNameSection = try section(.fieldNames, size: nil)
      settings = try section(.settings, size: nil)
      // Positions up to the count must lead to a shard; `verify` checks the sums between.
      let last = UnsafeRawPointer(firstRecords).loadUnaligned(fromByteOffset: 8 * count, as: UInt64.self)
      guard UInt64(littleEndian: last) == records else {
        throw .invalid(reason: "records do not add up", offset: 24)
      }
    } catch {
      storage.deallocate()
      throw error
    }
    self.storage = storage
    self.content = content
  }

  deinit { storage.deallocate() }

  /// Bytes that it keeps in memory.
  package var size: Int { storage.count }

  /// Reads every entry and checks that they agree with each other. ``init(file:with:)`` leaves that to the queries, which check what they use.
  package func verify() throws(FormatError) {
    var end = 0
    for shard in 0..<shardCount {
      let next = Int(word32(boundEnds, shard))
      guard next >= end, next <= bounds.count else {
        throw .invalid(reason: "lower bound \(shard) is misplaced", offset: 0)
      }
      end = next
      let bound = self.bound(shard)
      guard head(shard) == KeyBlocks.head(of: bound) else {
        throw .invalid(reason: "head \(shard) is not its bound's", offset: 0)
      }
      if shard > 0 {
        let order = compare(self.bound(shard - 1), bound)
        guard order < 0 || (order == 0 && isContinuation(shard)) else {
          throw .invalid(reason: "lower bound \(shard) is not above the one before", offset: 0)
        }
      } else {
        guard bound.isEmpty else { throw .invalid(reason: "the first lower bound is not empty", offset: 0) }
      }
      guard word64(firstRecords, shard) < word64(firstRecords, shard + 1) else {
        throw .invalid(reason: "shard \(shard) has no records", offset: 0)
      }
    }
    guard word64(firstRecords, 0) == 0, word64(firstRecords, shardCount) == UInt64(recordCount) else {
      throw .invalid(reason: "records do not add up", offset: 0)
    }
  }

  @inline(__always) private func word64(_ section: UnsafePointer<UInt8>, _ index: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(section).loadUnaligned(fromByteOffset: 8 &* index, as: UInt64.self))
  }

  @inline(__always) private func word32(_ section: UnsafePointer<UInt8>, _ index: Int) -> UInt32 {
    UInt32(littleEndian: UnsafeRawPointer(section).loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self))
  }

  @inline(__always) private func head(_ shard: Int) -> UInt64 { word64(heads, shard) }

  /// Records in all shards before `shard`, which may be one past the last.
  @inline(__always) package func firstRecord(of shard: Int) -> Int {
    Int(truncatingIfNeeded: min(word64(firstRecords, shard), UInt64(recordCount)))
  }

  package func recordCount(of shard: Int) -> Int { firstRecord(of: shard + 1) - firstRecord(of: shard) }

  /// The lower bound of `shard`; an empty one if the manifest misplaces it.
  package func bound(_ shard: Int) -> UnsafeBufferPointer<UInt8> {
    let end = Int(word32(boundEnds, shard))
    let start = shard == 0 ? 0 : Int(word32(boundEnds, shard &- 1))
    guard start <= end, end <= bounds.count else { return UnsafeBufferPointer(start: content.baseAddress, count: 0) }
    return UnsafeBufferPointer(start: bounds.baseAddress.map { $0 + start }, count: end &- start)
  }

  package func file(of shard: Int) -> File {
    let base = files + File.width &* shard
    return File(
      size: Int(word32(base, 0)), headerSize: Int(word32(base, 1)), headerContentSize: Int(word32(base, 2)),
      headerChecksum: word32(base, 3), isContinuation: word32(base, 4) & 1 == 1)
  }

  @inline(__always) private func isContinuation(_ shard: Int) -> Bool {
    word32(files + File.width &* shard, 4) & 1 == 1
  }

  package func digest(of shard: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: digests + 16 &* shard, count: 16)
  }

  /// The file that holds `shard`.
  package func fileName(of shard: Int) -> String { withFileName(of: shard) { String(cString: $0) } }

  /// Calls `body` with the name of the file that holds `shard`, without making a `String` of it.
  package func withFileName<Result, Failure: Error>(
    of shard: Int, _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // 24 bytes of label, a hyphen, 16 digits, `.zst` and the zero fit.
    var name: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    return try withUnsafeMutableBytes(of: &name) { (bytes) throws(Failure) in
      let start = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
      _ = Self.writeFileName(
        label: UnsafeBufferPointer(start: labels + 8 &* shard, count: 8), digest: digest(of: shard), to: start)
      return try body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
    }
  }

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
  private static func writeFileName(
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

  /// The number of the field with this path, found in the bytes of the manifest; nil if no field has it.
  package func fieldNumber(of path: UnsafeBufferPointer<UInt8>) -> Int? {
    var reader = ByteReader(fieldNameSection)
    for number in 0..<fieldCount {
      guard let size = try? reader.readVarint(), let name = try? reader.read(bytes: size) else { return nil }
      if size == path.count, memcmp(name.baseAddress!, path.baseAddress!, size) == 0 { return number }
    }
    return nil
  }

  /// The value of a setting; nil if the manifest has none of that name.
  package func setting(_ wanted: StaticString) -> String? {
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

  // MARK: Search

  private func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    var index = 0
    let end = min(a.count, b.count)
    while index < end {
      if a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
      index &+= 1
    }
    return a.count - b.count
  }

  private func begins(_ bytes: UnsafeBufferPointer<UInt8>, with prefix: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count >= prefix.count else { return false }
    var index = 0
    while index < prefix.count {
      if bytes[index] != prefix[index] { return false }
      index &+= 1
    }
    return true
  }

  /// The shards that can hold keys which begin with `prefix`: the first to the last, both included.
  ///
  /// Every key of those strictly between begins with it. There must be a shard, and the prefix must not be empty.
  @inline(__always)
  package func shards(forPrefix prefix: UnsafeBufferPointer<UInt8>, head: UInt64) -> (first: Int, last: Int) {
    // Shards before `low` have bounds at or below the prefix.
    var low = 0
    var size = shardCount
    while size > 0 {
      let half = size >> 1
      let other = self.head(low &+ half)
      let isBelow = other < head || (other == head && compare(bound(low &+ half), prefix) <= 0)
      low = isBelow ? low &+ half &+ 1 : low
      size = isBelow ? size &- half &- 1 : half
    }
    var first = max(0, low &- 1)
    // Equal keys may run over several shards; the first of them then lies in a shard before this one.
    while first > 0, isContinuation(first), compare(bound(first), prefix) == 0 { first &-= 1 }
    var last = max(0, low &- 1)
    // Bounds above the prefix that begin with it follow at once, mostly few.
    var step = 1
    while low < shardCount, begins(bound(low), with: prefix) {
      last = low
      low &+= 1
      step &+= 1
      if step > 8 { break }
    }
    if step > 8 { last = lastShard(from: low, beginningWith: prefix) ?? last }
    return (first, last)
  }

  /// The last shard from `from` on whose bound begins with `prefix`, all that do being consecutive.
  @inline(never)
  private func lastShard(from: Int, beginningWith prefix: UnsafeBufferPointer<UInt8>) -> Int? {
    var low = from
    var size = shardCount - from
    while size > 0 {
      let half = size >> 1
      if begins(bound(low + half), with: prefix) {
        low += half + 1
        size -= half + 1
      } else {
        size = half
      }
    }
    return low > from ? low - 1 : nil
  }
}

extension Manifest {
  /// The content of a manifest, to be made a zstd frame.
  package static func encode(
    shards: [(bound: [UInt8], records: Int, file: File, digest: [UInt8], label: [UInt8])],
    shardLimit: Int, fieldNames: [String], settings: [(String, String)]
  ) -> [UInt8] {
    var sections: [(Section, ByteWriter)] = Section.allCases.map { ($0, ByteWriter()) }
    func write(_ section: Section, _ body: (inout ByteWriter) -> Void) { body(&sections[Int(section.rawValue) - 1].1) }
    var records = 0
    var boundEnd = 0
    for shard in shards {
      write(.heads) { writer in shard.bound.withUnsafeBufferPointer { writer.write(KeyBlocks.head(of: $0)) } }
      write(.firstRecords) { $0.write(UInt64(records)) }
      records += shard.records
      boundEnd += shard.bound.count
      write(.boundEnds) { $0.write(UInt32(boundEnd)) }
      write(.bounds) { $0.write(shard.bound) }
      write(.files) { writer in
        for value in [
          UInt32(shard.file.size), UInt32(shard.file.headerSize), UInt32(shard.file.headerContentSize),
          shard.file.headerChecksum, shard.file.isContinuation ? 1 : 0,
        ] { writer.write(value) }
      }
      write(.digests) { $0.write(shard.digest.prefix(16)) }
      write(.labels) { $0.write(shard.label) }
    }
    write(.firstRecords) { $0.write(UInt64(records)) }
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
    var header = ByteWriter()
    header.write(magic)
    header.write(UInt16(version))
    header.write(UInt16(0))
    header.write(Fold.version)
    header.write(UInt32(sections.count))
    header.write(Fold.tableHash)
    header.write(UInt64(records))
    header.write(UInt32(shards.count))
    header.write(UInt32(shardLimit))
    header.write(UInt32(fieldNames.count))
    header.write(UInt32(0))
    var offset = headerSize + 24 * sections.count
    for (section, writer) in sections {
      header.write(section.rawValue)
      header.write(UInt32(0))
      header.write(UInt64(offset))
      header.write(UInt64(writer.bytes.count))
      offset += writer.bytes.count
    }
    for (_, writer) in sections { header.write(writer.bytes) }
    return header.bytes
  }
}
