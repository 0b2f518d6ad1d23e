import ShardedIndex

/// Entries as lines. A line has the key, then a column for each field of entries: empty if the entry lacks the field,
/// else the letter of its kind and its text. Source: docs/distributed.md.
struct EntryLines {
  private let names: FieldNames
  private let fieldCount: Int
  private var encoder = RecordEncoder.ofEntries

  init(_ rules: EntryRules) {
    let names = FieldNames(rules.fieldNames)
    (self.names, fieldCount) = (names, rules.fieldNames.count)
    encoder.learn(names)
  }

  private static func letter(_ kind: FieldKind) -> UInt8 {
    switch kind {
    case .string: UInt8(ascii: "s")
    case .number: UInt8(ascii: "n")
    case .literal: UInt8(ascii: "l")
    }
  }

  private static func kind(_ letter: UInt8) -> FieldKind? {
    [FieldKind.string, .number, .literal].first { Self.letter($0) == letter }
  }

  /// Appends the line of an entry, without its line feed.
  func append(_ entry: RecordBlob, to line: inout [UInt8]) {
    unsafe RangeText.append(entry.folded, to: &line)
    var offset = entry.textsOffset
    var next: UInt32 = 0
    for index in 0..<entry.fieldCount {
      let text = unsafe entry.text(index, &offset)
      while next <= entry.fieldName(index) {
        line.append(0x09)
        next += 1
      }
      line.append(Self.letter(entry.fieldKind(index)))
      unsafe RangeText.append(text, to: &line)
    }
    while next < fieldCount {
      line.append(0x09)
      next += 1
    }
  }

  /// Appends the entry of a line to an arena.
  ///
  /// - Returns: The reason why the line is not the line of an entry; nil if it is one.
  mutating func read(_ line: ArraySlice<UInt8>, into chunk: RecordArena) -> String? {
    let columns = RangeText.columns(line)
    guard columns.count == fieldCount + 1, let key = RangeText.bytes(columns[0]) else {
      return "has \(columns.count) columns, and an entry of this plan has \(fieldCount + 1)"
    }
    var fields: [FieldSlice] = []
    var texts: [UInt8] = []
    for (number, column) in columns.dropFirst().enumerated() where !column.isEmpty {
      guard let kind = Self.kind(column[column.startIndex]), let text = RangeText.bytes(column.dropFirst()) else {
        return "has a damaged text in column \(number + 2)"
      }
      fields.append(
        FieldSlice(name: UInt32(number), kind: kind, offset: UInt32(texts.count), length: UInt32(text.count)))
      texts += text
    }
    let count = chunk.count
    encoder.append(entry: fields, texts, folded: key[...], into: chunk)
    return chunk.count == count ? "has an entry that no record makes" : nil
  }
}
