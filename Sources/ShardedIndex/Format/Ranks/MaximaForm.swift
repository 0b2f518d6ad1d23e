/// The columns of a chain of maxima. Source: docs/format.md sections 3.11 and 3.15.
package enum MaximaForm: Equatable, Sendable {
  /// One column: the greatest weight.
  case ranks
  /// Two columns for each field with numbers: the greatest code, and the greatest negated code.
  case numbers(fields: Int)

  package var magic: UInt32 {
    switch self {
    case .ranks: 0x3152_5153  // "SQR1"
    case .numbers: 0x314d_5153  // "SQM1"
    }
  }

  package var columns: Int { if case .numbers(let fields) = self { 2 * fields } else { 1 } }

  /// Returns the value of a column whose bytes in a file are this number, and the other way round. A column of negated
  /// codes has the codes there, which are the least.
  package func value(_ number: UInt64, column: Int) -> UInt64 { column & 1 == 1 ? NumberCode.negated(number) : number }

  /// Returns whether a number of a file is a value of the chain.
  func isValid(_ number: UInt64) -> Bool {
    switch self {
    case .ranks: number <= WeightRule.limit
    case .numbers: number == NumberCode.none || NumberCode.isValid(number)
    }
  }

  /// Reads a value of a part.
  func read(_ reader: inout ByteReader, column: Int) throws(FormatError) -> UInt64 {
    guard case .numbers = self else { return try reader.readWeight() }
    return value(try NumberCode.read(&reader), column: column)
  }
}
