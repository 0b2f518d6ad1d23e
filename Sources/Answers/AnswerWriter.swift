import CLibrary
import ShardedIndex

/// The records of an answer, before any of them is decoded.
package protocol RecordSource {
  func recordsAtOnce(at position: Int) throws(IndexError) -> Int
  func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError)
  func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys
}

extension RecordSource {
  /// Decodes records some at a time, and calls `body` with the positions of the records in the buffer.
  ///
  /// - Parameter decoded: The size of the records that the answer has decoded so far, in bytes.
  package func forEachRun(
    _ range: Range<Int>, into buffer: RecordBuffer, decoded: inout Int,
    _ body: (Range<Int>) throws(AnswerWriter.AnswerError) -> Void
  ) throws(AnswerWriter.AnswerError) {
    var at = range.lowerBound
    while at < range.upperBound {
      let next: Int
      do throws(IndexError) {
        // The records are measured before they are decoded, since a record may have megabytes.
        next = min(range.upperBound, at + min(AnswerWriter.chunkSize, try recordsAtOnce(at: at)))
        try read(at..<next, into: buffer)
      } catch {
        throw .index(error)
      }
      decoded += unsafe buffer.rawTexts.count
      guard decoded <= AnswerWriter.decodedLimit else { throw .largeRecords }
      try body(at..<next)
      at = next
    }
  }
}

extension ShardedIndex.Matches: RecordSource {}
extension ShardedIndex.Search: RecordSource {}

