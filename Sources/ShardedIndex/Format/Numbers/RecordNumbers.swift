/// The numbers of a field of a record: the number or the date of its text, or those of the elements of a JSON array.
/// Source: docs/format.md section 3.15.
package struct RecordNumbers: Sendable {
  /// The greatest code; 0 without a number.
  package private(set) var greatest = NumberCode.none
  /// The greatest negated code, which is that of the least number; 0 without a number.
  package private(set) var negatedLeast = NumberCode.none

  package init() {}

  /// The least code; 0 without a number.
  package var least: UInt64 { NumberCode.negated(negatedLeast) }

  /// Adds a code.
  package mutating func add(_ code: UInt64) {
    greatest = max(greatest, code)
    negatedLeast = max(negatedLeast, NumberCode.negated(code))
  }

  /// Calls `body` with the code of each number of a field.
  package static func forEach(_ text: UnsafeBufferPointer<UInt8>, _ kind: ValueKind, _ body: (UInt64) -> Void) {
    unsafe FieldTexts.forEach(text, kind) { element in
      if let code = unsafe NumberCode.code(of: element.span) { body(code) }
    }
  }
}

/// The numbers that a filter accepts: ranges of codes.
package struct AcceptedNumbers: Sendable {
  package private(set) var ranges: [ClosedRange<UInt64>]

  package init(_ ranges: [ClosedRange<UInt64>]) { self.ranges = ranges }

  mutating func add(_ others: [ClosedRange<UInt64>]) { ranges += others }

  func contains(_ code: UInt64) -> Bool { ranges.contains { $0.contains(code) } }

  /// Returns whether a number from the least to the greatest of some numbers can be accepted.
  func mayContain(_ least: UInt64, _ greatest: UInt64) -> Bool {
    greatest != NumberCode.none && ranges.contains { $0.lowerBound <= greatest && $0.upperBound >= least }
  }
}
