// Texts of an index are one if they have the same bytes. The standard library's == compares characters instead: it takes a
// letter with its mark for the letter that has it, and its tables were a fourteenth of the WebAssembly module.

extension String? {
  /// Whether both texts have the same bytes, or neither is there.
  func hasBytes(of other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.utf8.elementsEqual(other.utf8)
  }
}

extension [String] {
  /// Returns the number of the text that has the bytes of `text`; nil where there is none.
  package func number(of text: String) -> Int? { firstIndex { $0.utf8.elementsEqual(text.utf8) } }
}
