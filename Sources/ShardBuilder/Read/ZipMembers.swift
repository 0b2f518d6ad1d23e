import CLibrary

/// The files in a zip archive, by the directory at the archive's end.
struct ZipMembers {
  /// The names, in the archive's order, without folders.
  private(set) var names: [String] = []
  /// The largest file.
  private(set) var largest = ""

  /// The most names that a message lists.
  static let shown = 20

  /// Reads the directory of the archive at `path`; nil if the file is a pipe or has no directory.
  init?(path: String) {
    guard path != "-", let directory = Self.directory(of: path) else { return nil }
    var (at, most) = (0, -1)
    while let entry = FileHeader(directory, at) {
      at = entry.end
      if entry.name.hasSuffix("/") || entry.name.hasPrefix("__MACOSX/") { continue }
      names.append(entry.name)
      if entry.size > most { (largest, most) = (entry.name, entry.size) }
    }
    if names.isEmpty { return nil }
  }

  /// The name of the largest file as `unzip` takes it, which reads some signs as patterns.
  var pattern: String {
    var pattern = ""
    for scalar in largest.unicodeScalars {
      if "*?[]\\".unicodeScalars.contains(scalar) { pattern.unicodeScalars.append("\\") }
      pattern.unicodeScalars.append(scalar)
    }
    return pattern
  }

  /// The list of the names for a message.
  var list: String {
    let list = names.prefix(Self.shown).map { printable($0.utf8, limit: 40) }.joined(separator: ", ")
    return names.count > Self.shown ? list + " and \(grouped(names.count - Self.shown)) more" : list
  }

  /// One entry of the directory.
  private struct FileHeader {
    let name: String
    /// The size of the unpacked file in bytes.
    let size: Int
    /// The offset of the next entry.
    let end: Int

    init?(_ bytes: [UInt8], _ at: Int) {
      guard at + 46 <= bytes.count, bytes[at..<at + 4].elementsEqual([0x50, 0x4B, 1, 2]) else { return nil }
      size = number(bytes, at + 24, 4)
      let nameEnd = at + 46 + number(bytes, at + 28, 2)
      end = nameEnd + number(bytes, at + 30, 2) + number(bytes, at + 32, 2)
      guard nameEnd <= bytes.count else { return nil }
      name = String(decoding: bytes[at + 46..<nameEnd], as: UTF8.self)
    }
  }

  /// Returns the directory's bytes: its place stands in the record at the archive's end.
  private static func directory(of path: String) -> [UInt8]? {
    let file = retrying { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    // The record has 22 bytes and a comment of up to 64 KiB.
    guard size >= 22, let tail = bytes(of: file, from: max(0, size - 65_557), to: size),
      let end = (0...tail.count - 22).last(where: { tail[$0..<$0 + 4].elementsEqual([0x50, 0x4B, 5, 6]) })
    else { return nil }
    let start = number(tail, end + 16, 4)
    return bytes(of: file, from: start, to: min(size, start + min(1 << 20, number(tail, end + 12, 4))))
  }

  private static func bytes(of file: CInt, from start: Int, to end: Int) -> [UInt8]? {
    guard start >= 0, start < end else { return nil }
    var bytes = [UInt8](repeating: 0, count: end - start)
    let size = bytes.count
    return retrying { unsafe CInt(pread(file, &bytes, size, off_t(start))) } == CInt(size) ? bytes : nil
  }
}

/// Returns the little-endian number of `count` bytes.
private func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
  bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
}
