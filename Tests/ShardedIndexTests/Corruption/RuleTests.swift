import ShardBuilder
import ShardedIndex
import Testing

/// One rule of docs/format.md broken at a time, everything else as it should be: sizes, checksums, digests, names.
///
/// `verify` finds each. Which ones a query refuses as well is what the page says: those that cost it nothing.
@Suite("Broken rules under right checksums and digests") struct RuleTests {
  private static func build() throws -> FrameSurgery { try FrameSurgery(CorruptionTests.build().path) }

  /// What `verify` says about `file`; nothing else may be damaged.
  private static func findings(_ path: String, _ file: String) throws -> [String] {
    var reasons: [String] = []
    let summary = try Verifier.verify(index: path) { finding in
      guard case .damage(let named, let reason) = finding else { return }
      if named == file { reasons.append(reason) } else { Issue.record("\(named): \(reason)") }
    }
    #expect(summary.isSound == reasons.isEmpty)
    return reasons
  }

  private static func expectFound(
    _ surgery: FrameSurgery, _ file: String, _ reason: String, isRefused: Bool,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let found = try findings(surgery.path, file)
    #expect(found.contains { $0.contains(reason) }, "\(found)", sourceLocation: location)
    do throws(IndexError) {
      let index = try ShardedIndex(opening: surgery.path)
      _ = try index.matches(forPrefix: "").records(in: 0..<index.recordCount)
      #expect(!isRefused, "a query believes it", sourceLocation: location)
    } catch {
      #expect(isRefused, "\(error)", sourceLocation: location)
    }
  }

  /// Where `bytes` stand in `content`, once.
  private static func place(of bytes: [UInt8], in content: [UInt8]) throws -> Int {
    let places = (0...content.count - bytes.count).filter { content[$0..<$0 + bytes.count].elementsEqual(bytes) }
    try #require(places.count == 1, "the layout is another one: see docs/format.md")
    return places[0]
  }

  @Test("what is stored as it was is sound")
  func unchanged() throws {
    let surgery = try Self.build()
    for number in surgery.shards.indices {
      let shard = surgery.shards[number]
      var contents: [Int: [UInt8]] = [:]
      for frame in 1..<shard.contents.count { contents[frame] = shard.contents[frame] }
      let file = surgery.store(number, contents)
      #expect(try Self.findings(surgery.path, file) == [])
    }
  }

  // MARK: The manifest beside the keys

  @Test("a label that is not from the first key")
  func label() throws {
    let surgery = try Self.build()
    let file = surgery.store(1, label: Array("qq".utf8) + [UInt8](repeating: 0, count: 6))
    try Self.expectFound(surgery, file, "is not named by its key", isRefused: false)
  }

  @Test("a first shard that goes on with nothing")
  func firstContinuation() throws {
    let surgery = try Self.build()
    _ = surgery.store(0, isContinuation: true)
    // Refused when the index is opened; a shard's part of it never is, see `continuation`.
    try Self.expectFound(surgery, surgery.path + "/manifest", "continues another", isRefused: true)
  }

  @Test("a continuation flag without equal keys, and equal keys without one")
  func continuation() throws {
    let surgery = try Self.build()
    let file = surgery.store(2, isContinuation: true)
    try Self.expectFound(surgery, file, "does not go on", isRefused: false)

    let equal = (0..<400).map { ModelRecord([("name", .string("Krajan")), ("id", .number("\($0 * 7919)"))]) }
    let index = try SmallIndex(equal, key: "{name}", shardLimitBytes: 1024)
    let krajan = try FrameSurgery(index.path)
    let number = try #require(krajan.shards.firstIndex { $0.isContinuation })
    let other = krajan.store(number, isContinuation: false)
    try Self.expectFound(krajan, other, "not below the shard's lower bound", isRefused: false)
  }

  // MARK: The header

  @Test("a first part that goes on with nothing, or has a bound")
  func firstPart() throws {
    let surgery = try Self.build()
    var header = surgery.shards[1].contents[0]
    header[39] |= 0x80
    try Self.expectFound(surgery, surgery.store(1, [0: header]), "part 0 is misplaced", isRefused: true)
    header = surgery.shards[1].contents[0]
    header[36] = 1
    header.insert(0x61, at: 64)
    try Self.expectFound(surgery, surgery.store(1, [0: header]), "part 0 is misplaced", isRefused: true)
  }

