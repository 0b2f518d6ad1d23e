import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// Each test has a process of its own, whose memory it measures: a trap there is one failure here.
@Suite("Damage under right checksums", .serialized) struct ContentDamageTests {
  /// Asks for all content that a damaged index claims to have: nothing may trap or grow.
  struct Abuse {
    let prefixes: [String]
    private let buffer = RecordBuffer()

    init() {
      prefixes = [
        "a", "al", "san ", "san a", "san a1,d", "lo", "os", "ab", "zu", "東", "東a", "zz", "a,", "alss3, de",
        "ab", "~",
      ]
    }

    /// - Returns: Whether an error came.
    func run(_ path: String) -> Bool {
      var failed = false
      func attempt(_ body: () throws -> Void) {
        do { try body() } catch {
          failed = true
          if !(error is IndexError) { Issue.record("\(error)") }
        }
      }
      attempt {
        let index = try ShardedIndex(opening: path, options: .init(cacheLimitBytes: 64 << 10))
        _ = (index.fieldNames, index.keyTemplate, index.statistics)
        let count = index.recordCount
        for start in [0, 1, 7, 16, 17, 50, 120, 190, count - 20, count - 1, count, count / 2] where start >= 0 {
          attempt {
            let matches = try index.matches(forPrefix: "")
            try matches.read(start..<start + min(20, .max - start), into: buffer)
            for record in try matches.records(in: start..<start + min(3, .max - start)) {
              _ = (record.key, record.fields.count)
            }
          }
        }
        attempt { try index.matches(forPrefix: "").read(0..<min(count, 400), into: buffer) }
        for prefix in prefixes {
          attempt {
            let matches = try index.matches(forPrefix: prefix)
            try matches.read(0..<20, into: buffer)
            try matches.read(max(0, matches.count - 3)..<max(0, matches.count), into: buffer)
          }
        }
        var session = index.session()
        attempt { try session.append("san ") }
        session.removeLast()
      }
      return failed
    }
  }

  private static func checkMemory(_ what: String, _ body: () throws -> Void) rethrows {
    let growth = MemoryGrowth()
    try body()
    let grown = growth.bytes
    print("\(what): \(grown >> 20) MiB more at the peak")
    #expect(grown < 160 << 20, "\(what)")
  }

