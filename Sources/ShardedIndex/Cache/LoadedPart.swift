/// A part of a shard in memory: its keys, and its fields once a query has asked for them.
final class LoadedPart: @unchecked Sendable {
  // The first properties are the ones that a query reads on its way to the keys.
  /// The cache's node for the part; 0 while it is not resident. The cache's lock guards this and ``protectedAt``.
  var node: Int32 = 0
  /// The cache's ``LRU/insertions`` when it was last seen to be protected.
  var protectedAt: UInt32 = 0
  // No number that the format counts with has more than 32 bits.
  private let (first, partNumber, keptBytes): (UInt32, UInt32, UInt32)
  let keys: KeyBlocks
  /// The fields; none until they are unpacked.
  private let unpacked: OnceColumns
  let header: ShardHeader  // Keys and fields lead into it.
  /// The weights of its records, once a ranked query has asked for them.
  let weights = OnceReference<PartWeights>()
  /// The compressed fields, until they are unpacked: so that this needs no second look at the file. Empty from then on.
  private let packed: Lock<[UInt8]>

  /// The part's first record, counted within the shard.
  @inline(__always) var firstRecord: Int { Int(first) }
  @inline(__always) var number: Int { Int(partNumber) }
  /// The cost of the part when the cache took it in, in bytes.
  var charge: Int { Int(keptBytes) }
  /// The cost beside keys and fields, in bytes: this object, the cache's node, the share of `malloc`.
  private static let ownCharge = 200

  /// Makes a part whose fields are unpacked.
  ///
  /// - Parameter columns: The fields, which the part takes over.
  init(keys: KeyBlocks, number: Int, header: ShardHeader, columns: FieldColumns) {
    self.keys = keys
    self.header = header
    first = UInt32(header.parts[number].firstRecord)
    partNumber = UInt32(number)
    keptBytes = UInt32(keys.charge + columns.charge + Self.ownCharge)
    unpacked = OnceColumns(columns)
    packed = Lock([])
  }

  /// Makes a part whose fields are unpacked when a query asks for them.
  ///
  /// - Parameter fields: The compressed fields, and ``FieldColumns/slack`` bytes behind them.
  init(keys: KeyBlocks, number: Int, header: ShardHeader, fields: [UInt8]) {
    self.keys = keys
    self.header = header
    first = UInt32(header.parts[number].firstRecord)
    partNumber = UInt32(number)
    keptBytes = UInt32(keys.charge + fields.count + Self.ownCharge)
    unpacked = OnceColumns(nil)
    packed = Lock(fields)
  }

  deinit {
    keys.deallocate()
    columns?.deallocate()
  }

  /// The fields, if they are unpacked; valid as long as the part is.
  @inline(__always) var columns: FieldColumns? { unpacked.load() }

  var isUnpacked: Bool { columns != nil }

  /// The size of the part in its file and of its unpacked content together, in bytes.
  var weight: Int { header.parts[number].weight }

  /// Asks for the memory that a search reads, and for what decoding will read of the shard's header, side by side: one
  /// after the other is what an answer takes whose memory has left the processor's caches.
  @inline(__always) func prefetchKeys() {
    keys.prefetch()
    columns?.prefetchHeader()
  }

  /// Asks for the memory that decoding one of its records begins with, if the fields are unpacked.
  @inline(__always) func prefetch(_ record: Int) { columns?.prefetch(record, keys: keys) }

  /// Asks for the memory of what leads to the fields, if they are unpacked.
  @inline(__always) func prefetchFields() { unpacked.prefetch() }

  /// Returns the fields, unpacked by `unpack` if they were not before; they are valid as long as this is.
  ///
  /// - Parameters:
  ///   - unpack: Unpacks the compressed fields, which have ``FieldColumns/slack`` bytes behind them.
  ///   - grew: Called with the change of the charge, in bytes.
  @inline(__always)
  func columns(
    unpack: ([UInt8]) throws(IndexError) -> FieldColumns, grew: (Int) -> Void
  ) throws(IndexError) -> FieldColumns {
    if let columns { return columns }
    return try packed.withLock { (packed) throws(IndexError) -> FieldColumns in
      if let columns { return columns }
      let columns = try unpack(packed)
      unpacked.store(columns)
      grew(columns.charge - packed.count)
      packed = []
      return columns
    }
  }
}

/// The weights of a part's records.
final class PartWeights: Sendable {
  /// The mark of a key that is its own plain form.
  static let ownForm: UInt8 = 1
  /// The mark of a key that is not: an entry leads to it.
  static let otherForm: UInt8 = 0

  let values: [UInt64]
  /// Of an index with entries, one mark a record: of a record whether its key is its own plain form, of an entry its
  /// kind. Else none.
  let marks: [UInt8]

  init(_ values: [UInt64], marks: [UInt8]) { (self.values, self.marks) = (values, marks) }

  /// The bytes that they cost the cache.
  var charge: Int { 8 * values.count + marks.count + 64 }
}
