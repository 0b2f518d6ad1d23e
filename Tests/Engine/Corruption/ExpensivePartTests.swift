import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

/// Parts that take the most memory for their content: SECURITY.md allows ten times the content, and 5 MiB.
@Suite("Parts made to be expensive", .serialized) struct ExpensivePartTests {
  /// The content of the expensive frame, in bytes: about a quarter of the limit.
  private static let contentSize = 4 << 20
  /// The memory that does not depend on the content, in bytes: for 4,096 columns, and of the cache. The beginnings of
  /// rows take a quarter of a byte for each record too; the keys have at least a byte for each record.
  private static let constant = 640 << 10

  /// An index of one shard of one part, made byte by byte.
  private struct Made {
    var records: Int
    /// Folds of countries, each with a code of one bit.
    var hasSuffixFields = false
    /// Whether suffixes consist of `a` and `b`, with a bit each.
    var packsSuffixes = false
    /// Dictionaries of two texts, with a bit each; or texts of no bytes, whose sizes take a bit each.
    var columns = 0
    var areTexts = false
    /// Whether a dictionary's codes are bytes as they are.
    var arePlain = false
    /// Whether the bytes of texts take a bit each, and their sizes a byte.
    var packsTexts = false
    /// The bytes behind the keys' fixed part, and behind that of the fields.
    var keys: (suffixBytes: Int, isWide: Bool, bytes: [UInt8])
    var fields: (plain: [UInt8], packed: [UInt8]) = ([], [])
    var packedTexts = 0

    /// Packed numbers, all equal to the number whose code is a zero.
    static func packed(_ count: Int) -> [UInt8] {
      var writer = ByteWriter()
      func size(_ half: Int) -> Int { (half / 2 + 7) / 8 + (half - half / 2 + 7) / 8 }
      let sizes = (size(count / 2), size(count - count / 2))
      writer.writeVarint(sizes.0)
      writer.writeVarint(sizes.1)
      return writer.bytes + [UInt8](repeating: 0, count: sizes.0 + sizes.1)
    }

    private func header(_ keys: [UInt8], _ keysContent: Int, _ fields: [UInt8], _ fieldsContent: Int) -> [UInt8] {
      var writer = ByteWriter()
      writer.write(ShardHeader.magic)
      for count in [records, 1, hasSuffixFields ? 2 : 0, columns, 1, 0, records, 0] { writer.writeVarint(count) }
      for (frame, size) in [(keys, keysContent), (fields, fieldsContent)] {
        writer.writeVarint(frame.count)
        writer.writeVarint(size)
        writer.write(FrameSurgery.checksum(frame))
      }
      let twoCodes: [UInt8] = [0x11]
      if hasSuffixFields { writer.write([1] + Array("xy".utf8) + twoCodes) }
      // 97 numbers without a code, 21 of them at a time; the lengths of `a` and `b` are 1.
      let letters: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0x7f, 0x11]
      writer.write(packsSuffixes ? letters : [0])
      for column in 0..<columns {
        let name = Array("c\(column)".utf8)
        writer.writeVarint(name.count)
        writer.write(name)
      }
      writer.writeVarint(columns)
      for column in 0..<columns { writer.writeVarint(column) }
      for _ in 0..<columns {
        writer.write(
          packsTexts
            ? [0, 2, 0] + letters
            : areTexts
              ? [0, 2] + twoCodes + [0] : [0, 1, 2, 1, 1] + Array("xy".utf8) + (arePlain ? [0] : twoCodes))
      }
      return writer.bytes
    }

