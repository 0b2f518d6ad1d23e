/// The beginnings of a shard's texts that a query with edits may lead to.
struct SketchEnds: Sendable {
  /// Per beginning its size in bytes, times two, 1 more where texts have to end there; then its bytes.
  private var bytes: [UInt8] = []

  var isEmpty: Bool { bytes.isEmpty }
  /// The bytes that it keeps in memory.
  var size: Int { bytes.count }

  /// - Parameters:
  ///   - characters: The characters of the beginning.
  ///   - isWhole: Whether the texts have to end with it.
  mutating func append(_ characters: some Sequence<UInt32>, isWhole: Bool) {
    let start = bytes.count
    bytes.append(0)
    for character in characters {
      // The scalars of an alphabet may be no characters in a damaged frame.
      for byte in String(Unicode.Scalar(character) ?? "\u{fffd}").utf8 { bytes.append(byte) }
    }
    // At most six characters of four bytes.
    bytes[start] = UInt8(bytes.count - start - 1) << 1 | (isWhole ? 1 : 0)
  }

  /// Calls `body` with each beginning, and whether texts have to end with it.
  func forEach(_ body: ([UInt8], Bool) -> Void) {
    var offset = 0
    while offset < bytes.count {
      let end = offset + 1 + Int(bytes[offset] >> 1)
      body(Array(bytes[offset + 1..<end]), bytes[offset] & 1 == 1)
      offset = end
    }
  }
}

/// The walk of a query with edits through sketches, all roots at once, depth by depth. Source: docs/ranking.md section 8.
///
/// It keeps the states that are alive at each depth: as much as the query leaves, not as much as the sketches have.
struct SketchWalk {
  private let automaton: EditAutomaton
  /// Whether the query ends in a space, which each text then has behind it as well.
  private let isFinished: Bool
  private let spaceClass: UInt8
  /// The class of each character of the alphabet.
  private var classes: [UInt8] = []
  private var alphabet = SketchAlphabet([])

  /// A beginning that is alive.
  private struct Node {
    /// The number of the node among those of its depth.
    let number: UInt32
    /// The position of the beginning without its last character.
    let parent: UInt32
    let character: UInt32
    let state: EditAutomaton.State
  }

  /// The live nodes, depth by depth.
  private var nodes: [Node] = []

  init(_ near: NearText) {
    (automaton, isFinished) = (near.automaton, near.isFinished)
    spaceClass = automaton.characterClass(of: UInt32(Fold.space))
  }

  /// Walks a page's own frame.
  ///
  /// - Returns: For each group of shards whether its texts may match.
  mutating func groups(of forest: SketchForest) -> [Bool] {
    var isAlive = [Bool](repeating: false, count: forest.rootCount)
    walk(forest) { walk, depth, index, _ in isAlive[walk.root(of: index, atDepth: depth)] = true }
    return isAlive
  }

  /// Walks the frame of a group of shards.
  ///
  /// - Returns: For each shard the beginnings of the texts that may match.
  mutating func ends(of forest: SketchForest) -> [SketchEnds] {
    var ends = [SketchEnds](repeating: SketchEnds(), count: forest.rootCount)
    walk(forest) { walk, depth, index, isWhole in
      ends[walk.root(of: index, atDepth: depth)].append(walk.characters(of: index, atDepth: depth), isWhole: isWhole)
    }
    return ends
  }

  /// - Parameter body: Called with the depth and the position of each live end, and whether texts have to end there.
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
          // Nothing says whether a text ends there.
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
      // Most characters are not the query's, and lead to the same state.
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

  /// Whether all texts that begin so may match: there is nothing more to find out.
  @inline(__always)
  private func isEnd(_ node: Node) -> Bool { node.state.distance <= automaton.limit }

  /// Whether texts behind a state may match. Those that match with fewer edits than are counted now came before.
  @inline(__always)
  private func isWanted(_ state: EditAutomaton.State) -> Bool {
    if state.distance <= automaton.limit { return automaton.limit == 1 || state.distance == automaton.limit }
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
