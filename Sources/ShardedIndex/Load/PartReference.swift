/// A part in memory and its place in the index. It stays valid when the cache evicts the part.
struct PartReference: Sendable {
  let part: LoadedPart
  /// The number of the shard in the order of the manifest, from 0.
  let shard: Int
  /// The position of the part's first record among all records of the index.
  let start: Int

  /// The number of records in the part. The reference holds the part, so no count of references changes here.
  @inline(__always) var recordCount: Int {
    unsafe Unmanaged.passUnretained(part)._withUnsafeGuaranteedRef { $0.keys.count }
  }
}
