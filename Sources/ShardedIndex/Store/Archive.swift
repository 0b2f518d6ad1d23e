/// An open archive: one file with all files of an index. Source: docs/archive.md.
///
/// Opening reads the beginning of the file, which has the root of the manifest and stays in memory.
package final class Archive: Sendable {
  /// The number of bytes that opening reads.
  static let headSize = 16 << 10
  /// The number of places in one read.
  private static let pageCapacity = 64
  /// The most pages of places in memory.
  private static let keptPages: Int64 = 64
  /// The size of a place, in bytes.
  private static let placeSize: Int64 = 8

  private struct TablePage: Sendable {
    let number: Int64
    let bytes: [UInt8]
  }

  private let directory: IndexDirectory
  private let file: IndexFile
  private let layout: ArchiveHead
  /// The starts of the files, for an archive that another file describes; nil if `places` has them.
  private let starts: [Int64]?
  /// The object that keeps the file open; nil if the archive does.
  private let holder: (AnyObject & Sendable)?
  /// The first bytes of the file.
  private let head: [UInt8]
  /// Some pages of places, in slots by their numbers; empty until a page is read.
  private let pages = Lock<[TablePage?]>([])

  /// The size of the archive, in bytes.
  package var size: Int64 { file.length }
  /// The start of the content of `places`, in bytes.
  package var placesStart: Int64 { layout.placesStart }
  /// The size of the manifest, in bytes.
  package var manifestSize: Int64 { layout.manifestSize }
  /// The identity of the file.
  var stamp: FileStamp { file.stamp }

  /// Reads the beginning of a file.
  ///
  /// - Throws: ``IndexError/notFound(path:)`` if the file is not an archive, ``IndexError/corrupt(path:cause:)`` if the
  ///   archive is damaged or of another version.
  init(_ file: consuming IndexFile, of directory: IndexDirectory) throws(IndexError) {
    let size = file.length
    let head = try file.read(from: 0, size: Int(min(Int64(Self.headSize), size)))
    guard ArchiveHead.isArchive(head) else { throw .notFound(path: directory.path) }
    do throws(FormatError) {
      layout = try ArchiveHead(head, size: size)
    } catch {
      throw .corrupt(path: directory.path, cause: error)
    }
    self.head = head
    self.directory = directory
    self.file = file
    (starts, holder) = (nil, nil)
  }

  /// Makes an archive from consecutive files inside another file.
  ///
  /// - Parameters:
  ///   - starts: The starts of the files in `file`, by their numbers.
  ///   - holder: The object that keeps `file` open.
  init(
    files starts: [Int64], in file: borrowing IndexFile, of directory: IndexDirectory,
    holder: AnyObject & Sendable
  ) {
    (layout, head) = (ArchiveHead(), [])
    (self.directory, self.starts, self.holder) = (directory, starts, holder)
    self.file = IndexFile(copying: file)
  }

  /// Returns a file that begins at `start`.
  func window(on file: borrowing IndexFile, _ name: FileName, from start: Int64, size: Int) throws(IndexError)
    -> IndexFile
  {
    try IndexFile(in: self, file, name, from: start, size: size)
  }

  /// Returns the manifest.
  func manifestFile() throws(IndexError) -> IndexFile {
    guard let size = Int(exactly: layout.manifestSize) else {
      throw .corrupt(
        path: directory.path, cause: .wrongSize(found: .max, expected: Manifest.fileLimit))
    }
    return try IndexFile(in: self, file, directory.manifestName, from: layout.manifestStart, size: size)
  }

  /// Returns the file `name`, which must have `size` bytes.
  ///
  /// The local header before the file is not read, which saves a round trip to another machine. A wrong place leads to
  /// bytes that fail the manifest's checksums.
  ///
  /// - Parameter number: The file's number in `places`.
  func file(_ name: FileName, size: Int, number: Int64) throws(IndexError) -> IndexFile {
    let start = try place(number)
    guard let start = Int64(exactly: start), start <= self.size, Int64(size) <= self.size - start else {
      throw .corrupt(
        path: directory.filePath(name.text),
        cause: .invalid(reason: "names a place behind the end of the archive", offset: 0))
    }
    return try IndexFile(in: self, file, name, from: start, size: size)
  }

  /// Returns bytes of the archive itself, such as headers between the index's files.
  package func read(from start: Int64, size: Int) throws(IndexError) -> [UInt8] {
    guard start >= 0, start <= self.size, Int64(size) <= self.size - start else {
      throw .corrupt(path: directory.path, cause: .invalid(reason: "ends too early", offset: Int(clamping: start)))
    }
    return try IndexFile(in: self, file, directory.manifestName, from: start, size: size, isFile: false)
      .read(from: 0, size: size)
  }

  /// Begins to fetch the places of the shards of a page of the manifest, which a query of that page reads next. Does
  /// nothing for a directory or an archive on disk.
  func expectPlaces(ofPage page: Int, firstPlace: Int64) {
    guard directory.carried != nil else { return }
    _ = try? place(firstPlace + Int64(page) * Int64(Manifest.pageCapacity))
  }

  private func place(_ number: Int64) throws(IndexError) -> UInt64 {
    if let starts {
      guard number < Int64(starts.count) else { throw withoutPlace(number) }
      return UInt64(starts[Int(number)])
    }
    let capacity = Int64(Self.pageCapacity)
    let (page, place) = number.quotientAndRemainder(dividingBy: capacity)
    let slot = Int(page % Self.keptPages)
    if let kept = pages.withLock({ $0.isEmpty ? nil : $0[slot] }), kept.number == page {
      return try self.number(Int(place), of: kept)
    }
    let pageSize = capacity * Self.placeSize
    // There are fewer than 2^35 places.
    let (start, isOver) = layout.placesStart.addingReportingOverflow(page * pageSize)
    guard !isOver, start < size else { throw withoutPlace(number) }
    let read = TablePage(number: page, bytes: try self.read(from: start, size: Int(min(pageSize, size - start))))
    pages.withLock { (pages) -> Void in
      if pages.isEmpty { pages = Array(repeating: nil, count: Int(Self.keptPages)) }
      pages[slot] = read
    }
    return try self.number(Int(place), of: read)
  }

  /// Frees the places in memory. They have no checksum, and may be damaged if files are.
  func removePlaces() { pages.withLock { $0 = [] } }

  private func number(_ place: Int, of page: TablePage) throws(IndexError) -> UInt64 {
    let start = place * Int(Self.placeSize)
    guard start + Int(Self.placeSize) <= page.bytes.count else {
      throw withoutPlace(page.number * Int64(Self.pageCapacity) + Int64(place))
    }
    return page.bytes[start..<start + Int(Self.placeSize)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func withoutPlace(_ number: Int64) -> IndexError {
    .corrupt(path: directory.path, cause: .invalid(reason: "lacks the place of file \(number)", offset: 0))
  }

  /// Fills `target` from the bytes in memory, if all are there; returns whether they are.
  func readHead(from start: Int64, into target: inout MutableRawSpan) -> Bool {
    let size = target.byteCount
    guard start <= Int64(head.count), size <= head.count - Int(start) else { return false }
    target.copy(head[Int(start)..<Int(start) + size])
    return true
  }

  /// The number of bytes in memory from `start` on.
  func headSize(from start: Int64) -> Int { head.count - Int(min(start, Int64(head.count))) }
}

/// A file of an index in an archive.
package struct ArchivePlace: Sendable {
  let archive: Archive
  /// The file's number in `places`.
  let number: Int64
}
