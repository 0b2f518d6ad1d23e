import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Round trips of records") struct RoundTripTests {
  @Test(
    "every field of every record of a real list is read back in order",
    .enabled(if: TestData.areListsTested, "\(TestData.skipReason)"), arguments: RealList.tested)
  func list(list: RealList) throws {
    let built = try list.built
    #expect(built.summary.recordsIndexed == list.count && built.summary.badRecordCount == 0)
    let (scan, index) = (built.scan, try built.open(cacheLimitBytes: 1 << 20))
    let fieldNumbers = scan.fieldNumbers(of: index)
    let matches = try index.matches(forPrefix: "")
    #expect(matches.count == list.count)
    let buffer = RecordBuffer()
    // The order is total, so lists of the same records are equal.
    for start in stride(from: 0, to: scan.count, by: 1000) {
      try matches.read(start..<start + 1000, into: buffer)
      let fault = scan.difference(buffer, start..<min(start + 1000, scan.count), fieldNumbers)
      try #require(fault == nil)
    }
    try matches.read(0..<scan.count, into: buffer)
    #expect(scan.difference(buffer, 0..<scan.count, fieldNumbers) == nil)
  }

  // MARK: Difficult records

  typealias Object = [(String, ModelRecord.Value)]

  static let numbers = [
    "0", "-0", "-0.0", "0.0", "0.00", "1", "-1", "1.0", "1.50", "1.5", "-1.50", "1e999", "-1E-999", "1e0",
    "1E+2",
    "0.1e-7", "0.30000000000000004", "12345678901234567890", "-12345678901234567890", "18446744073709551616",
    "9223372036854775807", "-9223372036854775808", "9223372036854775808", "9999999999999999999", "0.1",
    "0.10",
    "100", "1e2", "0.000001", "0.0000000000000000001", "123456.789012", "-8.26667", "42.216671", "33.333332",
    "3.4028235e38", "1.17549435E-38", "0.123456789012345678", "99999999999999999.9", "5e-324", "180",
    "-180.000000",
    "1234567.8901234567", "16777217", "16777216.5", "0.5", ".5", "1.", "01", "+1", "0x10", "NaN", "Infinity",
    "- 1",
  ]

  private static func isJSONNumber(_ text: String) -> Bool {
    ![".5", "1.", "01", "+1", "0x10", "NaN", "Infinity", "- 1"].contains(text)
  }

  /// Builds an index of `objects` and compares all records that it returns.
  @discardableResult
  private func check(
    _ objects: [Object], key: String, isEscaped: Bool = false, limit: Int = 64 << 10, _ note: String
  ) throws -> SmallIndex {
    let json =
      "[\n" + objects.map { ModelRecord.json($0, isEscaped: isEscaped) }.joined(separator: ",\n") + "\n]\n"
    let index = try SmallIndex(json: json, key: key) { $0.shardLimitBytes = limit }
    let expected = objects.map { ModelRecord($0) }
    #expect(index.summary.recordsIndexed == expected.count, "\(note)")
    for once in [1000, 7] {
      let records = try SmallIndex.export(index.open, at: once)
      #expect(records.count == expected.count, "\(note)")
      let (found, wanted) = (records.multiset, expected.multiset)
      let missing = wanted.first { found[$0.key] != $0.value }
      #expect(missing == nil, "\(note)")
      #expect(found.count == wanted.count, "\(note)")
      if objects.count > 5000 { break }
    }
    let problems = try verification(of: index.path)
    #expect(problems.isEmpty, "\(note)")
    return index
  }

  /// The findings of `verify`.
  private func verification(of path: String) throws -> [Verifier.Finding] {
    var findings: [Verifier.Finding] = []
    _ = try Verifier.verify(index: path) { if $0.isDamage { findings.append($0) } }
    return findings
  }

  @Test("numbers of every kind keep their digits")
  func unusualNumbers() throws {
    for (seed, group) in [
      Self.numbers.filter(Self.isJSONNumber), Array(Self.numbers.filter(Self.isJSONNumber).prefix(9)),
    ].enumerated() {
      var random = SplitMix64(seed: UInt64(seed))
      let objects: [Object] = (0..<800).map { row in
        let text = group.randomElement(using: &random)!
        return [
          ("name", .string("n\(row % 50)")), ("n", .number(text)), ("same", .number("1.50")),
          ("few", .number(group[row % 5])), ("asText", .string(Self.numbers.randomElement(using: &random)!)),
          ("rising", .number("\(row * 3 - 900)")), ("fixed", .number("\(row / 10).\(row % 10)0")),
        ]
      }
      try check(objects, key: "{name}", "numbers, \(seed)")
      try check(objects, key: "{name}, {n}", limit: 2000, "numbers in the key, \(seed)")
    }
  }

  @Test("coordinates keep the digits that programs print", arguments: UInt64(1)...4)
  func coordinates(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let objects: [Object] = (0..<1000).map { row in
      func coordinate() -> String {
        switch seed {
        case 1: "\(Float(Double(Int.random(in: -18_000_000...18_000_000, using: &random)) / 1e5))"
        case 2: "\(Double(Int.random(in: -180_000_000...180_000_000, using: &random)) / 1e6)"
        case 3: "\(Double.random(in: -180...180, using: &random))"
        default:
          ["-0.0", "0", "-0.5", "0.016667", "33.333332", "-33.333333", "1e-5", "179.983337"].randomElement(
            using: &random)!
        }
      }
      return [
        ("name", .string("c\(row % 97)")), ("country", .string(["A", "B", "C"][row % 3])),
        ("coord", .object([("lon", .number(coordinate())), ("lat", .number(coordinate()))])),
        ("_id", .number("\(Int.random(in: 0...9_999_999, using: &random))")),
      ]
    }
    try check(objects, key: "{name}, {country}", "coordinates, \(seed)")
  }

  @Test("records of generated shapes, kinds and texts are read back", arguments: UInt64(1)...12)
  func generated(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let texts = [
      "", " ", "a", "A", "ä", "Ä", "ß", "İ", "ı", "\u{0}", "\u{0}\u{0}a", "a\u{0}", "\u{1}", ",", ", ", " , ",
      "a,b", "\"", "\\",
      "\n", "\t", "San José", "SAN JOSÉ", "e\u{301}", "\u{301}", "\u{feff}x", "한국", "ㅎㅏㄴ", "がぎ", "か\u{3099}",
      "👍🏽", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
      "Ærøskøbing", "’t Zandt", "łódź", "\u{7f}", "\u{ffff}", "\u{10ffff}", "\u{fffd}", "null", "true", "0",
      "-1", "1.50", "१२", "{}", "[]",
      String(repeating: "x", count: 254), String(repeating: "y", count: 255),
      String(repeating: "é", count: 128),
      String(repeating: "z", count: 256), String(repeating: "Q", count: 257),
    ]
    let names = [
      "a", "b", "c.d", "e\\f", "", ".", "\\", "ü", "u\u{308}", "long " + String(repeating: "n", count: 300),
      "key", "A", "\u{0}",
    ]
    func value(_ depth: Int) -> ModelRecord.Value {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: .string(texts.randomElement(using: &random)!)
      case 4, 5: .number(Self.numbers.filter(Self.isJSONNumber).randomElement(using: &random)!)
      case 6:
        .literal(["null", "true", "false", "[]", "[1,2.50,\"x\"]", "[[],{}]"].randomElement(using: &random)!)
      default: depth < 3 ? .object(object(depth + 1)) : .object([])
      }
    }
    func object(_ depth: Int) -> Object {
      var members: Object = []
      // An object with two members of one name is no record.
      for name in names.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)) {
        members.append((name, value(depth)))
      }
      return members
    }
    // A field of the key is no array and no empty object.
    func isKeyField(_ value: ModelRecord.Value) -> Bool {
      switch value {
      case .literal(let text): !text.hasPrefix("[")
      case .object(let members): !members.isEmpty
      case .string, .number: true
      }
    }
    let objects: [Object] = (0..<1500).map { _ in
      var members = object(0).filter { $0.0 != "key" && (!["a", "b"].contains($0.0) || isKeyField($0.1)) }
      let key: ModelRecord.Value =
        Bool.random(using: &random)
        ? .string(texts.randomElement(using: &random)!)
        : .number(Self.numbers.filter(Self.isJSONNumber).randomElement(using: &random)!)
      members.insert(("key", key), at: Int.random(in: 0...members.count, using: &random))
      return members
    }
    let template = ["{key}", "{key}, {a}", "x{key}y", "{a}{b}, {key}"][Int(seed % 4)]
    try check(
      objects, key: template, isEscaped: seed % 2 == 0, limit: [64 << 10, 3000][Int(seed / 4 % 2)],
      "seed \(seed)")
  }

  @Test("texts may have any length around 255 bytes, and 70,000 bytes")
  func longTexts() throws {
    var objects: [Object] = []
    for (number, size) in [0, 1, 253, 254, 255, 256, 257, 511, 512, 65_534, 65_535, 65_536, 65_537, 70_000]
      .enumerated()
    {
      for letter in ["x", "Y", "é"] {
        objects.append([
          ("key", .string("k\(number % 3)")),
          ("text", .string(String(repeating: letter, count: size / letter.utf8.count))),
          ("mixed", number % 2 == 0 ? .string(String(repeating: letter, count: size / 2)) : .literal("null")),
        ])
      }
    }
    try check(objects, key: "{key}", "long texts")
    try check(objects, key: "{key}", limit: 1 << 20, "long texts in large shards")
  }

  @Test("keys may have 255, 256 and up to 65,536 bytes")
  func longKeys() throws {
    var objects: [Object] = []
    for size in [1, 127, 254, 255, 256, 257, 300, 5000, 65_000, 65_536 - 3] {
      for letter in ["a", "A", "b"] {
        let text = String(repeating: letter, count: size)
        objects.append([("name", .string(text)), ("tail", .string("t\(size % 2)"))])
      }
      objects.append([
        ("name", .string(String(repeating: "a", count: size - 1) + "c")), ("tail", .string("t0")),
      ])
    }
    let index = try check(objects, key: "{name}, {tail}", "long keys")
    let scan = LinearScan(
      objects.map { ModelRecord($0) }, key: [.field("name"), .text(", "), .field("tail")])
    for size in [1, 100, 254, 255, 256, 257, 258, 299, 300, 301, 4999, 5000, 65_000, 65_533, 65_534] {
      for prefix in [
        String(repeating: "a", count: size), String(repeating: "a", count: size) + ",",
        String(repeating: "a", count: size) + ",t",
        String(repeating: "a", count: size) + "c", String(repeating: "b", count: size) + ",t1",
      ] {
        let expected = scan.answer(to: Fold.fold(prefix)).count
        #expect(try index.open.matches(forPrefix: prefix).count == expected, "\(size)")
      }
    }
  }

  @Test("suffix fields may have 254, 255 and 256 bytes, and few, 256 and 300 distinct texts")
  func suffixFields() throws {
    for count in [1, 2, 255, 256, 257, 300] {
      let objects: [Object] = (0..<1200).map { row in
        [
          ("name", .string("name \(row / 7)")), ("tail", .string("Tail \(row % count)")),
          ("n", .number("\(row % count * 10)")),
        ]
      }
      try check(objects, key: "{name}, {tail}", limit: 1 << 20, "\(count) suffix fields")
    }
    let objects: [Object] = (0..<300).map { row in
      [("name", .string("N\(row)")), ("tail", .string(String(repeating: "T", count: 250 + row % 8)))]
    }
    try check(objects, key: "{name}, {tail}", "long suffix fields")
  }

  @Test("some records may lack the key's last field")
  func sometimesSuffixFields() throws {
    let objects: [Object] = (0..<200).map { row in
      var object: Object = [("name", .string("name \(row)"))]
      if row % 3 > 0 { object.append(("country", .string(row % 3 == 1 ? "" : "DE"))) }
      return object
    }
    try check(objects, key: "{name}, {country}", "sometimes suffix fields")
    let pairs: [Object] = [
      [("name", .string("a")), ("country", .string("x"))],
      [("name", .string("b")), ("country", .string(""))],
    ]
    try check(pairs, key: "{name}, {country}", "a suffix field and none")
  }

  @Test("an index may have thousands of shapes")
  func shapes() throws {
    let names = (0..<13).map { "f\($0)" }
    let objects: [Object] = (0..<8192).map { row in
      [("key", .string("k\(row)"))]
        + names.enumerated().filter { row >> $0.offset & 1 == 1 }.map { ($0.element, .number("\(row % 10)")) }
    }
    try check(objects, key: "{key}", "shapes")
    try check(objects, key: "{key}", limit: 4 << 20, "shapes in one shard")
  }

  @Test("records may have a hundred columns of texts and of numbers")
  func columns() throws {
    let objects: [Object] = (0..<300).map { row in
      [("key", .string("k\(row)"))]
        + (0..<100).map {
          ("c\($0)", row * $0 % 7 == 0 ? .string("t\(row)") : .number("\(row * $0).\($0 % 4)"))
        }
    }
    try check(objects, key: "{key}", "columns")
    let numbers: [Object] = (0..<300).map { row in
      [("key", .string("k\(row)"))]
        + (0..<100).map { ("c\($0)", .number("\((row &* 2_654_435_761 &+ $0 &* 40_503) & 0xfff_ffff_ffff)")) }
    }
    try check(numbers, key: "{key}", "columns of numbers")
    try check(numbers, key: "{key}", limit: 4 << 20, "columns of numbers in one shard")
  }

  @Test("ten thousand records may have one key, or be identical")
  func equalKeys() throws {
    let objects: [Object] = (0..<10_000).map {
      [("key", .string("Same")), ("n", .number("\($0)")), ("t", .string("text \($0 % 100)"))]
    }
    let index = try check(objects, key: "{key}", limit: 16 << 10, "equal keys")
    #expect(index.open.shardCount > 1)
    for (prefix, count) in [
      ("s", 10_000), ("same", 10_000), ("same ", 10_000), ("same s", 0), ("sam ", 0), ("samf", 0), ("sam", 10_000),
      ("", 10_000), ("t", 0),
      ("r", 0),
    ] {
      #expect(try index.open.matches(forPrefix: prefix).count == count, "\(prefix)")
    }
    let identical: [Object] = (0..<10_000).map { _ in [("key", .string("Same, DE")), ("n", .number("1.50"))] }
    let same = try check(identical, key: "{key}", limit: 1000, "identical records")
    for (prefix, count) in [
      ("same", 10_000), ("same,", 10_000), ("same,de", 10_000), ("same,df", 0), ("same,dd", 0),
    ] {
      #expect(try same.open.matches(forPrefix: prefix).count == count, "\(prefix)")
    }
    // The same records among others.
    let mixed: [Object] = (0..<9000).map { row in
      [
        ("key", .string(row % 3 == 0 ? "mm" : "\(["a", "m", "mm", "mmm", "z"][row % 5])\(row % 11)")),
        ("n", .number("\(row % 17)")),
      ]
    }
    let among = try check(mixed, key: "{key}", limit: 2000, "equal keys among others")
    let scan = LinearScan(mixed.map { ModelRecord($0) }, key: [.field("key")])
    for prefix in ["m", "mm", "mm0", "mmm", "mmm1", "mmm10", "mmn", "l", "n", "a", "a1", "a10", "z", "z9"] {
      #expect(
        try among.open.matches(forPrefix: prefix).count == scan.answer(to: Fold.fold(prefix)).count,
        "\(prefix)")
    }
  }

  @Test("keys may be empty, or fold to the empty text")
  func emptyKeys() throws {
    let objects: [Object] = (0..<500).map { row in
      [("key", .string(["", " ", "\u{0}", "\u{200b}", "x", ","][row % 6])), ("n", .number("\(row)"))]
    }
    let index = try check(objects, key: "{key}", limit: 1000, "empty keys")
    #expect(try index.open.matches(forPrefix: "").count == 500)
    #expect(try index.open.matches(forPrefix: "x").count == 83)
    #expect(try index.open.matches(forPrefix: ",").count == 83)
    let all: [Object] = (0..<50).map { [("key", .string("")), ("n", .number("\($0)"))] }
    try check(all, key: "{key}", "nothing but empty keys")
  }

  @Test("all texts may be beyond ASCII")
  func nonASCII() throws {
    var random = SplitMix64(seed: 77)
    let ranges: [ClosedRange<UInt32>] = [
      0xc0...0x24f, 0x370...0x3ff, 0x400...0x4ff, 0x900...0x97f, 0x3040...0x30ff, 0x4e00...0x9fff,
      0xac00...0xd7a3, 0x1f300...0x1f6ff, 0x10000...0x10fff,
    ]
    func text() -> String {
      var scalars = String.UnicodeScalarView()
      let range = ranges.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { scalars.append(scalar) }
      }
      return String(scalars)
    }
    let objects: [Object] = (0..<3000).map { _ in
      [("名前", .string(text())), ("страна", .string(text())), ("δ.ε", .object([("ü", .string(text()))]))]
    }
    let index = try check(objects, key: "{名前}, {страна}", limit: 16 << 10, "beyond ASCII")
    for object in objects.prefix(200) {
      guard case .string(let name) = object[0].1 else { continue }
      let matches = try index.open.matches(forPrefix: name)
      let isFound = try matches.records(in: 0..<matches.count).contains {
        $0["名前"].map { $0.utf8.elementsEqual(name.utf8) } ?? false
      }
      #expect(isFound, "\(name)")
    }
  }

  @Test(
    "an index may have more field names than a table of columns, up to a limit", arguments: [4096, 4097, 6000, 66_000])
  func fieldNames(count: Int) throws {
    // One record with all names, and as many records with one name each: an index, or an error with the reason.
    let wide: [Object] = [[("key", .string("k"))] + (0..<count - 1).map { ("f\($0)", .number("\($0)")) }]
    let many: [Object] = (0..<count - 1).map { [("key", .string("k")), ("f\($0)", .number("1"))] }
    for objects in [wide, many] {
      do {
        try check(objects, key: "{key}", "\(count) names")
      } catch let error as BuildError {
        #expect(count > 4096, "\(error)")
      }
    }
  }

  @Test("an index may store one field, no field beside the key, or kept fields")
  func fewFields() throws {
    try check((0..<100).map { [("key", .string("k\($0)"))] }, key: "{key}", "one field")
    let json = #"[{"key":"a","b":{"c":1,"d":2},"bc":3},{"key":"b","b":4}]"#
    let index = try SmallIndex(json: json, key: "{key}") { $0.keep = ["b"] }
    #expect(
      try SmallIndex.export(index.open) == [
        ModelRecord([ModelRecord.Field("b.c", .number, "1"), ModelRecord.Field("b.d", .number, "2")]),
        ModelRecord([ModelRecord.Field("b", .number, "4")]),
      ])
    #expect(try index.open.matches(forPrefix: "b").count == 1)
    // The index stores no field: the counts are still right.
    let bare = try SmallIndex(json: json, key: "{key}") { $0.keep = [] }
    #expect(try bare.open.matches(forPrefix: "a").count == 1)
    #expect(
      try SmallIndex.export(bare.open) == [
        ModelRecord([ModelRecord.Field]()), ModelRecord([ModelRecord.Field]()),
      ])
  }

  @Test("keys with a field that is not stored are shown folded, and find their records")
  func foldedKeys() throws {
    // Several parts and shards, with suffix fields and without.
    let names = (0..<3000).map { ["Łódź", "São Paulo", "O’Neil", "a, b"][$0 % 4] + " \($0 * 7919 % 3000)" }
    let json = names.enumerated().map { #"{"name":"\#($1)","country":"C\#($0 % 3)","id":\#($0)}"# }
      .joined(separator: "\n")
    for keep in [["id"], ["name", "id"], []] {
      let index = try SmallIndex(json: json, key: "{name}, {country}", suffix: ".jsonl") {
        ($0.keep, $0.shardLimitBytes) = (keep, 16 << 10)
      }.open
      #expect(!index.storesKeys && index.keyTemplate == "{name}, {country}")
      let folded = names.enumerated().map { Fold.fold("\($1), C\($0 % 3)") }.sorted {
        $0.lexicographicallyPrecedes($1)
      }
      let records = try index.matches(forPrefix: "").records(in: 0..<3000)
      #expect(records.map { Fold.fold($0.key) } == folded)
      let some = try index.matches(forPrefix: "sao").records(in: 100..<103)
      #expect(some.map(\.key) == records[2250 + 100..<2250 + 103].map(\.key))
      #expect(some.allSatisfy { $0.key.hasPrefix("sao paulo ") && $0.key.contains(", c") }, "\(some.map(\.key))")
      #expect(try index.matches(forPrefix: some[1].key).firstPosition == 2250 + 101)
      #expect(try index.matches(forPrefix: "sao").records(in: 9000..<9001).isEmpty)
    }
    let whole = try SmallIndex(json: json, key: "{name}, {country}", suffix: ".jsonl") {
      $0.keep = ["name", "country"]
    }
    #expect(whole.open.storesKeys)
    #expect(
      try whole.open.matches(forPrefix: "łódź").records(in: 0..<750).allSatisfy {
        $0.key.hasPrefix("Łódź ") && $0.key.contains(", C")
      })
  }
}
