/// The relation of an entry to the record that it leads to. Source: docs/format.md section 3.13.
package enum EntryKind: UInt8, Sendable {
  /// A form of the record's key.
  case form = 1
  /// The beginning of a later word of the key.
  case word = 2
  /// Another name of the record.
  case name = 3

  /// The greatest bonus of a match by an entry of this kind that is not whole, in octaves. The weight of the entry
  /// includes it. Source: docs/ranking.md section 3.
  package var bonus: Int {
    switch self {
    case .form: 0
    case .word: -3
    case .name: -1
    }
  }

  /// The difference between the weight of an entry and its score, in steps. So no weight is below 0.
  private static let raise = -2048 * EntryKind.word.bonus
  /// The greatest weight of an entry.
  package static let weightLimit = WeightRule.code(.max) + raise

  /// Returns the weight of an entry: the score of a match by the entry alone, raised so that no weight is below 0.
  ///
  /// - Parameter weight: The greatest weight of the records that the entry leads to.
  package func weight(ofRecords weight: UInt64) -> Int { WeightRule.code(weight) + 2048 * bonus + Self.raise }

  /// Returns the score of a match by an entry alone.
  ///
  /// - Parameter weight: The weight of the entry.
  package static func score(ofEntry weight: UInt64) -> Int { Int(min(weight, UInt64(weightLimit))) - raise }

  /// Returns a bound on the weights of the records that an entry of this kind leads to.
  ///
  /// - Parameter weight: The weight of the entry.
  package func greatestWeight(ofEntry weight: UInt64) -> UInt64 {
    WeightRule.greatest(ofCode: Self.score(ofEntry: weight) - 2048 * bonus)
  }
}
