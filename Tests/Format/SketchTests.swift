import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Sketches of the beginnings of texts") struct SketchTests {
  private static func texts(_ count: Int, _ letters: [String], _ random: inout SplitMix64) -> [[UInt8]] {
    (0..<count).map { _ in
      Array((0..<random.next() % 9).map { _ in letters.randomElement(using: &random)! }.joined().utf8)
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The beginnings of texts, up to a number of characters, from the texts themselves.
  private static func beginnings(_ texts: [[UInt8]], _ depth: Int) -> Set<[UInt32]> {
    var found: Set<[UInt32]> = []
    for text in texts {
      let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
      for size in 1..<depth + 1 where size <= scalars.count { found.insert(Array(scalars.prefix(size))) }
    }
    return found
  }

  /// The beginnings that a tree has.
  private static func beginnings(_ sketch: ShardSketch) -> Set<[UInt32]> {
    var (found, level): (Set<[UInt32]>, [[UInt32]]) = ([], [[]])
    for depth in sketch.counts.indices {
      var next: [[UInt32]] = []
      for (node, path) in level.enumerated() {
        for _ in 0..<sketch.counts[depth][node] { next.append(path + [sketch.scalars[depth][next.count]]) }
      }
      #expect(next.count == sketch.scalars[depth].count)
      found.formUnion(next)
      level = next
    }
    return found
  }

  static let alphabets: [[String]] = [
    ["a", "b", " ", "\u{1}"], ["a", "\u{e9}", "\u{6771}", "\u{10330}"],
    (0..<700).map { String(Unicode.Scalar(UInt32(0x4e00 + $0))!) },
    (0..<90_000).map { String(Unicode.Scalar(UInt32($0 < 30_000 ? 0x4e00 : 0x10000 - 30_000) + UInt32($0))!) },
  ]

  private static func page(_ letters: [String], shards: Int, of count: Int, _ random: inout SplitMix64) -> [[[UInt8]]] {
    let all = texts(shards * count, letters, &random)
    return (0..<shards).map { Array(all[$0 * count..<($0 + 1) * count]) }
  }

  @Test("the trees of shards are read back from frames", arguments: 0..<4)
  func roundTrip(number: Int) throws {
    var random = SplitMix64(seed: UInt64(number))
    let page = Self.page(
      Self.alphabets[number], shards: number == 3 ? 20 : 37, of: number == 3 ? 5000 : 120, &random)
    let sketches = page.map { ShardSketch(ofTexts: $0) }
    let frames = SketchPage(sketches)
    let upper = try SketchForest(page: frames.page, shardCount: page.count)
    #expect(upper.rootCount == frames.groups.count)
    for (group, content) in frames.groups.enumerated() {
      let shards = Array(page[16 * group..<min(16 * group + 16, page.count)])
      let forest = try SketchForest(group: content, shardCount: shards.count, alphabet: upper.alphabet)
      for (root, texts) in shards.enumerated() {
        let tree = forest.tree(ofRoot: root)
        #expect(tree == sketches[16 * group + root])
        #expect(Self.beginnings(tree) == Self.beginnings(texts, 6))
      }
      #expect(Self.beginnings(upper.tree(ofRoot: group)) == Self.beginnings(shards.flatMap { $0 }, 3))
    }
  }

  @Test("a walk finds the beginnings of all near texts, and no shard without one", arguments: [1, 2])
  func walk(limit: Int) throws {
    var random = SplitMix64(seed: UInt64(10 + limit))
    for round in 0..<150 {
      let letters = round % 3 == 0 ? Self.alphabets[1] : ["a", "b", "c", " ", "\u{1}"]
      let page = Self.page(letters, shards: 20, of: 1 + Int(random.next() % 30), &random)
      let frames = SketchPage(page.map { ShardSketch(ofTexts: $0) })
      let upper = try SketchForest(page: frames.page, shardCount: page.count)
      let query = Self.texts(1, letters.filter { $0 != " " }, &random)[0] + Array("ab".utf8)
      let isFinished = round % 2 == 0
      let near = NearText(RankedText(query + (isFinished ? [0x20] : [])), limit: limit)
      var walk = SketchWalk(near)
      let characters = FoldedCharacters.all(of: query) + (isFinished ? [0x20] : [])
      let groups = walk.groups(of: upper)
      for (group, content) in frames.groups.enumerated() {
        let shards = Array(page[16 * group..<min(16 * group + 16, page.count)])
        let forest = try SketchForest(group: content, shardCount: shards.count, alphabet: upper.alphabet)
        let ends = walk.ends(of: forest)
        for (shard, texts) in shards.enumerated() {
          var found: [(text: [UInt8], isWhole: Bool)] = []
          ends[shard].forEach { found.append(($0, $1)) }
          for text in texts {
            let read = FoldedCharacters.all(of: text) + (isFinished ? [0x20] : [])
            let distance = EditTable.distance(characters, read)
            guard limit == 1 ? distance <= 1 : distance == 2 else { continue }
            #expect(groups[group])
            #expect(found.contains { $0.isWhole ? text == $0.text : text.starts(with: $0.text) })
          }
          // Each end of a walk is the beginning of a text of the shard.
          for end in found { #expect(texts.contains { $0.starts(with: end.text) }) }
        }
      }
    }
  }

  @Test("damaged frames are errors, or frames of another content") func damage() throws {
    var random = SplitMix64(seed: 5)
    let page = Self.page(["a", "b", "\u{e9}", " "], shards: 20, of: 40, &random)
    let frames = SketchPage(page.map { ShardSketch(ofTexts: $0) })
    let upper = try SketchForest(page: frames.page, shardCount: page.count)
    var refused = 0
    for round in 0..<4000 {
      let isPage = round % 2 == 0
      var content = isPage ? frames.page : frames.groups[0]
      if round % 7 == 0 {
        content.removeLast(1 + Int(random.next() % UInt64(content.count)))
      } else {
        content[Int(random.next() % UInt64(content.count))] ^= UInt8(1 << (random.next() % 8))
      }
      do throws(FormatError) {
        let forest =
          try isPage
          ? SketchForest(page: content, shardCount: page.count)
          : SketchForest(group: content, shardCount: 16, alphabet: upper.alphabet)
        var walk = SketchWalk(NearText(RankedText(Array("ab a ".utf8)), limit: 2))
        _ = isPage ? walk.groups(of: forest).count : walk.ends(of: forest).count
        for root in 0..<forest.rootCount { _ = forest.tree(ofRoot: root) }
      } catch {
        refused += 1
      }
    }
    #expect(refused > 1000)
    #expect(throws: FormatError.self) { _ = try SketchForest(page: frames.page, shardCount: 65) }
    #expect(throws: FormatError.self) { _ = try SketchForest(page: frames.page + [0], shardCount: page.count) }
  }
}
