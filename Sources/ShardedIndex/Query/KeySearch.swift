/// A search by key in the shards of a generation: from a folded text to parts, and in the parts to the first and the last
/// record.
struct KeySearch {
  private let shards: ShardReader
  /// The most matches.
  private let limit: Int
  private var manifest: ManifestReader { shards.manifest }

  @inline(__always)
  init(_ shards: ShardReader, limit: Int) { (self.shards, self.limit) = (shards, limit) }

  /// Returns the records whose folded key begins with `prefix`. A space does not stand for a comma here.
  @inline(__always)
  func matches(of prefix: FoldedPrefix) throws(IndexError) -> KeyMatches {
    guard manifest.shardCount > 0, !prefix.isEmpty else {
      return KeyMatches(range: 0..<manifest.recordCount, limit: limit)
    }
    let (first, last) = try manifest.shardPositions(forPrefix: prefix, limit: limit)
    // After a query with a limit, the caller reads the matches.
    let part = try shards.part(of: first, unpacks: limit < .max) { $0.first(for: prefix) }
    let keys = part.part.keys
    // The part stays alive, so no reference is counted.
    let searched = unsafe Unmanaged.passUnretained(part.part)
    unsafe searched._withUnsafeGuaranteedRef { $0.prefetchKeys() }
    let (lower, matches) = keys.lowerBound(of: prefix)
    // Most callers read the first matches next: they are prefetched during the search for the end.
    if matches { unsafe searched._withUnsafeGuaranteedRef { $0.prefetch(lower) } }
    let isOneShard = first.number == last.number
    let number = isOneShard ? part.part.header.parts.last(for: prefix, from: part.part.number) : nil
    guard number == part.part.number else {
      return try self.matches(of: prefix, from: part, lower, to: number, of: last)
    }
    let upper = matches ? keys.upperBound(of: prefix, from: lower) : lower
    return KeyMatches(range: part.start + lower..<part.start + upper, limit: limit, first: part)
  }

  /// Returns the records of a run.
  func matches(of run: TypedRun) throws(IndexError) -> KeyMatches {
    guard run.isFinished, manifest.shardCount > 0 else { return try matches(of: run.text) }
    let first = try manifest.shardPositions(forPrefix: run.word, limit: 0).first
    let last = try manifest.shardPositions(forPrefix: run.text, limit: limit).last
    let part = try shards.part(of: first, unpacks: limit < .max) { $0.first(for: run.word) }
    let (lower, _) = part.part.keys.lowerBound(of: run.word)
    let lastPart =
      first.number == last.number ? part.part.header.parts.last(for: run.text, from: part.part.number) : nil
    return try matches(of: run.text, from: part, lower, to: lastPart, of: last)
  }

  /// Returns the matches from a record of a part up to the last that begins with `prefix`, in that part or a later one.
  ///
  /// - Parameter lastPart: The part of shard `last` in which the matches end; nil if unknown.
  @inline(never)
  private func matches(
    of prefix: FoldedPrefix, from part: __owned PartReference, _ record: Int, to lastPart: Int?,
    of last: Manifest.ShardPosition
  ) throws(IndexError) -> KeyMatches {
    let lower = part.start + record
    // All records before it match.
    let lastStart = last.firstRecord + (lastPart.map { part.part.header.parts[$0].firstRecord } ?? 0)
    if lastStart - lower > limit { return KeyMatches(range: lower..<lastStart, limit: limit, first: part) }
    let end = try shards.part(of: last) { lastPart ?? $0.last(for: prefix, from: 0) }
    end.part.prefetchKeys()
    let (at, matches) = end.part.keys.lowerBound(of: prefix)
    let upper = end.start + (matches ? end.part.keys.upperBound(of: prefix, from: at) : at)
    return KeyMatches(range: lower..<max(lower, upper), limit: limit, first: part)
  }

  /// Loads the parts at both ends of a run, as far as their bytes have arrived. The end is left out if the shards
  /// between have more records than the limit.
  ///
  /// - Parameter isOfOneShard: Whether parts are loaded only if all matches are in one shard.
  func prefetch(_ run: TypedRun, isOfOneShard: Bool = false) {
    guard manifest.shardCount > 0, !run.word.isEmpty else { return }
    let first = try? manifest.shardPositions(forPrefix: run.word, limit: 0).first
    let last = try? manifest.shardPositions(forPrefix: run.text, limit: limit).last
    if isOfOneShard, first == nil || first?.number != last?.number { return }
    if let first { _ = try? shards.part(of: first, unpacks: true) { $0.first(for: run.word) } }
    guard let last else { return }
    if let first, last.firstRecord - first.firstRecord - first.recordCount > limit { return }
    _ = try? shards.part(of: last) { $0.last(for: run.text, from: 0) }
  }
}
