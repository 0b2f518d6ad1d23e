import ShardBuilder
import ShardedIndex

/// Sends JSON lines through a build without files: the records decoded from the shards must equal the records read.
///
/// Input: a byte that picks key and limit, then the dataset.
final class BuildTarget: FuzzTarget {
  private let compressor = Compressor()
  private let context = Decompressor()
  private let buffer = RecordBuffer()

  init() {}

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let flags = reader.byte()
    let key = ["{name}, {country}", "{a}", "{a}{b}, {a}", "x{{{a.b}, "][flags & 3]
    let (chunk, records, names) = SeedRecords.sorted(reader.rest, key: key)
    guard !records.isEmpty else { return }
    let order = RecordOrder(names: names)
    for index in 1..<records.count {
      require(!records[index].folded.lexicographicallyPrecedes(records[index - 1].folded), "the order of keys")
      require(order.compare(records[index], records[index - 1]) >= 0, "an order that is none")
    }
    let limit = [100, 700, 3000, 65536][flags >> 2 & 3]
    var cutter = Cutter(limit: limit, order: order)
    for record in records { cutter.append(record) }
    cutter.finish()
    let encoder = ShardEncoder(names: names.names)
    var next = 0
    var last: [UInt8]?
    for piece in cutter.finished {
      let shards = try? piece.encoded(limit: limit) { (part) throws(BuildError) in
        (part, encoder.encode((0..<part.count).map { part.record($0) }))
      } size: {
        $0.1.size
      }
      for (part, content) in shards ?? [] {
        let bound = part.lowerBound
        if let last {
          require(!bound.lexicographicallyPrecedes(last) || Array(part.record(0).folded) == last, "a bound")
        }
        require(!Array(part.record(0).folded).lexicographicallyPrecedes(bound), "a bound above its first key")
        check(encoder.file(content, level: 1, with: compressor), records[next..<next + part.count], names)
        next += part.count
        last = Array(records[next - 1].folded)
      }
    }
    require(next == records.count, "\(next) records of \(records.count) in shards")
    withExtendedLifetime(chunk) {}
  }

  /// Loads a shard as a query does, and compares all its records.
  private func check(_ file: ShardEncoder.File, _ records: ArraySlice<RecordBlob>, _ names: FieldNames) {
    file.bytes.withUnsafeBufferPointer { bytes in
      // The content is valid until the next call.
      func content(_ start: Int, _ size: Int, _ count: Int) throws(FormatError) -> UnsafeBufferPointer<UInt8> {
        try context.unpack(UnsafeBufferPointer(rebasing: bytes[start..<start + size]), size: count)
      }
      do throws(FormatError) {
        let header = try ShardHeader(
          content: try content(0, file.headerSize, file.headerContentSize), records: records.count,
          fileSize: bytes.count, frameSize: file.headerSize,
          name: { path in names.names.firstIndex { $0.utf8.elementsEqual(path) } })
        for part in (0..<header.parts.count).map({ header.parts[$0] }) {
          let keysContent = try content(part.offset, part.keysSize, part.keysContentSize)
          let keys = try KeyBlocks(
            content: keysContent, records: part.recordCount, header: header, table: context.table)
          defer { keys.deallocate() }
          let fieldsContent = try content(part.offset + part.keysSize, part.fieldsSize, part.fieldsContentSize)
          let columns = try FieldColumns(
            content: fieldsContent, records: part.recordCount, header: header, table: context.table)
          defer { columns.deallocate() }
          require(columns.firstMisplacedRows(keys: keys) == nil, "rows of numbers")
          let first = records.startIndex + part.firstRecord
          keys.forEachKey(in: 0..<keys.count) { record, key in
            require(key.elementsEqual(records[first + record].folded), "the key of a record")
          }
          buffer.clear()
          withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
            columns.decode(0..<keys.count, keys: keys, scratch: scratch.baseAddress!, into: &buffer.output.pointee)
          }
          for record in 0..<keys.count { compare(record, records[first + record], names) }
        }
      } catch {
        fail("a shard that no reader takes: \(error)")
      }
    }
  }

  private func compare(_ record: Int, _ blob: RecordBlob, _ names: FieldNames) {
    let fields = buffer.rawFields(ofRecord: record)
    require(fields.count == blob.fieldCount, "\(fields.count) fields, and not \(blob.fieldCount)")
    var offset = blob.textsOffset
    for (index, number) in fields.enumerated() {
      let field = buffer.rawField(number)
      require(field.name == Int(blob.fieldName(index)), "a field's name")
      require(field.kind.rawValue == blob.fieldKind(index).rawValue, "a field's kind")
      require(field.text.elementsEqual(blob.text(index, &offset)), "a field's text")
    }
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    let numbers = [
      "0.5", "-1e5", "00", "1.10", "-0.0", "999999999999999999", "-999999999999999999", "1.25", "0.33333", "1e400",
    ]
    let lines = (0..<40).map {
      "{\"a\":\"n\($0 / 3)\",\"b\":\($0 % 7),\"n\":\"\(numbers[$0 % 10])\",\"m\":\($0 * 12345).\($0)1}\n"
    }
    let floats = (0..<30).map { "{\"a\":\"f\($0)\",\"lat\":\($0 % 90).\(Float($0) * 1234.5678)}\n" }
    return [
      ("all", [8] + Array(SeedRecords.lines(50).utf8)), ("numbers", [5] + Array(lines.joined().utf8)),
      ("floats", [13] + Array(floats.joined().utf8)),
      (
        "shapes",
        [1] + Array("{\"a\":1}\n{\"a\":1,\"b\":2}\n{\"b\":1,\"a\":[]}\n{\"c\":{\"a\":{}}}\n{\"a\":null}\n".utf8)
      ),
      ("nested", [15] + Array("{\"a\":{\"b\":\"San José\"}}\n{\"a\":{\"b\":\"san jose\",\"c\":\"SAN JOSE\"}}\n".utf8)),
      ("equal", [1] + Array(String(repeating: "{\"a\":\"same\"}\n", count: 30).utf8)),
    ]
  }
}
