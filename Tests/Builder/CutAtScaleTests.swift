import CLibrary
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// The cut and the manifest of lists that are too long for building in a test.
@Suite("The cut at scale") struct CutAtScaleTests {
  private static let template = "{name}, {country}"

  /// Cuts about `count` made-up records, in order.
  ///
  /// - Parameter portion: One run of neighbours in `portion` runs is cut.
  private func simulated(_ count: Int, oneIn portion: Int = 1, sample: Int, encodedEvery: Int) throws -> CutSimulation {
    let names = FieldNames(SortedCities.fields)
    var simulation = CutSimulation(names, encodedEvery: encodedEvery)
    var encoder = RecordEncoder(template: try KeyTemplate(checking: Self.template))
    let order = RecordOrder(names: names)
    var cities = SortedCities(sample: sample, seed: 1)
    let (arena, last) = (RecordArena(), RecordArena())
    try cities.forEachBatch(count, oneIn: portion) { batch in
      arena.removeAll()
      #expect(encoder.encode(batch, names: names, into: arena).isEmpty)
      guard arena.count > 0 else { return }
      if last.count > 0 { #expect(order.compare(last.record(0), arena.record(0)) <= 0) }
      for index in 0..<arena.count { try simulation.append(arena.record(index)) }
      last.removeAll()
      last.append(arena.record(arena.count - 1))
    }
    try simulation.finish()
    return simulation
  }

  /// A list without coordinates, so that there is no density grid in the manifest.
  private let list = GeneratedList.text(count: 40_000, seed: 3, format: .jsonl).replacing("\"lat\"", with: "\"y\"")

  private func index() throws -> SmallIndex { try SmallIndex(json: list, key: Self.template, suffix: ".jsonl") }

  @Test("a simulation counts the shards that a build makes, and the bytes of its manifest") func ofAnIndex() throws {
    let index = try index()
    let reader = try DatasetReader(path: index.directory + "/dataset.jsonl")
    var encoder = RecordEncoder(template: try KeyTemplate(checking: Self.template))
    var batch = RecordBatch()
    var chunks: [RecordArena] = []
    while try reader.read(into: &batch) {
      chunks.append(RecordArena())
      #expect(encoder.encode(batch, names: reader.names, into: chunks.last!).isEmpty)
    }
    var simulation = CutSimulation(reader.names, encodedEvery: 1)
    for bytes in try BuilderSupport.sorted(chunks, reader.names) {
      try bytes.withUnsafeBytes { try simulation.append(RecordBlob($0.baseAddress!)) }
    }
    try simulation.finish()
    #expect(simulation.records == 40_000)
    #expect(simulation.shards == index.open.shardCount)
    let manifest = try #require(BuilderSupport.read(index.path + "/manifest"))
    #expect(abs(try simulation.manifestFile().count - manifest.count) < 100)
  }

  @Test("made-up records in order make about as many shards as the list they imitate") func likeTheList() throws {
    let simulation = try simulated(40_000, sample: 40_000, encodedEvery: 1)
    let shards = try index().open.shardCount
    #expect(abs(simulation.records - 40_000) < 1000)
    #expect(abs(simulation.shards - shards) <= 2, "\(simulation.shards), \(shards)")
    let regions = simulation.regions(ranges: 2)
    #expect(regions.count == 1 && regions.records < simulation.records)
  }

  /// `SHARDQ_SIMULATE=1000000000 swift test -c release --filter CutAtScaleTests`; with
  /// `SHARDQ_PORTION=16` a sixteenth of the list, in runs of neighbours.
  @Test(
    "a simulation counts the shards and nodes of a list of any length",
    .enabled(if: getenv("SHARDQ_SIMULATE") != nil, "skipped: SHARDQ_SIMULATE=1000000000 takes half an hour"))
  func ofAnyLength() throws {
    let count = try #require(Int(String(cString: getenv("SHARDQ_SIMULATE"))))
    let portion = getenv("SHARDQ_PORTION").flatMap { Int(String(cString: $0)) } ?? 1
    var simulation = try simulated(
      count, oneIn: portion, sample: 2_000_000, encodedEvery: max(1, count / portion / 1_000_000))
    let nodes = simulation.nodes
    print("records", simulation.records, "pieces", simulation.pieces, "shards", simulation.shards)
    print("largest piece", simulation.largestPiece, "shard bytes", simulation.shardBytes)
    print("pages", simulation.pages, "nodes", nodes.count, "levels of nodes", nodes.levels)
    for ranges in [16, 64, 256, 1024, 4096] {
      let regions = simulation.regions(ranges: ranges)
      print("ranges", ranges, "regions", regions.count, "records in them", regions.records)
    }
    print("manifest bytes", try simulation.manifestFile().count)
  }
}
