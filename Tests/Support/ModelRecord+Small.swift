extension ModelRecord {
  /// About 200 records in a handful of shards, with every content of a shard: suffix fields, spellings,
  /// dictionaries, constants, plain, long and mixed texts, numbers of several formats, shapes.
  package static func small() -> [ModelRecord] {
    var random = SplitMix64(seed: 42)
    let starts = ["Al", "San ", "Łó", "Øs", "Ab", "Zü", "al", "東"]
    return (0..<200).map { row in
      let name = starts[row % 8] + ["a", "b", "ín", "ß", "o p"][row % 5] + "\(row / 20)"
      var members: [(String, ModelRecord.Value)] = [
        ("name", .string(name)), ("country", .string(["AT", "BR", "CH", "DE"][row * 7 % 4])),
        ("id", .number("\(row * 37 % 211)")),
        ("lon", .number("\(Double(Int.random(in: -18_000_000...18_000_000, using: &random)) / 1e5)")),
        ("class", .string(["city", "town", "village"][row % 3])), ("constant", .string("same")),
        (
          "note",
          .string(
            row % 9 == 0 ? String(repeating: "n\(row)", count: 100) : "note \(row &* 2_654_435_761 % 9973)")
        ),
        ("mixed", row % 4 == 0 ? .literal("null") : .string("m\(row)")),
      ]
      if row % 3 == 0 { members.append(("extra", .number("\(row).50"))) }
      return ModelRecord(members)
    }
  }
}
