extension ShardedIndex {
  /// A search: a text, and the conditions of the search.
  public struct SearchQuery: Sendable {
    /// The text, as a person typed it.
    public var text: String
    /// The order of the answer.
    package var order = MatchOrder.rank
    /// The filters; a record has to pass all of them.
    public var filter: [Filter]
    /// Whether a record also matches if it is a few typing errors away from the text.
    public var typos: Typos
    /// Which words of the text a record has to match.
    public var words: RequiredWords
    /// The place that near records rank higher for; nil for none.
    public var near: Place?
    /// The order by the numbers of a field; nil for the order of ranks.
    public var sort: Sort?
    /// The path of the field whose equal texts make groups of matches, or `key` for the folded key; nil for no groups. The
    /// best record of each group stands for the others. A field called `key` is `+key`. Source: docs/groups.md.
    public var group: String?
    /// The number of matches to pass over.
    package var offset = 0
    /// The most matches of the answer, behind the ones that it passes over.
    package var limit = 10
    /// The position behind the last hit of the page before; nil for the first page.
    package var cursor: Cursor?
    /// The limit on the work of the search; nil for no limit.
    public var budget: SearchBudget?
    /// Whether the search counts the matches for ``ShardedIndex/Answer/total``, by a search of its own for at most
    /// 10,000 of them if nothing else tells their number.
    public var countsMatches: Bool
    /// The paths of the fields whose values the search counts for ``ShardedIndex/Answer/facets``. The index has filters
    /// by them.
    public var facets: [String]
    /// The most values of each facet, at most ``Facet/valueLimit``.
    public var facetLimit = 10
    /// The beginning of the values of facets that count; an empty text for all values.
    package var facetStart = ""
    /// The members that the caller needs of the answer.
    package var needs = Needs()
    /// The limits of a caller that answers for others.
    package var limits = SearchLimits.none

    /// - Parameters:
    ///   - text: The text, as a person typed it. An empty text matches every record.
    ///   - filter: The filters; a record has to pass all of them.
    ///   - near: The place that near records rank higher for; nil for none.
    ///   - sort: The order by the numbers of a field; nil for the order of ranks.
    ///   - group: The path of the field that makes groups of matches, or `key`; nil for no groups.
    ///   - typos: Whether a record also matches if it is a few typing errors away from the text.
    ///   - words: Which words of the text a record has to match.
    ///   - budget: The limit on the work of the search; nil for no limit.
    ///   - countsMatches: Whether the search counts the matches, up to 10,000 of them.
    ///   - facets: The paths of the fields whose values the search counts.
    public init(
      _ text: String, filter: [Filter] = [], near: Place? = nil, sort: Sort? = nil, group: String? = nil,
      typos: Typos = .automatic, words: RequiredWords = .automatic,
      budget: SearchBudget? = nil, countsMatches: Bool = false, facets: [String] = []
    ) {
      (self.words, self.sort, self.group) = (words, sort, group)
      (self.text, self.filter, self.near, self.typos, self.budget) = (text, filter, near, typos, budget)
      (self.countsMatches, self.facets) = (countsMatches, facets)
    }

    /// An order by the numbers of a field. Matches with fewer typing errors come first, and matches without a number come
    /// last. Matches with the same number come by rank. Source: docs/numbers.md.
    public struct Sort: Hashable, Sendable {
      /// The path of the field, whose numbers the index was built with.
      public var field: String
      /// Whether the greatest number comes first.
      public var isDescending: Bool

      /// - Parameters:
      ///   - field: The path of the field, whose numbers the index was built with.
      ///   - isDescending: Whether the greatest number comes first.
      public init(_ field: String, isDescending: Bool = false) {
        (self.field, self.isDescending) = (field, isDescending)
      }

      /// Reads the path of a field, with a minus sign before it for descending numbers: `price`, `-price`. A plus sign
      /// before it tells a field called `rank` or `key` from the order of that name.
      package init(text: String) {
        let bytes = Array(text.utf8)
        guard let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else {
          self.init(text)
          return
        }
        self.init(String(decoding: bytes[1...], as: UTF8.self), isDescending: sign == UInt8(ascii: "-"))
      }

