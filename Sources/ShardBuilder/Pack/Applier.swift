import CLibrary
import ShardedIndex

/// The applier of a pack: it puts files together from the old generation and the bytes of the pack.
struct Applier {
  /// nil where there is nothing to copy from.
  private let old: Pack.Generation?
  private let input: Pack.Input
  private let place: Place
  /// The shards of the new generation, once its manifest was read; they lead into `new`.
  private(set) var shards: [Manifest.Shard] = []
  /// All files of the new generation, likewise.
  private(set) var files: [Pack.File] = []
  private(set) var new: ManifestReader?
  /// Old files that were copied from, by number: neighbours often have the same.
  private var held: [Int: [UInt8]] = [:]

  /// Where the new manifest is written until all of it is known to be one.
  struct Place {
    let runDirectory: RunDirectory
    /// The path and the directory of the index, for messages.
    let path: String
    let openDirectory: () throws(IndexError) -> IndexDirectory
  }

  init(old: Pack.Generation?, input: Pack.Input, in place: Place) {
    (self.old, self.input, self.place) = (old, input, place)
  }

  init(old: Pack.Generation?, input: Pack.Input, _ publisher: Publisher) {
    let place = Place(runDirectory: publisher.runDirectory, path: publisher.directory) { () throws(IndexError) in
      try publisher.openDirectory()
    }
    self.init(old: old, input: input, in: place)
  }

  /// The files to copy from.
  private var oldFiles: [Pack.File] { old?.files ?? [] }

  /// Returns where the entries of the new generation are; nil if it has none.
  func entriesHead() throws(PackError) -> EntriesHead? {
    do throws(IndexError) {
      return try new?.entriesHead()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Returns the numbers of the files that the old generation lacks, which the pack has in this order.
  func shipped() throws(PackError) -> [Int] {
    let path = input.path
    return try Pack.shipped(from: oldFiles, to: files) { .damagedPack(path: path, reason: $0) }
  }

  /// Adds the files that the old generation lacks, and calls `step` after each; returns their number.
  mutating func addFiles(
    with publisher: Publisher, to summary: inout ApplySummary, step: () -> Void
  ) throws(PackError) -> Int {
    let numbers = try shipped()
    try checkKept(except: Set(numbers), in: publisher)
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

  func damaged(_ reason: String) -> PackError { .damagedPack(path: input.path, reason: reason) }

  /// Reads the segments of a file of `size` bytes and hands out its bytes.
  private func put(
    _ size: Int, copy: (Pack.Segment) throws(PackError) -> Void,
    literal: (Span<UInt8>) throws(PackError) -> Void
  ) throws(PackError) {
    var count = try input.bytes(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var left = size
    while count > 0 {
      let segment = try Pack.Segment(input.bytes(Pack.Segment.size), left: left, of: input.path)
      if segment.copied > 0 { try copy(segment) }
      try input.take(segment.literal, literal)
      left -= segment.copied + segment.literal
      count -= 1
    }
    guard left == 0 else { throw damaged("has pieces that leave \(left) bytes of a file out") }
  }

  /// Returns the new manifest, checked.
  ///
  /// - Parameters:
  ///   - size: Its size, in bytes.
  ///   - digest: Its SHA-256, or the beginning of that.
  ///
  /// It goes through a file that has no name, so that it is held in memory only when all of it is known to be one.
  mutating func manifest(size: Int, digest: [UInt8]) throws(PackError) -> [UInt8] {
    let descriptor: CInt
    do throws(BuildError) {
      descriptor = try SystemFile.openTemporary(in: place.runDirectory)
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
        try SystemFile.write(bytes, to: descriptor, path: place.path)
      } catch {
        throw .build(error)
      }
    }
    let before = old?.manifest ?? []
    try put(size) { (segment) throws(PackError) in
      // Copies that ascend make no more of the old manifest than there is: a small pack cannot fill a disk.
      guard segment.source == 0, segment.offset >= behind, segment.copied <= before.count,
        segment.offset <= before.count - segment.copied
      else { throw damaged("has a piece of its manifest that is not in the old one") }
      behind = segment.offset + segment.copied
      try write(Array(before[segment.offset..<behind]))
    } literal: { (run) throws(PackError) in
      try write(Array(copying: run))
    }
    guard hash.finish().starts(with: digest) else { throw damaged("has another manifest than its digest says") }
    do throws(IndexError) {
      isOwned = false
      let manifest = try ManifestReader(descriptor: descriptor, of: place.openDirectory())
      shards = try manifest.shards()
      files = try Pack.File.all(of: manifest, shards)
      new = manifest
      return try manifest.fileBytes()
    } catch {
      if case .corrupt(_, let cause) = error { throw damaged("has a manifest that \(cause)") }
      throw .index(error)
    }
  }

  /// Checks that the files which are not shipped are there.
  private func checkKept(except numbers: Set<Int>, in publisher: Publisher) throws(PackError) {
    // Two shards with the same content are one file, which may be shipped for the first of them.
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
        throw .damagedShard(path: path, reason: "is not what the manifest says")
      }
    }
  }

  /// Returns the name and the content of a shipped file.
  mutating func file(_ number: Int) throws(PackError) -> (name: String, bytes: [UInt8]) {
    let file = files[number]
    let size = file.size
    guard size <= Pack.shardLimit else {
      throw damaged("has a shard of \(size) bytes; no pack holds one of more than \(Pack.shardLimit)")
    }
    var bytes: [UInt8] = []
    var held = held
    var sources: Set<Int> = []
    try put(size) { (segment) throws(PackError) in
      guard segment.source >= 1, segment.source <= oldFiles.count, let old else {
        throw damaged("has a piece of a shard that the old index does not have")
      }
      let number = segment.source - 1
      let source = old.files[number]
      guard source.size <= Pack.shardLimit, segment.copied <= source.size,
        segment.offset <= source.size - segment.copied
      else { throw damaged("has a piece that is not in the shard it names") }
      if sources.insert(number).inserted {
        // Each is read and hashed whole: a few bytes of pack must not ask for that over and over.
        guard sources.count <= Pack.sourceLimit else {
          throw damaged("has a shard of more than \(Pack.sourceLimit) old ones")
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
          ? "has another shard \(number) than its manifest says"
          : "has another \(file.name.text) than its manifest says")
    }
    return (file.name.text, bytes)
  }
}
