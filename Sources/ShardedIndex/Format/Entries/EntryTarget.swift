/// The texts of an entry that name its records. Source: docs/format.md section 3.13.
///
/// The record's folded key often ends as the entry's key does. Then the entry stores only the rest.
package struct EntryTarget {
  /// The mark behind a text: the entry's key continues it.
  private static let continued: UInt8 = 0

  /// The text before the word in a form of the record's key; nil if the entry is not a word.
  package let beginning: [UInt8]?
  /// The folded key of the records.
  package let recordKey: [UInt8]

  /// Reads the texts of an entry.
  ///
  /// - Parameters:
  ///   - key: The folded key of the entry.
  ///   - beginning: The text of the field `b`; nil if the entry has none.
  ///   - target: The text of the field `t`; nil if the entry has none.
  package init(key: [UInt8], beginning: [UInt8]?, target: [UInt8]?) {
    guard let target else {
      self.beginning = beginning
      recordKey = (beginning ?? []) + key
      return
    }
    if target.last == Self.continued {
      let rest = Array(target.dropLast())
      self.beginning = beginning.map { $0.isEmpty ? PlainForm.spaced(rest) : $0 }
      recordKey = rest + key
    } else {
      self.beginning = beginning
      recordKey = target.last == Fold.separator ? target + Self.lastComponent(of: key) : target
    }
  }

  /// Returns the texts of an entry: the shortest texts that give these back.
  ///
  /// - Parameters:
  ///   - key: The folded key of the entry.
  ///   - beginning: The text before the word; nil if the entry is not a word.
  ///   - recordKey: The folded key of the records.
  package static func texts(
    key: ArraySlice<UInt8>, beginning: ArraySlice<UInt8>?, recordKey: [UInt8]
  ) -> (beginning: ArraySlice<UInt8>?, target: [UInt8]?) {
    if recordKey.count >= key.count, recordKey[(recordKey.count - key.count)...] == key {
      let rest = recordKey[..<(recordKey.count - key.count)]
      if let beginning, rest == beginning { return (beginning, nil) }
      guard let beginning else { return (nil, rest + [continued]) }
      let isImplied = PlainForm.spaced(Array(rest)) == Array(beginning)
      return (isImplied ? [] : beginning, rest + [continued])
    }
    let last = lastComponent(of: Array(key))
    if let end = recordKey.lastIndex(of: Fold.separator), key.contains(Fold.separator), recordKey[(end + 1)...] == last
    {
      return (beginning, Array(recordKey[...end]))
    }
    return (beginning, recordKey)
  }

  /// Returns the text behind the last separator; empty if there is none.
  private static func lastComponent(of key: [UInt8]) -> ArraySlice<UInt8> {
    key.lastIndex(of: Fold.separator).map { key[($0 + 1)...] } ?? []
  }
}
