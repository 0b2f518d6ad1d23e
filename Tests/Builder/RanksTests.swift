import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The builder's ranks") struct RanksTests {
  typealias List = ChangingList

  private static let weights = Dictionary(
    List.weightTexts.compactMap { text, weight in text.map { (Self.text(of: $0), weight) } },
    uniquingKeysWith: { one, _ in one })

  private static func text(of value: ModelRecord.Value) -> String {
    switch value {
    case .number(let text), .string(let text), .literal(let text): text
    default: ""
    }
  }

  /// The greatest weight of each part of each shard, from the records as they are stored.
  static func expected(of index: ShardedIndex, field path: String = "pop") throws -> [[UInt64]] {
    let field = index.fieldNames.firstIndex(of: path)
    let buffer = RecordBuffer()
    return try index.generation.manifest.shards().map { shard in
      var parts: [UInt64] = []
      _ = try index.generation.readWhole(shard) { part in
        var greatest: UInt64 = 0
        for record in 0..<part.count {
          part.decode(record..<record + 1, into: buffer)
          let found = buffer.rawFields(ofRecord: 0).first { Int(buffer.rawName(ofField: $0)) == field }
          let text = found.map { String(decoding: buffer.rawField($0).text, as: UTF8.self) }
          greatest = max(greatest, text.map { weights[$0] ?? UInt64($0)! } ?? 0)
        }
        parts.append(greatest)
      }
      return parts
    }
  }

  /// The ranks of the index; nil if it has none.
  static func found(in index: ShardedIndex) throws -> [[UInt64]]? {
    let manifest = index.generation.manifest
    guard manifest.hasRanks else { return nil }
    return try (0..<manifest.shardCount).map { try manifest.partWeights(ofShard: $0) }
  }

  @Test("every part has its greatest weight, and every page its own") func weightsOfParts() throws {
    let directory = TemporaryDirectory()
    let list = List(count: TestData.count(2000, 9000), seed: 3, List.weighted)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: List.weightedOptions())
    let index = try ShardedIndex(opening: directory("index"))
    let expected = try Self.expected(of: index)
    #expect(expected.count > 64 && expected.contains { $0.count > 1 } && Set(expected.joined()).count > 4)
    #expect(try Self.found(in: index) == expected)
    for first in stride(from: 0, to: expected.count, by: Manifest.pageCapacity) {
      let page = first / Manifest.pageCapacity
      #expect(
        try index.generation.manifest.greatestWeight(ofPages: page..<page + 1)
          == expected[first..<min(first + Manifest.pageCapacity, expected.count)].joined().max())
    }
  }

  @Test("ranks do not depend on the order of records, on threads or on memory") func sameBytes() throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(1000, 6000), seed: 11, List.weighted)
    func build(_ name: String, _ change: (inout BuildOptions) -> Void) throws -> [String: [UInt8]] {
      let input = directory.write(List.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      Files.remove(directory(name))
      _ = try ShardBuilder.build([input], into: directory(name), options: List.weightedOptions(change))
      return Files.contents(of: directory(name))
    }
    let expected = try build("expected") { _ in }
    for (jobs, memory) in [(1, 256 << 20), (2, 1 << 20), (8, 64 << 10), (3, 1)] {
      let found = try build("other") { ($0.jobs, $0.memoryBytes) = (jobs, memory) }
      #expect(Files.differences(found, expected) == [], "\(jobs) threads, \(memory) bytes")
    }
    // The shards are those of an index without ranks, whose manifest has none.
    let plain = try build("plain") { $0.weight = nil }
    #expect(Files.differences(plain, expected) == ["manifest"])
    let index = try ShardedIndex(opening: directory("plain"))
    #expect(try Self.found(in: index) == nil)
  }

  @Test("an index without records has ranks of no page") func empty() throws {
    let directory = TemporaryDirectory()
    let input = directory.write("[]", to: "list.json")
    _ = try ShardBuilder.build([input], into: directory("index"), options: List.weightedOptions())
    #expect(try Self.found(in: ShardedIndex(opening: directory("index"))) == [])
  }

  @Test("an updated index has the ranks of a build, also where only weights change", arguments: 0..<4)
  func updates(seed: Int) throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(400, 2500), seed: UInt64(seed), List.weighted)
    let options = List.weightedOptions { ($0.jobs, $0.weightScale) = (1 + seed % 2, seed == 3 ? 1 : nil) }
    func build(_ name: String) throws {
      let input = directory.write(List.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      Files.remove(directory(name))
      _ = try ShardBuilder.build([input], into: directory(name), options: options)
    }
    try build("index")
    for round in 0..<TestData.count(8, 40) {
      var (upsert, delete): ([(id: Int, members: List.Members)], [Int]) = ([], [])
      if round % 2 == 0 {
        for place in list.records.indices.shuffled(using: &list.random).prefix([1, 3, 30][round % 3]) {
          list.records[place].members.removeAll { $0.0 == "pop" }
          if let weight = List.weight(&list.random) { list.records[place].members.append(("pop", weight)) }
          upsert.append(list.records[place])
        }
      } else {
        (upsert, delete) = list.change([1, 2, 40][round % 3])
      }
      var update = BuildOptions()
      update.writesOverlay = round % 4 >= 2
      _ = try ShardBuilder.update(
        directory("index"), upsert: [directory.write(List.text(upsert), to: "upsert.jsonl")],
        delete: [directory.write("_id\n" + delete.map { "\($0)\n" }.joined(), to: "delete.csv")], options: update)
      if update.writesOverlay {
        // An overlay leaves the ranks alone; the next update writes its changes into shards.
        let index = try ShardedIndex(opening: directory("index"))
        #expect(try Self.found(in: index) == Self.expected(of: index))
        continue
      }
      try build("built")
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
  }

  @Test("a build over an index with another field or scale makes new ranks, and keeps the shards")
  func otherWeights() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 600, seed: 5, List.weighted)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    let changes: [(inout BuildOptions) -> Void] = [
      { $0.weight = nil }, { _ in }, { $0.weightScale = 2 }, { $0.weight = "_id" }, { _ in }, { $0.weight = nil },
    ]
    for (round, change) in changes.enumerated() {
      let summary = try ShardBuilder.build([input], into: directory("index"), options: List.weightedOptions(change))
      #expect(round == 0 || summary.shardsWritten == 0, "round \(round)")
      Files.remove(directory("built"))
      _ = try ShardBuilder.build([input], into: directory("built"), options: List.weightedOptions(change))
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
  }

  @Test("weights are multiplied by the scale exactly") func scale() throws {
    let directory = TemporaryDirectory()
    let input = directory.write(
      #"[{"name":"a","country":"x","pop":0.29},{"name":"b","country":"x","pop":3}]"#, to: "list.json")
    for (scale, expected) in [(100, 300), (0.4, 1), (1e18, 3_000_000_000_000_000_000)] as [(Double, UInt64)] {
      _ = try ShardBuilder.build(
        [input], into: directory("index"), options: List.weightedOptions { $0.weightScale = scale })
      let index = try ShardedIndex(opening: directory("index"))
      #expect(try Self.found(in: index) == [[expected]])
    }
    for scale in [0, -1, .nan, .infinity] {
      #expect(throws: BuildError.self, "\(scale)") {
        try ShardBuilder.build(
          [input], into: directory("index"), options: List.weightedOptions { $0.weightScale = scale })
      }
    }
    for digits in ["0", "-1", "x", "", "NaN", "1e2000000000"] {
      #expect(throws: BuildError.self, "\(digits)") {
        try ShardBuilder.build(
          [input], into: directory("index"), options: List.weightedOptions { $0.scaleText = digits })
      }
    }
  }

  @Test("a repacked index, and one that a pack made, have their ranks") func repackAndApply() throws {
    let directory = TemporaryDirectory()
    var list = List(count: 500, seed: 8, List.weighted)
    func build(_ name: String, _ change: (inout BuildOptions) -> Void = { _ in }) throws {
      let input = directory.write(List.text(list.records), to: "list.jsonl")
      _ = try ShardBuilder.build([input], into: directory(name), options: List.weightedOptions(change))
    }
    func contents(_ name: String) -> [String: [UInt8]] { Files.contents(of: directory(name)) }
    try build("old")
    try build("large") { $0.partSizeBytes = 1024 }
    _ = try ShardBuilder.repack(
      ShardedIndex(opening: directory("old")), into: directory("packed"),
      options: List.weightedOptions { $0.partSizeBytes = 1024 })
    #expect(Files.differences(contents("packed"), contents("large")) == [])
    _ = list.change(20)
    try build("new")
    let pack = directory("changes.pack")
    _ = try ShardBuilder.diff(old: directory("old"), new: directory("new"), to: pack)
    _ = try ShardBuilder.apply(pack: pack, to: directory("old"))
    #expect(contents("new").allSatisfy { contents("old")[$0.key] == $0.value })
    let index = try ShardedIndex(opening: directory("old"))
    #expect(try Self.found(in: index) == Self.expected(of: index))
  }
}
