extension ShardedIndex {
  /// A ranked query: a text, and the conditions of the search.
  public struct SearchQuery: Sendable {
    /// The text, as a person typed it.
    public var text: String
    /// The filters; a record has to pass all of them.
    public var filter: [Filter]
    /// Whether a record also matches if it is a few typing errors away from the text.
    public var typos: Typos
    /// The place that near records rank higher for; nil for none.
    public var near: Place?
    /// The limit on the work of the search; nil for no limit.
    public var budget: SearchBudget?
    /// Whether the search counts the matches for ``ShardedIndex/Answer/total``, by a search of its own for at most
    /// 10,000 of them if nothing else tells their number.
    public var countsMatches: Bool

    /// - Parameters:
    ///   - text: The text, as a person typed it. An empty text matches every record.
    ///   - filter: The filters; a record has to pass all of them.
    ///   - near: The place that near records rank higher for; nil for none.
    ///   - typos: Whether a record also matches if it is a few typing errors away from the text.
    ///   - budget: The limit on the work of the search; nil for no limit.
    ///   - countsMatches: Whether the search counts the matches, up to 10,000 of them.
    public init(
      _ text: String, filter: [Filter] = [], near: Place? = nil, typos: Typos = .automatic,
      budget: SearchBudget? = nil, countsMatches: Bool = false
    ) {
      (self.text, self.filter, self.near, self.typos, self.budget) = (text, filter, near, typos, budget)
      self.countsMatches = countsMatches
    }
  }
  /// A place on the globe, to a hundredth of a degree. Source: docs/ranking.md section 9.
  public struct Place: Hashable, Sendable {
    let place: NearPlace
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
          latitude: Self.hundredths(latitude), longitude: Self.hundredths(longitude))
      else { return nil }
      self.place = place
    }

    /// Rounds half away from zero.
    private static func hundredths(_ degrees: Double) -> Int {
      Int(100 * degrees + (degrees < 0 ? -0.5 : 0.5))
    }

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

  /// Whether a ranked query corrects typing errors. Source: docs/ranking.md section 9.
  ///
  /// The search corrects one error if the longest word of the text has four characters or more, and two if that word
  /// has eight or more. Records with fewer errors come first.
  @nonexhaustive
  public enum Typos: Hashable, Sendable {
    /// The search corrects typing errors if the index was built for it.
    case automatic
    /// The search corrects typing errors, and fails if the index was not built for it.
    case required
    /// The search corrects no typing errors.
    case none
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
  }
}
