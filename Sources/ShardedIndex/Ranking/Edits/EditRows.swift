/// The distances of sorted texts from a query. The rows of the table are kept for the beginning that a text shares with
/// the one before.
package struct EditRows {
  private let automaton: EditAutomaton
  private let isFinished: Bool
  private let spaceClass: UInt8
  /// The bytes read of the last text.
  private var read: [UInt8] = []
  /// For each character read: the bytes up to its end, and the state behind it.
  private var rows: [(end: Int, state: EditAutomaton.State)]

  package init(_ near: NearText) {
    (automaton, isFinished) = (near.automaton, near.isFinished)
    spaceClass = automaton.characterClass(of: UInt32(Fold.space))
    rows = [(0, automaton.start)]
  }

  /// Returns the distance of the query from the nearest beginning of a folded text; any number over the limit if the
  /// distance is over the automaton's limit.
  package mutating func distance(of text: Span<UInt8>) -> Int {
    var shared = 0
    while shared < min(read.count, text.count), read[shared] == text[shared] { shared += 1 }
    while rows[rows.count - 1].end > shared { rows.removeLast() }
    var (offset, state) = rows[rows.count - 1]
    read.removeSubrange(offset...)
    while state.isLive, offset < text.count {
      let (scalar, size) = FoldedCharacters.scalar(in: text, at: offset)
      state = automaton.step(state, automaton.characterClass(of: scalar))
      for index in offset..<offset + size { read.append(text[index]) }
      offset += size
      rows.append((offset, state))
    }
    if isFinished, offset == text.count { state = automaton.step(state, spaceClass) }
    return state.distance
  }
}
