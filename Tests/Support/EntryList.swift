import ShardBuilder
import ShardedIndex

/// Lists of records with words and other names, and the entries of their indexes.
package enum EntryList {
  private static let syllables = [
    "san ", "st. ", "l'", "new-", "ville", "york", "a", "(o)", "b ", "c", "\u{AC15}\u{B0A8}",
  ]
  /// Made anew each time: the leak check does not see values behind the marked pointers of a stored array.
  private static var others: [ModelRecord.Value] {
    [
      .string(""), .string("nyc,big apple, ,Nyc"), .literal(#"["x","y z","x",[1],null]"#), .literal("null"),
      .number("7"), .string("san,york"), .literal("[]"),
    ]
  }

  package static func members(_ random: inout SplitMix64) -> ChangingList.Members {
    let name = (0..<Int.random(in: 1...4, using: &random)).map { _ in syllables.randomElement(using: &random)! }
    var members: ChangingList.Members = [
      ("name", .string(name.joined())), ("country", .string(["US", "FR", "A-B", ""].randomElement(using: &random)!)),
      ("pop", .number("\(Int.random(in: 0..<300_000, using: &random))")),
    ]
    if Bool.random(using: &random) { members.append(("alt", others.randomElement(using: &random)!)) }
    members.append(("lat", .number("\(Int.random(in: -90...90, using: &random))")))
    members.append(("lon", .number("\(Int.random(in: -180...180, using: &random))")))
    return members
  }

  package static func options(_ change: (inout BuildOptions) -> Void = { _ in }) -> BuildOptions {
    var options = BuildOptions()
    (options.level, options.shardLimitBytes, options.partSizeBytes) = (3, 2048, 512)
    (options.key, options.weight, options.words, options.alias) = ("{name}, {country}", "pop", .body, ["alt"])
    change(&options)
    return options
  }

  /// Returns the keys and fields of all entries of an index, as text.
  package static func entries(of index: ShardedIndex) throws -> [String] {
    guard let entries = try ShardedIndex(entriesOf: index) else { return [] }
    let all = try entries.matches(forPrefix: "")
    let buffer = RecordBuffer()
    return try (0..<all.count).map { number in
      var text = ""
      try all.read(number..<number + 1, into: buffer)
      try all.forEachFoldedKey(in: number..<number + 1) { text = String(decoding: $0.bytes, as: UTF8.self) }
      for field in buffer.rawFields(ofRecord: 0) {
        let field = buffer.rawField(field)
        text += "\n" + entries.fieldNames[field.name] + "=" + String(decoding: field.text, as: UTF8.self)
      }
      return text
    }
  }

  /// Returns the names of the shards of an index and of its entries.
  package static func shardNames(of index: ShardedIndex) throws -> Set<String> {
    let own = try index.generation.manifest.shards().map(\.fileName)
    return try Set(own + (ShardedIndex(entriesOf: index)?.generation.manifest.shards().map(\.fileName) ?? []))
  }
}
