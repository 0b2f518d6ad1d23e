import CLibrary
import QueryOutput
import ShardedIndex

/// The row of a list for one record.
package struct ListRow: Sendable {
  /// The record's key in its own spelling.
  package var key: String
  /// The key, and behind it the other name that the query matched; and the ranges that are marked.
  package private(set) var title: String
  package private(set) var marks: [Range<String.Index>]
  /// The coordinates as the record has them; nil without any.
  package var latitude: String?
  package var longitude: String?
  /// The record's identity; nil if no row can be marked.
  package var identity: RecordIdentity?

  package var place: Coordinates? {
    guard let latitude, let longitude else { return nil }
    return Coordinates(latitude: latitude, longitude: longitude)
  }

  /// - Parameters:
  ///   - via: The text that the query matched.
  ///   - highlights: The ranges that it matched, in bytes of UTF-8.
  ///   - others: The number of the others in the record's group.
  package init(_ key: String, via: ShardedIndex.Via = .key, highlights: [Range<Int>], others: Int = 0) {
    self.key = key
    var (title, start) = (key, 0)
    if case .otherName(let name) = via {
      title += " ("
      start = title.utf8.count
      title += name + ")"
    }
    if others > 0 { title += " (+\(others))" }
    marks = highlights.map { [title] range in
      let lower = title.utf8.index(title.startIndex, offsetBy: start + range.lowerBound)
      return lower..<title.utf8.index(lower, offsetBy: range.count)
    }
    self.title = title
  }
}

/// The cost of an answer, which shows how little was loaded.
package struct Cost: Equatable, Sendable {
  package var microseconds = 0
  /// The shards of the answer, whether or not they had to be loaded.
  package var shards = 0
  package var loads = 0
  /// The bytes that were decompressed for the answer.
  package var bytes = 0
}

