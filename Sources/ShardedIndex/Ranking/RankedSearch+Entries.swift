// This file searches the second key set of a ranked search: runs of entries, and the records that they lead to.

extension RankedSearch {
  /// The number of words that the search compares for the rarest one, since a text may have thousands.
  static let comparedWords = 8

  /// Whether an order by numbers goes through all records, by their numbers, and compares each with the typed text.
  ///
  /// Entries have no bounds of numbers, so all entries with the text lead to records before the first hit. If they are
  /// many, a record in some dozens matches.
  func goesByNumbers() throws(IndexError) -> Bool {
    guard sort != nil, let entries, entries.manifest.shardCount > 0, text.words.count == 1 else { return false }
    let beginning = text.isFinished ? text.text + [Fold.space] : text.text
    let count = try beginning.withFoldedPrefix { (text) throws(IndexError) in
      try KeySearch(entries.shards, limit: .max).matches(of: text).range.count
    }
    return count > max(Self.resolvedEntries, generation.recordCount / Self.recordsForMatch)
  }

  /// The number of entries that a search in the order of numbers resolves at any rate.
  private static let resolvedEntries = 4096
  /// The most records for each entry with a text, for which the search goes through all records.
  private static let recordsForMatch = 64

  /// Queues the entries that begin with the typed text, and the keys and entries that begin with one of its words.
  mutating func queueEntryRuns() throws(IndexError) {
    guard let entries, !text.isEmpty else { return }
    let hasEntries = entries.manifest.shardCount > 0
    if hasEntries, !rules.acrossNames {
      for variant in text.variants {
        var run = try RankedRun(.entries, .typed, variant, isFinished: text.isFinished, in: entries.manifest)
        run.isBehindKeys = text.matchesFolds && weightSource.field == nil
        try add(run)
      }
    }
    if rules.words != nil, let word = try rarestWord(entries) { try queueRuns(ofWord: word, edits: 0, entries) }
  }

  /// Queues the keys and entries that begin with one word of the typed text.
  mutating func queueRuns(ofWord word: [UInt8], edits: Int, _ entries: EntriesReader) throws(IndexError) {
    try add(RankedRun(.records, .word, word, edits: edits, in: generation.manifest))
    guard entries.manifest.shardCount > 0 else { return }
    try add(RankedRun(.entries, .word, word, edits: edits, in: entries.manifest))
  }

  /// Returns the word with the fewest keys and entries, among the words that only a key's body can have; nil if words
  /// do not match in any order.
  private func rarestWord(_ entries: EntriesReader) throws(IndexError) -> [UInt8]? {
    guard text.hasSearchableWords else { return nil }
    let words = wordsOfBody(entries).ordered { $0.count > $1.count }
    var rarest: (word: [UInt8], count: Int)?
    for word in words.prefix(Self.comparedWords).map({ Array($0) }) {
      let count = try rules.acrossNames ? exactCount(ofTextsWith: word, entries) : count(ofTextsWith: word, entries)
      if rarest.map({ count < $0.count }) ?? true { rarest = (word, count) }
    }
    return rarest.flatMap { $0.count > 0 ? $0.word : nil }
  }

  /// Returns the words of the text that a record has in its body, in another field or in another name: all but a last
  /// word that may begin a word of the key's last component.
  func wordsOfBody(_ entries: EntriesReader) -> [ArraySlice<UInt8>] {
    var words = text.words
    if rules.words == .body, !rules.acrossNames, entries.canEndKey(words[words.count - 1]) { words.removeLast() }
    return words
  }

  /// Whether all entries by a word lead to records, since words may be in other fields or names.
  var leadsByAllEntries: Bool { rules.acrossNames || rules.hasSearchFields }

  /// Returns the number of keys and entries that begin with a word. Reads the parts at the ends.
  private func exactCount(ofTextsWith word: [UInt8], _ entries: EntriesReader) throws(IndexError) -> Int {
    var count = 0
    for reader in [generation.shards, entries.shards] where reader.manifest.shardCount > 0 {
      count += try word.withFoldedPrefix { (word) throws(IndexError) in
        try KeySearch(reader, limit: .max).matches(of: word).range.count
      }
    }
    return count
  }

  /// Returns the number of keys and entries in the shards with texts that begin with a word.
  func count(ofTextsWith word: [UInt8], _ entries: EntriesReader) throws(IndexError) -> Int {
    var count = 0
    for manifest in [generation.manifest, entries.manifest] where manifest.shardCount > 0 {
      count += try word.withFoldedPrefix { (word) throws(IndexError) in
        let (first, last) = try manifest.shardPositions(forPrefix: word)
        return last.firstRecord + last.recordCount - first.firstRecord
      }
    }
    return count
  }

