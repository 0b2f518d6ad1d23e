/// A part of a shard in memory: its keys and, after the first query that reads them, its fields.
final class LoadedPart: @unchecked Sendable {
  // The first properties are the ones that a query reads on its way to the keys.
  /// The cache's node for the part; 0 while the part is not resident. The cache's lock guards this and ``protectedAt``.
  var node: Int32 = 0
  /// The value of ``LRU/insertions`` when the cache last saw the part protected.
  var protectedAt: UInt32 = 0
  // The numbers of the format have at most 32 bits.
  private let (first, partNumber, keptBytes): (UInt32, UInt32, UInt32)
  let keys: KeyBlocks
  /// The fields; none until they are unpacked.
  private let unpacked: OnceColumns
  let header: ShardHeader  // Keys and fields lead into it.
  /// The weights of its records, after the first ranked query.
  let weights = OnceReference<PartWeights>()
  /// The compressed fields, so that unpacking reads no file again; empty once the fields are unpacked.
  private let packed: Lock<[UInt8]>

  /// The part's first record, counted within the shard.
  @inline(__always) var firstRecord: Int { Int(first) }
  @inline(__always) var number: Int { Int(partNumber) }
  /// The cost of the part when the cache took it in, in bytes.
  var charge: Int { Int(keptBytes) }
  /// The cost beside keys and fields, in bytes: this object, the cache's node, the overhead of `malloc`.
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

  /// Makes a part that unpacks its fields when a query asks for them.
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

  /// The size of the part in its file and of its unpacked content together, in bytes.
  var weight: Int { header.parts[number].weight }

  /// Prefetches the memory that a search reads and the memory of the shard's header that decoding reads, side by side.
  /// If this memory has left the processor's caches, an answer takes as long as its accesses in sequence.
  @inline(__always) func prefetchKeys() {
    keys.prefetch()
    columns?.prefetchHeader()
  }

  /// Prefetches the memory that decoding a record begins with, if the fields are unpacked.
  @inline(__always) func prefetch(_ record: Int) { columns?.prefetch(record, keys: keys) }

  /// Prefetches the pointers to the fields, if the fields are unpacked.
  @inline(__always) func prefetchFields() { unpacked.prefetch() }

  /// Returns the fields, which `unpack` unpacks at the first call; valid as long as the part is.
  ///
  /// - Parameters:
  ///   - unpack: Unpacks the compressed fields, which have ``FieldColumns/slack`` bytes behind them.
  ///   - grew: Gets the change of the charge, in bytes.
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
  /// The mark of a key that is not its own plain form: an entry leads to it.
  static let otherForm: UInt8 = 0

  let values: [UInt64]
  /// One mark a record in an index with entries: for a record whether its key is its own plain form, for an entry its
  /// kind. Otherwise empty.
  let marks: [UInt8]

  init(_ values: [UInt64], marks: [UInt8]) { (self.values, self.marks) = (values, marks) }

  /// The charge of the weights, in bytes.
  var charge: Int { 8 * values.count + marks.count + 64 }
}
