/// The comparison of a query with texts, character by character. It counts the edits from the query to the nearest
/// beginning of a text. Source: docs/tiers.md section 2.
///
/// An edit inserts, deletes or replaces a character, or exchanges two neighbours (optimal string alignment). All
/// distances over the limit count as one. A state is one row of the usual table, of which seven cells can be within the
/// limit. The cells are bits, so a step is a few operations on bytes for a query of any size.
package struct EditAutomaton: Sendable {
  /// The greatest limit of an automaton, in edits.
  static let greatestLimit = 3
  /// A third edit is behind so many first characters of a text. These are the most of a sketch, so a search with three
  /// edits reads the parts of that with two.
  static let firstCharacters = 6
  /// The longest query with edits, in characters.
  static let longestQuery = 64

  /// The characters of the query: Unicode scalars, with a space for the separator.
  private let characters: [UInt32]
  /// The most edits, 1 to 3.
  package let limit: Int
  /// The bits of the cells with at most so many edits.
  private let limits: UInt32
  /// The classes of the ASCII characters.
  private var classes = [UInt8](repeating: 0, count: 128)
  /// The characters beyond ASCII, whose classes begin at `firstWideClass`.
  private var wide: [UInt32] = []
  private var firstWideClass: UInt8 = 1
  /// The positions of the query near a depth that have a class's character, as bits, by class and depth. Bit 0 is the
  /// position four before the depth. No position has the first class.
  private let windows: [UInt8]
  /// The number of depths in ``windows``. At greater depths no state is alive.
  private let depthCount: Int

  /// - Parameters:
  ///   - text: The folded query, without a space at its end.
  ///   - isFinished: Whether a space follows the query.
  ///   - limit: The most edits, 1 to 3.
  package init(_ text: [UInt8], isFinished: Bool, limit: Int) {
    var characters = FoldedCharacters.all(of: text)
    if isFinished { characters.append(UInt32(Fold.space)) }
    (self.characters, self.limit) = (characters, min(limit, Self.greatestLimit))
    limits = .max &>> UInt32(24 - 8 * self.limit)
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
    let depths = characters.count + 4
    var windows = [UInt8](repeating: 0, count: positions.count * depths)
    for (number, positions) in positions.enumerated() {
      for position in positions {
        for depth in max(0, position - 3)...position + 4 {
          windows[number * depths + depth] |= 1 << (position + 4 - depth)
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
    /// The beginnings of the query at most 0, 1, 2 and 3 edits from the text, a byte each, the lowest for none. In each
    /// byte, bit 3 is the beginning of the text's size; higher bits are longer beginnings.
    fileprivate var cells: UInt32
    /// The cells of the row before.
    fileprivate var before: UInt32 = 0
    /// The class of the last character.
    fileprivate var last: UInt8 = 0
    /// The number of characters read.
    fileprivate(set) var depth: UInt8 = 0
    fileprivate var nearest: UInt8
    /// The distance of the query from the nearest beginning of the text; one more than the limit if it is over the
    /// limit.
    @inline(__always) package var distance: Int { Int(nearest) }

    /// Whether a longer text can be within the limit.
    @inline(__always) package var isLive: Bool { cells != 0 }
  }

  /// The same bit in the bytes of all distances.
  private static let each: UInt32 = 0x0101_0101

  /// The state of the empty text.
  package var start: State {
    var state = State(cells: 0x7838_1808 & limits, nearest: UInt8(limit + 1))
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
    let matches = UInt32(window &>> 1) &* Self.each
    // The last two characters of a beginning are the last two of the text, exchanged.
    let exchanged = UInt32(windows[Int(state.last) &* depthCount &+ depth] &>> 1 & window) &* Self.each
    return next(state, characterClass, state.cells & matches | (state.before & exchanged) &<< 8)
  }

  /// Returns the state after one more character, which the query does not have.
  @inline(__always)
  func stepOther(_ state: State) -> State { next(state, 0, 0) }

  /// - Parameter equal: The cells that the last characters of beginnings give, where they are those of the text.
  @inline(__always)
  private func next(_ state: State, _ characterClass: UInt8, _ equal: UInt32) -> State {
    var next = state
    (next.before, next.last, next.depth) = (state.cells, characterClass, state.depth &+ 1)
    // One edit more: a replaced character, and an insertion into the text.
    let more = state.cells &<< 8
    var cells = equal | more | more &>> 1 & 0x7f7f_7f7f
    // A deletion from the query, by the cells of this row.
    cells |= (cells & 0xff) &<< 9
    cells |= (cells & 0xff00) &<< 9
    cells |= (cells & 0xff_0000) &<< 9
    next.cells = cells & limits
    keepCells(&next)
    return measured(next)
  }

  /// Returns the distance of the query from the whole text; nil if it is more than the limit.
  @inline(__always)
  func distance(ofRow state: State) -> Int? {
    let end = characters.count &+ 3 &- Int(state.depth)
    guard end >= 0, end <= 6 else { return nil }
    let distances = state.cells &>> UInt32(end) & Self.each
    guard distances != 0 else { return nil }
    let distance = distances.trailingZeroBitCount &>> 3
    return distance == 3 && state.depth <= Self.firstCharacters ? nil : distance
  }

  /// Removes the cells behind the query's end, and those of a third edit among the first characters.
  @inline(__always)
  private func keepCells(_ state: inout State) {
    let longer = characters.count &+ 3 &- Int(state.depth)
    let kept: UInt32 = longer < 0 ? 0 : 0b1111111 &>> UInt32(max(0, 6 - longer))
    state.cells &= kept &* Self.each
    if state.depth <= Self.firstCharacters, state.cells & 0xff_ffff == 0 { (state.cells, state.before) = (0, 0) }
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
