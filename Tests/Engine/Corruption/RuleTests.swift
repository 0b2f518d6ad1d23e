import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

/// Each test breaks one rule of docs/format.md; sizes, checksums, digests and names stay right.
///
/// `verify` finds each broken rule. A query refuses those that docs/format.md names, whose check costs nothing.
@Suite("Broken rules under right checksums and digests") struct RuleTests {
  private static func build() throws -> FrameSurgery { try FrameSurgery(CorruptionTests.build().path) }

  /// The findings of `verify` about `file`; no other file may be damaged.
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

  /// The only place of `bytes` in `content`.
  private static func place(of bytes: [UInt8], in content: [UInt8]) throws -> Int {
    let places = (0...content.count - bytes.count).filter { content[$0..<$0 + bytes.count].elementsEqual(bytes) }
    try #require(places.count == 1, "the layout is another one: see docs/format.md")
    return places[0]
  }

  @Test("an index whose frames are stored unchanged is sound")
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

  @Test("verify finds a label that is not from the first key")
  func label() throws {
    let surgery = try Self.build()
    let file = surgery.store(1, label: Array("qq".utf8) + [UInt8](repeating: 0, count: 6))
    try Self.expectFound(surgery, file, "is not named by its key", isRefused: false)
  }

  @Test("a first shard that continues no other is refused")
  func firstContinuation() throws {
    let surgery = try Self.build()
    _ = surgery.store(0, isContinuation: true)
    // Opening the index refuses such a shard, but no such part: see `continuation`.
    try Self.expectFound(surgery, surgery.path + "/manifest", "continues another", isRefused: true)
  }

  @Test("verify finds a continuation flag without equal keys, and equal keys without a flag")
  func continuation() throws {
    let surgery = try Self.build()
    let file = surgery.store(2, isContinuation: true)
    try Self.expectFound(surgery, file, "does not continue", isRefused: false)

    let equal = (0..<400).map { ModelRecord([("name", .string("Krajan")), ("id", .number("\($0 * 7919)"))]) }
    let index = try SmallIndex(equal, key: "{name}", shardLimitBytes: 1024)
    let krajan = try FrameSurgery(index.path)
    let number = try #require(krajan.shards.firstIndex { $0.isContinuation })
    let other = krajan.store(number, isContinuation: false)
    try Self.expectFound(krajan, other, "not below the shard's lower bound", isRefused: false)
  }

  // MARK: The header

  @Test("verify finds a first part that continues no other, or has a bound")
  func firstPart() throws {
    let surgery = try Self.build()
    var header = try ShardHeaderLayout(surgery.shards[1].contents[0])
    header.parts[0].bound = 1
    try Self.expectFound(surgery, surgery.store(1, [0: header.content]), "part 0 in a wrong place", isRefused: true)
    header.parts[0].bound = 2
    header.bounds = [0x61]
    try Self.expectFound(surgery, surgery.store(1, [0: header.content]), "part 0 in a wrong place", isRefused: true)
  }

  @Test("verify finds a part that continues other keys")
  func partContinuation() throws {
    let index = try SmallIndex(ModelRecord.small(), key: CorruptionTests.key)
    let surgery = try FrameSurgery(index.path)
    let number = try #require(surgery.shards.firstIndex { $0.contents.count > 3 })
    var header = try ShardHeaderLayout(surgery.shards[number].contents[0])
    header.parts[1].bound |= 1
    try Self.expectFound(surgery, surgery.store(number, [0: header.content]), "its part's flag", isRefused: false)
  }

  @Test("verify finds a column twice in a shape, and two columns of one field")
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

