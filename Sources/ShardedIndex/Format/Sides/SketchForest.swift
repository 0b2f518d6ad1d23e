/// The characters of a page's sketches, by number. Source: docs/format.md section 3.12.
package struct SketchAlphabet: Sendable, Equatable {
  /// The characters, ascending.
  package let scalars: [UInt32]

  /// - Parameter scalars: Unicode scalars, strictly ascending.
  package init(_ scalars: [UInt32]) { self.scalars = scalars }

  /// The size of a character's number in a sketch, in bytes.
  package var labelSize: Int { scalars.count <= 1 << 8 ? 1 : scalars.count <= 1 << 16 ? 2 : 4 }

  fileprivate init(_ reader: inout ByteReader) throws(FormatError) {
    let count = try reader.readVarint()
    guard count <= reader.remaining else {
      throw .truncated(offset: reader.offset, needed: count, available: reader.remaining)
    }
    var scalars: [UInt32] = []
    scalars.reserveCapacity(count)
    var next = 0
    for _ in 0..<count {
      let scalar = next + (try reader.readVarint())
      guard scalar <= 0x10ffff else {
        throw .invalid(reason: "has a character in a sketch that is not a Unicode scalar", offset: reader.offset)
      }
      scalars.append(UInt32(scalar))
      next = scalar + 1
    }
    self.scalars = scalars
  }

  package func write(to writer: inout ByteWriter) {
    writer.writeVarint(scalars.count)
    var next = 0
    for scalar in scalars {
      writer.writeVarint(Int(scalar) - next)
      next = Int(scalar) + 1
    }
  }
}

/// The beginnings of one shard's texts, as a tree: the sketch of a shard, with characters instead of their numbers.
package struct ShardSketch: Sendable, Equatable {
  /// The most characters of a beginning.
  package static let depth = 6

  /// For each depth from 0 on, the number of children of each node. The root is the only node of depth 0.
  package var counts: [[UInt32]]
  /// For each depth from 1 on, the character of each node.
  package var scalars: [[UInt32]]

  package init(counts: [[UInt32]], scalars: [[UInt32]]) { (self.counts, self.scalars) = (counts, scalars) }
}

