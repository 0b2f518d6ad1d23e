/// Fields that are named on a command line.
package enum FieldNames {
  /// A name that no field has.
  package struct Unknown: Error {
    package let message: String
  }

  /// The numbers of the fields with these paths.
  package static func find(_ wanted: [String], in names: [String]) -> Result<[Int], Unknown> {
    var numbers: [Int] = []
    for name in wanted {
      guard let number = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        return .failure(Unknown(message: message(name, names)))
      }
      numbers.append(number)
    }
    return .success(numbers)
  }

  private static func message(_ name: String, _ names: [String]) -> String {
    var list = ""
    for known in names { list += (list.isEmpty ? "" : ", ") + known }
    let near = Misspelling.nearest(to: name, among: names).map { "; did you mean " + $0 + "?" } ?? ""
    return "--fields: the index has no field " + name + "; its fields are " + list + near
  }
}

/// Words that differ by a slip of the fingers: a letter too much, too few or another one, or two exchanged.
package enum Misspelling {
  /// The name that is fewest slips away from a word, two at most, or one for a word of up to four letters.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let word = Array(word.utf8)
    for edits in 1...(word.count > 4 ? 2 : 1) {
      for name in names {
        let isNear = unsafe Array(name.utf8).withUnsafeBufferPointer { name in
          unsafe word.withUnsafeBufferPointer { unsafe isWithin(edits, $0, name) }
        }
        if isNear { return name }
      }
    }
    return nil
  }

  /// Whether so many slips, or fewer, lead from one text to the other.
  static func isWithin(_ edits: Int, _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    var at = 0
    while unsafe at < one.count && at < other.count && one[at] == other[at] { at += 1 }
    let (left, right) = (one.count - at, other.count - at)
    if left == 0, right == 0 { return true }
    guard edits > 0, abs(left - right) <= edits else { return false }
    func rest(_ leaving: Int, _ leavingOther: Int) -> Bool {
      guard leaving <= left, leavingOther <= right else { return false }
      return unsafe isWithin(
        edits - 1, UnsafeBufferPointer(rebasing: one[(at + leaving)...]),
        UnsafeBufferPointer(rebasing: other[(at + leavingOther)...]))
    }
    if rest(1, 1) || rest(1, 0) || rest(0, 1) { return true }
    return unsafe left > 1 && right > 1 && one[at] == other[at + 1] && one[at + 1] == other[at] && rest(2, 2)
  }
}
