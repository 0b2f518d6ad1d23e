import ShardedIndex

/// A pack leads from one generation of an index to another. It has the new manifest, and the shards that the old
/// generation lacks.
/// Source: docs/pack.md.
package enum Pack {
  /// "SQP1"
  static let magic: UInt32 = 0x3150_5153
  static let version = 1
  /// The size of the largest shard in a pack, in bytes: memory holds one shard. Builders make no shard of a fourth of
  /// this size.
  static let shardLimit = 1 << 26
  /// The most old shards that a new shard is made from. A new or removed boundary gives two old shards. If everything
  /// changed, a search through more shards does not pay.
  static let sourceLimit = 4

  /// The header of a pack. Source: docs/pack.md section 2.
  package struct PackHeader: Equatable, Sendable {
    /// The SHA-256 of the manifests.
    var old: [UInt8]
    var new: [UInt8]
    /// The sizes of the manifests, in bytes.
    var oldSize: Int
    var newSize: Int
    /// The number of files in the pack.
    package var shards: Int

    /// The size of the header in bytes; its last 32 bytes are the SHA-256 of the others.
    package static let size = 128

    package var bytes: [UInt8] {
      var writer = ByteWriter()
      writer.write(Pack.magic)
      writer.write(UInt32(Pack.version))
      writer.write(old)
      writer.write(new)
      writer.write(UInt64(oldSize))
      writer.write(UInt64(newSize))
      writer.write(UInt64(shards))
      writer.write(Digest.sha256(writer.bytes))
      return writer.bytes
    }

    package init(old: [UInt8], new: [UInt8], oldSize: Int, newSize: Int, shards: Int) {
      (self.old, self.new, self.oldSize, self.newSize, self.shards) = (old, new, oldSize, newSize, shards)
    }

    /// - Parameter bytes: The ``size`` bytes of the header.
    package init(_ bytes: [UInt8], of path: String) throws(PackError) {
      func number(_ offset: Int, _ size: Int) -> UInt64 {
        bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      }
      guard number(0, 4) == UInt64(Pack.magic) else {
        throw .damagedPack(path: path, reason: "is not a pack")
      }
      let version = Int(number(4, 4))
      guard version == Pack.version else {
        throw .unsupportedVersion(path: path, found: version, supported: Pack.version)
      }
      guard Digest.sha256(Array(bytes[..<96])) == Array(bytes[96...]) else {
        throw .damagedPack(path: path, reason: "has a damaged header; fetch the pack again")
      }
      guard let oldSize = Int(exactly: number(72, 8)), let newSize = Int(exactly: number(80, 8)),
        let shards = Int(exactly: number(88, 8))
      else { throw .damagedPack(path: path, reason: "has impossible sizes in its header") }
      self.init(
        old: Array(bytes[8..<40]), new: Array(bytes[40..<72]), oldSize: oldSize, newSize: newSize, shards: shards)
    }
  }

  /// A run of bytes from an old file, followed by bytes of the pack. Source: docs/pack.md section 3.
  package struct Segment: Equatable, Sendable {
    /// 0 for the old manifest; otherwise the number of an old shard, from 1.
    var source = 0
    var offset = 0
    var copied = 0
    /// The number of bytes that follow in the pack.
    var literal = 0

    package static let size = 28

    var bytes: [UInt8] {
      var writer = ByteWriter()
      writer.write(UInt32(source))
      writer.write(UInt64(offset))
      writer.write(UInt64(copied))
      writer.write(UInt64(literal))
      return writer.bytes
    }

    init() {}

    /// - Parameters:
    ///   - bytes: The ``size`` bytes of the segment.
    ///   - left: The number of bytes that the file still lacks.
    init(_ bytes: [UInt8], left: Int, of path: String) throws(PackError) {
      var reader = SegmentReader(bytes)
      source = Int(reader.next(4))
      let (offset, copied, literal) = (reader.next(8), reader.next(8), reader.next(8))
      guard copied <= UInt64(left), literal <= UInt64(left) - copied, copied + literal > 0,
        offset <= UInt64(Int.max) - copied
      else { throw .damagedPack(path: path, reason: "has a piece that is too large for its file") }
      guard copied > 0 || source == 0 && offset == 0 else {
        throw .damagedPack(path: path, reason: "has an empty copy with a source")
      }
      (self.offset, self.copied, self.literal) = (Int(offset), Int(copied), Int(literal))
    }
  }

  private struct SegmentReader {
    private let bytes: [UInt8]
    private var offset = 0
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next(_ size: Int) -> UInt64 {
      defer { offset += size }
      return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// One generation of an index with a checked manifest.
  struct CheckedIndex {
    let index: ShardedIndex
    let shards: [Manifest.Shard]
    /// All files that the manifest names.
    let files: [ShardFile]
    let manifest: [UInt8]
    /// The SHA-256 of the manifest.
    let digest: [UInt8]
    /// The generation's entries, or an empty list.
    private(set) var entries: [CheckedIndex] = []

    init(opening path: String) throws(PackError) {
      try self.init { () throws(IndexError) in try IndexDirectory(opening: path) }
    }

    init(_ directory: () throws(IndexError) -> IndexDirectory) throws(PackError) {
      do throws(IndexError) {
        index = try ShardedIndex(directory(), options: .init())
        // Every page is decompressed before the file's claimed size is trusted.
        shards = try index.generation.manifest.shards()
        files = try ShardFile.all(of: index.generation.manifest, shards)
        try index.generation.manifest.checkFrames()
        manifest = try index.generation.manifest.fileBytes()
        try Self.check(index.generation.manifest, index.directory.filePath(Manifest.fileName))
      } catch {
        throw .index(error)
      }
      if index.generation.overlay != nil {
        throw .unshippable(
          path: index.directory.filePath(Overlay.fileName),
          reason: """
            has changes beside the shards, which a pack would lack; write them into shards with \
            \(command: "\(.update) ", library: "")\(.merge)
            """)
      }
      digest = Digest.sha256(manifest)
      do throws(IndexError) {
        entries =
          try ShardedIndex(entriesOf: index).map { (entries) throws(IndexError) in
            [try CheckedIndex(entries, Self.head(of: index.generation.manifest))]
          } ?? []
      } catch {
        throw .index(error)
      }
    }

    /// Reads the entries of a generation whose manifest is checked.
    private init(_ index: ShardedIndex, _ head: EntriesHead) throws(IndexError) {
      self.index = index
      let generation = index.generation.manifest
      shards = try generation.shards()
      files = try ShardFile.all(of: generation, shards)
      manifest = try generation.fileBytes()
      try Self.check(generation, generation.path)
      digest = Digest.sha256(manifest)
      guard digest.starts(with: head.digest) else { throw .corrupt(path: generation.path, cause: .wrongDigest) }
    }

    private static func head(of manifest: ManifestReader) throws(IndexError) -> EntriesHead {
      guard let head = try manifest.entriesHead() else { preconditionFailure("its entries were opened") }
      return head
    }

    /// The names of all files but the manifest.
    var fileNames: [String] {
      files.map(\.name.text) + entries.flatMap { $0.fileNames + [$0.entriesName] }
    }

    /// The name of the file of the manifest, if this is a generation of entries.
    var entriesName: String { FileName(label: EntriesHead.label, digest: digest).text }

    /// Reads the parts of a manifest that no query reads: otherwise a pack would copy their damage.
    private static func check(_ generation: ManifestReader, _ path: String) throws(IndexError) {
      _ = try generation.densityGrid()
      guard let notes = try generation.notes() else { return }
      do throws(FormatError) {
        _ = try BuildNotes(notes, shardCount: generation.shardCount)
      } catch {
        throw .corrupt(path: path, cause: error)
      }
    }

    /// Returns the bytes of a file.
    func bytes(of file: ShardFile) throws(PackError) -> [UInt8] {
      do throws(ShardFile.FileFault) {
        return try file.bytes(in: index.directory)
      } catch {
        switch error {
        case .damaged(let reason):
          throw .damagedShard(path: index.directory.filePath(file.name.text), reason: reason)
        case .unread(let error): throw .index(error)
        }
      }
    }
  }

  /// Returns the numbers of the new files that the old generation lacks, in the order of a pack; each name comes once.
  ///
  /// - Throws: The error of `refuse` if two files of different content have one name. No build makes such files.
  static func shipped(
    from old: [ShardFile], to new: [ShardFile], _ refuse: (String) -> PackError
  ) throws(PackError) -> [Int] {
    var known: [String: (digest: [UInt8], size: Int)] = [:]
    for file in old { known[file.name.text] = (file.digest, file.size) }
    var numbers: [Int] = []
    for (number, file) in new.enumerated() {
      let name = file.name.text
      if let other = known[name] {
        guard other.digest == file.digest, other.size == file.size else {
          throw refuse("names different \(file.isShard ? "shards" : "side files") \(name)")
        }
        continue
      }
      known[name] = (file.digest, file.size)
      numbers.append(number)
    }
    return numbers
  }
}
