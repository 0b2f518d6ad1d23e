#if !hasFeature(Embedded)
  import Answers
  import ShardedIndex

  /// The addresses that options of the page may have: of the web, or relative to the page.
  enum PageAddress {
    /// Returns a reason to refuse an address; nil for none.
    static func flaw(_ text: String) -> String? {
      let rule = "\(text) is not an address; write one such as https://shop.example/a or a/b"
      // Browsers read a backslash as a slash, and leave out spaces.
      let refused = "\"<>\\^`{|}".utf8
      guard !text.utf8.contains(where: { $0 <= 0x20 || refused.contains($0) }), !text.hasPrefix("//") else {
        return rule
      }
      guard let scheme = scheme(of: text) else { return nil }
      guard ["http", "https"].contains(scheme) else {
        return "the page has no addresses of \(scheme):; write one of https: or http:, or a relative one"
      }
      let rest = text.dropFirst(scheme.utf8.count + 1)
      guard rest.hasPrefix("//") else { return rule }
      let host = rest.dropFirst(2).prefix { !"/?#".contains($0) }
      return host.isEmpty || host.contains("@") ? rule : nil
    }

    /// Returns a reason to refuse an address with fields in braces; nil for none. Fields stand behind the host, so that
    /// no record chooses another scheme or host.
    static func flaw(_ template: KeyTemplate) -> String? {
      let texts = template.parts.map { part in
        switch part {
        case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
        case .field: "x"
        }
      }
      if let flaw = flaw(texts.joined()) { return flaw }
      var begun = ""
      if case .literal = template.parts.first { begun = texts[0] }
      let behindScheme = scheme(of: begun).map { begun.dropFirst($0.utf8.count + 3) } ?? begun[...]
      return behindScheme.contains(where: { "/?#".contains($0) })
        ? nil : "the fields of an address stand behind its host, as in https://shop.example/{id} or ./{id}"
    }

    /// Returns the origin of an address of the web; nil for a relative one.
    static func origin(of text: String) -> String? {
      guard let scheme = scheme(of: text) else { return nil }
      return scheme + "://" + text.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".contains($0) }.lowercased()
    }

    /// Returns the scheme in small letters; nil for a relative address.
    private static func scheme(of text: String) -> String? {
      guard let end = text.firstIndex(where: { ":/?#".contains($0) }), text[end] == ":" else { return nil }
      return text[..<end].lowercased()
    }
  }
#endif
