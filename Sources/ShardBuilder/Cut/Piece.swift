/// A piece: a run of neighbouring records that becomes one shard, or several shards if it is too large.
package struct Piece: Sendable {
  private let storage: Storage
  private let range: Range<Int>
  /// Whether a ``Cutter`` that begins with this piece's first record cuts as the piece's own cutter did.
  package let isRestart: Bool

  /// The records of the piece as the cutter made it, and the gap before each record. Divided pieces share the storage.
  final class Storage: Sendable {
    let records: RecordArena
    let weights: [Int]
    let gaps: [Gap]

    init(records: RecordArena, weights: [Int], gaps: [Gap]) {
      (self.records, self.weights, self.gaps) = (records, weights, gaps)
    }
  }

  /// The gap before a record.
  struct Gap: Sendable {
    var priority: GapPriority
    /// The size of the shortest beginning of the record's folded key that is above the previous key.
    var separatorCount: Int
  }

  init(_ storage: Storage, _ range: Range<Int>, isRestart: Bool = false) {
    (self.storage, self.range, self.isRestart) = (storage, range, isRestart)
  }

  package var count: Int { range.count }
  /// The bytes of memory that the piece holds as the cutter made it.
  package var charge: Int {
    storage.records.charge + storage.weights.count * MemoryLayout<Int>.stride
      + storage.gaps.count * MemoryLayout<Gap>.stride
  }
  /// Calls `body` with the blobs of the records, in order, in as few runs as possible; the runs are valid while this
  /// piece lives.
  func forEachRun(_ body: (UnsafeRawBufferPointer) -> Void) {
    unsafe storage.records.forEachRun(of: range) { unsafe body($1) }
  }
  /// Returns the record at a 0-based position; valid while this piece lives.
  package func record(_ index: Int) -> RecordBlob { storage.records.record(range.lowerBound + index) }

  /// The shortest string that is neither below a key of an earlier shard nor above a key of this one; empty for the
  /// first shard. If the cut divides equal folded keys, the bound is that key.
  package var lowerBound: [UInt8] {
    guard let first = range.first else { return [] }
    return unsafe Array(record(0).folded.prefix(storage.gaps[first].separatorCount))
  }

  /// The weight of the first record, which depends on the record before the piece.
  var firstWeight: Int { storage.weights[range.lowerBound] }

  /// The estimated size in sixteenths of a byte.
  package var weight: Int { storage.weights[range].reduce(0, +) }

  /// Returns the two halves of a piece that is too large; nil if the piece is one record.
  ///
  /// The function cuts at the best gap that leaves a quarter of the weight on both sides, or else at the best of all
  /// gaps. Among equally bad gaps (identical records) it takes the one nearest to the middle.
  package func divided() -> (Piece, Piece)? {
    guard let middle = Self.bestGap(range, storage.weights, storage.gaps) else { return nil }
    return (Piece(storage, range.lowerBound..<middle), Piece(storage, middle..<range.upperBound))
  }

  static func bestGap(_ range: Range<Int>, _ weights: [Int], _ gaps: [Gap]) -> Int? {
    guard range.count > 1 else { return nil }
    let total = weights[range].reduce(0, +)
    var best: (index: Int, isBalanced: Bool, priority: GapPriority, imbalance: Int)?
    var left = 0
    for index in range.dropFirst() {
      left += weights[index - 1]
      let isBalanced = left >= total / 4 && total - left >= total / 4
      let (priority, imbalance) = (gaps[index].priority, abs(2 * left - total))
      if let best {
        if isBalanced != best.isBalanced {
          if best.isBalanced { continue }
        } else if priority != best.priority {
          if priority < best.priority { continue }
        } else if imbalance >= best.imbalance {
          continue
        }
      }
      best = (index, isBalanced, priority, imbalance)
    }
    return best?.index
  }

  /// Encodes the piece. A part larger than `limit` with two records or more is divided.
  package func encoded<Shard>(
    limit: Int, _ encode: (Piece) throws(BuildError) -> Shard, size: (Shard) -> Int
  ) throws(BuildError) -> [Shard] {
    var shards: [Shard] = []
    var pending = [self]
    while let piece = pending.popLast() {
      let shard = try encode(piece)
      if size(shard) > limit, let (left, right) = piece.divided() {
        pending.append(right)
        pending.append(left)
      } else {
        shards.append(shard)
      }
    }
    return shards
  }
}
