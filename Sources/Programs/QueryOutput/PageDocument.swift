#if !hasFeature(Embedded)
  /// The search page with its options, for a server and for `shardq page`.
  package enum PageDocument {
    /// Returns the page with its options; nil for a text that is not the page of this version.
    ///
    /// - Parameters:
    ///   - page: The page of Sources/Programs/Serving/Resources.
    ///   - index: The address of an index beside the page; nil for a server.
    ///   - first: The facts of the page's first answers, as JSON; nil for a server.
    package static func html(
      _ page: [UInt8], _ options: PageOptions, _ facts: PageFacts, index: String? = nil, first: String? = nil
    ) -> [UInt8]? {
      var html = page
      let beside =
        (index.map { " data-index=\"\(escaped($0))\"" } ?? "") + (first.map { " data-first=\"\(escaped($0))\"" } ?? "")
      let said = " data-page=\"\(escaped(options.json(facts)))\""
      guard
        replace("<html lang=\"en\">", with: "<html lang=\"\(escaped(options.language))\"\(beside)\(said)>", in: &html),
        replace("<title>shardq</title>", with: "<title>\(escaped(options.title))</title>", in: &html)
      else { return nil }
      return html
    }

    /// Returns a text escaped for markup and for attributes.
    package static func escaped(_ text: String) -> String {
      var bytes: [UInt8] = []
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<"): bytes += "&lt;".utf8
        case UInt8(ascii: ">"): bytes += "&gt;".utf8
        case UInt8(ascii: "\""): bytes += "&quot;".utf8
        default: bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces the first occurrence of a text.
    ///
    /// - Returns: Whether the text occurs.
    package static func replace(_ old: String, with new: String, in html: inout [UInt8]) -> Bool {
      let word = Array(old.utf8)
      guard let place = html.indices.first(where: { html[$0] == word[0] && html[$0...].starts(with: word) }) else {
        return false
      }
      html.replaceSubrange(place..<place + word.count, with: Array(new.utf8))
      return true
    }
  }
#endif
