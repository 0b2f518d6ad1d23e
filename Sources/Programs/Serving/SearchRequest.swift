#if Server
  import Answers
  import QueryOutput
  import ShardedIndex

  /// A request to `/v1/search`.
  struct SearchRequest: Sendable {
    enum ResponseFormat: String, CaseIterable {
      case json, jsonl, geojson

      var contentType: String {
        switch self {
        case .json: "application/json"
        case .jsonl: "application/x-ndjson"
        case .geojson: "application/geo+json"
        }
      }
    }

    var query: ShardedIndex.SearchQuery
    var format: ResponseFormat
    var members: AnswerMembers

    static let limits = 1...1000
    static let typos: [String: ShardedIndex.Typos] = ["auto": .required, "min": .min, "none": .none]
    /// The parameters that may be repeated.
    static let repeatable: Set<String> = ["filter", "facets"]
    /// The most filters, and the most facets, of a request.
    static let filterLimit = 64
    /// The most letters of a query, as code points, which OpenAPI counts. Keys may be longer, but people type less.
    static let queryLimit = 512

    fileprivate static let wrongRadius =
      "radius must be a distance above 0 and at most 20,040 km, such as 25, 800m or 10mi."

    /// - Parameter name: The parameter of the text.
    static func check(_ query: String, as name: String = "q") throws(Problem) {
      guard query.unicodeScalars.count <= queryLimit else {
        throw .badParameter(name, "\(name) has more than \(queryLimit) letters; send fewer.")
      }
    }

    /// Reads the filters, the facets, the group and the place of a search.
    private static func readConditions(
      of query: inout ShardedIndex.SearchQuery, from parameters: inout QueryParameters
    ) throws(Problem) {
      for text in parameters.texts("filter") {
        guard let filter = ShardedIndex.Filter(text), query.filter.count < filterLimit else {
          throw .badParameter("filter", "filter must be FIELD=VALUE, at most \(filterLimit) times.")
        }
        query.filter.append(filter)
      }
      for text in parameters.texts("facets") {
        guard let fields = NamedFields.list(text), query.facets.count + fields.count <= filterLimit else {
          throw .badParameter(
            "facets", "facets must be names of fields with commas between, at most \(filterLimit).")
        }
        query.facets += fields
      }
      query.facetLimit =
        try parameters.number("facet-limit", in: 1...ShardedIndex.Facet.valueLimit) ?? query.facetLimit
      if let field = parameters.text("group"), !field.isEmpty { query.group = field }
      if let text = parameters.text("near"), !text.isEmpty {
        guard let place = ShardedIndex.Place(text) else {
          throw .badParameter("near", "near must be a latitude, a comma and a longitude, in decimal degrees.")
        }
        query.near = place
      }
      if let text = parameters.text("radius"), !text.isEmpty {
        guard let radius = RadiusText.kilometres(text) else {
          throw .badParameter("radius", wrongRadius)
        }
        guard query.near != nil else { throw .badParameter("radius", "radius needs a place; send near.") }
        query.near?.radius = radius
      }
    }

    init(_ parameters: inout QueryParameters) throws(Problem) {
      query = ShardedIndex.SearchQuery(parameters.text("q") ?? "")
      try Self.check(query.text)
      (query.limits, query.needs.keys) = (.host, .always)
      query.limit = try parameters.number("limit", in: Self.limits) ?? QueryRequest.defaultLimit
      query.offset = try parameters.number("offset", in: 0...Int(UInt32.max)) ?? 0
      query.order = .automatic
      if let name = parameters.text("sort") {
        guard let sort = SortOrder(rawValue: name) else {
          throw .badParameter("sort", "sort must be rank, key or a field of numbers, such as price or -price.")
        }
        sort.apply(to: &query)
      }
      try Self.readConditions(of: &query, from: &parameters)
      if let name = parameters.text("typos") {
        guard let typos = Self.typos[name] else { throw .badParameter("typos", "typos must be auto, min or none.") }
        query.typos = typos
      }
      if let name = parameters.text("words") {
        guard name == "auto" || name == "all" else { throw .badParameter("words", "words must be auto or all.") }
        query.words = name == "all" ? .all : .automatic
      }
      if let text = parameters.text("after"), !text.isEmpty {
        guard let cursor = ShardedIndex.Cursor(text) else {
          throw .badParameter("after", "after is not a cursor; send the cursor of the previous page.")
        }
        query.cursor = cursor
      }
      let name = parameters.text("format") ?? "json"
      guard let format = ResponseFormat(rawValue: name) else {
        throw .badParameter("format", "format must be json, jsonl or geojson.")
      }
      self.format = format
      // The other formats have no place for facets.
      if format != .json { query.facets = [] }
      if let name = parameters.text("total") {
        guard name == "exact" || name == "known" else { throw .badParameter("total", "total must be exact or known.") }
        query.countsMatches = name == "exact"
      }
      // Formats other than json leave them out, because OpenAPI cannot forbid them.
      members = AnswerMembers(display: try parameters.flag("display"), hits: try parameters.flag("hits"))
      members.sequence = try parameters.number("seq", in: 0...(1 << 53))
    }
  }

  extension Problem {
    /// The words of the server for a fault of a search.
    ///
    /// - Parameter query: The refused search.
    init(_ fault: SearchFault, of query: ShardedIndex.SearchQuery) {
      let (name, detail): (String, String) =
        switch fault {
        case .needsRanks(.cursor):
          ("after", "Only ranked answers have cursors; send sort=rank, or send offset in the place of after.")
        case .needsRanks(.near): ("near", "Only ranked answers prefer near records; send sort=rank.")
        case .needsRanks(.sort): ("sort", "Only ranked answers have another order; send the field alone.")
        case .needsRanks(.group): ("group", "Only ranked answers have groups; send sort=rank.")
        case .noGroup: ("group", fault.description + ".")
        case .needsRanks(.filter): ("filter", "Only ranked answers are filtered; send sort=rank.")
        case .needsRanks: ("typos", "Only ranked answers correct typing errors; send sort=rank.")
        case .wrongRadius: ("radius", SearchRequest.wrongRadius)
        case .offsetBesideCursor: ("offset", "offset and after exclude each other; leave offset out.")
        case .deepOffset(let limit):
          ("offset", "offset is at most \(limit) in a ranked answer; send the last cursor as after to read on.")
        case .manyParts(let limit):
          (
            query.cursor == nil ? "offset" : "after",
            "The answer would read over \(limit) parts of shards; send more letters, or sort=key."
          )
        case .wrongCursor(let reason): ("after", "The cursor \(reason); ask for the first page again.")
        case .notBuilt(.near):
          ("near", "The index was built without --near; leave near out, or build the index with --near.")
        case .notBuilt(.filter):
          (
            query.filter.isEmpty ? "facets" : "filter",
            "The index was built without filters; leave filter and facets out, or build the index with --filter."
          )
        case .notBuilt(.typos):
          ("typos", "The index was built without --typos; leave typos out, or build the index with --typos.")
        case .notBuilt(.numbers):
          ("sort", "sort must be rank or key, since the index was built without --number.")
        case .notBuilt:
          ("sort", "The index has no ranks; send sort=key, or build the index with shardq build --weight.")
        case .noFilter(let field, let filters):
          (
            query.filter.contains { $0.field == field } ? "filter" : "facets",
            "The index has no filter by \(field), but by \(filters.joined(separator: ", ")); name one of them, or build "
              + "the index with --filter \(field)."
          )
        case .noNumber(let field, let numbers):
          (
            "sort",
            "The index has no numbers of \(field), but of \(numbers.joined(separator: ", ")); name one of them, rank or key."
          )
        case .wrongRange: ("filter", fault.description + ".")
        @unknown default: ("q", fault.description)
        }
      self = .badParameter(name, detail)
    }
  }
#endif