/// Trees of the beginnings of texts, one for each root: the content of a frame of sketches. Source: docs/format.md
/// section 3.12.
package final class SketchForest: Sendable {
  /// The most characters of a beginning in the frame of a whole page.
  package static let pageDepth = 3
  /// The number of shards of a frame, which are its roots. Each root of a page's frame stands for as many shards.
  package static let groupSize = 16

  /// The nodes of one depth, and their children.
  struct Level: Sendable {
    let nodeCount: Int
    fileprivate let (countsOffset, countSize): (Int, Int)
    let childCount: Int
    fileprivate let labelsOffset: Int
  }

  private let content: [UInt8]
  package let alphabet: SketchAlphabet
  private let labelSize: Int
  /// The nodes that may have children, by depth from the roots on.
  let levels: [Level]

  /// Reads the frame of a page: its alphabet, and a tree for each group of shards.
  ///
  /// - Parameters:
  ///   - content: The content of the frame.
  ///   - shardCount: The number of the page's shards.
  package convenience init(page content: [UInt8], shardCount: Int) throws(FormatError) {
    var reader = unsafe ByteReader(content.span.bytes)
    let alphabet = try SketchAlphabet(&reader)
    let offset = reader.offset
    let groups = (shardCount + Self.groupSize - 1) / Self.groupSize
    try self.init(content, from: offset, roots: groups, depth: Self.pageDepth, alphabet)
  }

  /// Reads the frame of a group of shards: a tree for each shard.
  package convenience init(
    group content: [UInt8], shardCount: Int, alphabet: SketchAlphabet
  ) throws(FormatError) {
    try self.init(content, from: 0, roots: shardCount, depth: ShardSketch.depth, alphabet)
  }

  private init(
    _ content: [UInt8], from start: Int, roots: Int, depth: Int, _ alphabet: SketchAlphabet
  ) throws(FormatError) {
    (self.content, self.alphabet, labelSize) = (content, alphabet, alphabet.labelSize)
    var reader = unsafe ByteReader(content.span.bytes)
    _ = try reader.pass(start)
    var levels: [Level] = []
    var nodeCount = roots
    for _ in 0..<depth {
      levels.append(try Self.level(&reader, nodeCount: nodeCount, alphabet, of: content))
      nodeCount = levels[levels.count - 1].childCount
    }
    guard reader.remaining == 0 else {
      throw .invalid(reason: "has \(reader.remaining) bytes behind its last character", offset: reader.offset)
    }
    self.levels = levels
  }

  private static func level(
    _ reader: inout ByteReader, nodeCount: Int, _ alphabet: SketchAlphabet, of content: [UInt8]
  ) throws(FormatError) -> Level {
    let countSize = Int(try reader.read(UInt8.self))
    guard countSize == 1 || countSize == 2 || countSize == 4 else {
      throw .invalid(reason: "has counts of \(countSize) bytes", offset: reader.offset - 1)
    }
    let countsOffset = try reader.pass(nodeCount * countSize)
    let sum = sum(in: content, from: countsOffset, nodeCount, countSize)
    // Each child has at least a byte.
    guard sum <= UInt64(reader.remaining) else {
      throw .invalid(reason: "has more characters than bytes", offset: reader.offset)
    }
    let childCount = Int(sum)
    let labelsOffset = try reader.pass(childCount * alphabet.labelSize)
    var greatest: UInt32 = 0
    // A walk does not need children that ascend. Verification compares them with the keys.
    forEachNumber(in: content, from: labelsOffset, childCount, alphabet.labelSize) { greatest = max(greatest, $0) }
    guard childCount == 0 || greatest < alphabet.scalars.count else {
      throw .invalid(reason: "has a character that is not in its alphabet", offset: labelsOffset)
    }
    return Level(
      nodeCount: nodeCount, countsOffset: countsOffset, countSize: countSize, childCount: childCount,
      labelsOffset: labelsOffset)
  }

  /// Calls `body` with numbers of 1, 2 or 4 bytes. Most have one: their sum or maximum takes few instructions.
  @inline(__always)
  private static func forEachNumber(
    in content: [UInt8], from start: Int, _ count: Int, _ size: Int, _ body: (UInt32) -> Void
  ) {
    guard size == 1 else {
      for index in 0..<count {
        body(UInt32(truncatingIfNeeded: number(in: content, at: start + index * size, size)))
      }
      return
    }
    unsafe content.withUnsafeBufferPointer { content in
      for offset in start..<start + count { body(unsafe UInt32(content[offset])) }
    }
  }

  /// Returns a sum, which cannot overflow, because a content has at most 2^24 bytes.
  private static func sum(in content: [UInt8], from start: Int, _ count: Int, _ size: Int) -> UInt64 {
    var sum: UInt64 = 0
    forEachNumber(in: content, from: start, count, size) { sum &+= UInt64($0) }
    return sum
  }

  /// Reads a number of 1, 2 or 4 bytes. A number that is too large for an `Int` is negative.
  @inline(__always)
  private static func number(in content: [UInt8], at offset: Int, _ size: Int) -> Int {
    if size == 1 { return Int(content[offset]) }
    let low = Int(content[offset]) | Int(content[offset + 1]) << 8
    return size == 2 ? low : low | Int(content[offset + 2]) << 16 | Int(content[offset + 3]) << 24
  }

  /// The memory of the forest, in bytes.
  var size: Int { content.count + MemoryLayout<Level>.stride * levels.count }

  /// The number of roots.
  package var rootCount: Int { levels[0].nodeCount }

  /// Returns the number of children of a node.
  @inline(__always)
  func childCount(of node: Int, atDepth depth: Int) -> Int {
    let level = levels[depth]
    return Self.number(in: content, at: level.countsOffset + node * level.countSize, level.countSize)
  }

  /// Returns the number of children of all nodes of a depth in a range.
  func childCount(of nodes: Range<Int>, atDepth depth: Int) -> Int {
    let (start, size) = (levels[depth].countsOffset, levels[depth].countSize)
    return Int(Self.sum(in: content, from: start + nodes.lowerBound * size, nodes.count, size))
  }

  /// Returns the number of a child's character in the alphabet. The children of a depth are numbered one after the
  /// other.
  @inline(__always)
  func label(ofChild child: Int, atDepth depth: Int) -> Int {
    Self.number(in: content, at: levels[depth].labelsOffset + child * labelSize, labelSize)
  }

  /// Calls `body` with the children in a range of a depth: those whose characters have a class other than 0, or all.
  ///
  /// - Parameters:
  ///   - classes: The class of each character of the alphabet.
  ///   - body: Gets the number of a child, the number of its character, and the class of the character.
  @inline(__always)
  func forEachChild(
    in children: Range<Int>, atDepth depth: Int, classes: [UInt8], all: Bool, _ body: (Int, Int, UInt8) -> Void
  ) {
    guard labelSize == 1 else {
      for child in children {
        let label = label(ofChild: child, atDepth: depth)
        if all || classes[label] != 0 { body(child, label, classes[label]) }
      }
      return
    }
    let start = levels[depth].labelsOffset
    unsafe content.withUnsafeBufferPointer { content in
      for child in children {
        let label = unsafe Int(content[start &+ child])
        let characterClass = classes[label]
        if all || characterClass != 0 { body(child, label, characterClass) }
      }
    }
  }

  /// Returns the tree of one root.
  package func tree(ofRoot root: Int) -> ShardSketch {
    var tree = ShardSketch(counts: [], scalars: [])
    var nodes = root..<root + 1
    for depth in levels.indices {
      let first = childCount(of: 0..<nodes.lowerBound, atDepth: depth)
      let counts = nodes.map { UInt32(childCount(of: $0, atDepth: depth)) }
      let children = first..<first + counts.reduce(0) { $0 + Int($1) }
      tree.counts.append(counts)
      tree.scalars.append(children.map { alphabet.scalars[label(ofChild: $0, atDepth: depth)] })
      nodes = children
    }
    return tree
  }
}
