#if Server
  import NIOCore
  import QueryOutput

  /// The header fields of responses.
  extension Responder {
    /// Returns the tag of `If-None-Match` that says that the client has the answer already; nil if the client has not,
    /// or if only the answer can tell.
    func tag(of route: Route, _ known: String, _ wantsGzip: Bool) -> String? {
      let tag: String?
      switch route {
      case .page: tag = pageAnswer.tag
      case .box: tag = SearchPage.box.tag
      case .description: tag = SearchPage.description.tag
      case .search, .facets, .record, .photon, .reverse, .within, .dots: tag = served.current.tag
      case .status, .photonStatus, .structured, .health, .metrics, .none: tag = nil
      }
      guard let tag else { return nil }
      guard wantsGzip else { return matches(tag, known) ? tag : nil }
      // The server always compresses its files for a client that accepts gzip, but not small bodies of other routes.
      if route.isFile || !isAny(known), matches(Gzip.tag(tag), known) { return Gzip.tag(tag) }
      return !route.isFile && !isAny(known) && matches(tag, known) ? tag : nil
    }

    private func isAny(_ known: String) -> Bool { known.contains("*") && !known.contains("\"") }

    func matches(_ tag: String, _ known: String) -> Bool {
      known.split(separator: ",").contains { part in
        var part = part.drop { $0 == " " || $0 == "\t" }
        while part.last == " " || part.last == "\t" { part.removeLast() }
        if part.hasPrefix("W/") { part = part.dropFirst(2) }
        return part == tag || part == "*"
      }
    }

    func validity(_ tag: String?, _ route: Route) -> HeaderFields {
      guard let tag else { return [.cacheControl: "no-store"] }
      return [
        .eTag: tag,
        .cacheControl: settings.maxAge > 0 && !route.isFile ? "public, max-age=\(settings.maxAge)" : "no-cache",
      ]
    }

    /// Returns the response to a request that has a mistake, or that the server cannot answer now.
    func refusal(_ problem: Problem) -> Response {
      var headers: HeaderFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
      if let allowed = problem.allowed { headers[.allow] = allowed }
      if let retryAfter = problem.retryAfter { headers[.retryAfter] = "\(retryAfter)" }
      let body = ByteBuffer(string: problem.json)
      headers[.contentLength] = String(body.readableBytes)
      harden(&headers)
      return Response(status: problem.status, headers: headers, body: body)
    }

    /// The header fields that pages of other origins may send. The server ignores these fields. The list names the
    /// fields of common libraries for browsers that do not know the asterisk.
    static let allowedHeaders =
      "Accept, Accept-Language, Cache-Control, Content-Type, If-None-Match, Pragma, X-Requested-With, *"

    /// Adds the header fields that keep browsers from reading an answer as another type or as another origin's.
    func harden(_ headers: inout HeaderFields) {
      headers[.xContentTypeOptions] = "nosniff"
      headers[.referrerPolicy] = "no-referrer"
      if headers[.contentSecurityPolicy] == nil {
        headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
      }
      if settings.cors.isEmpty {
        headers[.crossOriginResourcePolicy] = "same-origin"
      } else {
        headers[.accessControlAllowOrigin] = settings.cors
        headers[.accessControlExposeHeaders] = "ETag, Server-Timing, Shardq-Cost, Shardq-Count, Shardq-Cursor"
        headers[.timingAllowOrigin] = settings.cors
        headers[.crossOriginResourcePolicy] = "cross-origin"
      }
    }
  }
#endif
