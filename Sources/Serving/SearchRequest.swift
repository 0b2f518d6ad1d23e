#if Server
  import QueryOutput
  import ShardedIndex

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

    /// The order of an answer.
    enum Sort: String {
      case rank, key
    }

    var query: String
    var folded: [UInt8]
    var limit: Int
    var offset: Int
    /// The order; nil for the order that the index has.
    var sort: Sort?
    /// The filters that the hits of a ranked answer have to pass.
    var filters: [ShardedIndex.Filter] = []
    /// Whether a ranked answer corrects typing errors.
    var typos = ShardedIndex.Typos.automatic
    /// The place; records near it rank higher in a ranked answer. nil for none.
    var near: ShardedIndex.Place?
    /// The cursor of the previous page.
    var cursor: ShardedIndex.Cursor?
    var format: Format
    var wantsDisplay: Bool
    /// Whether the answer counts its matches, if only a search of its own tells their number.
    var countsMatches = false
    var sequence: Int?

    static let limits = 1...1000
    /// The parameters that may be repeated.
    static let repeatable: Set<String> = ["filter"]
    /// The most filters of a request.
    static let filterLimit = 64
    /// The largest offset into a ranked answer: the search also finds all hits before the offset.
    static let rankedOffsetLimit = 10_000
    /// The most letters of a query, as code points, which OpenAPI counts. Keys may be longer, but people type less.
    static let queryLimit = 512

    static func check(_ query: String) throws(Problem) {
      guard query.unicodeScalars.count <= queryLimit else {
        throw .badParameter("q", "q has more than \(queryLimit) letters; send fewer.")
      }
    }

    init(_ parameters: inout QueryParameters) throws(Problem) {
      query = parameters.text("q") ?? ""
      try Self.check(query)
      folded = Fold.fold(query)
      limit = try parameters.number("limit", in: Self.limits) ?? QueryRequest.defaultLimit
      offset = try parameters.number("offset", in: 0...Int(UInt32.max)) ?? 0
      if let name = parameters.text("sort") {
        guard let sort = Sort(rawValue: name) else { throw .badParameter("sort", "sort must be rank or key.") }
        self.sort = sort
      }
      for text in parameters.texts("filter") {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex, filters.count < Self.filterLimit else {
          throw .badParameter("filter", "filter must be FIELD=VALUE, at most \(Self.filterLimit) times.")
        }
        filters.append(
          ShardedIndex.Filter(String(text[..<sign]), isOneOf: [String(text[text.index(after: sign)...])]))
      }
      if let name = parameters.text("typos") {
        guard name == "auto" || name == "none" else { throw .badParameter("typos", "typos must be auto or none.") }
        typos = name == "auto" ? .required : .none
      }
      if let text = parameters.text("near"), !text.isEmpty {
        guard let place = ShardedIndex.Place(text) else {
          throw .badParameter("near", "near must be a latitude, a comma and a longitude, in decimal degrees.")
        }
        near = place
      }
      if let text = parameters.text("after"), !text.isEmpty {
        guard let cursor = ShardedIndex.Cursor(text) else {
          throw .badParameter("after", "after is not a cursor; send the cursor of the previous page.")
        }
        self.cursor = cursor
      }
      let name = parameters.text("format") ?? "json"
      guard let format = Format(rawValue: name) else {
        throw .badParameter("format", "format must be json, jsonl or geojson.")
      }
      self.format = format
      if let name = parameters.text("total") {
        guard name == "exact" || name == "known" else { throw .badParameter("total", "total must be exact or known.") }
        countsMatches = name == "exact"
      }
      // Formats other than json leave both out, because OpenAPI cannot forbid them.
      wantsDisplay = try parameters.flag("display")
      sequence = try parameters.number("seq", in: 0...(1 << 53))
    }

    /// Returns the order of the answer from an index with or without ranks.
    func order(isRanked: Bool) throws(Problem) -> Sort {
      let sort = sort ?? (isRanked ? .rank : .key)
      switch sort {
      case .key:
        guard cursor == nil else {
          throw .badParameter(
            "after", "Only ranked answers have cursors; send sort=rank, or send offset in the place of after.")
        }
        guard near == nil else {
          throw .badParameter("near", "Only ranked answers prefer near records; send sort=rank.")
        }
        guard filters.isEmpty else {
          throw .badParameter("filter", "Only ranked answers are filtered; send sort=rank.")
        }
        guard typos != .required else {
          throw .badParameter("typos", "Only ranked answers correct typing errors; send sort=rank.")
        }
      case .rank:
        guard isRanked else {
          throw .badParameter(
            "sort", "The index has no ranks; send sort=key, or build the index with shardq build --weight.")
        }
        guard offset == 0 || cursor == nil else {
          throw .badParameter("offset", "offset and after exclude each other; leave offset out.")
        }
        guard offset <= Self.rankedOffsetLimit else {
          throw .badParameter(
            "offset",
            "offset is at most \(Self.rankedOffsetLimit) in a ranked answer; send the last cursor as after to read on.")
        }
      }
      return sort
    }

    func answer(
      keys: Int, total: ShardedIndex.Total, nearest: String?, ranks: SearchAnswer.Ranks?
    ) -> SearchAnswer {
      SearchAnswer(
        query: query, folded: folded, offset: offset, limit: limit, sequence: sequence, hasDisplay: wantsDisplay,
        keys: keys, total: total, nearest: nearest, ranks: ranks)
    }

    func range(of count: Int) -> Range<Int> {
      let start = min(offset, count)
      return start..<min(count, start + limit)
    }
  }

  extension AnswerWriter {
    func write(
      _ answer: SearchAnswer, _ records: some RecordSource, _ range: Range<Int>, as format: SearchRequest.Format,
      _ generation: String
    ) throws(Failure) {
      switch format {
      case .json: try search(answer, records, range, generation: generation)
      case .jsonl: try lines(records, range)
      case .geojson: try geoFeatures(records, range)
      }
    }
  }
#endif
