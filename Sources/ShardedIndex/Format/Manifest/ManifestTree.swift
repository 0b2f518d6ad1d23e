/// The tree of the pages and nodes of a manifest. Its shape follows from the number of shards. Source: docs/format.md
/// section 3.
///
/// Pages have level 0. Node `number` of level 1 lists pages from 64 * `number` on, a node of level 2 lists nodes of
/// level 1, and so on. The root lists the pages or nodes of level ``height``.
package struct ManifestTree: Equatable, Sendable {
  let shardCount: Int
  /// The level of the pages or nodes that the root lists.
  package let height: Int

  package init(shardCount: Int) {
    self.shardCount = shardCount
    var height = 0
    while Self.count(shardCount, height) > Manifest.pageCapacity { height += 1 }
    self.height = height
  }

  @inline(__always) private static func shift(_ level: Int) -> Int {
    Manifest.pageCapacity.trailingZeroBitCount &* (level &+ 1)
  }

  @inline(__always) private static func count(_ shardCount: Int, _ level: Int) -> Int {
    (shardCount &+ (1 &<< shift(level)) &- 1) &>> shift(level)
  }

  /// Returns the number of pages or nodes of a level.
  func count(ofLevel level: Int) -> Int { Self.count(shardCount, level) }

  /// The number of all pages and nodes.
  var count: Int { (0...height).reduce(0) { $0 + count(ofLevel: $1) } }

  /// Returns the slot of a page or node: its number among all, from 0 on, pages first.
  @inline(__always) func slot(_ number: Int, level: Int) -> Int {
    var slot = number
    var below = 0
    while below < level {
      slot &+= Self.count(shardCount, below)
      below &+= 1
    }
    return slot
  }

  /// Returns the number of shards in a page, or below a node.
  @inline(__always) package func shards(below number: Int, level: Int) -> Int {
    let first = number &<< Self.shift(level)
    return max(0, min(shardCount &- first, 1 &<< Self.shift(level)))
  }

  /// Returns the number of children of a node.
  @inline(__always) func children(of number: Int, level: Int) -> Int {
    (shards(below: number, level: level) &+ (1 &<< Self.shift(level &- 1)) &- 1) &>> Self.shift(level &- 1)
  }
}
