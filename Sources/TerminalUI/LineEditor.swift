/// One line of text with a cursor in it, edited as people are used to from their shell.
package struct LineEditor: Equatable, Sendable {
  /// As typed; a mark that joins the character before it belongs to that one.
  package private(set) var characters: [Character] = []
  /// Characters before the cursor.
  package private(set) var cursor = 0
  /// No query that finds something is longer; in bytes of UTF-8.
  package static let limit = 4096

  package init(_ text: String = "") { insert(text) }

  package var text: String { String(characters) }

  /// Line ends and tabs count as spaces; other control characters are left out.
  package mutating func insert(_ text: String) {
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0a, 0x0d, 0x85, 0x2028, 0x2029: clean.append(" ")
      case 0..<0x20, 0x7f..<0xa0: break
      default: clean.append(scalar)
      }
    }
    guard !clean.isEmpty else { return }
    // What is typed may join the character before it.
    let before = String(characters[..<cursor]) + String(clean)
    let all = before + String(characters[cursor...])
    guard all.utf8.count <= Self.limit else { return }
    characters = Array(all)
    cursor = min(before.count, characters.count)
  }

  package mutating func moveLeft() { cursor = max(0, cursor - 1) }
  package mutating func moveRight() { cursor = min(characters.count, cursor + 1) }
  package mutating func moveToStart() { cursor = 0 }
  package mutating func moveToEnd() { cursor = characters.count }
  package mutating func moveWordLeft() { cursor = wordStart }
  package mutating func moveWordRight() { cursor = wordEnd }

  package mutating func deleteBefore() { remove(max(0, cursor - 1)..<cursor) }
  package mutating func deleteAfter() { remove(cursor..<min(characters.count, cursor + 1)) }
  package mutating func deleteToStart() { remove(0..<cursor) }
  package mutating func deleteToEnd() { remove(cursor..<characters.count) }
  package mutating func deleteWordAfter() { remove(cursor..<wordEnd) }
  package mutating func deleteWordBefore() { remove(wordStart..<cursor) }

  private mutating func remove(_ range: Range<Int>) {
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  private var wordStart: Int {
    var at = cursor
    while at > 0, !Self.isWord(characters[at - 1]) { at -= 1 }
    while at > 0, Self.isWord(characters[at - 1]) { at -= 1 }
    return at
  }

  private var wordEnd: Int {
    var at = cursor
    while at < characters.count, !Self.isWord(characters[at]) { at += 1 }
    while at < characters.count, Self.isWord(characters[at]) { at += 1 }
    return at
  }
}
