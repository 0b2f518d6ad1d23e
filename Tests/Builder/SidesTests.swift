import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The builder's value tables") struct SidesTests {
  typealias List = ChangingList

  private static let values: [String: Set<String>] = Dictionary(
    List.tags.compactMap { tag, values in tag.map { (key(of: $0), values) } }, uniquingKeysWith: { one, _ in one })

  private static func key(of value: ModelRecord.Value) -> String {
    switch value {
    case .number(let text), .string(let text): text
    case .literal(let text): "literal " + text
    default: ""
    }
  }

  /// A value of a part: its number of records, and the greatest of their weights.
  struct Entry: Equatable {
    var count = 0
    var weight: UInt64 = 0
  }

  /// The values of a field for each shard and part, from the stored records.
  static func expected(of index: ShardedIndex, field path: String) throws -> [[[String: Entry]]] {
    let rule = WeightRule(scale: nil)!
    let buffer = RecordBuffer()
    return try index.generation.manifest.shards().map { shard in
      var parts: [[String: Entry]] = []
      _ = try index.generation.readWhole(shard) { part in
        var entries: [String: Entry] = [:]
        for record in 0..<part.count {
          part.decode(record..<record + 1, into: buffer)
          var fields: [String: (text: String, isLiteral: Bool)] = [:]
          for number in buffer.rawFields(ofRecord: 0) {
            let field = buffer.rawField(number)
            fields[index.fieldNames[field.name]] = (String(decoding: field.text, as: UTF8.self), field.kind == .literal)
          }
          let weight = fields["pop"].map { field in
            Array(field.text.utf8).withUnsafeBufferPointer { rule.weight(of: $0) }
          }
          guard let field = fields[path] else { continue }
          let found =
            values[(field.isLiteral ? "literal " : "") + field.text] ?? [
              String(decoding: Fold.fold(field.text), as: UTF8.self)
            ]
          for value in found {
            entries[value, default: Entry()].count += 1
            entries[value]!.weight = max(entries[value]!.weight, weight ?? 0)
          }
        }
        parts.append(entries)
      }
      return parts
    }
  }

  /// The values of a filter from the index's tables.
  private static func found(in index: ShardedIndex, filter: Int) throws -> [[[String: Entry]]] {
    try (0..<index.shardCount).map { shard in
      let values = try #require(try index.generation.values(.filter(filter), ofShard: shard))
      let texts = values.values.map { String(decoding: $0, as: UTF8.self) }
      return values.parts.map { part in
        Dictionary(uniqueKeysWithValues: part.map { (texts[$0.number], Entry(count: $0.count, weight: $0.weight)) })
      }
    }
  }

  @Test("every part has the values of its records, with their greatest weights rounded up") func valuesOfParts() throws
  {
    let directory = TemporaryDirectory()
    let list = List(count: TestData.count(2000, 9000), seed: 3, List.tagged)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: List.taggedOptions())
    let index = try ShardedIndex(opening: directory("index"))
    #expect(index.shardCount > 64)
    for (number, path) in ["country", "tag"].enumerated() {
      let expected = try Self.expected(of: index, field: path)
      let found = try Self.found(in: index, filter: number)
      #expect(
        found
          == expected.map {
            $0.map { $0.mapValues { Entry(count: $0.count, weight: WeightStep.ofRecords.rounded($0.weight)) } }
          })
      // The weights of a whole shard are exact.
      for (shard, parts) in expected.enumerated() {
        let values = try #require(try index.generation.values(.filter(number), ofShard: shard))
        for (value, weight) in zip(values.values, values.weights) {
          let text = String(decoding: value, as: UTF8.self)
          #expect(weight == parts.compactMap { $0[text]?.weight }.max())
        }
      }
    }
  }

  @Test("a weight is rounded up by less than a quarter, and steps ascend") func steps() throws {
    var random = SplitMix64(seed: 9)
    let limit = UInt64(Int64.max)
    var weights: [UInt64] = Array(0..<20)
    weights += [limit, limit - 1, 1 << 62, (1 << 62) - 1, (1 << 62) + 1]
    for _ in 0..<2000 {
      let weight = UInt64.random(in: 0...limit, using: &random)
      weights.append(weight >> UInt64.random(in: 0..<63, using: &random))
    }
    for weight in weights {
      let rounded = WeightStep.ofRecords.rounded(weight)
      #expect(rounded >= weight && rounded - weight <= weight / 4 && rounded <= WeightRule.limit, "\(weight)")
      #expect(WeightStep.ofRecords.rounded(rounded) == rounded)
    }
    let sorted = weights.sorted().map { WeightStep.ofRecords.step($0) }
    #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0 <= $1 })
    for weight in 0...UInt64(EntryKind.weightLimit) {
      let rounded = WeightStep.ofEntries.rounded(weight)
      #expect(rounded >= weight && rounded - weight < 512)
    }
  }

  @Test("side files do not depend on the order of records, on threads or on memory") func sameBytes() throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(1000, 6000), seed: 11, List.tagged)
    func build(_ name: String, _ change: (inout BuildOptions) -> Void) throws -> [String: [UInt8]] {
      let input = directory.write(List.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      Files.remove(directory(name))
      _ = try ShardBuilder.build([input], into: directory(name), options: List.taggedOptions(change))
      return Files.contents(of: directory(name))
    }
    let expected = try build("expected") { _ in }
    let sides = expected.keys.filter { $0.hasPrefix("side-") }
    #expect(!sides.isEmpty)
    for (jobs, memory) in [(1, 256 << 20), (2, 1 << 20), (8, 64 << 10), (3, 1)] {
      let found = try build("other") { ($0.jobs, $0.memoryBytes) = (jobs, memory) }
      #expect(Files.differences(found, expected) == [], "\(jobs) threads, \(memory) bytes")
    }
    let plain = try build("plain") { $0.filter = [] }
    #expect(Set(Files.differences(plain, expected)) == Set(sides + ["manifest"]))
    // Without a weight all records weigh 0.
    let unweighted = try build("unweighted") { $0.weight = nil }
    let index = try ShardedIndex(opening: directory("unweighted"))
    #expect(unweighted.keys.contains { $0.hasPrefix("side-") } && index.generation.manifest.hasRanks)
    #expect(try index.search("", limit: 1).first?.rank.weight == 0)
  }

  @Test("an updated index has the tables of a build", arguments: 0..<4) func updates(seed: Int) throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(600, 2500), seed: UInt64(seed), List.tagged)
    let options = List.taggedOptions {
      $0.jobs = 1 + seed % 2
      if seed == 3 { $0.filter.append("_id") }  // Too many values for a table.
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
    // The previous generation's files stay; older ones are removed.
    let sides = Files.names(in: directory("index")).filter { $0.hasPrefix("side-") }
    #expect(sides.count <= 2 * Files.names(in: directory("built")).count { $0.hasPrefix("side-") })
  }

  @Test("a build over an index with other settings makes new tables, and keeps the shards")
  func otherFilters() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 600, seed: 5, List.tagged)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    let changes: [(inout BuildOptions) -> Void] = [
      { $0.filter = [] }, { _ in }, { $0.weightScale = 2 }, { $0.filter = ["tag"] }, { $0.weight = nil }, { _ in },
      { $0.filter = [] },
    ]
    for (round, change) in changes.enumerated() {
      let summary = try ShardBuilder.build([input], into: directory("index"), options: List.taggedOptions(change))
      #expect(round == 0 || summary.shardsWritten == 0, "round \(round)")
      Files.remove(directory("built"))
      _ = try ShardBuilder.build([input], into: directory("built"), options: List.taggedOptions(change))
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
  }

  @Test("a repacked index, and one that a pack made, have their tables") func repackAndApply() throws {
    let directory = TemporaryDirectory()
    var list = List(count: TestData.count(900, 3000), seed: 8, List.tagged)
    func build(_ name: String, _ change: (inout BuildOptions) -> Void = { _ in }) throws {
      let input = directory.write(List.text(list.records), to: "list.jsonl")
      _ = try ShardBuilder.build([input], into: directory(name), options: List.taggedOptions(change))
    }
    func contents(_ name: String) -> [String: [UInt8]] { Files.contents(of: directory(name)) }
    try build("old")
    try build("large") { $0.partSizeBytes = 1024 }
    _ = try ShardBuilder.repack(
      ShardedIndex(opening: directory("old")), into: directory("packed"),
      options: List.taggedOptions { $0.partSizeBytes = 1024 })
    #expect(Files.differences(contents("packed"), contents("large")) == [])
    _ = list.change(2)
    try build("new")
    let pack = directory("changes.pack")
    _ = try ShardBuilder.diff(old: directory("old"), new: directory("new"), to: pack)
    // Frames of tables that did not change are copied.
    let sides = contents("new").filter { $0.key.hasPrefix("side-") && contents("old")[$0.key] == nil }
    #expect(!sides.isEmpty && Files.read(pack)!.count < contents("new").values.reduce(0) { $0 + $1.count } / 2)
    _ = try ShardBuilder.apply(pack: pack, to: directory("old"))
    #expect(contents("new").allSatisfy { contents("old")[$0.key] == $0.value })
    // The previous generation's files stay; older ones are removed.
    _ = try ShardBuilder.diff(old: directory("new"), new: directory("new"), to: pack)
    var findings: [Verifier.Finding] = []
    _ = try Verifier.verify(index: directory("old")) { findings.append($0) }
    #expect(findings.filter(\.isDamage) == [])
  }

  @Test("a build repairs a damaged side file") func damaged() throws {
    let directory = TemporaryDirectory()
    let list = List(count: 600, seed: 6, List.tagged)
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: List.taggedOptions())
    let expected = Files.contents(of: directory("index"))
    let name = try #require(expected.keys.first { $0.hasPrefix("side-") })
    var bytes = expected[name]!
    bytes[bytes.count / 2] ^= 1
    Files.write(bytes, to: directory("index") + "/" + name)
    _ = try ShardBuilder.build([input], into: directory("index"), options: List.taggedOptions())
    #expect(Files.differences(Files.contents(of: directory("index")), expected) == [])
  }

  @Test("fields that are not stored, named twice or too many are refused") func refusals() throws {
    let directory = TemporaryDirectory()
    let input = directory.write(#"[{"name":"a","country":"x","pop":1,"tag":"y"}]"#, to: "list.json")
    let changes: [(inout BuildOptions) -> Void] = [
      { $0.keep = ["name", "country", "pop"] }, { $0.filter = ["tag", "tag"] }, { $0.filter = ["missing"] },
      { $0.filter = (0...64).map { "\($0)" } },
    ]
    for change in changes {
      #expect(throws: BuildError.self) {
        try ShardBuilder.build([input], into: directory("index"), options: List.taggedOptions(change))
      }
    }
  }
}
