extension RecordBuffer {
  /// One field in the buffer; valid until the next use of the buffer.
  @safe package struct RawField {
    /// The position of its name among the index's field names.
    package var name: Int
    package var kind: ValueKind
    package var text: UnsafeBufferPointer<UInt8>
    /// The text that the field adds to a key; empty for `null`.
    package var keyText: UnsafeBufferPointer<UInt8> {
      unsafe ValueKind.isNull(kind.rawValue, text) ? UnsafeBufferPointer(start: nil, count: 0) : text
    }
  }

  /// Returns the range of a record's fields among all fields of the buffer.
  package func rawFields(ofRecord record: Int) -> Range<Int> {
    renderNumbers()
    return fieldRange(record)
  }

  package func rawField(_ number: Int) -> RawField {
    let field = unsafe output.pointee.fields[number]
    let text = unsafe UnsafeBufferPointer(
      start: UnsafePointer(output.pointee.bytes) + Int(field.value), count: field.size)
    return unsafe RawField(name: Int(field.name), kind: ValueKind(rawValue: field.kind) ?? .string, text: text)
  }

  /// Calls `body` with the fields of all records, one after the other. It gets the number of the field, name and kind
  /// as in ``RawField``, and the offset and the size of the text in ``rawTexts``, in bytes.
  package func forEachRawField(
    _ body: (_ number: Int, _ name: Int, _ kind: ValueKind, _ offset: Int, _ size: Int) -> Void
  ) {
    renderNumbers()
    let fields = unsafe output.pointee.fields
    for number in 0..<rawFieldCount {
      let field = unsafe fields[number]
      body(number, Int(field.name), ValueKind(rawValue: field.kind) ?? .string, Int(field.value), field.size)
    }
  }

  /// The number of fields of all records together.
  package var rawFieldCount: Int { count == 0 ? 0 : fieldRange(count - 1).upperBound }

  /// The texts of all fields, after a call for the fields of a record; valid until the next use of the buffer.
  package var rawTexts: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: UnsafePointer(output.pointee.bytes), count: output.pointee.byteCount)
  }

  /// Whether a record has more bytes than the limit, and lacks some of its texts.
  package var isOverlong: Bool { unsafe output.pointee.isOverlong }

  package func rawName(ofField number: Int) -> UInt16 { unsafe output.pointee.fields[number].name }
  func rawKind(ofField number: Int) -> UInt8 { unsafe output.pointee.fields[number].kind }

  /// Empties the buffer for the next records.
  package func clear() { removeAll() }
}
