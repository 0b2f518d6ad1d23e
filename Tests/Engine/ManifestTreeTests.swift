import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// Manifests with nodes between the root and the pages. Most of their shards exist in the manifest alone.
@Suite("A manifest with nodes") struct ManifestTreeTests {
  /// The lower bound of a shard, and whether the previous shard ends with that key.
  private typealias Bound = (text: [UInt8], isContinuation: Bool)

  /// `count` ascending bounds; runs of equal bounds begin, end or continue at every border of pages and nodes.
  private static func bounds(_ count: Int) -> [Bound] {
    var bounds: [Bound] = [([], false)]
    for number in 1..<count {
      let page = number / 64
      // Behind a border, over it, up to it: pages take turns.
      let run: (first: Int, size: Int) = [(0, 3), (-2, 5), (-3, 3), (-70, 80)][page % 4]
      let nearest = (number + 70) / 64 * 64
      var text = "k\(10_000_000 + number)"
      var isContinuation = false
      for border in [nearest - 64, nearest] where border > 64 {
        let kind: (first: Int, size: Int) = border % 4096 == 0 ? (-2, 5) : run
        let first = border + kind.first
        if kind.size < 60 || border % 1024 == 0, first < number, number < first + kind.size {
          (text, isContinuation) = ("k\(10_000_000 + first)", true)
        }
      }
      // If runs overlap, the first run's bound stays.
      if let last = bounds.last, String(decoding: last.text, as: UTF8.self) > text {
        (text, isContinuation) = (String(decoding: last.text, as: UTF8.self), true)
      }
      bounds.append((Array(text.utf8), isContinuation && bounds[number - 1].text == Array(text.utf8)))
    }
    return bounds
  }

  private static func plain(_ number: Int) -> Bound {
    (text: number == 0 ? [] : Array("k\(10_000_000 + number)".utf8), isContinuation: false)
  }

  /// Every shard has this many records.
  private static func records(_ shard: Int) -> Int { 1 + shard % 3 }

