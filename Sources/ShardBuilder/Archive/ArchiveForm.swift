import CZlib
import ShardedIndex

/// The target that gets the parts of an archive, from front to back.
protocol ArchiveTarget {
  /// The offset of the places, as the first header has it; 0 if that number is written later.
  var placesStart: Int64 { get }
  /// Returns the CRC-32 of a file whose content begins at `start`. For nil the file is the manifest.
  mutating func checksum(of file: ArchivedFile?, at start: Int64) throws(PackError) -> UInt32
  /// Takes the bytes of a file. For nil the file is the manifest.
  mutating func putContent(of file: ArchivedFile?) throws(PackError)
  /// Takes the bytes of a header, of places or of the central directory.
  ///
  /// - Parameter part: Returns the name of these bytes, for messages.
  mutating func put(_ bytes: [UInt8], of part: () -> String) throws(PackError)
}

/// The name of the entry that has the places of the files.
let archivePlacesName = "places"

/// The form of an archive. Each index has exactly one archive, to the byte. Source: docs/archive.md.
struct ArchiveForm {
  private let files: ArchivedFiles
  /// The offset of the next byte.
  private(set) var position: Int64 = 0
  /// The number of entries.
  private(set) var entryCount = 0
  private var places: ByteSpill
  private var central: ByteSpill
  private var placesChecksum: UInt32 = 0

  /// The position and the count of entries from which on the archive needs records of ZIP64.
  var wideSize = Self.sizeLimit
  var wideCount = Self.countLimit
  /// The number in a plain record that refers to a record of ZIP64.
  private static var sizeLimit: Int64 { 0xffff_ffff }
  private static var countLimit: Int { 0xffff }
  private static var centralName: String { "the central directory" }

  /// - Parameter directory: The directory for temporary files; nil to hold about 100 bytes for each file in memory
  ///   instead.
  init(of files: ArchivedFiles, in directory: RunDirectory?) throws(PackError) {
    self.files = files
    do throws(BuildError) {
      (places, central) = (try ByteSpill(in: directory), try ByteSpill(in: directory))
    } catch {
      throw .build(error)
    }
  }

  /// Puts all parts to the target, in order.
  ///
  /// - Parameter step: Called after each place.
  mutating func put(to target: inout some ArchiveTarget, step: () -> Void = {}) throws(PackError) {
    try putManifest(to: &target)
    // The places of contents that may repeat: of the shards that share one key, and of all other files.
    var (shards, others): ([String: Int64], [String: Int64]) = ([:], [:])
    try files.forEach { (file) throws(PackError) in
      defer { step() }
      guard let file else { return try addPlace(0) }
      let name = file.name.text
      let isShard = Publisher.isShardName(name) && !name.hasPrefix("side-")
      if isShard, !file.mayRepeat { shards.removeAll(keepingCapacity: true) }
      if let known = isShard ? shards[name] : others[name] { return try addPlace(known) }
      let start = position + Int64(ArchiveHead.headerSize + name.utf8.count)
      let checksum = try target.checksum(of: file, at: start)
      try putHeader(name, size: Int64(file.size), checksum, [], to: &target)
      try target.putContent(of: file)
      if isShard { shards[name] = position } else { others[name] = position }
      try addPlace(position)
      position += Int64(file.size)
    }
    try putPlaces(to: &target)
    try putEnd(to: &target)
  }

  private mutating func addPlace(_ place: Int64) throws(PackError) {
    var writer = ByteWriter()
    writer.write(UInt64(place))
    placesChecksum = Checksum.crc32(writer.bytes, behind: placesChecksum)
    try places.append(writer.bytes)
  }

  private mutating func putManifest(to target: inout some ArchiveTarget) throws(PackError) {
    let manifest = files.manifest
    let checksum = try target.checksum(of: nil, at: Int64(ArchiveHead.size))
    var extra = ByteWriter()
    extra.write(ArchiveHead.tag)
    extra.write(UInt16(ArchiveHead.extraSize))
    extra.write(UInt32(ArchiveHead.version))
    extra.write(UInt64(target.placesStart))
    extra.write(UInt64(manifest.fileSize))
    try putHeader(Manifest.fileName, size: Int64(manifest.fileSize), checksum, extra.bytes, to: &target)
    try target.putContent(of: nil)
    position += Int64(manifest.fileSize)
  }

  private mutating func putPlaces(to target: inout some ArchiveTarget) throws(PackError) {
    try putHeader(archivePlacesName, size: places.size, placesChecksum, [], to: &target)
    try places.forEachRun { (run) throws(PackError) in try target.put(run) { archivePlacesName } }
    guard target.placesStart == 0 || target.placesStart == position else {
      throw .damagedPack(
        path: files.path, reason: "has its places at byte \(position), and its header says byte \(target.placesStart)")
    }
    placesPosition = position
    position += places.size
  }

  /// The offset of the places, once they have been put.
  private(set) var placesPosition: Int64 = 0

  // MARK: ZIP. Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3.7 to 4.3.16.

