extension ShardedIndex {
  /// Decoded records, in key order.
  public struct Records: RandomAccessCollection, @unchecked Sendable {
    // Sendable because nothing writes to the buffer from here on.
    package let buffer: RecordBuffer
    package let schema: Schema
    /// The folded keys, in an index that does not store its keys.
    package let folded: FoldedKeys?
    let positions: RecordPositions

    /// The position of the first record: always 0.
    public var startIndex: Int { 0 }
    /// The number of records.
    public var endIndex: Int { buffer.count }
    /// One of the records. O(1): the records are decoded already.
    public subscript(position: Int) -> Record {
      precondition(position >= 0 && position < buffer.count, "no such record")
      return Record(
        buffer: buffer, number: position, schema: schema, folded: folded, position: positions[position])
    }
  }

  /// The positions of decoded records among all records of their generation.
  enum RecordPositions: Sendable {
    /// Runs of records that follow each other.
    case runs([Range<Int>])
    /// A position for each record.
    case each([Int])

    subscript(number: Int) -> Int {
      switch self {
      case .each(let positions): return positions[number]
      case .runs(let runs):
        var before = 0
        for run in runs {
          if number - before < run.count { return run.lowerBound + number - before }
          before += run.count
        }
        preconditionFailure("no such record")
      }
    }
  }

  /// One record: its fields in the order of the dataset, each with exactly the text that it has in the dataset.
  public struct Record: @unchecked Sendable {
    let buffer: RecordBuffer
    let number: Int
    let schema: Schema
    let folded: FoldedKeys?
    /// The position among all records of the generation.
    let position: Int

    /// Makes a record from a buffer, by its number there. The buffer must not change as long as the record is used.
    ///
    /// - Parameter position: The position among all records of the generation; -1 for a caller that reads no identity.
    package init(buffer: RecordBuffer, number: Int, schema: Schema, folded: FoldedKeys?, position: Int = -1) {
      (self.buffer, self.number, self.schema, self.folded) = (buffer, number, schema, folded)
      self.position = position
    }

    /// One field of a record.
    public struct Field: Sendable, Hashable {
      /// The name of the field, or the path of a nested one, `coord.lon`; a dot or backslash inside a name is written
      /// `\.` or `\\`.
      public let name: String
      /// The kind of value that the text stood for in the dataset.
      public let kind: ValueKind
      /// The text of the value; a number has the digits that it had in the dataset.
      public let text: String

      package init(name: String, kind: ValueKind, text: String) {
        self.name = name
        self.kind = kind
        self.text = text
      }
    }

    /// The text of the record that people type the beginning of; the index's template makes it.
    ///
    /// If the index does not store a field that the template names (``ShardedIndex/storesKeys``), this is the folded
    /// key, without case and accents. The folded key finds the record as well.
    public var key: String {
      if let folded { return folded.text(number) }
      var text = ""
      // A template may name one long field many times; no key is longer than this limit.
      for part in schema.template.parts where text.utf8.count <= FieldColumns.recordLimit {
        switch part {
        case .text(let literal): text += literal
        case .field(let name): text += keyText(fieldNumber: name)
        }
      }
      return text
    }

    /// All fields, in the order of the dataset.
    ///
    /// - Complexity: O(*n*) in the size of their texts, which it copies.
    public var fields: [Field] {
      buffer.fieldRange(number).map { slot in
        let field = unsafe buffer.output.pointee.fields[slot]
        return unsafe Field(
          name: schema.names[Int(field.name)], kind: ValueKind(rawValue: field.kind) ?? .string,
          text: buffer.withText(slot) { unsafe String(decoding: $0, as: UTF8.self) })
      }
    }

    /// The text of the field `name`; nil if the record has no such field. O(*n*): *n* fields of the index.
    public subscript(name: String) -> String? {
      guard let wanted = schema.names.firstIndex(of: name) else { return nil }
      return self[fieldNumber: wanted]
    }

    /// Returns the text that a field adds to the key: no text if the field is missing or `null`.
    private func keyText(fieldNumber wanted: Int) -> String {
      for slot in buffer.fieldRange(number) where unsafe Int(buffer.output.pointee.fields[slot].name) == wanted {
        let kind = unsafe buffer.output.pointee.fields[slot].kind
        return unsafe buffer.withText(slot) {
          unsafe ValueKind.isNull(kind, $0) ? "" : String(decoding: $0, as: UTF8.self)
        }
      }
      return ""
    }

    package subscript(fieldNumber wanted: Int) -> String? {
      for slot in buffer.fieldRange(number) where unsafe Int(buffer.output.pointee.fields[slot].name) == wanted {
        return unsafe buffer.withText(slot) { unsafe String(decoding: $0, as: UTF8.self) }
      }
      return nil
    }

    /// Returns the value of a field; nil if the record does not have the field.
    package func value(ofField wanted: Int) -> (text: [UInt8], kind: ValueKind)? {
      for slot in buffer.fieldRange(number) where unsafe Int(buffer.output.pointee.fields[slot].name) == wanted {
        let kind = unsafe ValueKind(rawValue: buffer.output.pointee.fields[slot].kind) ?? .string
        return unsafe (buffer.withText(slot) { unsafe Array($0) }, kind)
      }
      return nil
    }
  }
}
