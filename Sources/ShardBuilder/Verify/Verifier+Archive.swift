import ShardedIndex

extension Verifier {
  /// Compares the bytes between the files of an archive with those that `archive` would write: headers, checksums,
  /// places, central directory. The report names the first wrong byte.
  mutating func checkArchive(_ archive: Archive) {
    do throws(PackError) {
      let files = ArchivedFiles(index: index)
      var form = try ArchiveForm(of: files, in: nil)
      var comparison = ArchiveComparison(archive, path: index.path)
      try form.put(to: &comparison)
      guard form.position == archive.size else {
        throw .damagedPack(
          path: index.path, reason: "has \(archive.size - form.position) bytes after its central directory")
      }
    } catch {
      switch error {
      case .damagedPack(_, let reason): report(archiveFault: .damage(file: index.path, reason: reason))
      case .index(.corrupt(let path, let cause)):
        report(archiveFault: .damage(file: path, reason: cause.description))
      default: report(archiveFault: .unread(file: index.path, reason: error.description))
      }
    }
  }

  private mutating func report(archiveFault finding: Finding) {
    if case .damage = finding { summary.damagedFiles += 1 } else { summary.unreadFiles += 1 }
    report(finding)
  }
}

/// A comparison of an archive with the parts that it must have.
private struct ArchiveComparison: ArchiveTarget {
  private let archive: Archive
  private let path: String
  private var position: Int64 = 0
  /// The end of the content whose checksum was computed last.
  private var contentEnd: Int64 = 0

  var placesStart: Int64 { archive.placesStart }

  init(_ archive: Archive, path: String) { (self.archive, self.path) = (archive, path) }

  private func read(from start: Int64, size: Int) throws(PackError) -> [UInt8] {
    try ArchivedFiles.reading { () throws(IndexError) in try archive.read(from: start, size: size) }
  }

  mutating func checksum(of file: ArchivedFile?, at start: Int64) throws(PackError) -> UInt32 {
    let size = file.map { Int64($0.size) } ?? archive.manifestSize
    contentEnd = start + size
    var checksum: UInt32 = 0
    var at = start
    while at < contentEnd {
      let run = try read(from: at, size: Int(min(256 << 10, contentEnd - at)))
      checksum = Checksum.crc32(run, behind: checksum)
      at += Int64(run.count)
    }
    return checksum
  }

  mutating func putContent(of file: ArchivedFile?) throws(PackError) { position = contentEnd }

  mutating func put(_ bytes: [UInt8], of part: () -> String) throws(PackError) {
    let found = try read(from: position, size: bytes.count)
    if let offset = zip(found, bytes).enumerated().first(where: { $0.element.0 != $0.element.1 })?.offset {
      throw .damagedPack(
        path: path, reason: "has a wrong byte \(position + Int64(offset)), in \(part())")
    }
    position += Int64(bytes.count)
  }
}