/// The writer of response bodies for the page and for programs, one at a time.
package final class AnswerWriter: @unchecked Sendable {
  // Sendable because each writer has one holder at a time.
  package enum AnswerError: Error {
    case index(IndexError)
    /// The body has over ``sizeLimit`` bytes.
    case output(WriteError)
    /// The records have over 64 MiB together.
    case largeRecords
  }

  package let schema: Schema
  private var objects: RecordWriter
  private var features: RecordWriter
  private var places: PlaceWriter
  private var buffer = RecordBuffer()
  /// The size of the current answer's records, in bytes.
  private var decoded = 0
  package private(set) var body = Output(inMemory: AnswerWriter.sizeLimit)
  private var display = Output(inMemory: AnswerWriter.sizeLimit)
  private var hits = Output(inMemory: AnswerWriter.sizeLimit)
  private var featureCount = 0

  /// The most bytes of one body, and of the texts that the writer makes for it.
  package static let sizeLimit = 4 << 20
  /// The most records that are decoded at a time.
  static let chunkSize = 64
  /// The most bytes of all records of an answer, with the records that are not written.
  static let decodedLimit = 64 << 20
  /// The largest buffer that is kept for the next answer, in bytes.
  static let usualSize = 64 << 10

  package init(_ schema: Schema) {
    self.schema = schema
    objects = RecordWriter(.jsonl, fieldCount: schema.names.count, schema: schema)
    features = RecordWriter(.geojson, fieldCount: schema.names.count, schema: schema)
    places = PlaceWriter(schema)
  }

  package func reset() {
    if max(body.count, decoded) > Self.usualSize { buffer = RecordBuffer() }
    decoded = 0
    body.removeAll()
    display.removeAll()
    hits.removeAll()
  }

  /// Calls `write` with each decoded record, its number in the buffer and its position among the records.
  private func forEach(
    _ records: some RecordSource, _ range: Range<Int>, needsKeys: Bool,
    _ write: (inout Output, Int, Int) throws(WriteError) -> Void
  ) throws(AnswerError) {
    try records.forEachRun(range, into: buffer, decoded: &decoded) { (run) throws(AnswerError) in
      if needsKeys, places.needsFoldedKeys {
        do throws(IndexError) { places.foldedKeys = try records.foldedKeys(in: run) } catch { throw .index(error) }
      }
      for record in 0..<buffer.count {
        do throws(WriteError) { try write(&body, record, run.lowerBound + record) } catch {
          throw .output(error)
        }
      }
    }
  }

  private func writing(_ write: (inout Output) throws(WriteError) -> Void) throws(AnswerError) {
    do throws(WriteError) { try write(&body) } catch { throw .output(error) }
  }

  // MARK: Answers

  /// Writes records as lines of JSON.
  package func lines(_ records: some RecordSource, _ range: Range<Int>) throws(AnswerError) {
    try writing { (body) throws(WriteError) in try objects.begin(to: &body) }
    try forEach(records, range, needsKeys: false) { (body, record, _) throws(WriteError) in
      try objects.write(buffer, record, to: &body)
      try body.write(0x0a)
    }
  }

  /// Writes records as a collection of features of GeoJSON.
  package func geoFeatures(_ records: some RecordSource, _ range: Range<Int>) throws(AnswerError) {
    try writing { (body) throws(WriteError) in try features.begin(to: &body) }
    try forEach(records, range, needsKeys: false) { (body, record, _) throws(WriteError) in
      try features.write(buffer, record, to: &body)
    }
    try writing { (body) throws(WriteError) in try features.end(to: &body) }
  }

  /// Writes the answer to a search as an object of JSON, ``AnswerObject``.
  package func search(
    _ search: ShardedIndex.Search, _ facts: AnswerFacts, _ members: AnswerMembers
  ) throws(AnswerError) {
    try writing { (body) throws(WriteError) in
      try AnswerObject.begin(search.query.text, &body)
      try AnswerObject.write(search.query, generation: facts.generation, sequence: members.sequence, &body)
      try AnswerObject.beginMatches(&body)
    }
    let (display, hits) = (members.display, members.hits && search.isRanked)
    var isFirst = true
    try forEach(search, search.range, needsKeys: display || hits) { (body, record, position) throws(WriteError) in
      if !isFirst { try body.write(0x2c) }
      try objects.write(buffer, record, to: &body)
      if display {
        if !isFirst { try self.display.write(0x2c) }
        let match = search.matched(position, places.record(record, of: buffer))
        try places.writeDisplay(buffer, record, match: match, to: &self.display)
      }
      if hits, let hit = search.hit(position, places.record(record, of: buffer)) {
        if !isFirst { try self.hits.write(0x2c) }
        try AnswerObject.write(hit, &self.hits)
      }
      isFirst = false
    }
    try writing { (body) throws(WriteError) in
      try AnswerObject.endMatches(&body)
      if display { try Self.append("display", self.display, to: &body) }
      if hits { try Self.append("hits", self.hits, to: &body) }
      if let others = search.others {
        try AnswerObject.write(others: Array(others[search.range]), areExact: search.groupsAreExact, &body)
      }
      try AnswerObject.end(facts, &body)
    }
  }

  private static func append(
    _ name: StaticString, _ other: borrowing Output, to body: inout Output
  ) throws(WriteError) {
    try body.write(",\"" as StaticString)
    try body.write(name)
    try body.write("\":[" as StaticString)
    try unsafe other.withBytes { (bytes) throws(WriteError) in
      try unsafe body.write(bytes.assumingMemoryBound(to: UInt8.self))
    }
    try body.write(0x5d)
  }

  /// Writes the answer to a request for one record.
  ///
  /// - Parameters:
  ///   - records: All records.
  ///   - range: The position of the record; an empty range for no record.
  ///   - generation: The name of the generation.
  package func record(
    _ records: some RecordSource, _ range: Range<Int>, in generation: String
  ) throws(AnswerError) {
    try writing { (body) throws(WriteError) in
      try body.write(JSONText.schema)
      try body.write("\"generation\":\"" as StaticString)
      try body.write(generation)
      try body.write("\",\"record\":" as StaticString)
    }
    try forEach(records, range, needsKeys: false) { (body, record, _) throws(WriteError) in
      try objects.write(buffer, record, to: &body)
    }
    try writing { (body) throws(WriteError) in
      try body.write(range.isEmpty ? "null}\n" : "}\n" as StaticString)
    }
  }

  /// Writes the answer to a request for the records in a box on the map.
  ///
  /// - Parameters:
  ///   - records: All records.
  ///   - positions: The positions of the wanted records.
  ///   - isRanked: Whether the heaviest records come first.
  package func within(
    _ records: some RecordSource, _ positions: [Int], more: Bool, isRanked: Bool
  ) throws(AnswerError) {
    try writing { (body) throws(WriteError) in
      try body.write(JSONText.schema)
      try body.write("\"places\":[" as StaticString)
    }
    for (number, position) in positions.enumerated() {
      if number > 0 { try writing { (body) throws(WriteError) in try body.write(0x2c) } }
      try forEach(records, position..<position + 1, needsKeys: true) { (body, record, _) throws(WriteError) in
        try places.writeDisplay(buffer, record, match: (.key, []), position: position, to: &body)
      }
    }
    try writing { (body) throws(WriteError) in
      try body.write(more ? "],\"more\":true" : "],\"more\":false" as StaticString)
      try body.write(isRanked ? ",\"sort\":\"rank\"}\n" : "}\n" as StaticString)
    }
  }

  /// Writes the answer to a request for the values of a field.
  package func values(of facet: ShardedIndex.Facet) throws(AnswerError) {
    try writing { (body) throws(WriteError) in try AnswerObject.write(valuesOf: facet, &body) }
  }

  // MARK: Photon's features

  package func beginFeatures() throws(AnswerError) {
    try writing { (body) throws(WriteError) in
      try body.write("{\"type\":\"FeatureCollection\",\"features\":[" as StaticString)
    }
    featureCount = 0
  }

  /// Writes the records for which `isWanted` is true.
  package func writeFeatures(
    _ records: some RecordSource, _ range: Range<Int>,
    where isWanted: (_ record: Int, PlaceWriter, RecordBuffer) -> Bool
  ) throws(AnswerError) {
    try forEach(records, range, needsKeys: true) { (body, record, _) throws(WriteError) in
      guard isWanted(record, places, buffer) else { return }
      if featureCount > 0 { try body.write(0x2c) }
      featureCount += 1
      try places.writePhotonFeature(buffer, record, to: &body)
    }
  }

  package func endFeatures() throws(AnswerError) {
    try writing { (body) throws(WriteError) in try body.write("]}\n" as StaticString) }
  }
}