  @Test("a part that goes on with other keys")
  func partContinuation() throws {
    let index = try SmallIndex(CorruptionTests.records(), key: CorruptionTests.key)
    let surgery = try FrameSurgery(index.path)
    let number = try #require(surgery.shards.firstIndex { $0.contents.count > 3 })
    var header = surgery.shards[number].contents[0]
    header[32 + 32 + 7] |= 0x80
    try Self.expectFound(surgery, surgery.store(number, [0: header]), "its part's flag", isRefused: false)
  }

  @Test("a column twice in a shape, and two columns of one field")
  func columns() throws {
    let surgery = try Self.build()
    let header = surgery.shards[1].contents[0]
    var changed = header
    changed[try Self.place(of: [8, 0, 1, 2, 3, 4, 5, 6, 7], in: header) + 8] = 0
    try Self.expectFound(surgery, surgery.store(1, [0: changed]), "column 0 twice", isRefused: true)
    changed = header
    let note = try Self.place(of: [4] + Array("note".utf8), in: header)
    changed.replaceSubrange(note + 1..<note + 5, with: Array("name".utf8))
    try Self.expectFound(surgery, surgery.store(1, [0: changed]), "two columns of one field", isRefused: true)
  }

  @Test("tails that do not ascend, and an empty one")
  func tails() throws {
    let surgery = try Self.build()
    let number = try #require(surgery.shards.firstIndex { $0.contents[0][12] >= 2 && $0.contents.count == 3 })
    let header = surgery.shards[number].contents[0]
    let (at, tails) = (64 + FrameSurgery.word(header, 9), Int(header[12]))
    #expect(header[at..<at + tails].allSatisfy { $0 == 2 }, "countries are the tails")
    var (changed, keys) = (header, surgery.shards[number].contents[1])
    // The same keys by tails in another order: the first two change places, in the header and in each record.
    for byte in at + tails..<at + tails + 2 { changed.swapAt(byte, byte + 2) }
    let count = FrameSurgery.word(keys, 1)
    #expect(keys[12] == 0, "narrow keys")
    for tail in 16 + 2 * count..<16 + 3 * count where keys[tail] < 2 { keys[tail] ^= 1 }
    let frame = surgery.frame(keys)
    for (word, value) in [(10, frame.count), (11, keys.count), (12, Int(FrameSurgery.checksum(frame)))] {
      FrameSurgery.setWord(&changed, word, value)
    }
    try Self.expectFound(
      surgery, surgery.store(number, [0: changed, 1: keys]), "tails do not ascend", isRefused: false)
    changed = header
    changed.replaceSubrange(at..<at + 2, with: [0, 4])
    try Self.expectFound(surgery, surgery.store(number, [0: changed]), "tail 0 is empty", isRefused: true)
  }

  @Test("a text of a kind that there is not, in a dictionary and among texts")
  func mixedKinds() throws {
    let null = [2] + Array("null".utf8)
    func surgery(_ text: (Int) -> String) throws -> FrameSurgery {
      let records = (0..<40).map { row in
        ModelRecord([("name", .string("n\(row)")), ("mixed", row % 4 == 0 ? .literal("null") : .string(text(row)))])
      }
      return try FrameSurgery(SmallIndex(records, key: "{name}").path)
    }
    let dictionary = try surgery { _ in "m" }
    var header = dictionary.shards[0].contents[0]
    header[try Self.place(of: null, in: header)] = 0xff
    try Self.expectFound(dictionary, dictionary.store(0, [0: header]), "a text of kind 255", isRefused: true)

    // Ten of forty: the last of them, so that all before it are walked over, long ones too.
    let texts = try surgery { String(repeating: "m\($0)", count: $0 == 6 ? 200 : 1) }
    var fields = texts.shards[0].contents[2]
    let at = try #require((0..<fields.count - 5).last { fields[$0..<$0 + 5].elementsEqual(null) })
    fields[at] = 3
    try Self.expectFound(texts, texts.store(0, [2: fields]), "a text of kind 3", isRefused: true)
  }

  // MARK: Keys

