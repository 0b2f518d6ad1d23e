#if Server
  import NIOCore
  import QueryOutput
  import ShardedIndex
  import Synchronization

  import CSystem

  /// What may be asked.
  enum Route: String, CaseIterable {
    case page = "/"
    case search = "/v1/search"
    case within = "/v1/within"
    case dots = "/v1/dots"
    case status = "/v1/status"
    case description = "/v1/openapi.json"
    case photon = "/api"
    case reverse = "/reverse"
    case structured = "/structured"
    case photonStatus = "/status"
    case health = "/healthz"
    case metrics = "/metrics"
    case none = ""

    var name: String {
      switch self {
      case .page: "page"
      case .search: "search"
      case .within: "within"
      case .dots: "dots"
      case .status: "status"
      case .description: "openapi"
      case .photon: "photon"
      case .reverse: "reverse"
      case .structured: "structured"
      case .photonStatus: "photon-status"
      case .health: "healthz"
      case .metrics: "metrics"
      case .none: "none"
      }
    }

    init(path: Substring) {
      if let route = Route(rawValue: String(path)) {
        self = route
      } else if path.hasSuffix("/"), let route = Route(rawValue: String(path.dropLast())), route.isPhotons {
        // Photon's clients write its paths either way.
        self = route
      } else {
        self = .none
      }
    }

    /// Whether the geocoder Photon has it.
    var isPhotons: Bool {
      switch self {
      case .photon, .reverse, .structured, .photonStatus: true
      default: false
      }
    }
  }

  /// A body with what is said of it.
  struct Answer: Sendable {
    var body: ByteBuffer
    var contentType: String
    /// nil where the answer may be another one each time.
    var tag: String?
    var headers: HeaderFields = [:]
    /// Where the body is the same each time: its compressed form.
    var stored: Gzip.Stored?
  }

  /// What is sent back for a request.
  struct Response: Sendable {
    var status: Int
    var headers: HeaderFields
    var body: ByteBuffer? = nil
    /// Held until the body is with the system.
    var reservation: ResponseBudget.Reservation? = nil
  }

  /// Why a question has no answer yet: it needs what another thread is making.
  struct Unfinished: Error {
    let grid: PlaceGridMaker
  }

  /// A question that an event loop leaves to other threads, though it could answer it.
  struct NotHere: Error {}

  /// Answers requests: a plain function from a request to an answer, on whatever thread it is called.
  struct Responder: Sendable {
    enum Outcome {
      case answered(Response)
      /// Ask again once that is made.
      case later(PlaceGridMaker)
    }

    let settings: ServeSettings
    let served: ServedIndex
    let metrics: Metrics
    let log: ServerLog
    let hosts: AllowedHosts
    let page: Page
    let budget = ResponseBudget()

    /// Records of an answer that an event loop makes itself: more of them would hold up its other connections.
    static let recordsHere = 64

    /// The answer to a request on a thread that never waits; nil where something has to be read for it, or much be done.
    func respondHere(to request: Request, from address: SocketAddress?) -> Response? {
      do {
        return try finished(answer(request), request, address)
      } catch let problem as Problem {
        return refusal(problem, to: request, from: address)
      } catch {
        return nil
      }
    }

    /// The answer to a request on a thread that may wait.
    func respond(to request: Request, from address: SocketAddress?) -> Outcome {
      let problem: Problem
      do {
        return .answered(try finished(answer(request), request, address))
      } catch let error as Problem {
        problem = error
      } catch let error as Unfinished {
        return .later(error.grid)
      } catch IndexError.io(_, _, let number) where [ENOMEM, EMFILE, ENFILE].contains(number) {
        problem = number == ENOMEM ? .fullMemory : .noDescriptors
      } catch let error as IndexError {
        log.complain("cannot answer", ["route": request.route.name, "reason": error.description])
        problem = .internalFailure
      } catch is WriteError {
        problem = Problem(
          status: 503,
          detail: "The answer would have over \(AnswerWriter.sizeLimit >> 20) MiB. Ask for fewer records.")
      } catch {
        log.complain("cannot answer", ["route": request.route.name, "reason": "\(error)"])
        problem = .internalFailure
      }
      return .answered(refusal(problem, to: request, from: address))
    }

    /// What a client is told that gets no answer.
    func refusal(_ problem: Problem, to request: Request, from address: SocketAddress?) -> Response {
      finished(refusal(problem), request, address)
    }

    /// Counts an answer, and writes it to the log if that is wanted.
    private func finished(_ response: Response, _ request: Request, _ address: SocketAddress?) -> Response {
      var response = response
      harden(&response.headers)
      let elapsed = (ContinuousClock.now - request.arrival).microseconds
      metrics.count(request.route, status: response.status, microseconds: elapsed)
      if settings.logsRequests {
        log.write(
          .info, "request",
          [
            "from": address?.ipAddress ?? "", "method": request.method.name, "target": request.targetInASCII,
            "status": "\(response.status)", "bytes": response.headers[.contentLength] ?? "0", "us": "\(elapsed)",
          ])
      }
      return response
    }

    private func answer(_ request: Request) throws -> Response {
      let route = request.route
      guard hosts.allows(request.authority) else {
        throw Problem(
          status: 421,
          detail: "This server answers to names of this machine; shardq serve --host NAME allows another.")
      }
      guard route != .structured else { throw Photon.noStructuredSearch }
      guard route != .none else {
        throw Problem(status: 404, detail: "There is nothing of that name; /v1/openapi.json says what there is.")
      }
      let isHead = request.method == .head
      guard request.method == .get || isHead else {
        if request.method == .options, !settings.cors.isEmpty {
          return Response(
            status: 204,
            headers: [
              .accessControlAllowMethods: "GET, HEAD", .accessControlAllowHeaders: Self.allowedHeaders,
              .accessControlMaxAge: "86400",
            ])
        }
        throw Problem(status: 405, detail: "Only GET and HEAD do here.", allowed: "GET, HEAD")
      }
      let wantsGzip = Gzip.isWanted(request.field("accept-encoding"))
      let known = request.field("if-none-match")
      // What follows from the generation alone needs no look into it.
      if let known, let tag = tag(of: route, known, wantsGzip) { return unchanged(route, tag) }
      var parameters = try QueryParameters(request.query, repeatable: route.isPhotons ? Photon.repeatable : [])
      let answer: Answer
      switch route {
      case .page: answer = page.answer
      case .description: answer = OpenAPI.answer
      case .search: answer = try search(&parameters)
      case .photon: answer = try photon(&parameters)
      case .reverse: answer = try reverse(&parameters)
      case .photonStatus: answer = try photonStatus(&parameters)
      case .within: answer = try within(&parameters)
      case .dots: answer = try dots(&parameters)
      case .status: answer = try status(&parameters)
      case .health:
        try parameters.finish()
        answer = Answer(body: ByteBuffer(string: "ok\n"), contentType: "text/plain; charset=utf-8")
      case .metrics:
        try parameters.finish()
        let text = metrics.text(served.index, cacheLimit: served.cacheLimit, generation: served.current.name)
        answer = Answer(body: ByteBuffer(string: text), contentType: "text/plain; version=0.0.4; charset=utf-8")
      case .structured, .none: throw Problem.internalFailure
      }
      return try response(answer, route, isHead: isHead, wantsGzip: wantsGzip, known)
    }

    /// The answer with its header fields, compressed where it is large and the client takes it so.
    private func response(
      _ answer: Answer, _ route: Route, isHead: Bool, wantsGzip: Bool, _ known: String?
    ) throws -> Response {
      var (body, tag) = (answer.body, answer.tag)
      var headers = answer.headers
      headers[.vary] = "Accept-Encoding"
      if wantsGzip, body.readableBytes > Gzip.threshold {
        let plain = body
        if answer.stored == nil { try hereOnly(upTo: .max) }
        body = answer.stored?.compressed(plain) ?? Gzip.compressed(plain, level: 1)
        tag = tag.map(Gzip.tag)
        headers[.contentEncoding] = "gzip"
      }
      headers.append(contentsOf: validity(tag, route))
      // `*` alone gets here: which of two tags the answer has was not known before.
      if let known, let tag, matches(tag, known) {
        headers[.contentEncoding] = nil
        return Response(status: 304, headers: headers)
      }
      headers[.contentType] = answer.contentType
      headers[.contentLength] = String(body.readableBytes)
      if isHead { return Response(status: 200, headers: headers) }
      return Response(
        status: 200, headers: headers, body: body, reservation: try budget.reserve(body.readableBytes))
    }

    /// A 304 with the header fields of the answer that it stands for: a cache puts them in the place of those it has
    /// (RFC 9111 3.2), the page's policy among them.
    private func unchanged(_ route: Route, _ tag: String) -> Response {
      var headers: HeaderFields
      switch route {
      case .page: headers = page.answer.headers
      case .description: headers = OpenAPI.answer.headers
      // Nothing was asked of the index this time.
      case .search:
        headers = [
          .shardqCost: "shards=0/\(served.current.manifest.shardCount), loads=0, bytes=0",
          .serverTiming: "search;dur=0.000",
        ]
      default: headers = [:]
      }
      headers[.vary] = "Accept-Encoding"
      headers.append(contentsOf: validity(tag, route))
      return Response(status: 304, headers: headers)
    }

    // MARK: Questions

    private func search(_ parameters: inout QueryParameters) throws -> Answer {
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
        let touched = try generation.manifest.shardsTouched(by: request.folded, matches, shown: range)
        answer.headers[.shardqCost] =
          "shards=\(touched)/\(generation.manifest.shardCount), loads=\(after.loads - before.loads), "
          + "bytes=\(after.loadedBytes - before.loadedBytes)"
        answer.headers[.shardqCount] = "\(matches.count)"
        answer.headers[.serverTiming] = "search;dur=" + (ContinuousClock.now - start).milliseconds
        return answer
      }
    }

    /// Leaves questions of many records to threads that may take their time.
    func hereOnly(upTo records: Int) throws {
      if records > Self.recordsHere, !ReadingTerms.mayWait { throw NotHere() }
    }

    private func within(_ parameters: inout QueryParameters) throws -> Answer {
      let west = try parameters.degrees("west", limit: 180)
      let edges = [try parameters.degrees("south", limit: 90), try parameters.degrees("north", limit: 90)]
      // Whichever is further south: OpenAPI has no words to forbid the other order.
      let (south, north) = (edges.min()!, edges.max()!)
      let east = try parameters.degrees("east", limit: 180)
      let limit = try parameters.number("limit", in: SearchRequest.limits) ?? 100
      try parameters.finish()
      return try askingPlaces { grid, matches, generation in
        let (positions, more) = grid.positions(west: west, south: south, east: east, north: north, limit: limit)
        return try generation.withWriter { try $0.within(matches, positions, more: more) }
      }
    }

    /// Answers a question about where records lie, and asks again where builds took away what was to be read.
    func askingPlaces(_ body: (PlaceGrid, ShardedIndex.Matches, ServedGeneration) throws -> ByteBuffer) throws -> Answer
    {
      // The grid leads to records all over the index, and to many of its cells.
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

    private func dots(_ parameters: inout QueryParameters) throws -> Answer {
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

    private func status(_ parameters: inout QueryParameters) throws -> Answer {
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

  extension Duration {
    var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }

    /// With three places.
    var milliseconds: String {
      let microseconds = microseconds
      return "\(microseconds / 1000)." + String(1000 + microseconds % 1000).dropFirst()
    }
  }

  enum Base64 {
    static func encoded(_ bytes: [UInt8]) -> [UInt8] {
      let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
      var text: [UInt8] = []
      text.reserveCapacity((bytes.count + 2) / 3 * 4)
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        var word: UInt32 = 0
        for at in 0..<3 { word = word << 8 | (at < group.count ? UInt32(group[start + at]) : 0) }
        for at in 0..<4 {
          text.append(at <= group.count ? digits[Int(word >> (18 - 6 * UInt32(at)) & 63)] : UInt8(ascii: "="))
        }
      }
      return text
    }
  }
#endif
