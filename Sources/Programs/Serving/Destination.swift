#if Server
  import Answers
  import NIOCore
  import QueryOutput

  /// The destination of a request: a route of one of the indexes, or of the whole server.
  struct Destination: Sendable {
    var route: Route
    /// The number of the index; nil for the whole server.
    var index: Int?
    /// The part of the path behind the route: the id of a record.
    var rest: Substring
  }

  /// The names of the indexes in the paths of requests. None if the server has one index without a name.
  struct IndexNames: Sendable {
    let names: [String]
    /// The most names in the text of a problem.
    private static let shownNames = 20

    /// Returns the destination of a path. With names, `/cities/v1/search` and `/v1/cities/search` are the same, and
    /// `/cities/` has the page of the index.
    func destination(of path: Substring) -> Destination {
      guard !names.isEmpty else { return Self.destination(of: path, 0) }
      let version = "/v1/"
      let isVersioned = path.utf8.starts(with: version.utf8)
      let rest = path.utf8.dropFirst(isVersioned ? version.utf8.count : 1)
      guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
        let index = names.firstIndex(where: { $0.utf8.elementsEqual(rest[..<slash]) })
      else { return Self.destination(of: path, nil) }
      return Self.destination(of: Substring((isVersioned ? "/v1" : "") + String(path[slash...])), index)
    }

    private static func destination(of path: Substring, _ index: Int?) -> Destination {
      let route = Route(path: path)
      return Destination(
        route: route, index: index, rest: Substring(path.utf8.dropFirst(route.rawValue.utf8.count)))
    }

    /// The answer to a request that needs an index, and names none.
    var missing: Problem {
      let more = names.count > Self.shownNames ? " and \(names.count - Self.shownNames) more" : ""
      return Problem(
        status: 404,
        detail: "The path names no index. The indexes are "
          + names.prefix(Self.shownNames).joined(separator: ", ") + "\(more); ask for /v1/\(names[0])/search.")
    }

    /// The page with a link to each index.
    func page(_ options: PageOptions) -> Representation {
      let title = PageDocument.escaped(options.title)
      let language = PageDocument.escaped(options.language)
      var html = "<!doctype html>\n<html lang=\"\(language)\">\n<meta charset=\"utf-8\">\n"
      html += "<meta name=\"viewport\" content=\"width=device-width\">\n"
      // Without an icon a browser asks for one, which the policy forbids.
      html += "<link rel=\"icon\" href=\"data:,\">\n<title>\(title)</title>\n<h1>\(title)</h1>\n<ul>\n"
      for name in names { html += "<li><a href=\"\(name)/\">\(name)</a>\n" }
      html += "</ul>\n"
      var answer = Representation(
        body: ByteBuffer(string: html), contentType: "text/html; charset=utf-8",
        tag: SearchPage.tag(Array(html.utf8)), stored: Gzip.Stored())
      answer.headers[.contentSecurityPolicy] = "default-src 'none'; img-src data:; frame-ancestors 'none'"
      return answer
    }
  }
#endif
