import ShardedIndex

extension Verifier {
  /// Opens the entries, and checks their whole manifest.
  ///
  /// - Returns: The check of the entries; nil if the index has none, or if they cannot be read, which is then reported.
  mutating func openEntries() -> Verifier? {
    let head: EntriesHead
    let isNamed = EntryRules(IndexSettings(of: index.generation.manifest.root)) != nil
    if isNamed != index.generation.manifest.hasEntries {
      damage(manifestName, isNamed ? "has no entries, which its settings name" : "has entries that no setting names")
    }
    do throws(IndexError) {
      guard let found = try index.generation.manifest.entriesHead() else { return nil }
      head = found
    } catch {
      report(error, of: manifestName, ", in its entries")
      return nil
    }
    let name = head.fileName.text
    do throws(IndexError) {
      guard let entries = try ShardedIndex(entriesOf: index) else { return nil }
      var check = Verifier(index: entries, manifestName: name, report: report)
      guard try entries.generation.manifest.digest().bytes.starts(with: head.digest) else {
        damage(name, "has another SHA-256 than the manifest says")
        return nil
      }
      guard check.checkManifest() else {
        add(check.summary)
        return nil
      }
      return check
    } catch {
      report(error, of: name, "")
      return nil
    }
  }

  mutating func report(_ error: IndexError, of name: String, _ place: String) {
    switch error {
    case .corrupt(_, let cause): damage(name, cause.description + place)
    case .vanished: damage(name, "is missing")
    default: unread(name, error)
    }
  }

  private mutating func add(_ other: Summary) {
    summary.bytes += other.bytes
    summary.damagedFiles += other.damagedFiles
    summary.unreadFiles += other.unreadFiles
  }

  /// Checks the shards of the entries.
  ///
  /// - Parameter isCompared: Whether to compare the entries with those of the records, if all of them are sound.
  mutating func checkEntries(_ entries: Verifier, isCompared: Bool) {
    var check = entries
    let lastComponents = isCompared ? check.addEntries(of: index, shards) : nil
    check.checkShards(isCompared: lastComponents != nil)
    check.finishRanks()
    check.finishSides()
    check.checkValues(against: index.generation)
    if check.summary.damagedFiles == 0, check.summary.unreadFiles == 0 {
      for (number, sum) in check.sums.enumerated() where !sum.isZero {
        let name = number < check.shards.count ? check.shards[number].fileName : check.manifestName
        check.damage(name, "has other entries than its records need")
      }
    }
    add(check.summary)
    if let lastComponents, let head = try? index.generation.manifest.entriesHead(),
      head.lastComponents != lastComponents
    {
      damage(manifestName, "lists other last components than the records have")
    }
  }

  /// Adds the entries of an index's records to the sums of these entries.
  ///
  /// - Returns: The last components of the records' keys; nil if the records could not be read.
  private mutating func addEntries(of index: ShardedIndex, _ shards: [Manifest.Shard]) -> LastComponents? {
    let settings = IndexSettings(of: index.generation.manifest.root)
    let names = FieldNames(index.fieldNames)
    guard let rules = EntryRules(settings), names.names.count == index.fieldNames.count else { return nil }
    let rankField: RankField?
    // A scale that is not a number is damage of the ranks.
    do throws(BuildError) { rankField = try RankField(settings, names: names.names) } catch { return nil }
    let entryNames = FieldNames(rules.fieldNames)
    var maker = EntryMaker(rules, names: names.names, rankField: rankField, entryNames: entryNames)
    var source = IndexedRecords(index, encoder: .ofEntries, names: names)
    let generation = self.index.generation.manifest
    sums = Array(repeating: RecordSum(), count: max(1, self.shards.count))
    var bytes: [UInt8] = []
    let chunk = RecordArena(capacity: 64 << 10)
    func add(_ chunk: RecordArena, to sums: inout [RecordSum]) {
      for number in 0..<chunk.count {
        let entry = chunk.record(number)
        RecordSum.serialize(entry, entryNames.names, into: &bytes)
        unsafe sums[Self.shard(of: entry.folded.span, in: generation)].add(bytes)
      }
      chunk.removeAll()
    }
    for shard in shards {
      guard let run = try? source.records(of: shard, into: RecordArena(capacity: 0)) else { return nil }
      for number in 0..<run.count {
        maker.add(run.record(number), into: chunk)
        if unsafe chunk.size >= 64 << 10 { add(chunk, to: &sums) }
      }
    }
    maker.finish(into: chunk)
    add(chunk, to: &sums)
    return maker.lastComponents.listed
  }
}
