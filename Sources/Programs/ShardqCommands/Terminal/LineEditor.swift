import ShardedIndex

/// A line of text with a cursor, edited as in a shell.
package struct LineEditor: Equatable, Sendable {
  /// The text before the cursor and behind it, each cut into characters by itself: Backspace may leave the cursor
  /// before a scalar that would join the character on its left.
  private var before: [Character] = []
  private var after: [Character] = []
  /// The most bytes of the text in UTF-8. No longer query finds anything.
  package static let limit = 4096

  package init(_ text: String = "") { insert(text) }

  package var characters: [Character] { before + after }
  /// The number of characters before the cursor.
  package var cursor: Int { before.count }
  package var text: String { String(before) + String(after) }

  /// Inserts text. Line ends and tabs become spaces; other control characters are left out.
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
    // A typed scalar may join the character before it.
    let longer = String(before) + String(clean)
    guard longer.utf8.count + String(after).utf8.count <= Self.limit else { return }
    before = Array(longer)
  }

  package mutating func moveLeft() { move(to: max(0, cursor - 1)) }
  package mutating func moveRight() { move(to: min(characters.count, cursor + 1)) }
  package mutating func moveToStart() { move(to: 0) }
  package mutating func moveToEnd() { move(to: characters.count) }
  package mutating func moveWordLeft() { move(to: wordStart) }
  package mutating func moveWordRight() { move(to: wordEnd) }

  private mutating func move(to place: Int) {
    // Characters that only the cursor kept apart join as it leaves.
    let (all, text) = (characters, text)
    let left = String(all[..<place])
    before = Array(left)
    after = Array(String(text.unicodeScalars.dropFirst(left.unicodeScalars.count)))
  }

  /// Removes the character before the cursor, or its last scalar where its script is typed so: ``BackwardDeletion``.
  package mutating func deleteBefore() {
    guard let last = before.popLast() else { return }
    before += Array(BackwardDeletion.rest(of: last))
  }
  package mutating func deleteAfter() { if !after.isEmpty { after.removeFirst() } }
  package mutating func deleteToStart() { before = [] }
  package mutating func deleteToEnd() { after = [] }
  package mutating func deleteWordAfter() { after.removeFirst(wordEnd - cursor) }
  package mutating func deleteWordBefore() { before.removeLast(cursor - wordStart) }

  private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

  private var wordStart: Int {
    let characters = before
    var at = cursor
    while at > 0, !Self.isWord(characters[at - 1]) { at -= 1 }
    while at > 0, Self.isWord(characters[at - 1]) { at -= 1 }
    return at
  }

  private var wordEnd: Int {
    let characters = characters
    var at = cursor
    while at < characters.count, !Self.isWord(characters[at]) { at += 1 }
    while at < characters.count, Self.isWord(characters[at]) { at += 1 }
    return at
  }
}
