/// A list of records that changes, and files of it as JSON lines.
package struct ChangingList {
  package typealias Members = [(String, ModelRecord.Value)]

  package var records: [(id: Int, members: Members)] = []
  package var random: SplitMix64
  private var nextID = 0
  /// Makes a record's members, except its id.
  private let make: (inout SplitMix64) -> Members

  package init(count: Int, seed: UInt64, _ make: @escaping (inout SplitMix64) -> Members) {
    random = SplitMix64(seed: seed)
    self.make = make
    for _ in 0..<count { add() }
  }

  package mutating func add() {
    records.append((nextID, make(&random)))
    nextID += 1
  }

  package static func text(_ records: some Sequence<(id: Int, members: Members)>) -> String {
    records.map { ModelRecord.json([("_id", .number("\($0.id)"))] + $0.members) + "\n" }.joined()
  }

  /// Changes some records, near each other or anywhere; returns new and changed records, and the ids of removed ones.
  package mutating func change(_ count: Int) -> (upsert: [(id: Int, members: Members)], delete: [Int]) {
    var places = Array(records.indices)
    if Bool.random(using: &random) {
      places.sort { ModelRecord.json(records[$0].members) < ModelRecord.json(records[$1].members) }
      let first = Int.random(in: 0...max(0, places.count - count), using: &random)
      places = Array(places[first..<min(places.count, first + count)])
    } else {
      places = Array(places.shuffled(using: &random).prefix(count))
    }
    var (upsert, delete): ([(id: Int, members: Members)], [Int]) = ([], [])
    for place in places {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: delete.append(records[place].id)
      case 1:
        var members = make(&random)
        if Bool.random(using: &random) { members[0] = records[place].members[0] }
        records[place].members = members
        upsert.append(records[place])
      default:
        add()
        upsert.append(records[records.count - 1])
      }
    }
    let gone = Set(delete)
    records.removeAll { gone.contains($0.id) }
    return (upsert, delete)
  }

  /// Few names, so that many keys are equal; fields of some records, and a few very large fields.
  package static func ragged(_ random: inout SplitMix64) -> Members {
    let name = ["a", "b", "ab", "san", "são", "z"].randomElement(using: &random)!
    let rest = String(
      repeating: ["", "x", "y", "zz", " q"].randomElement(using: &random)!, count: Int.random(in: 0...3, using: &random)
    )
    var members: Members = [
      ("name", .string(name + rest)), ("country", .string(["US", "BR", "CH"].randomElement(using: &random)!)),
    ]
    if Int.random(in: 0..<3, using: &random) == 0 {
      members.append(("extra", [.string("foo"), .number("1"), .literal("null")].randomElement(using: &random)!))
    }
    if Int.random(in: 0..<2, using: &random) == 0 {
      let latitudes = [("lat", "47.25"), ("lat", "-90"), ("Latitude", "1e1"), ("lat", "91")]
      let longitudes = [("lon", "8.5"), ("lng", "180"), ("lon", "-0.49999")]
      for list in [latitudes, longitudes] {
        let (name, degrees) = list.randomElement(using: &random)!
        members.append((name, .number(degrees)))
      }
    }
    if Int.random(in: 0..<50, using: &random) == 0 {
      members.append(("rare\(Int.random(in: 0..<6, using: &random))", .string("x")))
    }
    if Int.random(in: 0..<300, using: &random) == 0 {
      members.append(("big", .string(String(repeating: "Q7", count: Int.random(in: 0..<20_000, using: &random)))))
    }
    return members
  }

  /// Names as long as those of cities; all ids are in a column of numbers.
  package static func smooth(_ random: inout SplitMix64) -> Members {
    let letters = (0..<Int.random(in: 2..<9, using: &random)).map { _ in "abcdeiorstuz".randomElement(using: &random)! }
    let degree = Int.random(in: -80...80, using: &random)
    return [
      ("name", .string(String(letters))), ("country", .string("CH")), ("n", .number("1.5")),
      ("lat", .number("\(degree).25")), ("lon", .number("\(2 * degree).75")),
    ]
  }

  /// Equal keys, equal records: cuts through runs of them, and cuts by force.
  package static func same(_ random: inout SplitMix64) -> Members {
    [("name", .string("aa")), ("country", .string("US")), ("v", .number("\(Int.random(in: 0..<3, using: &random))"))]
  }
}
