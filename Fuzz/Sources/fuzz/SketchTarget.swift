import ShardBuilder
import ShardedIndex

/// Reads and walks the contents of the frames of sketches by themselves.
///
/// Input: a byte, the number of shards, a u16 and as many bytes of a page's frame, a byte and as many bytes of a query,
/// and the content of a group's frame.
final class SketchTarget: FuzzTarget {
  func run(_ input: UnsafeBufferPointer<UInt8>) {
    var reader = InputReader(input)
    let shardCount = Int(reader.byte()) % 64 + 1
    let page = Array(reader.bytes(reader.word()))
    let query = Array(reader.bytes(Int(reader.byte()) % 80))
    let group = Array(reader.rest)
    var walks = [1, 2].map { SketchWalk(NearText(RankedText(query), limit: $0)) }
    var alphabet = SketchAlphabet([0x20, 0x61, 0x62, 0x6771])
    if let forest = try? SketchForest(page: page, shardCount: shardCount) {
      alphabet = forest.alphabet
      require(alphabet.scalars == Set(alphabet.scalars).sorted(), "an alphabet that does not ascend")
      for walk in walks.indices {
        require(walks[walk].groups(of: forest).count == (shardCount + 15) / 16, "groups of a page")
      }
    }
    let roots = min(shardCount, SketchForest.groupSize)
    guard let forest = try? SketchForest(group: group, shardCount: roots, alphabet: alphabet) else { return }
    let trees = (0..<roots).map { forest.tree(ofRoot: $0) }
    for tree in trees {
      for (counts, scalars) in zip(tree.counts, tree.scalars) {
        require(counts.reduce(0) { $0 + Int($1) } == scalars.count, "a tree that is no tree")
      }
    }
    // The target reads an encoded sketch again.
    let frames = SketchPage(trees)
    guard let upper = try? SketchForest(page: frames.page, shardCount: roots),
      let again = try? SketchForest(group: frames.groups[0], shardCount: roots, alphabet: upper.alphabet)
    else { fail("sketches that were encoded") }
    require((0..<roots).map { again.tree(ofRoot: $0) } == trees, "trees that were encoded")
    for walk in walks.indices {
      let (ends, other) = (walks[walk].ends(of: forest), walks[walk].ends(of: again))
      for (left, right) in zip(ends, other) { require(left.size == right.size, "ends of the same trees") }
    }
  }

  static var seeds: [(name: String, bytes: [UInt8])] {
    let texts = ["paris\u{1}fr", "parla\u{1}es", "york\u{1}gb"].map { Array($0.utf8) }
    let frames = SketchPage([ShardSketch(ofTexts: texts)])
    let query = Array("pari".utf8)
    let size = [UInt8(frames.page.count & 0xff), UInt8(frames.page.count >> 8)]
    return [("page", [0] + size + frames.page + [UInt8(query.count)] + query + frames.groups[0])]
  }
}
