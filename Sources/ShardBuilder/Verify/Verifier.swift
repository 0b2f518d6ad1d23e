import ShardedIndex

/// The proof of an index. It checks every byte and, if the caller wishes, that the index answers for exactly the
/// records of a dataset.
///
/// There are seven checks, each in its own file: of the manifest and the directory, of the shards, of the entries, of
/// the overlay, of the starts, against the dataset, and of the answers.
///
/// Memory grows with the index: by 48 bytes for each shard, and by the lower bounds of shards in the manifest, which
/// are longer if keys have much in common.
package struct Verifier {
  let index: ShardedIndex
  let report: (Finding) -> Void
  /// The name of the manifest's file.
  let manifestName: String
  var summary = Summary()
  /// The shards as the manifest describes them.
  var shards: [Manifest.Shard] = []
  /// For each shard the sum of the records whose keys begin in it: those of the dataset less those of the index.
  var sums: [RecordSum] = []
  /// The id field, if the overlay has the greatest id.
  let idField: Int?
  /// The greatest id of the read shards, as ``Overlay/greatestID`` defines it.
  var greatestID: UInt64 = 0

  /// The ranks of the index; nil if there are none.
  var ranks: RankCheck?
  var numbers: NumberCheck?
  /// The side files of the index; nil if there are none.
  var sides: SideCheck?
  /// Called with the progress of the checks; nil for no calls.
  var progress: ((Progress) -> Void)?

  /// The number of wrong greatest weights in the ranks.
  var wrongRanks = 0

  /// The most findings of one kind that the report names one by one.
  static let reportLimit = 100

  /// Checks every byte: sizes, digests, checksums, structure, order, that each key is the fold of its record's key, and
  /// that counts add up. Names the files that do not belong to the index.
  ///
  /// - Parameters:
  ///   - source: The dataset of the index. It is read again if it differs, to name the records.
  ///   - progress: Called from time to time, on the calling thread.
  /// - Throws: ``VerifyError`` if the index or the dataset cannot be read. Damage is not an error but a finding.
  package static func verify(
    index path: String, source: Source? = nil, options: ShardedIndex.Options = .init(),
    progress: ((Progress) -> Void)? = nil, report: @escaping (Finding) -> Void
  ) throws(VerifyError) -> Summary {
    do throws(BuildError) {
      if let source { try ShardBuilder.checkStandardInput(source.inputs) }
    } catch {
      throw .template(error)
    }
    let index: ShardedIndex
    do throws(IndexError) {
      index = try ShardedIndex(opening: path, options: options)
    } catch {
      // An existing manifest that cannot be trusted is damage like any other.
      guard case .corrupt(let path, let cause) = error else { throw .index(error) }
      report(.damage(file: path, reason: cause.description))
      var summary = Summary()
      summary.damagedFiles = 1
      return summary
    }
    var verifier = Verifier(index: index, report: report)
    verifier.progress = progress
    try verifier.run(source)
    // Shards that a rebuild removed are not damage.
    if verifier.summary.damagedFiles > 0, index.generation.isSuperseded { throw .index(.superseded(path: path)) }
    return verifier.summary
  }

  init(index: ShardedIndex, manifestName: String = Manifest.fileName, report: @escaping (Finding) -> Void) {
    self.index = index
    self.manifestName = manifestName
    self.report = report
    idField =
      index.generation.overlay.map { $0.greatestID < .max } ?? false
      ? IndexSettings(of: index.generation.manifest.root).id.flatMap { index.fieldNames.firstIndex(of: $0) } : nil
  }

  private mutating func run(_ given: Source?) throws(VerifyError) {
    let source = given?.naming(index.fieldNames)
    let template: KeyTemplate?
    do throws(BuildError) {
      template = source == nil ? nil : try KeyTemplate(checking: source!.template ?? index.keyTemplate)
    } catch {
      throw .template(error)
    }
    if source != nil { sums = Array(repeating: RecordSum(), count: max(1, index.shardCount)) }
    let isWhole = checkManifest()
    let entries = openEntries()
    // If a page of the manifest is damaged, its shards are unknown; the shards of other pages are known.
    if isWhole, entries != nil || !index.generation.manifest.hasEntries {
      if let archive = index.generation.manifest.archive { checkArchive(archive) } else { checkDirectory(entries) }
    }
    checkShards(isCompared: source != nil && isWhole)
    finishRanks()
    finishSides()
    if let entries { checkEntries(entries, isCompared: isWhole && isUndamaged) }
    if isWhole, isUndamaged { checkOverlay(isCompared: source != nil) }
    if isWhole, isUndamaged { checkStarts() }
    summary.records = index.recordCount
    summary.shards = index.shardCount
    guard isWhole, let source, let template else { return }
    try checkDataset(source, template)
    if isUndamaged { checkAnswers() }
  }

  /// Whether every file could be read and none is damaged, as far as it is known.
  private var isUndamaged: Bool { summary.damagedFiles == 0 && summary.unreadFiles == 0 }

  // MARK: Shared by the checks

  func path(_ name: String) -> String { index.directory.filePath(name) }

  mutating func damage(_ name: String, _ reason: String) {
    summary.damagedFiles += 1
    report(.damage(file: path(name), reason: reason))
  }

  mutating func unread(_ name: String, _ error: IndexError) {
    summary.unreadFiles += 1
    report(.unread(file: path(name), reason: error.description))
  }

  /// Returns the number of the shard in which the records with a folded key begin.
  static func shard(of key: Span<UInt8>, in generation: ManifestReader) -> Int {
    guard !key.isEmpty, generation.shardCount > 0 else { return 0 }
    return unsafe key.withUnsafeBufferPointer { key in
      // Every page was read before, so this cannot fail.
      unsafe (try? generation.shardPositions(forPrefix: FoldedPrefix(key), limit: 0).first.number) ?? 0
    }
  }

  /// Calls `body` with the folded key of each record of an answer and with the record, which is the first of the
  /// buffer.
  static func forEachRecord(
    of matches: ShardedIndex.Matches, in positions: Range<Int>, _ body: (Span<UInt8>, RecordBuffer) -> Void
  ) {
    let buffer = RecordBuffer()
    for position in positions {
      guard (try? matches.read(position..<position + 1, into: buffer)) != nil else { return }
      try? matches.forEachFoldedKey(in: position..<position + 1) { unsafe body($0.bytes.span, buffer) }
    }
  }
}
