import ShardBuilder
import ShardedIndex

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads the contents of a manifest's root and pages. The target itself makes frames, sizes and checksums right.
///
/// Input: a byte of flags, a u16 and as many bytes of root; then a u16 and bytes for each page or each node of the
/// root. The target checks them in memory. If the root is accepted and the first flag is set, the target opens all as a
/// file. With the third flag the contents are the frames behind the pages, read as notes and as a density grid.
final class ManifestTarget: FuzzTarget {
  private let directory = RawFile.scratchDirectory()
  private let file: CInt
  private let compressor = Compressor()

  init() {
    file = open(directory + "/manifest", O_RDWR | O_CREAT, 0o644)
    require(file >= 0, "no scratch file")
  }

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let flags = reader.byte()
    var content = reader.bytes(reader.word())
    var pages: [[UInt8]] = []
    while !reader.rest.isEmpty, pages.count < 4 { pages.append(reader.bytes(reader.word())) }
    if flags & 4 != 0 { return checkChains([content] + pages) }
    let frames = pages.map { ZstdFrame.compress($0, level: -5, with: compressor) }
    if flags & 2 == 0 { fit(&content, pages, frames) }
    guard Self.withRoot(content, { check($0, pages) }) != nil else { return }
    if flags & 1 != 0 {
      RawFile.store(ZstdFrame.compress(content, level: -5, with: compressor) + frames.joined(), in: file)
      openIndex()
    }
  }

  /// - Parameter contents: The contents of the first frame and of the frames behind it. The first gets the right
  ///   checksums.
  private func checkChains(_ contents: [[UInt8]]) {
    func frames(checksumsAt start: Int) -> [(content: [UInt8], checksum: UInt32)] {
      var head = contents[0]
      for number in 1..<max(1, contents.count) where start + 4 * number <= head.count {
        for byte in 0..<4 { head[start + 4 * (number - 1) + byte] = byte == 0 ? UInt8(number) : 0 }
      }
      return [(head, 0)] + contents.dropFirst().enumerated().map { ($0.element, UInt32($0.offset + 1)) }
    }
    if let map = try? DensityGrid(frames(checksumsAt: 8)) {
      let bands = DensityBands(map)
      let checksums = bands.bands.indices.map { UInt32($0) }
      let again = [(bands.head(checksums: checksums), UInt32(0))] + zip(bands.bands.map(\.content), checksums)
      require(
        bands.bands.count == contents.count - 1 && (try? DensityGrid(again)) == map, "a map that comes back as another")
    }
    if var bands = try? DensityBands(frames(checksumsAt: 8)) {
      // A cell of a band that may be damaged, and a cell of a band that may be missing.
      for cell in [0, 130_000] {
        var changes = CellChanges()
        changes.add(1, to: cell)
        try? bands.change(changes)
      }
    }
    for shardCount in [1, 3, 70] {
      guard let notes = try? BuildNotes(frames(checksumsAt: 28), shardCount: shardCount) else { continue }
      require(notes.pieces.reduce(0) { $0 + $1.shardCount } == shardCount, "notes of other shards")
    }
  }

  /// Calls `body` with the root in some bytes; returns nil if the bytes are no root.
  private static func withRoot<Result>(_ content: [UInt8], _ body: (borrowing Manifest) -> Result) -> Result? {
    let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, content.count), alignment: 16)
    storage.copyBytes(from: content)
    do {
      let root = try Manifest(UnsafeMutableRawBufferPointer(rebasing: storage[..<content.count]), frameSize: 0)
      return body(root)
    } catch {
      storage.deallocate()
      return nil
    }
  }

  /// Makes a root's facts about the frames of its pages right, if the root has a section of pages and not of nodes.
  private func fit(_ root: inout [UInt8], _ pages: [[UInt8]], _ frames: [[UInt8]]) {
    guard root.count >= 48, root[4] != 2 else { return }
    func number(_ offset: Int, _ size: Int) -> Int {
      guard offset >= 0, offset <= root.count - size else { return .max }
      return (0..<size).reduce(0) { $0 | Int(root[offset + $1]) << (8 * $1) }
    }
    for entry in 0..<min(64, number(12, 4)) where number(48 + 24 * entry, 4) == 5 {
      let start = number(48 + 24 * entry + 8, 8)
      guard start >= 0, start < root.count else { return }
      var end = 0
      for (page, frame) in frames.enumerated() where start + 20 * page + 16 <= root.count {
        end += frame.count
        let checksum = frame.withUnsafeBufferPointer { Int(ZstdFrame.checksum(of: $0) ?? 0) }
        for (offset, size, value) in [(0, 8, end), (8, 4, pages[page].count), (12, 4, checksum)] {
          for byte in 0..<size { root[start + 20 * page + offset + byte] = UInt8(value >> (8 * byte) & 255) }
        }
      }
      return
    }
  }

  private static let prefixes = ["a", "al", "san ", "san a1\u{1}d", "lo", "zz", "\u{1}", "~", "東", "b", "bbbbbbbbb"]

  /// Checks the answers of an accepted root and its pages, in memory.
  private func check(_ root: borrowing Manifest, _ pages: [[UInt8]]) {
    var names = 0
    root.forEachFieldName { number, _ in
      names += 1
      return number < 1000
    }
    require(names == min(root.fieldCount, 1001), "the names of \(root.fieldCount) fields")
    for setting in ["key", "latitude", "weight"] as [StaticString] { _ = root.setting(setting) }
    let tree = root.tree
    for number in 0..<min(root.node.count, pages.count) {
      let storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, pages[number].count))
      _ = storage.update(fromContentsOf: pages[number])
      defer { storage.deallocate() }
      let content = UnsafeBufferPointer(rebasing: storage[..<pages[number].count])
      let promise = root.node.reference(number)
      if tree.height > 0 { checkNode(content, promise, tree) } else { checkPage(content, promise, tree) }
    }
    for prefix in Self.prefixes where root.node.count > 0 { search(root.node.bounds, Array(prefix.utf8)) }
  }

  private func checkNode(
    _ content: UnsafeBufferPointer<UInt8>, _ promise: ManifestNode.ChildReference, _ tree: ManifestTree
  ) {
    guard (try? ManifestNode.check(content, promise, of: tree)) != nil else { return }
    let node = ManifestNode(
      content.baseAddress!, number: promise.number, level: promise.level, of: tree, start: promise.start,
      firstRecord: promise.firstRecord, next: promise.next)
    require(node.count >= 1 && node.count <= 64, "\(node.count) children of a node")
    var (end, records) = (0, promise.firstRecord)
    for child in 0..<node.count {
      let below = node.reference(child)
      require(below.entry.start == end && below.firstRecord == records, "children that do not follow each other")
      (end, records) = (below.entry.end, records + below.recordCount)
    }
    require(records == promise.firstRecord + promise.recordCount, "other records below a node than it has")
    for prefix in Self.prefixes { search(node.bounds, Array(prefix.utf8)) }
  }

  private func checkPage(
    _ content: UnsafeBufferPointer<UInt8>, _ promise: ManifestNode.ChildReference, _ tree: ManifestTree
  ) {
    guard (try? ManifestPage.check(content, promise, of: tree)) != nil else { return }
    let count = tree.shards(below: promise.number, level: 0)
    let page = ManifestPage(checked: content.baseAddress!, shards: count)
    require(count >= 1 && count <= 64, "\(count) shards of a page")
    for shard in 0..<count {
      require(page.firstRecord(shard) < page.firstRecord(shard + 1), "a shard without records")
      _ = (page.file(shard), page.digest(shard).count, page.label(shard).count)
    }
    for prefix in Self.prefixes { search(page.bounds, Array(prefix.utf8)) }
    search(page.bounds, Array(page.bounds[count / 2]))
  }

  /// Compares the answers with a walk over all bounds.
  private func search(_ bounds: BoundTable, _ prefix: [UInt8]) {
    guard !prefix.isEmpty, bounds.count <= 200 else { return }
    prefix.withUnsafeBufferPointer { bytes in
      let text = FoldedPrefix(bytes)
      let below = bounds.countBelow(text)
      var (count, end) = (0, 0)
      for index in 0..<bounds.count {
        let bound = bounds[index]
        if bound.lexicographicallyPrecedes(prefix) { count += 1 }
        if bound.lexicographicallyPrecedes(prefix) || bound.starts(with: prefix) { end += 1 }
      }
      require(below == count, "\(below) bounds below a prefix, and not \(count)")
      let notAbove = bounds.countNotAbove(text, from: below)
      require(notAbove == end, "\(notAbove) bounds not above a prefix, and not \(end)")
    }
  }

  /// Uses all public functions of an index without its shards, as a program does.
  private func openIndex() {
    guard let index = try? ShardedIndex(opening: directory) else { return }
    require(index.recordCount >= 0 && index.shardCount >= 0, "a count below nothing")
    if index.generation.manifest.fieldCount < 2000 { _ = (index.fieldNames.count, index.keyTemplate, index.storesKeys) }
    let manifest = index.generation.manifest
    for prefix in Self.prefixes where index.shardCount > 0 {
      Array(prefix.utf8).withUnsafeBufferPointer { bytes in
        guard let (first, last) = try? manifest.shardPositions(forPrefix: FoldedPrefix(bytes)) else {
          return
        }
        require(first.number <= last.number, "the last shard before the first")
        require(first.firstRecord >= 0 && first.recordCount > 0, "a shard without records")
        require(last.firstRecord + last.recordCount <= index.recordCount, "records behind the last")
        guard let name = try? manifest.shard(first.number).fileName else { return }
        require(
          name.hasSuffix(".zst") && name.utf8.count <= 45
            && name.utf8.allSatisfy {
              $0 == 0x25 || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f || $0 &- 0x30 < 10 || $0 &- 0x61 < 26
            },
          "the file name \(name)")
      }
      let answer = Array(prefix.utf8).withUnsafeBufferPointer { try? index.matches(forFoldedPrefix: FoldedPrefix($0)) }
      require(answer == nil, "an answer without a shard")
    }
    for position in [0, 1, 63, index.recordCount / 2, index.recordCount - 1]
    where position >= 0 && position < index.recordCount {
      guard let shard = try? manifest.shardPosition(holding: position) else { continue }
      require(
        shard.firstRecord <= position && position - shard.firstRecord < shard.recordCount, "the shard of a position")
    }
    guard index.shardCount < 300, let shards = try? manifest.shards() else { return }
    require(shards.reduce(0) { $0 + $1.recordCount } == index.recordCount, "the records of all shards")
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    func seed(_ shards: Int, _ flags: UInt8, long: Bool = false, nodes: Bool = false) -> [UInt8] {
      let entries = (0..<shards).map { number in
        var bound = number == 0 ? [] : Array((long ? "a long bound \(number + 1000)" : "b\(number + 100)").utf8)
        if number == 5 { bound = Array((long ? "a long bound \(1000 + 5)" : "b104").utf8) }
        return ManifestEncoder.ListedShard(
          bound: bound, records: 3 + number % 5,
          file: Manifest.File(
            size: 1000 + number, headerSize: 100, headerContentSize: 200, headerChecksum: UInt32(number),
            isContinuation: number == 5 && !long),
          digest: (0..<16).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) },
          label: Array("b\(number % 10)".utf8) + [UInt8](repeating: 0, count: 6))
      }
      var encoder = ManifestEncoder(level: 1)
      for entry in entries { encoder.add(entry) }
      guard
        let file = try? encoder.file(
          shardLimit: 4096, fieldNames: ["name", "country", "coord.lon", "coord.lat"],
          settings: [("key", "{name}, {country}"), ("latitude", "coord.lat"), ("longitude", "coord.lon")])
      else { fail("a seed") }
      var (bytes, start) = ([flags], 0)
      while start < file.count {
        let (content, size) = SeedFrames.content(file[start...])
        bytes += [UInt8(content.count & 255), UInt8(content.count >> 8)] + content
        start += size
        // Only the first node; its pages follow.
        if nodes, bytes.count > content.count + 3 { break }
      }
      return bytes
    }
    func chain(_ contents: [[UInt8]]) -> [UInt8] {
      [4] + contents.flatMap { [UInt8($0.count & 255), UInt8($0.count >> 8)] + $0 }
    }
    var map = DensityGrid()
    for cell in [0, 1, 1, 719, 720, 14_399, 14_400, 259_199] { map.add(cell) }
    for _ in 0..<200 { map.add(130_000) }
    let bands = DensityBands(map)
    var notes = BuildNotes(level: 19)
    notes.pieces = (0..<70).map {
      BuildNotes.NotedPiece(shardCount: 1, isRestart: $0 % 7 == 0, digest: PieceDigest(high: UInt64($0), low: 1))
    }
    return [
      ("density grid", chain([bands.head(checksums: bands.bands.map { _ in 0 })] + bands.bands.map(\.content))),
      ("notes", chain([notes.head(checksums: notes.groups.map { _ in 0 })] + notes.groups)),
      ("none", seed(0, 1)), ("one", seed(1, 1)), ("few", seed(7, 1)), ("few-memory", seed(7, 0)),
      ("long", seed(9, 1, long: true)), ("page", seed(64, 1)), ("pages", seed(66, 1)), ("unfit", seed(3, 3)),
      ("nodes", seed(4097, 0, nodes: true)),
    ]
  }
}

/// The frames that the seeds come from.
enum SeedFrames {
  /// The content and the size of the frame at the beginning of `bytes`.
  static func content(_ bytes: ArraySlice<UInt8>) -> (content: [UInt8], size: Int) {
    bytes.withUnsafeBufferPointer { bytes in
      guard let size = ZstdFrame.size(of: bytes), let count = ZstdFrame.contentSize(of: bytes) else { fail("a frame") }
      var content = [UInt8](repeating: 0, count: count)
      content.withUnsafeMutableBytes { target in
        let frame = UnsafeBufferPointer(rebasing: bytes[..<size])
        guard (try? ZstdFrame.decompress(frame, into: target, with: Decompressor())) != nil else { fail("a frame") }
      }
      return (content, size)
    }
  }
}