  @Test("verify finds suffix fields that do not ascend, and an empty one")
  func suffixFields() throws {
    let surgery = try Self.build()
    let number = try #require(
      surgery.shards.firstIndex {
        try ShardHeaderLayout($0.contents[0]).suffixFields.count >= 2 && $0.contents.count == 3
      })
    var (header, keys) = try Keys.plain(surgery, number)
    #expect(header.suffixFields.allSatisfy { $0.count == 2 }, "countries are the suffix fields")
    #expect(try Self.findings(surgery.path, keys.store(surgery, number, header)) == [])
    var changed = header
    // The same keys by suffix fields in another order: the first two change places, in the header and in each record.
    changed.suffixFields.swapAt(0, 1)
    for record in keys.suffixFields.indices where keys.suffixFields[record] < 2 { keys.suffixFields[record] ^= 1 }
    try Self.expectFound(
      surgery, keys.store(surgery, number, changed), "suffix fields do not ascend", isRefused: false)
    changed = try ShardHeaderLayout(surgery.shards[number].contents[0])
    changed.suffixFieldSizes = [0, 4] + [UInt8](repeating: 2, count: changed.suffixFields.count - 2)
    try Self.expectFound(
      surgery, surgery.store(number, [0: changed.content]), "a suffix field of 0 bytes", isRefused: true)
  }

  @Test("verify finds a text of an unknown kind, in a dictionary and among texts")
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
    try Self.expectFound(
      dictionary, dictionary.store(0, [0: header]), "a text of the unknown kind 255", isRefused: true)

    // Ten of forty are of that kind; the last one, so that readers pass all before it, long ones too.
    let texts = try surgery { String(repeating: "m\($0)", count: $0 == 6 ? 200 : 1) }
    var fields = texts.shards[0].contents[2]
    let at = try #require((0..<fields.count - 5).last { fields[$0..<$0 + 5].elementsEqual(null) })
    fields[at] = 3
    try Self.expectFound(texts, texts.store(0, [2: fields]), "a text of the unknown kind 3", isRefused: true)
  }

  // MARK: Keys

  /// The keys of a shard's one part, to be stored without Huffman codes: each stem's shared size and its suffix.
  private struct Keys {
    var shared: [Int] = []
    var suffixes: [[UInt8]] = []
    var suffixFields: [UInt8] = []

    /// The shard's header without codes for suffixes and suffix fields, and its keys. The shard has suffix fields and
    /// one part.
    static func plain(_ surgery: FrameSurgery, _ number: Int) throws -> (header: ShardHeaderLayout, keys: Keys) {
      var header = try ShardHeaderLayout(surgery.shards[number].contents[0])
      // No code.
      (header.suffixFieldCode, header.suffixCode) = (header.suffixFieldCode.isEmpty ? [] : [0], [0])
      var keys = Keys()
      var before: [UInt8] = []
      let index = try ShardedIndex(opening: surgery.path)
      _ = try index.generation.readWhole(index.generation.manifest.shards()[number]) {
        (part: PartContent) throws(IndexError) in
        part.forEachKey { record, key in
          let separator = key.lastIndex(of: 1)!
          let stem = Array(key[..<separator])
          let common = zip(before, stem).prefix { $0 == $1 }.count
          keys.shared.append(common)
          keys.suffixes.append(Array(stem[(record % 16 == 0 ? 0 : common)...]))
          keys.suffixFields.append(UInt8(header.suffixFields.firstIndex(of: Array(key[(separator + 1)...]))!))
          before = stem
        }
      }
      return (header, keys)
    }

    /// The content of a keys frame.
    var content: [UInt8] {
      var writer = ByteWriter()
      writer.write(KeyBlocks.magic)
      writer.writeVarint(shared.count)
      writer.writeVarint(suffixes.reduce(0) { $0 + $1.count })
      writer.write(0 as UInt8)
      var (content, excess): ([UInt8], [UInt8]) = (writer.bytes + suffixes.joined(), [])
      for (common, suffix) in zip(shared, suffixes) {
        content.append(UInt8(min(common, 15) | min(suffix.count, 15) << 4))
        for size in [common, suffix.count] where size >= 15 { excess.append(UInt8(size - 15)) }
      }
      return content + excess + suffixFields
    }

    /// Stores the keys with a header that has their size; returns the file.
    func store(_ surgery: FrameSurgery, _ number: Int, _ header: ShardHeaderLayout) -> String {
      let frame = surgery.frame(content)
      var header = header
      header.parts[0].keys = .init(
        size: frame.count, contentSize: content.count, checksum: FrameSurgery.checksum(frame))
      return surgery.store(number, [0: header.content, 1: content])
    }

    func stem(_ record: Int) -> [UInt8] {
      (record % 16 == 0 ? [] : Array(stem(record - 1)[..<shared[record]])) + suffixes[record]
    }
    /// Stores one byte more of a record than it needs; its stem stays the same.
    mutating func shareLess(_ record: Int) {
      let byte = stem(record)[shared[record] - 1]
      shared[record] -= 1
      suffixes[record].insert(byte, at: 0)
    }
  }

  @Test("verify finds a record that shares too little, in a block and at the start of one")
  func shared() throws {
    let surgery = try Self.build()
    let number = try #require(
      surgery.shards.firstIndex {
        let header = try ShardHeaderLayout($0.contents[0])
        return !header.suffixFields.isEmpty && $0.contents.count == 3 && header.records > 20
      })
    let (header, whole) = try Keys.plain(surgery, number)
    #expect(try Self.findings(surgery.path, whole.store(surgery, number, header)) == [])
    for record in [1, 5, 15, 17] where whole.shared[record] > 0 {
      var keys = whole
      keys.shareLess(record)
      #expect(keys.stem(record) == whole.stem(record))
      let file = keys.store(surgery, number, header)
      try Self.expectFound(surgery, file, "record \(record) has a wrong number of bytes shared", isRefused: false)
    }
    // At a restart point the record makes no stem, and a scan for the end of a prefix trusts its shared size.
    for change in [-1, 1] {
      var keys = whole
      keys.shared[16] += change
      try #require(whole.shared[16] > 0 && keys.shared[16] <= keys.suffixes[16].count)
      let file = keys.store(surgery, number, header)
      try Self.expectFound(surgery, file, "record 16 has a wrong number of bytes shared", isRefused: false)
    }
  }

  @Test("a first record that shares bytes with no other is refused")
  func firstShared() throws {
    let surgery = try Self.build()
    let number = try #require(
      surgery.shards.firstIndex {
        try !ShardHeaderLayout($0.contents[0]).suffixFields.isEmpty && $0.contents.count == 3
      })
    var (header, keys) = try Keys.plain(surgery, number)
    keys.shared[0] = 1
    try Self.expectFound(
      surgery, keys.store(surgery, number, header), "shares too much with the one before", isRefused: true)
  }

  // MARK: Rows of numbers

  /// The places in a fields frame: each block's rows above the fewest, their width in bytes, their count, and the bits
  /// of all rows.
  private static func rowSizes(_ fields: [UInt8]) throws -> (start: Int, width: Int, count: Int, bits: Int) {
    let (count, rows, packed) = try fields.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      _ = try reader.read(UInt32.self)
      return ((try reader.readVarint() + 15) / 16, try reader.readVarint(), try reader.readVarint())
    }
    let end = fields.count - rows - packed
    for width in 0...2 where Int(fields[end - width * count - 1]) == width {
      let start = end - width * count
      var least = Int(fields[start - 2])
      if fields[start - 3] >= 0x80 { least = least << 7 | Int(fields[start - 3] & 0x7f) }
      let more = (0..<width * count).reduce(0) { $0 + Int(fields[start + $1]) << ($1 % width * 8) }
      if (least * count + more + 7) / 8 == rows { return (start, width, count, least * count + more) }
    }
    throw IndexError.notFound(path: "the layout of fields is another one: see docs/format.md")
  }

  @Test("verify finds bits behind the last row")
  func unfilledBits() throws {
    let surgery = try Self.build()
    var tried = 0
    for (number, shard) in surgery.shards.enumerated() {
      var fields = shard.contents[2]
      let bits = try Self.rowSizes(fields).bits
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

  @Test("verify finds blocks of rows that begin at other places than theirs")
  func rowSizes() throws {
    let surgery = try Self.build()
    let number = try #require(surgery.shards.firstIndex { try Self.rowSizes($0.contents[2]).count >= 2 })
    var fields = surgery.shards[number].contents[2]
    // The fewest bits are one less, each block has one more, and the first block has one of the second's.
    let (start, width, count, _) = try Self.rowSizes(fields)
    try #require(width < 2 && fields[start - 3] >= 0x80 && fields[start - 3] & 0x7f > 0)
    var more = (0..<count).map { width == 0 ? 1 : fields[start + $0] + 1 }
    (more[0], more[1]) = (more[0] + 1, more[1] - 1)
    let fewest = [fields[start - 3] - 1, fields[start - 2]]
    fields.replaceSubrange(start - 3..<start + width * count, with: fewest + [1] + more)
    try Self.expectFound(
      surgery, surgery.store(number, [2: fields]), "the numbers in block 0", isRefused: false)
  }
}
