import CLibrary
import ShardedIndex

/// The applier of a pack: it makes files from the old generation and the bytes of the pack.
struct Applier {
  /// The old generation; nil if the pack copies nothing.
  private let old: Pack.CheckedIndex?
  private let input: Pack.PackInput
  private let publisher: Publisher
  /// The shards of the new generation, after its manifest was read; they point into `new`.
  private(set) var shards: [Manifest.Shard] = []
  /// All files of the new generation, after its manifest was read.
  private(set) var files: [ShardFile] = []
  private(set) var new: ManifestReader?
  /// The old files of recent copies, by number: neighbours often copy from the same file.
  private var held: [Int: [UInt8]] = [:]

  init(old: Pack.CheckedIndex?, input: Pack.PackInput, _ publisher: Publisher) {
    (self.old, self.input, self.publisher) = (old, input, publisher)
  }

  /// The files to copy from.
  private var oldFiles: [ShardFile] { old?.files ?? [] }

  /// Returns the head of the new generation's entries; nil if there are none.
  func entriesHead() throws(PackError) -> EntriesHead? {
    do throws(IndexError) {
      return try new?.entriesHead()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Returns the numbers of the files that the old generation lacks, in the order of the pack.
  private func shipped() throws(PackError) -> [Int] {
    let path = input.path
    return try Pack.shipped(from: oldFiles, to: files) { .damagedPack(path: path, reason: $0) }
  }

  /// Adds the files that the old generation lacks, calls `step` after each, and returns their number.
  mutating func addFiles(to summary: inout ApplySummary, step: () -> Void) throws(PackError) -> Int {
    let numbers = try shipped()
    try checkKept(except: Set(numbers))
    for number in numbers {
      let (name, bytes) = try file(number)
      do throws(BuildError) {
        let outcome = try publisher.add(name, bytes)
        step()
        if !files[number].isShard { continue }
        if outcome == .kept { summary.shardsKept += 1 } else { summary.shardsWritten += 1 }
      } catch {
        throw .build(error)
      }
    }
    return numbers.count
  }

  private func damaged(_ reason: String) -> PackError { .damagedPack(path: input.path, reason: reason) }

  /// Reads the segments of a file of `size` bytes, and passes the file's bytes to `body`.
  private func put(
    _ size: Int, copy: (Pack.Segment) throws(PackError) -> Void,
    literal: (Span<UInt8>) throws(PackError) -> Void
  ) throws(PackError) {
    var count = try input.bytes(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var left = size
    while count > 0 {
      let segment = try Pack.Segment(input.bytes(Pack.Segment.size), left: left, of: input.path)
      if segment.copied > 0 { try copy(segment) }
      try input.read(segment.literal, literal)
      left -= segment.copied + segment.literal
      count -= 1
    }
    guard left == 0 else { throw damaged("lacks \(left) bytes of a file") }
  }

  /// Returns the checked new manifest.
  ///
  /// - Parameters:
  ///   - size: The size of the manifest in bytes.
  ///   - digest: The SHA-256 of the manifest, or the beginning of it.
  ///
  /// The manifest goes through a file without a name, so that memory holds it only after the check.
  mutating func manifest(size: Int, digest: [UInt8]) throws(PackError) -> [UInt8] {
    let descriptor: CInt
    do throws(BuildError) {
      descriptor = try SystemFile.openTemporary(in: publisher.runDirectory)
    } catch {
      throw .build(error)
    }
    var isOwned = true
    defer { if isOwned { _ = close(descriptor) } }
    var hash = Digest.Stream()
    var behind = 0
    func write(_ bytes: [UInt8]) throws(PackError) {
      unsafe hash.update(bytes.span.bytes)
      do throws(BuildError) {
        try SystemFile.write(bytes, to: descriptor, path: publisher.directory)
      } catch {
        throw .build(error)
      }
    }
    let before = old?.manifest ?? []
    try put(size) { (segment) throws(PackError) in
      // Copies ascend, so they copy each byte of the old manifest at most once: a small pack cannot fill a disk.
      guard segment.source == 0, segment.offset >= behind, segment.copied <= before.count,
        segment.offset <= before.count - segment.copied
      else { throw damaged("copies a part of its manifest that the old manifest lacks") }
      behind = segment.offset + segment.copied
      try write(Array(before[segment.offset..<behind]))
    } literal: { (run) throws(PackError) in
      try write(Array(copying: run))
    }
    guard hash.finish().starts(with: digest) else { throw damaged("has a manifest with the wrong digest") }
    do throws(IndexError) {
      isOwned = false
      let manifest = try ManifestReader(descriptor: descriptor, of: publisher.openDirectory())
      shards = try manifest.shards()
      files = try ShardFile.all(of: manifest, shards)
      new = manifest
      try manifest.checkFrames()
      return try manifest.fileBytes()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Checks that the directory has the files that the pack lacks.
  private func checkKept(except numbers: Set<Int>) throws(PackError) {
    // Two shards with the same content are one file, which the pack may have for the first of them.
    let shipped = Set(numbers.map { files[$0].name.text })
    for (number, file) in files.enumerated() where !numbers.contains(number) {
      let name = file.name.text
      if shipped.contains(name) { continue }
      let path = publisher.path(name)
      var status = stat()
      guard retrying({ unsafe fstatat(publisher.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else {
        throw errno == ENOENT
          ? .damagedShard(path: path, reason: "is missing")
          : .build(.io(operation: "examine", path: path, errno: errno))
      }
      guard status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == file.size else {
        throw .damagedShard(path: path, reason: "differs from its digest")
      }
    }
  }

  /// Returns the name and the content of a file in the pack.
  private mutating func file(_ number: Int) throws(PackError) -> (name: String, bytes: [UInt8]) {
    let file = files[number]
    let size = file.size
    guard size <= Pack.shardLimit else {
      throw damaged("has a shard of \(size) bytes; the most is \(Pack.shardLimit)")
    }
    var bytes: [UInt8] = []
    var held = held
    var sources: Set<Int> = []
    try put(size) { (segment) throws(PackError) in
      guard segment.source >= 1, segment.source <= oldFiles.count, let old else {
        throw damaged("copies from a shard that the old index lacks")
      }
      let number = segment.source - 1
      let source = old.files[number]
      guard source.size <= Pack.shardLimit, segment.copied <= source.size,
        segment.offset <= source.size - segment.copied
      else { throw damaged("copies bytes that the old shard lacks") }
      if sources.insert(number).inserted {
        // Each old shard is read and hashed whole: a few bytes of a pack must not cause that many times.
        guard sources.count <= Pack.sourceLimit else {
          throw damaged("copies from over \(Pack.sourceLimit) old shards for one shard")
        }
        if held[number] == nil {
          let bytes = try old.bytes(of: source)
          if held.count == Pack.sourceLimit { held = held.filter { sources.contains($0.key) } }
          held[number] = bytes
        }
      }
      bytes.append(contentsOf: held[number]![segment.offset..<segment.offset + segment.copied])
    } literal: { (run) throws(PackError) in
      bytes.append(copying: run)
    }
    self.held = held
    guard Digest.sha256(bytes).starts(with: file.digest) else {
      throw damaged(
        file.isShard
          ? "has a shard \(number) with the wrong digest"
          : "has \(file.name.text) with the wrong digest")
    }
    return (file.name.text, bytes)
  }
}
