extension ShardedIndex {
  /// A ranked query: a text, and how long the index may search for it.
  public struct SearchQuery: Sendable {
    /// The text, as a person typed it.
    public var text: String
    /// The filters that a record has to pass, all of them.
    public var filter: [Filter]
    /// Whether records match that are a few typing errors away from the text.
    public var typos: Typos
    /// The place that near records rank higher for; nil for none.
    public var near: Place?
    /// What the search may open before it stops early; nil for no limit.
    public var budget: SearchBudget?

    /// - Parameters:
    ///   - text: The text, as a person typed it. An empty one matches every record.
    ///   - filter: The filters that a record has to pass, all of them.
    ///   - near: The place that near records rank higher for; nil for none.
    ///   - typos: Whether records match that are a few typing errors away from the text.
    ///   - budget: What the search may open before it stops early; nil for no limit.
    public init(
      _ text: String, filter: [Filter] = [], near: Place? = nil, typos: Typos = .automatic,
      budget: SearchBudget? = nil
    ) {
      (self.text, self.filter, self.near, self.typos, self.budget) = (text, filter, near, typos, budget)
    }
  }
  /// A place on the globe, to a hundredth of a degree. Source: docs/ranking.md section 9.
  public struct Place: Hashable, Sendable {
    let place: NearPlace
    /// ``strength`` in eighths.
    private(set) var eighths = 8

    /// How much nearness counts beside weight, from 1/8 to 8, in eighths; another number counts as the nearest of
    /// these. With 1 the place itself is worth eight octaves of weight.
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

    /// Reads a latitude, a comma and a longitude, in decimal degrees: `48.85,2.35`. Returns nil for another text.
    public init?(_ text: String) {
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Array($0.utf8) }
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
  /// One error is corrected where the longest word of the text has four characters or more, two where it has eight.
  /// Records with fewer errors come first.
  @nonexhaustive
  public enum Typos: Hashable, Sendable {
    /// Typing errors are corrected where the index was built for it.
    case automatic
    /// Typing errors are corrected; an index that was not built for it is an error.
    case required
    /// No typing errors are corrected.
    case none
  }

  /// A condition on one field of a record: the field has one of some values. Case and accents do not matter.
  ///
  /// A field that is a JSON array has the values of its elements. Of two filters by the same field, a record has to
  /// pass one. Source: docs/ranking.md section 7.
  public struct Filter: Hashable, Sendable {
    /// The path of the field.
    public var field: String
    /// The values that are accepted.
    public var values: [String]

    /// - Parameters:
    ///   - field: The path of the field, one that the index was built to filter by.
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
    /// A condition that ends the search, by a clock of the caller's: the search asks before it opens a container.
    case until(@Sendable () -> Bool)
  }
}
