import Observation
import SearchModel
import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The model of a search field") @MainActor struct SearchModelTests {
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  private func keys(_ model: SearchModel) -> [String] { model.rows.compactMap { $0.record?.key } }

  @Test("the rows are the hits of the newest text, best first")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func ranked() async throws {
    let model = SearchModel(try AsyncSearchTests.index().open)
    await model.settled()
    #expect(
      model.order == .ranked && model.rows.first?.record?.key == "Oslo 999"
        && model.rows.total == ShardedIndex.Total(1000))
    for text in ["p", "pa", "par", "paris 99"] { model.text = text }
    #expect(model.isSearching)
    await model.settled()
    #expect(keys(model) == ["Paris 995", "Paris 990"] && !model.isSearching && model.error == nil)
    #expect(model.rows.total == ShardedIndex.Total(2) && model.rows[0].hit?.record.key == "Paris 995")
    model.text = "nothing"
    await model.settled()
    #expect(model.rows.isEmpty && model.rows.total == ShardedIndex.Total(0))
  }

  @Test("more ranked rows are loaded as the list comes to its end")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func growing() async throws {
    let model = SearchModel(try AsyncSearchTests.index(count: 200).open)
    await model.settled()
    model.load(model.rows[0])
    await model.settled()
    #expect(model.rows.count == 32)
    while model.rows.count < 200 {
      model.load(try #require(model.rows.last))
      await model.settled()
    }
    #expect(keys(model) == (0..<200).reversed().map { "\(AsyncSearchTests.names[$0 % 5]) \($0)" })
  }

  @Test("alphabetical rows are counted and loaded when they appear, and at most 512 stay loaded")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func pages() async throws {
    let index = try AsyncSearchTests.index(count: 1000, isRanked: false).open
    let model = SearchModel(index)
    await model.settled()
    #expect(model.order == .alphabetical && model.rows.count == 1000 && keys(model).count == 32)
    let expected = try index.matches(forPrefix: "").prefix(1000).map(\.key)
    var changes = 0
    for position in stride(from: 0, to: 1000, by: 20) {
      withObservationTracking({ _ = model.rows }, onChange: { MainActor.assumeIsolated { changes += 1 } })
      model.load(model.rows[position])
      await model.settled()
      #expect(model.rows[position].record?.key == expected[position])
    }
    #expect(changes >= 30 && keys(model).count == 512 && model.rows[0].record == nil)
    // After fast scrolling only the last rows are loaded.
    for position in stride(from: 0, to: 500, by: 32) { model.load(model.rows[position]) }
    await model.settled()
    #expect(model.rows[448].record != nil && model.rows[32].record == nil)
  }

  @Test("the model reads an index anew when it is replaced")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func replaced() async throws {
    let live = LiveIndex(countPerStem: 40)
    try live.build(0)
    let index = try ShardedIndex(opening: live.path, options: .init(cacheLimitBytes: 0, openFileLimit: 0))
    let model = SearchModel(index)
    await model.settled()
    #expect(model.rows[0].record?["g"] == "0")
    try live.build(1)
    try live.build(2)
    model.load(model.rows[200])
    await model.settled()
    #expect(model.error == nil && model.rows.count == 320 && model.rows[0].record?["g"] == "2")
    model.load(model.rows[200])
    await model.settled()
    #expect(model.rows[200].record?["g"] == "2")
    // An app that reloads the index tells the model.
    try live.build(3)
    try index.reload()
    model.refresh()
    await model.settled()
    #expect(model.rows[0].record?["g"] == "3")
  }

  @Test("filters, a place and an order are conditions of the rows, and the answer has facets")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func conditions() async throws {
    let lines = (0..<200).map { number in
      #"{"sku":"s\#(number)","name":"Lamp \#(number)","brand":"\#(["Alma", "Borg", "Zoe"][number % 3])","#
        + #""price":\#(number * 7 % 200),"lat":\#(number % 50),"lon":0}"#
    }
    let index = try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.weight, $0.id, $0.filter, $0.number, $0.near) = ("price", "sku", ["brand"], ["price"], true)
    }.open
    let model = SearchModel(index)
    model.text = "lamp"
    model.facetFields = ["brand"]
    model.filters = [ShardedIndex.Filter("brand", isOneOf: ["borg", "zoe"])]
    await model.settled()
    #expect(model.rows.total == ShardedIndex.Total(133, isExact: true) || !model.rows.total.isExact)
    #expect(model.rows.allSatisfy { $0.record?["brand"] != "Alma" } && model.rows.count == 32)
    // A field's own filter does not count for its facet.
    #expect(model.facets.map(\.field) == ["brand"] && model.facets[0].values.map(\.count).sorted() == [66, 67, 67])
    let borg = model.rows.map(\.id)
    #expect(
      Set(borg).count == 32 && borg.allSatisfy { if case .field(let sku) = $0 { sku.hasPrefix("s") } else { false } })
    // Changed in one go, and the identities stay.
    model.filters = []
    model.order = .numbers(.init("price"))
    await model.settled()
    let prices = model.rows.compactMap { $0.record?["price", as: Int.self] }
    #expect(prices == Array(0..<32))
    model.order = .numbers(.init("price", isDescending: true))
    model.place = ShardedIndex.Place(latitude: 10, longitude: 0)
    model.place?.radius = 300
    await model.settled()
    let latitudes = Set(model.rows.compactMap { $0.record?["lat", as: Int.self] })
    #expect(latitudes == [8, 9, 10, 11, 12] && model.rows.count == 20)
    #expect(
      model.rows.first?.record?["price", as: Int.self]
        == model.rows.compactMap { $0.record?["price", as: Int.self] }.max())
    #expect(model.facets[0].values.map(\.count).reduce(0, +) == 20)
    // The order of keys takes no conditions.
    model.order = .alphabetical
    await model.settled()
    #expect(model.error == .refused(.needsRanks(.near)) && model.rows.isEmpty && model.facets.isEmpty)
    model.place = nil
    await model.settled()
    #expect(model.error == nil && model.rows.count == 200 && model.facets[0].values.count == 3)
  }

  @Test("a row keeps its identity in the answers to other texts, before and after it is loaded")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func identities() async throws {
    let model = SearchModel(try AsyncSearchTests.index(count: 1000, isRanked: false).open)
    await model.settled()
    let before = model.rows.map(\.id)
    #expect(Set(before).count == 1000 && model.rows[700].record == nil)
    model.load(model.rows[700])
    await model.settled()
    #expect(model.rows[700].record != nil && model.rows.map(\.id) == before && model.rows[700].position == 700)
    let name = try #require(model.rows[700].record?.key)
    model.text = name
    await model.settled()
    let row = try #require(model.rows.first { $0.record?.key == name })
    #expect(row.id == before[700] && row.position < 20)
  }

  @Test("an error is a value of the model, and the next success clears it")
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
  func errors() async throws {
    let built = try AsyncSearchTests.index(count: 400, isRanked: false)
    let index = try ShardedIndex(opening: built.path, options: .init(cacheLimitBytes: 0, openFileLimit: 0))
    let wrong = SearchModel(index, order: .ranked)
    await wrong.settled()
    #expect(wrong.error == .refused(.notBuilt(feature: .ranks)) && wrong.rows.isEmpty && !wrong.isSearching)
    let model = SearchModel(index)
    await model.settled()
    let shards = Files.names(in: built.path).filter { $0.hasSuffix(".zst") }
    let contents = shards.map { Files.read("\(built.path)/\($0)")! }
    for name in shards { Files.write([1, 2, 3], to: "\(built.path)/\(name)") }
    model.load(model.rows[300])
    await model.settled()
    guard case .corrupt = model.error else {
      Issue.record("\(String(describing: model.error))")
      return
    }
    #expect(model.rows.count == 400 && model.rows[300].record == nil && model.rows[0].record != nil)
    for (name, content) in zip(shards, contents) { Files.write(content, to: "\(built.path)/\(name)") }
    model.load(model.rows[300])
    await model.settled()
    #expect(model.error == nil && model.rows[300].record != nil)
  }
}