  @Test("a changed byte of the manifest's root or page does no harm under right checksums")
  func manifestContents() async {
    await #expect(processExitsWith: .success) {
      try ContentDamageTests.runManifestContents(CorruptionTests.build().path, masks: [0xff, 0x01, 0x80])
    }
  }

  @Test("a changed byte of a manifest of three pages does no harm under right checksums")
  func pagedManifestContents() async {
    await #expect(processExitsWith: .success) {
      try ContentDamageTests.runManifestContents(
        ContentDamageTests.manyShards().path, masks: [0xff], every: TestData.isDebug ? 41 : TestData.isLong ? 1 : 4)
    }
  }

  /// 160 records in as many shards or nearly: runs of equal keys, and prefixes of ``Abuse`` that span pages.
  static func manyShards() throws -> SmallIndex {
    let records = (0..<160).map { row in
      ModelRecord([
        ("name", .string(row % 16 == 0 ? "San a" : ["Al", "San ", "Lo", "Zü"][row % 4] + "s\(row / 5)")),
        ("country", .string("DE")), ("id", .number("\(row)")),
      ])
    }
    return try SmallIndex(records, key: CorruptionTests.key, shardLimitBytes: 1)
  }

  private static func runManifestContents(_ path: String, masks: [UInt8], every step: Int = 1) throws {
    let surgery = try FrameSurgery(path)
    let abuse = Abuse()
    let manifest = Files.read(path + "/manifest")!
    var (changes, errors) = (0, 0)
    func run(_ bytes: [UInt8]) {
      Files.write(bytes, to: path + "/manifest")
      changes += 1
      if abuse.run(path) { errors += 1 }
    }
    #expect(!abuse.run(path))
    Self.checkMemory("manifest") {
      for mask in masks {
        for offset in stride(from: 0, to: surgery.root.count, by: step) {
          var root = surgery.root
          root[offset] ^= mask
          run(surgery.manifestFile(changedRoot: root))
        }
        for (page, content) in surgery.pages.enumerated() {
          for offset in stride(from: page % step, to: content.count, by: step) {
            var content = content
            content[offset] ^= mask
            run(surgery.manifestFile(pages: [page: content]))
          }
        }
      }
    }
    print("manifest of \(surgery.pages.count) pages: \(errors) of \(changes) changes noticed")
    Files.write(manifest, to: path + "/manifest")
    #expect(!abuse.run(path))
  }

  @Test("a changed byte of any frame's content does no harm under right checksums")
  func shardContents() async {
    await #expect(processExitsWith: .success) { try ContentDamageTests.runShardContents() }
  }

  private static func runShardContents() throws {
    let built = try CorruptionTests.build()
    let surgery = try FrameSurgery(built.path)
    let abuse = Abuse()
    #expect(!abuse.run(built.path))
    let manifest = Files.read(built.path + "/manifest")!
    var (changes, errors) = (0, 0)
    Self.checkMemory("shards") {
      for (number, shard) in surgery.shards.enumerated() {
        let path = "\(built.path)/\(shard.name)"
        for (frame, content) in shard.contents.enumerated() {
          for offset in content.indices {
            for mask in TestData.isLong ? [0xff, 0x01, 0x80] : [0xff] as [UInt8] {
              var content = content
              content[offset] ^= mask
              let (bytes, file) = surgery.shardFile(number, [frame: content])
              Files.write(bytes, to: path)
              Files.write(surgery.manifestFile(number, file), to: built.path + "/manifest")
              changes += 1
              if abuse.run(built.path) { errors += 1 }
            }
          }
        }
        Files.write(shard.frames.flatMap { $0 }, to: path)
      }
    }
    print("shards: \(errors) of \(changes) changes noticed")
    Files.write(manifest, to: built.path + "/manifest")
    #expect(!abuse.run(built.path))
  }

  @Test("random damage to frames' contents does no harm under right checksums", arguments: UInt64(1)...4)
  func fuzz(seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in try ContentDamageTests.runFuzz(seed: seed) }
  }

  private static func runFuzz(seed: UInt64) throws {
    let built = try CorruptionTests.build()
    let surgery = try FrameSurgery(built.path)
    let abuse = Abuse()
    var random = SplitMix64(seed: seed)
    let manifest = Files.read(built.path + "/manifest")!
    Self.checkMemory("random damage") {
      for _ in 0..<TestData.count(300, 5000) {
        let number = Int.random(in: surgery.shards.indices, using: &random)
        let shard = surgery.shards[number]
        var contents: [Int: [UInt8]] = [:]
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          let frame = Int.random(in: shard.contents.indices, using: &random)
          var content = contents[frame] ?? shard.contents[frame]
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !content.isEmpty else { break }
            let at = Int.random(in: content.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: content[at] = UInt8.random(in: 0...255, using: &random)
            case 1: content[at] = [0, 1, 0x7f, 0x80, 0xfe, 0xff].randomElement(using: &random)!
            case 2 where at + 4 <= content.count:
              let value = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 255, 256, 65536, 1 << 26]
                .randomElement(using: &random)!
              for byte in 0..<4 { content[at + byte] = UInt8(value >> (8 * byte) & 255) }
            case 3: content.remove(at: at)
            case 4: content.insert(UInt8.random(in: 0...255, using: &random), at: at)
            default: content.removeLast(min(content.count, Int.random(in: 1...8, using: &random)))
            }
          }
          contents[frame] = content
        }
        let (bytes, file) = surgery.shardFile(number, contents)
        Files.write(bytes, to: "\(built.path)/\(shard.name)")
        Files.write(surgery.manifestFile(number, file), to: built.path + "/manifest")
        _ = abuse.run(built.path)
        Files.write(shard.frames.flatMap { $0 }, to: "\(built.path)/\(shard.name)")
      }
    }
    Files.write(manifest, to: built.path + "/manifest")
  }

  @Test("random damage to the manifest's root and pages does no harm under right checksums", arguments: UInt64(1)...4)
  func fuzzManifest(seed: UInt64) async {
    await #expect(processExitsWith: .success) { [seed] in try ContentDamageTests.runFuzzManifest(seed: seed) }
  }

  private static func runFuzzManifest(seed: UInt64) throws {
    // Manifests of one page and of three take turns.
    let built = try seed % 2 == 0 ? CorruptionTests.build() : manyShards()
    let surgery = try FrameSurgery(built.path)
    let abuse = Abuse()
    var random = SplitMix64(seed: seed)
    func damage(_ content: [UInt8]) -> [UInt8] {
      var content = content
      for _ in 0..<Int.random(in: 1...4, using: &random) where !content.isEmpty {
        let at = Int.random(in: content.indices, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4 where at + 4 <= content.count:
          let values = [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 255, 1 << 26]
          FrameSurgery.set(&content, at, values.randomElement(using: &random)!, size: 4)
        case 4..<6 where at + 8 <= content.count:
          let values = [0, 1, .max, .min, -1, .min + 1, 1 << 62]
          FrameSurgery.set(&content, at & ~7, values.randomElement(using: &random)!, size: 8)
        case 6: content.remove(at: at)
        case 7: content.insert(UInt8.random(in: 0...255, using: &random), at: at)
        case 8: content.removeLast(min(content.count, Int.random(in: 1...80, using: &random)))
        default: content[at] = UInt8.random(in: 0...255, using: &random)
        }
      }
      return content
    }
    Self.checkMemory("random damage to the manifest") {
      for _ in 0..<TestData.count(300, 5000) {
        let page = surgery.pages.indices.randomElement(using: &random)!
        let bytes =
          Bool.random(using: &random)
          ? surgery.manifestFile(changedRoot: damage(surgery.root))
          : surgery.manifestFile(pages: [page: damage(surgery.pages[page])])
        Files.write(bytes, to: built.path + "/manifest")
        _ = abuse.run(built.path)
      }
    }
  }

  // Counts that agree with each other and with nothing else.
  @Test("a shard that claims four thousand million records is refused")
  func hugeCounts() async {
    await #expect(processExitsWith: .success) { try ContentDamageTests.runHugeCounts() }
  }

  private static func runHugeCounts() throws {
    let built = try CorruptionTests.build()
    let surgery = try FrameSurgery(built.path)
    let abuse = Abuse()
    let manifest = Files.read(built.path + "/manifest")!
    for count in [0x10_0000, 0x7fff_ffff, 0xffff_ffff] {
      for parts in [1, count / 16, count] {
        var header = try ShardHeaderLayout(surgery.shards[1].contents[0])
        (header.records, header.partCount) = (count, parts)
        let (bytes, file) = surgery.shardFile(1, [0: header.content])
        Files.write(bytes, to: "\(built.path)/\(surgery.shards[1].name)")
        Files.write(surgery.manifestFile(1, file, records: count), to: built.path + "/manifest")
        Self.checkMemory("\(count) records in \(parts) parts") { #expect(abuse.run(built.path)) }
      }
    }
    Files.write(manifest, to: built.path + "/manifest")
  }

  // More records than the shards have: positions behind the last shard.
  @Test("a manifest that claims records behind its last shard is refused")
  func recordsBehindTheEnd() async {
    await #expect(processExitsWith: .success) { try ContentDamageTests.runRecordsBehindTheEnd() }
  }

  private static func runRecordsBehindTheEnd() throws {
    let built = try CorruptionTests.build()
    let surgery = try FrameSurgery(built.path)
    let path = built.path + "/manifest"
    let last = surgery.shards.count - 1
    let (_, file) = surgery.shardFile(last, [:])
    for count in [201, 210, 1 << 20, 1 << 40, .max] {
      // The root alone claims the records, then all places.
      let records = count - 200 + surgery.shards[last].records
      let whole = surgery.manifestFile(last, file, records: records)
      var root = surgery.root
      FrameSurgery.set(&root, FrameSurgery.recordCount, count, size: 8)
      for bytes in [surgery.manifestFile(changedRoot: root), whole] {
        Files.write(bytes, to: path)
        do throws(IndexError) {
          let index = try ShardedIndex(opening: built.path)
          #expect(index.recordCount == count, "the number of records stands elsewhere: see docs/format.md")
          let matches = try index.matches(forPrefix: "")
          _ = try matches.records(in: 195..<215)
          _ = try matches.records(in: count - 1..<count)
          Issue.record("\(count) records were believed")
        } catch {
          let shard = "\(built.path)/\(surgery.shards[last].name)"
          let fault = CorruptionTests.fault(error, bytes == whole ? shard : path)
          #expect(fault == nil, "\(error)")
        }
      }
    }
  }

  // Signed 64-bit arithmetic over a root's numbers must not overflow.
  @Test("first records of pages at the limits of 64 bits are refused")
  func extremeFirstRecords() async {
    await #expect(processExitsWith: .success) { try ContentDamageTests.runExtremeFirstRecords() }
  }

  private static func runExtremeFirstRecords() throws {
    let built = try manyShards()
    let surgery = try FrameSurgery(built.path)
    let abuse = Abuse()
    #expect(surgery.pages.count == 3)
    let places = 0..<surgery.pages.count + 1
    for place in places {
      for value in [Int.min, .min + 1, .min + 70, .max, .max - 1, -1, 0] where place > 0 || value != 0 {
        var root = surgery.root
        let start = surgery.firstRecordsStart + 8 * place
        FrameSurgery.set(&root, start, value, size: 8)
        Files.write(surgery.manifestFile(changedRoot: root), to: built.path + "/manifest")
        #expect(abuse.run(built.path), "\(value) at \(place)")
      }
    }
    for page in surgery.pages.indices {
      let count = page < 2 ? 64 : surgery.shards.count - 128
      for place in [0, 1, count / 2, count] {
        for value in [Int.min, .min + 1, .max, -1] {
          var content = surgery.pages[page]
          FrameSurgery.set(&content, 8 * (count + place), value, size: 8)
          Files.write(surgery.manifestFile(pages: [page: content]), to: built.path + "/manifest")
          #expect(abuse.run(built.path), "\(value) at \(place) of page \(page)")
        }
      }
    }
  }

  @Test("a long text of mixed kinds that claims no bytes, not even its kind, is refused")
  func emptyMixedText() async {
    await #expect(processExitsWith: .success) { try ContentDamageTests.runEmptyMixedText() }
  }

  private static func runEmptyMixedText() throws {
    let records = (0..<8).map { row in
      ModelRecord([
        ("name", .string("n\(row)")), ("country", .string("DE")),
        (
          "mixed",
          row < 2
            ? .string(String(repeating: "xy\(row)", count: 100))
            : row < 5 ? .literal("null") : .number("\(row)7")
        ),
      ])
    }
    let built = try SmallIndex(records, key: CorruptionTests.key)
    let surgery = try FrameSurgery(built.path)
    var content = surgery.shards[0].contents[2]
    // The two long texts as the column lists them: record, size, record, size. Each is its kind and 300 bytes.
    let wanted = [0, 301, 1, 301].flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let at = try #require(
      (0..<content.count - wanted.count).first { Array(content[$0..<$0 + wanted.count]) == wanted },
      "the layout of texts is another one: see docs/format.md")
    for (offset, size) in [(4, 0), (12, 602)] {
      for byte in 0..<4 { content[at + offset + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
    }
    let (bytes, file) = surgery.shardFile(0, [2: content])
    Files.write(bytes, to: "\(built.path)/\(surgery.shards[0].name)")
    Files.write(surgery.manifestFile(0, file), to: built.path + "/manifest")
    #expect(Abuse().run(built.path), "a text without its kind was believed")
  }
}
