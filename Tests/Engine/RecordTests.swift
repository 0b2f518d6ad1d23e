import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Records and answers as Swift values") struct RecordTests {
  static let json = """
    {"id":2988507,"name":"Paris","country":"FR","coord":{"lon":2.35,"lat":48.85},"tags":["capital","a \\u0022b\\u0022"],"d.e":1,"gone":null}
    {"id":4717560,"name":"Paris","country":"US","population":"24839","big":true}
    {"name":"Parma","country":"IT","population":12.0}
    {"id":" ","name":"Parma, Ohio","country":"US","population":""}
    """

  static func index(id: String? = "id", _ json: String = json) throws -> ShardedIndex {
    try SmallIndex(json: json, key: "{name}, {country}", suffix: ".jsonl") { $0.id = id }.open
  }

  @Test("answers have a count and a description; first, prefix and records read")
  func matches() throws {
    let matches = try Self.index().matches(forPrefix: "par")
    #expect(matches.description == "4 matches" && matches.count == 4 && !matches.isEmpty)
    #expect(try matches.first?.key == "Paris, FR" || matches.first?.key == "Parma, IT")
    #expect(try matches.prefix(2).count == 2 && matches.prefix(9).count == 4 && matches.prefix(0).isEmpty)
    let none = try Self.index().matches(forPrefix: "x")
    #expect(try none.isEmpty && none.first == nil && none.description == "0 matches")
    let one = try Self.index().matches(forPrefix: "par", limit: 1)
    #expect(one.description == "1 match, and more")
    #expect(try Self.index().matches(forPrefix: "paris").prefix(2).description == "[Paris, FR; Paris, US]")
  }

  @Test("a record's id is that of the dataset, else its position") func ids() throws {
    let index = try Self.index()
    let ids = try index.matches(forPrefix: "par").prefix(9).map { "\($0.id)" }
    #expect(ids == ["2988507", "4717560", "#2", "#3"])
    #expect(try index.matches(forPrefix: "par").records(in: 2..<4).map(\.id) == [.position(2), .position(3)])
    #expect(try Self.index(id: nil).matches(forPrefix: "parm").prefix(9).map(\.id) == [.position(2), .position(3)])
    // An answer of two runs of keys: the space of the text may stand for the comma.
    let names = try SmallIndex(json: #"[{"n":"San, J"},{"n":"San A"},{"n":"San J"}]"#, key: "{n}").open
    let runs = try names.matches(forPrefix: "san j")
    #expect(runs.count == 2)
    #expect(try runs.prefix(9).map(\.id) == runs.positions.joined().map { .position($0) })
    #expect(try runs.records(in: 1..<2).first?.id == runs.positions.joined().last.map { .position($0) })
  }

  @Test("records with equal fields are equal, from any index") func equality() throws {
    let (one, other) = (try Self.index(), try Self.index(id: nil))
    let records = try one.matches(forPrefix: "par").prefix(9)
    #expect(try Set(records).union(other.matches(forPrefix: "pari").prefix(9)).count == 4)
    #expect(records[0] == records[0] && records[0] != records[1])
    #expect("\(records[0])" == records[0].key)
  }

  @Test("fields are read as the requested type") func typedFields() throws {
    let paris = try #require(try Self.index().matches(forPrefix: "paris, fr").first)
    #expect(paris["coord.lat", as: Double.self] == 48.85)
    #expect(paris["id", as: Int.self] == 2_988_507 && paris["name", as: Int.self] == nil)
    #expect(paris["no", as: String.self] == nil && paris["gone", as: String.self] == nil && paris["gone"] == "null")
    let texas = try #require(try Self.index().matches(forPrefix: "paris, us").first)
    #expect(texas["big", as: Bool.self] == true && texas["population", as: Int.self] == 24_839)
  }
}