      /// The text that the initializer reads.
      package var text: String {
        if isDescending { return "-" + field }
        let needsSign = MatchOrder(named: field) != nil || field.utf8.first.map { $0 == 0x2b || $0 == 0x2d } ?? false
        return needsSign ? "+" + field : field
      }
    }

    /// An order of the matches.
    package enum MatchOrder: Sendable {
      /// The order of ranks if the index has ranks, else of keys.
      case automatic
      /// The best matches first.
      case rank
      /// The order of the index.
      case key

      /// - Parameter name: `rank` or `key`.
      package init?(named name: String) {
        if name.utf8.elementsEqual("rank".utf8) {
          self = .rank
        } else if name.utf8.elementsEqual("key".utf8) {
          self = .key
        } else {
          return nil
        }
      }
    }

    /// Sets the order that a text names: `rank`, `key`, or a field as ``Sort`` reads it.
    package mutating func setOrder(_ text: String) {
      (order, sort) = (MatchOrder(named: text) ?? .rank, MatchOrder(named: text) == nil ? Sort(text: text) : nil)
    }

    /// The members of an answer that a caller needs, because they can take reads of their own.
    package struct Needs: Equatable, Sendable {
      /// When the answer has the number of keys that begin with the text.
      package enum Keys: Sendable { case never, unlessStartsMayAnswer, always }
      package var keys = Keys.never
      /// Whether the answer needs a cursor. The starts have none.
      package var cursor = false
      /// Whether the records need all columns of the index. Starts have only the fields of their records.
      package var columns = false
      /// Whether tables of the index tell the number of matches, if the search does not.
      package var tables = false

      package init(keys: Keys = .never, cursor: Bool = false, columns: Bool = false, tables: Bool = false) {
        (self.keys, self.cursor, self.columns, self.tables) = (keys, cursor, columns, tables)
      }
    }

    /// The limits of a caller that answers for others, so that one search does not take all its time.
    package struct SearchLimits: Equatable, Sendable {
      /// The most hits that a ranked answer passes over.
      package var offset: Int
      /// The most parts of shards that a ranked search opens.
      package var parts: Int

      package static let none = SearchLimits(offset: .max, parts: .max)
      package static let host = SearchLimits(offset: 10_000, parts: 16_384)
    }
  }
  /// A place on the globe: to a hundredth of a degree for nearness, and to a millionth for a radius.
  /// Source: docs/ranking.md section 9.
  public struct Place: Hashable, Sendable {
    /// The greatest valid ``radius``, beyond half the way round the globe.
    public static let radiusLimit = 20_040.0

    package let place: NearPlace
    /// Degrees north of the equator, to the sixth digit.
    public var latitude: Double { Double(place.latitudeMillionths) / 1_000_000 }
    /// Degrees east of Greenwich, to the sixth digit.
    public var longitude: Double { Double(place.longitudeMillionths) / 1_000_000 }
    /// The greatest distance of a match from the place along a great circle, in kilometres: above 0, and at most
    /// ``radiusLimit``. A record without coordinates does not match then. nil for no limit.
    ///
    /// A search with another radius throws ``SearchFault/wrongRadius(kilometres:)``.
    public var radius: Double?
    /// ``strength`` in eighths.
    private(set) var eighths = 8

    /// The effect of nearness beside weight, from 1/8 to 8, in eighths; other numbers are rounded to the nearest of
    /// these. With 1 a record at the place gains eight octaves of weight.
    public var strength: Double {
      get { Double(eighths) / 8 }
      set { eighths = newValue >= 8 ? 64 : newValue > 0.125 ? Int(newValue * 8 + 0.5) : 1 }
    }

    /// - Parameters:
    ///   - latitude: Degrees north of the equator.
    ///   - longitude: Degrees east of Greenwich.
    /// - Returns: nil beyond the globe.
    public init?(latitude: Double, longitude: Double) {
      guard -90...90 ~= latitude, -180...180 ~= longitude,
        let place = NearPlace(
          latitude: Self.rounded(100 * latitude), longitude: Self.rounded(100 * longitude),
          millionths: (Self.rounded(1_000_000 * latitude), Self.rounded(1_000_000 * longitude)))
      else { return nil }
      self.place = place
    }

