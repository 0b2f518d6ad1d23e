/// An open generation of an index, which answers use and keep.
///
/// A generation still answers when the index has moved to another one. The generations of an index share its cache.
package final class Generation: Sendable {
  package let shards: ShardReader
  /// The changes beside the shards; nil if there are none.
  package let overlay: Overlay?
  /// Whether the records are the starts of another generation.
  package let isOfStarts: Bool
  private let lazySchema = OnceReference<Schema>()
  /// The starts, once a query of an index on another machine has opened them.
  let lazyStarts = OnceReference<StartsReader>()

  init(_ shards: ShardReader, _ overlay: Overlay?, isOfStarts: Bool = false) {
    self.shards = shards
    self.overlay = overlay
    self.isOfStarts = isOfStarts
  }

  package var manifest: ManifestReader { shards.manifest }
  package var directory: IndexDirectory { shards.directory }
  /// Whether the bytes come by a carrier.
  package var isFar: Bool { directory.carried != nil }
  /// The decompression contexts of the index.
  package var contexts: DecompressorPool { shards.loader.contexts }
  /// Whether the directory has another manifest now.
  package var isSuperseded: Bool { shards.isSuperseded }
  /// The schema, made at its first use: a query alone needs no names.
  package var schema: Schema {
    lazySchema.load() ?? lazySchema.storeIfNil(Schema(manifest.root, isOfStarts: isOfStarts))
  }
  /// The number of all records.
  package var recordCount: Int { manifest.recordCount + (overlay?.growth ?? 0) }

  /// The identity of the generation, for cursors and names.
  package var identity: UInt64 {
    // The product spreads the bits of one checksum, so that the other does not cancel them.
    manifest.rootChecksum ^ (overlay?.checksum ?? 0) &* 0x9e37_79b9_7f4a_7c15
  }

  /// The name of the generation in answers: its identity in 16 hexadecimal digits.
  package var name: String {
    let digits = String(identity, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  /// Frees the kept pages of the manifest, and closes open files; the entries' likewise.
  func removeResidents() {
    manifest.removeRecentPages()
    shards.files.removeAll()
    shards.lazyEntries.load()?.removeResidents()
  }

  /// Returns the density grid with the overlay's changes; nil if no record has coordinates.
  package func densityGrid() throws(IndexError) -> DensityGrid? { try manifest.densityGrid(with: overlay) }

  /// Returns the entries. The first call reads the root of their manifest.
  ///
  /// - Returns: nil if the index has none.
  package func entries() throws(IndexError) -> EntriesReader? { try shards.entriesReader() }

  // MARK: Answers

  /// The answer that has every record.
  package var allRecords: KeyMatches { KeyMatches(range: 0..<recordCount, limit: .max, isOverlaid: overlay != nil) }

  /// Returns the matches of a folded text in the shards, at most `limit` of them: the answer of a generation without
  /// overlay.
  @inline(__always)
  func answerOfShards(to text: FoldedPrefix, limit: Int) throws(IndexError) -> KeyMatches {
    if text.hasSpace { return try answer(inRuns: text, limit: limit) }
    return try KeySearch(shards, limit: limit).matches(of: text)
  }

  /// Returns the matches of a folded text with the overlay, at most `limit` of them.
  @inline(never)
  func answer(to text: FoldedPrefix, limit: Int) throws(IndexError) -> KeyMatches {
    guard overlay != nil else { return try answerOfShards(to: text, limit: limit) }
    return try answer(inRuns: text, limit: limit)
  }

  /// Returns the answer to a folded text with a space, at most `limit` matches. Source: docs/matching.md section 8.
  ///
  /// The last space of the text may also stand for the separator, except a space at the end. Keys with the separator
  /// come first.
  @inline(never)
  private func answer(inRuns text: FoldedPrefix, limit: Int) throws(IndexError) -> KeyMatches {
    let run = TypedRun(text)
    guard let last = run.word.lastSpace else { return try matches(of: run, limit: limit) }
    let first = try text.withSeparator(at: last) { (separated) throws(IndexError) in
      try matches(of: TypedRun(separated), limit: limit)
    }
    if first.hasMore { return first }
    return KeyMatches(first, then: try matches(of: run, limit: limit == .max ? limit : limit - first.range.count))
  }

  /// Returns one run of keys, with the overlay.
  private func matches(of run: TypedRun, limit: Int) throws(IndexError) -> KeyMatches {
    guard let overlay else { return try KeySearch(shards, limit: limit).matches(of: run) }
    // The overlay may have removed this many more.
    let (most, isOver) = limit.addingReportingOverflow(overlay.removed.count)
    let found = try KeySearch(shards, limit: isOver ? .max : most).matches(of: run)
    let range = unsafe overlay.matches(
      from: run.word.bytes, to: run.text.bytes, inShards: found.range, hasMore: found.hasMore, limit: limit)
    return KeyMatches(range: range, limit: limit, isOverlaid: true)
  }
}
