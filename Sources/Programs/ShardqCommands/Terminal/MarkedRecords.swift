import ShardedIndex

/// The identity of a record: its id, or its position in a generation.
package struct RecordIdentity: Hashable, Sendable {
  private let id: ShardedIndex.Record.ID
  private let generation: UInt64

  package init(_ record: ShardedIndex.Record, in generation: Generation) {
    id = record.id
    // An id is the same in every generation; a position is not.
    if case .field = id { self.generation = 0 } else { self.generation = generation.identity }
  }
}

/// The records that a user has chosen, in the order of choosing. They stay chosen while the typed text changes.
package struct MarkedRecords {
  private var order: [(identity: RecordIdentity, records: ShardedIndex.Records, bytes: Int)] = []
  private var identities: Set<RecordIdentity> = []
  private var bytes = 0

  /// The most records, and the most bytes of their texts: they stay in memory.
  package static let (limit, byteLimit) = (1000, 64 << 20)

  package var count: Int { order.count }
  /// The records, each by itself.
  package var records: [ShardedIndex.Records] { order.map(\.records) }

  package func contains(_ identity: RecordIdentity) -> Bool { identities.contains(identity) }

  /// Adds one record; returns whether there was room for it.
  package mutating func add(_ identity: RecordIdentity, _ records: ShardedIndex.Records) -> Bool {
    guard !contains(identity) else { return true }
    let size = records.reduce(0) { $0 + $1.fields.reduce(0) { $0 + $1.text.utf8.count } }
    guard order.count < Self.limit, size <= Self.byteLimit - bytes else { return false }
    order.append((identity, records, size))
    identities.insert(identity)
    bytes += size
    return true
  }

  package mutating func remove(_ identity: RecordIdentity) {
    guard identities.remove(identity) != nil, let at = order.firstIndex(where: { $0.identity == identity }) else {
      return
    }
    bytes -= order.remove(at: at).bytes
  }

  package mutating func removeAll() { self = MarkedRecords() }
}
