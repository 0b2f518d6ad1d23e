#if Server
  import NIOCore
  import QueryOutput
  import ShardedIndex

  /// The questions about an index, each from its parameters to an answer.
  extension Responder {
    func search(_ parameters: inout QueryParameters) throws -> Answer {
      let request = try SearchRequest(&parameters)
      try parameters.finish()
      return try served.asking {
        let start = ContinuousClock.now
        let before = served.index.statistics
        let matches = try served.index.matches(forPrefix: request.query)
        let range = request.range(of: matches.count)
        try hereOnly(upTo: range.count)
        let generation = try served.generation(of: matches)
        let body = try generation.withWriter { try $0.search(request, matches, generation) }
        var answer = Answer(body: body, contentType: request.format.contentType, tag: generation.tag)
        let after = served.index.statistics
        let touched = try matches.shardsTouched(by: request.folded, shown: range)
        answer.headers[.shardqCost] =
          "shards=\(touched)/\(generation.manifest.shardCount), loads=\(after.loads - before.loads), "
          + "bytes=\(after.loadedBytes - before.loadedBytes)"
        answer.headers[.shardqCount] = "\(matches.count)"
        answer.headers[.serverTiming] = "search;dur=" + (ContinuousClock.now - start).milliseconds
        return answer
      }
    }

    /// Throws ``NotHere`` for a question of many records on a thread that never waits.
    func hereOnly(upTo records: Int) throws {
      if records > Self.recordsHere, !ReadingTerms.mayWait { throw NotHere() }
    }

    func within(_ parameters: inout QueryParameters) throws -> Answer {
      let west = try parameters.degrees("west", limit: 180)
      let edges = [try parameters.degrees("south", limit: 90), try parameters.degrees("north", limit: 90)]
      // The two may come in either order: OpenAPI cannot express that one has to be the smaller.
      let (south, north) = (edges.min()!, edges.max()!)
      let east = try parameters.degrees("east", limit: 180)
      let limit = try parameters.number("limit", in: SearchRequest.limits) ?? 100
      try parameters.finish()
      return try askingPlaces { grid, matches, generation in
        let (positions, more) = grid.positions(west: west, south: south, east: east, north: north, limit: limit)
        return try generation.withWriter { try $0.within(matches, positions, more: more) }
      }
    }

    /// Answers a question about coordinates, again from the new generation where a build removed a file meanwhile.
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
      guard PlaceGrid.size(records: matches.count) <= settings.placesBytes else {
        throw Problem(
          status: 503,
          detail: "Finding records by place would take \(PlaceGrid.size(records: matches.count)) bytes, "
            + "over the \(settings.placesBytes) of shardq serve --places-memory.")
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
      var body = ByteBuffer(string: "{\"columns\":\(DensityGrid.columns),\"rows\":\(DensityGrid.rows),\"cells\":\"")
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
        "{\"version\":\"\(ProductVersion.text)\",\"generation\":\"\(generation.name)\",\"manifest_sha256\":\"\(generation.digest)\""
      text += ",\"records\":\(generation.recordCount),\"shards\":\(manifest.shardCount)"
      text += ",\"key\":" + JSONText.string(generation.schema.template.text)
      text += ",\"fields\":[" + generation.schema.names.map(JSONText.string).joined(separator: ",") + "]"
      text += ",\"coordinates\":\(generation.hasCoordinates)"
      text += ",\"format_version\":\(manifest.version),\"fold_version\":\(manifest.foldVersion)"
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