  private mutating func putHeader(
    _ name: String, size: Int64, _ checksum: UInt32, _ extra: [UInt8], to target: inout some ArchiveTarget
  ) throws(PackError) {
    guard size < Self.sizeLimit else {
      throw .unshippable(
        path: "\(files.path)/\(name)", reason: "has \(size) bytes; a file in an archive has less than 4 GiB")
    }
    var header = ByteWriter()
    header.write(ArchiveHead.signature)
    Self.write(name, size: size, checksum, version: 10, to: &header)
    header.write(UInt16(extra.count))
    header.write(name)
    header.write(extra)
    try target.put(header.bytes) { "the header of \(name)" }
    try addRecord(name, size: size, checksum)
    position += Int64(header.bytes.count)
    entryCount += 1
  }

  /// Writes the common fields of a local header and a record of the central directory, with the size of the name.
  private static func write(
    _ name: String, size: Int64, _ checksum: UInt32, version: UInt16, to writer: inout ByteWriter
  ) {
    writer.write(version)
    writer.write(UInt16(0))  // No flags,
    writer.write(UInt16(0))  // stored,
    writer.write(UInt16(0))  // at midnight
    writer.write(UInt16(1 << 5 | 1))  // of 1 January 1980.
    writer.write(checksum)
    writer.write(UInt32(size))
    writer.write(UInt32(size))
    writer.write(UInt16(name.utf8.count))
  }

  /// Adds the record of an entry that begins at the current position.
  private mutating func addRecord(_ name: String, size: Int64, _ checksum: UInt32) throws(PackError) {
    let isWide = position >= wideSize
    var record = ByteWriter()
    record.write(UInt32(0x0201_4b50))
    record.write(Self.madeBy)
    Self.write(name, size: size, checksum, version: isWide ? 45 : 10, to: &record)
    record.write(UInt16(isWide ? 12 : 0))  // Extra field
    record.write(UInt16(0))  // Comment
    record.write(UInt16(0))  // Disk
    record.write(UInt16(0))  // Internal attributes
    record.write(UInt32(0o100644) << 16)
    record.write(UInt32(isWide ? Self.sizeLimit : position))
    record.write(name)
    if isWide {
      record.write(UInt16(1))
      record.write(UInt16(8))
      record.write(UInt64(position))
    }
    try central.append(record.bytes)
  }

  /// Unix, version 4.5 of the specification.
  private static var madeBy: UInt16 { 3 << 8 | 45 }

  private mutating func putEnd(to target: inout some ArchiveTarget) throws(PackError) {
    let (start, size) = (position, central.size)
    try central.forEachRun { (run) throws(PackError) in try target.put(run) { Self.centralName } }
    position += size
    var end = ByteWriter()
    let isWide = entryCount >= wideCount || start >= wideSize || size >= wideSize
    if isWide {
      end.write(UInt32(0x0606_4b50))
      end.write(UInt64(44))
      end.write(Self.madeBy)
      end.write(UInt16(45))
      end.write(UInt64(0))  // Disks
      end.write(UInt64(entryCount))
      end.write(UInt64(entryCount))
      end.write(UInt64(size))
      end.write(UInt64(start))
      end.write(UInt32(0x0706_4b50))
      end.write(UInt32(0))
      end.write(UInt64(position))
      end.write(UInt32(1))
    }
    let count = UInt16(isWide ? Self.countLimit : entryCount)
    end.write(UInt32(0x0605_4b50))
    end.write(UInt32(0))
    end.write(count)
    end.write(count)
    end.write(UInt32(isWide ? Self.sizeLimit : size))
    end.write(UInt32(isWide ? Self.sizeLimit : start))
    end.write(UInt16(0))
    try target.put(end.bytes) { "the end of " + Self.centralName }
    position += Int64(end.bytes.count)
  }
}

/// Bytes that are written front to back and read once. They are in a file without a name or in memory.
struct ByteSpill {
  /// The file; nil if the bytes are in memory.
  private let file: TemporaryFile?
  private var buffer: [UInt8] = []
  private var written: Int64 = 0

  private static let bufferSize = 64 << 10

  /// - Parameter directory: The directory of the file; nil to hold the bytes in memory.
  init(in directory: RunDirectory?) throws(BuildError) {
    if let directory { file = try TemporaryFile(in: directory) } else { file = nil }
  }

  /// The size in bytes.
  var size: Int64 { written + Int64(buffer.count) }

  mutating func append(_ bytes: [UInt8]) throws(PackError) {
    buffer += bytes
    if let file, buffer.count >= Self.bufferSize { try flush(to: file) }
  }

  private mutating func flush(to file: TemporaryFile) throws(PackError) {
    do throws(BuildError) { try file.write(buffer) } catch { throw .build(error) }
    written += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with all bytes in order.
  mutating func forEachRun(_ body: ([UInt8]) throws(PackError) -> Void) throws(PackError) {
    guard let file, written > 0 else { return buffer.isEmpty ? () : try body(buffer) }
    try flush(to: file)
    for start in stride(from: 0, to: Int(written), by: Self.bufferSize) {
      let run: [UInt8]
      do throws(BuildError) {
        run = try file.bytes(from: start, size: min(Self.bufferSize, Int(written) - start))
      } catch {
        throw .build(error)
      }
      try body(run)
    }
  }
}
