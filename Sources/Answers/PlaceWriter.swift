import ShardedIndex

/// A writer of the texts that a list or a map shows for a record: the key, the ranges that matched, and the
/// coordinates.
package struct PlaceWriter {
  private let schema: Schema
  private let name: Int?
  private let country: Int?
  private var line: [UInt8] = []
  /// Whether the buffer's records need ``foldedKeys``, since the index does not store all fields of their keys.
  package var needsFoldedKeys: Bool { !schema.isKeyStored }
  /// The folded keys of the next records.
  package var foldedKeys = FoldedKeys()

  package init(_ schema: Schema) {
    self.schema = schema
    name = schema.names.number(of: "name")
    country = Self.countryField(of: schema).flatMap { schema.names.number(of: $0) }
  }

  /// The path of the field with a record's country; nil if there is none.
  package static func countryField(of schema: Schema) -> String? {
    ["country", "country_code", "countrycode", "country code"].first { schema.names.number(of: $0) != nil }
  }

  private mutating func makeKey(_ buffer: RecordBuffer, _ record: Int) {
    line.removeAll(keepingCapacity: true)
    if needsFoldedKeys { line += foldedKeys[record] } else { buffer.appendKey(ofRecord: record, schema, to: &line) }
  }

  private func writeKey(to output: inout Output) throws(WriteError) {
    try unsafe line.withUnsafeBufferPointer { (bytes) throws(WriteError) in
      try unsafe JSONText.write(bytes, to: &output)
    }
  }

  /// Returns a record of a buffer, which is valid until the buffer changes.
  package func record(_ number: Int, of buffer: RecordBuffer) -> ShardedIndex.Record {
    ShardedIndex.Record(
      buffer: buffer, number: number, schema: schema, folded: needsFoldedKeys ? foldedKeys : nil)
  }

  /// Writes `{"label":...,"name":...,"match":[[...,...]],"latitude":...,"longitude":...}`; `name` is the other name
  /// that the query matched. The name and the coordinates are left out if the record has none.
  ///
  /// `match` has ranges of the name, or else of the label, in units of UTF-16.
  ///
  /// - Parameters:
  ///   - match: The text that the query matched, and its ranges in bytes of UTF-8.
  ///   - position: The record's position in the index, if the object should have it.
  package mutating func writeDisplay(
    _ buffer: RecordBuffer, _ record: Int, match: (via: ShardedIndex.Via, highlights: [Range<Int>]),
    position: Int? = nil, to output: inout Output
  ) throws(WriteError) {
    makeKey(buffer, record)
    try output.write("{\"label\":" as StaticString)
    try writeKey(to: &output)
    if case .otherName(let name) = match.via {
      try output.write(",\"name\":" as StaticString)
      try JSONText.write(name, to: &output)
      line = Array(name.utf8)
    }
    try output.write(",\"match\":" as StaticString)
    try JSONText.write(
      match.highlights.map { Self.units(in: line[..<$0.lowerBound])..<Self.units(in: line[..<$0.upperBound]) },
      to: &output)
    if let (latitude, longitude) = Degrees.digits(ofRecord: record, in: buffer, schema) {
      try output.write(",\"latitude\":" as StaticString)
      try output.write(latitude)
      try output.write(",\"longitude\":" as StaticString)
      try output.write(longitude)
    }
    if let position {
      try output.write(",\"position\":" as StaticString)
      try output.write(number: position)
    }
    try output.write(0x7d)
  }

  /// Returns the size of a text, in units of UTF-16.
  private static func units(in text: ArraySlice<UInt8>) -> Int {
    text.reduce(0) { $0 + ($1 & 0xc0 == 0x80 ? 0 : $1 >= 0xf0 ? 2 : 1) }
  }

  /// A record's country as a code of two capital letters; nil if the record has none.
  package func countryCode(_ buffer: RecordBuffer, _ record: Int) -> String? {
    guard let text = unsafe buffer.text(ofField: country, record), let (first, second) = unsafe Self.code(text) else {
      return nil
    }
    return String(decoding: [first, second], as: UTF8.self)
  }

  private static func code(_ text: UnsafeBufferPointer<UInt8>) -> (UInt8, UInt8)? {
    guard text.count == 2, unsafe text.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a }) else { return nil }
    return unsafe (text[0] & ~0x20, text[1] & ~0x20)
  }

  /// Writes a feature in the form of the geocoder Photon. It has `name`, `country` and `countrycode` if the record has
  /// them, and the key as `label`. Other fields but the coordinates are members of `extra`.
  package mutating func writePhotonFeature(
    _ buffer: RecordBuffer, _ record: Int, to output: inout Output
  ) throws(WriteError) {
    makeKey(buffer, record)
    try output.write("{\"type\":\"Feature\",\"geometry\":" as StaticString)
    try RecordWriter.writePoint(buffer, record, schema, to: &output)
    try output.write(",\"properties\":{\"name\":" as StaticString)
    if let name = unsafe buffer.text(ofField: name, record) {
      try unsafe JSONText.write(name, to: &output)
    } else {
      try writeKey(to: &output)
    }
    if let country = unsafe buffer.text(ofField: country, record) {
      try output.write(",\"country\":" as StaticString)
      try unsafe JSONText.write(country, to: &output)
      if let (first, second) = unsafe Self.code(country) {
        try output.write(",\"countrycode\":\"" as StaticString)
        try output.write(first)
        try output.write(second)
        try output.write(0x22)
      }
    }
    try output.write(",\"label\":" as StaticString)
    try writeKey(to: &output)
    try writeOtherFields(buffer, record, to: &output)
    try output.write("}}" as StaticString)
  }

  /// Writes the other fields, by which clients tell equal names apart. If a record has a field twice, the first is
  /// written.
  private func writeOtherFields(
    _ buffer: RecordBuffer, _ record: Int, to output: inout Output
  ) throws(WriteError) {
    let fields = buffer.rawFields(ofRecord: record)
    var isFirst = true
    for number in fields {
      let field = Int(buffer.rawName(ofField: number))
      if field == name || field == country || field == schema.latitude || field == schema.longitude { continue }
      if (fields.lowerBound..<number).contains(where: { Int(buffer.rawName(ofField: $0)) == field }) { continue }
      try output.write(isFirst ? ",\"extra\":{" : "," as StaticString)
      isFirst = false
      try JSONText.write(schema.names[field], to: &output)
      try output.write(0x3a)
      try JSONText.write(buffer.rawField(number), to: &output)
    }
    if !isFirst { try output.write(0x7d) }
  }
}
