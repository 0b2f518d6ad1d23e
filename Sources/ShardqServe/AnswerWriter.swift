#if Server
  import NIOCore
  import QueryOutput
  import ShardedIndex

  import CLibrary

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

    /// Calls `write` with each decoded record.
    private func forEach(
      _ matches: ShardedIndex.Matches, _ range: Range<Int>, needsKeys: Bool,
      _ write: (inout Output, inout Output, Int) throws(WriteError) -> Void
    ) throws {
      var at = range.lowerBound
      while at < range.upperBound {
        // Records are counted before they are decoded: one of them may have megabytes.
        let next = min(range.upperBound, at + min(Self.chunkSize, try matches.recordsAtOnce(at: at)))
        try matches.read(at..<next, into: buffer)
        decoded += buffer.rawTexts.count
        guard decoded <= Self.decodedLimit else { throw Problem.largeRecords }
        if needsKeys, places.needsFoldedKeys { places.foldedKeys = try matches.foldedKeys(in: at..<next) }
        for record in 0..<buffer.count { try write(&body, &display, record) }
        at = next
      }
    }

    // MARK: Answers

    /// Writes the answer to `/v1/search`.
    func search(_ request: SearchRequest, _ matches: ShardedIndex.Matches, _ generation: ServedGeneration) throws
      -> ByteBuffer
    {
      let range = request.range(of: matches.count)
      switch request.format {
      case .jsonl:
        try objects.begin(to: &body)
        try forEach(matches, range, needsKeys: false) { (body, _, record) throws(WriteError) in
          try objects.write(buffer, record, to: &body)
          try body.write(0x0a)
        }
      case .geojson:
        try features.begin(to: &body)
        try forEach(matches, range, needsKeys: false) { (body, _, record) throws(WriteError) in
          try features.write(buffer, record, to: &body)
        }
        try features.end(to: &body)
      case .json:
        try body.write("{\"query\":" as StaticString)
        try JSONText.write(request.query, to: &body)
        try write("count", matches.count)
        try write("offset", request.offset)
        try write("limit", request.limit)
        try body.write(",\"generation\":\"" as StaticString)
        try body.write(generation.name)
        try body.write(0x22)
        if let sequence = request.sequence { try write("seq", sequence) }
        try body.write(",\"matches\":[" as StaticString)
        var isFirst = true
        try forEach(matches, range, needsKeys: request.wantsDisplay) { (body, display, record) throws(WriteError) in
          if !isFirst { try body.write(0x2c) }
          try objects.write(buffer, record, to: &body)
          if request.wantsDisplay {
            if !isFirst { try display.write(0x2c) }
            try places.writeDisplay(buffer, record, prefix: request.folded, to: &display)
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
      _ matches: ShardedIndex.Matches, _ range: Range<Int>,
      where isWanted: (_ record: Int, PlaceWriter, RecordBuffer) -> Bool
    ) throws {
      try forEach(matches, range, needsKeys: true) { (body, _, record) throws(WriteError) in
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
    ///   - positions: The positions of the wanted records, in order.
    func within(_ matches: ShardedIndex.Matches, _ positions: [Int], more: Bool) throws -> ByteBuffer {
      try body.write("{\"places\":[" as StaticString)
      for (number, position) in positions.enumerated() {
        if number > 0 { try body.write(0x2c) }
        try forEach(matches, position..<position + 1, needsKeys: true) { (body, _, record) throws(WriteError) in
          try places.writeDisplay(buffer, record, prefix: [], position: position, to: &body)
        }
      }
      try body.write(more ? "],\"more\":true}\n" : "],\"more\":false}\n" as StaticString)
      return written
    }
  }

  /// A request to `/v1/search`.
  struct SearchRequest: Sendable {
    enum Format: String, CaseIterable {
      case json, jsonl, geojson

      var contentType: String {
        switch self {
        case .json: "application/json"
        case .jsonl: "application/x-ndjson"
        case .geojson: "application/geo+json"
        }
      }
    }

    var query: String
    var folded: [UInt8]
    var limit: Int
    var offset: Int
    var format: Format
    var wantsDisplay: Bool
    var sequence: Int?

    static let limits = 1...1000
    /// The most letters of a query, as code points, which OpenAPI counts. Keys may be longer, typed queries are not.
    static let queryLimit = 512

    static func check(_ query: String) throws(Problem) {
      guard query.unicodeScalars.count <= queryLimit else {
        throw .badParameter("q", "It has more than \(queryLimit) letters: send fewer.")
      }
    }

    init(_ parameters: inout QueryParameters) throws(Problem) {
      query = parameters.text("q") ?? ""
      try Self.check(query)
      folded = Fold.fold(query)
      limit = try parameters.number("limit", in: Self.limits) ?? QueryRequest.defaultLimit
      offset = try parameters.number("offset", in: 0...Int(UInt32.max)) ?? 0
      let name = parameters.text("format") ?? "json"
      guard let format = Format(rawValue: name) else {
        throw .badParameter("format", "It is json, jsonl or geojson.")
      }
      self.format = format
      // Formats other than json leave both out: OpenAPI cannot forbid them there.
      wantsDisplay = try parameters.flag("display")
      sequence = try parameters.number("seq", in: 0...(1 << 53))
    }

    func range(of count: Int) -> Range<Int> {
      let start = min(offset, count)
      return start..<min(count, start + limit)
    }
  }
#endif
