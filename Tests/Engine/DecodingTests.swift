import ShardedIndex
import TestSupport
import Testing

@Suite("Records decode into values") struct DecodingTests {
  struct City: Decodable, Equatable {
    struct Place: Decodable, Equatable { var lon, lat: Double }
    var id: Int?
    var name: String
    var coord: Place?
    var population: Int?
    var big: Bool?
    var tags: [String]?
    var gone: String?
    var dotted: Int?
    enum CodingKeys: String, CodingKey { case id, name, coord, population, big, tags, gone, dotted = "d.e" }
  }

  static func first(_ json: String) throws -> ShardedIndex.Record {
    try #require(try SmallIndex(json: json, key: "{name}", suffix: ".jsonl").open.matches(forPrefix: "").first)
  }

  @Test("a value may have nested fields, arrays, numbers in quotes, null and missing fields") func cities() throws {
    let cities = try RecordTests.index(
      id: nil, RecordTests.json.replacing("\"id\":\" \",", with: "")
    ).matches(forPrefix: "").prefix(9).map { try $0.decode(City.self) }
    #expect(
      cities == [
        City(
          id: 2_988_507, name: "Paris", coord: .init(lon: 2.35, lat: 48.85), tags: ["capital", "a \"b\""], dotted: 1),
        City(id: 4_717_560, name: "Paris", population: 24_839, big: true), City(name: "Parma", population: 12),
        City(name: "Parma, Ohio"),
      ])
  }

  @Test("arrays may have arrays, objects, numbers and literals") func arrays() throws {
    struct Item: Decodable, Equatable { var a: [[Double?]], b: String? }
    struct Row: Decodable { var name: String, items: [Item], none: [Int], empty: [String: Int] }
    let row = try Self.first(
      #"{"name":"x","items":[{"a":[[1,-2.5e1,null],[]],"b":"\u00e9\ud83d\ude00"},{"a":[],"c":{"d":[true]}}],"none":[],"empty":{}}"#
    ).decode(Row.self)
    #expect(row.items == [Item(a: [[1, -25, nil], []], b: "é😀"), Item(a: [], b: nil)])
    #expect(row.none.isEmpty && row.empty.isEmpty)
  }

  @Test("a record decodes as a dictionary of its fields, and into superclasses") func dictionaries() throws {
    class Base: Decodable { var name = "" }
    final class Derived: Base {
      var n = 0
      enum CodingKeys: CodingKey { case n }
      required init(from decoder: any Decoder) throws {
        n = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .n)
        try super.init(from: decoder)
      }
    }
    let record = try Self.first(#"{"name":"x","n":3}"#)
    #expect(try record.decode([String: String].self) == ["name": "x", "n": "3"])
    let derived = try record.decode(Derived.self)
    #expect(derived.n == 3 && derived.name == "x")
  }

  @Test(
    "the error for a field that does not decode names it",
    arguments: [
      (#"{"name":"x"}"#, "the record has no field v"), (#"{"name":"x","v":null}"#, "the field v is null"),
      (#"{"name":"x","v":"1,5"}"#, "the field v has the text \"1,5\", which is not of type Double"),
      (#"{"name":"x","v":[1]}"#, "the field v is an array"), (#"{"name":"x","v":{"w":1}}"#, "the field v is an object"),
    ])
  func faults(json: String, message: String) throws {
    struct Row: Decodable { var v: Double }
    let record = try Self.first(json)
    let error = #expect(throws: DecodingError.self) { try record.decode(Row.self) }
    #expect("\(try #require(error))".contains(message), "\(error!)")
  }

  @Test("the error within a nested field and an array names the path") func nestedFaults() throws {
    struct Row: Decodable { struct C: Decodable { var lon: Int8 }; var c: C?, t: [Bool]? }
    for (json, path) in [
      (#"{"name":"x","c":{"lon":300}}"#, "c.lon"), (#"{"name":"x","c":{"lat":1}}"#, "c has no field lon"),
      (#"{"name":"x","t":[true,7]}"#, "t.1"), (#"{"name":"x","c":7}"#, "the field c is \"7\", not an object"),
    ] {
      let record = try Self.first(json)
      let error = #expect(throws: DecodingError.self) { try record.decode(Row.self) }
      #expect("\(try #require(error))".contains(path), "\(error!)")
    }
  }

  @Test(
    "text of a damaged index that is no JSON is an error, at any depth",
    arguments: ["[", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "[1] 2", "nul", "", "[\"\\u12", "{1:2}"])
  func broken(text: String) {
    for json in [text, String(repeating: "[", count: 100_000) + text + String(repeating: "]", count: 100_000)] {
      guard case .broken = FieldValue(json: json) else {
        Issue.record("\(json.prefix(40)) was read")
        continue
      }
    }
    if case .broken = FieldValue(json: String(repeating: "[", count: 63) + String(repeating: "]", count: 63)) {
      Issue.record("a build takes 64 levels")
    }
  }
}