/// A list that follows a query: the number of matches, the rows in the window, and the selected row.
///
/// Only the rows of the window are decoded. In a ranked answer the search finds further rows as the window reaches them.
package struct ListModel {
  let index: ShardedIndex
  /// The order and the conditions of each answer, without a text.
  var search: ShardedIndex.SearchQuery
  private var session: ShardedIndex.Session
  /// The keys that begin with the query, in order.
  private var matches: ShardedIndex.Matches
  /// The rows of the window, from ``top`` on.
  package private(set) var rows: [ListRow] = []
  /// The first row of the window and the selected one, among all matches.
  package private(set) var top = 0
  package private(set) var selection = 0
  package private(set) var height = 0
  package private(set) var cost = Cost()
  /// The reason why the list does not show the current query's matches.
  package private(set) var failure: IndexError?
  /// The first error, also one after which the list went on. A rebuild meanwhile is none.
  package private(set) var met: IndexError?
  private var folded: [UInt8] = []
  /// The hits of the current query that are found so far; nil if it is answered in order.
  private var hits: ShardedIndex.RankedHits?
  /// The longest beginning of the current query that something matches, where nothing matches the query.
  package private(set) var nearest: String?
  /// The values near to a value of the filter that no record has, as the end of a sentence; empty if there are matches
  /// or no such values.
  package private(set) var advice = ""
  /// The text that the current query is corrected to, where all matches correct it.
  package private(set) var correction: String?
  /// The reading of the current query that the hits come from; nil if they come from the query itself.
  package var interpretation: ShardedIndex.Interpretation? { hits?.interpretation }
  /// The words that the hits leave out, since nothing matches all words.
  package var dropped: [String] { hits?.dropped ?? [] }
  /// The words for results that are not those of the query as it was typed; nil for others.
  package var results: String? { QueryRunner.results(correction, interpretation, without: dropped) }
  /// Whether ``matches`` are those of the current query.
  package private(set) var isAnswered = false
  /// The number of answers so far: a row of one is not that of another.
  private var answerNumber = 0
  /// The places of the first matches, and the answer they are of.
  var found: (answer: Int, count: Int, places: [Coordinates])?
  /// Whether rows can be marked.
  package var canMark = false
  package var marks = MarkedRecords()

  /// The search of a list without conditions, in the order of the index.
  package static let usualSearch = QueryRequest(prefix: "").query

  /// - Parameter search: The order and the conditions of each answer. An index that was not built for them gives answers
  ///   that cannot be read.
  package init(_ index: ShardedIndex, search: ShardedIndex.SearchQuery = usualSearch) {
    (self.index, self.search) = (index, search)
    session = index.session()
    matches = session.matches
  }

  /// The most rows of a list by ranks, each of which the search has to find.
  private static let rankedLimit = ShardedIndex.SearchQuery.SearchLimits.host.offset

  /// The number of rows: all matches, or those that are found so far.
  package var rowCount: Int { hits?.count ?? matches.count }

  /// The number of matches, as far as the list knows it.
  package var total: ShardedIndex.Total { hits?.total(keys: matches.count) ?? ShardedIndex.Total(matches.count) }

  package var recordCount: Int { index.recordCount }
  package var shardCount: Int { index.shardCount }
  package var fieldCount: Int { index.generation.schema.names.count }
  package var query: String { session.text }
  package var hasCoordinates: Bool {
    index.generation.schema.latitude != nil && index.generation.schema.longitude != nil
  }

  /// Whether records have to pass a filter.
  package var isFiltered: Bool { !search.filter.isEmpty }

  /// Whether the matches are the records whose keys begin with the query, and no others.
  package var isByKeysAlone: Bool { hits?.areKeyMatches ?? true }

  /// Searches `text`, and shows its first matches.
  package mutating func search(_ text: String) {
    isAnswered = false
    answerNumber += 1
    (rows, correction, nearest, advice) = ([], nil, nil, "")
    measure { (model) throws(IndexError) in
      try model.followingBuilds { (model) throws(IndexError) in
        try model.session.replace(with: text)
        (model.matches, model.isAnswered) = (model.session.matches, true)
        model.folded = Fold.fold(text)
        (model.top, model.selection) = (0, 0)
        try model.rank()
        try model.fetch()
        model.correction = try model.hits?.correction
        if model.rowCount == 0 { try model.advise(on: text) }
      }
    }
  }

  /// Sets the advice for a text that nothing matches.
  private mutating func advise(on text: String) throws(IndexError) {
    if isFiltered {
      advice = try FilterAdvice.text(on: search.filter, in: matches.generation)
    } else {
      nearest = try LongestBeginning(in: matches.generation, inKeys: isByKeysAlone).find(text)
    }
  }

  /// Runs `body` on the newest generation, again where a build overtakes it.
  private mutating func followingBuilds(_ body: (inout ListModel) throws(IndexError) -> Void) throws(IndexError) {
    try index.following { (_) throws(IndexError) in
      if try session.reload(), isAnswered {
        matches = session.matches
        answerNumber += 1
        try rank()
      }
      try body(&self)
    }
  }

  /// Makes the window `height` rows high.
  package mutating func resize(height: Int) {
    // A higher window shows more rows above, where the lower one was at the end.
    top = max(0, top - max(0, height - self.height))
    self.height = max(0, height)
    scroll(to: selection)
  }

  /// Selects another row; the window follows.
  package mutating func move(by rows: Int) { scroll(to: selection + rows) }

  package mutating func select(_ row: Int) { scroll(to: row) }

  /// Finds hits up to the last row of a window that begins with a row, where the answer is ranked.
  private mutating func find(upTo row: Int) {
    let end = min(Self.rankedLimit, max(0, row) + height)
    guard isAnswered, let known = hits?.count, known < end, hits?.hasMore == true else { return }
    measure { (model) throws(IndexError) in
      try model.followingBuilds { (model) throws(IndexError) in try model.findRows(end) }
    }
  }

  /// Finds hits until there are so many, where the answer is ranked.
  private mutating func findRows(_ count: Int) throws(IndexError) {
    guard let known = hits?.count, known < count else { return }
    try hits?.findMore(count - known)
  }

  private mutating func scroll(to row: Int) {
    find(upTo: row)
    selection = max(0, min(row, rowCount - 1))
    let before = top
    if selection < top { top = selection }
    if selection >= top + height { top = max(0, selection - height + 1) }
    top = max(0, min(top, rowCount - height))
    // Rows of another answer must not stay.
    guard isAnswered else { return }
    if top != before || rows.count != min(height, rowCount - top) {
      measure { (model) throws(IndexError) in
        try model.followingBuilds { (model) throws(IndexError) in
          // Another generation may have fewer matches.
          model.selection = max(0, min(model.selection, model.rowCount - 1))
          model.top = max(0, min(model.top, model.rowCount - model.height))
          try model.fetch()
        }
      }
    }
  }

  private mutating func measure(_ body: (inout ListModel) throws(IndexError) -> Void) {
    let (before, start) = (index.statistics, Self.now)
    do throws(IndexError) {
      try body(&self)
      failure = nil
    } catch {
      failure = error
      meet(error)
    }
    let after = index.statistics
    cost.microseconds = (Self.now - start) / 1000
    cost.loads = after.misses - before.misses
    cost.bytes = after.loadedBytes - before.loadedBytes
    // Characters that came together are searched one after the other, so shards of the first ones count too.
    cost.shards = max(touched(), cost.loads)
  }

  /// Notes an error after which the list goes on.
  package mutating func meet(_ error: IndexError) {
    if case .superseded = error { return }
    if met == nil { met = error }
  }

  /// Reads the rows of the window.
  private mutating func fetch() throws(IndexError) {
    rows = []
    try findRows(min(Self.rankedLimit, top + height))
    var start = min(top, rowCount)
    let end = min(rowCount, top + height)
    while start < end {
      // Records of megabytes are decoded one by one.
      let count = min(end - start, hits == nil ? try matches.recordsAtOnce(at: start) : 1)
      for (number, record) in try records(in: start..<start + max(1, count)).enumerated() {
        rows.append(row(start + number, record))
      }
      start += max(1, count)
    }
  }

  private func row(_ number: Int, _ record: ShardedIndex.Record) -> ListRow {
    let (key, schema) = (record.key, matches.generation.schema)
    let hit = hits?.hit(number, record)
    let (via, highlights) = hit?.matched ?? (.key, ShardedIndex.Matches.highlights(of: folded, in: key))
    var row = ListRow(key, via: via, highlights: highlights, others: hit?.others ?? 0)
    if let texts = Coordinates.texts(of: record, schema) { (row.latitude, row.longitude) = texts }
    if canMark { row.identity = RecordIdentity(record, in: matches.generation) }
    return row
  }

  /// Begins the ranked answer to the current query, unless the answer is in the order of keys.
  private mutating func rank() throws(IndexError) {
    let generation = matches.generation
    var asked = search
    asked.text = query
    do throws(SearchFault) { asked = try asked.checked(in: generation.manifest) } catch { throw .refused(error) }
    hits = asked.order == .rank ? try ShardedIndex.RankedHits(asked, folded, in: generation) : nil
  }

  /// Returns the records of some rows.
  private func records(in rows: Range<Int>) throws(IndexError) -> ShardedIndex.Records {
    if let hits { try hits.records(in: rows) } else { try matches.records(in: rows) }
  }

  /// The generation that the rows are of.
  var generation: Generation { matches.generation }

  /// Finds all matches; returns their number, or nil if there are more than a limit.
  mutating func findAll(upTo limit: Int) -> Int? {
    if hits != nil {
      measure { (model) throws(IndexError) in try model.findRows(limit + 1) }
    }
    return rowCount <= limit ? rowCount : nil
  }

  /// Returns the places of the first matches that have one.
  mutating func readPlaces(_ count: Int) -> [Coordinates] {
    let schema = generation.schema
    guard schema.latitude != nil, schema.longitude != nil else { return [] }
    var (places, start): ([Coordinates], Int) = ([], 0)
    do throws(IndexError) {
      while start < count {
        let size = max(1, min(count - start, hits == nil ? try matches.recordsAtOnce(at: start) : 1))
        for record in try records(in: start..<start + size) {
          guard let texts = Coordinates.texts(of: record, schema) else { continue }
          if let place = Coordinates(latitude: texts.latitude, longitude: texts.longitude) { places.append(place) }
        }
        start += size
      }
    } catch {
      meet(error)
    }
    return places
  }

  /// Returns the record of a row, the selected one if none is named; nil if it cannot be read.
  package mutating func chosenRecord(_ row: Int? = nil) -> ShardedIndex.Records? {
    let row = row ?? selection
    do throws(IndexError) {
      return try records(in: row..<row + 1)
    } catch {
      failure = error
      meet(error)
      return nil
    }
  }

  /// Returns the number of shards at the ends of the answer and of those that hold its rows.
  private mutating func touched() -> Int {
    if let hits { return hits.shardsOpened }
    let end = min(matches.count, top + height)
    do throws(IndexError) {
      return try matches.shardsTouched(by: folded, shown: min(top, end)..<end)
    } catch {
      meet(error)
      return 0
    }
  }

  /// Returns the selected record's fields; none if it cannot be read. It decodes the record.
  package mutating func selectedFields() -> [ShardedIndex.Record.Field] {
    do throws(IndexError) {
      return selection < rowCount ? try records(in: selection..<selection + 1).first?.fields ?? [] : []
    } catch {
      meet(error)
      return []
    }
  }

  /// The selected row among those of all answers.
  package struct RowNumber: Equatable, Sendable {
    var answer: Int
    var row: Int
  }
  package var selectedNumber: RowNumber { RowNumber(answer: answerNumber, row: selection) }

  package var selectedRow: ListRow? {
    selection >= top && selection - top < rows.count ? rows[selection - top] : nil
  }

  /// The monotonic clock in nanoseconds.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
