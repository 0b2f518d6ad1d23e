#if Server
  import Answers
  import NIOCore
  import QueryOutput
  import ShardedIndex

  /// The requests about an index, each from its parameters to an answer.
  extension Responder {
    func search(_ parameters: inout QueryParameters) throws -> Representation {
      let request = try SearchRequest(&parameters)
      try parameters.finish()
      return try served.answering { generation in
        let start = ContinuousClock.now
        let before = served.index.statistics
        let search = try found(request.query, in: generation)
        // A walk over the matches may take long.
        if request.query.countsMatches && !search.knownTotal.isExact || !request.query.facets.isEmpty {
          try checkWait(for: .max)
        }
        let isJSON = request.format == .json
        let state = try served.state(of: generation)
        let facts = try search.gathering { () throws(IndexError) in
          try AnswerFacts(search, in: state.name, correction: isJSON ? search.correction : nil, hasNearest: isJSON)
        }
        let body = try state.withWriter { writer in
          switch request.format {
          case .json: try writer.search(search, facts, request.members)
          case .jsonl: try writer.lines(search, search.range)
          case .geojson: try writer.geoFeatures(search, search.range)
          }
        }
        var answer = Representation(body: body, contentType: request.format.contentType, tag: state.tag)
        let after = served.index.statistics
        let isFirstPage = request.query.offset == 0 && request.query.cursor == nil
        if isFirstPage, search.range.isEmpty { answer.unmatchedText = request.query.text }
        answer.headers[.shardqCursor] = facts.cursor
        answer.headers[.shardqCount] = "\(facts.total.number)" + (facts.total.isExact ? "" : "+")
        answer.headers[.shardqCost] =
          "shards=\(try search.shardsTouched())/\(generation.manifest.shardCount), loads=\(after.loads - before.loads), "
          + "bytes=\(after.loadedBytes - before.loadedBytes)"
        answer.headers[.serverTiming] = "search;dur=" + (ContinuousClock.now - start).milliseconds
        return answer
      }
    }

    /// Answers a request for the values of a field.
    func facets(_ parameters: inout QueryParameters) throws -> Representation {
      guard let field = parameters.text("field"), !field.isEmpty else {
        throw Problem.badParameter("field", "field is missing; name a field that the index has a filter by.")
      }
      let start = parameters.text("starting-with") ?? ""
      try SearchRequest.check(start, as: "starting-with")
      let most = ShardedIndex.Facet.valueLimit
      let limit = try parameters.number("limit", in: 1...most) ?? most
      try parameters.finish()
      try checkWait(for: .max)
      return try served.answering { generation in
        let state = try served.state(of: generation)
        let facet: ShardedIndex.Facet
        do {
          facet = try ShardedIndex.Facet.values(of: field, startingWith: start, limit: limit, in: generation)
        } catch IndexError.refused(let fault) {
          throw Problem.badParameter("field", Problem(fault, of: ShardedIndex.SearchQuery("")).detail)
        }
        let body = try state.withWriter { try $0.values(of: facet) }
        return Representation(body: body, contentType: "application/json", tag: state.tag)
      }
    }

    /// Returns a search with the matches of its answer.
    ///
    /// - Throws: ``NotHere`` on a thread that never waits, if the search would open or read much; ``Problem`` if the
    ///   index, or the query, does not allow the search.
    func found(_ query: ShardedIndex.SearchQuery, in generation: Generation) throws -> ShardedIndex.Search {
      try allowing(query) {
        guard !ReadingTerms.mayWait else { return try waited(query, in: generation) }
        var search = try ShardedIndex.Search(query, in: generation)
        // Groups take a search for all their matches.
        let most = query.group == nil ? min(query.wanted, search.keyMatchCount ?? .max) : .max
        try checkWait(for: search.isRanked ? most : search.range.count)
        guard try search.find(query.wanted, parts: Self.partsHere) else { throw NotHere() }
        return search
      }
    }

    /// Returns a search with the matches of its answer, on a thread that may wait.
    private func waited(
      _ query: ShardedIndex.SearchQuery, in generation: Generation
    ) throws(IndexError) -> ShardedIndex.Search {
      if generation.isFar {
        // Many nodes ask one store, so a short search fetches its parts one by one, and none ahead.
        var search = try ShardedIndex.Search.finding(query, in: generation) { _ in }
        var steps = 0
        let isLong = {
          steps += 1
          return steps > Self.stepsAlone
        }
        if try search.find(query.wanted, isStopped: isLong) { return search }
      }
      return try .finding(query, in: generation) { (search) throws(IndexError) in try search.findAll() }
    }

    /// The most steps of a search that fetches nothing ahead.
    private static let stepsAlone = 64

    /// Turns the fault of a search into a problem of the request.
    func allowing<Value>(_ query: ShardedIndex.SearchQuery, _ body: () throws -> Value) throws -> Value {
      do { return try body() } catch IndexError.refused(let fault) { throw Problem(fault, of: query) }
    }

    /// The most parts of shards that a ranked search opens on a thread that never waits.
    private static let partsHere = 64

    /// Finds the next hits of a search; returns false if the search would open too many parts of shards.
    ///
    /// - Throws: ``NotHere`` on a thread that never waits, if the search would open many.
    func findNext(_ limit: Int, of search: inout ShardedIndex.Search) throws -> Bool {
      if ReadingTerms.mayWait { return try search.find(limit) }
      guard try search.find(limit, parts: Self.partsHere) else { throw NotHere() }
      return true
    }

    /// Throws ``NotHere`` for a request of many records on a thread that never waits.
    func checkWait(for records: Int) throws {
      if records > Self.recordsHere, !ReadingTerms.mayWait { throw NotHere() }
    }

    /// Answers a request for the record with an id.
    ///
    /// - Parameter text: The id as the path has it.
    func record(_ text: Substring, _ parameters: inout QueryParameters) throws -> Representation {
      try parameters.finish()
      guard let id = QueryParameters.decoded(text, isPath: true) else {
        throw Problem.badParameter("id", "The id is not percent-encoded UTF-8; send a percent sign as %25.")
      }
      return try served.answering { generation in
        let (records, state) = (ShardedIndex.Matches(allOf: generation), try served.state(of: generation))
        guard let field = state.idField else { throw Problem.noIDs }
        if !state.ids.isMade { try checkWait(for: .max) }
        let size = IDPositions.size(records: records.count)
        guard size <= settings.idsBytes else {
          throw Problem(
            status: 503,
            detail: "Finding records by id takes \(size) bytes of memory; "
              + "shardq serve --ids-memory allows \(settings.idsBytes).")
        }
        guard let number = field.number,
          let position = try state.ids.made({ try IDPositions(records, field: number) }).position(of: id, in: records)
        else { throw Problem(status: 404, detail: "No record has this \(field.path).", parameter: "id") }
        let body: ByteBuffer
        do {
          body = try state.withWriter { try $0.record(records, position..<position + 1, in: state.name) }
        } catch is WriteError {
          throw Problem(
            status: 503,
            detail: "The record has over \(AnswerWriter.sizeLimit >> 20) MiB. "
              + "Ask shardq query on the server's machine for it.")
        }
        return Representation(body: body, contentType: "application/json", tag: state.tag)
      }
    }

    func within(_ parameters: inout QueryParameters) throws -> Representation {
      let west = try parameters.degrees("west", limit: 180)
      let edges = [try parameters.degrees("south", limit: 90), try parameters.degrees("north", limit: 90)]
      // The edges may come in either order, because OpenAPI cannot say that one has to be the smaller.
      let (south, north) = (edges.min()!, edges.max()!)
      let east = try parameters.degrees("east", limit: 180)
      let limit = try parameters.number("limit", in: SearchRequest.limits) ?? 100
      try parameters.finish()
      return try answeringPlaces { grid, matches, generation in
        let (positions, more) = grid.positions(west: west, south: south, east: east, north: north, limit: limit)
        return try generation.withWriter { try $0.within(matches, positions, more: more, isRanked: grid.isRanked) }
      }
    }

    /// Answers a request about coordinates. If a build removes a file meanwhile, the new generation answers.
    func answeringPlaces(_ body: (PlaceGrid, ShardedIndex.Matches, ServedGeneration) throws -> ByteBuffer) throws
      -> Representation
    {
      // The grid leads to records all over the index.
      try checkWait(for: .max)
      return try served.answering { generation in
        let (matches, state) = (ShardedIndex.Matches(allOf: generation), try served.state(of: generation))
        let grid = try places(matches, state)
        return Representation(body: try body(grid, matches, state), contentType: "application/json", tag: state.tag)
      }
    }

    private func places(_ matches: ShardedIndex.Matches, _ generation: ServedGeneration) throws -> PlaceGrid {
      guard generation.hasCoordinates else { throw Problem.noCoordinates }
      let size = PlaceGrid.size(records: matches.count, isRanked: generation.manifest.hasRanks)
      guard size <= settings.placesBytes else {
        throw Problem(
          status: 503,
          detail: "A search by place takes \(size) bytes of memory; "
            + "shardq serve --places-memory allows \(settings.placesBytes).")
      }
      return try generation.grid.made { try PlaceGrid(matches) }
    }

    func dots(_ parameters: inout QueryParameters) throws -> Representation {
      try parameters.finish()
      let generation = served.current
      let bits: [UInt8]
      if let made = generation.dots {
        bits = made
      } else {
        guard let map = try generation.densityGrid() else {
          throw Problem.noCoordinates
        }
        bits = map.bits
        generation.dots = bits
      }
      var body = ByteBuffer(
        string: "\(JSONText.schema)\"columns\":\(DensityGrid.columns),\"rows\":\(DensityGrid.rows),\"cells\":\"")
      body.writeBytes(Base64.encoded(bits))
      body.writeString("\"}\n")
      return Representation(body: body, contentType: "application/json", tag: generation.tag)
    }

    /// Answers a request for the state of a server whose indexes have names.
    func serverStatus(_ parameters: inout QueryParameters) throws -> Representation {
      try parameters.finish()
      let names = indexes.names.names.map(JSONText.string).joined(separator: ",")
      let text =
        "\(JSONText.schema)\"version\":\"\(ProductVersion.text)\",\"uptime_seconds\":\(metrics.uptime)"
        + ",\"connections\":\(metrics.openConnections.load(ordering: .relaxed)),\"indexes\":[\(names)]}\n"
      return Representation(body: ByteBuffer(string: text), contentType: "application/json")
    }

    func status(_ parameters: inout QueryParameters) throws -> Representation {
      try parameters.finish()
      let generation = served.current
      let manifest = generation.manifest
      let statistics = served.index.statistics
      var text =
        "\(JSONText.schema)\"version\":\"\(ProductVersion.text)\",\"generation\":\"\(generation.name)\",\"manifest_sha256\":\"\(generation.digest)\""
      text += ",\"records\":\(generation.recordCount),\"shards\":\(manifest.shardCount)"
      text += ",\"key\":" + JSONText.string(generation.schema.template.text)
      text += ",\"fields\":[" + generation.schema.names.map(JSONText.string).joined(separator: ",") + "]"
      text += ",\"coordinates\":\(generation.hasCoordinates)"
      text += ",\"format_version\":\(Manifest.version),\"fold_version\":\(manifest.foldVersion)"
      text +=
        ",\"uptime_seconds\":\(metrics.uptime),\"connections\":\(metrics.openConnections.load(ordering: .relaxed))"
      text += ",\"reloads\":\(statistics.reloads)"
      text += ",\"cache\":{\"limit_bytes\":\(served.cacheLimit),\"resident_bytes\":\(statistics.residentBytes)"
      text += ",\"resident_shards\":\(statistics.residentShards),\"hits\":\(statistics.hits)"
      text += ",\"misses\":\(statistics.misses),\"loads\":\(statistics.loads),\"evictions\":\(statistics.evictions)"
      text += ",\"loaded_bytes\":\(statistics.loadedBytes)}}\n"
      return Representation(body: ByteBuffer(string: text), contentType: "application/json")
    }
  }
#endif
