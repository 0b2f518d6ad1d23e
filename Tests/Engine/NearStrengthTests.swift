import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("The strength of nearness") struct NearStrengthTests {
  private typealias List = ChangingList

  @Test("the strength scales nearness, and the first records of an answer are the best of all", arguments: [7, 8])
  func strengths(seed: UInt64) throws {
    let directory = TemporaryDirectory()
    let list = List(count: 600, seed: seed, EntryList.members)
    let options = EntryList.options { $0.near = true }
    let input = directory.write(List.text(list.records), to: "list.jsonl")
    _ = try ShardBuilder.build([input], into: directory("index"), options: options)
    let index = try ShardedIndex(opening: directory("index"))
    func scores(_ text: String, _ place: ShardedIndex.Place?, limit: Int = 10_000) throws -> [(Int, Int)] {
      try index.search(ShardedIndex.SearchQuery(text, near: place), limit: limit).map {
        ($0.rank.position, $0.rank.score)
      }
    }
    for text in ["", "s", "san", "york", "a b"] {
      for (latitude, longitude) in [(0.0, 0.0), (48.85, 2.35), (-90, 180)] {
        var place = try #require(ShardedIndex.Place(latitude: latitude, longitude: longitude))
        let plain = try Dictionary(uniqueKeysWithValues: scores(text, nil))
        let near = try Dictionary(uniqueKeysWithValues: scores(text, place))
        for (strength, eighths) in [(0, 1), (0.5, 4), (1, 8), (3.3, 26), (.infinity, 64)] {
          place.strength = strength
          #expect(place.strength == Double(eighths) / 8)
          let all = try scores(text, place)
          #expect(all.count == plain.count)
          for (position, score) in all {
            let alone = try #require(plain[position])
            #expect(try score == alone + (#require(near[position]) - alone) * eighths / 8)
          }
          let first = try scores(text, place, limit: 10)
          #expect(first.map(\.0) == all.prefix(10).map(\.0) && first.map(\.1) == all.prefix(10).map(\.1))
        }
      }
    }
  }
}
