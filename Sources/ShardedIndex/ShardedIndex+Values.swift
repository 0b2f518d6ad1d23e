#if !hasFeature(Embedded)
  extension ShardedIndex {
    /// Returns the best records for a text, among those that pass filters.
    ///
    /// ```swift
    /// let lamps = try index.search("lamp", filter: ["brand": "Alma", "price": "20..50"])
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text, as typed.
    ///   - filter: Fields and their accepted values. A field that stands there twice accepts both values.
    ///   - limit: The most hits.
    /// - Throws: As `search(_:limit:)`.
    public func search(
      _ text: String, filter: KeyValuePairs<String, String>, limit: Int = 10
    ) throws(IndexError) -> Answer {
      var filters: [Filter] = []
      for (field, value) in filter {
        if let known = filters.firstIndex(where: { $0.field == field }) {
          filters[known].values.append(value)
        } else {
          filters.append(Filter(field, isOneOf: [value]))
        }
      }
      return try search(SearchQuery(text, filter: filters), limit: limit)
    }

    /// Returns the best records for a text as values of a type, as ``Record/decode(_:)`` makes them.
    ///
    /// - Parameters:
    ///   - text: The text, as typed.
    ///   - type: The type of the values.
    ///   - filter: As ``search(_:filter:limit:)`` takes it.
    ///   - limit: The most values.
    /// - Throws: ``IndexError`` as `search(_:limit:)`, and the `DecodingError` of the first record that does not fit.
    public func search<Value: Decodable>(
      _ text: String, as type: Value.Type, filter: KeyValuePairs<String, String> = [:], limit: Int = 10
    ) throws -> [Value] {
      try search(text, filter: filter, limit: limit).records.map { try $0.decode(type) }
    }
  }
#endif
