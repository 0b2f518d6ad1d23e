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
      func sources(_ element: String) -> String {
        let hashes = Self.contents(of: element, in: html).map {
          "'sha256-" + String(decoding: Base64.encoded(Self.digest($0)), as: UTF8.self) + "'"
        }
        return hashes.isEmpty ? "'none'" : hashes.joined(separator: " ")
      }
      var answer = Answer(
        body: ByteBuffer(bytes: html), contentType: "text/html; charset=utf-8",
        tag: "\"" + String(decoding: Base64.encoded(Self.digest(html)), as: UTF8.self) + "\"")
      answer.headers[.contentSecurityPolicy] =
        "default-src 'none'; script-src \(sources("script")); style-src \(sources("style")); connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
      answer.stored = Gzip.Stored()
      self.answer = answer
    }

    private static func digest(_ bytes: [UInt8]) -> [UInt8] {
      bytes.withUnsafeBufferPointer { SHA256.digest(of: $0) }
    }

    /// Returns the bytes between each `<element ...>` and `</element>`, which browsers hash.
    static func contents(of element: String, in html: [UInt8]) -> [[UInt8]] {
      var contents: [[UInt8]] = []
      let (open, close) = (Array("<\(element)".utf8), Array("</\(element)".utf8))
      func place(of word: [UInt8], from start: Int) -> Int? {
        var at = start
        while at + word.count <= html.count {
          // The letters of elements are the same in either case.
          if zip(html[at...], word).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return at }
          at += 1
        }
        return nil
      }
      var at = 0
      while let tag = place(of: open, from: at) {
        at = tag + open.count
        guard at < html.count, [0x20, 0x0a, 0x0d, 0x09, 0x3e].contains(html[at]),
          let start = html[at...].firstIndex(of: UInt8(ascii: ">")), let end = place(of: close, from: start + 1)
        else { continue }
        contents.append(Array(html[(start + 1)..<end]))
        at = end
      }
      return contents
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