  /// The keys frame of a shard taken apart: shared sizes, lengths, suffixes.
  private struct Keys {
    var content: [UInt8]
    let count: Int
    init(_ content: [UInt8]) {
      self.content = content
      count = FrameSurgery.word(content, 1)
      precondition(content[12] == 0, "wide keys")
    }
    func shared(_ record: Int) -> Int { Int(content[16 + record]) }
    func length(_ record: Int) -> Int { Int(content[16 + count + record]) }
    /// Where a record's suffix starts, in a shard with tails.
    func start(_ record: Int) -> Int { (0..<record).reduce(16 + 3 * count) { $0 + length($1) } }
    func stem(_ record: Int) -> [UInt8] {
      let suffix = content[start(record)..<start(record) + length(record)]
      return (record % 16 == 0 ? [] : Array(stem(record - 1)[..<shared(record)])) + suffix
    }
    /// Stores one byte more of a record than it needs: its stem stays what it is.
    mutating func shareLess(_ record: Int) {
      let byte = stem(record)[shared(record) - 1]
      let at = start(record)
      content[16 + record] -= 1
      content[16 + count + record] += 1
      content.insert(byte, at: at)
      FrameSurgery.setWord(&content, 2, FrameSurgery.word(content, 2) + 1)
    }
  }

  @Test("a record that shares less than it could, in a block and at the start of one")
  func shared() throws {
    let surgery = try Self.build()
    let number = try #require(
      surgery.shards.firstIndex { $0.contents[0][12] > 0 && FrameSurgery.word($0.contents[1], 1) > 20 })
    let whole = Keys(surgery.shards[number].contents[1])
    for record in [1, 5, 15, 17] where whole.shared(record) > 0 {
      var keys = whole
      keys.shareLess(record)
      #expect(keys.stem(record) == whole.stem(record))
      let file = surgery.store(number, [1: keys.content])
      try Self.expectFound(surgery, file, "record \(record) says that it shares", isRefused: false)
    }
    // At a restart point it makes no stem, and a scan for the end of a prefix believes it.
    for change in [UInt8(255), 1] {
      var keys = whole
      keys.content[16 + 16] &+= change
      try #require(whole.shared(16) > 0 && keys.shared(16) <= keys.length(16))
      let file = surgery.store(number, [1: keys.content])
      try Self.expectFound(surgery, file, "record 16 says that it shares", isRefused: false)
    }
  }

  @Test("a first record that shares something with nothing")
  func firstShared() throws {
    let surgery = try Self.build()
    var keys = surgery.shards[1].contents[1]
    #expect(keys[16] == 0)
    keys[16] = 1
    try Self.expectFound(
      surgery, surgery.store(1, [1: keys]), "shares more than its predecessor has", isRefused: true)
  }

  // MARK: Rows of numbers

  /// Where the sizes of the blocks' rows stand in a fields frame, and how many there are.
  private static func rowSizes(_ fields: [UInt8]) -> (start: Int, count: Int) {
    let count = (FrameSurgery.word(fields, 1) + 15) / 16
    return (fields.count - FrameSurgery.word(fields, 2) - 2 * count, count)
  }

  @Test("bits behind the last row")
  func unfilledBits() throws {
    let surgery = try Self.build()
    var tried = 0
    for (number, shard) in surgery.shards.enumerated() {
      var fields = shard.contents[2]
      let (start, count) = Self.rowSizes(fields)
      let bits = (0..<count).reduce(0) { $0 + Int(fields[start + 2 * $1]) + Int(fields[start + 2 * $1 + 1]) << 8 }
      guard bits % 8 != 0 else { continue }
      tried += 1
      #expect(fields.last! >> UInt8(bits % 8) == 0)
      fields[fields.count - 1] |= 1 << UInt8(bits % 8)
      try Self.expectFound(surgery, surgery.store(number, [2: fields]), "behind its last row", isRefused: true)
      fields[fields.count - 1] = 0x80 | shard.contents[2].last!
      try Self.expectFound(surgery, surgery.store(number, [2: fields]), "behind its last row", isRefused: true)
    }
    #expect(tried > 0)
  }

  @Test("blocks of rows that begin elsewhere than they say")
  func rowSizes() throws {
    let surgery = try Self.build()
    let number = try #require(surgery.shards.firstIndex { Self.rowSizes($0.contents[2]).count >= 2 })
    var fields = surgery.shards[number].contents[2]
    let (start, _) = Self.rowSizes(fields)
    try #require(fields[start] < 255 && fields[start + 2] > 0)
    fields[start] += 1
    fields[start + 2] -= 1
    try Self.expectFound(
      surgery, surgery.store(number, [2: fields]), "the numbers of block 0", isRefused: false)
  }
}
