import ShardedIndex

/// The texts of a shard that a sketch is made from.
enum SketchedTexts: Sendable {
  case allKeys
  /// The keys that equal their own plain form: entries lead to the records with other keys.
  case plainKeys(separators: Int)
}

/// The builder of a tree of beginnings of texts. The texts come in order.
struct SketchTree {
  private let depth: Int
  private let texts: SketchedTexts
  private(set) var sketch: ShardSketch
  /// The beginning of the last text, as characters.
  private var last: [UInt32] = []
  private var beginning: [UInt32] = []

  /// - Parameter depth: The most characters of a beginning.
  init(of texts: SketchedTexts = .allKeys, depth: Int = ShardSketch.depth) {
    (self.texts, self.depth) = (texts, depth)
    sketch = ShardSketch(
      counts: [[0]] + Array(repeating: [], count: depth - 1), scalars: Array(repeating: [], count: depth))
  }

  /// Adds a folded text, which must not be below the previous text.
  mutating func add(_ text: Span<UInt8>) {
    if case .plainKeys(let separators) = texts {
      guard unsafe text.withUnsafeBufferPointer({ unsafe PlainForm.isPlain($0, separators: separators) }) else {
        return
      }
    }
    beginning.removeAll(keepingCapacity: true)
    var offset = 0
    while offset < text.count, beginning.count < depth {
      let (scalar, size) = FoldedCharacters.scalar(in: text, at: offset)
      beginning.append(scalar)
      offset += size
    }
    addBeginning()
  }

  /// Adds a beginning of given characters.
  mutating func add(_ characters: [UInt32]) {
    beginning = Array(characters.prefix(depth))
    addBeginning()
  }

  private mutating func addBeginning() {
    var shared = 0
    while shared < min(last.count, beginning.count), last[shared] == beginning[shared] { shared += 1 }
    for level in shared..<max(shared, beginning.count) {
      sketch.counts[level][sketch.counts[level].count - 1] += 1
      sketch.scalars[level].append(beginning[level])
      if level + 1 < depth { sketch.counts[level + 1].append(0) }
    }
    swap(&last, &beginning)
  }
}

extension ShardSketch {
  /// Makes the sketch of the texts of a shard.
  ///
  /// - Parameter texts: The folded texts, in order.
  package init(ofTexts texts: some Sequence<[UInt8]>) {
    var tree = SketchTree()
    for text in texts { tree.add(text.span) }
    self = tree.sketch
  }

  /// Calls `body` with the beginnings of texts, of at most `depth` characters, that are not beginnings of other texts.
  fileprivate func forEachBeginning(depth: Int, _ body: ([UInt32]) -> Void) {
    var next = [Int](repeating: 0, count: depth + 1)
    var path: [UInt32] = []
    func visit(_ level: Int) {
      let node = next[level]
      next[level] += 1
      let count = level < depth ? Int(counts[level][node]) : 0
      if count == 0, level > 0 { body(path) }
      for _ in 0..<count {
        path.append(scalars[level][next[level + 1]])
        visit(level + 1)
        path.removeLast()
      }
    }
    visit(0)
  }
}

/// The encoder of the sketches of a page. Source: docs/format.md section 3.12.
package struct SketchPage {
  /// The contents of the page's own frame, and of the frame of each group of shards.
  package let page: [UInt8]
  package let groups: [[UInt8]]

  /// - Parameter shards: The sketches of the page's shards, in order.
  package init(_ shards: [ShardSketch]) {
    let (alphabet, beginnings) = Self.upper(of: shards)
    var labels: [UInt32: Int] = [:]
    for (label, scalar) in alphabet.scalars.enumerated() { labels[scalar] = label }
    var writer = ByteWriter()
    alphabet.write(to: &writer)
    Self.write(beginnings[...], alphabet, labels, to: &writer)
    page = writer.bytes
    groups = Self.groups(of: shards).map { group in
      var writer = ByteWriter()
      Self.write(group, alphabet, labels, to: &writer)
      return writer.bytes
    }
  }

  private static func groups(of shards: [ShardSketch]) -> [ArraySlice<ShardSketch>] {
    stride(from: 0, to: shards.count, by: SketchForest.groupSize).map {
      shards[$0..<min($0 + SketchForest.groupSize, shards.count)]
    }
  }

  /// Returns the content of the page's own frame: the characters of all shards, and the tree of each group.
  static func upper(of shards: [ShardSketch]) -> (alphabet: SketchAlphabet, groups: [ShardSketch]) {
    var scalars: Set<UInt32> = []
    for shard in shards { for level in shard.scalars { scalars.formUnion(level) } }
    let trees = groups(of: shards).map { group in
      var tree = SketchTree(depth: SketchForest.pageDepth)
      for shard in group { shard.forEachBeginning(depth: SketchForest.pageDepth) { tree.add($0) } }
      return tree.sketch
    }
    return (SketchAlphabet(scalars.sorted()), trees)
  }

  /// The frames of a side file.
  var contents: SidesEncoder.Contents {
    [(.pageSketch, page)] + groups.enumerated().map { (.sketches(group: $0.offset), $0.element) }
  }

  private static func write(
    _ trees: ArraySlice<ShardSketch>, _ alphabet: SketchAlphabet, _ labels: [UInt32: Int], to writer: inout ByteWriter
  ) {
    for level in trees.first?.counts.indices ?? 0..<0 {
      let greatest = trees.reduce(0) { max($0, $1.counts[level].max() ?? 0) }
      let size = greatest < 1 << 8 ? 1 : greatest < 1 << 16 ? 2 : 4
      writer.write(UInt8(size))
      for tree in trees { for count in tree.counts[level] { writer.write(UInt32(count), bytes: size) } }
      for tree in trees {
        for scalar in tree.scalars[level] { writer.write(UInt32(labels[scalar] ?? 0), bytes: alphabet.labelSize) }
      }
    }
  }
}

extension ByteWriter {
  /// Writes the low bytes of a number.
  fileprivate mutating func write(_ number: UInt32, bytes count: Int) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(8 * index))) }
  }
}