  private static func manifest(_ bounds: some Sequence<Bound>) throws -> [UInt8] {
    var encoder = ManifestEncoder(level: 1)
    for (number, bound) in bounds.enumerated() {
      encoder.add(
        ManifestEncoder.ListedShard(
          bound: bound.text, records: records(number),
          file: Manifest.File(
            size: 1000, headerSize: 100, headerContentSize: 200, headerChecksum: UInt32(number),
            isContinuation: bound.isContinuation),
          digest: (0..<16).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) },
          label: Manifest.label(ofKey: bound.text)
        ))
    }
    return try encoder.file(shardLimit: 1, fieldNames: ["name"], settings: [("key", "{name}")])
  }

  private static func open(_ file: [UInt8], cacheLimit: Int = 64 << 20) throws -> (TemporaryDirectory, ShardedIndex) {
    let directory = TemporaryDirectory()
    Files.write(file, to: directory("manifest"))
    return (directory, try ShardedIndex(opening: directory.path, options: .init(cacheLimitBytes: cacheLimit)))
  }

  private static func places(_ manifest: ManifestReader, _ prefix: [UInt8]) throws(IndexError) -> ClosedRange<Int> {
    try prefix.withUnsafeBufferPointer { (bytes) throws(IndexError) in
      let (first, last) = try manifest.shardPositions(forPrefix: FoldedPrefix(bytes))
      return first.number...max(first.number, last.number)
    }
  }

  /// The same shards by docs/format.md §8, from all bounds.
  private static func places(_ bounds: [Bound], _ prefix: [UInt8]) -> ClosedRange<Int> {
    func count(_ isBefore: (Bound) -> Bool) -> Int {
      var (low, high) = (0, bounds.count)
      while low < high {
        let middle = (low + high) / 2
        if isBefore(bounds[middle]) { low = middle + 1 } else { high = middle }
      }
      return low
    }
    let below = count { $0.text.lexicographicallyPrecedes(prefix) }
    let isBeginning = below < bounds.count && bounds[below].text == prefix && !bounds[below].isContinuation
    let last = count { $0.text.lexicographicallyPrecedes(prefix) || $0.text.starts(with: prefix) } - 1
    return (isBeginning ? below : max(0, below - 1))...last
  }

  private static func prefixes(_ bounds: [Bound], around shards: some Sequence<Int>) -> Set<[UInt8]> {
    var prefixes: Set<[UInt8]> = [Array("k".utf8), Array("j".utf8), Array("l".utf8), [1], [0xf4]]
    for shard in shards where bounds.indices.contains(shard) {
      let text = bounds[shard].text
      for size in 1..<max(2, text.count + 1) where size <= text.count {
        let prefix = Array(text.prefix(size))
        prefixes.formUnion([prefix, prefix + [0x21], prefix.dropLast() + [prefix[size - 1] + 1]])
      }
    }
    return prefixes
  }

  @Test(
    "a search through nodes finds the shards that a search of all bounds finds",
    arguments: [(4096, 0), (4097, 1), (4160, 1), (12_345, 1), (262_144, 1), (262_145, 2), (270_000, 2)])
  func search(count: Int, height: Int) throws {
    let bounds = Self.bounds(count)
    let file = try Self.manifest(bounds)
    #expect(try ManifestSurgery(file).root.level == height + 1)
    var random = SplitMix64(seed: UInt64(count))
    var shards = Set((0..<60).map { _ in Int.random(in: 0..<count, using: &random) })
    for border in [64, 1024, 4096, 8192, 262_144, count] { shards.formUnion(border - 4...border + 4) }
    let prefixes = Self.prefixes(bounds, around: shards)
    let firsts = bounds.indices.reduce(into: [0]) { $0.append($0[$1] + Self.records($1)) }
    for limit in [64 << 10, 1 << 20, 1 << 30] {
      let (directory, index) = try Self.open(file, cacheLimit: limit)
      let manifest = index.generation.manifest
      let root = manifest.residentSize
      #expect((manifest.shardCount, manifest.recordCount) == (count, firsts[count]))
      for prefix in prefixes {
        let (found, wanted) = (try Self.places(manifest, prefix), Self.places(bounds, prefix))
        #expect(found == wanted, "\(String(decoding: prefix, as: UTF8.self)), \(directory.path)")
        #expect(limit > 1 << 20 || manifest.residentSize - root <= 256 << 10)
      }
      for shard in shards where shard < count {
        for position in [firsts[shard], firsts[shard + 1] - 1] {
          let place = try manifest.shardPosition(holding: position)
          #expect((place.number, place.firstRecord, place.recordCount) == (shard, firsts[shard], Self.records(shard)))
        }
      }
      for shard in shards where shard < count {
        let found = try manifest.shard(shard)
        #expect(Array(found.bound) == bounds[shard].text && found.firstRecord == firsts[shard])
        #expect(found.file.headerChecksum == UInt32(shard) && found.file.isContinuation == bounds[shard].isContinuation)
      }
    }
    // All shards at once, and the resident memory then.
    let (_, index) = try Self.open(file, cacheLimit: 1 << 30)
    #expect(try index.generation.manifest.shards().map(\.number) == Array(0..<count))
    let size = index.generation.manifest.size
    #expect(
      index.generation.manifest.residentSize >= size && index.generation.manifest.residentSize < size + size / 100)
  }

  @Test("opening reads a root of bounded size for any number of shards, and no byte behind it")
  func opening() throws {
    for count in [4096, 4097, 64 * 1000, 262_144, 262_145] {
      var file = try Self.manifest((0..<count).lazy.map(Self.plain))
      let root = file.withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }
      // The size of one read.
      #expect(root <= 4096, "\(count) shards")
      for byte in root..<file.count { file[byte] = 0 }
      let (_, index) = try Self.open(file)
      #expect(index.shardCount == count && index.keyTemplate == "{name}")
      #expect(throws: IndexError.self) { try Self.places(index.generation.manifest, [0x6b]) }
    }
  }

  @Test("a damaged node hides only the shards below it, and is read again")
  func damagedNode() throws {
    let bounds = Self.bounds(3 * 4096 + 5)
    let file = try Self.manifest(bounds)
    for limit in [1 << 20, 64 << 20] {
      let (directory, index) = try Self.open(file, cacheLimit: limit)
      let surgery = try ManifestSurgery(file)
      let entry = surgery.root.entries + 32
      let start =
        file.withUnsafeBufferPointer { ZstdFrame.size(of: $0)! }
        + ManifestSurgery.Frame.number(surgery.root.content, entry - 32, 8)
      let at = start + ManifestSurgery.Frame.number(surgery.root.content, entry + 20, 4) - 1
      Files.overwrite(directory("manifest"), at: at, with: [file[at] ^ 1])
      func ask(_ shard: Int) throws(IndexError) -> ClosedRange<Int> {
        try Self.places(index.generation.manifest, bounds[shard].text + [0x21])
      }
      for shard in [10, 4090, 8200, 12_290] {
        #expect(try ask(shard).contains(shard) || bounds[shard + 1].text == bounds[shard].text)
      }
      for shard in [4100, 6000, 8100] {
        let error = #expect(throws: IndexError.self) { try ask(shard) }
        guard case .corrupt(_, .wrongChecksum) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
      Files.overwrite(directory("manifest"), at: at, with: [file[at]])
      for shard in [4100, 6000, 8100] { #expect(try ask(shard) == Self.places(bounds, bounds[shard].text + [0x21])) }
    }
  }

  @Test("eight threads read kept and evicted pages and nodes", arguments: [1 << 20, 64 << 20])
  func concurrent(limit: Int) throws {
    let bounds = Self.bounds(9000)
    let (_, index) = try Self.open(try Self.manifest(bounds), cacheLimit: limit)
    let wrong = Atomic<Int>(0)
    WorkerPool.forEach(8, threads: 8) { thread in
      var random = SplitMix64(seed: UInt64(thread % 4))
      for step in 0..<2000 {
        let text = bounds[Int.random(in: 1..<9000, using: &random)].text
        let prefix = Array(text.prefix(Int.random(in: 1...text.count, using: &random)))
        if (try? Self.places(index.generation.manifest, prefix)) != Self.places(bounds, prefix) {
          wrong.add(1, ordering: .relaxed)
        }
        if thread == 0, step % 100 == 0 { index.removeResidentShards() }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }

  // MARK: Hostile manifests

  /// Two nodes, of 64 pages and of one page; or the same on two levels, with nodes below.
  private static func surgery(height: Int) throws -> (surgery: ManifestSurgery, bounds: [Bound]) {
    let bounds = (0..<(height == 1 ? 4097 : 262_145)).map(plain)
    return (try ManifestSurgery(try manifest(bounds)), bounds)
  }

  /// Whether opening the file or listing all shards refuses it; no other error may come.
  private static func isRefused(_ file: [UInt8]) -> Bool {
    do {
      let (_, index) = try open(file, cacheLimit: 1 << 20)
      for prefix in ["k", "k10000001", "k10004096", "k1000409", "k10262144", "z", "a"].map({ Array($0.utf8) }) {
        _ = try? places(index.generation.manifest, prefix)
      }
      _ = try index.generation.manifest.shards()
      return false
    } catch {
      guard let error = error as? IndexError, case .corrupt = error else { return false }
      return true
    }
  }

  @Test("a list's entry of a node must be true", arguments: [1, 2])
  func promises(height: Int) throws {
    let (surgery, _) = try Self.surgery(height: height)
    #expect(!Self.isRefused(surgery.file()))
    let parents = height == 1 ? [surgery.root] : [surgery.root, surgery.root.children[0]]
    for parent in parents {
      let width = 32
      // Offset in the entry, size, change.
      let changes: [(String, Int, Int, (Int) -> Int)] = [
        ("ends one later", 0, 8, { $0 + 1 }), ("ends before it begins", 0, 8, { _ in 0 }),
        ("ends beyond all numbers", 0, 8, { _ in -1 }), ("another content size", 8, 4, { $0 + 1 }),
        ("content over the limit", 8, 4, { _ in 1 << 25 }), ("another checksum", 12, 4, { $0 ^ 1 }),
        ("continues", 16, 4, { $0 ^ 1 }), ("a larger frame", 20, 4, { $0 + 1 }), ("a smaller frame", 20, 4, { $0 - 1 }),
        ("no frame", 20, 4, { _ in 0 }), ("a frame of all", 20, 4, { _ in 1 << 30 }),
        ("more content in all", 24, 8, { $0 + 1 }), ("less content in all", 24, 8, { $0 - 1 }),
        ("no content in all", 24, 8, { _ in 0 }), ("content beyond all numbers", 24, 8, { _ in -1 }),
        ("content beyond the limit", 24, 8, { _ in 1 << 56 }),
      ]
      for (name, offset, size, change) in changes {
        for child in [0, parent.children.count - 1] {
          // Otherwise the sum of the list above would show the fault.
          parent.change = { content in
            let at = parent.entries + width * child + offset
            ManifestSurgery.Frame.set(
              &content, at, change(ManifestSurgery.Frame.number(content, at, size)), size: size)
          }
          #expect(Self.isRefused(surgery.file()), "\(name), child \(child)")
          parent.change = nil
        }
      }
      let head = parent.isRoot ? parent.section(1) + 8 : 8
      let firsts = parent.firstRecords
      let others: [(String, (inout [UInt8]) -> Void)] = [
        ("another head", { $0[head] ^= 1 }),
        (
          "records that do not add up",
          { ManifestSurgery.Frame.set(&$0, firsts + 8 * parent.children.count, 7, size: 8) }
        ),
        ("records that fall", { ManifestSurgery.Frame.set(&$0, firsts + 8, -5, size: 8) }),
        ("fewer records than shards", { ManifestSurgery.Frame.set(&$0, firsts + 8, 4000, size: 8) }),
        ("other records than the node has", { $0[firsts + 8] ^= 1 }),
        ("a bound that ends elsewhere", { $0[parent.boundEnds + 4] ^= 1 }),
        (
          "another bound than the node's",
          {
            $0[parent.bounds + 8] ^= 1
            // The head does not have the ninth byte.
            $0[parent.bounds + 7] ^= 1
            $0[head] ^= 1
          }
        ),
        ("too short", { $0.removeLast() }), ("nothing", { $0 = [] }),
      ]
      for (name, change) in others {
        parent.change = change
        #expect(Self.isRefused(surgery.file()), "\(name)")
        parent.change = nil
      }
      // A root may have bytes behind its sections.
      parent.change = { $0.append(0) }
      #expect(Self.isRefused(surgery.file()) == !parent.isRoot)
      parent.change = nil
    }
    #expect(!Self.isRefused(surgery.file()))
  }

  @Test("bounds must ascend over the borders of nodes")
  func borders() throws {
    for height in [1, 2] {
      let (surgery, _) = try Self.surgery(height: height)
      // The last page before the border of the root's first two children, and its node.
      var node = surgery.root.children[0]
      while node.level > 1 { node = node.children[63] }
      let page = node.children[63]
      let last = page.content.count - 9
      let bound = Array("k99999999".utf8)
      let head = bound.withUnsafeBufferPointer { KeyBlocks.head(of: $0) }
      page.change = { content in
        content.replaceSubrange(last..<last + 9, with: bound)
        ManifestSurgery.Frame.set(&content, 8 * 63, Int(truncatingIfNeeded: head), size: 8)
      }
      #expect(Self.isRefused(surgery.file()))
      page.change = nil
      // The same for the last page's own bound, which its node has too.
      let first = page.content.count - 9 * 64
      for frame in [page, node] {
        frame.change = { content in
          let (number, at) = frame === page ? (0, first) : (63, content.count - 9)
          content.replaceSubrange(at..<at + 9, with: bound)
          ManifestSurgery.Frame.set(&content, 8 * number, Int(truncatingIfNeeded: head), size: 8)
        }
      }
      #expect(Self.isRefused(surgery.file()))
      (page.change, node.change) = (nil, nil)
      #expect(!Self.isRefused(surgery.file()))
    }
  }

  @Test("versions and counts that do not fit together are refused")
  func versions() throws {
    let (surgery, _) = try Self.surgery(height: 1)
    for version in [0, 2, 3] {
      surgery.root.change = { ManifestSurgery.Frame.set(&$0, 4, version, size: 2) }
      #expect(Self.isRefused(surgery.file()), "version \(version)")
    }
    for shards in [4096, 4098, 8193, 1 << 18, 1 << 31, 0xffff_ffff] {
      surgery.root.change = { ManifestSurgery.Frame.set(&$0, 32, shards, size: 4) }
      #expect(Self.isRefused(surgery.file()), "\(shards) shards")
    }
    // The greatest number of shards, with four nodes in the root: the file has no room for them.
    let four = try ManifestSurgery(try Self.manifest(Self.bounds(3 * 4096 + 5)))
    four.root.change = { content in
      ManifestSurgery.Frame.set(&content, 32, 0xffff_ffff, size: 4)
      ManifestSurgery.Frame.set(&content, 24, Int.max, size: 8)
      for child in 1...4 {
        ManifestSurgery.Frame.set(&content, four.root.firstRecords + 8 * child, Int.max >> (4 - child), size: 8)
      }
    }
    #expect(Self.isRefused(four.file()))
  }

  @Test("a changed byte of a root or a node gives an error or an answer within the index")
  func everyByte() throws {
    let (surgery, bounds) = try Self.surgery(height: 1)
    var random = SplitMix64(seed: 1)
    for frame in [surgery.root, surgery.root.children[0], surgery.root.children[1]] {
      for byte in frame.content.indices {
        let value = UInt8.random(in: 1...255, using: &random)
        frame.change = { $0[byte] ^= value }
        guard let (_, index) = try? Self.open(surgery.file(), cacheLimit: 1 << 20) else { continue }
        for prefix in ["k", "k1000", "k10004096", "k10004"].map({ Array($0.utf8) }) {
          guard let range = try? Self.places(index.generation.manifest, prefix) else { continue }
          #expect(range.upperBound < bounds.count)
        }
        for position in [0, index.recordCount - 1] where index.recordCount > 0 {
          guard let place = try? index.generation.manifest.shardPosition(holding: position) else { continue }
          #expect(place.firstRecord <= position && position - place.firstRecord < place.recordCount)
        }
      }
      frame.change = nil
    }
  }

  @Test("a root has no room for many keys of 64 KiB, and nodes take them")
  func longKeys() throws {
    let common = [UInt8](repeating: 0x78, count: (1 << 16) - 8)
    func bound(_ shard: Int) -> Bound {
      (text: shard == 0 ? [] : common + Array("\(10_000_000 + shard)".utf8), isContinuation: false)
    }
    let (_, index) = try Self.open(try Self.manifest((0..<17_000).lazy.map(bound)), cacheLimit: 1 << 20)
    for shard in [1, 64, 4095, 4096, 16_999] {
      #expect(try Self.places(index.generation.manifest, bound(shard).text) == shard...shard)
    }
  }
}
