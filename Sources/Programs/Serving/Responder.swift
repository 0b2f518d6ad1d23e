#if Server
  import Answers
  import NIOCore
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The responder makes a response from a request, on any thread.
  struct Responder: Sendable {
    enum Reply {
      case answered(Response)
      /// The caller has to answer the request again once a value is made.
      case later(Unfinished)
    }

    let settings: ServeSettings
    let source: IndexSource
    let indexes: ServedIndexes
    /// The index of the request that this responder answers.
    var served: ServedIndex
    /// Whether the request names no index, where indexes have names.
    private var namesNoIndex = false
    let metrics: Metrics
    let log: ServerLog
    let hosts: AllowedHosts
    let page: SearchPage
    let budget = ResponseBudget()

    init(
      settings: ServeSettings, source: IndexSource, indexes: ServedIndexes, metrics: Metrics, log: ServerLog,
      hosts: AllowedHosts, page: SearchPage
    ) {
      (self.settings, self.source, self.indexes, served) = (settings, source, indexes, indexes.all[0])
      (self.metrics, self.log, self.hosts, self.page) = (metrics, log, hosts, page)
    }

    private func answerOfIndex(_ request: Request) throws -> Response {
      indexes.names.names.isEmpty ? try answer(request) : try of(request.destination).answer(request)
    }

    /// Returns a responder for the index of a request, where indexes have names.
    private func of(_ destination: Destination) -> Responder {
      var own = self
      if let index = destination.index { own.served = indexes.all[index] } else { own.namesNoIndex = true }
      return own
    }

    /// The most records of an answer that an event loop makes itself. More records would hold up its other connections.
    static let recordsHere = 64

    /// Responds on a thread that never waits; nil if the answer needs a file or much work.
    func respondHere(to request: Request, from address: SocketAddress?) -> Response? {
      do {
        return try finished(answerOfIndex(request), request, address)
      } catch let problem as Problem {
        return refusal(problem, to: request, from: address)
      } catch {
        return nil
      }
    }

    /// Responds on a thread that may wait.
    func respond(to request: Request, from address: SocketAddress?) -> Reply {
      let problem: Problem
      do {
        return .answered(try finished(answerOfIndex(request), request, address))
      } catch let error as Problem {
        problem = error
      } catch let error as Unfinished {
        return .later(error)
      } catch IndexError.io(_, _, let number) where [ENOMEM, EMFILE, ENFILE].contains(number) {
        problem = number == ENOMEM ? .fullMemory : .noDescriptors
      } catch let error as IndexError {
        complain(request, error.description)
        problem =
          switch error {
          case .unreachable: .noStore
          case .superseded: .overtaken
          default: .internalFailure
          }
      } catch is WriteError {
        problem = Problem(
          status: 503,
          detail: "The answer would have over \(AnswerWriter.sizeLimit >> 20) MiB. Ask for fewer records.",
          parameter: "limit")
      } catch {
        complain(request, "\(error)")
        problem = .internalFailure
      }
      return .answered(refusal(problem, to: request, from: address))
    }

    private func complain(_ request: Request, _ reason: String) {
      let served = request.destination.index.map { indexes.all[$0] } ?? served
      served.log.complain("cannot answer", ["route": request.route.name, "reason": reason])
    }

    /// Returns the response that refuses a request.
    func refusal(_ problem: Problem, to request: Request, from address: SocketAddress?) -> Response {
      finished(refusal(problem), request, address)
    }

    /// Counts a response, and logs the request if the server logs requests.
    private func finished(_ response: Response, _ request: Request, _ address: SocketAddress?) -> Response {
      var response = response
      harden(&response.headers)
      let elapsed = (ContinuousClock.now - request.arrival).microseconds
      metrics.count(request.destination, status: response.status, microseconds: elapsed)
      if settings.logsRequests {
        log.write(
          .info, "request",
          [
            "from": client(of: request, address), "method": request.method.name, "target": request.targetInASCII,
            "status": "\(response.status)", "bytes": response.headers[.contentLength] ?? "0", "us": "\(elapsed)",
          ])
      }
      return response
    }

    /// Returns the address of a request's client, for the log.
    private func client(of request: Request, _ address: SocketAddress?) -> String {
      let peer = address?.ipAddress ?? ""
      guard !settings.trustedProxies.isEmpty else { return peer }
      return settings.trustedProxies.client(of: peer, request.field("x-forwarded-for"))
    }

    private func answer(_ request: Request) throws -> Response {
      let route = request.route
      guard hosts.allows(request.authority) else {
        throw Problem(
          status: 421,
          detail: "The server does not answer to this host name; shardq serve --host NAME allows a name.")
      }
      guard route != .structured else { throw Photon.noStructuredSearch }
      guard !namesNoIndex || route.isOfServer else { throw indexes.names.missing }
      guard route != .none else {
        throw Problem(status: 404, detail: "The server has no such path; /v1/openapi.json lists the paths.")
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
        throw Problem(status: 405, detail: "The server answers GET and HEAD only.", allowed: "GET, HEAD")
      }
      let wantsGzip = Gzip.isWanted(request.field("accept-encoding"))
      let known = request.field("if-none-match")
      // If the tag depends on the generation only, the server does not read the index.
      if let known, let tag = tag(of: route, known, wantsGzip) { return unchanged(route, tag) }
      var parameters = try QueryParameters(
        request.query, repeatable: route.isPhotons ? Photon.repeatable : SearchRequest.repeatable)
      let answer: Representation
      switch route {
      case .page: answer = pageAnswer
      case .box: answer = SearchPage.box
      case .description: answer = SearchPage.description
      case .search: answer = try search(&parameters)
      case .photon: answer = try photon(&parameters)
      case .reverse: answer = try reverse(&parameters)
      case .photonStatus: answer = try photonStatus(&parameters)
      case .facets: answer = try facets(&parameters)
      case .record: answer = try record(request.destination.rest, &parameters)
      case .within: answer = try within(&parameters)
      case .dots: answer = try dots(&parameters)
      case .status: answer = try namesNoIndex ? serverStatus(&parameters) : status(&parameters)
      case .health:
        try parameters.finish()
        answer = Representation(body: ByteBuffer(string: "ok\n"), contentType: "text/plain; charset=utf-8")
      case .metrics:
        try parameters.finish()
        let text = metrics.text(indexes.all, store: source.counters?())
        answer = Representation(body: ByteBuffer(string: text), contentType: "text/plain; version=0.0.4; charset=utf-8")
      case .structured, .none: throw Problem.internalFailure
      }
      let response = try response(answer, route, isHead: isHead, wantsGzip: wantsGzip, known)
      if let text = answer.unmatchedText { countUnmatched(text) }
      return response
    }

    /// Counts an answer without a match, and logs its text if the operator asks for such texts.
    private func countUnmatched(_ text: String) {
      served.unmatchedAnswers.add(1, ordering: .relaxed)
      if settings.logsUnmatched { served.log.write(.info, "no match", ["text": text]) }
    }

    /// The search page of the index, or the page with all indexes.
    var pageAnswer: Representation { namesNoIndex ? indexes.page : page.answer(served.current.facts) }

    /// Makes the response of an answer, and compresses a large body for a client that accepts gzip.
    private func response(
      _ answer: Representation, _ route: Route, isHead: Bool, wantsGzip: Bool, _ known: String?
    ) throws -> Response {
      var (body, tag) = (answer.body, answer.tag)
      var headers = answer.headers
      headers[.vary] = "Accept-Encoding"
      if wantsGzip, body.readableBytes > Gzip.threshold {
        let plain = body
        if answer.stored == nil { try checkWait(for: .max) }
        body = answer.stored?.compressed(plain) ?? Gzip.compressed(plain, level: 1)
        tag = tag.map(Gzip.tag)
        headers[.contentEncoding] = "gzip"
      }
      headers.append(contentsOf: validity(tag, route))
      // Only `*` gets here: which of two tags the answer has was not known before.
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

    /// Returns a response with status 304 and the header fields of the answer. A cache replaces its own header fields
    /// by these (RFC 9111 3.2), among them the page's policy.
    private func unchanged(_ route: Route, _ tag: String) -> Response {
      var headers: HeaderFields
      switch route {
      case .page: headers = pageAnswer.headers
      case .box: headers = SearchPage.box.headers
      case .description: headers = SearchPage.description.headers
      // The server did not read the index for this response.
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
  }

  extension Duration {
    var microseconds: Int { Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000) }

    /// The number of milliseconds with three decimals.
    var milliseconds: String {
      let microseconds = microseconds
      return "\(microseconds / 1000)." + String(1000 + microseconds % 1000).dropFirst()
    }
  }
#endif
