/// The loader of shards. It reads files, and checks all bytes before any use.
struct ShardLoader: Sendable {
  let directory: IndexDirectory
  let contexts: DecompressorPool
  /// Whether the loader checks the SHA-256 of files against the manifest. Then each load of a part reads and hashes the
  /// whole file.
  let checksDigests: Bool

  /// Opens a shard's file. If digests are checked, the whole file is read, checked and held.
  ///
  /// - Parameter place: The place of the file in an archive; nil for a directory.
  func open(_ source: Manifest.Source, at place: ArchivePlace?) throws(IndexError) -> IndexFile {
    var file = try directory.file(source.fileName, size: source.file.size, at: place)
    if checksDigests {
      try file.hold()
      guard source.hasDigest(try file.digest()) else { throw .corrupt(path: file.path, cause: .wrongDigest) }
    }
    return file
  }

  /// Reads and checks the header of a shard.
  func header(
    _ file: borrowing IndexFile, _ source: Manifest.Source, of manifest: borrowing Manifest
  ) throws(IndexError) -> ShardHeader {
    let context = contexts.acquire()
    defer { contexts.release(context) }
    try ReadingTerms.admit(source.file.headerSize + source.file.headerContentSize, in: directory)
    let result = try ShardHeader.reading(source, of: manifest, with: context) { (room) throws(IndexError) in
      try file.read(from: 0, into: &room)
    }
    do throws(FormatError) { return try result.get() } catch { throw .corrupt(path: file.path, cause: error) }
  }

  /// Reads a part of a shard, given the header, and checks its keys.
  ///
  /// - Parameter unpacks: Whether the fields are needed next, and are unpacked at once. Damaged fields stay compressed,
  ///   and the read that needs them reports the damage.
  func part(
    _ number: Int, of header: ShardHeader, _ file: borrowing IndexFile, unpacks: Bool
  ) throws(IndexError) -> LoadedPart {
    let part = header.parts[number]
    try ReadingTerms.admit(part.weight, in: directory)
    let context = contexts.acquire()
    defer { contexts.release(context) }
    // The header's sizes add up to the file's.
    let packed = try PackedPart(part, with: context) { (room) throws(IndexError) in
      try file.read(from: part.offset, into: &room)
    }
    do throws(FormatError) {
      let keys = try packed.keys(of: header, with: context)
      if unpacks, let columns = try? packed.columns(of: header, with: context) {
        return LoadedPart(keys: keys, number: number, header: header, columns: columns)
      }
      return LoadedPart(keys: keys, number: number, header: header, fields: packed.packedFields)
    } catch {
      throw .corrupt(path: file.path, cause: error)
    }
  }

  /// Unpacks and checks the fields of a part.
  ///
  /// - Parameter path: The path of their file.
  func columns(
    _ packed: [UInt8], of part: LoadedPart, path: @autoclosure () -> String
  ) throws(IndexError) -> FieldColumns {
    let context = contexts.acquire()
    defer { contexts.release(context) }
    do throws(FormatError) {
      return try FieldColumns(
        unpacking: packed, part.header.parts[part.number], of: part.header, with: context)
    } catch {
      throw .corrupt(path: path(), cause: error)
    }
  }
}