    /// Stores the part in the place of an index of one record.
    ///
    /// - Returns: Bytes of content of keys and fields, and of their file.
    func store(in surgery: FrameSurgery) -> (keys: Int, fields: Int, file: Int) {
      var (keys, fields) = (ByteWriter(), ByteWriter())
      keys.write(KeyBlocks.magic)
      for count in [records, self.keys.suffixBytes] { keys.writeVarint(count) }
      keys.write(UInt8(self.keys.isWide ? 1 : 0))
      keys.write(self.keys.bytes)
      fields.write(FieldColumns.magic)
      for count in [records, 0, self.fields.packed.count, packedTexts] { fields.writeVarint(count) }
      fields.write(self.fields.plain)
      fields.write(self.fields.packed)
      let frames = (surgery.frame(keys.bytes), surgery.frame(fields.bytes))
      let content = header(frames.0, keys.bytes.count, frames.1, fields.bytes.count)
      let first = surgery.frame(content)
      let file = Manifest.File(
        size: first.count + frames.0.count + frames.1.count, headerSize: first.count, headerContentSize: content.count,
        headerChecksum: FrameSurgery.checksum(first), isContinuation: false)
      Files.write(first + frames.0 + frames.1, to: "\(surgery.path)/\(surgery.shards[0].name)")
      Files.write(surgery.manifestFile(0, file, records: records), to: surgery.path + "/manifest")
      return (keys.bytes.count, fields.bytes.count, file.size)
    }
  }

  private static func open(_ made: Made) throws -> (index: ShardedIndex, size: (keys: Int, fields: Int, file: Int)) {
    let columns = (0..<max(1, made.columns)).map { "\"c\($0)\":\"\"" }.joined(separator: ",")
    let surgery = try FrameSurgery(SmallIndex(json: "[{\"name\":\"a\",\(columns)}]", key: "{name}").path)
    let size = made.store(in: surgery)
    return (try ShardedIndex(opening: surgery.path, options: .init(cacheLimitBytes: 1 << 30)), size)
  }

  /// Loads keys and then fields of a part, and compares the cache's charge and the memory of the process with their
  /// bounds.
  private static func expectBounded(_ what: String, _ made: Made, isDecoded: Bool = true) throws {
    let (index, size) = try open(made)
    // Code takes memory when it runs for the first time, so an ordinary part runs it before.
    let ordinary = try SmallIndex(json: "[{\"name\":\"a\",\"text\":\"b\"}]", key: "{name}")
    try ShardedIndex(opening: ordinary.path).matches(forPrefix: "a").read(0..<1, into: RecordBuffer())
    var charged = index.statistics.residentBytes
    forgetPeak()
    let resident = residentNow()

    /// - Parameter content: The size of the frame that was just decompressed.
    func expect(_ frame: String, _ content: Int) {
      let total = index.statistics.residentBytes
      let charge = total - charged
      charged = total
      #expect(
        charge <= 10 * content + made.records / 4 + constant,
        "\(what), \(frame) of \(content) bytes: \(charge) charged")
      // The charge is the kept memory. Decoding takes the content and the read bytes beside it; reading a record takes
      // two stems. 4 MiB are the program's own, with code that had not run before.
      guard let resident, let now = residentNow(), resident.peak - resident.bytes < 1 << 20 else { return }
      let stems = made.keys.suffixBytes == KeyBlocks.stemLimit ? 2 * KeyBlocks.stemLimit : 0
      let most = total + content + stems + 2 * size.file + 4 << 20
      let taken = now.peak - resident.bytes
      #expect(taken <= most, "\(what), \(frame) of \(content) bytes: \(charge) charged, \(taken) of \(most) taken")
      print("\(what), \(frame) of \(content) bytes: \(charge) charged, \(taken) taken")
    }
    let matches = try index.matches(forPrefix: "a")
    expect("keys", size.keys)
    guard isDecoded else { return }
    let buffer = RecordBuffer()
    try matches.read(0..<1, into: buffer)
    #expect(buffer.count == 1)
    expect("fields", size.fields)
  }

  @Test("expensive keys keep to the bound") func keys() async {
    await #expect(processExitsWith: .success) {
      // Sizes alone, four bytes each when they are decoded.
      let empty = Self.contentSize
      try Self.expectBounded(
        "empty stems, wide",
        Made(records: empty, keys: (0, true, [UInt8](repeating: 0, count: empty))), isDecoded: false)
      // The longest suffixes with at most half a byte for their size, a bit for each byte, and suffix fields of a bit.
      let count = Self.contentSize / 23 * 8
      try Self.expectBounded(
        "suffixes and suffix fields of a bit, wide",
        Made(
          records: count, hasSuffixFields: true, packsSuffixes: true,
          keys: (
            14 * count, true, [UInt8](repeating: 0xe0, count: count) + Made.packed(14 * count) + Made.packed(count)
          )))
    }
  }

  @Test("a stem with a bit for each byte keeps to the bound") func stem() async {
    await #expect(processExitsWith: .success) {
      func made(_ size: Int) -> Made {
        var more = ByteWriter()
        more.writeVarint(size - 15)
        return Made(records: 1, packsSuffixes: true, keys: (size, true, [0xf0] + more.bytes + Made.packed(size)))
      }
      try Self.expectBounded("the longest stem", made(KeyBlocks.stemLimit))
      let (index, _) = try Self.open(made(KeyBlocks.stemLimit + 1))
      let error = #expect(throws: IndexError.self) { try index.matches(forPrefix: "a") }
      guard case .corrupt(_, .invalid(let reason, _)) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("its stem is too long"))
    }
  }

  @Test("expensive fields keep to the bound") func fields() async {
    await #expect(processExitsWith: .success) {
      for (columns, areTexts) in [(1, false), (16, false), (16, true)] {
        // A record takes one byte of the keys.
        let count = min(Self.contentSize, 8 * Self.contentSize / columns)
        // One stem and many equal ones: sizes of a byte each, 1 and 0 or 1 and 1.
        var keys = (0..<count).map { UInt8($0 % 16 == 0 ? 0x11 : 0x01) }
        keys[0] = 0x10
        try Self.expectBounded(
          "\(columns) columns of a bit, \(areTexts ? "texts" : "dictionaries")",
          Made(
            records: count, packsSuffixes: true, columns: columns, areTexts: areTexts,
            keys: ((count + 15) / 16, false, keys + Made.packed((count + 15) / 16)),
            fields: (
              areTexts ? [UInt8](repeating: 0, count: 2 * columns) : [],
              (0..<columns).flatMap { _ in Made.packed(count) }
            )))
      }
      // Texts with a bit for each byte.
      let (count, size) = (Self.contentSize / 16, 100)
      var keys = (0..<count).map { UInt8($0 % 16 == 0 ? 0x11 : 0x01) }
      keys[0] = 0x10
      var plain = ByteWriter()
      for number in [size * count, 0] { plain.writeVarint(number) }
      try Self.expectBounded(
        "texts of a bit a byte",
        Made(
          records: count, packsSuffixes: true, columns: 1, packsTexts: true,
          keys: ((count + 15) / 16, false, keys + Made.packed((count + 15) / 16)),
          fields: (plain.bytes + [UInt8](repeating: UInt8(size), count: count), Made.packed(size * count)),
          packedTexts: size * count))
      // The greatest number of columns, of one record.
      try Self.expectBounded(
        "4,095 columns of a record",
        Made(
          records: 1, columns: 4095, keys: (1, false, Array("a".utf8) + [0x10]),
          fields: ([], (0..<4095).flatMap { _ in Made.packed(1) })))
    }
  }

  #if os(Linux)
    @Test("columns without codes are refused in little memory") func missingCodes() async {
      await #expect(processExitsWith: .success) {
        // The beginnings of the rows that these few bytes claim would take 4.3 GB.
        var limit = rlimit(rlim_cur: 3 << 30, rlim_max: 3 << 30)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
        let count = Self.contentSize
        var keys = (0..<count).map { UInt8($0 % 16 == 0 ? 0x11 : 0x01) }
        keys[0] = 0x10
        let (index, _) = try Self.open(
          Made(
            records: count, packsSuffixes: true, columns: 4095, arePlain: true,
            keys: ((count + 15) / 16, false, keys + Made.packed((count + 15) / 16))))
        let matches = try index.matches(forPrefix: "a")
        let error = #expect(throws: IndexError.self) { try matches.read(0..<1, into: RecordBuffer()) }
        guard case .corrupt(_, .truncated) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
    }
  #endif
}
