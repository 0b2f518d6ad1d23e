import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Nearness") struct NearTests {
  private static func place(_ random: inout SplitMix64) -> NearPlace {
    func degrees(_ limit: Int) -> Int {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: [-limit, limit, 0, limit - 1, 1 - limit].randomElement(using: &random)!
      case 1: 1000 * Int.random(in: -limit / 1000...limit / 1000, using: &random)
      default: Int.random(in: -limit...limit, using: &random)
      }
    }
    return NearPlace(latitude: degrees(9000), longitude: degrees(18000))!
  }

  @Test("no place in a cell is nearer than the cell's bound") func bounds() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<(TestData.isDebug ? 300 : 3000) {
      let here = Self.place(&random)
      var tight = 0
      for _ in 0..<200 {
        let there = Self.place(&random)
        let (near, bound) = (here.near(there), here.greatestNear(inCell: there.cell))
        #expect(near <= bound, "\(here), \(there)")
        if near > 0, bound - near < 2048 { tight += 1 }
        #expect(near == there.near(here) && near <= NearPlace.greatest)
      }
      #expect(here.near(here) == NearPlace.greatest && here.greatestNear(inCell: here.cell) == NearPlace.greatest)
    }
  }

  @Test("distances over the poles and over 180 degrees are short ones") func edges() throws {
    func place(_ text: String) throws -> ShardedIndex.Place { try #require(ShardedIndex.Place(text)) }
    func near(_ one: (Int, Int), _ other: (Int, Int)) -> Int {
      NearPlace(latitude: one.0, longitude: one.1)!.near(NearPlace(latitude: other.0, longitude: other.1)!)
    }
    #expect(near((9000, -17000), (9000, 4000)) == NearPlace.greatest)
    #expect(near((0, 18000), (0, -18000)) == NearPlace.greatest)
    #expect(near((0, 17995), (0, -17995)) == near((0, 5), (0, -5)))
    #expect(near((8995, 0), (8995, 18000)) == near((8995, 0), (8985, 0)))
    // 8 - log2(1 + d / 10 km): 5 octaves at 70 km, none from 2,550 km on.
    #expect(abs(near((0, 0), (63, 0)) - 5 * 2048) < 200 && near((0, 0), (2300, 0)) == 0 && near((0, 0), (2250, 0)) > 0)
    for (text, latitude, longitude) in [("48.855,2.345", 4886, 235), ("-0.005,-179.995", -1, -18000)] {
      let read = try place(text).place
      #expect(read.latitude == latitude && read.longitude == longitude)
    }
    #expect(try place("48.8550004,2.3450006") == ShardedIndex.Place(latitude: 48.855, longitude: 2.345001))
    #expect(try place(" 48.855 , 2.345") == place("48.855,2.345"))
    for text in ["", ",", "1", "1,2,3", "90.001,0", "0,-180.0000001", "x,1", "1 2", "nan,0"] {
      #expect(ShardedIndex.Place(text) == nil, "\(text)")
    }
    #expect(ShardedIndex.Place(latitude: .nan, longitude: 0) == nil)
  }

  @Test("every part has the cells of its records, and an updated index has the cells of a build") func cells() throws {
    let directory = TemporaryDirectory()
    var list = ChangingList(count: TestData.isDebug ? 700 : 3000, seed: 14) { random in
      var members = ChangingList.weighted(&random)
      if Int.random(in: 0..<5, using: &random) > 0 {
        let place = Self.place(&random)
        members.append(("lat", .number("\(Double(place.latitude) / 100)")))
        members.append(("lon", .string("\(Double(place.longitude) / 100)")))
      }
      return members
    }
    let options = ChangingList.weightedOptions { $0.near = true }
    func build(_ name: String) throws {
      Files.remove(directory(name))
      let input = directory.write(ChangingList.text(list.records.shuffled(using: &list.random)), to: "list.jsonl")
      _ = try ShardBuilder.build([input], into: directory(name), options: options)
    }
    try build("index")
    for round in 0..<6 {
      let (upsert, delete) = list.change([1, 3, 30][round % 3])
      _ = try ShardBuilder.update(
        directory("index"), upsert: [directory.write(ChangingList.text(upsert), to: "upsert.jsonl")],
        delete: [directory.write("_id\n" + delete.map { "\($0)\n" }.joined(), to: "delete.csv")])
      try build("built")
      let (built, found) = (Files.contents(of: directory("built")), Files.contents(of: directory("index")))
      #expect(built.allSatisfy { found[$0.key] == $0.value }, "round \(round)")
    }
    let index = try ShardedIndex(opening: directory("index"))
    var cells: Set<[UInt8]> = []
    for shard in 0..<index.shardCount {
      let values = try #require(try index.generation.values(.cells, ofShard: shard))
      #expect(values.parts.joined().allSatisfy { $0.count == 1 })
      cells.formUnion(values.values)
    }
    var expected: Set<[UInt8]> = []
    for (_, members) in list.records {
      guard case .number(let latitude)? = members.first(where: { $0.0 == "lat" })?.1,
        case .string(let longitude)? = members.first(where: { $0.0 == "lon" })?.1
      else { continue }
      let row = min(17, Int((Double(latitude)! + 90) / 10 + 1e-9))
      let column = min(35, Int((Double(longitude)! + 180) / 10 + 1e-9))
      expected.insert([UInt8((36 * row + column) >> 8), UInt8((36 * row + column) & 255)])
    }
    #expect(cells == expected)
    var findings: [Verifier.Finding] = []
    _ = try Verifier.verify(index: directory("index")) { findings.append($0) }
    #expect(findings.filter(\.isDamage) == [])
    #expect(throws: IndexError.refused(.notBuilt(feature: .filter))) {
      try index.search(ShardedIndex.SearchQuery("a", filter: [.init("country", isOneOf: ["CH"])]))
    }
  }
}
