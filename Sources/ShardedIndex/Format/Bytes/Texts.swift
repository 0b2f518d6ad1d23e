// Texts of an index are equal if they have the same bytes. The standard library's == compares characters by canonical
// equivalence, and its tables were a fourteenth of the WebAssembly module.

extension String? {
  /// Whether both texts have the same bytes, or both are nil.
  func hasBytes(of other: String?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.utf8.elementsEqual(other.utf8)
  }
}

extension [String] {
  /// Returns the position of the first text with the bytes of `text`; nil if there is none.
  package func number(of text: String) -> Int? { firstIndex { $0.utf8.elementsEqual(text.utf8) } }
}

extension Array {
  /// Returns the elements in order. It sorts their positions, since the WebAssembly module gets a sort of its own for
  /// each type of elements.
  ///
  /// - Complexity: O(*n* log *n*): *n* elements.
  package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
    indices.sorted { precedes(self[$0], self[$1]) }.map { self[$0] }
  }
}
