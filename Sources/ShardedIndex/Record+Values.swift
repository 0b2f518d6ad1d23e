extension ShardedIndex.Record: Identifiable {
  /// The identity of a record in an index.
  public enum ID: Hashable, Sendable, CustomStringConvertible {
    /// The text of the index's id field.
    case field(String)
    /// The position of a record without an id among all records of a generation.
    case position(Int)
    /// The position of a record without an id among the records of the starts of an index on another machine, which do
    /// not tell its position among all records.
    case positionInStarts(Int)

    /// The text of the id field, or `#` and the position; `starts#` and the position in starts.
    public var description: String {
      switch self {
      case .field(let text): text
      case .position(let position): "#\(position)"
      case .positionInStarts(let position): "starts#\(position)"
      }
    }
  }

  /// The text of the index's id field; the position in the generation if the index or the record has no id.
  ///
  /// An id text stays the same in each generation; a position does not. If a dataset has an id twice, so has the index.
  public var id: ID {
    guard let field = schema.id, let (text, kind) = value(ofField: field), Self.isID(text, kind) else {
      return schema.isOfStarts ? .positionInStarts(position) : .position(position)
    }
    return .field(String(decoding: text, as: UTF8.self))
  }

  /// Returns the id of a record in a buffer, the text of a field; nil if the record has none. Source: docs/format.md
  /// section 3.8.
  package static func id(ofRecord record: Int, in buffer: RecordBuffer, field name: Int) -> [UInt8]? {
    for slot in buffer.rawFields(ofRecord: record) where Int(buffer.rawName(ofField: slot)) == name {
      let field = buffer.rawField(slot)
      return unsafe isID(field.text, field.kind) ? Array(field.text) : nil
    }
    return nil
  }

  /// Returns whether a value is an id. Blanks, `null`, arrays and objects are not, since many records may have them.
  private static func isID(_ text: some Collection<UInt8>, _ kind: ValueKind) -> Bool {
    switch kind {
    case .number: true
    case .string: text.contains { $0 > 0x20 }
    case .literal: text.first == UInt8(ascii: "t") || text.first == UInt8(ascii: "f")
    }
  }
}

extension ShardedIndex.Record: Hashable {
  /// Whether two records have the same key and the same fields, in the same order.
  ///
  /// - Complexity: O(*n*) in the size of their texts.
  public static func == (left: Self, right: Self) -> Bool { left.key == right.key && left.fields == right.fields }

  /// Hashes the key and the fields.
  ///
  /// - Complexity: O(*n*) in the size of their texts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
    hasher.combine(fields)
  }
}

extension ShardedIndex.Record: CustomStringConvertible {
  /// The key.
  public var description: String { key }
}

extension ShardedIndex.Record {
  /// The value of the field `name`, read from its text.
  ///
  /// ```swift
  /// if let latitude = record["lat", as: Double.self] { print(latitude) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the field, or the path of a nested one.
  ///   - type: The type of the value.
  /// - Returns: nil if the record has no field of that name, if the field is `null`, or if its text is not a value of
  ///   the type.
  /// - Complexity: O(*n*) in the fields of the index.
  public subscript<Value: LosslessStringConvertible>(name: String, as type: Value.Type) -> Value? {
    guard let field = schema.names.firstIndex(of: name), let (text, kind) = value(ofField: field) else { return nil }
    let isNull = kind == .literal && text.first == UInt8(ascii: "n")
    return isNull ? nil : Value(String(decoding: text, as: UTF8.self))
  }
}

extension ShardedIndex.Records: CustomStringConvertible {
  /// The keys of the records: `[Paris, FR; Parma, IT]`.
  public var description: String { "[" + map { $0.key }.joined(separator: "; ") + "]" }
}

extension ShardedIndex.Hit: Identifiable {
  /// The identity of the record.
  public var id: ShardedIndex.Record.ID { record.id }
}

extension ShardedIndex.Hit: Hashable {
  /// Whether two hits have equal records and the same rank.
  public static func == (left: Self, right: Self) -> Bool {
    left.rank == right.rank && left.isSettled == right.isSettled && left.record == right.record
  }

  /// Hashes the rank and the record.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    hasher.combine(record)
  }
}

extension ShardedIndex.Hit: CustomStringConvertible {
  /// The key of the record.
  public var description: String { record.key }
}

extension ShardedIndex.Answer: CustomStringConvertible {
  /// The number of hits: `10 hits`; `10 hits, and more` if there may be further hits.
  public var description: String { counted(count, "hit", "hits") + (hasMore ? ", and more" : "") }
}

#if !hasFeature(Embedded)
  extension ShardedIndex.Record {
    /// Makes a value of the record's fields.
    ///
    /// ```swift
    /// struct City: Decodable { let name: String, lat: Double?, population: Int? }
    /// let city = try record.decode(City.self)
    /// ```
    ///
    /// A field `coord.lon` is the field `lon` of a nested value `coord`. A field that is a JSON array decodes as an
    /// array. A number is read from the text of the field, even if the dataset had it in quotes: fields of CSV are
    /// text. A field that is missing or `null` decodes as nil. An empty text decodes as nil if the type is a number or
    /// a `Bool`.
    ///
    /// - Parameter type: The type of the value.
    /// - Throws: `DecodingError` with the name of the field, or an error of the type's own.
    /// - Complexity: O(*n*): *n* bytes of the fields. Copies all of them.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try Value(from: FieldDecoder(value: FieldValue(fields), codingPath: []))
    }
  }
#endif