    /// Rounds half away from zero.
    private static func rounded(_ number: Double) -> Int { Int(number + (number < 0 ? -0.5 : 0.5)) }

    /// Reads a latitude, a comma and a longitude, in decimal degrees, with or without spaces around each: `48.85,2.35`.
    /// Returns nil for another text.
    public init?(_ text: String) {
      let space = UInt8(ascii: " ")
      let numbers = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { number in
        let isDigit = { (byte: UInt8) in byte != space }
        guard let first = number.firstIndex(where: isDigit), let last = number.lastIndex(where: isDigit) else {
          return [UInt8]()
        }
        return Array(number[first...last])
      }
      guard numbers.count == 2 else { return nil }
      let found = unsafe numbers[0].withUnsafeBufferPointer { latitude in
        unsafe numbers[1].withUnsafeBufferPointer { longitude in
          unsafe NearPlace(latitude: latitude, longitude: longitude)
        }
      }
      guard let found else { return nil }
      place = found
    }
  }

  /// Whether a ranked query corrects typing errors. Source: docs/tiers.md section 2.
  ///
  /// The search corrects one error in a word of three characters or more, and two in a word of eight or more. In a text
  /// of one word it corrects two from five characters on, and three from eight. Records with fewer errors come first.
  @nonexhaustive
  public enum Typos: Hashable, Sendable {
    /// The search corrects typing errors if the index was built for it.
    case automatic
    /// The search corrects typing errors, and fails if the index was not built for it.
    case required
    /// The search corrects typing errors if the index was built for it, and ends before it looks for records with more
    /// errors than its hits have. ``Answer/isComplete`` tells whether there may be such records.
    case min
    /// The search corrects no typing errors.
    case none
  }

  /// Which words of a text a record has to match. Source: docs/tiers.md sections 3 and 4.
  @nonexhaustive
  public enum RequiredWords: Hashable, Sendable {
    /// All words; if no record matches all of them, words may stand for filters or for other words, or the search
    /// leaves some out, and the answer says so.
    case automatic
    /// All words, as they were typed.
    case all
  }

  /// A condition on one field of a record: the field has one of the accepted values. Case and accents do not matter.
  ///
  /// A field that is a JSON array has the values of its elements. If two filters name the same field, a record has to
  /// pass one of them. Source: docs/ranking.md section 7.
  public struct Filter: Hashable, Sendable {
    /// The path of the field.
    public var field: String
    /// The values that are accepted.
    public var values: [String]

    /// - Parameters:
    ///   - field: The path of the field, which the index was built to filter by.
    ///   - values: The values that are accepted.
    public init(_ field: String, isOneOf values: [String]) { (self.field, self.values) = (field, values) }

    /// Reads the path of a field, `=` and a value: `country=FR`. Returns nil for another text.
    package init?(_ text: String) {
      let bytes = Array(text.utf8)
      guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign > 0 else { return nil }
      let value = String(decoding: bytes[(sign + 1)...], as: UTF8.self)
      self.init(String(decoding: bytes[..<sign], as: UTF8.self), isOneOf: [value])
    }
  }

  /// A reading of a typed text: words stand for filters, or for other words. Source: docs/tiers.md section 3.
  public struct Interpretation: Hashable, Sendable {
    /// The text that was searched.
    public let text: String
    /// The filters that words of the typed text stand for. Each has one value.
    public let filters: [Filter]
  }

  /// A limit on the work of one ranked query.
  @nonexhaustive
  public enum SearchBudget: Sendable {
    /// The number of shards that the search may open.
    case shards(Int)
    /// The number of parts of shards that the search may open.
    case parts(Int)
    /// A condition that ends the search, for example by the caller's clock. The search checks it before it opens a
    /// page, a shard or a part.
    case until(@Sendable () -> Bool)

