/// The comparison of a query with texts, character by character. It counts the edits from the query to the nearest
/// beginning of a text. Source: docs/tiers.md section 2.
///
/// An edit inserts, deletes or replaces a character, or exchanges two neighbours (optimal string alignment). All
/// distances over the limit count as one. A state is one row of the usual table, of which five cells can be within the
/// limit. The cells are bits, so a step is a few operations on bytes for a query of any size.
package struct EditAutomaton: Sendable {
  /// The greatest limit of an automaton, in edits.
  static let greatestLimit = 2
  /// The longest query with edits, in characters.
  static let longestQuery = 64

  /// The characters of the query: Unicode scalars, with a space for the separator.
  private let characters: [UInt32]
  /// The most edits, 1 or 2.
  package let limit: Int
  /// The classes of the ASCII characters.
  private var classes = [UInt8](repeating: 0, count: 128)
  /// The characters beyond ASCII, whose classes begin at `firstWideClass`.
  private var wide: [UInt32] = []
  private var firstWideClass: UInt8 = 1
  /// The positions of the query near a depth that have a class's character, as bits, by class and depth. Bit 0 is the
  /// position three before the depth. No position has the first class.
  private let windows: [UInt8]
  /// The number of depths in ``windows``. At greater depths no state is alive.
  private let depthCount: Int

  /// - Parameters:
  ///   - text: The folded query, without a space at its end.
  ///   - isFinished: Whether a space follows the query.
  ///   - limit: The most edits, 1 or 2.
  package init(_ text: [UInt8], isFinished: Bool, limit: Int) {
    var characters = FoldedCharacters.all(of: text)
    if isFinished { characters.append(UInt32(Fold.space)) }
    (self.characters, self.limit) = (characters, min(limit, Self.greatestLimit))
    // The positions of each class's character.
    var positions: [[Int]] = [[]]
    for (position, character) in characters.prefix(Self.longestQuery + 1).enumerated() where character < 0x80 {
      if classes[Int(character)] == 0 {
        classes[Int(character)] = UInt8(positions.count)
        positions.append([])
      }
      positions[Int(classes[Int(character)])].append(position)
    }
    firstWideClass = UInt8(positions.count)
    for (position, character) in characters.prefix(Self.longestQuery + 1).enumerated() where character >= 0x80 {
      let index = wide.firstIndex(of: character) ?? wide.count
      if index == wide.count {
        wide.append(character)
        positions.append([])
      }
      positions[Int(firstWideClass) + index].append(position)
    }
    classes[Int(Fold.separator)] = classes[Int(Fold.space)]
    let depths = characters.count + 3
    var windows = [UInt8](repeating: 0, count: positions.count * depths)
    for (number, positions) in positions.enumerated() {
      for position in positions {
        for depth in max(0, position - 2)...position + 3 {
          windows[number * depths + depth] |= 1 << (position + 3 - depth)
        }
      }
    }
    (self.windows, depthCount) = (windows, depths)
  }

  /// The number of the query's characters.
  package var count: Int { characters.count }

  /// Returns the class of a character, for ``step(_:_:)``; 0 if the query does not have the character.
  @inline(__always)
  package func characterClass(of character: UInt32) -> UInt8 {
    if character < 0x80 { return classes[Int(character)] }
    for index in wide.indices where wide[index] == character { return firstWideClass &+ UInt8(index) }
    return 0
  }

  // MARK: States

  /// A row of the table: the distances of the query's beginnings from the text that was read.
  package struct State: Sendable, Equatable {
    /// The beginnings of the query at most 0, 1 and 2 edits from the text. Bit 2 is the beginning of the text's size;
    /// higher bits are longer beginnings.
    fileprivate var (at0, at1, at2): (UInt8, UInt8, UInt8)
    /// The first of these in the row before.
    fileprivate var before0: UInt8 = 0
    fileprivate var before1: UInt8 = 0
    /// The class of the last character.
    fileprivate var last: UInt8 = 0
    /// The number of characters read.
    fileprivate(set) var depth: UInt8 = 0
    fileprivate var nearest: UInt8
    /// The distance of the query from the nearest beginning of the text; one more than the limit if it is over the
    /// limit.
    @inline(__always) package var distance: Int { Int(nearest) }

    /// Whether a longer text can be within the limit.
    @inline(__always) package var isLive: Bool { at0 | at1 | at2 != 0 }
  }

  /// The state of the empty text.
  package var start: State {
    var state = State(at0: 0b100, at1: 0b1100, at2: limit > 1 ? 0b11100 : 0, nearest: UInt8(limit + 1))
    keepCells(&state)
    return measured(state)
  }

  /// Returns the state after one more character of the text.
  ///
  /// - Parameter characterClass: The class of the character.
  @inline(__always)
  package func step(_ state: State, _ characterClass: UInt8) -> State {
    let depth = min(Int(state.depth), depthCount &- 1)
    let window = windows[Int(characterClass) &* depthCount &+ depth]
    // A bit of `matches` is set if the character is the last of the bit's beginning.
    let matches = window &>> 1
    // The last two characters of a beginning are the last two of the text, exchanged.
    let exchanged = windows[Int(state.last) &* depthCount &+ depth] &>> 1 & window
    var next = state
    (next.before0, next.before1) = (state.at0, state.at1)
    (next.last, next.depth) = (characterClass, state.depth &+ 1)
    next.at0 = state.at0 & matches
    // In order: a replaced character, an insertion into the text, a deletion from the query, an exchange.
    next.at1 = state.at1 & matches | state.at0 | state.at0 &>> 1 | next.at0 &<< 1 | state.before0 & exchanged
    if limit > 1 {
      next.at2 = state.at2 & matches | state.at1 | state.at1 &>> 1 | next.at1 &<< 1 | state.before1 & exchanged
    }
    keepCells(&next)
    return measured(next)
  }

  /// Returns the distance of the query from the whole text; nil if it is more than the limit.
  @inline(__always)
  func distance(ofRow state: State) -> Int? {
    let end = characters.count &+ 2 &- Int(state.depth)
    guard end >= 0, end <= 4 else { return nil }
    let bit: UInt8 = 1 &<< UInt8(end)
    return state.at0 & bit != 0 ? 0 : state.at1 & bit != 0 ? 1 : state.at2 & bit != 0 ? 2 : nil
  }

  /// Returns the state after one more character, which the query does not have.
  @inline(__always)
  func stepOther(_ state: State) -> State {
    var next = state
    (next.before0, next.before1) = (state.at0, state.at1)
    (next.last, next.depth) = (0, state.depth &+ 1)
    next.at0 = 0
    next.at1 = state.at0 | state.at0 &>> 1
    if limit > 1 { next.at2 = state.at1 | state.at1 &>> 1 | next.at1 &<< 1 }
    keepCells(&next)
    return measured(next)
  }

  /// Removes the cells behind the query's end and outside the row.
  @inline(__always)
  private func keepCells(_ state: inout State) {
    let longer = characters.count &+ 2 &- Int(state.depth)
    let kept: UInt8 = longer >= 4 ? 0b11111 : longer < 0 ? 0 : (2 &<< UInt8(longer)) &- 1
    state.at0 &= kept
    state.at1 &= kept
    state.at2 &= kept
  }

  /// Returns a state with the distance of its text included.
  @inline(__always)
  private func measured(_ state: State) -> State {
    guard let distance = distance(ofRow: state), distance < state.distance else { return state }
    var state = state
    state.nearest = UInt8(distance)
    return state
  }
}
