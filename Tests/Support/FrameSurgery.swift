import ShardBuilder
import ShardedIndex

/// The contents of an index's frames, which tests change and write back with right checksums.
///
/// Digests stay as they were, because the engine does not check them, and the files keep their names. Only
/// ``store(_:_:label:isContinuation:)`` makes the digests right too.
package struct FrameSurgery {
  package struct Shard {
    package var name: String
    package var records: Int
    package var isContinuation: Bool
    /// The content of the header, then of each part's keys and fields.
    package var contents: [[UInt8]]
    /// The frames as they were.
    package var frames: [[UInt8]]
  }

  package let path: String
  /// The content of the manifest's root, right for pages whose frames ``frame(_:)`` makes.
  package private(set) var root: [UInt8]
  /// Bytes of the notes and of the density grid, which are omitted.
  package let notesSize: Int
  /// The contents of the manifest's pages.
  package private(set) var pages: [[UInt8]] = []
  package private(set) var shards: [Shard] = []
  private let compressor = Compressor()

  package init(_ path: String) throws {
    self.path = path
    let index = try ShardedIndex(opening: path)
    let generation = index.generation.manifest
    let manifest = Files.read(path + "/manifest")!
    let rootSize = manifest.withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }
    root = try Self.content(of: Array(manifest[..<rootSize]))
    var start = rootSize
    let entries = Self.start(ofSection: Self.pageEntries, in: root)
    let end = Self.start(ofSection: Self.pageEntries + 1, in: root)
    for entry in stride(from: entries, to: end, by: Self.pageWidth) {
      let end = rootSize + Self.word(root, at: entry)
      pages.append(try Self.content(of: Array(manifest[start..<end])))
      start = end
    }
    notesSize = manifest.count - start
    // Readers skip a section with an unknown number.
    var left = 0
    for section in Self.notes...Self.word(root, 3) {
      left += Self.word(root, at: Self.start(ofSection: section, in: root))
      Self.set(&root, Self.headerSize + Self.sectionSize * (section - 1), 99, size: 4)
    }
    precondition(notesSize == left, "the manifest's layout is another one: see docs/format.md")
    root = fitted(root, to: pages.map(frame))
    for shard in try generation.shards() {
      let (name, file) = (shard.fileName, shard.file)
      let bytes = Files.read("\(path)/\(name)")!
      var frames = [Array(bytes[..<file.headerSize])]
      let header = try Self.content(of: frames[0])
      var offset = file.headerSize
      let layout = try ShardHeaderLayout(header)
      precondition(layout.content == header, "the layout of a shard's header is another one: see docs/format.md")
      for part in layout.parts {
        for size in [part.keys.size, part.fields.size] {
          frames.append(Array(bytes[offset..<offset + size]))
          offset += size
        }
      }
      precondition(offset == bytes.count, "the layout of a shard's header is another one: see docs/format.md")
      shards.append(
        Shard(
          name: name, records: shard.recordCount,
          isContinuation: file.isContinuation, contents: try frames.map(Self.content), frames: frames))
    }
  }

  package static func word(_ bytes: [UInt8], _ index: Int) -> Int { word(bytes, at: 4 * index) }

  private static func word(_ bytes: [UInt8], at offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
  }

  package static func set(_ bytes: inout [UInt8], _ offset: Int, _ value: Int, size: Int) {
    for byte in 0..<size { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }

  package static func content(of frame: [UInt8]) throws -> [UInt8] {
    try frame.withUnsafeBufferPointer { frame in
      guard let size = ZstdFrame.contentSize(of: frame) else {
        throw FormatError.zstd(reason: "no content size")
      }
      var content = [UInt8](repeating: 0, count: size)
      try content.withUnsafeMutableBytes { try ZstdFrame.decompress(frame, into: $0, with: Decompressor()) }
      return content
    }
  }

  package func frame(_ content: [UInt8]) -> [UInt8] { ZstdFrame.compress(content, level: 1, with: compressor) }

  package static func checksum(_ frame: [UInt8]) -> UInt32 {
    frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! }
  }

  /// The file of a shard with other contents, and its entry in the manifest.
  ///
  /// - Parameter contents: By frame: 0 is the header.
  package func shardFile(_ number: Int, _ contents: [Int: [UInt8]]) -> (bytes: [UInt8], file: Manifest.File) {
    let shard = shards[number]
    // A header that the test changed stays as it is.
    var layout = contents[0] == nil ? try! ShardHeaderLayout(shard.contents[0]) : nil
    var body: [UInt8] = []
    for frame in 1..<shard.frames.count {
      let (bytes, size) =
        contents[frame].map { (self.frame($0), $0.count) } ?? (
          shard.frames[frame], shard.contents[frame].count
        )
      body += bytes
      let told = ShardHeaderLayout.Frame(size: bytes.count, contentSize: size, checksum: Self.checksum(bytes))
      if frame % 2 == 1 { layout?.parts[frame / 2].keys = told } else { layout?.parts[frame / 2 - 1].fields = told }
    }
    let header = layout?.content ?? contents[0]!
    let first = frame(header)
    return (
      first + body,
      Manifest.File(
        size: first.count + body.count, headerSize: first.count, headerContentSize: header.count,
        headerChecksum: Self.checksum(first), isContinuation: shard.isContinuation)
    )
  }

  // The root's layout, docs/format.md §3: a header of 48 bytes, then 24 bytes a section in order of their numbers.
  private static let (headerSize, sectionSize) = (48, 24)
  private static let (firstRecords, pageEntries, notes, pageWidth) = (2, 5, 8, 20)
  /// Bytes from the start of the root's content to the number of the index's records.
  package static let recordCount = 24
  private static let pageCapacity = 64

  /// Bytes from the start of a root's content to section `number`.
  private static func start(ofSection number: Int, in root: [UInt8]) -> Int {
    let entry = (headerSize + sectionSize * (number - 1)) / 4
    precondition(word(root, entry) == number, "the root's layout is another one: see docs/format.md")
    return word(root, entry + 2)
  }

  /// Bytes from the start of the root's content to the first records of its pages.
  package var firstRecordsStart: Int { Self.start(ofSection: Self.firstRecords, in: root) }

  /// Bytes from the start of the root's content to the entry of the last page.
  package var lastPageEntry: Int {
    Self.start(ofSection: Self.pageEntries, in: root) + Self.pageWidth * (pages.count - 1)
  }

  /// A root's content with right entries for the frames of its pages.
  private func fitted(_ root: [UInt8], to frames: [[UInt8]]) -> [UInt8] {
    var (root, end) = (root, 0)
    for (page, frame) in frames.enumerated() {
      let entry = Self.start(ofSection: Self.pageEntries, in: self.root) + Self.pageWidth * page
      end += frame.count
      Self.set(&root, entry, end, size: 8)
      Self.set(&root, entry + 8, frame.withUnsafeBufferPointer { ZstdFrame.contentSize(of: $0)! }, size: 4)
      Self.set(&root, entry + 12, Int(Self.checksum(frame)), size: 4)
    }
    return root
  }

  /// The manifest with other contents of some pages, and a root that is right for them.
  package func manifestFile(pages changed: [Int: [UInt8]] = [:], root: [UInt8]? = nil) -> [UInt8] {
    let frames = pages.indices.map { frame(changed[$0] ?? pages[$0]) }
    return frame(fitted(root ?? self.root, to: frames)) + frames.joined()
  }

  /// The manifest with a changed root, which stays as it is.
  package func manifestFile(changedRoot: [UInt8]) -> [UInt8] { frame(changedRoot) + pages.map(frame).joined() }

  /// The manifest of the index with a changed file and record count of one shard.
  package func manifestFile(
    _ number: Int, _ file: Manifest.File, records: Int? = nil, digest: [UInt8]? = nil, label: [UInt8]? = nil,
    isContinuation: Bool? = nil
  ) -> [UInt8] {
    let page = number / Self.pageCapacity
    let inPage = page * Self.pageCapacity..<min(shards.count, (page + 1) * Self.pageCapacity)
    var (content, root) = (pages[page], root)
    let entry = 16 * inPage.count + 8 + 4 * inPage.count + Manifest.File.width * (number - inPage.lowerBound)
    for (word, value) in [file.size, file.headerSize, file.headerContentSize, Int(file.headerChecksum)].enumerated() {
      Self.set(&content, entry + 4 * word, value, size: 4)
    }
    if let records {
      var (total, pageTotal) = (0, 0)
      let firsts = Self.start(ofSection: Self.firstRecords, in: root)
      for (at, shard) in shards.enumerated() {
        if at % Self.pageCapacity == 0 {
          Self.set(&root, firsts + 8 * (at / Self.pageCapacity), total, size: 8)
          pageTotal = 0
        }
        if inPage.contains(at) {
          Self.set(&content, 8 * (inPage.count + at - inPage.lowerBound), pageTotal, size: 8)
        }
        total += at == number ? records : shard.records
        pageTotal += at == number ? records : shard.records
        if at + 1 == inPage.upperBound { Self.set(&content, 16 * inPage.count, pageTotal, size: 8) }
      }
      Self.set(&root, firsts + 8 * pages.count, total, size: 8)
      Self.set(&root, Self.recordCount, total, size: 8)
    }
    if let digest {
      let at = 40 * inPage.count + 8 + 16 * (number - inPage.lowerBound)
      content.replaceSubrange(at..<at + 16, with: digest)
    }
    if let label {
      let at = 56 * inPage.count + 8 + 8 * (number - inPage.lowerBound)
      content.replaceSubrange(at..<at + 8, with: label)
    }
    if let isContinuation {
      Self.set(&content, entry + 16, isContinuation ? 1 : 0, size: 4)
      if number == inPage.lowerBound {
        let pageEntry = Self.start(ofSection: Self.pageEntries, in: root) + Self.pageWidth * page
        Self.set(&root, pageEntry + 16, isContinuation ? 1 : 0, size: 4)
      }
    }
    return manifestFile(pages: [page: content], root: root)
  }

  /// Writes the index with one shard changed: sizes, checksums, its digest and its name are right.
  ///
  /// - Parameter contents: By frame: 0 is the header.
  /// - Returns: The path of the shard's file.
  package func store(
    _ number: Int, _ contents: [Int: [UInt8]] = [:], label: [UInt8]? = nil, isContinuation: Bool? = nil
  ) -> String {
    let (bytes, file) = shardFile(number, contents)
    let digest = Array(Digest.sha256(bytes).prefix(16))
    let page = number / Self.pageCapacity
    let count = min(shards.count, (page + 1) * Self.pageCapacity) - page * Self.pageCapacity
    let labelStart = 56 * count + 8 + 8 * (number - page * Self.pageCapacity)
    let name = Manifest.fileName(label: label ?? Array(pages[page][labelStart..<labelStart + 8]), digest: digest)
    for shard in shards { Files.remove("\(path)/\(shard.name)") }
    for shard in shards { Files.write(shard.frames.flatMap { $0 }, to: "\(path)/\(shard.name)") }
    Files.write(bytes, to: "\(path)/\(name)")
    Files.write(
      manifestFile(number, file, digest: digest, label: label, isContinuation: isContinuation), to: path + "/manifest")
    return "\(path)/\(name)"
  }
}
