// This file finds records with typing errors: first with one edit, then with two and with three.

import CLibrary

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
    let query = nearQuery ?? NearQuery(text, rules)
    nearQuery = query
    addOverlaid(edits: edits, notAbove: nil, &found)
    // The parts with two edits are those with three.
    if edits <= min(2, query.budget.text) { try queueSketches(.near, edits: edits) }
    guard edits <= query.budget.words, let words = query.words, let entries, generation.manifest.shardCount > 0 else {
      return
    }
    let right = try words.rightWords(edits: edits) {
      entries.canEndKey($0)
    } count: { [self] (word) throws(IndexError) in
      try count(ofTextsWith: word, entries)
    }
    if let right {
      for number in right { try queueRuns(ofWord: words.words[number].text, edits: edits, entries) }
    } else {
      for number in words.nearWords(edits: edits, canEndKey: { entries.canEndKey($0) }) {
        try queueSketches(.nearWord(number), edits: edits)
      }
    }
  }

  /// Queues the groups of shards whose texts may be near to the typed text, or to one of its words.
  mutating func queueSketches(_ purpose: RankedRun.Purpose, edits: Int) throws(IndexError) {
    var missing: IndexError?
    for set in [KeySet.records, .entries] {
      if set == .entries, entries == nil { continue }
      let manifest = reader(of: set).manifest
      guard manifest.shardCount > 0 else { continue }
      let number = append(RankedRun(set, purpose, edits: edits, in: manifest))
      // For the third edit.
      if edits == 2, purpose == .near { _ = append(RankedRun(set, purpose, edits: 3, in: manifest)) }
      for page in 0..<manifest.pageCount {
        do throws(IndexError) { try queue(sketchesOfPage: page, of: number) } catch {
          // A carrier fetches the bytes of the other pages side by side with these.
          guard case .io(_, _, EAGAIN) = error else { throw error }
          missing = error
        }
      }
    }
    if let missing { throw missing }
  }

  private mutating func queue(sketchesOfPage page: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let reader = reader(of: run.set)
    // Sketches know no filters, and no places.
    if let filter, try filter.page(page, of: reader).isEmpty { return }
    if let cells = try nearness?.limitedPage(page, of: reader), cells.isBeyond { return }
    var walk = walk(of: run)
    let isAlive = walk.groups(of: try reader.sketch(ofPage: page))
    for group in isAlive.indices where isAlive[group] { try queue(sketch: group, ofPage: page, of: number) }
  }

  /// Returns the text to which the texts of a run are near, and whether they may have fewer edits.
  private func near(_ run: RankedRun) -> (text: NearText, takesFewer: Bool) {
    guard let nearQuery else { preconditionFailure("a run with edits of a search without") }
    if case .nearWord(let number) = run.purpose, let word = nearQuery.words?.words[number] {
      return (word.near(edits: run.edits), true)
    }
    guard let text = nearQuery.text(edits: run.edits) else { preconditionFailure("a run of a text without edits") }
    return (text, false)
  }

  private func walk(of run: RankedRun) -> SketchWalk {
    let near = near(run)
    return SketchWalk(near.text, takesFewer: near.takesFewer)
  }

  /// Queues a group of shards by their greatest weight.
  private mutating func queue(sketch group: Int, ofPage page: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let manifest = reader(of: run.set).manifest
    let shards = manifest.shards(ofGroup: group, ofPage: page)
    guard let weight = try greatestWeights(of: shards, of: run).compactMap({ $0 }).max() else { return }
    let start = try manifest.shardPosition(ofShard: shards.lowerBound).firstRecord
    var key: UInt64 = 0
    for shard in shards { key = max(key, try self.key(ofShard: shard, of: run.set)) }
    push(
      RankedContainer(
        rank: run.bound(weight, near: greatestNear, key: key, position: position(ofPlace: start)),
        kind: .sketch(group, page: page), run: number))
  }

  /// Queues the shards of a group with texts near the typed one.
  mutating func open(sketch group: Int, ofPage page: Int, of number: Int) throws(IndexError) {
    let run = runs[number]
    let reader = reader(of: run.set)
    var walk = walk(of: run)
    let shards = reader.manifest.shards(ofGroup: group, ofPage: page)
    let weights = try greatestWeights(of: shards, of: run)
    for (index, ends) in walk.ends(of: try reader.sketch(ofGroup: group, ofPage: page)).enumerated() {
      guard !ends.isEmpty, let weight = weights[index] else { continue }
      let shard = shards.lowerBound + index
      let start = try reader.manifest.shardPosition(ofShard: shard).firstRecord
      push(
        RankedContainer(
          rank: run.bound(
            weight, near: greatestNear, key: try key(ofShard: shard, of: run.set), position: position(ofPlace: start)),
          kind: .nearShard(shard, ends: sketchEnds.count), run: number))
      sketchEnds.append(ends)
    }
  }

  /// Returns the greatest weight of a record in each of some shards of a page; nil for a shard without a record that
  /// passes the filter, or without one within the radius.
  private func greatestWeights(of shards: Range<Int>, of run: RankedRun) throws(IndexError) -> [UInt64?] {
    let reader = reader(of: run.set)
    let page = shards.lowerBound / Manifest.pageCapacity
    let weights = reader.manifest.hasRanks ? try reader.manifest.rankPage(page) : nil
    let filtered = try filter?.page(page, of: reader) ?? FilteredPage()
    let cells = try nearness?.limitedPage(page, of: reader)
    return shards.map { shard in
      let index = shard % Manifest.pageCapacity
      guard let weight = filtered.greatest(weights?.maximum(ofShard: index) ?? 0, ofShard: index) else { return nil }
      return cells == nil || cells?.near(weight, ofShard: index) != nil ? weight : nil
    }
  }

  /// Queues the parts of a shard that may have texts with near beginnings.
  mutating func open(nearShard shard: Int, _ ends: SketchEnds, of number: Int) throws(IndexError) {
    let run = runs[number]
    let (place, loaded, bounds) = try openedShard(shard, of: run)
    let keys = try keys(ofShard: shard, parts: bounds.count, of: run.set)
    let reader = reader(of: run.set)
    let nears = try nearness?.limitedPage(shard / Manifest.pageCapacity, of: reader)?.near(
      bounds, ofPartsOf: shard, in: reader)
    for part in ends.parts(of: loaded.parts, without: run.isByWord ? nil : text) {
      guard let weight = bounds[part], nears == nil || nears?[part] != nil else { continue }
      let start = place.firstRecord + loaded.parts[part].firstRecord
      push(
        RankedContainer(
          rank: run.bound(
            weight, near: greatestNear, key: keys?[part] ?? 0, position: position(ofPlace: start)),
          kind: .part(RankedPart(run: number, shard: shard, part: part), canBeWhole: false), run: number))
    }
  }

  /// Queues a part that was opened for two edits, for three. A third edit is behind the characters that sketches have.
  private mutating func queueThirdEdit(of part: RankedPart, _ container: RankedContainer) {
    guard !container.isRest else { return }
    var (part, rank) = (part, container.rank)
    (part.run, rank.edits) = (part.run + 1, 3)
    push(RankedContainer(rank: rank, kind: .part(part, canBeWhole: false), run: part.run))
  }

  /// Adds the records of a part that match with the run's number of edits, or queues such entries.
  mutating func open(
    near part: RankedPart, _ container: RankedContainer, _ found: inout RankedFound
  ) throws(IndexError) {
    let run = runs[part.run]
    let reader = reader(of: run.set)
    let place = try reader.manifest.shardPosition(ofShard: part.shard)
    // Most parts have no key that is near enough, so their fields stay packed.
    let reference = try reader.part(of: place, unpacks: false) { _ in part.part }
    opened.parts += 1
    let (candidates, hasThirdEdit) = nearKeys(of: reference, run)
    if hasThirdEdit { queueThirdEdit(of: part, container) }
    guard !candidates.isEmpty else { return }
    if let entries, run.set == .entries {
      let weights = try entries.weights(of: reference)
      var matching = RankedHeap<RankedContainer>()
      for (record, bonus) in candidates {
        if run.isByWord {
          try addWords(record..<record + 1, of: reference, part, entries, to: &matching)
          continue
        }
        guard let near = try nears(ofEntries: record..<record + 1, of: reference)[0] else { continue }
        let kind = EntryKind(mark: weights.marks[record])
        let (weight, bonus) = (weights.values[record], kind.bonus + bonus)
        matching.push(self.container(record, of: part, weight, kind, bonus: bonus, near: near))
      }
      return queue(matching, of: part)
    }
    let weights = try weights(of: reference)
    for (record, _) in candidates {
      // Entries lead to records whose keys are not their own plain form.
      if rules.isPlain, weights.marks[record] == PartWeights.otherForm { continue }
      let candidate = try self.candidates(record..<record + 1, of: reference, part, weights, notAbove: container.limit)
      try addMatches(of: candidate, &found)
    }
  }

  /// Returns the keys of a part that a run with edits goes by, also those that match without edits, and the bonus of
  /// each in octaves. The bonus of a key by one word of the text is 0.
  ///
  /// - Returns: The keys, and for two edits whether the part has keys with three.
  func nearKeys(
    of reference: PartReference, _ run: RankedRun
  ) -> (keys: [(record: Int, bonus: Int)], hasThirdEdit: Bool) {
    let (near, takesFewer) = near(run)
    let third = !run.isByWord && run.edits == 2 && nearQuery?.budget.text == 3 ? nearQuery?.text(edits: 3) : nil
    var rows = EditRows(third ?? near)
    var candidates: [(record: Int, bonus: Int)] = []
    var hasThirdEdit = false
    unsafe reference.part.keys.forEachKey(in: 0..<reference.recordCount) { record, key in
      let distance = max(1, unsafe rows.distance(of: key.span))
      if third != nil, distance == 3 { hasThirdEdit = true }
      guard takesFewer ? distance <= near.automaton.limit : distance == run.edits else { return }
      if !run.isByWord {
        let nearest = unsafe near.nearest(in: Array(key)[...])
        // A text whose words have too many edits is no match, or one with more edits.
        if max(1, nearest.distance) == run.edits { candidates.append((record, nearest.bonus)) }
        return
      }
      // Most keys near to one word have not the others.
      if run.set == .records, !rules.hasSearchFields,
        unsafe !hasNearWords(RecordTexts(Array(key), rules), edits: run.edits)
      {
        return
      }
      candidates.append((record, 0))
    }
    return (candidates, hasThirdEdit)
  }

  /// Whether a key has the words of the typed text in any order, with at most so many edits.
  func hasNearWords(_ texts: RecordTexts, edits: Int) -> Bool {
    guard let found = nearQuery?.words?.match(texts, rules) else { return false }
    return found.edits <= edits
  }

  /// Returns the match of a record with a number of edits, which does not match without edits; nil if the number is
  /// another one.
  func nearMatch(_ texts: RecordTexts, edits: Int) -> RecordMatch? {
    guard texts.match(text, rules) == nil, let found = nearQuery?.match(texts, edits: edits, rules),
      found.edits == edits
    else { return nil }
    return found.match
  }
}

extension SketchEnds {
  /// Returns the parts of a shard that can have texts with these beginnings, ascending.
  ///
  /// - Parameter typed: A text whose matches without edits came before; nil for none.
  fileprivate func parts(of table: PartTable, without typed: RankedText?) -> [Int] {
    var isWanted = [Bool](repeating: false, count: table.count)
    forEach { text, isWhole in
      if let typed, typed.isBeginning(of: text[...]), isWhole || !typed.isFinished || text.count > typed.text.count {
        return
      }
      // A longer text is above the text with the lowest byte behind it.
      let end = isWhole ? text + [Fold.separator] : text
      let first = text.withFoldedPrefix { table.first(for: $0) }
      for part in first...end.withFoldedPrefix({ table.last(for: $0, from: first) }) { isWanted[part] = true }
    }
    return isWanted.indices.filter { isWanted[$0] }
  }
}
