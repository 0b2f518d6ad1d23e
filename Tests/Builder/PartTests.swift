import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Parts begin where first matches do") struct PartTests {
  /// Returns how many of 2,000 random prefixes of keys have their first `limit` matches in more than one part.
  private static func separated(_ index: ShardedIndex, limit: Int, seed: UInt64) throws -> Int {
    let all = try index.matches(forPrefix: "")
    var random = SplitMix64(seed: seed)
    var separated = 0
    for _ in 0..<2000 {
      let place = Int.random(in: 0..<all.count, using: &random)
      let key = Array(try all.records(in: place..<place + 1)[0].key)
      // A space at the end finishes a word, but parts begin with keys that share a beginning.
      var size = Int.random(in: 1...key.count, using: &random)
      while size > 1, key[size - 1] == " " { size -= 1 }
      let prefix = String(key[..<size])
      index.removeResidentShards()
      // The last space may stand for the comma. The part for such keys belongs to another answer.
      if let space = prefix.lastIndex(of: " ") {
        _ = try index.matches(forPrefix: String(prefix[..<space]) + "," + prefix[space...], limit: limit)
      }
      let before = index.statistics.loads
      _ = try index.matches(forPrefix: prefix, limit: limit).records(in: 0..<limit)
      if index.statistics.loads > before + 1 { separated += 1 }
    }
    return separated
  }

  @Test("the first twenty matches of made-up cities are in one part")
  func generated() throws {
    let index = try SmallIndex(
      json: GeneratedList.text(count: 30_000, seed: 1, format: .jsonl), key: "{name}, {country}", suffix: ".jsonl")
    #expect(try Self.separated(index.open, limit: 20, seed: 2) == 0)
    // The first 40 matches are not, or this test counts nothing.
    #expect(try Self.separated(index.open, limit: 40, seed: 2) > 20)
  }

  /// With parts of equal lengths the counts were 89, 305, 131 and 307. A part of the second list has 26 records, too
  /// few for all prefixes.
  @Test(
    "the first twenty matches of real lists are in one part, except for a few prefixes",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"),
    arguments: [(RealList.cities, 2), (.geonames, 80), (.japanese, 8), (.postal, 20)].filter {
      RealList.tested.contains($0.0)
    })
  func real(list: RealList, most: Int) throws {
    let separated = try Self.separated(list.built.open(), limit: 20, seed: 3)
    #expect(separated <= most, "of 2,000")
  }

  /// The number of records of each part of a small shard.
  private static func sizes(_ keys: [String], partSize: Int = 400) throws -> [Int] {
    let lines = keys.map { "{\"name\":\"\($0)\"}\n" }
    let index = try SmallIndex(json: lines.joined(), key: "{name}", suffix: ".jsonl") { $0.partSizeBytes = partSize }
    let shards = try index.open.generation.manifest.shards()
    try #require(shards.count == 1)
    var sizes: [Int] = []
    _ = try index.open.generation.readWhole(shards[0]) { (part: PartContent) throws(IndexError) in
      sizes.append(part.count)
    }
    return sizes
  }

  @Test("equal keys, and keys that share nothing, are in parts of equal lengths")
  func evenly() throws {
    let equal = try Self.sizes(Array(repeating: "krajan", count: 300))
    #expect(equal.count > 1 && equal.max()! - equal.min()! <= 1, "\(equal)")
    let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    let letters = try Self.sizes(digits.map { "\($0)" + String(repeating: "x", count: 100) })
    #expect(letters.count > 1 && letters.max()! - letters.min()! <= 1, "\(letters)")
  }

  @Test("a part begins with a group of keys rather than within one, if a group begins near")
  func groups() throws {
    // 16 groups of 13: parts of equal lengths would begin within them.
    let keys = (0..<16).flatMap { group in (10..<23).map { "group \(10 + group) \($0)" } }
    let sizes = try Self.sizes(keys, partSize: 150)
    #expect(sizes.count > 3 && sizes.allSatisfy { $0 % 13 == 0 }, "\(sizes)")
  }
}