    /// Returns the budget that is left behind a search.
    ///
    /// - Parameters:
    ///   - start: The shards and parts that the search had opened before, under other budgets.
    ///   - opened: The shards and parts that the search has opened in all.
    func rest(from start: RankedSearch.Opened, to opened: RankedSearch.Opened) -> SearchBudget {
      switch self {
      case .shards(let limit): .shards(max(0, limit - (opened.shards - start.shards)))
      case .parts(let limit): .parts(max(0, limit - (opened.parts - start.parts)))
      case .until: self
      }
    }
  }
}

extension ShardedIndex.Filter {
  func hasField(of other: Self) -> Bool { field.utf8.elementsEqual(other.field.utf8) }

  /// Whether a value is one of the accepted ones.
  func accepts(_ value: String) -> Bool {
    let folded = Fold.fold(value)
    return values.contains { Fold.fold($0) == folded }
  }
}

extension ShardedIndex.SearchQuery {
  /// The number of matches to find: the ones of the answer, and the ones before them.
  package var wanted: Int {
    let (sum, isOver) = offset.addingReportingOverflow(limit)
    return isOver ? .max : sum
  }

  /// Whether the answer from an index is in the order of keys.
  package func isInOrderOfKeys(in manifest: ManifestReader) -> Bool {
    order == .key || order == .automatic && !manifest.isRanked && sort == nil
  }

  /// Checks the rules of a search that hold in every index.
  package func check() throws(SearchFault) {
    if let radius = near?.radius, !(radius > 0 && radius <= ShardedIndex.Place.radiusLimit) {
      throw .wrongRadius(kilometres: radius)
    }
    if order == .key {
      if cursor != nil { throw .needsRanks(.cursor) }
      if near != nil { throw .needsRanks(.near) }
      if sort != nil { throw .needsRanks(.sort) }
      if group != nil { throw .needsRanks(.group) }
      if !filter.isEmpty { throw .needsRanks(.filter) }
      if typos == .required { throw .needsRanks(.typos) }
    }
    if order == .rank {
      if offset > 0, cursor != nil { throw .offsetBesideCursor }
      if offset > limits.offset { throw .deepOffset(limit: limits.offset) }
    }
  }

  /// Checks the fields of the filters, of the groups and of the order.
  private func checkFields(of manifest: ManifestReader) throws(SearchFault) {
    if let group, GroupField(group, in: manifest) == nil {
      throw .noGroup(field: group, fields: manifest.fieldNames)
    }
    guard !filter.isEmpty || !facets.isEmpty || sort != nil else { return }
    let (filters, numbers) = (manifest.filterFields, manifest.numberFields)
    for filter in filter {
      let isFilter = filters.number(of: filter.field) != nil
      if numbers.number(of: filter.field) != nil {
        for text in filter.values where !isFilter {
          guard case .codes = NumberCode.range(Array(text.utf8), ofDates: false) else {
            let fault = NumberCode.range(Array(text.utf8), ofDates: true)
            if case .codes = fault { continue }
            throw .wrongRange(field: filter.field, range: text, reason: fault.reason)
          }
        }
      } else if !isFilter {
        throw filters.isEmpty ? .notBuilt(feature: .filter) : .noFilter(field: filter.field, filters: filters)
      }
    }
    for field in facets where filters.number(of: field) == nil && numbers.number(of: field) == nil {
      throw filters.isEmpty ? .notBuilt(feature: .filter) : .noFilter(field: field, filters: filters)
    }
    if let sort, numbers.number(of: sort.field) == nil {
      throw numbers.isEmpty ? .notBuilt(feature: .numbers) : .noNumber(field: sort.field, numbers: numbers)
    }
  }

  /// Checks all rules of a search but those of its cursor, which the search itself tells apart.
  ///
  /// - Returns: The query, with the order that the answer has.
  package func checked(in manifest: ManifestReader) throws(SearchFault) -> Self {
    var query = self
    query.order = isInOrderOfKeys(in: manifest) ? .key : .rank
    if query.order == .rank, !manifest.isRanked { throw .notBuilt(feature: .ranks) }
    try query.check()
    if near != nil, !manifest.hasSides || !IndexSettings(of: manifest.root, hasTables: false).near {
      throw .notBuilt(feature: .near)
    }
    try query.checkFields(of: manifest)
    if typos == .required, !manifest.hasSketches { throw .notBuilt(feature: .typos) }
    return query
  }
}
