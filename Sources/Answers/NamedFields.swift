import ShardedIndex

/// The names of fields on a command line.
package enum NamedFields {
  /// The error of a name that no field has.
  package struct Unknown: Error {
    package let message: String
  }

  /// Returns the names in a list with commas. A comma that belongs to a name is written `\,`.
  ///
  /// - Returns: nil for a list with an empty name.
  package static func list(_ text: String) -> [String]? {
    var names: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in text.utf8 {
      if isEscaped, byte != 0x2c { names[names.count - 1].append(0x5c) }
      if byte == 0x5c, !isEscaped {
        isEscaped = true
        continue
      }
      if byte == 0x2c, !isEscaped { names.append([]) } else { names[names.count - 1].append(byte) }
      isEscaped = false
    }
    if isEscaped { names[names.count - 1].append(0x5c) }
    guard !names.contains(where: { $0.isEmpty }) else { return nil }
    return names.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the name of a column, without the escapes of a path that does not nest: `No.` for `No\.`.
  package static func header(_ path: String) -> String {
    var header: [UInt8] = []
    var isEscaped = false
    for byte in path.utf8 {
      if !isEscaped, byte == 0x2e { return path }
      if isEscaped || byte != 0x5c { header.append(byte) }
      isEscaped = !isEscaped && byte == 0x5c
    }
    return isEscaped ? path : String(decoding: header, as: UTF8.self)
  }

  /// The numbers of the fields with these paths or names of columns.
  ///
  /// - Parameter place: The option or the setting that names the fields, for messages.
  package static func find(
    _ wanted: [String], in names: [String], place: String = "--fields: "
  ) -> Result<[Int], Unknown> {
    var numbers: [Int] = []
    for name in wanted {
      let number =
        names.firstIndex { $0.utf8.elementsEqual(name.utf8) }
        ?? names.firstIndex { header($0).utf8.elementsEqual(name.utf8) }
      guard let number else {
        return .failure(Unknown(message: place + message(name, names)))
      }
      numbers.append(number)
    }
    return .success(numbers)
  }

  private static func message(_ name: String, _ names: [String]) -> String {
    var list = ""
    for known in names { list += (list.isEmpty ? "" : ", ") + header(known) }
    let near = Misspelling.nearest(to: name, among: names).map { "; did you mean " + $0 + "?" } ?? ""
    return "the index has no field " + name + "; its fields are " + list + near
  }
}

/// Words that differ by typing errors: a letter too many, a letter too few, another letter, or two exchanged letters.
package enum Misspelling {
  /// The name with the fewest typing errors between it and a word: at most two, or one for a word of up to four
  /// letters.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let word = Array(word.utf8)
    for edits in 1...(word.count > 4 ? 2 : 1) {
      for name in names {
        if isWithin(edits, word[...], Array(name.utf8)[...]) { return name }
      }
    }
    return nil
  }

  /// Returns the names, in bytes, with the fewest typing errors between each and a word, by the same limits; at most
  /// `count`, first those with fewer errors, then by their bytes.
  package static func nearest(_ count: Int, to word: [UInt8], among names: Set<[UInt8]>) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for edits in 1...(word.count > 4 ? 2 : 1) {
      let near = names.filter { isWithin(edits, word[...], $0[...]) && !found.contains($0) }
      found += Array(near).ordered { $0.lexicographicallyPrecedes($1) }
      if found.count >= count { break }
    }
    return Array(found.prefix(count))
  }

  /// Returns whether at most a number of typing errors lead from one text to the other.
  package static func isWithin(_ edits: Int, _ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    guard abs(one.count - other.count) <= edits else { return false }
    let same = zip(one, other).prefix { $0 == $1 }.count
    let (one, other) = (one.dropFirst(same), other.dropFirst(same))
    if one.isEmpty, other.isEmpty { return true }
    guard edits > 0 else { return false }
    func rest(_ leaving: Int, _ leavingOther: Int) -> Bool {
      guard leaving <= one.count, leavingOther <= other.count else { return false }
      return isWithin(edits - 1, one.dropFirst(leaving), other.dropFirst(leavingOther))
    }
    if rest(1, 1) || rest(1, 0) || rest(0, 1) { return true }
    let isExchange = one.count > 1 && one.prefix(2).reversed().elementsEqual(other.prefix(2))
    return isExchange && rest(2, 2)
  }
}
