import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Numbers in packs, archives and starts") struct NumberFilesTests {
  /// Products, some with other numbers than in the list without changes.
  private static func index(
    count: Int = 600, changed: Range<Int> = 0..<0, _ change: (inout BuildOptions) -> Void = { _ in }
  ) throws -> SmallIndex {
    let lines = (0..<count).map { number in
      let price = (number * 7919) % 1000 + (changed.contains(number) ? 2000 : 0)
      return
        #"{"name":"product \#(number % 90) kind \#(number % 7)","price":\#(price),"day":"2025-01-\#(number % 20 + 10)"}"#
    }
    return try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.number, $0.words, $0.shardLimitBytes, $0.partSizeBytes) = (["price", "day"], .body, 1024, 256)
      change(&$0)
    }
  }

  /// The sorted answers, with ranges and without.
  private static func answers(_ index: ShardedIndex) throws -> [String] {
    var found: [String] = []
    for sort in [ShardedIndex.SearchQuery.Sort("price"), .init("price", isDescending: true), .init("day")] {
      for filter in [[], [ShardedIndex.Filter("price", isOneOf: ["100..2100"])]] {
        for text in ["", "product", "product 1", "kind 3"] {
          let answer = try index.search(.init(text, filter: filter, sort: sort), limit: 12)
          #expect(answer.isComplete)
          found += answer.map { "\($0.record.key) \($0.record["price"] ?? "") \($0.record["day"] ?? "")" }
        }
      }
    }
    return found
  }

  @Test("a pack makes the numbers of the new index") func packs() throws {
    let (old, new) = (try Self.index(), try Self.index(count: 620, changed: 40..<60))
    let scratch = TemporaryDirectory()
    Files.copy(old.path, to: scratch("copy"))
    try ShardBuilder.diff(old: old.path, new: new.path, to: scratch("pack"))
    _ = try ShardBuilder.apply(pack: scratch("pack"), to: scratch("copy"))
    let found = Files.contents(of: scratch("copy"))
    for (name, bytes) in Files.contents(of: new.path) { #expect(found[name] == bytes, "\(name)") }
    #expect(try Verifier.verify(index: scratch("copy")) { _ in }.isSound)
    let wanted = try Self.answers(new.open)
    #expect(try Self.answers(ShardedIndex(opening: scratch("copy"))) == wanted)
    #expect(try Self.answers(old.open) != wanted)
    // A pack between indexes with and without numbers, and back.
    let plain = try Self.index { $0.number = [] }
    for (from, to) in [(plain, new), (new, plain)] {
      Files.remove(scratch("copy"))
      Files.copy(from.path, to: scratch("copy"))
      try ShardBuilder.diff(old: from.path, new: to.path, to: scratch("pack"))
      _ = try ShardBuilder.apply(pack: scratch("pack"), to: scratch("copy"))
      #expect(Files.read(scratch("copy") + "/manifest") == Files.read(to.path + "/manifest"))
      #expect(try Verifier.verify(index: scratch("copy")) { _ in }.isSound)
    }
  }

  @Test("an archive has the numbers of its directory") func archives() throws {
    let index = try Self.index()
    let scratch = TemporaryDirectory()
    _ = try ShardBuilder.archive(index.path, to: scratch("archive"))
    #expect(try Self.answers(ShardedIndex(opening: scratch("archive"))) == Self.answers(index.open))
    #expect(try Verifier.verify(index: scratch("archive")) { Issue.record("\($0)") }.isSound)
    _ = try ShardBuilder.unarchive(scratch("archive"), into: scratch("made"))
    #expect(Files.contents(of: scratch("made")) == Files.contents(of: index.path))
  }

  @Test("an index with starts has the same numbers, also for a reader from afar") func starts() throws {
    let (plain, index) = (try Self.index(), try Self.index { $0.starts = true })
    #expect(try index.open.generation.starts() != nil)
    let chains = try [plain, index].map { index in
      let range = try #require(index.open.generation.manifest.numbersRange)
      return Array(Files.read(index.path + "/manifest")![range])
    }
    #expect(chains[0] == chains[1])
    let wanted = try Self.answers(plain.open)
    #expect(try Self.answers(index.open) == wanted)
    #expect(try Verifier.verify(index: index.path) { Issue.record("\($0)") }.isSound)
    let files = CarriedFiles(index.path, hasAll: false)
    files.gathers = true
    #expect(try Self.answers(files.open()) == wanted)
  }
}