  /// Queues entries of a part by the bounds of their records' ranks.
  ///
  /// - Parameter wholeEnd: The end of the entries whose text equals the typed text.
  mutating func queue(
    entries range: Range<Int>, _ wholeEnd: Int, of reference: PartReference, _ part: RankedPart
  ) throws(IndexError) {
    guard let entries else { return }
    var matching = RankedHeap<RankedContainer>()
    if runs[part.run].isByWord {
      try addWords(range, of: reference, part, entries, to: &matching)
      return queue(matching, of: part)
    }
    let weights = try entries.weights(of: reference)
    let nears = try nears(ofEntries: range, of: reference)
    var sizes: [Int] = []
    unsafe reference.part.keys.forEachKey(in: range) { _, key in sizes.append(unsafe OtherName.size(inEntry: key.span))
    }
    for (number, size) in zip(range, sizes) {
      guard let near = nears[number - range.lowerBound] else { continue }
      let kind = EntryKind(mark: weights.marks[number])
      let isWhole = number < wholeEnd
      let bonus =
        switch kind.way {
        case .form: isWhole ? RecordMatch.wholeBonus(isFinished: text.isFinished) : kind.bonus
        case .name: OtherName.bonus(of: text, isWhole: isWhole, size: size, loss: kind.loss)
        case .word, .field: kind.bonus
        }
      matching.push(container(number, of: part, weights.values[number], kind, bonus: bonus, near: near))
    }
    queue(matching, of: part)
  }

  /// Adds the entries whose whole texts have all words of the typed text, in any order. If words may be in other fields
  /// or names, adds all entries, because only the record has all of its words.
  func addWords(
    _ range: Range<Int>, of reference: PartReference, _ part: RankedPart, _ entries: EntriesReader,
    to matching: inout RankedHeap<RankedContainer>
  ) throws(IndexError) {
    let weights = try entries.weights(of: reference)
    let nears = try nears(ofEntries: range, of: reference)
    let edits = runs[part.run].edits
    for (number, entry) in zip(range, try entries.entries(range, of: reference)) {
      guard let near = nears[number - range.lowerBound] else { continue }
      let kind = entry.kind
      guard kind.way != .name || rules.acrossNames else { continue }
      if !leadsByAllEntries {
        let texts = RecordTexts(entry.before + entry.key, rules)
        guard edits == 0 ? texts.keyMatch(text, rules) != nil : hasNearWords(texts, edits: edits) else { continue }
      }
      let bonus = kind.way == .field ? RecordMatch.wordsBonus(loss: kind.loss) : RecordMatch.wordsBonus - kind.loss
      matching.push(container(number, of: part, weights.values[number], kind, bonus: bonus, near: near))
    }
  }

  /// Returns the container of an entry.
  ///
  /// - Parameters:
  ///   - weight: The weight of the entry.
  ///   - bonus: The bonus of the match.
  ///   - near: The greatest nearness of the records, in steps.
  func container(
    _ number: Int, of part: RankedPart, _ weight: UInt64, _ kind: EntryKind, bonus: Int, near: Int
  ) -> RankedContainer {
    let raise = rules.raiseOfEntries
    var rank = EntryKind.bound(weight, raise: raise, bonus: bonus - kind.bonus, near: near)
    rank.weight = kind.greatestWeight(ofEntry: weight, raise: raise)
    // Entries have no numbers.
    (rank.edits, rank.key) = (runs[part.run].edits, sort == nil ? 0 : .max)
    // The search finds a record whose key begins with the text by that key, with a match that is no worse.
    rank.isOtherForm = bonus <= 0 && rank.edits == 0 && text.matchesFolds
    return RankedContainer(rank: rank, kind: .entry(number, bonus: bonus, list: entryLists.count), run: part.run)
  }

  /// Queues the matching entries of a part, one after the other: they may be a hundred, and few lead to hits.
  mutating func queue(_ matching: RankedHeap<RankedContainer>, of part: RankedPart) {
    entryLists.append((part, matching))
    queueBest(ofList: entryLists.count - 1)
  }

  /// Moves the best entry of a list to the queue.
  mutating func queueBest(ofList list: Int) {
    if let best = entryLists[list].others.pop() { queue.push(best) }
  }

  /// Returns the greatest nearness of the records of each of some entries, in steps; nil for an entry whose records do
  /// not pass the filter, or are beyond the radius.
  func nears(ofEntries range: Range<Int>, of reference: PartReference) throws(IndexError) -> [Int?] {
    guard let entries, entries.hasValues, filter != nil || nearness != nil else {
      return [Int?](repeating: greatestNear, count: range.count)
    }
    let greatest = try nearness?.greatest(range, of: reference, field: entries.cellsField, in: entries.shards)
    let passes = try filter?.passes(entries: range, of: reference, in: entries)
    return range.map { number in
      let index = number - range.lowerBound
      return passes?[index] ?? true ? greatest.map { $0[index] } ?? 0 : nil
    }
  }

