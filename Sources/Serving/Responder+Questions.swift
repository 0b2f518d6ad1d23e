#if Server
  import NIOCore
  import QueryOutput
  import ShardedIndex

  /// The requests about an index, each from its parameters to an answer.
  extension Responder {
    func search(_ parameters: inout QueryParameters) throws -> Answer {
      let request = try SearchRequest(&parameters)
      try parameters.finish()
      return try served.asking {
        let start = ContinuousClock.now
        let before = served.index.statistics
        let matches = try served.index.matches(forPrefix: request.query)
        let order = try request.order(isRanked: matches.generation.manifest.isRanked)
        var (answer, touched) = order == .rank ? try ranked(request, matches) : try listed(request, matches)
        let after = served.index.statistics
        answer.headers[.shardqCost] =
          "shards=\(touched)/\(matches.generation.manifest.shardCount), loads=\(after.loads - before.loads), "
          + "bytes=\(after.loadedBytes - before.loadedBytes)"
        answer.headers[.serverTiming] = "search;dur=" + (ContinuousClock.now - start).milliseconds
        return answer
      }
    }

    /// Returns the answer in the order of keys, and the number of shards that the answer touches.
    private func listed(_ request: SearchRequest, _ matches: ShardedIndex.Matches) throws -> (Answer, touched: Int) {
      let range = request.range(of: matches.count)
      try hereOnly(upTo: range.count)
      let generation = try served.generation(of: matches)
      let nearest = matches.isEmpty ? try nearest(request, matches, inKeys: true) : nil
      let body = try generation.withWriter {
        try $0.write(
          request.answer(
            keys: matches.count, total: ShardedIndex.Total(matches.count), nearest: nearest, ranks: nil),
          matches, range, as: request.format, generation.name)
      }
      var answer = Answer(body: body, contentType: request.format.contentType, tag: generation.tag)
      answer.headers[.shardqCount] = "\(matches.count)"
      return (answer, try matches.shardsTouched(by: request.folded, shown: range))
    }

    /// Returns the answer in the order of ranks, and the number of shards that the search opened.
    private func ranked(_ request: SearchRequest, _ matches: ShardedIndex.Matches) throws -> (Answer, touched: Int) {
      let wanted = request.offset + request.limit
      let generation = try served.generation(of: matches)
      var hits = try rankedHits(request, matches)
      try hereOnly(upTo: hits.areKeyMatches ? min(wanted, matches.count) : wanted)
      guard try findHere(wanted, of: &hits) else {
        throw Problem.badParameter(
          request.cursor == nil ? "offset" : "after",
          "The answer would read over \(Self.partLimit) parts of shards; send more letters, or sort=key.")
      }
      let range = request.range(of: hits.count)
      let total = try total(of: hits, request, keys: matches.count)
      let isAtEnd = hits.areKeyMatches && request.cursor == nil && request.offset + range.count >= matches.count
      let cursor = isAtEnd ? nil : hits.cursor?.description
      let nearest = total == ShardedIndex.Total(0) ? try nearest(request, matches, inKeys: hits.areKeyMatches) : nil
      let correction = try request.format == .json ? hits.correction : nil
      let body = try generation.withWriter { [hits] in
        try $0.write(
          request.answer(
            keys: matches.count, total: total, nearest: nearest,
            ranks: SearchAnswer.Ranks(cursor: cursor, correction: correction)),
          hits, range, as: request.format, generation.name)
      }
      var answer = Answer(body: body, contentType: request.format.contentType, tag: generation.tag)
      answer.headers[.shardqCursor] = cursor
      answer.headers[.shardqCount] = "\(total.number)" + (total.isExact ? "" : "+")
      return (answer, min(hits.shardsOpened, generation.manifest.shardCount))
    }

    /// Returns the number of matches; counts them if the request asks for it.
    ///
    /// - Throws: ``NotHere`` on a thread that never waits, if the search would count them.
    private func total(
      of hits: ShardedIndex.RankedHits, _ request: SearchRequest, keys: Int
    ) throws -> ShardedIndex.Total {
      let total = hits.total(keys: keys)
      guard request.countsMatches, !total.isExact else { return total }
      try hereOnly(upTo: .max)
      return try hits.countedTotal(keys: keys, budget: .parts(Self.partLimit))
    }

    /// Returns the longest beginning of the query that a record matches, if the query has no matches; nil if the format
    /// has no place for the beginning.
    private func nearest(
      _ request: SearchRequest, _ matches: ShardedIndex.Matches, inKeys: Bool
    ) throws -> String? {
      // With filters, the query may have matches that no filter passes.
      guard request.format == .json, request.filters.isEmpty else { return nil }
      return try matches.generation.longestMatchedBeginning(of: request.query, inKeys: inKeys)
    }

    private func rankedHits(
      _ request: SearchRequest, _ matches: ShardedIndex.Matches
    ) throws -> ShardedIndex.RankedHits {
      do {
        return try ShardedIndex.RankedHits(
          request.folded, filters: request.filters, near: request.near, typos: request.typos,
          in: matches.generation, after: request.cursor)
      } catch {
        switch error {
        case .wrongCursor(let reason):
          throw Problem.badParameter("after", "The cursor \(reason); ask for the first page again.")
        case .notBuilt(.near):
          throw Problem.badParameter(
            "near", "The index was built without --near; leave near out, or build the index with --near.")
        case .notBuilt(.filter):
          throw Problem.badParameter(
            "filter", "The index was built without filters; leave filter out, or build the index with --filter.")
        case .noFilter(let field, let filters):
          throw Problem.badParameter(
            "filter",
            "The index has no filter by \(field), but by \(filters.joined(separator: ", ")); name one of them, or build "
              + "the index with --filter \(field).")
        case .notBuilt(.typos):
          throw Problem.badParameter(
            "typos", "The index was built without --typos; leave typos out, or build the index with --typos.")
        default: throw error
        }
      }
    }

    /// The most parts of shards that a ranked search opens for one answer, or for one step of an answer.
    static let partLimit = 16_384
    /// The most parts of shards that a ranked search opens on a thread that never waits.
    private static let partsHere = 64

    /// Finds the next hits of a ranked search; returns false if the search would open too many parts of shards.
    ///
    /// - Throws: ``NotHere`` on a thread that never waits, if the search would open many.
    func findHere(_ limit: Int, of hits: inout ShardedIndex.RankedHits) throws -> Bool {
      if ReadingTerms.mayWait { return try hits.find(limit, budget: .parts(Self.partLimit)) }
      guard try hits.find(limit, budget: .parts(Self.partsHere)) else { throw NotHere() }
      return true
    }

    /// Throws ``NotHere`` for a request of many records on a thread that never waits.
    func hereOnly(upTo records: Int) throws {
      if records > Self.recordsHere, !ReadingTerms.mayWait { throw NotHere() }
    }

    func within(_ parameters: inout QueryParameters) throws -> Answer {
      let west = try parameters.degrees("west", limit: 180)
      let edges = [try parameters.degrees("south", limit: 90), try parameters.degrees("north", limit: 90)]
      // The edges may come in either order, because OpenAPI cannot say that one has to be the smaller.
      let (south, north) = (edges.min()!, edges.max()!)
      let east = try parameters.degrees("east", limit: 180)
      let limit = try parameters.number("limit", in: SearchRequest.limits) ?? 100
      try parameters.finish()
      return try askingPlaces { grid, matches, generation in
        let (positions, more) = grid.positions(west: west, south: south, east: east, north: north, limit: limit)
        return try generation.withWriter { try $0.within(matches, positions, more: more, isRanked: grid.isRanked) }
      }
    }

    /// Answers a request about coordinates. If a build removes a file meanwhile, the new generation answers.
    func askingPlaces(_ body: (PlaceGrid, ShardedIndex.Matches, ServedGeneration) throws -> ByteBuffer) throws -> Answer
    {
      // The grid leads to records all over the index.
      try hereOnly(upTo: .max)
      return try served.asking {
        let matches = try served.index.matches(forPrefix: "")
        let generation = try served.generation(of: matches)
        let grid = try places(matches, generation)
        return Answer(body: try body(grid, matches, generation), contentType: "application/json", tag: generation.tag)
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

    func dots(_ parameters: inout QueryParameters) throws -> Answer {
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
      return Answer(body: body, contentType: "application/json", tag: generation.tag)
    }

    func status(_ parameters: inout QueryParameters) throws -> Answer {
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
      return Answer(body: ByteBuffer(string: text), contentType: "application/json")
    }
  }
#endif
