import ShardedIndex

/// The fields of the beginning of a shard's header: docs/format.md §4.1 to §4.3.
package struct ShardHeaderLayout {
  package struct Frame {
    package var size: Int
    package var contentSize: Int
    package var checksum: UInt32

    package init(size: Int, contentSize: Int, checksum: UInt32) {
      (self.size, self.contentSize, self.checksum) = (size, contentSize, checksum)
    }
  }
  package struct Part {
    package var records: Int
    /// Twice the size of the part's bound, plus 1 for a continuation.
    package var bound: Int
    package var keys: Frame
    package var fields: Frame
  }

  package var records: Int
  /// The claimed number of parts.
  package var partCount: Int
  package var parts: [Part] = []
  package var bounds: [UInt8]
  package var suffixFields: [[UInt8]] = []
  /// The claimed sizes of the suffix fields; nil for the true ones.
  package var suffixFieldSizes: [UInt8]?
  /// The lengths of the codes in the header; empty if there are fewer than two suffix fields.
  package var suffixFieldCode: [UInt8] = []
  package var suffixCode: [UInt8]
  private var counts: [Int]
  /// The bytes behind these fields.
  private var rest: [UInt8]

  package init(_ content: [UInt8]) throws {
    self = try content.withUnsafeBufferPointer { bytes in
      var reader = ByteReader(bytes)
      return try Self(&reader, content)
    }
  }

  private init(_ reader: inout ByteReader, _ content: [UInt8]) throws {
    guard try reader.read(UInt32.self) == ShardHeader.magic else {
      throw FormatError.invalid(reason: "the layout of a shard's header is another one: see docs/format.md", offset: 0)
    }
    records = try reader.readVarint()
    partCount = try reader.readVarint()
    let suffixFieldCount = try reader.readVarint()
    counts = [try reader.readVarint(), try reader.readVarint(), try reader.readVarint()]
    for _ in 0..<partCount {
      parts.append(
        Part(
          records: try reader.readVarint(), bound: try reader.readVarint(), keys: try Frame(&reader),
          fields: try Frame(&reader)))
    }
    bounds = Array(try reader.read(bytes: parts.reduce(0) { $0 + $1.bound >> 1 }))
    if suffixFieldCount > 0 {
      let size = try reader.readVarint()
      let sizes =
        size == 0
        ? try reader.read(bytes: suffixFieldCount).map { Int($0) } : [Int](repeating: size, count: suffixFieldCount)
      for size in sizes { suffixFields.append(Array(try reader.read(bytes: size))) }
    }
    suffixFieldCode = suffixFieldCount > 1 ? try Self.code(&reader, content) : []
    suffixCode = try Self.code(&reader, content)
    rest = Array(content[reader.offset...])
  }

  /// The lengths of a code, as the content has them.
  private static func code(_ reader: inout ByteReader, _ content: [UInt8]) throws -> [UInt8] {
    let start = reader.offset
    var byte = try reader.read(UInt8.self)
    var (share, halves) = (byte == 0 ? 1024 : 0, 0)
    func half(_ reader: inout ByteReader) throws -> Int {
      if halves > 0, halves % 2 == 0 { byte = try reader.read(UInt8.self) }
      defer { halves += 1 }
      return Int(halves % 2 == 0 ? byte & 15 : byte >> 4)
    }
    while share < 1024 {
      let length = try half(&reader)
      if length == 15 { _ = try half(&reader) }
      if 1...10 ~= length { share += 1024 >> length }
    }
    return Array(content[start..<reader.offset])
  }

  package var content: [UInt8] {
    var writer = ByteWriter()
    writer.write(ShardHeader.magic)
    for count in [records, partCount, suffixFields.count] + counts { writer.writeVarint(count) }
    for part in parts {
      writer.writeVarint(part.records)
      writer.writeVarint(part.bound)
      for frame in [part.keys, part.fields] {
        writer.writeVarint(frame.size)
        writer.writeVarint(frame.contentSize)
        writer.write(frame.checksum)
      }
    }
    writer.write(bounds)
    if let suffixFieldSizes {
      writer.write([0] + suffixFieldSizes)
    } else if let first = suffixFields.first {
      let areEqual = suffixFields.allSatisfy { $0.count == first.count }
      writer.writeVarint(areEqual ? first.count : 0)
      if !areEqual { writer.write(suffixFields.map { UInt8($0.count) }) }
    }
    writer.write(suffixFields.joined() + suffixFieldCode + suffixCode + rest)
    return writer.bytes
  }
}

extension ShardHeaderLayout.Frame {
  package init(_ reader: inout ByteReader) throws {
    size = try reader.readVarint()
    contentSize = try reader.readVarint()
    checksum = try reader.read(UInt32.self)
  }
}
