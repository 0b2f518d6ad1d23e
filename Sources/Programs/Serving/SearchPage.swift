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
    /// The answers by the facts that the page shows. Another generation of the index may have other facts.
    private let answers = NIOLockedValueBox<[PageFacts: Representation]>([:])

    init(_ options: PageOptions) { self.options = options }

    /// Returns the page of an index.
    func answer(_ facts: PageFacts) -> Representation {
      answers.withLockedValue { answers in
        if let made = answers[facts] { return made }
        let made = Self.answer(options, facts)
        answers[facts] = made
        return made
      }
    }

    private static func answer(_ options: PageOptions, _ facts: PageFacts) -> Representation {
      let page = Array(UnsafeBufferPointer(start: server_page(), count: server_page_size()))
      // The executable contains the page of its own version.
      let html = PageDocument.html(page, options, facts) ?? page
      var answer = Representation(
        body: ByteBuffer(bytes: html), contentType: "text/html; charset=utf-8",
        tag: "\"" + String(decoding: Base64.encoded(digest(html)), as: UTF8.self) + "\"")
      answer.headers[.contentSecurityPolicy] =
        PagePolicy.text(for: html, images: options.policyOrigins, digest: digest) + "; frame-ancestors 'none'"
      answer.stored = Gzip.Stored()
      return answer
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
      bytes.withUnsafeBufferPointer { SHA256.digest(of: $0) }
    }
  }

  /// The OpenAPI document.
  enum OpenAPI {
    static let answer: Representation = {
      let json = Array(UnsafeBufferPointer(start: server_description(), count: server_description_size()))
      let digest = json.withUnsafeBufferPointer { SHA256.digest(of: $0) }
      return Representation(
        body: ByteBuffer(bytes: json), contentType: "application/openapi+json",
        tag: "\"" + String(decoding: Base64.encoded(digest), as: UTF8.self) + "\"", stored: Gzip.Stored())
    }()
  }
#endif
