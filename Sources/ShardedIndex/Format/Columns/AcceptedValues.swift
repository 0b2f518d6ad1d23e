/// The values that a filter accepts, folded.
struct AcceptedValues: Sendable {
  /// The values, ascending, each once.
  let texts: [[UInt8]]

  init(_ texts: [[UInt8]]) {
    var sorted: [[UInt8]] = []
    for text in texts.ordered(by: { $0.lexicographicallyPrecedes($1) }) where sorted.last != text {
      sorted.append(text)
    }
    self.texts = sorted
  }

  func contains(_ text: [UInt8]) -> Bool { texts.contains(text) }
}

/// Compares the fields of records with the values that a filter accepts.
struct ValueMatcher {
  private let values: AcceptedValues
  /// Whether the fields hold folds, as those of entries do. The fold of a fold may be another text.
  private let areFolded: Bool
  /// The last compared text, and whether it meets the filter. Neighbours often have the same text.
  private var last: (text: [UInt8], kind: ValueKind, meets: Bool)?
  private var folded: [UInt8] = []

  init(_ values: AcceptedValues, areFolded: Bool = false) { (self.values, self.areFolded) = (values, areFolded) }

  /// Returns whether a text of a field is one of the values.
  mutating func meets(_ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind) -> Bool {
    if let last, last.kind == kind, unsafe text.elementsEqual(last.text) { return last.meets }
    var (meets, folded) = (false, folded)
    unsafe FieldTexts.forEachValue(text, kind) { element in
      guard !meets else { return }
      folded.removeAll(keepingCapacity: true)
      if areFolded { unsafe folded.append(contentsOf: element) } else { unsafe Fold.fold(element, into: &folded) }
      meets = values.contains(folded)
    }
    self.folded = folded
    last = unsafe (Array(text), kind, meets)
    return meets
  }
}
