import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The builder's sketches") struct SketchesTests {
  typealias List = ChangingList

  static func options(_ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    ChangingList.weightedOptions {
      $0.typos = true
      change(&$0)
    }
  }

  /// The sketch of each shard, from the stored records.
  private static func expected(of index: ShardedIndex) throws -> [ShardSketch] {
    try index.generation.manifest.shards().map { shard in
      var keys: [[UInt8]] = []
      _ = try index.generation.readWhole(shard) { part in part.forEachKey { keys.append(Array($1)) } }
      return ShardSketch(ofTexts: keys)
    }
  }

  @Test("every shard has the sketch of its keys") func ofShards() throws {
    let directory = TemporaryDirectory()
    let list = List(count: TestData.count(2000, 9000), seed: 3, List.ragged)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: Self.options { $0.weight = nil })
    let index = try ShardedIndex(opening: directory("index"))
    #expect(index.shardCount > 64 && index.generation.manifest.hasSketches)
    let expected = try Self.expected(of: index)
    for shard in expected.indices { #expect(try index.generation.sketch(ofShard: shard) == expected[shard]) }
  }

  @Test("side files do not depend on the order of records, on threads or on memory") func sameBytes() throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(1000, 6000), seed: 11, ChangingList.tagged)
    func build(_ name: String, _ change: (inout BuildOptions) -> Void) throws -> [String: [UInt8]] {
      let input = directory.write(List.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      Files.remove(directory(name))
      _ = try ShardBuilder.build([input], into: directory(name), options: Self.options(change))
      return Files.contents(of: directory(name))
    }
    let expected = try build("expected") { $0.filter = ["country"] }
    for (jobs, memory) in [(1, 256 << 20), (8, 64 << 10), (3, 1)] {
      let found = try build("other") { ($0.filter, $0.jobs, $0.memoryBytes) = (["country"], jobs, memory) }
      #expect(Files.differences(found, expected) == [], "\(jobs) threads, \(memory) bytes")
    }
    let plain = try build("plain") { $0.typos = false }
    let sides = expected.keys.filter { $0.hasPrefix("side-") }
    #expect(Set(Files.differences(plain, expected)) == Set(sides + ["manifest"]))
  }

  @Test("an updated index has the sketches of a build", arguments: 0..<4) func updates(seed: Int) throws {
    let directory = TemporaryDirectory()
    let make: (inout SplitMix64) -> List.Members = if seed == 2 { List.ragged } else { ChangingList.tagged }
    var list = List(count: TestData.count(600, 2500), seed: UInt64(seed), make)
    let options = Self.options {
      $0.jobs = 1 + seed % 2
      if seed == 1 { $0.filter = ["country"] }
      if seed == 2 { $0.weight = nil }
    }
    func build(_ name: String) throws {
      let input = directory.write(List.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      Files.remove(directory(name))
      _ = try ShardBuilder.build([input], into: directory(name), options: options)
    }
    try build("index")
    for round in 0..<TestData.count(6, 9) {
      let (upsert, delete) = list.change([1, 2, 40][round % 3])
      _ = try ShardBuilder.update(
        directory("index"), upsert: [directory.write(List.text(upsert), to: "upsert.jsonl")],
        delete: [directory.write("_id\n" + delete.map { "\($0)\n" }.joined(), to: "delete.csv")])
      try build("built")
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
  }

  @Test("a build over an index adds sketches and removes them, and keeps the shards") func otherSettings() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 600, seed: 5, ChangingList.tagged)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    let changes: [(inout BuildOptions) -> Void] = [
      { $0.typos = false }, { _ in }, { $0.filter = ["tag"] }, { ($0.filter, $0.typos) = (["tag"], false) }, { _ in },
      { $0.weight = nil }, { $0.typos = false },
    ]
    for (round, change) in changes.enumerated() {
      let summary = try ShardBuilder.build([input], into: directory("index"), options: Self.options(change))
      #expect(round == 0 || summary.shardsWritten == 0, "round \(round)")
      Files.remove(directory("built"))
      _ = try ShardBuilder.build([input], into: directory("built"), options: Self.options(change))
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
  }

  @Test("verify finds a sketch that is not that of the keys") func forged() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 400, seed: 3, EntryList.members)
    var records = list.records
    records[7].members[0].1 = .string("Qx")
    for (name, records) in [("index", list.records), ("other", records)] {
      let input = directory.write(List.text(records), to: name + ".jsonl")
      _ = try ShardBuilder.build([input], into: directory(name), options: Self.options())
    }
    func findings() throws -> [String] {
      var findings: [String] = []
      _ = try Verifier.verify(index: directory("index")) { if $0.isDamage { findings.append("\($0)") } }
      return findings
    }
    #expect(try findings() == [])
    let other = Files.contents(of: directory("other"))
    let range = try ShardedIndex(opening: directory("other")).generation.manifest.sidesRange!
    let chain = Array(other["manifest"]![range])
    for (name, bytes) in other where name.hasPrefix("side-") { Files.write(bytes, to: directory("index") + "/" + name) }
    let manifest = Files.read(directory("index") + "/manifest")!
    Files.write(
      try ManifestSurgery.replacingChain(11, of: manifest, by: chain), to: directory("index") + "/manifest")
    let found = try findings()
    #expect(!found.isEmpty && found.allSatisfy { $0.contains("the sketch") }, "\(found)")
  }

  @Test("a changed byte of a side file is refused, or changes nothing") func damage() throws {
    let built = try EditedSearchTests.index(1500, .uniform, seed: 12)
    let texts = ["abcz", "bacb c", "cccaa ", "abcabcab"]
    let expected = try texts.map { try built.open.search($0).map { $0.record["id"] } }
    #expect(expected.contains { !$0.isEmpty })
    var refused = 0
    let names = Files.names(in: built.path).filter { $0.hasPrefix("side-") }
    #expect(!names.isEmpty)
    for name in names.prefix(2) {
      let path = built.path + "/" + name
      let sound = try #require(Files.read(path))
      let step = TestData.isLong ? 1 : 1 + sound.count / 150
      for position in stride(from: 0, to: sound.count, by: step) {
        var bytes = sound
        bytes[position] ^= UInt8(1 << (position % 8))
        Files.write(bytes, to: path)
        let index = try ShardedIndex(opening: built.path)
        do throws(IndexError) {
          for (text, ids) in zip(texts, expected) {
            #expect(try index.search(text).map { $0.record["id"] } == ids)
          }
        } catch {
          guard case .corrupt = error else {
            Issue.record("\(error)")
            continue
          }
          refused += 1
        }
        // Other queries are answered.
        #expect(try index.matches(forPrefix: "a").count > 0)
        #expect(try !index.search(ShardedIndex.SearchQuery("a", typos: .none)).isEmpty)
      }
      Files.write(sound, to: path)
    }
    #expect(refused > 100)
  }
}
