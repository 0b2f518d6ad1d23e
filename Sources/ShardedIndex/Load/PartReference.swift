/// A part in memory and where it belongs; it stays usable when the cache lets go of it.
struct PartReference: Sendable {
  let part: LoadedPart
  /// By its place in the manifest.
  let shard: Int
  /// Where the part's first record stands among all records of the index.
  let start: Int

  /// Records in the part. Nothing is counted for a look: this holds it.
  @inline(__always) var recordCount: Int {
    unsafe Unmanaged.passUnretained(part)._withUnsafeGuaranteedRef { $0.keys.count }
  }
}
