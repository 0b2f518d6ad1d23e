import ShardedIndex

/// A form for the answers to searches.
package protocol AnswerForm {
  /// Writes an answer.
  ///
  /// - Parameters:
  ///   - range: The positions of the records to write.
  ///   - generation: The name of the generation.
  func search(
    _ answer: SearchAnswer, _ records: some RecordSource, _ range: Range<Int>, generation: String
  ) throws(AnswerWriter.Failure)
}

extension AnswerWriter: AnswerForm {}

/// A search from a host: a page that calls the WebAssembly module (Sources/Wasm), or a program that calls the C library
/// (Sources/Library).
package struct HostSearch {
  /// The order of the answer. Hosts use the same numbers.
  package enum Order: Int32 {
    /// The order of ranks if the index has ranks, else of keys.
    case ofIndex = 0
    case ranks = 1
    case keys = 2
  }

  /// The error of a search.
  package enum Failure: Error {
    case index(IndexError)
    /// The request is wrong; the text is the message.
    case question(String)
  }

  private let text: String
  private let cursor: String
  private let filters: [String]
  private let offset: Int
  private let limit: Int
  private let order: Order
  private let typos: Bool
  private let hasDisplay: Bool
  private let countsKeys: Bool
  private let countsMatches: Bool
  private let place: (latitude: Double, longitude: Double)?

  /// The most parts of shards that a search opens, so that the host does not stand still.
  private static let partLimit = 16_384
  /// The most hits that an answer passes over.
  private static let offsetLimit = 10_000

  /// - Parameters:
  ///   - text: The typed text.
  ///   - cursor: The position behind the last hit of the page before; empty for the first page.
  ///   - filters: The filters, each as `country=FR`.
  ///   - offset: The number of matches to pass over.
  ///   - typos: Whether the search corrects typing errors, if the index was built for it.
  ///   - hasDisplay: Whether the answer has the texts that a list shows for each record.
  ///   - countsKeys: Whether the answer must have the number of keys that begin with the text, for which the search
  ///     reads the shard of the last such key. Otherwise an answer has the number only if it is known.
  ///   - countsMatches: Whether the answer counts the matches, by a search of its own for at most 10,000 of them if
  ///     nothing else tells their number.
  ///   - place: The place that near records rank higher for; nil for none.
  package init(
    text: String, cursor: String, filters: [String], offset: Int, limit: Int, order: Order, typos: Bool,
    hasDisplay: Bool, countsKeys: Bool = true, countsMatches: Bool,
    place: (latitude: Double, longitude: Double)?
  ) {
    (self.text, self.cursor, self.filters) = (text, cursor, filters)
    (self.offset, self.limit, self.order) = (offset, limit, order)
    (self.typos, self.hasDisplay, self.countsKeys, self.place) = (typos, hasDisplay, countsKeys, place)
    self.countsMatches = countsMatches
  }

  /// Returns the records whose keys begin with the text: all of them if they are counted, else only the ones that the
  /// answer needs.
  package func matches(in index: ShardedIndex) throws(Failure) -> ShardedIndex.Matches {
    // The number of all records is known without a read.
    if countsKeys || text.isEmpty { return try reading { () throws(IndexError) in try index.matches(forPrefix: text) } }
    return try reading { () throws(IndexError) in
      let generation = try generation(of: index)
      return isRanked(generation)
        ? generation.allMatches : try index.matches(forPrefix: text, limit: wanted, in: generation)
    }
  }

  /// Returns the generation that answers with the fewest reads.
  private func generation(of index: ShardedIndex) throws(IndexError) -> Generation {
    guard cursor.isEmpty, filters.isEmpty, place == nil else { return index.generation }
    return try index.generation.nearest(to: Fold.fold(text), count: wanted)
  }

  /// Asks a carrier for all bytes that the search will certainly read.
  package func prefetch(in index: ShardedIndex) {
    // Starts that the carrier is fetching may answer the search.
    guard let generation = try? generation(of: index), !generation.isOfStarts else { return }
    if countsKeys || !isRanked(index.generation) { index.prefetch(forPrefix: text, limit: countsKeys ? .max : wanted) }
  }

  /// The number of matches that an answer has or passes over.
  private var wanted: Int { max(0, min(limit, 1000)) + max(0, min(offset, .max - 1000)) }

  private func isRanked(_ generation: Generation) -> Bool {
    order == .ranks || order == .ofIndex && generation.manifest.isRanked
  }

  /// Writes the answer.
  ///
  /// - Parameters:
  ///   - matches: The records whose keys begin with the text, in the generation to answer from.
  ///   - generation: The name of the generation.
  package func answer(
    _ matches: ShardedIndex.Matches, as form: some AnswerForm, generation: String
  ) throws(Failure) {
    guard (0...1000).contains(limit), offset >= 0 else {
      throw .question("the limit or the offset is out of range; pass a limit from 0 to 1000 and an offset from 0 on")
    }
    try isRanked(matches.generation) ? ranked(matches, form, generation) : listed(matches, form, generation)
  }

  /// Answers in the order of keys.
  private func listed(
    _ matches: ShardedIndex.Matches, _ form: some AnswerForm, _ generation: String
  ) throws(Failure) {
    guard order != .ranks else { throw .question("this build answers in the order of keys only; ask for that order") }
    guard cursor.isEmpty, filters.isEmpty, place == nil else {
      throw .question("only ranked answers have cursors, filters and places; leave these out, or ask for ranks")
    }
    let nearest = matches.isEmpty ? try self.nearest(matches, inKeys: true) : nil
    let total = ShardedIndex.Total(matches.count, isExact: !matches.hasMore)
    let keys = matches.hasMore ? nil : matches.count
    try write(matches, of: matches.count, answer(keys, total, nearest, nil), form, generation)
  }

  /// Answers in the order of ranks.
  private func ranked(
    _ matches: ShardedIndex.Matches, _ form: some AnswerForm, _ generation: String
  ) throws(Failure) {
    guard offset <= Self.offsetLimit else {
      throw .question("the offset of a ranked answer is over \(Self.offsetLimit); send the last cursor instead")
    }
    let after = ShardedIndex.Cursor(cursor)
    guard cursor.isEmpty || after != nil else {
      throw .question("the cursor is not one of this index; ask for the first page")
    }
    let parsed = filters.compactMap(Self.filter)
    guard parsed.count == filters.count else {
      throw .question("a filter has no =; write a field, = and a value, such as country=FR")
    }
    let near = place.flatMap { ShardedIndex.Place(latitude: $0.latitude, longitude: $0.longitude) }
    guard place == nil || near != nil else {
      throw .question("the place is not on the map; pass degrees from -90 to 90 and from -180 to 180")
    }
    var hits = try reading { () throws(IndexError) in
      try ShardedIndex.RankedHits(
        Fold.fold(text), filters: parsed, near: near, typos: typos ? .automatic : .none, in: matches.generation,
        after: after)
    }
    let isComplete = try reading { () throws(IndexError) in
      try hits.find(offset + limit, budget: .parts(Self.partLimit))
    }
    guard isComplete else {
      throw .question("the answer takes over \(Self.partLimit) parts of shards; type more letters")
    }
    let keys = countsKeys || text.isEmpty ? matches.count : nil
    let total = try reading { [hits] () throws(IndexError) in
      countsMatches ? try hits.countedTotal(keys: keys, budget: .parts(Self.partLimit)) : hits.total(keys: keys)
    }
    let isEmpty = total == ShardedIndex.Total(0) && filters.isEmpty
    let nearest = isEmpty ? try self.nearest(matches, inKeys: hits.areKeyMatches) : nil
    let correction = try reading { () throws(IndexError) in try hits.correction }
    // A position among the records of the starts is no position in the index.
    let cursor = matches.generation.isOfStarts ? nil : hits.cursor?.description
    let ranks = SearchAnswer.Ranks(cursor: cursor, correction: correction)
    try write(hits, of: hits.count, answer(keys, total, nearest, ranks), form, generation)
  }

  private static func filter(_ text: String) -> ShardedIndex.Filter? {
    guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")), sign > text.startIndex else { return nil }
    return ShardedIndex.Filter(String(text[..<sign]), isOneOf: [String(text[text.utf8.index(after: sign)...])])
  }

  /// Returns the longest beginning of the text that a record matches.
  private func nearest(_ matches: ShardedIndex.Matches, inKeys: Bool) throws(Failure) -> String? {
    try reading { () throws(IndexError) in
      try matches.generation.longestMatchedBeginning(of: text, inKeys: inKeys)
    }
  }

  private func answer(
    _ keys: Int?, _ total: ShardedIndex.Total, _ nearest: String?, _ ranks: SearchAnswer.Ranks?
  ) -> SearchAnswer {
    SearchAnswer(
      query: text, folded: Fold.fold(text), offset: offset, limit: limit, hasDisplay: hasDisplay, keys: keys,
      total: total, nearest: nearest, ranks: ranks)
  }

  private func reading<Value>(_ body: () throws(IndexError) -> Value) throws(Failure) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }

  private func write(
    _ records: some RecordSource, of count: Int, _ answer: SearchAnswer, _ form: some AnswerForm, _ generation: String
  ) throws(Failure) {
    let start = min(offset, count)
    let end = start + min(limit, count - start)
    do throws(AnswerWriter.Failure) {
      try form.search(answer, records, start..<end, generation: generation)
    } catch {
      switch error {
      case .index(let error): throw .index(error)
      case .output:
        throw .question("the answer would have over \(AnswerWriter.sizeLimit >> 20) MiB; ask for fewer records")
      case .largeRecords: throw .question("the records have over 64 MiB together; ask for fewer")
      }
    }
  }
}
