import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Sorting in bounded memory") struct ExternalSortTests {
  private func records(_ count: Int, seed: UInt64) -> [[BuilderSupport.Field]] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in
      let common = ["", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaab, "].randomElement(using: &random)!
      let letters = (0..<Int.random(in: 0...10, using: &random)).map { _ in "abc".randomElement(using: &random)! }
      return [("k", .string, common + String(letters)), ("n", .number, String(Int.random(in: 0...3, using: &random)))]
    }
  }

  private func sort(
    _ records: [[BuilderSupport.Field]], memory: Int, threads: Int, chunkCount: Int
  ) throws -> [[UInt8]] {
    var names = FieldNames()
    var sort = ExternalSort(memory: memory, directory: RunDirectory(path: "/tmp"), threads: threads)
    for start in stride(from: 0, to: records.count, by: chunkCount) {
      let part = Array(records[start..<min(records.count, start + chunkCount)])
      try sort.add(try BuilderSupport.chunk(part, template: "{k}", names: &names), names: names)
    }
    #expect(sort.count == records.count)
    let sorted = try sort.finish(names: names)
    #expect(sorted.count == records.count)
    var all: [[UInt8]] = []
    while let batch = try sorted.nextBatch() {
      #expect(!batch.isEmpty)
      all += batch.map(BuilderSupport.bytes)
    }
    return all
  }

  @Test("memory, threads and input order do not matter", arguments: [0, 1, 50, 9000]) func same(count: Int) throws {
    var records = records(count, seed: UInt64(count))
    let expected = try sort(records, memory: 1 << 30, threads: 1, chunkCount: 1000)
    #expect(expected.count == count)
    var random = SplitMix64(seed: 5)
    for (memory, threads, chunkCount) in [(1 << 30, 2, 77), (200_000, 1, 100), (1, 2, 600), (400_000, 3, 500)] {
      records.shuffle(using: &random)
      let result = try sort(records, memory: memory, threads: threads, chunkCount: chunkCount)
      #expect(result == expected, "memory \(memory)")
    }
    var names = FieldNames()
    let chunk = try BuilderSupport.chunk(records, template: "{k}", names: &names)
    let order = RecordOrder(names: names)
    let naive = (0..<chunk.count).map { chunk.record($0) }.sorted { order.compare($0, $1) < 0 }
    #expect(naive.map(BuilderSupport.bytes) == expected)
  }

  @Test("a record larger than any buffer is written to a run and read back") func large() throws {
    var records = records(200, seed: 3)
    records.append([("k", .string, "a"), ("text", .string, String(repeating: "long ", count: 300_000))])
    let expected = try sort(records, memory: 1 << 30, threads: 1, chunkCount: 10)
    let result = try sort(records, memory: 1, threads: 1, chunkCount: 10)
    #expect(result == expected)
  }

  @Test("memory that others hold does not make a sort write a run for each chunk") func heldElsewhere() throws {
    var names = FieldNames()
    let chunk = try BuilderSupport.chunk(records(1000, seed: 4), template: "{k}", names: &names)
    var sort = ExternalSort(memory: 4 << 20, directory: RunDirectory(path: "/tmp"), threads: 1)
    while sort.runCount == 0 { try sort.add(chunk, names: names) }
    let spilled = sort.size
    // Each time the memory that is left is a little less than the held memory; in the end it is half of all.
    for _ in 0..<20 {
      sort.heldElsewhere += 100 << 10
      try sort.add(chunk, names: names)
    }
    #expect(sort.size - spilled < 2 << 20)
    #expect(sort.runCount <= 2)
  }

  @Test("the error for a missing directory names it") func missing() throws {
    var names = FieldNames()
    let records = records(10, seed: 1)
    var sort = ExternalSort(memory: 1, directory: RunDirectory(path: "/nonexistent/shardq"), threads: 1)
    try sort.add(try BuilderSupport.chunk(records, template: "{k}", names: &names), names: names)
    do {
      try sort.add(try BuilderSupport.chunk(records, template: "{k}", names: &names), names: names)
      Issue.record("spilled into nothing")
    } catch BuildError.io(_, let path, _) {
      #expect(path == "/nonexistent/shardq")
    }
  }

  @Test(
    "the city list is sorted in memory", .enabled(if: BuilderSupport.dataset("cities.json") != nil, "no city list here")
  )
  func cities() throws {
    var names = FieldNames()
    guard let list = BuilderSupport.cities(&names) else { return }
    // The file is almost sorted, which would flatter the sort.
    var random = SplitMix64(seed: 2)
    var batch = RecordBatch()
    batch.bytes = list.bytes
    for index in list.recordEnds.indices.shuffled(using: &random) {
      let first = index > 0 ? Int(list.recordEnds[index - 1]) : 0
      batch.fields += list.fields[first..<Int(list.recordEnds[index])]
      batch.recordEnds.append(UInt32(batch.fields.count))
    }
    var encoder = RecordEncoder(template: try KeyTemplate(checking: "{name}, {country}"))
    var best = [Double](repeating: .infinity, count: 3)
    for _ in 0..<5 {
      let start = BuilderSupport.seconds()
      let chunk = RecordArena(capacity: 1 << 20)
      #expect(encoder.encode(batch, names: names, into: chunk).isEmpty)
      let encoded = BuilderSupport.seconds()
      var sort = ExternalSort(memory: 256 << 20, directory: RunDirectory(path: "/tmp"))
      try sort.add(chunk, names: names)
      let records = try sort.finish(names: names)
      let sorted = BuilderSupport.seconds()
      let pieces = PieceStream(records, limit: 32 << 10, names: names)
      var count = 0
      while let piece = try pieces.nextPiece() { count += piece.count }
      #expect(count == batch.recordEnds.count)
      let times = [encoded - start, sorted - encoded, BuilderSupport.seconds() - sorted]
      for index in best.indices { best[index] = min(best[index], times[index]) }
    }
    let milliseconds = best.map { ($0 * 10_000).rounded() / 10 }
    print("\(batch.recordEnds.count) cities: encoded, sorted, cut in ms: \(milliseconds)")
  }
}
