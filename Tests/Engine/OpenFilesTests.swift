import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// Shard files that stay open for the next load.
@Suite("Shard files that stay open") struct OpenFilesTests {
  /// An index of many shards, each with several parts.
  private static func generated() throws -> (index: SmallIndex, scan: LinearScan) {
    let index = try SmallIndex(json: GeneratedList.text(count: 6000, seed: 1, format: .json), key: nil) {
      ($0.shardLimitBytes, $0.partSizeBytes, $0.level) = (8 << 10, 1 << 10, 3)
    }
    let scan = try LinearScan(path: index.directory + "/dataset.json", key: RealList.cities.keyParts)
    return (index, scan)
  }

  /// An index with a cache for very few parts, so that all parts are read again and again.
  private static func open(_ path: String, _ limit: Int?) throws -> ShardedIndex {
    try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 1, openFileLimit: limit))
  }

  private static func readAll(_ index: ShardedIndex, _ scan: LinearScan, _ buffer: RecordBuffer) throws -> String? {
    try index.matches(forPrefix: "").read(0..<scan.count, into: buffer)
    return scan.difference(buffer, 0..<scan.count, scan.fieldNumbers(of: index))
  }

  #if os(Linux)
    @Test("the limit bounds open files, and removing resident shards closes them", arguments: [0, 1, 3, 1000, nil])
    func counted(limit: Int?) throws {
      let (small, scan) = try Self.generated()
      let index = try Self.open(small.path, limit)
      #expect(index.shardCount > 10 && index.shardCount < 128)
      let buffer = RecordBuffer()
      // The manifests of this index, and of the one that the test made.
      #expect(Files.opened(in: small.path) == ["manifest", "manifest"])
      for _ in 0..<2 {
        #expect(try Self.readAll(index, scan, buffer) == nil)
        let shards = Files.opened(in: small.path).filter { $0 != "manifest" }
        // Without a limit the index goes by the process's limit of descriptors, which a test does not know.
        if let limit {
          #expect(shards.count == min(limit, index.shardCount))
        } else {
          #expect(shards.count <= 128)
        }
        #expect(Set(shards).count == shards.count)
        index.removeResidentShards()
        #expect(Files.opened(in: small.path).count == 2)
      }
      #expect(try Self.readAll(index, scan, buffer) == nil)
    }

    @Test("reloading closes files of an older generation")
    func reloaded() throws {
      let live = LiveIndex()
      try live.build(0)
      let index = try live.open()
      _ = try LiveIndex.generation(of: index.matches(forPrefix: ""), count: live.recordCount)
      let before = Files.opened(in: live.path)
      #expect(before.count == 1 + index.shardCount)
      try live.build(1)
      try live.build(2)
      #expect(try LiveIndex.generation(of: index.matches(forPrefix: ""), count: live.recordCount) == 0)
      #expect(try index.reload())
      #expect(Files.opened(in: live.path) == ["manifest", "manifest"], "the first one stays open as long as the index")
    }

    @Test("a pinned index keeps no files open, because every load reads a whole file")
    func pinned() throws {
      let (small, scan) = try Self.generated()
      let digest = try small.open.manifestDigest()
      let index = try ShardedIndex(opening: small.path, options: .init(expectedDigest: digest))
      #expect(try Self.readAll(index, scan, RecordBuffer()) == nil)
      #expect(Files.opened(in: small.path) == ["manifest", "manifest"])
    }
  #endif

  @Test("open files answer after their names are removed")
  func removed() throws {
    let (small, scan) = try Self.generated()
    let (kept, other) = (try Self.open(small.path, 1000), try Self.open(small.path, 0))
    let buffer = RecordBuffer()
    for index in [kept, other] { #expect(try Self.readAll(index, scan, buffer) == nil) }
    for name in Files.names(in: small.path) where name.hasSuffix(".zst") { Files.remove("\(small.path)/\(name)") }
    #expect(try Self.readAll(kept, scan, buffer) == nil)
    #expect(throws: IndexError.self) { try Self.readAll(other, scan, buffer) }
    kept.removeResidentShards()
    #expect(throws: IndexError.self) { try Self.readAll(kept, scan, buffer) }
  }

  @Test("damage in an open file, behind the bytes that were read, is found")
  func damaged() throws {
    let (small, scan) = try Self.generated()
    let index = try Self.open(small.path, 1000)
    #expect(try Self.readAll(index, scan, RecordBuffer()) == nil)
    let name = Files.names(in: small.path).first { $0.hasSuffix(".zst") }!
    let path = "\(small.path)/\(name)"
    let bytes = Files.read(path)!
    Files.overwrite(path, at: bytes.count - 20, with: bytes[(bytes.count - 20)...].map { ~$0 })
    let error = #expect(throws: IndexError.self) { try Self.readAll(index, scan, RecordBuffer()) }
    if case .corrupt(path, _)? = error {} else { Issue.record("\(error as Any)") }
    // Another file takes the name, as in a repair, while the damaged file may be open.
    Files.remove(path)
    Files.write(bytes, to: path)
    #expect(try Self.readAll(index, scan, RecordBuffer()) == nil)
    Files.setSize(of: path, to: bytes.count - 20)
    #expect(throws: IndexError.self) { try Self.readAll(index, scan, RecordBuffer()) }
    Files.remove(path)
    Files.write(bytes, to: path)
    #expect(try Self.readAll(index, scan, RecordBuffer()) == nil)
  }

  @Test("damaged fields of a resident part are read again after their file was replaced")
  func repaired() throws {
    let (small, scan) = try Self.generated()
    let index = small.open
    let path = small.path + "/" + Files.names(in: small.path).first { $0.hasSuffix(".zst") }!
    let bytes = Files.read(path)!
    Files.overwrite(path, at: bytes.count - 20, with: bytes[(bytes.count - 20)...].map { ~$0 })
    for _ in 0..<2 { #expect(throws: IndexError.self) { try Self.readAll(index, scan, RecordBuffer()) } }
    let resident = index.statistics
    Files.remove(path)
    Files.write(bytes, to: path)
    #expect(try Self.readAll(index, scan, RecordBuffer()) == nil)
    #expect(index.statistics.residentBytes > resident.residentBytes && index.statistics.evictions == 0)
  }

  @Test("eight threads share a few places for many files", arguments: [0, 1, 3])
  func threads(limit: Int) throws {
    let (small, scan) = try Self.generated()
    let index = try Self.open(small.path, limit)
    let fieldNumbers = scan.fieldNumbers(of: index)
    let wrong = Atomic<Int>(0)
    WorkerPool.forEach(8, threads: 8) { thread in
      let buffer = RecordBuffer()
      var random = SplitMix64(seed: UInt64(thread))
      for step in 0..<400 {
        let start = Int.random(in: 0..<scan.count - 10, using: &random)
        do {
          let matches = try index.matches(forPrefix: "")
          try matches.read(start..<start + 10, into: buffer)
          if scan.difference(buffer, start..<start + 10, fieldNumbers) != nil { wrong.add(1, ordering: .relaxed) }
        } catch {
          wrong.add(1, ordering: .relaxed)
        }
        if thread == 0, step % 50 == 0 { index.removeResidentShards() }
      }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
