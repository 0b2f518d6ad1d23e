/// The steps that make an ``Overlay`` from bytes. Each step checks its result.
@safe struct OverlayParser: ~Escapable {
  struct OverlayHeader {
    let manifestSize: UInt64
    let rootChecksum: UInt64
    let greatestID: UInt64
    let removedCount: Int
    let addedCount: Int
    let cellCount: Int
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var reader: ByteReader
  /// The number of records in the shards.
  private let recordCount: Int
  /// The number of field names in the manifest.
  private let nameCount: Int

  @_lifetime(borrow bytes)
  init(_ bytes: UnsafeBufferPointer<UInt8>, recordCount: Int, nameCount: Int) {
    unsafe (self.bytes, self.recordCount, self.nameCount) = (bytes, recordCount, nameCount)
    reader = unsafe ByteReader(bytes)
  }

  private func fault(_ reason: String) -> FormatError { .invalid(reason: reason, offset: reader.offset) }

  /// Parses the start, checks the checksum, and returns it.
  mutating func parseStart() throws(FormatError) -> UInt64 {
    let magic = try reader.read(UInt32.self)
    guard magic == Overlay.magic else { throw .wrongMagic(found: magic, expected: Overlay.magic) }
    let version = try reader.read(UInt32.self)
    guard version == Overlay.version else {
      throw .unsupportedVersion(found: Int(version), supported: Int(Overlay.version))
    }
    let checksum = try reader.read(UInt64.self)
    guard unsafe checksum == Overlay.checksum(of: UnsafeBufferPointer(rebasing: bytes[reader.offset...])) else {
      throw .invalid(reason: "has another checksum than its head says", offset: 8)
    }
    return checksum
  }

  mutating func parseHeader() throws(FormatError) -> OverlayHeader {
    OverlayHeader(
      manifestSize: try reader.read(UInt64.self), rootChecksum: try reader.read(UInt64.self),
      greatestID: try reader.read(UInt64.self), removedCount: try reader.readCount(),
      addedCount: try reader.readCount(), cellCount: try reader.readCount())
  }

  // Arrays grow with their members, since a header may have a larger count than there are bytes.

  mutating func parseRemoved(_ count: Int) throws(FormatError) -> [Int] {
    var removed: [Int] = []
    var next = 0
    for _ in 0..<count {
      next = try parsePosition(after: next)
      guard next < recordCount else { throw fault("removes a record that no shard has") }
      removed.append(next)
      next += 1
    }
    return removed
  }

  mutating func parseAdded(_ count: Int, removed: [Int]) throws(FormatError) -> [Overlay.Added] {
    var added: [Overlay.Added] = []
    var before = 0
    var removedBefore = 0
    var last = 0..<0
    // For each name, the number of the last record with such a field, from 1.
    var holders = [UInt32](repeating: 0, count: count > 0 ? nameCount : 0)
    for number in 0..<count {
      before = try parsePosition(after: before)
      guard before <= recordCount else { throw fault("adds a record behind the last record") }
      while removedBefore < removed.count, removed[removedBefore] < before { removedBefore += 1 }
      let start = reader.offset
      let foldedSize = try reader.readVarint()
      _ = unsafe try reader.read(bytes: foldedSize)
      let folded = reader.offset - foldedSize..<reader.offset
      guard unsafe !bytes[folded].lexicographicallyPrecedes(bytes[last]) else {
        throw fault("adds a record with a key below the one before")
      }
      last = folded
      let fieldCount = try reader.readVarint()
      guard fieldCount <= ShardHeader.columnLimit else { throw fault("adds a record of \(fieldCount) fields") }
      let fieldsStart = reader.offset
      let size = try parseFields(fieldCount, of: number, &holders)
      let fields = fieldsStart..<reader.offset
      _ = unsafe try reader.read(bytes: size)
      added.append(
        Overlay.Added(
          before: before, position: before - removedBefore + number, folded: folded, fields: fields,
          fieldCount: fieldCount, content: start..<reader.offset))
    }
    return added
  }

  /// Returns the size of the texts of a record's fields, in bytes.
  private mutating func parseFields(
    _ count: Int, of number: Int, _ holders: inout [UInt32]
  ) throws(FormatError) -> Int {
    var size = 0
    for _ in 0..<count {
      let name = try reader.readVarint()
      guard name < nameCount else { throw fault("has a field without a name") }
      // Every reader would refuse a shard with such a record.
      guard holders[name] <= number else { throw fault("has a field twice in a record") }
      holders[name] = UInt32(number) + 1
      let word = try reader.readVarint()
      guard word & 3 <= 2 else { throw fault("has a field of the unknown kind 3") }
      // A size behind the end is refused later, when the sum is read.
      size = min(size + word >> 2, reader.count)
    }
    return size
  }

  mutating func parseCells(_ count: Int) throws(FormatError) -> [(cell: Int, more: Int)] {
    var cells: [(cell: Int, more: Int)] = []
    var cell = 0
    for _ in 0..<count {
      cell += try reader.readVarint()
      let more = try reader.readSignedVarint()
      guard cell < DensityGrid.columns * DensityGrid.rows, more != 0, more.magnitude <= UInt32.max else {
        throw fault("changes a cell beyond the density grid")
      }
      cells.append((cell, Int(clamping: more)))
      cell += 1
    }
    return cells
  }

  func finish() throws(FormatError) {
    guard reader.remaining == 0 else { throw fault("has bytes behind its end") }
  }

  /// Reads the distance to the next position, in up to 64 bits for indexes of over 2^32 records.
  private mutating func parsePosition(after position: Int) throws(FormatError) -> Int {
    let distance = try reader.readSignedVarint()
    guard 0...Int64(1) << 48 ~= distance, let distance = Int(exactly: distance) else {
      throw fault("has a number out of range")
    }
    let (sum, isOver) = position.addingReportingOverflow(distance)
    guard !isOver else { throw fault("has a number out of range") }
    return sum
  }
}
