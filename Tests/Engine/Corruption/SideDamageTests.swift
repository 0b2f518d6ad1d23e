import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// The side files of an index, which tests change and write back with right checksums and digests.
private struct SideSurgery {
  private let path: String
  private let manifest: [UInt8]
  private let compressor = Compressor()
  private let pageCount: Int
  /// The values of the shards, by page and table.
  var pages: [[[Generation.ShardValues]]] = []

  init(_ path: String) throws {
    self.path = path
    manifest = Files.read(path + "/manifest")!
    let index = try ShardedIndex(opening: path)
    pageCount = (index.shardCount + Manifest.pageCapacity - 1) / Manifest.pageCapacity
    for page in 0..<pageCount {
      let first = page * Manifest.pageCapacity
      pages.append(
        try (0..<2).map { table in
          try (first..<min(first + Manifest.pageCapacity, index.shardCount)).map { shard in
            try #require(try index.generation.values(.filter(table), ofShard: shard))
          }
        })
    }
  }

  /// Writes the side files, and the manifest that names them.
  func write() throws {
    var encoder = SidesEncoder(tables: [.filter(0), .filter(1)])
    for page in pages {
      var contents: SidesEncoder.Contents = []
      for (table, shards) in page.enumerated() {
        contents += ValueTableEncoder.contents(.filter(table), shards, steps: .ofRecords)
      }
      let (file, bytes) = SidesEncoder.file(contents) { ZstdFrame.compress($0, level: 3, with: compressor) }
      Files.write(bytes, to: path + "/" + file.fileName.text)
      encoder.add(file: file)
    }
    let groups = encoder.groups.map { ZstdFrame.compress($0, level: 3, with: compressor) }
    let chain = ZstdFrame.quick(encoder.head(groups), with: compressor) + groups.joined()
    // The sides are the last chain of an index without entries.
    Files.write(try ManifestSurgery.replacingChain(11, of: manifest, by: chain), to: path + "/manifest")
  }
}

@Suite("Damaged side files") struct SideDamageTests {
  /// An index of several pages with tables, and a copy of it.
  private struct Copies {
    let directory = TemporaryDirectory()
    var path: String { directory("index") }
    var copy: String { directory("copy") }
    let contents: [String: [UInt8]]
    var sides: [String] { contents.keys.filter { $0.hasPrefix("side-") }.sorted() }

    init(count: Int) throws {
      let list = ChangingList(count: count, seed: 31, ChangingList.tagged)
      let input = directory.write(ChangingList.text(list.records), to: "list.jsonl")
      _ = try ShardBuilder.build([input], into: directory("index"), options: ChangingList.taggedOptions())
      Files.copy(directory("index"), to: directory("copy"))
      contents = Files.contents(of: directory("index"))
    }

    func verified() throws -> [Verifier.Finding] {
      var findings: [Verifier.Finding] = []
      _ = try Verifier.verify(index: path) { findings.append($0) }
      return findings.filter(\.isDamage)
    }

    func restore() {
      Files.remove(path)
      Files.copy(copy, to: path)
    }
  }

  private static let queries: [ShardedIndex.SearchQuery] = ["", "a", "ab", "b "].flatMap { text in
    [
      .init(text, filter: [.init("country", isOneOf: ["fr"])]),
      .init(text, filter: [.init("tag", isOneOf: ["River", "7"]), .init("country", isOneOf: ["CH"])]),
    ]
  }

  /// The positions of the hits of all queries.
  private static func hits(_ index: ShardedIndex, limit: Int = 10) throws -> [[Int]] {
    try queries.map { query in try index.search(query, limit: limit).map { $0.rank.position } }
  }

