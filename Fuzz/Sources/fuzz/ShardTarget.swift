import ShardBuilder
import ShardedIndex

/// Reads the contents of a shard's header and of one part's keys and fields, without frames and checksums.
///
/// Input: a byte that picks the part, two u16 and as many bytes of header and keys, then the fields.
final class ShardTarget: FuzzTarget {
  private let buffer = RecordBuffer()
  private let single = RecordBuffer()

  init() {}

  /// Room for a Huffman code's table, as much as a loader has.
  private let table = UnsafeMutablePointer<UInt16>.allocate(capacity: HuffmanCode.tableCapacity)

  /// Lends a copy with as many bytes behind it as a loader leaves.
  private static func withCopy<Result>(
    _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + FieldColumns.slack)
    defer { copy.deallocate() }
    copy.initialize(repeating: 0, count: bytes.count + FieldColumns.slack)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    return try body(UnsafeBufferPointer(start: copy, count: bytes.count))
  }

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let (flags, headerSize, keysSize) = (reader.byte(), reader.word(), reader.word())
    let header = reader.bytes(headerSize)
    let keys = reader.bytes(keysSize)
    let fields = reader.remaining()
    // The size of a file with all parts.
    var (records, fileSize) = (0, header.count)
    let parsed = Self.withCopy(header) { content in
      var front = ByteReader(content)
      _ = try? front.read(UInt32.self)
      let counts = (0..<6).map { _ in (try? front.readVarint()) ?? 0 }
      records = counts[0]
      for _ in 0..<min(counts[1], header.count / 14) {
        _ = (try? front.readVarint(), try? front.readVarint())
        for _ in 0..<2 {
          fileSize += (try? front.readVarint()) ?? 0
          _ = (try? front.readVarint(), try? front.read(UInt32.self))
        }
      }
      return try? ShardHeader(
        content: content, records: records, fileSize: fileSize, frameSize: header.count,
        name: { path in Int(path.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } & 0xffff) })
    }
    guard let parsed else { return }
    check(parsed)
    read(parsed, part: flags % parsed.parts.count, keys, fields)
  }

  private func check(_ header: ShardHeader) {
    require(header.parts[0].firstRecord == 0, "the first record of a shard")
    for (number, part) in (0..<header.parts.count).map({ header.parts[$0] }).enumerated() {
      require(part.recordCount > 0, "a part without records")
      require(part.firstRecord + part.recordCount <= header.recordCount, "records behind the last")
      _ = header.parts.bound(of: number).reduce(0, &+)
    }
    for prefix in ["a", "san jose\u{1}us", "zz"] {
      Array(prefix.utf8).withUnsafeBufferPointer { bytes in
        let head = KeyBlocks.head(of: bytes)
        let first = header.parts.first(for: bytes, head: head)
        let last = header.parts.last(for: bytes, head: head, from: first)
        require(first <= last && last < header.parts.count, "parts of a prefix")
      }
    }
    for position in [0, header.recordCount / 2, header.recordCount - 1] {
      let part = header.parts[header.parts.part(holding: position)]
      require(part.firstRecord <= position && position < part.firstRecord + part.recordCount, "the part of a record")
    }
  }

  private func read(_ header: ShardHeader, part number: Int, _ keysContent: [UInt8], _ fieldsContent: [UInt8]) {
    let part = header.parts[number]
    let keys = Self.withCopy(keysContent) {
      try? KeyBlocks(content: $0, records: part.recordCount, header: header, table: table)
    }
    guard let keys else { return }
    defer { keys.deallocate() }
    search(keys)

    let columns = Self.withCopy(fieldsContent) {
      try? FieldColumns(content: $0, records: part.recordCount, header: header, table: table)
    }
    guard let columns else { return }
    defer { columns.deallocate() }
    decode(columns, keys, header)
  }

  /// Compares every answer with a walk, if the keys are in order and their shared sizes are right.
  private func search(_ keys: KeyBlocks) {
    var all: [[UInt8]] = []
    keys.forEachKey(in: 0..<min(keys.count, 200)) { _, key in all.append(Array(key)) }
    let isWhole = all.count == keys.count
    var isSound = isWhole
    for index in 1..<max(1, all.count) where isSound {
      isSound = !all[index].lexicographicallyPrecedes(all[index - 1])
    }
    if isSound { isSound = sharesTruly(keys) }
    for number in 0..<max(0, keys.suffixFieldCount - 1) where isSound {
      isSound = keys.suffixField(number).lexicographicallyPrecedes(keys.suffixField(number + 1))
    }
    // No folded text has a byte 0xff, which has no successor, or a zero byte.
    if isSound { isSound = all.allSatisfy { $0.allSatisfy { $0 > 0 && $0 < 0xff } } }
    var prefixes: [[UInt8]] = [Array("a".utf8), Array("san jose\u{1}us".utf8), [0xf4]]
    for index in stride(from: 0, to: all.count, by: max(1, all.count / 12)) {
      prefixes.append(all[index])
      prefixes.append(Array(all[index].prefix(1 + index % 9)))
      prefixes.append(all[index] + [0x61])
    }
    for prefix in prefixes where !prefix.isEmpty && prefix.allSatisfy({ $0 < 0xff }) {
      prefix.withUnsafeBufferPointer { bytes in
        let (first, matches) = keys.lowerBound(of: bytes, head: KeyBlocks.head(of: bytes))
        let range = first..<(matches ? keys.upperBound(of: bytes, from: first) : first)
        require(range.lowerBound >= 0 && range.upperBound <= keys.count, "a range of records")
        guard isSound else { return }
        let lower = all.prefix { $0.lexicographicallyPrecedes(prefix) }.count
        let count = all[lower...].prefix { $0.starts(with: prefix) }.count
        require(
          range == lower..<lower + count, "records \(range) for \(prefix), and not \(lower..<lower + count) of \(all)")
      }
    }
  }

  private func sharesTruly(_ keys: KeyBlocks) -> Bool {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: keys.longestStem + 64) { scratch in
      var cursor = StemCursor(keys, at: 0, buffer: scratch.baseAddress!)
      var before: [UInt8] = []
      for record in 0..<keys.count {
        if record > 0 { cursor.advance() }
        let stem = Array(UnsafeBufferPointer(start: cursor.stem, count: cursor.stemSize))
        var common = 0
        while common < min(before.count, stem.count), before[common] == stem[common] { common += 1 }
        if common != keys.sharedSize(record) { return false }
        before = stem
      }
      return true
    }
  }

  private func decode(_ columns: FieldColumns, _ keys: KeyBlocks, _ header: ShardHeader) {
    let isSound = columns.firstMisplacedRows(keys: keys) == nil
    func decode(_ range: Range<Int>, _ buffer: RecordBuffer) {
      buffer.clear()
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
        columns.decode(range, keys: keys, scratch: scratch.baseAddress!, into: &buffer.output.pointee)
      }
      require(buffer.count == range.count, "\(buffer.count) records of \(range.count)")
    }
    let range = 0..<min(keys.count, 35)
    decode(range, buffer)
    var sums: [[UInt8]] = []
    for record in range {
      let fields = buffer.rawFields(ofRecord: record)
      require(fields.count <= header.columnCount, "more fields than columns")
      var sum: [UInt8] = []
      for number in fields {
        let field = buffer.rawField(number)
        require(field.kind.rawValue < 3, "a kind")
        sum += [UInt8(field.name & 255), field.kind.rawValue, 0]
        if field.text.count > 0 { sum += field.text }
      }
      sums.append(sum)
    }
    // Read one by one, the records are the same.
    for record in range where isSound && (record % 16 == 0 || record % 7 == 3) {
      decode(record..<record + 1, single)
      var sum: [UInt8] = []
      for number in single.rawFields(ofRecord: 0) {
        let field = single.rawField(number)
        sum += [UInt8(field.name & 255), field.kind.rawValue, 0]
        if field.text.count > 0 { sum += field.text }
      }
      require(sum == sums[record], "record \(record) alone is another one")
    }
    if keys.count > 40 { decode(keys.count - 3..<keys.count, single) }
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    func seed(_ lines: String, _ part: Int, key: String = SeedRecords.key) -> [UInt8] {
      let (chunk, records, names) = SeedRecords.sorted(lines.utf8, key: key)
      let encoder = ShardEncoder(names: names.names)
      let file = withExtendedLifetime(chunk) { encoder.file(encoder.encode(records), level: 1, with: Compressor()) }
      var (contents, start): ([[UInt8]], Int) = ([], 0)
      while start < file.bytes.count {
        let (content, size) = SeedFrames.content(file.bytes[start...])
        contents.append(content)
        start += size
      }
      let (header, keys, fields) = (contents[0], contents[1 + 2 * part], contents[2 + 2 * part])
      func size(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)] }
      return [UInt8(part)] + size(header) + size(keys) + header + keys + fields
    }
    let plain = (0..<40).map { "{\"name\":\"n\($0 / 2)\",\"v\":\($0 * $0)}\n" }.joined()
    let long = (0..<5).map { "{\"name\":\"" + String(repeating: "x", count: 260) + "\($0)\"}\n" }.joined()
    let minutes = (0..<40).map { "{\"name\":\"m\($0)\",\"lat\":\($0).\(["51667", "25", "083333", "5"][$0 % 4])}\n" }
      .joined()
    return [
      ("one", seed("{\"name\":\"a\"}\n", 0)), ("plain", seed(plain, 0, key: "{name}")),
      ("long", seed(long, 0, key: "{name}")), ("minutes", seed(minutes, 0, key: "{name}")),
      ("all", seed(SeedRecords.lines(60), 0)), ("parts", seed(SeedRecords.lines(160), 1)),
    ]
  }
}
