#if Server
  import NIOCore
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// Records that an answer is made of, of which none is decoded yet.
  protocol RecordSource {
    func recordsAtOnce(at position: Int) throws(IndexError) -> Int
    func read(_ positions: Range<Int>, into buffer: RecordBuffer) throws(IndexError)
    func foldedKeys(in positions: Range<Int>) throws(IndexError) -> FoldedKeys
    /// Returns the text of a record that a folded query matched, and the ranges in it, in bytes of UTF-8.
    func match(
      of text: [UInt8], at position: Int, in record: ShardedIndex.Record
    ) -> (via: ShardedIndex.Via, highlights: [Range<Int>])
  }

  extension ShardedIndex.Matches: RecordSource {
    func match(
      of text: [UInt8], at position: Int, in record: ShardedIndex.Record
    ) -> (via: ShardedIndex.Via, highlights: [Range<Int>]) {
      (.key, text.isEmpty ? [] : Self.highlights(of: text, in: record.key))
    }
  }

  extension ShardedIndex.RankedHits: RecordSource {
    func match(
      of text: [UInt8], at position: Int, in record: ShardedIndex.Record
    ) -> (via: ShardedIndex.Via, highlights: [Range<Int>]) {
      hit(position, record).matched
    }
  }

  /// The members that a ranked answer to `/v1/search` has beside the others.
  struct RankedMembers {
    /// The number of all matches; nil where it is not known.
    var total: Int?
    /// The text of the position behind the last record; nil if there are no more.
    var cursor: String?
    /// The text that the query is corrected to, where all records correct its typing errors; nil else.
    var correction: String?
  }

  /// The writer of bodies, one at a time.
  final class AnswerWriter: @unchecked Sendable {
    // Sendable because each writer has one holder at a time: ``ServedGeneration/withWriter(_:)``.
    let schema: Schema
    private var objects: RecordWriter
    private var features: RecordWriter
    private var places: PlaceWriter
    private var buffer = RecordBuffer()
    /// The bytes of the records of the current answer.
    private var decoded = 0
    private var body = Output(inMemory: AnswerWriter.sizeLimit)
    private var display = Output(inMemory: AnswerWriter.sizeLimit)
    private var featureCount = 0

    /// The most bytes of one body, and of the texts that are made for it.
    static let sizeLimit = 4 << 20
    /// The most records that are decoded at a time.
    private static let chunkSize = 64
    /// The most bytes of all records of an answer, those that are not written among them.
    private static let decodedLimit = 64 << 20
    /// The largest buffer that is kept for the next answer, in bytes.
    private static let usualSize = 64 << 10

    init(_ schema: Schema) {
      self.schema = schema
      objects = RecordWriter(.jsonl, fieldCount: schema.names.count, schema: schema)
      features = RecordWriter(.geojson, fieldCount: schema.names.count, schema: schema)
      places = PlaceWriter(schema)
    }

    func reset() {
      if max(body.count, decoded) > Self.usualSize { buffer = RecordBuffer() }
      decoded = 0
      body.removeAll()
      display.removeAll()
    }

    private var written: ByteBuffer { body.withBytes { ByteBuffer(bytes: $0) } }

    /// Calls `write` with each decoded record, its number in the buffer and its position among the records.
    private func forEach(
      _ records: some RecordSource, _ range: Range<Int>, needsKeys: Bool,
      _ write: (inout Output, inout Output, Int, Int) throws(WriteError) -> Void
    ) throws {
      var at = range.lowerBound
      while at < range.upperBound {
        // Records are counted before they are decoded: one of them may have megabytes.
        let next = min(range.upperBound, at + min(Self.chunkSize, try records.recordsAtOnce(at: at)))
        try records.read(at..<next, into: buffer)
        decoded += buffer.rawTexts.count
        guard decoded <= Self.decodedLimit else { throw Problem.largeRecords }
        if needsKeys, places.needsFoldedKeys { places.foldedKeys = try records.foldedKeys(in: at..<next) }
        for record in 0..<buffer.count { try write(&body, &display, record, at + record) }
        at = next
      }
    }

    // MARK: Answers

    /// Writes the answer to `/v1/search`.
    ///
    /// - Parameters:
    ///   - range: Which of the records are written.
    ///   - count: The number of keys that begin with the query.
    ///   - nearest: The longest beginning of the query that a record matches, where none matches the query.
    ///   - ranks: The members that a ranked answer has beside the others; nil for an answer in the order of keys.
    func search(
      _ request: SearchRequest, _ records: some RecordSource, _ range: Range<Int>, count: Int,
      _ generation: ServedGeneration, nearest: String?, ranks: RankedMembers? = nil
    ) throws -> ByteBuffer {
      switch request.format {
      case .jsonl:
        try objects.begin(to: &body)
        try forEach(records, range, needsKeys: false) { (body, _, record, _) throws(WriteError) in
          try objects.write(buffer, record, to: &body)
          try body.write(0x0a)
        }
      case .geojson:
        try features.begin(to: &body)
        try forEach(records, range, needsKeys: false) { (body, _, record, _) throws(WriteError) in
          try features.write(buffer, record, to: &body)
        }
        try features.end(to: &body)
      case .json:
        try body.write("{\"query\":" as StaticString)
        try JSONText.write(request.query, to: &body)
        try write("count", count)
        try write("offset", request.offset)
        try write("limit", request.limit)
        try body.write(",\"generation\":\"" as StaticString)
        try body.write(generation.name)
        try body.write(0x22)
        if let sequence = request.sequence { try write("seq", sequence) }
        if let ranks { try write(ranks) }
        if let nearest {
          try body.write(",\"nearest\":" as StaticString)
          try JSONText.write(nearest, to: &body)
        }
        try body.write(",\"matches\":[" as StaticString)
        var isFirst = true
        try forEach(records, range, needsKeys: request.wantsDisplay) {
          (body, display, record, position) throws(WriteError) in
          if !isFirst { try body.write(0x2c) }
          try objects.write(buffer, record, to: &body)
          if request.wantsDisplay {
            if !isFirst { try display.write(0x2c) }
            let match = records.match(of: request.folded, at: position, in: places.record(record, of: buffer))
            try places.writeDisplay(buffer, record, match: match, to: &display)
          }
          isFirst = false
        }
        try body.write(0x5d)
        if request.wantsDisplay {
          try body.write(",\"display\":[" as StaticString)
          try append(display)
          try body.write(0x5d)
        }
        try body.write("}\n" as StaticString)
      }
      return written
    }

    private func write(_ ranks: RankedMembers) throws(WriteError) {
      // A search that cannot be completed is refused.
      try body.write(",\"sort\":\"rank\",\"complete\":true" as StaticString)
      if let total = ranks.total { try write("total", total) }
      if let correction = ranks.correction {
        try body.write(",\"correction\":" as StaticString)
        try JSONText.write(correction, to: &body)
      }
      guard let cursor = ranks.cursor else { return }
      try body.write(",\"cursor\":\"" as StaticString)
      try body.write(cursor)
      try body.write(0x22)
    }

    private func append(_ other: borrowing Output) throws {
      try other.withBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        try body.write(base.assumingMemoryBound(to: UInt8.self), bytes.count)
      }
    }

    private func write(_ name: StaticString, _ number: Int) throws(WriteError) {
      try body.write(",\"" as StaticString)
      try body.write(name)
      try body.write("\":" as StaticString)
      try body.write(number: number)
    }

    // MARK: Photon's features

    func beginFeatures() throws(WriteError) {
      try body.write("{\"type\":\"FeatureCollection\",\"features\":[" as StaticString)
      featureCount = 0
    }

    /// Writes the records for which `isWanted` is true.
    func writeFeatures(
      _ records: some RecordSource, _ range: Range<Int>,
      where isWanted: (_ record: Int, PlaceWriter, RecordBuffer) -> Bool
    ) throws {
      try forEach(records, range, needsKeys: true) { (body, _, record, _) throws(WriteError) in
        guard isWanted(record, places, buffer) else { return }
        if featureCount > 0 { try body.write(0x2c) }
        featureCount += 1
        try places.writePhotonFeature(buffer, record, to: &body)
      }
    }

    func endFeatures() throws(WriteError) -> ByteBuffer {
      try body.write("]}\n" as StaticString)
      return written
    }

    /// Writes the answer to `/v1/within`.
    ///
    /// - Parameters:
    ///   - matches: All records.
    ///   - positions: The positions of the wanted records.
    ///   - isRanked: Whether the heaviest records come first.
    func within(
      _ matches: ShardedIndex.Matches, _ positions: [Int], more: Bool, isRanked: Bool
    ) throws -> ByteBuffer {
      try body.write("{\"places\":[" as StaticString)
      for (number, position) in positions.enumerated() {
        if number > 0 { try body.write(0x2c) }
        try forEach(matches, position..<position + 1, needsKeys: true) { (body, _, record, _) throws(WriteError) in
          try places.writeDisplay(buffer, record, match: (.key, []), position: position, to: &body)
        }
      }
      try body.write(more ? "],\"more\":true" : "],\"more\":false" as StaticString)
      try body.write(isRanked ? ",\"sort\":\"rank\"}\n" : "}\n" as StaticString)
      return written
    }
  }
#endif
