import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Records that are Swift values") struct RecordValuesTests {
  private struct City: Encodable, Sendable {
    struct Place: Encodable, Sendable { var lat: Double, lon: Float }
    var _id: Int
    var name: String
    var country: String?
    var place: Place
    var tags: [String]
    var isCapital: Bool
    var population: UInt64

    /// The record as a line of a file.
    var line: String {
      let country = country.map { #""country":"\#($0)","# } ?? ""
      let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
      return """
        {"_id":\(_id),"name":\(Self.quoted(name)),\(country)"place":{"lat":\(number(place.lat)),"lon":\
        \(number(place.lon))},"tags":[\(tags)],"isCapital":\(isCapital),"population":\(population)}

        """
    }

    private static func quoted(_ text: String) -> String {
      let escaped = text.unicodeScalars.map { scalar in
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case "\n": "\\n"
        case "\u{1}": "\\u0001"
        default: "\(scalar)"
        }
      }
      return "\"\(escaped.joined())\""
    }

    private func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
      value.description.hasSuffix(".0") ? String(value.description.dropLast(2)) : value.description
    }
  }

  private static func cities(_ count: Int, seed: UInt64) -> [City] {
    var random = SplitMix64(seed: seed)
    let letters = Array("abcé漢\", \\\u{1}\n/")
    return (0..<count).map { id in
      City(
        _id: id,
        name: String((0..<Int.random(in: 1...9, using: &random)).map { _ in letters.randomElement(using: &random)! }),
        country: Bool.random(using: &random) ? "CH" : nil,
        place: .init(
          lat: [0, -0.0, 1e-7, 1e22, 47.25].randomElement(using: &random)!,
          lon: Float.random(in: -180...180, using: &random)),
        tags: Array(["x", "y", "z"].prefix(Int.random(in: 0...3, using: &random))),
        isCapital: Bool.random(using: &random), population: .random(in: 0 ... .max, using: &random))
    }
  }

  private static var options: BuildOptions {
    var options = BuildOptions()
    (options.level, options.shardLimitBytes, options.key) = (1, 1 << 10, "{name}, {country}")
    return options
  }

  @Test("a build of values, and an update with values, have the bytes of those of files", arguments: UInt64(1)...4)
  func sameBytes(seed: UInt64) throws {
    let directory = TemporaryDirectory()
    let cities = Self.cities(500, seed: seed)
    func check(_ place: String) {
      let (values, file) = (Files.contents(of: directory("values")), Files.contents(of: directory("file")))
      #expect(values.count > 5 && values == file, "\(place)")
    }
    let input = directory.write(cities.map(\.line).joined(), to: "list.jsonl")
    let built = try ShardBuilder.build(
      records: cities.lazy.map(\.self), into: directory("values"), options: Self.options)
    _ = try ShardBuilder.build([input], into: directory("file"), options: Self.options)
    #expect(built.recordsRead == 500 && built.recordsIndexed == 500)
    check("built")
    let changes = Self.cities(40, seed: seed + 100)
    let upsert = directory.write(changes.map(\.line).joined(), to: "changes.jsonl")
    let delete = directory.write("_id\n400\n", to: "delete.csv")
    let updated = try ShardBuilder.update(directory("values"), upserting: changes, delete: [delete])
    _ = try ShardBuilder.update(directory("file"), upsert: [upsert], delete: [delete])
    #expect(updated.recordsRemoved == 41 && updated.recordsIndexed == 499)
    check("updated")
  }

  /// A value that encodes itself in unusual ways.
  private struct Odd: Encodable {
    enum Keys: String, CodingKey { case name, none, list, inner, a = "a.b" }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Keys.self)
      var inner = members.nestedContainer(keyedBy: Keys.self, forKey: .inner)
      try members.encode("Odd", forKey: .name)
      try inner.encode(Int8(-7), forKey: .a)
      try members.encodeNil(forKey: .none)
      var list = members.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1.5)
      try list.encodeNil()
      var nested = list.nestedContainer(keyedBy: Keys.self)
      try nested.encode(true, forKey: .name)
      #expect(list.count == 3)
      try [String: Int]().encode(to: members.superEncoder(forKey: .a))
    }
  }

  @Test("containers may be open at the same time, and a null is one of the file") func containers() throws {
    let directory = TemporaryDirectory()
    let line = #"{"inner":{"a.b":-7},"name":"Odd","none":null,"list":[1.5,null,{"name":true}],"a.b":{}}"#
    let input = directory.write(line + "\n", to: "odd.jsonl")
    var options = Self.options
    options.key = "{name}"
    _ = try ShardBuilder.build([input], into: directory("file"), options: options)
    try ShardBuilder.build(records: [Odd()], into: directory("values"), options: options)
    let isSame = Files.contents(of: directory("file")) == Files.contents(of: directory("values"))
    #expect(isSame)
  }

  private static func refusal(_ body: () throws(BuildError) -> Void) -> String {
    do throws(BuildError) { try body() } catch { return "\(error)" }
    Issue.record("not refused")
    return ""
  }

  /// A record of a list with faults.
  private struct Faulty: Encodable {
    struct Fault: Error {}
    var name: String

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CityKey.self)
      try members.encode(name, forKey: .name)
      switch name {
      case "throws": throw Fault()
      case "infinite": try members.encode(Double.infinity, forKey: .lat)
      case "twice": try members.encode(name, forKey: .name)
      default: break
      }
    }
    enum CityKey: CodingKey { case name, lat }
  }

  @Test(
    "a fault names the record, and the index stays",
    arguments: [
      (name: "throws", message: "the records:701:1: record 701: cannot be encoded: Fault()"),
      (
        name: "infinite",
        message: #"the records:701:1: record 701: cannot be encoded: "lat": JSON has no number inf; leave it out"#
      ),
      (name: "twice", message: "the records:701:"),
    ])
  func faults(name: String, message: String) throws {
    let directory = TemporaryDirectory()
    var options = Self.options
    options.key = "{name}"
    try ShardBuilder.build(records: [Faulty(name: "old")], into: directory("index"), options: options)
    let before = Files.contents(of: directory("index"))
    let records = (1...1000).lazy.map { Faulty(name: $0 == 701 ? name : "ok \($0)") }
    let refusal = Self.refusal { () throws(BuildError) in
      try ShardBuilder.build(records: records, into: directory("index"), options: options)
    }
    #expect(refusal.hasPrefix(message), "\(refusal)")
    let isSame = Files.contents(of: directory("index")) == before
    #expect(isSame)
    #expect(
      Self.refusal { () throws(BuildError) in
        try ShardBuilder.build(records: [1, 2], into: directory("numbers"), options: options)
      }.hasPrefix("the records:1:1: record 1: "))
    #expect(
      Self.refusal { () throws(BuildError) in
        try ShardBuilder.build(records: [Faulty](), into: directory("index"), options: options)
      }.hasPrefix("the records: the input has no record"))
  }

  /// A sequence that counts the records that it has made and those that are alive.
  private final class Counter: @unchecked Sendable {
    var made = 0
    var alive = 0
    var most = 0
  }
  private final class Counted: Encodable {
    private let counter: Counter
    private let name: String

    init(_ counter: Counter) {
      (self.counter, name) = (counter, "\(counter.made)")
      counter.made += 1
      counter.alive += 1
      counter.most = max(counter.most, counter.alive)
    }

    deinit { counter.alive -= 1 }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Faulty.CityKey.self)
      try members.encode(name, forKey: .name)
    }
  }

  @Test("a build holds one record at a time, and iterates once") func memory() throws {
    let directory = TemporaryDirectory()
    let counter = Counter()
    var options = Self.options
    (options.key, options.memoryBytes, options.shardLimitBytes) = ("{name}", 1 << 20, 80 << 10)
    let count = TestData.count(20_000, 200_000)
    let records = sequence(state: ()) { _ in counter.made < count ? Counted(counter) : nil }
    let summary = try ShardBuilder.build(records: records, into: directory("index"), options: options)
    #expect(summary.recordsIndexed == count && counter.made == count)
    #expect(counter.most <= 2 && counter.alive == 0)
  }
}
