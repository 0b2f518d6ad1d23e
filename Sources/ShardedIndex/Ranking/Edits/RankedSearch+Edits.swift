// This file finds records with typing errors: first with one edit, then with two.

extension RankedSearch {
  /// Queues the search for records with a number of edits, behind all records with fewer. Queues nothing if the typed
  /// text may have fewer edits.
  mutating func queueEdits(_ edits: Int) {
    guard edits <= editLimit else { return }
    var rank = ShardedIndex.Rank.highest
    rank.edits = edits
    push(RankedContainer(rank: rank, kind: .edits(edits), run: -1))
  }

  /// Queues the groups of shards whose texts may be within the edits.
  mutating func open(edits: Int, _ found: inout RankedFound) throws(IndexError) {
    queueEdits(edits + 1)
    if nearTexts.count < edits { nearTexts.append(NearText(text, limit: edits)) }
    addOverlaid(edits: edits, notAbove: nil, &found)
    for set in [KeySet.records, .entries] {
      if set == .entries, entries == nil { continue }
      let reader = reader(of: set)
      guard reader.manifest.shardCount > 0 else { continue }
      let run = append(RankedRun(near: set, edits: edits, in: reader.manifest))
      var walk = SketchWalk(near(edits))
      let pageCount = (reader.manifest.shardCount - 1) / Manifest.pageCapacity + 1
      for page in 0..<pageCount {
        let isAlive = walk.groups(of: try reader.sketch(ofPage: page))
        for group in isAlive.indices where isAlive[group] { try queue(sketch: group, ofPage: page, of: run) }
      }
    }
  }

  /// Queues a group of shards by their greatest weight.
  private mutating func queue(sketch group: Int, ofPage page: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let manifest = reader(of: run.set).manifest
    let shards = manifest.shards(ofGroup: group, ofPage: page)
    guard let weight = try greatestWeights(of: shards, of: run).compactMap({ $0 }).max() else { return }
    let start = try manifest.shardPosition(ofShard: shards.lowerBound).firstRecord
    push(
      RankedContainer(
        rank: run.bound(weight, near: greatestNear, position: position(ofPlace: start)),
        kind: .sketch(group, page: page), run: number))
  }

  /// Queues the shards of a group with texts near the typed one.
  mutating func open(sketch group: Int, ofPage page: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let reader = reader(of: run.set)
    var walk = SketchWalk(near(run.edits))
    let shards = reader.manifest.shards(ofGroup: group, ofPage: page)
    let weights = try greatestWeights(of: shards, of: run)
    for (index, ends) in walk.ends(of: try reader.sketch(ofGroup: group, ofPage: page)).enumerated() {
      guard !ends.isEmpty, let weight = weights[index] else { continue }
      let shard = shards.lowerBound + index
      let start = try reader.manifest.shardPosition(ofShard: shard).firstRecord
      push(
        RankedContainer(
          rank: run.bound(weight, near: greatestNear, position: position(ofPlace: start)),
          kind: .nearShard(shard, ends: sketchEnds.count), run: number))
      sketchEnds.append(ends)
    }
  }

  /// Returns the greatest weight of a record in each of some shards of a page; nil for a shard without a record that
  /// passes the filter.
  private func greatestWeights(of shards: Range<Int>, of run: RankedRun) throws(IndexError) -> [UInt64?] {
    let reader = reader(of: run.set)
    let page = shards.lowerBound / Manifest.pageCapacity
    let weights = reader.manifest.hasRanks ? try reader.manifest.rankPage(page) : nil
    let filtered = try filter?.page(page, of: reader) ?? FilteredPage()
    return shards.map { shard in
      let index = shard % Manifest.pageCapacity
      return filtered.greatest(weights?.maximum(ofShard: index) ?? 0, ofShard: index)
    }
  }

