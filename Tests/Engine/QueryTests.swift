import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Queries") struct QueryTests {
  static let cities = #"""
    [{"name":"Alabama","country":"US","id":1},{"name":"Alabama Town","country":"US","id":2},
    {"name":"Alabama","country":"BR","id":3},{"name":"San José","country":"CR","id":4},
    {"name":"San Jose","country":"US","id":5},{"name":"Santos","country":"BR","id":6},
    {"name":"Sankt Pölten","country":"AT","id":7},{"name":"Łódź","country":"PL","id":8},
    {"name":"’t Zandt","country":"NL","id":9},{"name":"Washington, D.C.","country":"US","id":10}]
    """#

  private static func keys(_ index: ShardedIndex, _ prefix: String) throws -> [String] {
    let matches = try index.matches(forPrefix: prefix)
    return try matches.records(in: 0..<matches.count).map(\.key)
  }

  /// Generated cities in an index of a few hundred small shards, with the scan for comparing.
  private static func generated(
    count: Int = 20_000, cacheLimitBytes: Int = 8 << 20, shardLimitBytes: Int = 8 << 10
  ) throws -> (index: SmallIndex, scan: LinearScan) {
    let text = GeneratedList.text(count: count, seed: 1, format: .json)
    let index = try SmallIndex(json: text, key: nil, cacheLimitBytes: cacheLimitBytes) {
      $0.shardLimitBytes = shardLimitBytes
      $0.level = 3
    }
    let scan = try LinearScan(path: index.directory + "/dataset.json", key: RealList.cities.keyParts)
    return (index, scan)
  }

  @Test("a part may have blocks that begin beyond 16 bits")
  func largePart() throws {
    let text = GeneratedList.text(count: 40_000, seed: 3, format: .json)
    let small = try SmallIndex(json: text, key: nil) {
      ($0.shardLimitBytes, $0.partSizeBytes, $0.level) = (8 << 20, 4 << 20, 3)
    }
    let scan = try LinearScan(path: small.directory + "/dataset.json", key: RealList.cities.keyParts)
    let (index, buffer) = (small.open, RecordBuffer())
    #expect(index.shardCount == 1)
    let fieldNumbers = scan.fieldNumbers(of: index)
    for record in stride(from: 0, to: scan.count, by: 97) {
      try scan.forEachPrefix(firstIn: record..<record + 1) { prefix, range in
        guard !prefix.contains(1) else { return }  // The separator is typed as another byte.
        let matches = try index.matches(forPrefix: String(decoding: prefix, as: UTF8.self))
        #expect(ScanAnswer(matches) == range && matches.count == range.count)
        try matches.read(0..<20, into: buffer)
        #expect(scan.difference(buffer, range.prefix(20), fieldNumbers) == nil)
      }
    }
    try index.matches(forPrefix: "").read(0..<scan.count, into: buffer)
    #expect(scan.difference(buffer, 0..<scan.count, fieldNumbers) == nil)
  }

  @Test("the example of the interface's draft runs")
  func example() throws {
    let index = try SmallIndex(json: Self.cities, key: nil)
    #expect(try callSite(index.path) == ["San José, CR", "San Jose, US", "true true"])
  }

  @Test("queries fold case, accents and commas, and a trailing space finishes the word")
  func typed() throws {
    let index = try SmallIndex(json: Self.cities, key: nil).open
    #expect(index.recordCount == 10 && index.keyTemplate == "{name}, {country}")
    #expect(index.fieldNames.sorted() == ["country", "id", "name"])
    for typed in ["alabama, u", "Alabama,US", "ALABAMA , us", "alabama ,u", "  Alabama,\t us", "álábama，us"] {
      #expect(try Self.keys(index, typed) == ["Alabama, US"], "\(typed)")
    }
    #expect(try Self.keys(index, "alab") == ["Alabama, BR", "Alabama, US", "Alabama Town, US"])
    #expect(try Self.keys(index, "alabama,") == ["Alabama, BR", "Alabama, US"])
    // A space finishes the word, like the end of the key and the comma.
    #expect(try Self.keys(index, "alabama ") == ["Alabama, BR", "Alabama, US", "Alabama Town, US"])
    #expect(try Self.keys(index, "alab ") == [])
    // The last space may stand for the comma.
    #expect(try Self.keys(index, "alabama us") == ["Alabama, US"])
    #expect(try Self.keys(index, "alabama t") == ["Alabama Town, US"])
    #expect(try Self.keys(index, "alabama\tu\n") == [])
    #expect(try Self.keys(index, "alabama\tus\n") == ["Alabama, US"])
    #expect(try Self.keys(index, "alabama town us ") == ["Alabama Town, US"])
    #expect(try Self.keys(index, "san jose cr") == ["San José, CR"])
    #expect(try Self.keys(index, "washington, d.c. us") == ["Washington, D.C., US"])
    #expect(try Self.keys(index, "washington d.c. us") == [])
    #expect(try Self.keys(index, "san ") == ["San José, CR", "San Jose, US"])
    #expect(try Self.keys(index, "san  ") == ["San José, CR", "San Jose, US"])
    #expect(try Self.keys(index, "san").count == 4)
    #expect(try Self.keys(index, "SANTOS") == ["Santos, BR"])
    #expect(try Self.keys(index, "lodz") == ["Łódź, PL"])
    #expect(try Self.keys(index, "'t z") == ["’t Zandt, NL"])
    #expect(try Self.keys(index, "washington,d") == ["Washington, D.C., US"])
    #expect(try Self.keys(index, "washington, d.c. , us") == ["Washington, D.C., US"])
    #expect(try Self.keys(index, "nowhere") == [])
    #expect(try Self.keys(index, "santos, brazil") == [])
    #expect(try index.count(ofPrefix: "s") == 4)
    // White space and invisible characters fold to the empty text, which is a prefix of every key.
    for nothing in ["", " ", "\u{0}", "\u{200b}\t", "\u{1}"] {
      #expect(try index.matches(forPrefix: nothing).count == 10)
    }
    #expect(try index.matches(forPrefix: ",").isEmpty)
  }

  @Test("fields have their name, kind and text")
  func fields() throws {
    let json = #"[{"name":"A","n":1.50,"x":{"y":null,"z":[1, 2]},"é.f":"\u0000"}]"#
    let index = try SmallIndex(json: json, key: "{name}").open
    let record = try #require(try index.matches(forPrefix: "a").records(in: 0..<1).first)
    #expect(record.fields.map(\.name) == ["name", "n", "x.y", "x.z", "é\\.f"])
    #expect(record.fields.map(\.kind) == [.string, .number, .literal, .literal, .string])
    #expect(record.fields.map(\.text) == ["A", "1.50", "null", "[1,2]", "\0"])
    #expect(record["n"] == "1.50" && record["x.y"] == "null" && record["x"] == nil && record["none"] == nil)
    #expect(record.key == "A")
  }

  @Test("records are read at positions before, behind and across the ends")
  func positions() throws {
    let (small, scan) = try Self.generated(count: 3000, shardLimitBytes: 2000)
    let index = small.open
    let fieldNumbers = scan.fieldNumbers(of: index)
    let buffer = RecordBuffer()
    var random = SplitMix64(seed: 5)
    for prefix in ["", "s", "sa", "m", "zz", "x", "san ", "san m", "las p", "los s"] {
      let matches = try index.matches(forPrefix: prefix)
      let all = scan.answer(to: Fold.fold(prefix))
      #expect(matches.count == all.count && matches.isEmpty == all.isEmpty)
      for _ in 0..<300 {
        let bounds = [
          -5, -1, 0, 1, 5, 20, all.count - 1, all.count, all.count + 1, all.count + 50, .max, .min,
        ]
        var (a, b) = (bounds.randomElement(using: &random)!, bounds.randomElement(using: &random)!)
        if Bool.random(using: &random) {
          a = Int.random(in: -3...all.count + 3, using: &random)
          b = a + Int.random(in: 0...40, using: &random)
        }
        if a > b { (a, b) = (b, a) }
        let expected = all[a..<b]
        try matches.read(a..<b, into: buffer)
        #expect(scan.difference(buffer, expected, fieldNumbers) == nil, "\(prefix) \(a)..<\(b)")
        #expect(try matches.records(in: a..<b).count == expected.count)
      }
    }
  }

  @Test("a limit leaves out the matches behind it, and the answer says so")
  func limits() throws {
    let (small, scan) = try Self.generated(shardLimitBytes: 2000)
    let index = small.open
    let fieldNumbers = scan.fieldNumbers(of: index)
    let buffer = RecordBuffer()
    var random = SplitMix64(seed: 11)
    var prefixes = ["", "s", "sa", "san ", "zz", "x", ",", "m", "las p", "los s", "san m", "san a "]
    let everything = try index.matches(forPrefix: "")
    for _ in 0..<300 {
      let place = Int.random(in: 0..<scan.count, using: &random)
      let key = try #require(try everything.records(in: place..<place + 1).first).key
      prefixes.append(String(key.prefix(Int.random(in: 1...6, using: &random))))
    }
    var cut = 0
    for prefix in prefixes {
      let all = scan.answer(to: Fold.fold(prefix))
      // The limits include sizes at which a part may end.
      for limit in [0, 1, 2, 15, 16, 20, 33, 500, all.count - 1, all.count, all.count + 1, .max, -1, .min] {
        let matches = try index.matches(forPrefix: prefix, limit: limit)
        let expected = all.prefix(limit)
        #expect(matches.count == expected.count && matches.isEmpty == expected.isEmpty, "\(prefix) \(limit)")
        #expect(matches.hasMore == (all.count > expected.count), "\(prefix) \(limit)")
        #expect(ScanAnswer(matches) == expected)
        try matches.read(0..<min(40, all.count), into: buffer)
        #expect(scan.difference(buffer, expected.prefix(40), fieldNumbers) == nil, "\(prefix) \(limit)")
        cut += matches.hasMore && !matches.isEmpty ? 1 : 0
      }
    }
    #expect(cut > 500)
    // Twenty of the keys that begin with s need the part in which they begin, and at most the next one.
    let fresh = try ShardedIndex(opening: small.path)
    let first = try fresh.matches(forPrefix: "s", limit: 20)
    #expect(first.hasMore && fresh.statistics.loads == 1)
    #expect(try first.records(in: 0..<100).count == 20)
    let read = fresh.statistics.loads
    #expect(read <= 2)
    _ = try fresh.matches(forPrefix: "s")
    #expect(fresh.statistics.loads == read + 1, "a count takes the part in which the matches end")
  }

  @Test("counting and matching load only the ends of an answer; reading loads the parts that it reads")
  func laziness() throws {
    let (small, scan) = try Self.generated()
    let count = try ShardedIndex(opening: small.path)
    let opened = count.statistics
    #expect(opened.hits == 0 && opened.misses == 0 && opened.loads == 0 && opened.evictions == 0)
    #expect(opened.residentShards == 0 && opened.residentBytes == 0 && opened.loadedBytes == 0)
    let all = try count.matches(forPrefix: "")
    #expect(all.count == scan.count)
    #expect(count.statistics.misses == 0 && count.statistics.loads == 0, "all are counted without a load")
    let s = try count.matches(forPrefix: "s")
    #expect(s.count > 500)
    #expect(count.statistics.misses <= 2 && count.statistics.loads <= 2)
    let before = count.statistics
    _ = try all.records(in: scan.count / 2..<scan.count / 2 + 1)
    #expect(count.statistics.misses <= before.misses + 1 && count.statistics.loads <= before.loads + 1)
    // Every answer, even an empty one, touches at most two shards.
    let index = try ShardedIndex(opening: small.path, options: .init(cacheLimitBytes: 0))
    var random = SplitMix64(seed: 3)
    var emptyLoads = 0
    for _ in 0..<500 {
      let text = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        String("abcdefghijklmnopqrstuvwxyz ,".randomElement(using: &random)!)
      }.joined()
      let before = index.statistics
      let matches = try index.matches(forPrefix: text)
      #expect(index.statistics.misses - before.misses <= 2 && index.statistics.loads - before.loads <= 2)
      if matches.isEmpty { emptyLoads += index.statistics.misses - before.misses }
    }
    print("generated: \(emptyLoads) shards loaded by the empty answers among 500 random prefixes")
  }

  @Test("an index may have no records, or one")
  func emptyAndOne() throws {
    for (json, suffix) in [("[]", ".json"), ("", ".jsonl")] {
      let index = try SmallIndex(json: json, key: "{name}", suffix: suffix)
      #expect(index.summary.recordsIndexed == 0 && index.open.recordCount == 0 && index.open.shardCount == 0)
      for prefix in ["", "a", " ", ",", "long prefix of nothing"] {
        let matches = try index.open.matches(forPrefix: prefix)
        #expect(matches.isEmpty && matches.count == 0)
        #expect(try matches.records(in: 0..<20).isEmpty)
        #expect(try matches.records(in: 0..<0).isEmpty)
      }
      var session = index.open.session()
      try session.append("abc")
      session.removeLast()
      #expect(session.text == "ab" && session.matches.isEmpty)
      index.open.removeResidentShards()
      _ = try Verifier.verify(index: index.path) { #expect(!$0.isDamage, "\($0)") }
    }
    let one = try SmallIndex(json: #"[{"name":"Only One"}]"#, key: "{name}").open
    for (prefix, count) in [
      ("", 1), ("o", 1), ("only one", 1), ("only one ", 1), ("only  ", 1), ("only on ", 0), ("only one more", 0),
      ("a", 0), ("z", 0),
      ("on", 1), ("oo", 0),
    ] {
      #expect(try one.matches(forPrefix: prefix).count == count, "\(prefix)")
      #expect(
        try one.matches(forPrefix: prefix).records(in: 0..<20).map(\.key) == (count == 1 ? ["Only One"] : []))
    }
  }

  @Test("queries may have bytes that are no UTF-8")
  func invalidUTF8() throws {
    let json = #"[{"name":"a\ufffd"},{"name":"é"},{"name":"ab"}]"#
    let index = try SmallIndex(json: json, key: "{name}").open
    var random = SplitMix64(seed: 11)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        [
          0x61, 0x62, 0x2c, 0x20, 0x80, 0xc3, 0xa9, 0xc0, 0xe2, 0xed, 0xf0, 0xf4, 0xff, 0x00,
          UInt8.random(in: 0...255, using: &random),
        ]
        .randomElement(using: &random)!
      }
      let count = try bytes.withUnsafeBufferPointer { try index.matches(forPrefix: $0).count }
      // A string of the same bytes is the same query.
      #expect(try index.matches(forPrefix: String(decoding: bytes, as: UTF8.self)).count == count, "\(bytes)")
    }
    for bytes: [UInt8] in [[0xff], [0x61, 0x62, 0xff], [0xc3], [0xed, 0xa0, 0x80]] {
      #expect(try bytes.withUnsafeBufferPointer { try index.matches(forPrefix: $0).count } == 0, "\(bytes)")
    }
  }

  @Test("queries may have a megabyte")
  func longQueries() throws {
    let index = try SmallIndex(json: Self.cities, key: nil).open
    let size = 1 << 20
    for (text, count) in [
      (String(repeating: "a", count: size), 0), (String(repeating: " ", count: size), 10),
      (String(repeating: ",", count: size), 0),
      (String(repeating: "한", count: size / 3), 0), (String(repeating: "\u{301}", count: size / 2), 10),
      ("s" + String(repeating: "\u{200b}", count: size / 3) + "an " + String(repeating: " ", count: size), 2),
      (String(repeating: "\u{3099}", count: size / 3), 0), (String(repeating: "ﷺ", count: size / 3), 0),
    ] {
      #expect(try index.matches(forPrefix: text).count == count, "\(text.prefix(3))…")
    }
    for size in 120...136 {  // Sizes around the limit of folding on the stack.
      #expect(try index.matches(forPrefix: String(repeating: "a", count: size)).isEmpty)
      #expect(try index.matches(forPrefix: String(repeating: " ", count: size) + "san").count == 4)
    }
  }

  // MARK: Statistics and cache

  @Test("statistics count hits, misses, loads and resident bytes")
  func statistics() throws {
    let index = try Self.generated().index.open
    let first = try index.matches(forPrefix: "sa")
    let once = index.statistics
    #expect((1...2).contains(once.misses) && once.loads >= 1 && once.evictions == 0)
    #expect(
      once.residentShards == once.misses && once.residentBytes > 0 && once.loadedBytes >= once.residentBytes)
    #expect(try index.matches(forPrefix: "sa").count == first.count)
    let twice = index.statistics
    #expect(twice.misses == once.misses && twice.loads == once.loads && twice.hits > once.hits)
    #expect(twice.residentBytes == once.residentBytes && twice.loadedBytes == once.loadedBytes)
    _ = try first.records(in: 0..<20)
    let read = index.statistics
    #expect(read.residentBytes > twice.residentBytes, "fields are decoded when a query needs them")
    index.removeResidentShards()
    #expect(index.statistics.residentShards == 0 && index.statistics.residentBytes == 0)
    #expect(index.statistics.loads == read.loads)
    #expect(index.statistics.evictions == read.evictions, "nothing was evicted to make room")
    // An answer keeps its parts, and a new query loads them again.
    #expect(try first.records(in: 0..<20).count == min(20, first.count))
    #expect(try index.matches(forPrefix: "sa").count == first.count)
    #expect(index.statistics.misses > read.misses && index.statistics.residentBytes > 0)
  }

  @Test(
    "resident bytes never exceed the limit", arguments: [0, 1, 500, 5000, 20_000, 100_000, 1 << 20, 1 << 30])
  func limit(bytes: Int) throws {
    let (small, scan) = try Self.generated()
    let index = try ShardedIndex(opening: small.path, options: .init(cacheLimitBytes: bytes))
    let fieldNumbers = scan.fieldNumbers(of: index)
    let buffer = RecordBuffer()
    var random = SplitMix64(seed: UInt64(bytes))
    for step in 0..<2000 {
      let record = Int.random(in: 0..<scan.count, using: &random)
      let size = Int.random(in: 1...scan.key(record).count, using: &random)
      let range = scan.answer(toPrefix: size, of: record)
      let matches = try Array(scan.key(record)[..<size]).withUnsafeBufferPointer {
        try index.matches(forFoldedPrefix: FoldedPrefix($0))
      }
      #expect(index.statistics.residentBytes <= bytes)
      try matches.read(0..<20, into: buffer)
      let fault = scan.difference(buffer, range.prefix(20), fieldNumbers)
      #expect(fault == nil)
      #expect(index.statistics.residentBytes <= bytes)
      if step % 500 == 499 {
        #expect(bytes < 1 << 30 || step > 500 || index.statistics.evictions == 0)
        index.removeResidentShards()
      }
    }
  }

  @Test(
    "a scan, in one piece or in pages, does not evict parts in constant use",
    arguments: [Int.max, 1000, 20])
  func scanResistance(page: Int) throws {
    let small = try Self.generated().index
    let all = try ShardedIndex(opening: small.path, options: .init(cacheLimitBytes: 1 << 30))
    _ = try all.matches(forPrefix: "").records(in: 0..<Int.max)
    let total = all.statistics.residentBytes
    let index = try ShardedIndex(opening: small.path, options: .init(cacheLimitBytes: total / 4))
    let hot = ["be", "lo", "sa", "ma"]
    func ask() throws { for prefix in hot { _ = try index.matches(forPrefix: prefix).records(in: 0..<20) } }
    for _ in 0..<5 { try ask() }
    let warm = index.statistics
    try ask()
    #expect(index.statistics.misses == warm.misses, "the hot prefixes fit")
    let matches = try index.matches(forPrefix: "")
    var start = 0
    while start < matches.count {
      let end = page < matches.count - start ? start + page : matches.count
      _ = try matches.records(in: start..<end)
      start = end
    }
    let scanned = index.statistics
    #expect(scanned.evictions > 0)
    try ask()
    #expect(
      index.statistics.misses == scanned.misses,
      "\(index.statistics.misses - scanned.misses) hot shards were driven out")
  }

  // MARK: Sessions

  @Test("a session appends and deletes characters")
  func session() throws {
    let index = try SmallIndex(json: Self.cities, key: nil).open
    var session = index.session()
    #expect(session.text.isEmpty && session.matches.count == 10)
    session.removeLast()
    #expect(session.text.isEmpty && session.matches.count == 10)
    try session.append("sa")
    try session.append("n")
    #expect(session.text == "san" && session.matches.count == 4)
    try session.append(" ")
    #expect(session.matches.count == 2)
    try session.append("jose")
    try session.append("\u{301}")  // Joins the e before it: one character for deletion.
    #expect(session.text == "san josé" && session.matches.count == 2)
    session.removeLast()
    #expect(session.text == "san jos" && session.matches.count == 2)
    try session.append("xyz")
    #expect(session.matches.isEmpty)
    for _ in 0..<3 { session.removeLast() }
    #expect(session.text == "san jos" && session.matches.count == 2)
    try session.replace(with: "sankt")
    #expect(session.text == "sankt" && session.matches.count == 1)
    try session.replace(with: "")
    #expect(session.text == "" && session.matches.count == 10)
    // A text without matches may get some by typing on: a comma removes the space before it.
    try session.append("alabama , ")
    #expect(session.matches.count == 2)
    try session.append("us")
    #expect(session.matches.count == 1)
    try session.append("")
    #expect(session.text == "alabama , us" && session.matches.count == 1)
  }

  @Test("random typing gives the answers of new queries, and deleting loads nothing", arguments: UInt64(1)...4)
  func randomTyping(seed: UInt64) throws {
    let (small, scan) = try Self.generated(count: 5000, shardLimitBytes: 3000)
    let index = try ShardedIndex(
      opening: small.path, options: .init(cacheLimitBytes: seed == 1 ? 0 : 30_000))
    let fresh = try ShardedIndex(opening: small.path)
    let names = try fresh.matches(forPrefix: "").records(in: 0..<scan.count).map(\.key)
    var random = SplitMix64(seed: seed)
    var session = index.session()
    var text = ""
    let pieces = [
      "a", "e", " ", ",", "\u{301}", "한", "ㅏ", "\u{1f3fd}", "S", "an", "-", "'", "\u{200d}", "é", "\n",
      "u\u{308}", "か", "\u{3099}", "क", "\u{94d}", "\u{93f}", "ष", "ก", "ร", "\u{e38}", "\u{fe0f}", "❤",
    ]
    for _ in 0..<1500 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3:
        // Most texts follow a name.
        let name = names.randomElement(using: &random)!
        let next =
          name.hasPrefix(text) && name.count > text.count
          ? String(name.dropFirst(text.count).first!) : pieces.randomElement(using: &random)!
        try session.append(next)
        text += next
      case 4:
        let name = String(names.randomElement(using: &random)!.prefix(Int.random(in: 0...9, using: &random)))
        try session.replace(with: name)
        text = name
      case 5:
        let kept =
          String(text.prefix(Int.random(in: 0...max(0, text.count), using: &random))) + pieces.randomElement(
            using: &random)!
        try session.replace(with: kept)
        text = kept
      case 6:
        let piece = pieces.randomElement(using: &random)! + pieces.randomElement(using: &random)!
        try session.append(piece)
        text += piece
      default:
        let before = index.statistics
        session.removeLast()
        text = Backspace.expected(after: text)
        #expect(index.statistics == before, "deleting loads nothing")
      }
      #expect(
        session.text.unicodeScalars.elementsEqual(text.unicodeScalars),
        "seed \(seed): \(session.text.debugDescription), \(text.debugDescription)")
      let expected = try fresh.matches(forPrefix: text)
      #expect(session.matches.count == expected.count, "seed \(seed), \"\(text)\"")
      #expect(ScanAnswer(session.matches) == ScanAnswer(expected), "seed \(seed), \"\(text)\"")
    }
  }

  @Test("an append that fails leaves the text as it was")
  func failingSession() throws {
    let small = try Self.generated(count: 5000, shardLimitBytes: 3000).index
    let index = try ShardedIndex(opening: small.path)
    var session = index.session()
    try session.append("m")
    let shards = Files.names(in: small.path).filter { $0.hasSuffix(".zst") }
    for name in shards { Files.move("\(small.path)/\(name)", to: "\(small.path)/\(name).away") }
    index.removeResidentShards()
    let before = session.matches.count
    #expect(throws: IndexError.self) { try session.append("ax") }
    #expect(session.text == "m" && session.matches.count == before)
    #expect(throws: IndexError.self) { try session.replace(with: "be") }
    #expect(session.text == "m" && session.matches.count == before)
    for name in shards { Files.move("\(small.path)/\(name).away", to: "\(small.path)/\(name)") }
    try session.append("a")
    #expect(session.text == "ma" && session.matches.count > 0)
  }

  // MARK: Failures

  @Test("the error for a missing index names it")
  func notFound() throws {
    let directory = TemporaryDirectory()
    for path in [directory.path, directory("none"), directory.write("x", to: "file")] {
      #expect(throws: IndexError.notFound(path: path)) { try ShardedIndex(opening: path) }
    }
  }

  @Test("a failed load names the file, and the next query tries again")
  func failedLoads() throws {
    let (small, scan) = try Self.generated(count: 3000, shardLimitBytes: 3000)
    let index = try ShardedIndex(opening: small.path)
    let fieldNumbers = scan.fieldNumbers(of: index)
    let names = Files.names(in: small.path).filter { $0.hasSuffix(".zst") }
    #expect(names.count == index.shardCount && names.count > 5)
    let buffer = RecordBuffer()
    for name in names {
      let path = "\(small.path)/\(name)"
      index.removeResidentShards()
      Files.move(path, to: path + ".away")
      var failures = 0
      for _ in 0..<2 {
        do {
          try index.matches(forPrefix: "").read(0..<scan.count, into: buffer)
          Issue.record("\(name) is gone, and everything was read")
        } catch {
          #expect(error == .vanished(path: path))
          failures += 1
        }
      }
      #expect(failures == 2)
      Files.move(path + ".away", to: path)
      try index.matches(forPrefix: "").read(0..<scan.count, into: buffer)
      #expect(scan.difference(buffer, 0..<scan.count, fieldNumbers) == nil)
    }
  }

  // MARK: Threads

  @Test("eight threads with too small a cache get the same answers", arguments: [0, 20_000, 200_000])
  func threads(cacheLimitBytes: Int) throws {
    let (small, scan) = try Self.generated()
    let index = try ShardedIndex(opening: small.path, options: .init(cacheLimitBytes: cacheLimitBytes))
    let fieldNumbers = scan.fieldNumbers(of: index)
    let faults = Lock<[String]>([])
    WorkerPool.forEach(8, threads: 8) { thread in
      var random = SplitMix64(seed: UInt64(thread))
      let buffer = RecordBuffer()
      for step in 0..<1000 {
        let record = Int.random(in: 0..<scan.count, using: &random)
        let key = scan.key(record)
        let size = Int.random(in: 1...key.count, using: &random)
        let range = scan.answer(toPrefix: size, of: record)
        do {
          let matches = try key[..<size].withUnsafeBufferPointer {
            try index.matches(forFoldedPrefix: FoldedPrefix($0))
          }
          try matches.read(0..<20, into: buffer)
          let fault =
            matches.count == range.count
            ? scan.difference(buffer, range.prefix(20), fieldNumbers) : "\(matches.count), not \(range.count)"
          if let fault { faults.withLock { $0.append(fault) } }
        } catch {
          faults.withLock { $0.append("\(error)") }
        }
        if thread == 0, step % 100 == 0 { index.removeResidentShards() }
        if index.statistics.residentBytes > cacheLimitBytes {
          faults.withLock { $0.append("over the limit") }
        }
      }
    }
    #expect(faults.withLock { $0.first } == nil)
  }

  @Test("any number of threads load a shard and a part once")
  func oneLoad() throws {
    let (small, scan) = try Self.generated(count: 5000, shardLimitBytes: 24 << 10)
    let index = try ShardedIndex(opening: small.path)
    var random = SplitMix64(seed: 21)
    for round in 0..<300 {
      let key = scan.key(Int.random(in: 0..<scan.count, using: &random))
      let prefix = Array(key[..<Int.random(in: 1...key.count, using: &random)])
      // The loads of one thread alone.
      index.removeResidentShards()
      let start = index.statistics
      let buffer = RecordBuffer()
      try prefix.withUnsafeBufferPointer {
        try index.matches(forFoldedPrefix: FoldedPrefix($0)).read(0..<20, into: buffer)
      }
      let alone = index.statistics
      let (misses, loads) = (alone.misses - start.misses, alone.loads - start.loads)
      index.removeResidentShards()
      let waiting = Atomic<Int>(0)
      WorkerPool.forEach(8, threads: 8) { _ in
        waiting.add(1, ordering: .sequentiallyConsistent)
        var spins = 0
        while waiting.load(ordering: .sequentiallyConsistent) < 8, spins < 1_000_000 { spins += 1 }
        let buffer = RecordBuffer()
        _ = prefix.withUnsafeBufferPointer {
          try? index.matches(forFoldedPrefix: FoldedPrefix($0)).read(0..<20, into: buffer)
        }
      }
      let together = index.statistics
      #expect(
        together.misses - alone.misses == misses && together.loads - alone.loads == loads, "round \(round)")
      #expect(
        together.loadedBytes - alone.loadedBytes == alone.loadedBytes - start.loadedBytes, "round \(round)")
    }
  }
}
