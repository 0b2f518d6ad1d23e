#if Server
  import CServerFiles
  import NIOCore
  import QueryOutput
  import ShardedIndex

  /// The page, with the policy that lets only its own scripts and styles run.
  struct Page: Sendable {
    let answer: Answer

    init() {
      let html = Array(UnsafeBufferPointer(start: server_page(), count: server_page_size()))
      var answer = Answer(
        body: ByteBuffer(bytes: html), contentType: "text/html; charset=utf-8",
        tag: "\"" + String(decoding: Base64.encoded(Self.digest(html)), as: UTF8.self) + "\"")
      answer.headers[.contentSecurityPolicy] =
        PagePolicy.text(for: html, digest: Self.digest) + "; frame-ancestors 'none'"
      answer.stored = Gzip.Stored()
      self.answer = answer
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
      bytes.withUnsafeBufferPointer { SHA256.digest(of: $0) }
    }
  }

  /// The description of the interface.
  enum OpenAPI {
    static let answer: Answer = {
      let json = Array(UnsafeBufferPointer(start: server_description(), count: server_description_size()))
      let digest = json.withUnsafeBufferPointer { SHA256.digest(of: $0) }
      return Answer(
        body: ByteBuffer(bytes: json), contentType: "application/openapi+json",
        tag: "\"" + String(decoding: Base64.encoded(digest), as: UTF8.self) + "\"", stored: Gzip.Stored())
    }()
  }
#endif
