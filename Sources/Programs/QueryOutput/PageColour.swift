#if !hasFeature(Embedded)
  import Answers

  /// The colours that `--accent` takes. The page gets hexadecimal digits alone, so no text of the option becomes style.
  enum PageColour {
    private static let names = [
      ("black", "#000000"), ("blue", "#0000ff"), ("brown", "#a52a2a"), ("crimson", "#dc143c"), ("gold", "#ffd700"),
      ("gray", "#808080"), ("green", "#008000"), ("indigo", "#4b0082"), ("magenta", "#ff00ff"), ("maroon", "#800000"),
      ("navy", "#000080"), ("olive", "#808000"), ("orange", "#ffa500"), ("pink", "#ffc0cb"), ("purple", "#800080"),
      ("red", "#ff0000"), ("teal", "#008080"), ("tomato", "#ff6347"), ("turquoise", "#40e0d0"), ("violet", "#ee82ee"),
    ]

    /// Returns a colour as `#` and six digits; nil for a text that is no colour.
    static func digits(_ text: String) -> String? {
      if let named = names.first(where: { $0.0 == text.lowercased() }) { return named.1 }
      let digits = text.lowercased().utf8.dropFirst()
      let isHexadecimal = digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      guard text.utf8.first == UInt8(ascii: "#"), isHexadecimal, [3, 6].contains(digits.count) else { return nil }
      let each = digits.count == 3 ? digits.flatMap { [$0, $0] } : Array(digits)
      return "#" + String(decoding: each, as: UTF8.self)
    }

    /// Returns a reason to refuse a text.
    static func flaw(_ text: String) -> String? {
      guard digits(text) == nil else { return nil }
      let near = Misspelling.nearest(to: text, among: names.map(\.0)).map { "; did you mean \($0)?" }
      let all = names.map(\.0).joined(separator: ", ")
      return "\(text) is not a colour; write #0a7 or #00aa77" + (near ?? ", or one of \(all)")
    }
  }
#endif
