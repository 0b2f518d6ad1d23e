#if Server
  import Answers
  import CServerFiles
  import NIOConcurrencyHelpers
  import NIOCore
  import QueryOutput
  import ShardedIndex

  /// The search page, with the policy that lets only the page's own scripts and styles run.
  final class SearchPage: Sendable {
    private let options: PageOptions
    /// The sources of `frame-ancestors`.
    private let ancestors: String
    /// The answers by the facts that the page shows. Another generation of the index may have other facts.
    private let answers = NIOLockedValueBox<[PageFacts: Representation]>([:])

    /// - Parameter ancestors: The pages that may embed the page, as ``PagePolicy/ancestors(_:)`` takes them.
    init(_ options: PageOptions, ancestors: [String]) {
      self.options = options
      self.ancestors = PagePolicy.ancestors(ancestors) ?? "'none'"
    }

    /// Returns the page of an index.
    func answer(_ facts: PageFacts) -> Representation {
      answers.withLockedValue { answers in
        if let made = answers[facts] { return made }
        let made = answer(of: facts)
        answers[facts] = made
        return made
      }
    }

    private func answer(of facts: PageFacts) -> Representation {
      let page = Array(UnsafeBufferPointer(start: server_page(), count: server_page_size()))
      // The executable contains the page of its own version.
      let html = PageDocument.html(page, options, facts) ?? page
      var answer = Representation(
        body: ByteBuffer(bytes: html), contentType: "text/html; charset=utf-8",
        tag: Self.tag(html))
      answer.headers[.contentSecurityPolicy] =
        PagePolicy.text(for: html, images: options.policyOrigins, digest: Self.digest)
        + "; frame-ancestors \(ancestors)"
      answer.stored = Gzip.Stored()
      return answer
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
      bytes.withUnsafeBufferPointer { SHA256.digest(of: $0) }
    }

    static func tag(_ bytes: [UInt8]) -> String {
      "\"" + String(decoding: Base64.encoded(digest(bytes)), as: UTF8.self) + "\""
    }

    /// The box for other pages.
    static let box = file(server_box(), server_box_size(), "text/javascript; charset=utf-8")
    /// The OpenAPI document.
    static let description = file(server_description(), server_description_size(), "application/openapi+json")

    private static func file(_ start: UnsafePointer<UInt8>?, _ count: Int, _ contentType: String) -> Representation {
      let bytes = Array(UnsafeBufferPointer(start: start, count: count))
      return Representation(
        body: ByteBuffer(bytes: bytes), contentType: contentType, tag: tag(bytes), stored: Gzip.Stored())
    }
  }
#endif
