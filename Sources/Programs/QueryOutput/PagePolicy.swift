import Answers

/// The policy of a page, by which a browser runs only the page's own scripts and styles. Source: the W3C's Content
/// Security Policy Level 3.
package enum PagePolicy {
  /// Returns the policy of a page.
  ///
  /// - Parameters:
  ///   - scripts: Other sources of scripts.
  ///   - images: Other origins of images.
  ///   - digest: SHA-256.
  package static func text(
    for html: [UInt8], scripts: [String] = [], images: [String] = [], digest: ([UInt8]) -> [UInt8]
  ) -> String {
    func sources(_ element: String, _ others: [String] = []) -> String {
      let hashes = contents(of: element, in: html).map {
        "'sha256-" + String(decoding: Base64.encoded(digest($0)), as: UTF8.self) + "'"
      }
      let all = others + hashes
      return all.isEmpty ? "'none'" : all.joined(separator: " ")
    }
    return "default-src 'none'; script-src \(sources("script", scripts)); style-src \(sources("style")); "
      + "connect-src 'self'; img-src \((["'self'", "data:"] + images).joined(separator: " ")); "
      + "base-uri 'none'; form-action 'none'"
  }

  /// Returns the sources of `frame-ancestors`: the pages that may embed a page; nil if one is wrong.
  ///
  /// - Parameter pages: Origins, `self` for the page's own origin, or `*` for all.
  package static func ancestors(_ pages: [String]) -> String? {
    guard pages.allSatisfy({ $0 == "self" || $0 == "*" || isOrigin($0) }) else { return nil }
    return pages.isEmpty ? "'none'" : pages.map { $0 == "self" ? "'self'" : $0 }.joined(separator: " ")
  }

  /// Whether a text is an origin that a policy can name: it has no character that ends a directive, and no wildcard.
  static func isOrigin(_ text: String) -> Bool {
    guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return false }
    let parts = text.utf8.dropFirst(scheme.utf8.count).split(
      separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let isHost =
      !parts[0].isEmpty
      && parts[0].allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e
      }
    guard isHost, parts.count <= 2 else { return false }
    return parts.count == 1 || UInt16(String(decoding: Array(parts[1]), as: UTF8.self)) ?? 0 > 0
  }

  /// Returns the bytes between each `<element ...>` and `</element>`, which browsers hash.
  package static func contents(of element: String, in html: [UInt8]) -> [[UInt8]] {
    ranges(of: element, in: html).map { Array(html[$0]) }
  }

  /// Returns the ranges of the bytes between each `<element ...>` and `</element>`.
  package static func ranges(of element: String, in html: [UInt8]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    let (open, close) = (Array("<\(element)".utf8), Array("</\(element)".utf8))
    var at = 0
    while let tag = place(of: open, in: html, from: at) {
      at = tag + open.count
      guard at < html.count, [0x20, 0x0a, 0x0d, 0x09, 0x3e].contains(html[at]),
        let start = html[at...].firstIndex(of: UInt8(ascii: ">")),
        let end = place(of: close, in: html, from: start + 1)
      else { continue }
      ranges.append(start + 1..<end)
      at = end
    }
    return ranges
  }

  private static func place(of word: [UInt8], in html: [UInt8], from start: Int) -> Int? {
    var at = start
    while at + word.count <= html.count {
      // HTML ignores the case of the letters in an element's name.
      if zip(html[at...], word).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return at }
      at += 1
    }
    return nil
  }
}