  /// Queues the parts of a shard that may have texts with near beginnings.
  mutating func open(nearShard shard: Int, _ ends: SketchEnds, of number: Int) throws(IndexError) {
    let run = runs[number]
    let (place, loaded, bounds) = try openedShard(shard, of: run)
    for part in ends.parts(of: loaded.parts, without: text) {
      guard let weight = bounds[part] else { continue }
      let start = place.firstRecord + loaded.parts[part].firstRecord
      push(
        RankedContainer(
          rank: run.bound(weight, near: greatestNear, position: position(ofPlace: start)),
          kind: .part(RankedPart(run: number, shard: shard, part: part), canBeWhole: false), run: number))
    }
  }

  /// Adds the records of a part that match with the run's number of edits, or queues such entries.
  mutating func open(
    near part: RankedPart, notAbove limit: ShardedIndex.Rank?, _ found: inout RankedFound
  ) throws(IndexError) {
    let run = runs[part.run]
    let reader = reader(of: run.set)
    let place = try reader.manifest.shardPosition(ofShard: part.shard)
    // Most parts have no key that is near enough, so their fields stay packed.
    let reference = try reader.part(of: place, unpacks: false) { _ in part.part }
    opened.parts += 1
    let candidates = nearKeys(of: reference, edits: run.edits)
    guard !candidates.isEmpty else { return }
    if let entries, run.set == .entries {
      let weights = try entries.weights(of: reference)
      for record in candidates {
        guard let near = try nears(ofEntries: record..<record + 1, of: reference)[0] else { continue }
        let kind = EntryKind(rawValue: weights.marks[record]) ?? .form
        let bonus = kind.bonus + RecordMatch.wholeNearBonus
        queue(record, of: part, weights.values[record], kind, bonus: bonus, near: near)
      }
      return
    }
    let weights = try weights(of: reference)
    for record in candidates {
      // Entries lead to records whose keys are not their own plain form.
      if rules.isPlain, weights.marks[record] == PartWeights.otherForm { continue }
      let candidate = try self.candidates(record..<record + 1, of: reference, part, weights, notAbove: limit)
      try addMatches(of: candidate, &found)
    }
  }

  /// Returns the keys of a part at a number of edits from the typed text, or that match without edits.
  private func nearKeys(of reference: PartReference, edits: Int) -> [Int] {
    var rows = EditRows(near(edits))
    var candidates: [Int] = []
    unsafe reference.part.keys.forEachKey(in: 0..<reference.recordCount) { record, key in
      if max(1, unsafe rows.distance(of: key.span)) == edits { candidates.append(record) }
    }
    return candidates
  }

  /// Returns the match of a record with a number of edits, which does not match without edits; nil if the number is
  /// another one.
  func nearMatch(_ texts: RecordTexts, edits: Int) -> RecordMatch? {
    guard texts.match(text, rules) == nil, let found = texts.nearMatch(near(edits), rules), found.edits == edits else {
      return nil
    }
    return found.match
  }

  private func near(_ edits: Int) -> NearText {
    edits <= nearTexts.count ? nearTexts[edits - 1] : NearText(text, limit: edits)
  }
}

extension SketchEnds {
  /// Returns the parts of a shard that can have texts with these beginnings, ascending.
  ///
  /// - Parameter typed: A text whose matches without edits came before.
  fileprivate func parts(of table: PartTable, without typed: RankedText) -> [Int] {
    var isWanted = [Bool](repeating: false, count: table.count)
    forEach { text, isWhole in
      if typed.isBeginning(of: text[...]), isWhole || !typed.isFinished || text.count > typed.text.count { return }
      // A longer text is above the text with the lowest byte behind it.
      let end = isWhole ? text + [Fold.separator] : text
      let first = text.withFoldedPrefix { table.first(for: $0) }
      for part in first...end.withFoldedPrefix({ table.last(for: $0, from: first) }) { isWanted[part] = true }
    }
    return isWanted.indices.filter { isWanted[$0] }
  }
}