  /// Reads a queued entry.
  func entry(_ number: Int, of part: RankedPart) throws(IndexError) -> RecordEntry {
    guard let entries else { preconditionFailure("an entry of an index without entries") }
    let place = try entries.manifest.shardPosition(ofShard: part.shard)
    let reference = try entries.shards.part(of: place, unpacks: true) { _ in part.part }
    return try entries.entries(number..<number + 1, of: reference)[0]
  }

  // MARK: Matching records

  /// Adds the candidates that match the typed text, by their best match.
  mutating func addMatches(of candidates: RankedCandidates, _ found: inout RankedFound) throws(IndexError) {
    // A run by one word has far more records than matches, so entries find the matches by other names.
    let run = runs[candidates.part.run]
    let withFields = run.purpose != .word || run.edits > 0 || leadsByAllEntries
    let texts = try texts(of: candidates.records, of: candidates.reference, withFields: withFields)
    for (record, texts) in zip(candidates.records, texts) where candidates.passes(record) {
      let match = run.edits == 0 ? texts.match(text, rules) : nearMatch(texts, edits: run.edits)
      guard let match else { continue }
      add(record, of: candidates, bonus: match.bonus, isTyped: text.isTyped(atStartOf: texts.folded), &found)
    }
  }

  /// Returns the texts of records of a part.
  private func texts(
    of records: Range<Int>, of reference: PartReference, withFields: Bool
  ) throws(IndexError) -> [RecordTexts] {
    var all: [RecordTexts] = []
    unsafe reference.part.keys.forEachKey(in: records) { _, key in all.append(unsafe RecordTexts(Array(key), rules)) }
    if withFields, !rules.fields.isEmpty {
      let reader = PartReader(generation.shards, reference)
      let buffer = RecordBuffer()
      for (number, record) in records.enumerated() {
        buffer.removeAll()
        try reader.decode(record..<record + 1, into: buffer)
        for field in rules.fields {
          for slot in buffer.fieldRange(0) where Int(buffer.rawName(ofField: slot)) == field.number {
            let value = buffer.rawField(slot)
            all[number].add(unsafe Array(value.text), value.kind, of: field)
            break
          }
        }
      }
    }
    return all
  }

  /// Adds the records of the overlay that match the typed text with a number of edits.
  mutating func addOverlaid(edits: Int, notAbove limit: ShardedIndex.Rank?, _ found: inout RankedFound) {
    guard let overlay = generation.overlay else { return }
    for number in overlay.added.indices where filter?.passes(added: number, in: overlay) ?? true {
      let texts = texts(ofOverlaid: number, overlay)
      guard let match = edits == 0 ? texts.match(text, rules) : nearMatch(texts, edits: edits),
        let near = nearness.map({ $0.value(added: number, in: overlay) }) ?? 0
      else { continue }
      var rank = ShardedIndex.Rank(
        weight: overlay.weight(of: number, field: weightSource.field, rule: weightSource.rule), bonus: match.bonus,
        near: near, position: overlay.added[number].position)
      (rank.edits, rank.key) = (edits, sort?.key(added: number, in: overlay) ?? 0)
      rank.isOtherForm = edits == 0 && !text.isTyped(atStartOf: texts.folded)
      if edits == 0 { hasRightMatch = true }
      add(RankedRecord(rank: rank, part: .overlay, record: number), notAbove: limit, &found)
    }
  }

  private func texts(ofOverlaid number: Int, _ overlay: Overlay) -> RecordTexts {
    var texts = unsafe RecordTexts(Array(overlay.folded(number)), rules)
    for wanted in rules.fields {
      var isFound = false
      overlay.forEachField(of: number) { field in
        guard !isFound, field.name == wanted.number else { return }
        isFound = true
        texts.add(unsafe Array(field.text), ValueKind(rawValue: field.kind) ?? .string, of: wanted)
      }
    }
    return texts
  }

  /// Returns the rank of a record by its best match; nil if it does not match.
  func bestRank(of record: RankedRecord) throws(IndexError) -> ShardedIndex.Rank? {
    var best: RecordMatch?
    var near = 0
    if record.part.isOverlay {
      if let overlay = generation.overlay {
        near = nearness?.value(added: record.record, in: overlay) ?? 0
        best = texts(ofOverlaid: record.record, overlay).match(text, rules)
      }
    } else {
      let place = try generation.manifest.shardPosition(ofShard: record.part.shard)
      let reference = try generation.shards.part(of: place, unpacks: true) { _ in record.part.part }
      let range = record.record..<record.record + 1
      near = try nearness?.values(range, of: reference, in: generation.shards)[0] ?? 0
      best = try texts(of: range, of: reference, withFields: true)[0].match(text, rules)
    }
    return best.map {
      var rank = ShardedIndex.Rank(
        weight: record.rank.weight, bonus: $0.bonus, near: near, position: record.rank.position)
      (rank.isOtherForm, rank.key) = (record.rank.isOtherForm, record.rank.key)
      return rank
    }
  }
}
