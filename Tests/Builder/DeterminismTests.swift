import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The same records, the same bytes") struct DeterminismTests {
  /// Lines of JSON, shuffled.
  private static func shuffled(_ lines: [[UInt8]], seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return Array(lines.shuffled(using: &random).joined(separator: [UInt8(ascii: "\n")])) + [
      UInt8(ascii: "\n")
    ]
  }

  private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  /// Builds a file into a new directory and returns the directory's files.
  private static func build(
    _ directory: TemporaryDirectory, _ input: String, _ name: String, _ change: (inout BuildOptions) -> Void
  ) throws -> [String: [UInt8]] {
    var options = BuildOptions()
    options.level = 3
    options.shardLimitBytes = 8 << 10
    change(&options)
    _ = try ShardBuilder.build([input], into: directory(name), options: options)
    return Files.contents(of: directory(name))
  }

  @Test("generated cities give the same bytes in any order, with any threads and memory")
  func generated() throws {
    let directory = TemporaryDirectory()
    let count = TestData.isDebug ? 3000 : 30_000
    let lines = Self.lines(GeneratedList.bytes(count: count, seed: 9, format: .jsonl))
    #expect(lines.count == count)
    let plain = directory.write(Self.shuffled(lines, seed: 0), to: "0.jsonl")
    let expected = try Self.build(directory, plain, "expected") { _ in }
    #expect(expected.count > 10)
    let variants: [(UInt64, Int, Int)] = [
      (0, 1, 256 << 20), (1, 1, 256 << 20), (2, 2, 1 << 20), (3, 8, 64 << 10), (4, 3, 1), (5, 16, 4 << 20),
      (6, 1, 1 << 19),
    ]
    for (seed, jobs, memory) in variants {
      let input = directory.write(Self.shuffled(lines, seed: seed), to: "\(seed).jsonl")
      let found = try Self.build(directory, input, "\(seed)") { ($0.jobs, $0.memoryBytes) = (jobs, memory) }
      #expect(Files.differences(found, expected) == [], "seed \(seed), \(jobs) threads, \(memory) bytes")
    }
    // As an array, and as several files.
    let array = directory.write(GeneratedList.bytes(count: count, seed: 9, format: .json), to: "array.json")
    #expect(Files.differences(try Self.build(directory, array, "array") { _ in }, expected) == [])
    let halves = [lines.prefix(count / 3), lines.dropFirst(count / 3)].enumerated().map { number, half in
      directory.write(Self.shuffled(Array(half), seed: 7), to: "half\(number).jsonl")
    }
    for order in [halves, halves.reversed()] {
      var options = BuildOptions()
      (options.level, options.shardLimitBytes) = (3, 8 << 10)
      _ = try ShardBuilder.build(order, into: directory("halves"), options: options)
      #expect(Files.differences(Files.contents(of: directory("halves")), expected) == [])
    }
  }

  @Test(
    "records of many shapes give the same bytes with their fields' names in any order",
    arguments: [400, 4000, 64 << 10])
  func shapes(limit: Int) throws {
    let directory = TemporaryDirectory()
    var random = SplitMix64(seed: 31)
    let names = ["a", "b", "c", "d.e", "ü", "u\u{308}", "f"]
    let lines = (0..<1500).map { row -> [UInt8] in
      var members: [(String, ModelRecord.Value)] = names.shuffled(using: &random)
        .prefix(Int.random(in: 0...5, using: &random)).map { name in
          (
            name,
            [.number("1"), .number("1.0"), .string("1"), .literal("null"), .string("x\(row % 3)")]
              .randomElement(using: &random)!
          )
        }
      members.insert(("key", .string(["k", "K", "k1", "", "k, x", "É"][row % 6])), at: 0)
      return Array(ModelRecord.json(members).utf8)
    }
    let first = directory.write(Self.shuffled(lines, seed: 1), to: "1.jsonl")
    let expected = try Self.build(directory, first, "1") { ($0.key, $0.shardLimitBytes) = ("{key}", limit) }
    for seed in UInt64(2)...9 {
      let input = directory.write(Self.shuffled(lines, seed: seed), to: "\(seed).jsonl")
      let found = try Self.build(directory, input, "\(seed)") {
        ($0.key, $0.jobs, $0.memoryBytes, $0.shardLimitBytes) = (
          "{key}", Int(seed), seed % 2 == 0 ? 1 : 1 << 28, limit
        )
      }
      #expect(Files.differences(found, expected) == [], "seed \(seed)")
    }
  }

  @Test(
    "the shuffled city list gives the same bytes with one thread and many, little memory and much",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"))
  func cities() throws {
    let built = try RealList.cities.built
    let expected = Files.contents(of: built.directory)
    let directory = TemporaryDirectory()
    // One record a line: the list itself has no line ends.
    let bytes = try #require(BuilderSupport.dataset("cities.json"))
    var lines: [[UInt8]] = []
    var (depth, start) = (0, 0)
    for (offset, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "{") {
        if depth == 0 { start = offset }
        depth += 1
      } else if byte == UInt8(ascii: "}") {
        depth -= 1
        if depth == 0 { lines.append(Array(bytes[start...offset])) }
      }
    }
    #expect(lines.count == 209_556)
    for (seed, jobs, memory) in [(1, 1, 256 << 20), (2, 4, 4 << 20)] as [(UInt64, Int, Int)] {
      let input = directory.write(Self.shuffled(lines, seed: seed), to: "\(seed).jsonl")
      var options = BuildOptions()
      (options.jobs, options.memoryBytes) = (jobs, memory)
      _ = try ShardBuilder.build([input], into: directory("\(seed)"), options: options)
      #expect(Files.differences(Files.contents(of: directory("\(seed)")), expected) == [], "\(jobs) threads")
    }
  }
}
