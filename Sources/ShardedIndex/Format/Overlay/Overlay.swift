import CSystem

/// Changes of a few records beside the shards of a generation: which are removed, and which are added where.
/// Source: docs/format.md §11.
///
/// It stands next to one manifest, which it names; next to another it means nothing. All of it is checked when it is made,
/// so that nothing it says leads out of it; that it says what an update would, only verification asks. How it stands in
/// its file is what ``OverlaySlots`` knows.
package final class Overlay: @unchecked Sendable {  // Only read once it is made.
  package static let magic: UInt32 = 0x314f_5153  // "SQO1"
  package static let version = 3
  package static let fileName = "overlay"
  package static let headerSize = 56
  /// What the checksum is not of: the magic, the version and itself.
  package static let checkedFrom = 16
  /// Where its size stands in it.
  package static let sizeOffset = 44

  /// A record that is added.
  package struct Added: BitwiseCopyable {
    /// Records of the shards before it, removed ones included.
    package let before: Int
    /// Records of the answers to the empty prefix before it.
    package let position: Int
    /// Of the overlay, in bytes: where what stands behind `before` begins, the folded key, what is said of the fields, and
    /// their texts; and where those end.
    fileprivate let start: Int
    fileprivate let folded: Int
    fileprivate let foldedSize: Int
    fileprivate let fields: Int
    package let fieldCount: Int
    fileprivate let texts: Int
    fileprivate let end: Int
  }

  /// One field of a record that is added.
  package struct Field {
    /// Index into the index's field names.
    package let name: Int
    package let kind: UInt8
    package let text: UnsafeBufferPointer<UInt8>
  }

  /// All of it, and ``RecordOutput/slack`` behind it.
  private let storage: UnsafeMutablePointer<UInt8>
  /// In bytes.
  package let size: Int
  /// Of the file that it was read from, in bytes.
  package private(set) var fileSize = 0
  /// Of its content: two overlays of a manifest that have the same are the same.
  package let checksum: UInt64
  /// No record of the shards has an id that is a ``wholeNumber(_:)`` and above this; the greatest there is if none is known.
  package let greatestID: UInt64
  /// Places among the records of the shards, ascending.
  package let removed: [Int]
  /// In order.
  package let added: [Added]
  /// How many records more than in the shards lie in cells of the map, by cell.
  package let cells: [(cell: Int, more: Int)]

  /// Takes an overlay's file.
  ///
  /// - Returns: nil if it is beside another manifest than the one that it names, what a rebuild left, or no overlay was written
  ///   into it to its end: nothing is changed.
  static func reading(_ file: borrowing IndexFile, beside manifest: Manifest) throws(IndexError) -> Overlay? {
    guard file.size <= OverlaySlots.fileLimit else {
      throw .corrupt(path: file.path, cause: .wrongSize(found: file.size, expected: OverlaySlots.fileLimit))
    }
    guard let content = try content(of: file) else { return nil }
    do throws(FormatError) {
      let overlay = try content.withUnsafeBufferPointer { (content) throws(FormatError) in
        try Overlay(content, beside: manifest)
      }
      overlay?.fileSize = file.size
      return overlay
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  /// The overlay of a directory, as if a manifest were the one in it.
  ///
  /// - Returns: nil if there is none, or one of another manifest, or none that was written to its end.
  package static func reading(in directory: IndexDirectory, beside manifest: Manifest) throws(IndexError) -> Overlay? {
    guard let file = try directory.overlayFile() else { return nil }
    return try reading(file, beside: manifest)
  }

  private static func content(of file: borrowing IndexFile) throws(IndexError) -> [UInt8]? {
    var attempt = 1
    var last: [UInt8]? = []
    while true {
      let bytes = try file.read(from: 0, size: file.size)
      defer { bytes.deallocate() }
      do throws(FormatError) {
        let slots: OverlaySlots
        do throws(FormatError) {
          slots = try OverlaySlots(UnsafeBufferPointer(bytes))
        } catch {
          guard case .invalid = error, file.isOverlayUnsettled() else { throw error }
          slots = try OverlaySlots(UnsafeBufferPointer(bytes), isUnsettled: true)
        }
        // While the one slot was read the other one may have been written, and then the one: what stays is what there is.
        if !slots.isOtherUnfinished || slots.content == last || attempt == attempts { return slots.content }
        last = slots.content
      } catch {
        // An update that is writing in this moment may be seen between two bytes; damage stays.
        guard case .invalid = error, attempt < attempts else { throw .corrupt(path: file.path, cause: error) }
        usleep(500)
      }
      attempt += 1
    }
  }

  /// Whether a directory has an overlay's file with no overlay in it.
  package static func isBlank(in directory: IndexDirectory) throws(IndexError) -> Bool {
    guard let file = try directory.overlayFile(), file.size <= OverlaySlots.fileLimit else { return false }
    return try content(of: file) == nil
  }

  private static let attempts = 10

  /// Looks at every sector of the overlay's file, also at those that no reader needs.
  ///
  /// - Throws: ``IndexError/corrupt(path:cause:)`` if one is damaged that no write can have left so.
  package static func checkSectors(in directory: IndexDirectory) throws(IndexError) {
    guard let file = try directory.overlayFile(), file.size <= OverlaySlots.fileLimit else { return }
    for attempt in 1...attempts {
      let bytes = try file.read(from: 0, size: file.size)
      defer { bytes.deallocate() }
      do throws(FormatError) {
        _ = try OverlaySlots.lastNumber(in: UnsafeBufferPointer(bytes))
        return
      } catch {
        // One that is written in this moment, or has been replaced, is none.
        if file.isOverlayUnsettled() || !directory.isOverlay(file.stamp) { return }
        guard attempt < attempts else { throw .corrupt(path: file.path, cause: error) }
        usleep(500)
      }
    }
  }

  /// Writes what an overlay begins with, and so its file.
  package static func writeStart(to writer: inout ByteWriter) {
    writer.write(magic)
    writer.write(UInt16(version))
    writer.write(UInt16(0))
  }

  /// Reads what every overlay begins with, whatever its version.
  static func checkStart(_ reader: inout ByteReader) throws(FormatError) {
    let magic = try reader.read(UInt32.self)
    guard magic == Self.magic else { throw .wrongMagic(found: magic, expected: Self.magic) }
    let version = Int(try reader.read(UInt16.self))
    guard version == Self.version else { throw .unsupportedVersion(found: version, supported: Self.version) }
    _ = try reader.read(UInt16.self)
  }

  /// - Parameter bytes: All of it; copied.
  package convenience init?(_ bytes: UnsafeBufferPointer<UInt8>, beside manifest: Manifest) throws(FormatError) {
    var reader = ByteReader(bytes)
    try Self.checkStart(&reader)
    let checksum = try reader.read(UInt64.self)
    let found = Self.checksum(of: UnsafeBufferPointer(rebasing: bytes[reader.offset...]))
    guard found == checksum else { throw .invalid(reason: "has another checksum than it says", offset: 8) }
    let size = try reader.read(UInt64.self)
    let root = try reader.read(UInt64.self)
    guard size == UInt64(manifest.fileSize), root == manifest.rootChecksum else { return nil }
    try self.init(bytes, reader, checksum, records: manifest.recordCount, fields: manifest.fieldCount)
  }

  private init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: ByteReader, _ checksum: UInt64, records: Int, fields: Int
  ) throws(FormatError) {
    var reader = start
    func fault(_ reason: String) -> FormatError { .invalid(reason: reason, offset: reader.offset) }
    let removedCount = Int(try reader.read(UInt32.self))
    let addedCount = Int(try reader.read(UInt32.self))
    let cellCount = Int(try reader.read(UInt32.self))
    let size = Int(try reader.read(UInt32.self))
    guard size == bytes.count else { throw .wrongSize(found: bytes.count, expected: size) }
    greatestID = try reader.read(UInt64.self)

    // What a header says of counts is believed as far as there are bytes: room is made as they come.
    var removed: [Int] = []
    var next = 0
    for _ in 0..<removedCount {
      next += try reader.readPosition()
      guard next < records else { throw fault("removes a record that no shard has") }
      removed.append(next)
      next += 1
    }
    var added: [Added] = []
    var before = 0
    var removedBefore = 0
    var last = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    // Per name, the last record that has a field of it, counted from 1.
    var holders = [UInt32](repeating: 0, count: addedCount > 0 ? fields : 0)
    for number in 0..<addedCount {
      before += try reader.readPosition()
      guard before <= records else { throw fault("adds a record behind all that there are") }
      while removedBefore < removed.count, removed[removedBefore] < before { removedBefore += 1 }
      let start = reader.offset
      let foldedSize = try reader.readVarint()
      let foldedStart = reader.offset
      let folded = try reader.read(bytes: foldedSize)
      guard Self.isAscending(last, folded) else { throw fault("adds a record with a key below the one before") }
      last = folded
      let fieldCount = try reader.readVarint()
      guard fieldCount <= ShardHeader.columnLimit else { throw fault("adds a record of \(fieldCount) fields") }
      let fieldsStart = reader.offset
      var size = 0
      for _ in 0..<fieldCount {
        let name = try reader.readVarint()
        guard name < fields else { throw fault("has a field without a name") }
        // Written into a shard it would be one that nobody reads.
        guard holders[name] <= number else { throw fault("has a field twice in a record") }
        holders[name] = UInt32(number) + 1
        let word = try reader.readVarint()
        guard word & 3 <= 2 else { throw fault("has a field of kind 3") }
        size += word >> 2
      }
      let texts = reader.offset
      _ = try reader.read(bytes: size)
      added.append(
        Added(
          before: before, position: before - removedBefore + number, start: start, folded: foldedStart,
          foldedSize: foldedSize, fields: fieldsStart, fieldCount: fieldCount, texts: texts, end: reader.offset))
    }
    var cells: [(cell: Int, more: Int)] = []
    var cell = 0
    for _ in 0..<cellCount {
      cell += try reader.readVarint()
      let more = try reader.readSignedVarint()
      guard cell < DensityGrid.columns * DensityGrid.rows, more != 0, more.magnitude <= UInt32.max else {
        throw fault("changes a cell that is not on the map")
      }
      cells.append((cell, Int(more)))
      cell += 1
    }
    guard reader.remaining == 0 else { throw fault("has bytes behind its end") }

    (self.removed, self.added, self.cells, self.checksum) = (removed, added, cells, checksum)
    self.size = bytes.count
    storage = .allocate(capacity: bytes.count + RecordOutput.slack)
    storage.copy(from: bytes.baseAddress!, count: bytes.count)
    (storage + bytes.count).initialize(repeating: 0, count: RecordOutput.slack)
  }

  deinit { storage.deallocate() }

  /// What the header says of all behind it.
  package static func checksum(of bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    XXHash64.hash(UnsafeRawBufferPointer(bytes))
  }

  private static func isAscending(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
    let count = min(a.count, b.count)
    for index in 0..<count where a[index] != b[index] { return a[index] < b[index] }
    return a.count <= b.count
  }

  /// The number whose decimal text this is, in the one way that there is to write it: so what is above all of those is none
  /// of them. nil for any other text, and for the greatest number there is.
  package static func wholeNumber(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard 1...20 ~= text.count, text[0] != UInt8(ascii: "0") || text.count == 1 else { return nil }
    var number: UInt64 = 0
    for byte in text {
      let digit = byte &- UInt8(ascii: "0")
      let (tens, isOver) = number.multipliedReportingOverflow(by: 10)
      let (sum, isOverToo) = tens.addingReportingOverflow(UInt64(digit))
      guard digit < 10, !isOver, !isOverToo else { return nil }
      number = sum
    }
    return number < .max ? number : nil
  }

  // MARK: Records

  /// All of it; where texts are says ``forEachField(of:_:)``.
  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: size) }

  /// The folded key of a record that is added.
  package func folded(_ number: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage + added[number].folded, count: added[number].foldedSize)
  }

  /// What it says of a record that is added, but for how many are before it.
  package func content(_ number: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage + added[number].start, count: added[number].end - added[number].start)
  }

  /// Calls `body` with each field of a record that is added, in order.
  package func forEachField(of number: Int, _ body: (Field) -> Void) {
    let record = added[number]
    var reader = ByteReader(UnsafeBufferPointer(start: storage + record.fields, count: record.texts - record.fields))
    var text = storage + record.texts
    for _ in 0..<record.fieldCount {
      // Readable: checked when made.
      guard let name = try? reader.readVarint(), let word = try? reader.readVarint() else { return }
      body(
        Field(
          name: name, kind: UInt8(truncatingIfNeeded: word & 3),
          text: UnsafeBufferPointer(start: text, count: word >> 2)))
      text += word >> 2
    }
  }

  func decode(_ number: Int, into output: inout RecordOutput) {
    let count = added[number].fieldCount
    output.reserve(records: 1, fields: count)
    var field = 0
    forEachField(of: number) { decoded in
      let size = decoded.text.count
      let start = output.append(decoded.text.baseAddress!, size)
      let column = RecordOutput.Field.column(name: UInt16(truncatingIfNeeded: decoded.name), kind: decoded.kind)
      (output.fields + output.fieldCount + field).initialize(to: .init(text: start, size: size, column: column))
      field += 1
    }
    output.endRecord(fields: count)
  }

  // MARK: Positions

  /// How many records more there are than in the shards.
  package var growth: Int { added.count - removed.count }

  /// How many removed records stand before a place among the records of the shards.
  package func removedCount(before place: Int) -> Int {
    Self.count(removed.count) { removed[$0] < place }
  }

  package func isRemoved(_ place: Int) -> Bool {
    let number = removedCount(before: place)
    return number < removed.count && removed[number] == place
  }

  /// The added records whose folded keys belong to a run.
  private func added(of run: TypedRun) -> Range<Int> {
    /// Negative if a key comes before all that begin with the prefix, 0 if it does begin with it.
    func order(_ number: Int, _ prefix: UnsafeBufferPointer<UInt8>) -> Int {
      let key = folded(number)
      for index in 0..<min(key.count, prefix.count) where key[index] != prefix[index] {
        return key[index] < prefix[index] ? -1 : 1
      }
      return key.count < prefix.count ? -1 : 0
    }
    let lower = Self.count(added.count) { order($0, run.word) < 0 }
    return lower..<max(lower, Self.count(added.count) { order($0, run.text) <= 0 })
  }

  /// The matches of a run, where those in the shards are known.
  ///
  /// - Parameters:
  ///   - range: The places of those, and where the first of them would be if there are none.
  ///   - hasMore: Whether there are others beyond these; then they are enough for `limit`.
  func matches(
    of run: TypedRun, inShards range: Range<Int>, hasMore: Bool, limit: Int
  ) -> Range<Int> {
    let added = added(of: run)
    let lower = range.lowerBound - removedCount(before: range.lowerBound) + added.lowerBound
    if hasMore { return lower..<lower + limit + 1 }
    return lower..<max(lower, range.upperBound - removedCount(before: range.upperBound) + added.upperBound)
  }

  /// Calls `shards` with the places in the shards, and `own` with the number of each added record, that stand at some
  /// positions of the answer to the empty prefix, in order.
  func forEachRun(
    from lower: Int, to upper: Int, shards: (Range<Int>) throws(IndexError) -> Void,
    own: (Int) throws(IndexError) -> Void
  ) throws(IndexError) {
    var position = lower
    var number = addedCount(before: lower)
    while position < upper {
      if number < added.count, added[number].position == position {
        try own(number)
        number += 1
        position += 1
      } else {
        let (place, nextRemoved) = self.place(ofKept: position - number)
        var end = min(upper, number < added.count ? added[number].position : .max)
        if nextRemoved < removed.count { end = min(end, position + removed[nextRemoved] - place) }
        try shards(place..<place + end - position)
        position = end
      }
    }
  }

  /// The places in the shards from the first to the last of the records at some positions; empty if all are added.
  func places(from lower: Int, to upper: Int) -> Range<Int> {
    // Counted without those that are added or removed.
    let (first, end) = (lower - addedCount(before: lower), upper - addedCount(before: upper))
    let start = place(ofKept: first).place
    return start..<(first < end ? place(ofKept: end - 1).place + 1 : start)
  }

  private func addedCount(before position: Int) -> Int {
    Self.count(added.count) { added[$0].position < position }
  }

  /// Where in the shards a record stands, counted among those that are not removed, and which removed one is next.
  private func place(ofKept kept: Int) -> (place: Int, nextRemoved: Int) {
    let removedCount = Self.count(removed.count) { removed[$0] - $0 <= kept }
    return (kept + removedCount, removedCount)
  }

  /// How many of `count` numbers fulfil a condition that those do which come first.
  private static func count(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension ByteReader {
  /// A distance between places, of which an index has more than 32 bits hold.
  fileprivate mutating func readPosition() throws(FormatError) -> Int {
    let value = try readSignedVarint()
    guard value >= 0, value <= 1 << 48 else { throw .invalid(reason: "a number out of range", offset: offset) }
    return Int(value)
  }
}
