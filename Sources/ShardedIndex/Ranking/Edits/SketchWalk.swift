/// The beginnings of a shard's texts that a query with edits may match.
package struct SketchEnds: Sendable {
  /// For each beginning: its size in bytes, times two, with 1 more if texts must end there; then its bytes.
  private var bytes: [UInt8] = []

  var isEmpty: Bool { bytes.isEmpty }
  /// The memory of the beginnings, in bytes.
  package var size: Int { bytes.count }

  /// - Parameters:
  ///   - characters: The characters of the beginning.
  ///   - isWhole: Whether the texts must end with the beginning.
  mutating func append(_ characters: some Sequence<UInt32>, isWhole: Bool) {
    let start = bytes.count
    bytes.append(0)
    for character in characters {
      // In a damaged frame a number of the alphabet may not be a scalar.
      bytes += (Unicode.Scalar(character) ?? "\u{fffd}").utf8
    }
    // The size is at most six characters of four bytes.
    bytes[start] = UInt8(bytes.count - start - 1) << 1 | (isWhole ? 1 : 0)
  }

  /// Calls `body` with each beginning, and whether texts must end with it.
  package func forEach(_ body: ([UInt8], Bool) -> Void) {
    var offset = 0
    while offset < bytes.count {
      let end = offset + 1 + Int(bytes[offset] >> 1)
      body(Array(bytes[offset + 1..<end]), bytes[offset] & 1 == 1)
      offset = end
    }
  }
}

/// The walk of a query with edits through sketches, all roots at once, depth by depth. Source: docs/tiers.md section 2.
///
/// It keeps the live states of each depth, so its memory depends on the query more than on the sketches.
package struct SketchWalk {
  private let automaton: EditAutomaton
  /// Whether texts with fewer edits than the limit count as well.
  private let takesFewer: Bool
  /// Whether the query ends in a space. Then each text also gets a space behind it.
  private let isFinished: Bool
  private let spaceClass: UInt8
  /// The class of each character of the alphabet.
  private var classes: [UInt8] = []
  private var alphabet = SketchAlphabet([])

  /// A live beginning.
  private struct Node {
    /// The number of the node among the nodes of its depth.
    let number: UInt32
    /// The position of the beginning without its last character.
    let parent: UInt32
    let character: UInt32
    let state: EditAutomaton.State
  }

  /// The live nodes, depth by depth.
  private var nodes: [Node] = []

  /// - Parameter takesFewer: Whether texts with fewer edits than the limit count as well. Else their matches came before.
  package init(_ near: NearText, takesFewer: Bool = false) {
    (automaton, isFinished, self.takesFewer) = (near.automaton, near.isFinished, takesFewer)
    spaceClass = automaton.characterClass(of: UInt32(Fold.space))
  }

  /// Walks a page's own frame.
  ///
  /// - Returns: For each group of shards, whether its texts may match.
  package mutating func groups(of forest: SketchForest) -> [Bool] {
    var isAlive = [Bool](repeating: false, count: forest.rootCount)
    walk(forest) { walk, depth, index, _ in isAlive[walk.root(of: index, atDepth: depth)] = true }
    return isAlive
  }

  /// Walks the frame of a group of shards.
  ///
  /// - Returns: For each shard, the beginnings of texts that may match.
  package mutating func ends(of forest: SketchForest) -> [SketchEnds] {
    var ends = [SketchEnds](repeating: SketchEnds(), count: forest.rootCount)
    walk(forest) { walk, depth, index, isWhole in
      ends[walk.root(of: index, atDepth: depth)].append(walk.characters(of: index, atDepth: depth), isWhole: isWhole)
    }
    return ends
  }

  /// - Parameter body: Gets the depth and the position of each live end, and whether texts must end there.
  private mutating func walk(_ forest: SketchForest, _ body: (borrowing SketchWalk, Int, Int, Bool) -> Void) {
    use(forest.alphabet)
    nodes.removeAll(keepingCapacity: true)
    nodes.reserveCapacity(1024)
    let start = automaton.start
    for root in 0..<forest.rootCount {
      nodes.append(Node(number: UInt32(root), parent: UInt32(root), character: 0, state: start))
    }
    var level = 0..<nodes.count
    for depth in forest.levels.indices {
      appendChildren(of: level, atDepth: depth, in: forest)
      for index in level {
        if isEnd(nodes[index]) {
          body(self, depth, index, false)
        } else if isFinished, automaton.step(nodes[index].state, spaceClass).distance <= automaton.limit {
          // A sketch does not record whether a text ends there.
          body(self, depth, index, true)
        }
      }
      level = level.upperBound..<nodes.count
    }
    for index in level { body(self, forest.levels.count, index, false) }
  }

  /// Appends the live children of the nodes of a depth.
  private mutating func appendChildren(of level: Range<Int>, atDepth depth: Int, in forest: SketchForest) {
    var (next, child) = (0, 0)
    for parent in level where !isEnd(nodes[parent]) {
      let node = nodes[parent]
      let own = Int(node.number)
      if next < own { child += forest.childCount(of: next..<own, atDepth: depth) }
      let count = forest.childCount(of: own, atDepth: depth)
      next = own + 1
      // Most characters are not in the query, and lead to the same state.
      let other = automaton.stepOther(node.state)
      let isOtherWanted = isWanted(other)
      forest.forEachChild(in: child..<child + count, atDepth: depth, classes: classes, all: isOtherWanted) {
        number, label, characterClass in
        var state = other
        if characterClass != 0 {
          state = automaton.step(node.state, characterClass)
          guard isWanted(state) else { return }
        }
        nodes.append(
          Node(
            number: UInt32(truncatingIfNeeded: number), parent: UInt32(truncatingIfNeeded: parent),
            character: alphabet.scalars[label], state: state))
      }
      child += count
    }
  }

  /// Whether all texts with this beginning may match, so that the walk need not go deeper.
  @inline(__always)
  private func isEnd(_ node: Node) -> Bool { node.state.distance <= automaton.limit }

  /// Whether texts behind a state may match.
  @inline(__always)
  private func isWanted(_ state: EditAutomaton.State) -> Bool {
    if state.distance <= automaton.limit {
      return takesFewer || automaton.limit == 1 || state.distance == automaton.limit
    }
    return state.isLive
  }

  private mutating func use(_ alphabet: SketchAlphabet) {
    guard alphabet != self.alphabet else { return }
    self.alphabet = alphabet
    classes = alphabet.scalars.map { automaton.characterClass(of: $0) }
  }

  /// Returns the root of a node.
  private func root(of index: Int, atDepth depth: Int) -> Int {
    var index = index
    for _ in 0..<depth { index = Int(nodes[index].parent) }
    return index
  }

  /// Returns the characters of a beginning.
  private func characters(of index: Int, atDepth depth: Int) -> [UInt32] {
    var (characters, index): ([UInt32], Int) = ([], index)
    for _ in 0..<depth {
      characters.append(nodes[index].character)
      index = Int(nodes[index].parent)
    }
    return characters.reversed()
  }
}
