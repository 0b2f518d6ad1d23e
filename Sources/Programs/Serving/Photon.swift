#if Server
  import Answers
  import NIOCore
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The interface of the geocoder Photon, for Photon's clients: `/api`, `/reverse`, `/status`.
  ///
  /// The server supports each parameter of Photon's page, or refuses the parameter by name. So no client gets an answer
  /// to another question without notice. Source: https://github.com/komoot/photon/blob/master/docs/api-v1.md;
  /// docs/photon.md has the table.
  enum Photon {
    /// The parameters that clients of Photon may repeat.
    static let repeatable: Set<String> = ["osm_tag", "layer", "include", "exclude", "countrycode"]

    /// The most matches that a request with a filter reads.
    static let readLimit = 10_000

    static let noBias = "The index was built without --near; leave lat and lon out."
    private static let noZoom = "The server chooses the radius of a location bias itself; leave zoom out."
    private static let noTags =
      "The records have no tags of OpenStreetMap; leave this filter out."
    private static let noFilter = "The server does not support this parameter; leave the parameter out."

    static let noStructuredSearch = Problem(
      status: 404, detail: "The server has no structured search; ask /api?q= with the beginning of a name.")

    static func manyMatches(_ count: Int?) -> Problem {
      let names = count.map { "\($0) names match" } ?? "Over \(readLimit) names match"
      return .badParameter("q", names + ", and a filter reads at most \(readLimit) names; send more letters.")
    }

    /// Refuses the parameters that change Photon's answers but not this server's. A client may send them empty.
    static func refuseOthers(_ parameters: inout QueryParameters, hasBias: Bool) throws(Problem) {
      if hasBias {
        if parameters.hasValue("zoom") { throw .badParameter("zoom", noZoom) }
      }
      for name in ["osm_tag", "layer", "include", "exclude"] where !parameters.texts(name).isEmpty {
        throw .badParameter(name, noTags)
      }
      for name in ["query_string_filter", "suggest_addresses"] where parameters.hasValue(name) {
        throw .badParameter(name, noFilter)
      }
      if let geometry = parameters.text("geometry"), !["", "0", "false"].contains(geometry.lowercased()) {
        throw .badParameter("geometry", "The records have points only; leave geometry out, or send geometry=false.")
      }
      // Records have one language and no doubles. Debugging would add fields that no client reads.
      for name in ["lang", "dedupe", "debug"] { _ = parameters.text(name) }
    }

    /// Reads the place of a location bias; nil without one.
    static func place(_ parameters: inout QueryParameters) throws(Problem) -> ShardedIndex.Place? {
      let (latitude, longitude) = (parameters.text("lat") ?? "", parameters.text("lon") ?? "")
      if latitude.isEmpty, longitude.isEmpty { return nil }
      guard let place = ShardedIndex.Place(latitude + "," + longitude) else {
        throw .badParameter("lat", "lat and lon must be decimal degrees; send both or neither.")
      }
      return place
    }

    /// Reads the share of prominence beside nearness, from 0 to 1, and returns the strength of nearness.
    ///
    /// Photon's default, 0.2, is that of the index.
    static func strength(_ parameters: inout QueryParameters) throws(Problem) -> Double {
      guard let text = parameters.text("location_bias_scale"), !text.isEmpty else { return 1 }
      guard let scale = QueryParameters.decimal(text[...]), 0...1 ~= scale else {
        throw .badParameter(
          "location_bias_scale", "location_bias_scale must be a number from 0 to 1; the default is 0.2.")
      }
      return 0.2 / scale
    }

    /// Reads the number of features, 1 to 1000, which Photon also caps.
    static func limit(_ parameters: inout QueryParameters, default usual: Int) throws(Problem) -> Int {
      guard let text = parameters.text("limit"), !text.isEmpty else { return usual }
      let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
      guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
        throw .badParameter("limit", "limit must be a whole number; the default is \(usual).")
      }
      let most = SearchRequest.limits.upperBound
      return text.hasPrefix("-") ? 1 : max(1, min(Int(digits) ?? most, most))
    }

    /// A box on the map, edges included, in 1e-7 degrees.
    struct BoundingBox: Equatable {
      var west, south, east, north: Int32

      /// - Parameter text: `minLon,minLat,maxLon,maxLat`. Where the first is more than the third, the box crosses the
      ///   antimeridian. The latitudes may come in either order.
      init(_ text: String) throws(Problem) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { QueryParameters.decimal($0) }
        guard numbers.count == 4, let west = numbers[0], let south = numbers[1], let east = numbers[2],
          let north = numbers[3], [west, east].allSatisfy({ $0.magnitude <= 180 }),
          [south, north].allSatisfy({ $0.magnitude <= 90 })
        else {
          throw .badParameter(
            "bbox",
            "bbox must be minLon,minLat,maxLon,maxLat: longitudes from -180 to 180 and latitudes from -90 to 90.")
        }
        (self.west, self.east) = (PlaceGrid.units(west), PlaceGrid.units(east))
        (self.south, self.north) = (PlaceGrid.units(min(south, north)), PlaceGrid.units(max(south, north)))
      }

      func contains(latitude: Int32, longitude: Int32) -> Bool {
        guard south <= latitude, latitude <= north else { return false }
        return west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east
      }
    }

    /// A request to `/api`.
    struct APIRequest: Sendable {
      var query: String
      var limit: Int
      var box: BoundingBox?
      /// The place; records near it come first. nil for none.
      var near: ShardedIndex.Place?
      /// The country codes in capital letters; none for all countries.
      var countries: Set<String>

      /// Returns the countries as a filter of the index; none if the index was built without such a filter.
      func filters(of generation: ServedGeneration) -> [ShardedIndex.Filter] {
        let built = IndexSettings(of: generation.manifest.root, hasTables: false).filter
        guard !countries.isEmpty, let field = PlaceWriter.countryField(of: generation.schema), built.contains(field)
        else { return [] }
        return [ShardedIndex.Filter(field, isOneOf: Array(countries))]
      }

      init(_ parameters: inout QueryParameters) throws(Problem) {
        guard let query = parameters.text("q"), !query.isEmpty else {
          throw .badParameter("q", "q is missing; send the beginning of a name.")
        }
        try SearchRequest.check(query)
        self.query = query
        limit = try Photon.limit(&parameters, default: 15)
        if let box = parameters.text("bbox"), !box.isEmpty { self.box = try BoundingBox(box) }
        let strength = try Photon.strength(&parameters)
        near = try Photon.place(&parameters)
        near?.strength = strength
        countries = []
        for code in parameters.texts("countrycode") {
          guard code.utf8.count == 2, code.utf8.allSatisfy({ $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a }) else {
            throw .badParameter(
              "countrycode", "countrycode must have two letters, such as DE; repeat countrycode for several countries.")
          }
          countries.insert(code.uppercased())
        }
        try Photon.refuseOthers(&parameters, hasBias: true)
        try parameters.finish()
      }
    }

    /// A request to `/reverse`.
    struct ReverseRequest: Sendable {
      var latitude: Int32
      var longitude: Int32
      /// The radius in kilometres.
      var radius: Double
      var limit: Int

      /// The largest radius in kilometres, and the default.
      static let radiusLimit = 5000.0

      init(_ parameters: inout QueryParameters) throws(Problem) {
        latitude = try parameters.degrees("lat", limit: 90)
        longitude = try parameters.degrees("lon", limit: 180)
        limit = try Photon.limit(&parameters, default: 1)
        radius = Self.radiusLimit
        if let text = parameters.text("radius"), !text.isEmpty {
          guard let number = QueryParameters.decimal(text), number >= 0 else {
            throw .badParameter("radius", "radius must be a number of kilometres from 0 to 5000.")
          }
          radius = min(number, Self.radiusLimit)
        }
        if let sort = parameters.text("distance_sort"), !["", "1", "true"].contains(sort.lowercased()) {
          throw .badParameter(
            "distance_sort", "The nearest record always comes first; leave distance_sort out, or send true.")
        }
        try Photon.refuseOthers(&parameters, hasBias: false)
        try parameters.finish()
      }
    }
  }

  extension Responder {
    func photon(_ parameters: inout QueryParameters) throws -> Representation {
      let request = try Photon.APIRequest(&parameters)
      return try served.answering { generation in
        let state = try served.state(of: generation)
        if request.near != nil, !IndexSettings(of: state.manifest.root, hasTables: false).near {
          throw Problem.badParameter("lat", Photon.noBias)
        }
        if !request.countries.isEmpty, PlaceWriter.countryField(of: state.schema) == nil {
          throw Problem.badParameter(
            "countrycode", "The index has no countries; build it from records with a field such as country.")
        }
        var query = ShardedIndex.SearchQuery(
          request.query, filter: request.filters(of: state), near: request.near)
        (query.order, query.limits, query.needs.keys) = (.automatic, .host, .always)
        // Another filter may read thousands of records.
        let hasFilter = request.box != nil || query.filter.isEmpty && !request.countries.isEmpty
        var search = try ShardedIndex.Search(query, in: generation)
        let keys = search.keys ?? 0
        try checkWait(for: hasFilter ? keys : min(request.limit, keys))
        guard state.hasCoordinates else { throw Problem.noCoordinates }
        let count = search.keyMatchCount
        // Each hit may be in another part, so the search first finds only as many hits as the answer has.
        let first = hasFilter || !search.isRanked ? 64 : request.limit
        var at = 0
        var isEmpty = true
        let body = try state.withWriter { writer in
          isEmpty = try !writer.photon(request, count: count, first: first) { limit in
            guard try findNext(limit, of: &search) else { throw Photon.manyMatches(count) }
            defer { at += limit }
            return (search, search.isRanked ? 0..<search.count : at..<min(search.count, at + limit))
          }
        }
        return Representation(
          body: body, contentType: "application/json", tag: state.tag, unmatchedText: isEmpty ? request.query : nil)
      }
    }

    func reverse(_ parameters: inout QueryParameters) throws -> Representation {
      let request = try Photon.ReverseRequest(&parameters)
      return try answeringPlaces { grid, matches, generation in
        let positions = grid.nearest(
          latitude: request.latitude, longitude: request.longitude, radius: request.radius, limit: request.limit)
        return try generation.withWriter { try $0.photon(at: positions, of: matches) }
      }
    }

    /// Answers `/status` as Photon does, with the time of the data: the time when the index was written.
    func photonStatus(_ parameters: inout QueryParameters) throws -> Representation {
      try parameters.finish()
      // The answer needs the file system.
      try checkWait(for: .max)
      var text = "{\"status\":\"Ok\""
      var status = stat()
      if stat(served.index.path + "/" + Manifest.fileName, &status) == 0 {
        #if canImport(Darwin)
          let seconds = status.st_mtimespec.tv_sec
        #else
          let seconds = status.st_mtim.tv_sec
        #endif
        text += ",\"import_date\":\"" + Self.date(seconds) + "\""
      }
      return Representation(body: ByteBuffer(string: text + "}\n"), contentType: "application/json")
    }

    /// Returns a time such as `2026-01-31T12:00:00Z`.
    private static func date(_ seconds: Int) -> String {
      var (seconds, parts) = (time_t(seconds), tm())
      guard gmtime_r(&seconds, &parts) != nil else { return "" }
      func digits(_ number: Int32, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
      }
      return digits(parts.tm_year + 1900, 4) + "-" + digits(parts.tm_mon + 1) + "-" + digits(parts.tm_mday) + "T"
        + digits(parts.tm_hour) + ":" + digits(parts.tm_min) + ":" + digits(parts.tm_sec) + "Z"
    }
  }

  extension AnswerWriter {
    /// Writes the answer to `/api`: the first matches that have coordinates and pass the filters.
    ///
    /// - Parameters:
    ///   - count: The number of all matches; nil if unknown.
    ///   - first: The least number of matches to read first.
    ///   - next: Returns the given number of next matches, or all that are left.
    /// - Returns: Whether the answer has a feature.
    /// - Throws: ``Problem`` if the filters would read too many matches.
    func photon(
      _ request: Photon.APIRequest, count: Int?, first: Int, next: (Int) throws -> (ShardedIndex.Search, Range<Int>)
    ) throws -> Bool {
      try beginFeatures()
      var found = 0
      var at = 0
      let reach = min(count ?? .max, Photon.readLimit)
      var isAtEnd = false
      while found < request.limit, at < reach {
        // A filter that few matches pass may read many matches.
        if at > 0, !ReadingTerms.mayWait { throw NotHere() }
        let wanted = min(reach - at, max(request.limit - found, at == 0 ? first : 64))
        let (records, range) = try next(wanted)
        try writeFeatures(records, range) { record, places, buffer in
          guard found < request.limit, self.passes(record, request, places, buffer) else { return false }
          found += 1
          return true
        }
        at += range.count
        isAtEnd = at == count || range.count < wanted
        if isAtEnd { break }
      }
      guard found == request.limit || isAtEnd else { throw Photon.manyMatches(count) }
      try endFeatures()
      return found > 0
    }

    private func passes(
      _ record: Int, _ request: Photon.APIRequest, _ places: PlaceWriter, _ buffer: RecordBuffer
    ) -> Bool {
      if !request.countries.isEmpty {
        guard let code = places.countryCode(buffer, record), request.countries.contains(code) else { return false }
      }
      guard let (latitude, longitude) = Degrees.degrees(ofRecord: record, in: buffer, schema) else { return false }
      guard let box = request.box else { return true }
      return box.contains(latitude: PlaceGrid.units(latitude), longitude: PlaceGrid.units(longitude))
    }

    /// Writes the answer to `/reverse`.
    ///
    /// - Parameters:
    ///   - positions: The positions of the records, in the order of the answer.
    ///   - matches: All records.
    func photon(at positions: [Int], of matches: ShardedIndex.Matches) throws(AnswerError) {
      try beginFeatures()
      for position in positions { try writeFeatures(matches, position..<position + 1) { _, _, _ in true } }
      try endFeatures()
    }
  }
#endif
