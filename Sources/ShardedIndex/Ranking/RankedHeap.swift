/// An item that a ranked search takes in the order of ranks.
protocol Ranked {
  var rank: ShardedIndex.Rank { get }
}

/// A binary heap of items, which gives the item with the greatest rank first.
struct RankedHeap<Item: Ranked> {
  private var items: [Item] = []

  var first: Item? { items.first }
  var count: Int { items.count }

  /// Adds an item. If no item has a greater rank, the heap gives this one next. So of entries with equal ranks, a search
  /// takes those of one part before it takes those of another part.
  mutating func push(_ item: Item) {
    items.append(item)
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard !(item.rank < items[parent].rank) else { break }
      items[child] = items[parent]
      child = parent
    }
    items[child] = item
  }

  mutating func pop() -> Item? {
    guard let last = items.popLast() else { return nil }
    guard let first = items.first else { return last }
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < items.count else { break }
      if child + 1 < items.count, items[child].rank < items[child + 1].rank { child += 1 }
      guard last.rank < items[child].rank else { break }
      items[parent] = items[child]
      parent = child
    }
    items[parent] = last
    return first
  }

  /// Keeps the `count` items with the greatest ranks, and returns the others.
  mutating func cut(to count: Int) -> [Item] {
    var kept: [Item] = []
    while kept.count < count, let item = pop() { kept.append(item) }
    defer { items = kept }  // Descending order makes a valid heap.
    return items
  }

  /// The least rank, right after ``cut(to:)``.
  var last: Item? { items.last }
}

extension RankedHeap: Sendable where Item: Sendable {}

/// A container that a ranked search has not opened yet. Its rank bounds the ranks of its records.
struct RankedContainer: Ranked, Sendable {
  enum Kind: Sendable {
    /// One page of shards or several, by their numbers.
    case pages(Range<Int>)
    case shard(Int)
    case part(RankedPart, canBeWhole: Bool)
    /// An entry, by its number in its part, and the bonus of its match in octaves. A list of the search has the part and
    /// its other entries.
    case entry(Int, bonus: Int, list: Int)
    /// The added records of the overlay.
    case overlay
    /// The records that match with a number of edits.
    case edits(Int)
    /// A group of shards that may have texts near the typed one, by its number in its page.
    case sketch(Int, page: Int)
    /// A shard, and the number of the list of its near beginnings. The heap moves containers often, so they hold no
    /// references.
    case nearShard(Int, ends: Int)
  }

  var rank: ShardedIndex.Rank
  var kind: Kind
  /// The number of the container's run.
  var run: Int
  /// Whether records above the rank came already, since the part was opened before and had more records than were
  /// needed.
  var isRest = false
  /// The greatest rank of the records to add; nil for all records.
  var limit: ShardedIndex.Rank? { isRest ? rank : nil }
}

/// A part of a shard, or the added records of the overlay.
struct RankedPart: Hashable, Sendable {
  var run: Int
  /// The number of the shard; -1 for the overlay.
  var shard: Int
  var part: Int

  static let overlay = RankedPart(run: -1, shard: -1, part: 0)
  var isOverlay: Bool { shard < 0 }
}

/// A record that a ranked search has found.
struct RankedRecord: Ranked, Sendable {
  var rank: ShardedIndex.Rank
  var part: RankedPart
  /// The number of the record in its part, or among the added records of the overlay.
  var record: Int
}
