/// The answer to a prefix: which records match, counted; nothing is decoded before it is asked for.
///
/// It stands for the generation of the index that gave it.
public struct Matches: Sendable {
  let index: ShardedIndex
  /// Positions in the order of the whole index.
  let range: Range<Int>
  /// The part that the query found the first match in, or right before.
  private let first: PartReference?

  @inline(__always)
  init(_ index: ShardedIndex, range: Range<Int>, first: PartReference?) {
    self.index = index
    self.range = range
    self.first = first
  }

  /// All matches, whether or not they are ever decoded.
  public var count: Int { range.count }
  public var isEmpty: Bool { range.isEmpty }

  /// Where the first match stands among all records of the index.
  public var firstPosition: Int { range.lowerBound }

  /// Some of the matches, decoded.
  ///
  /// Loads the shards that hold them and no other; what lies before is not decoded.
  ///
  /// - Parameter positions: 0 is the first match. What lies beyond the last one is left out.
  /// - Throws: ``IndexError`` if a shard cannot be read or is damaged.
  public func records(in positions: Range<Int>) throws(IndexError) -> Records {
    let buffer = RecordBuffer()
    try read(positions, into: buffer)
    return Records(buffer: buffer, schema: index.schema)
  }

  /// Decodes some of the matches into a buffer that is used again and again; what it held before is gone.
  ///
  /// The way to read many answers, or one long one, without an allocation for each.
  public func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError) {
    buffer.removeAll()
    let count = range.count
    let lower = range.lowerBound &+ min(max(0, positions.lowerBound), count)
    let upper = range.lowerBound &+ min(max(0, positions.upperBound), count)
    guard lower < upper else { return }
    var position = lower
    if let first {
      // Mostly all that is wanted lies in the part that the query had.
      let end = min(upper, first.start &+ first.part.keys.count)
      if first.start <= position, position < end {
        try decode(position &- first.start..<end &- first.start, of: first, into: buffer)
        position = end
      }
    }
    if position < upper { try read(from: position, to: upper, into: buffer) }
  }

  @inline(never)
  private func read(from lower: Int, to upper: Int, into buffer: RecordBuffer) throws(IndexError) {
    var position = lower
    var shard = try index.manifest.shard(holding: lower)
    while true {
      let end = min(upper, shard.firstRecord &+ shard.recordCount)
      while position < end {
        let part = try index.part(of: shard, promotes: false) { $0.part(holding: position &- shard.firstRecord) }
        let partEnd = min(end, part.start &+ part.part.keys.count)
        try decode(position &- part.start..<partEnd &- part.start, of: part, into: buffer)
        position = partEnd
      }
      guard position < upper else { return }
      shard = try index.manifest.shard(shard.number &+ 1)
    }
  }

  @inline(__always)
  private func decode(_ range: Range<Int>, of part: PartReference, into buffer: RecordBuffer) throws(IndexError) {
    let fields = try index.fields(of: part)
    let keys = part.part.keys
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: FieldColumns.scratchSize(keys)) { scratch in
      fields.columns.decode(range, keys: keys, scratch: scratch.baseAddress!, into: &buffer.output.pointee)
    }
  }
}

/// Decoded records, in key order.
public struct Records: RandomAccessCollection, @unchecked Sendable {
  // Sendable because nothing writes to the buffer once it is here.
  let buffer: RecordBuffer
  let schema: Schema

  public var startIndex: Int { 0 }
  public var endIndex: Int { buffer.count }
  public subscript(position: Int) -> Record {
    precondition(position >= 0 && position < buffer.count, "no such record")
    return Record(buffer: buffer, number: position, schema: schema)
  }
}

/// One record: its fields in the order they came in, each with exactly the text that it came with.
public struct Record: @unchecked Sendable {
  let buffer: RecordBuffer
  let number: Int
  let schema: Schema

  /// One field of a record.
  public struct Field: Sendable, Equatable {
    /// A nested field's path, `coord.lon`; a dot or backslash inside a name is written `\.` or `\\`.
    public let name: String
    public let kind: ValueKind
    /// Numbers have the digits they had.
    public let text: String
  }

  /// The text that a person types a prefix of, made by the index's template.
  public var key: String {
    var text = ""
    for part in schema.template.parts {
      switch part {
      case .text(let literal): text += literal
      case .field(let name): text += self[fieldNumber: name] ?? ""
      }
    }
    return text
  }

  public var fields: [Field] {
    buffer.fieldRange(number).map { slot in
      let field = buffer.output.pointee.fields[slot]
      return Field(
        name: schema.names[Int(field.name)], kind: ValueKind(rawValue: field.kind) ?? .string,
        text: buffer.withText(slot) { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The text of the field `name`; nil if the record has none of that name.
  public subscript(name: String) -> String? {
    guard let wanted = schema.names.firstIndex(of: name) else { return nil }
    return self[fieldNumber: wanted]
  }

  package subscript(fieldNumber wanted: Int) -> String? {
    for slot in buffer.fieldRange(number) where Int(buffer.output.pointee.fields[slot].name) == wanted {
      return buffer.withText(slot) { String(decoding: $0, as: UTF8.self) }
    }
    return nil
  }
}
