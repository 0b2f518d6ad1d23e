import Foundation
import ShardBuilder
import ShardedIndex
import ShardedIndexFoundation
import TestSupport
import Testing

@Suite("An answer as a collection, and its values")
struct SearchValuesTests {
  private struct Lamp: Decodable, Equatable {
    let name: String
    let price: Int?
  }

  private static let lamps = [
    #"{"name":"Lamp One","brand":"Alma","price":5,"others":[],"w":3}"#,
    #"{"name":"Lamp Two","brand":"Bjo","price":20,"others":["L\u00e4mp Zwei"],"w":2}"#,
    #"{"name":"Lamp Three","brand":"Alma","price":30,"others":[],"w":1}"#,
    #"{"name":"Lamp Four","brand":"Lumo","others":[],"w":0}"#,
  ]

  private func index() throws -> SmallIndex {
    try SmallIndex(json: Self.lamps.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.weight, $0.words, $0.alias, $0.filter, $0.number) = ("w", .body, ["others"], ["brand"], ["price"])
    }
  }

  @Test("an answer is a collection of hits") func hits() throws {
    let answer = try index().open.search("lamp")
    #expect(answer.count == 4 && answer[0].record.key == "Lamp One" && answer.last?.record.key == "Lamp Four")
    #expect(answer.map(\.record.key) == ["Lamp One", "Lamp Two", "Lamp Three", "Lamp Four"])
    #expect(try index().open.search("zzzz").isEmpty)
  }

  @Test("filters are pairs; a field that stands there twice accepts both values") func filters() throws {
    let index = try index().open
    func found(_ filter: KeyValuePairs<String, String>) throws -> [String] {
      try index.search("lamp", filter: filter).map { $0.record["name"] ?? "" }
    }
    #expect(try found([:]).count == 4)
    #expect(try found(["brand": "Alma"]) == ["Lamp One", "Lamp Three"])
    #expect(try found(["brand": "Alma", "price": "10..50"]) == ["Lamp Three"])
    #expect(try found(["brand": "Bjo", "brand": "Lumo"]) == ["Lamp Two", "Lamp Four"])
    #expect(throws: IndexError.self) { try found(["colour": "red"]) }
  }

  @Test("values are decoded; a record that does not fit throws") func values() throws {
    let index = try index().open
    #expect(
      try index.search("lamp", as: Lamp.self, filter: ["brand": "Alma"])
        == [Lamp(name: "Lamp One", price: 5), Lamp(name: "Lamp Three", price: 30)])
    #expect(try index.search("lamp f", as: Lamp.self) == [Lamp(name: "Lamp Four", price: nil)])
    #expect(throws: DecodingError.self) { try index.search("lamp", as: [String: [Int]].self) }
  }

  @Test("matched letters are ranges of the text, and an attribute") func marks() throws {
    let hit = try #require(try index().open.search("lamp z").first)
    #expect(hit.matchedText == "L\u{e4}mp Zwei" && hit.highlights.map { hit.matchedText[$0] } == ["L\u{e4}mp Z"])
    let runs = AttributedString(hit).runs.map { ($0[MatchedLetters.self], $0.range) }
    #expect(runs.map(\.0) == [true, nil])
    #expect(String(AttributedString(hit).characters) == hit.matchedText)
  }

  @Test("a record is found by its id") func ids() throws {
    let lines = (0..<300).map { #"{"name":"n\#($0 * 7919 % 300)","no":\#($0)}"# } + [#"{"name":"blank","no":" "}"#]
    let built = try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      ($0.id, $0.shardLimitBytes) = ("no", 500)
    }
    for number in [0, 7, 299] {
      #expect(try built.open.record(id: "\(number)")?.key == "n\(number * 7919 % 300)")
    }
    for absent in ["300", "", " ", "07"] { #expect(try built.open.record(id: absent) == nil) }
    #expect(try index().open.record(id: "Lamp One") == nil)
  }

  @Test("a place has its degrees") func place() throws {
    let place = try #require(ShardedIndex.Place("48.8584, -2.294501"))
    #expect(place.latitude == 48.8584 && place.longitude == -2.294501)
  }
}
