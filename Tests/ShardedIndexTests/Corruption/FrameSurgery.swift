import ShardBuilder
import ShardedIndex

/// An index directory taken apart to the contents of its frames, and put together again with right checksums.
///
/// Digests stay as they were, for the engine does not look at them, and so the files keep their names; but for
/// ``store(_:_:label:isContinuation:)``, which leaves nothing wrong but what a test wants to be.
struct FrameSurgery {
  struct Shard {
    var name: String
    var records: Int
    var isContinuation: Bool
    /// The content of the header, then of each part's keys and fields.
    var contents: [[UInt8]]
    /// The frames as they were.
    var frames: [[UInt8]]
  }

  let path: String
  /// The manifest's content.
  let manifest: [UInt8]
  private(set) var shards: [Shard] = []
  private let compressor = Compressor()

  /// Field numbers of a shard's header, docs/format.md §4: eight words, then eight for each part.
  private static let headerWords = 8
  private static let partWords = 8

  init(_ path: String) throws {
    self.path = path
    let index = try ShardedIndex(opening: path)
    let generation = index.generation
    manifest = try Self.content(of: Files.read(path + "/manifest")!)
    for number in 0..<index.shardCount {
      let (name, file) = (generation.fileName(of: number), generation.file(of: number))
      let bytes = Files.read("\(path)/\(name)")!
      var frames = [Array(bytes[..<file.headerSize])]
      let header = try Self.content(of: frames[0])
      var offset = file.headerSize
      for part in 0..<Self.word(header, 2) {
        for word in [2, 5] {
          let size = Self.word(header, Self.headerWords + part * Self.partWords + word)
          frames.append(Array(bytes[offset..<offset + size]))
          offset += size
        }
      }
      precondition(offset == bytes.count, "the layout of a shard's header is another one: see docs/format.md")
      shards.append(
        Shard(
          name: name, records: generation.recordCount(of: number),
          isContinuation: file.isContinuation, contents: try frames.map(Self.content), frames: frames))
    }
  }

  static func word(_ bytes: [UInt8], _ index: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[4 * index + $1]) << (8 * $1) }
  }

  static func setWord(_ bytes: inout [UInt8], _ index: Int, _ value: Int) {
    for byte in 0..<4 { bytes[4 * index + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
  }

  static func content(of frame: [UInt8]) throws -> [UInt8] {
    try frame.withUnsafeBufferPointer { frame in
      guard let size = ZstdFrame.contentSize(of: frame) else {
        throw FormatError.zstd(reason: "no content size")
      }
      var content = [UInt8](repeating: 0, count: size)
      try content.withUnsafeMutableBytes { try ZstdFrame.decompress(frame, into: $0, with: Decompressor()) }
      return content
    }
  }

  func frame(_ content: [UInt8]) -> [UInt8] { ZstdFrame.compress(content, level: 1, with: compressor) }

  static func checksum(_ frame: [UInt8]) -> UInt32 {
    frame.withUnsafeBufferPointer { ZstdFrame.checksum(of: $0)! }
  }

  /// The file of a shard with other contents, and what the manifest says of it.
  ///
  /// - Parameter contents: By frame: 0 is the header.
  func shardFile(_ number: Int, _ contents: [Int: [UInt8]]) -> (bytes: [UInt8], file: Manifest.File) {
    let shard = shards[number]
    var header = contents[0] ?? shard.contents[0]
    var body: [UInt8] = []
    for frame in 1..<shard.frames.count {
      let (bytes, size) =
        contents[frame].map { (self.frame($0), $0.count) } ?? (
          shard.frames[frame], shard.contents[frame].count
        )
      body += bytes
      // A header that was changed itself is left as it is.
      guard contents[0] == nil else { continue }
      let word = Self.headerWords + (frame - 1) / 2 * Self.partWords + (frame % 2 == 1 ? 2 : 5)
      Self.setWord(&header, word, bytes.count)
      Self.setWord(&header, word + 1, size)
      Self.setWord(&header, word + 2, Int(Self.checksum(bytes)))
    }
    let first = frame(header)
    return (
      first + body,
      Manifest.File(
        size: first.count + body.count, headerSize: first.count, headerContentSize: header.count,
        headerChecksum: Self.checksum(first), isContinuation: shard.isContinuation)
    )
  }

  // The manifest's layout, docs/format.md §3: a header of 48 bytes, then 24 bytes a section in order of their numbers.
  private static let (headerSize, sectionSize) = (48, 24)
  private static let (firstRecords, files, digests, labels) = (2, 5, 6, 9)

  /// Bytes from the start of the manifest's content to section `number`.
  private func start(ofSection number: Int) -> Int {
    let entry = (Self.headerSize + Self.sectionSize * (number - 1)) / 4
    precondition(
      Self.word(manifest, entry) == number, "the manifest's layout is another one: see docs/format.md")
    return Self.word(manifest, entry + 2)
  }

  /// The manifest of the index with the file of one shard changed, and with how many records it has.
  func manifestFile(_ number: Int, _ file: Manifest.File, records: Int? = nil) -> [UInt8] {
    frame(manifestContent(number, file, records: records))
  }

  private func manifestContent(_ number: Int, _ file: Manifest.File, records: Int? = nil) -> [UInt8] {
    var content = manifest
    func write(_ value: Int, _ size: Int, at offset: Int) {
      for byte in 0..<size { content[offset + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte)) }
    }
    let entry = start(ofSection: Self.files) + Manifest.File.width * number
    for (word, value) in [file.size, file.headerSize, file.headerContentSize, Int(file.headerChecksum)]
      .enumerated()
    {
      write(value, 4, at: entry + 4 * word)
    }
    if let records {
      var total = 0
      for (at, shard) in shards.enumerated() {
        write(total, 8, at: start(ofSection: Self.firstRecords) + 8 * at)
        total += at == number ? records : shard.records
      }
      write(total, 8, at: start(ofSection: Self.firstRecords) + 8 * shards.count)
      write(total, 8, at: Self.recordCount)
    }
    return content
  }

  /// Writes the index with one shard changed: sizes, checksums, its digest and its name are right.
  ///
  /// - Parameter contents: By frame: 0 is the header.
  /// - Returns: The path of the shard's file.
  func store(
    _ number: Int, _ contents: [Int: [UInt8]] = [:], label: [UInt8]? = nil, isContinuation: Bool? = nil
  ) -> String {
    let (bytes, file) = shardFile(number, contents)
    var content = manifestContent(number, file)
    let digest = Array(bytes.withUnsafeBufferPointer { Digest.sha256($0) }.prefix(16))
    let at = start(ofSection: Self.digests) + 16 * number
    content.replaceSubrange(at..<at + 16, with: digest)
    let labelStart = start(ofSection: Self.labels) + 8 * number
    if let label { content.replaceSubrange(labelStart..<labelStart + 8, with: label) }
    if let isContinuation {
      content[start(ofSection: Self.files) + Manifest.File.width * number + 16] = isContinuation ? 1 : 0
    }
    for shard in shards { Files.remove("\(path)/\(shard.name)") }
    for shard in shards { Files.write(shard.frames.flatMap { $0 }, to: "\(path)/\(shard.name)") }
    let name = Manifest.fileName(label: Array(content[labelStart..<labelStart + 8]), digest: digest)
    Files.write(bytes, to: "\(path)/\(name)")
    Files.write(frame(content), to: path + "/manifest")
    return "\(path)/\(name)"
  }

  /// Bytes from the start of the manifest's content to the number of its records.
  static let recordCount = 24
}
