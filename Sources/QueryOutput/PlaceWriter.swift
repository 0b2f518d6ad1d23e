import ShardedIndex

/// Writes of records what a list or a map shows: the key, where a query matches it, and where the record lies.
package struct PlaceWriter {
  private let schema: Schema
  private let name: Int?
  private let country: Int?
  private var line: [UInt8] = []
  /// Whether the buffer's records need ``foldedKeys``, since their keys cannot be made again.
  package var needsFoldedKeys: Bool { !schema.isKeyStored }
  /// Of the records that are written next.
  package var foldedKeys = FoldedKeys()

  package init(_ schema: Schema) {
    self.schema = schema
    name = schema.names.firstIndex(of: "name")
    country = ["country", "country_code", "countrycode"].lazy.compactMap { schema.names.firstIndex(of: $0) }.first
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

  /// Writes `{"label":…,"match":[…,…],"latitude":…,"longitude":…}`; the last two where the record has them.
  ///
  /// - Parameters:
  ///   - prefix: What the record was found by, folded. The match is in units of UTF-16, from 0.
  ///   - position: The record's place among all of the index, where that is to be said as well.
  package mutating func writeDisplay(
    _ buffer: RecordBuffer, _ record: Int, prefix: [UInt8], position: Int? = nil, to output: inout Output
  ) throws(WriteError) {
    makeKey(buffer, record)
    try output.write("{\"label\":" as StaticString)
    try writeKey(to: &output)
    let label = String(decoding: line, as: UTF8.self)
    let matched = Fold.matchedRange(ofFolded: prefix, in: label) ?? label.startIndex..<label.startIndex
    try output.write(",\"match\":[0," as StaticString)
    try output.write(number: label[matched].utf16.count)
    try output.write(0x5d)
    if let (latitude, longitude) = Coordinate.digits(ofRecord: record, in: buffer, schema) {
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

  /// Writes a feature as the geocoder Photon does, as far as records tell: `name`, `country`, `countrycode`, and the
  /// key as `label`.
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
      if country.count == 2, unsafe country.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a }) {
        try output.write(",\"countrycode\":\"" as StaticString)
        for at in 0..<2 { try unsafe output.write(country[at] & ~0x20) }
        try output.write(0x22)
      }
    }
    try output.write(",\"label\":" as StaticString)
    try writeKey(to: &output)
    try output.write("}}" as StaticString)
  }
}
