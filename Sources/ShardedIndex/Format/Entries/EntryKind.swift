/// The relation of an entry to the record that it leads to. Source: docs/format.md section 3.13.
package enum EntryKind: UInt8, Sendable {
  /// A form of the record's key.
  case form = 1
  /// The beginning of a later word of the key.
  case word = 2
  /// Another name of the record.
  case name = 3

  /// Returns the weight of an entry from the weight of its records. A division takes the bonus of the entry's kind into
  /// account, so that one number compares entries of all kinds.
  package func weight(ofRecords weight: UInt64) -> UInt64 {
    let octaves: UInt64 =
      switch self {
      case .form: 0
      case .word: 3
      case .name: 1
      }
    // A weight has 63 bits, so the sum cannot wrap.
    return (weight + (1 << octaves) - 1) >> octaves
  }
}
