import CLibrary
import ShardedIndex

/// The row of a list for one record.
package struct Row: Sendable {
  /// The record's key in its own spelling, and the end of its typed beginning.
  package var key: String
  package var matchEnd: String.Index
  /// The coordinates as the record has them; nil without any.
  package var latitude: String?
  package var longitude: String?

  package var place: Place? {
    guard let latitude, let longitude else { return nil }
    return Place(latitude: latitude, longitude: longitude)
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
/// Only the rows of the window are decoded.
package struct ListModel {
  private let index: ShardedIndex
  private var session: ShardedIndex.Session
  package private(set) var matches: ShardedIndex.Matches
  /// The rows of the window, from ``top`` on.
  package private(set) var rows: [Row] = []
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
  /// The hits of the current query, where it is answered by ranks, and for each row that is known so far the number of
  /// its match.
  private var hits: ShardedIndex.RankedHits?
  private var matchNumbers: [Int] = []
  /// Whether ``matches`` are those of the current query.
  package private(set) var isAnswered = false
  /// The fields of the selected record, and its number.
  private var details: (selection: Int, fields: [ShardedIndex.Record.Field])?

  package init(_ index: ShardedIndex) {
    self.index = index
    session = index.session()
    matches = session.matches
  }

  /// The most rows of a list by ranks, each of which the search has to find.
  private static let rankedLimit = 10_000

  /// The number of rows: all matches, or the best of them.
  package var rowCount: Int { hits == nil ? matches.count : min(matches.count, Self.rankedLimit) }

  /// The number of the selected row's match among ``matches``.
  package var selectedMatch: Int {
    hits == nil || selection >= matchNumbers.count ? selection : matchNumbers[selection]
  }

  package var recordCount: Int { index.recordCount }
  package var shardCount: Int { index.shardCount }
  package var query: String { session.text }
  package var hasCoordinates: Bool {
    index.generation.schema.latitude != nil && index.generation.schema.longitude != nil
  }

  /// Searches `text`, and shows its first matches.
  package mutating func ask(_ text: String) {
    isAnswered = false
    rows = []
    measure { (model) throws(IndexError) in
      try model.followingBuilds { (model) throws(IndexError) in
        try model.session.replace(with: text)
        (model.matches, model.isAnswered) = (model.session.matches, true)
        model.folded = Fold.fold(text)
        (model.top, model.selection) = (0, 0)
        try model.rank()
        try model.fetch()
      }
    }
  }

  /// Runs `body` on the newest generation, again where a build overtakes it.
  private mutating func followingBuilds(_ body: (inout ListModel) throws(IndexError) -> Void) throws(IndexError) {
    for attempt in 0..<8 {
      do throws(IndexError) {
        if try session.reload(), isAnswered {
          matches = session.matches
          try rank()
        }
        return try body(&self)
      } catch {
        guard case .superseded = error, attempt < 7 else { throw error }
        try index.reload()
      }
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

  private mutating func scroll(to row: Int) {
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
    details = nil
    let schema = index.generation.schema
    for record in try windowRecords() {
      let key = record.key
      rows.append(
        Row(
          key: key, matchEnd: Fold.matchedRange(ofFolded: folded, in: key)?.upperBound ?? key.startIndex,
          latitude: schema.latitude.flatMap { record[fieldNumber: $0] },
          longitude: schema.longitude.flatMap { record[fieldNumber: $0] }))
    }
  }

  /// Begins the ranked answer to the current query, where the index has ranks. An empty query lists all records in order.
  private mutating func rank() throws(IndexError) {
    matchNumbers = []
    let generation = matches.generation
    hits =
      generation.manifest.hasRanks && !folded.isEmpty ? try ShardedIndex.RankedHits(folded, in: generation) : nil
  }

  /// Returns the records of the window, and finds those that are not known yet.
  private mutating func windowRecords() throws(IndexError) -> [ShardedIndex.Record] {
    let end = min(rowCount, top + height)
    guard var hits else { return Array(try matches.records(in: top..<max(top, end))) }
    while matchNumbers.count < end {
      // With no limit of parts, all that are found are the best.
      _ = try hits.find(end - matchNumbers.count, partLimit: .max)
      guard hits.count > 0 else { break }
      matchNumbers += (0..<hits.count).compactMap { matches.index(ofPosition: hits.position(of: $0)) }
    }
    self.hits = hits
    var records: [ShardedIndex.Record] = []
    for number in matchNumbers[min(top, matchNumbers.count)..<min(end, matchNumbers.count)] {
      records += try matches.records(in: number..<number + 1)
    }
    return records
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

  /// Returns the selected record's fields; none where it cannot be read.
  package mutating func selectedFields() -> [ShardedIndex.Record.Field] {
    if let details, details.selection == selection { return details.fields }
    var fields: [ShardedIndex.Record.Field] = []
    do throws(IndexError) {
      if !matches.isEmpty { fields = try matches.records(in: selectedMatch..<selectedMatch + 1).first?.fields ?? [] }
    } catch {
      meet(error)
    }
    details = (selection, fields)
    return fields
  }

  package var selectedRow: Row? {
    selection >= top && selection - top < rows.count ? rows[selection - top] : nil
  }

  /// The monotonic clock in nanoseconds.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }
}
