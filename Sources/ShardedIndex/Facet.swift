extension ShardedIndex {
  /// A field of a filter with its values among the matches of a search, or a field of numbers with ranges of them.
  /// Source: docs/facets.md.
  ///
  /// A field that the query filters by counts as if the query had no filter by the field, so that a person can choose
  /// several values.
  public struct Facet: Hashable, Sendable {
    /// A value of the field.
    public struct Value: Hashable, Sendable {
      /// The value as the first match has it, in the order of the index.
      public let value: String
      /// The number of matches with the value.
      public let count: Int

      init(value: String, count: Int) { (self.value, self.count) = (value, count) }
    }

    /// The path of the field.
    public let field: String
    /// The values, those of most matches first, and values of equally many matches in the order of their folds. A field
    /// of numbers has up to ten ranges in their place, ascending, as a ``Filter`` takes them: `2.5..19.99`.
    public let values: [Value]
    /// The least number, a decimal number or a date; nil for a field of values, and without a number.
    public let least: String?
    /// The greatest number; nil for a field of values, and without a number.
    public let greatest: String?
    /// Whether the counts are those of all matches. Otherwise they are those of the first 10,000 matches, or of fewer
    /// if a budget ended the count.
    public let isExact: Bool
    /// Whether there are more values than ``values``.
    public let hasMore: Bool

    /// The most values of a facet.
    public static let valueLimit = 100

    /// - Parameter limit: The most values, at most ``valueLimit``.
    init(_ field: String, _ counter: ValueCounter, limit: Int, isExact: Bool) {
      let listed = counter.best(limit)
      self.field = field
      values = listed.map { Value(value: counter.text(ofValue: $0), count: counter.values[$0].count) }
      self.isExact = isExact && !counter.isFull
      hasMore = listed.count < counter.values.count || counter.isFull
      (least, greatest) = (nil, nil)
    }

    /// - Parameter ends: The least and the greatest number.
    init(_ field: String, _ counter: NumberCounter, ends: RecordNumbers, isExact: Bool) {
      func text(_ code: UInt64) -> String { String(decoding: NumberCode.text(code), as: UTF8.self) }
      self.field = field
      values = counter.ranges.map { range in
        Value(
          value: text(range.least) + (range.least < range.greatest ? ".." + text(range.greatest) : ""),
          count: range.count)
      }
      (self.isExact, hasMore) = (isExact && !counter.isFull, false)
      let hasNumbers = ends.greatest != NumberCode.none
      (least, greatest) = hasNumbers ? (text(ends.least), text(ends.greatest)) : (nil, nil)
    }
  }
}

extension ShardedIndex.Facet: CustomStringConvertible {
  /// The field and its values: `brand: 12 Alma, 3 Zoe, and more`.
  public var description: String {
    let counts = values.map { "\($0.count) \($0.value)" } + (hasMore ? ["and more"] : [])
    return field + ": " + counts.joined(separator: ", ")
  }
}

extension ShardedIndex {
  /// Returns the values of a filter's field in the whole index.
  ///
  /// ```swift
  /// let brands = try index.facets("brand", startingWith: "al")
  /// for brand in brands.values { print(brand.count, brand.value) }
  /// ```
  ///
  /// - Parameters:
  ///   - field: The path of the field, which the index was built to filter by.
  ///   - start: The beginning of the values, in any case and without accents; an empty text for all values.
  ///   - limit: The most values, at most ``Facet/valueLimit``.
  /// - Returns: The values that begin with the text. If a page of the index has no table of the field, if the index has
  ///   over 64 pages, or if changes lie beside its shards, the values are those of its first 10,000 records.
  /// - Throws: ``SearchFault/notBuilt(feature:)`` or ``SearchFault/noFilter(field:filters:)`` if the index has no filter
  ///   by the field; else ``IndexError`` if a file of the index cannot be read or is damaged.
  /// - Complexity: O(*v*): *v* values of all shards together. Reads a part for each of the values that it returns.
  public func facets(
    _ field: String, startingWith start: String = "", limit: Int = Facet.valueLimit
  ) throws(IndexError) -> Facet {
    try withNewest { (generation) throws(IndexError) in
      try generation.gathering { () throws(IndexError) in
        try Facet.values(of: field, startingWith: start, limit: limit, in: generation)
      }
    }
  }
}

extension ShardedIndex.Facet {
  /// Returns the values of a filter's field in a whole generation, as ``ShardedIndex/facets(_:startingWith:limit:)``.
  package static func values(
    of field: String, startingWith start: String, limit: Int, in generation: Generation
  ) throws(IndexError) -> ShardedIndex.Facet {
    let query = ShardedIndex.SearchQuery("", facets: [field])
    do throws(SearchFault) { _ = try query.checked(in: generation.manifest) } catch { throw .refused(error) }
    return try FacetSearch(generation, limit: limit).facet(
      field, startingWith: Fold.fold(start), among: .init(allOf: generation), cuts: true)!
  }
}