  @Test("a changed byte of a side file is an error of a filtered query or changes nothing, and a copy repairs it")
  func bytes() throws {
    let copies = try Copies(count: TestData.isDebug ? 150 : 1500)
    let expected = try Self.hits(ShardedIndex(opening: copies.path))
    let name = copies.sides[0]
    let sound = copies.contents[name]!
    var refused = 0
    for offset in stride(from: 0, to: sound.count, by: TestData.isLong ? 1 : 5) {
      var bytes = sound
      bytes[offset] ^= 1 << UInt8(offset % 8)
      Files.write(bytes, to: copies.path + "/" + name)
      let index = try ShardedIndex(opening: copies.path)
      do {
        #expect(try Self.hits(index) == expected, "byte \(offset)")
      } catch let error as IndexError {
        guard case .corrupt = error else { throw error }
        refused += 1
      }
      #expect(try index.search("a").count == 10)
      guard offset % 35 == 0 else { continue }
      #expect(
        try copies.verified().contains(
          .damage(file: copies.path + "/" + name, reason: "has another SHA-256 than the manifest says")))
      let summary = try ShardBuilder.repair(copies.path, from: copies.copy)
      #expect(summary.isSound && summary.repaired == [name])
    }
    #expect(refused > 0)
  }

  @Test(
    "a changed byte of the chain of sides is an error of a filtered query or changes nothing, and a copy repairs it")
  func chain() throws {
    let copies = try Copies(count: 400)
    let expected = try Self.hits(ShardedIndex(opening: copies.path))
    let sound = copies.contents["manifest"]!
    let range = try ShardedIndex(opening: copies.path).generation.manifest.sidesRange!
    #expect(range.upperBound == sound.count)
    var refused = 0
    for offset in stride(from: range.lowerBound, to: sound.count, by: TestData.isLong ? 1 : 3) {
      var bytes = sound
      bytes[offset] ^= 0x10
      Files.write(bytes, to: copies.path + "/manifest")
      let index = try ShardedIndex(opening: copies.path)
      do {
        #expect(try Self.hits(index) == expected, "byte \(offset)")
      } catch let error as IndexError {
        guard case .corrupt = error else { throw error }
        refused += 1
        if refused % 16 == 1 {
          #expect(try !copies.verified().isEmpty)
          #expect(try ShardBuilder.repair(copies.path, from: copies.copy).repaired == ["manifest"], "byte \(offset)")
        }
      }
      #expect(try index.search("a").count == 10)
    }
    #expect(refused > range.count / (TestData.isLong ? 4 : 12))
  }

  @Test("a missing side file is an error of a filtered query alone") func missing() throws {
    let copies = try Copies(count: 400)
    Files.remove(copies.path + "/" + copies.sides[0])
    let index = try ShardedIndex(opening: copies.path)
    #expect(throws: IndexError.vanished(path: copies.path + "/" + copies.sides[0])) { try Self.hits(index) }
    #expect(try index.search("a").count == 10)
    #expect(try !copies.verified().isEmpty)
    #expect(try ShardBuilder.repair(copies.path, from: copies.copy).repaired == [copies.sides[0]])
  }

  @Test("verify finds a table of other values, counts or weights; greater weights leave answers right")
  func tables() throws {
    let copies = try Copies(count: TestData.isDebug ? 700 : 2000)
    let expected = try Self.hits(ShardedIndex(opening: copies.path))
    let sound = try SideSurgery(copies.path)
    var random = SplitMix64(seed: 12)
    for round in 0..<(TestData.isDebug ? 10 : 60) {
      copies.restore()
      var surgery = sound
      let page = Int.random(in: 0..<surgery.pages.count, using: &random)
      let table = Int.random(in: 0..<2, using: &random)
      let shard = surgery.pages[page][table].indices.filter { !surgery.pages[page][table][$0].values.isEmpty }
        .randomElement(using: &random)!
      let value = surgery.pages[page][table][shard].values.indices.randomElement(using: &random)!
      // A weight changes in the shard and in the parts with its step.
      let weight = surgery.pages[page][table][shard].weights[value]
      let raises = round % 2 == 0 || weight == 0
      let other = raises ? min(weight * 2 + 1, UInt64(Int64.max) / 2) : weight / 2
      surgery.pages[page][table][shard].weights[value] = other
      for part in surgery.pages[page][table][shard].parts.indices {
        for entry in surgery.pages[page][table][shard].parts[part].indices
        where surgery.pages[page][table][shard].parts[part][entry].number == value {
          let own = surgery.pages[page][table][shard].parts[part][entry].weight
          if raises || own == WeightStep.ofRecords.rounded(weight) {
            surgery.pages[page][table][shard].parts[part][entry].weight = WeightStep.ofRecords.rounded(other)
          }
        }
      }
      guard other != weight, raises || WeightStep.ofRecords.rounded(weight / 2) >= 1 || weight == 0 else { continue }
      try surgery.write()
      let reasons = try copies.verified().map { "\($0)" }
      #expect(reasons.count == 1 && reasons[0].contains("of shard \(64 * page + shard)"), "\(reasons)")
      if raises { #expect(try Self.hits(ShardedIndex(opening: copies.path)) == expected, "round \(round)") }
    }
    // A wrong count, and a missing table.
    copies.restore()
    var surgery = sound
    surgery.pages[0][0][0].parts[0][0].count += 1
    try surgery.write()
    #expect(try copies.verified().count == 1)
    copies.restore()
    try sound.write()
    #expect(try copies.verified() == [])
  }
}
