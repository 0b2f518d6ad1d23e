import ShardedIndex

/// A new generation of an index, from written shards to the published manifest.
struct Publication: ~Copyable {
  private var output: Pipeline.ManifestParts
  private let entries: WrittenEntries?
  private let previous: PreviousIndex?
  private let open: (([UInt8]) throws(BuildError) -> ShardedIndex)?

  /// - Parameters:
  ///   - entries: The written entries.
  ///   - previous: The generation to be replaced; nil for none, or for a damaged one.
  ///   - open: Opens the index of a manifest for its starts, if the publisher's directory lacks some of its files.
  init(
    of output: consuming Pipeline.ManifestParts, entries: WrittenEntries? = nil,
    replacing previous: PreviousIndex? = nil,
    open: (([UInt8]) throws(BuildError) -> ShardedIndex)? = nil
  ) {
    (self.entries, self.previous, self.open) = (entries, previous, open)
    self.output = output
    self.output.manifest.entries = entries?.head
  }

  /// Writes the manifest, and completes the summary of the build.
  consuming func publish(_ summary: inout BuildSummary) throws(BuildError) {
    let publisher = output.site.publisher
    let file = try manifestFile()
    let named = summary.previousDamage == nil ? previous.map(\.fileNames) ?? [] : nil
    let published = try publisher.publish(
      manifest: file, previous: named, overlay: previous?.index.generation.overlay == nil ? .stale : .replaced)
    summary.shardCount = output.manifest.shardCount
    summary.greatestWeight = output.manifest.ranks?.greatest
    summary.shardsWritten = output.shardsWritten
    summary.isUnchanged = published.isUnchanged
    summary.bytes = file.count + output.shardBytes + (entries?.bytes ?? 0)
  }

  /// Returns the manifest after the last files are synced.
  private mutating func manifestFile() throws(BuildError) -> [UInt8] {
    let site = output.site
    guard !output.settings.starts else {
      // Starts are made from the shards.
      try site.publisher.settleAdded()
      let (size, open) = (output.shardBytes + (entries?.bytes ?? 0), open)
      return try output.manifestFile { (manifest) throws(BuildError) in
        try WrittenStarts(of: manifest, at: site, indexSize: manifest.count + size, open: open)
      }
    }
    // The last files are synced while the manifest is made; the manifest is written after both.
    let syncing = Syncing()
    let syncer =
      site.threads > 1
      ? Worker {
        do throws(BuildError) { try site.publisher.settleAdded() } catch { syncing.failure = error }
      } : nil
    let file: [UInt8]
    do throws(BuildError) {
      file = try output.manifestFile()
    } catch {
      syncer?.join()
      throw error
    }
    syncer?.join()
    if let failure = syncing.failure { throw failure }
    return file
  }
}

/// The result of a thread that syncs files. The thread sets it; the thread's starter reads it after the join.
private final class Syncing: @unchecked Sendable {
  var failure: BuildError?
}
