/// The relation of an entry to the record that it leads to. Source: docs/format.md section 3.13.
package struct EntryKind: Equatable, Sendable {
  package enum Way: UInt8, Sendable {
    /// A form of the record's key.
    case form = 1
    /// The beginning of a later word of the key.
    case word = 2
    /// Another name of the record.
    case name = 3
    /// A word of another field.
    case field = 4
  }

  package let way: Way
  /// The loss of the text's field, in octaves; 0 for a text of the key.
  package let loss: Int

  package static let form = EntryKind(.form)
  package static let word = EntryKind(.word)
  package static let name = EntryKind(.name)

  package init(_ way: Way, loss: Int = 0) { (self.way, self.loss) = (way, loss) }

  /// Reads the byte of ``mark``.
  package init(mark: UInt8) { self.init(Way(rawValue: mark & 7) ?? .form, loss: Int(mark >> 3)) }

  /// The kind in one byte.
  package var mark: UInt8 { way.rawValue | UInt8(loss) << 3 }

  /// The greatest bonus of a match by an entry of this kind that is not whole, in octaves. The weight of the entry
  /// includes it. Source: docs/ranking.md section 3.
  package var bonus: Int {
    switch way {
    case .form: 0
    case .word: -3
    case .name: -1 - loss
    case .field: -loss
    }
  }

  /// The greatest weight of an entry: a bonus is at least that of another name with the greatest loss.
  package static let weightLimit =
    WeightRule.code(.max) - 2048 * EntryKind(.name, loss: TextField.losses(ofNames: true).upperBound).bonus

  /// Returns the weight of an entry: the score of a match by the entry alone, raised so that no weight is below 0.
  ///
  /// - Parameters:
  ///   - weight: The greatest weight of the records that the entry leads to.
  ///   - raise: The setting ``IndexSettings/raiseOfEntries``.
  package func weight(ofRecords weight: UInt64, raise: Int) -> Int { WeightRule.code(weight) + 2048 * bonus + raise }

  /// Returns the score of a match by an entry alone.
  ///
  /// - Parameter weight: The weight of the entry.
  package static func score(ofEntry weight: UInt64, raise: Int) -> Int { Int(min(weight, UInt64(weightLimit))) - raise }

  /// Returns a bound on the weights of the records that an entry of this kind leads to.
  ///
  /// - Parameter weight: The weight of the entry.
  package func greatestWeight(ofEntry weight: UInt64, raise: Int) -> UInt64 {
    WeightRule.greatest(ofCode: Self.score(ofEntry: weight, raise: raise) - 2048 * bonus)
  }
}
