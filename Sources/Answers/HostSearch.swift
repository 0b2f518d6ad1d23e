import ShardedIndex

/// A search from a host: a page that calls the WebAssembly module (Sources/Hosts/Wasm), or a program that calls the C
/// library (Sources/Hosts/Library).
package enum HostSearch {
  /// The error of a search.
  package enum Failure: Error {
    case index(IndexError)
    /// The request is wrong; the text is the message.
    case question(String)

    package init(_ failure: AnswerWriter.AnswerError) {
      switch failure {
      case .index(let error): self = .index(error)
      case .output:
        self = .question("the answer would have over \(AnswerWriter.sizeLimit >> 20) MiB; ask for fewer records")
      case .largeRecords: self = .question("the records have over 64 MiB together; ask for fewer")
      }
    }
  }

  /// The most facets of a search.
  private static let facetCount = 64

  /// Returns the order with a host's number: 0 for ranks if the index has ranks, else keys; 1 for ranks; 2 for keys; nil
  /// for another number.
  package static func order(_ number: Int32) -> ShardedIndex.SearchQuery.MatchOrder? {
    switch number {
    case 0: .automatic
    case 1: .rank
    case 2: .key
    default: nil
    }
  }

  /// Returns the way to correct typing errors with a host's number: 0 for none, 2 for the fewest errors.
  package static func typos(_ number: Int32) -> ShardedIndex.Typos {
    switch number {
    case 0: .none
    case 2: .min
    default: .automatic
    }
  }

  /// Returns the query of a host's parameters.
  ///
  /// - Parameters:
  ///   - text: The typed text.
  ///   - cursor: The position behind the last hit of the page before; empty for the first page.
  ///   - filters: The filters, each as `country=FR`.
  ///   - facets: The fields whose values the search counts.
  ///   - facetLimit: The most values of each of them.
  ///   - offset: The number of matches to pass over.
  ///   - order: The order, ``order(_:)``, if `sort` is empty.
  ///   - sort: The order by its name, or the field of an order by numbers; empty for none.
  ///   - typos: Whether the search corrects typing errors, if the index was built for it.
  ///   - place: The place that near records rank higher for; nil for none.
  ///   - radius: The greatest distance of a match from the place in kilometres; nil for no limit.
  ///   - group: The field that makes groups of the matches, or `key`; empty for none.
  package static func query(
    _ text: String, cursor: String, filters: [String], facets: [String], facetLimit: Int, offset: Int, limit: Int,
    order: ShardedIndex.SearchQuery.MatchOrder = .automatic, sort: String,
    typos: ShardedIndex.Typos,
    place: (latitude: Double, longitude: Double)?, radius: Double?, group: String
  ) throws(Failure) -> ShardedIndex.SearchQuery {
    guard 0...1000 ~= limit, offset >= 0 else {
      throw .question("the limit or the offset is out of range; pass a limit from 0 to 1000 and an offset from 0 on")
    }
    guard facets.isEmpty || 1...ShardedIndex.Facet.valueLimit ~= facetLimit, facets.count <= facetCount else {
      throw .question("the limit of facets is out of range; pass a limit from 1 to 100 for at most 64 facets")
    }
    var query = ShardedIndex.SearchQuery(text, typos: typos, facets: facets)
    query.facetLimit = facetLimit
    (query.order, query.offset, query.limit) = (order, offset, limit)
    query.limits = .host
    if !sort.isEmpty { query.setOrder(sort) }
    if !group.isEmpty { query.group = group }
    if !cursor.isEmpty {
      guard let after = ShardedIndex.Cursor(cursor) else {
        throw .question("the cursor is not one of this index; ask for the first page")
      }
      query.cursor = after
    }
    for text in filters {
      guard let filter = ShardedIndex.Filter(text) else {
        throw .question("a filter has no =; write a field, = and a value, such as country=FR")
      }
      query.filter.append(filter)
    }
    if let place {
      guard var near = ShardedIndex.Place(latitude: place.latitude, longitude: place.longitude) else {
        throw .question("the place is not on the map; pass degrees from -90 to 90 and from -180 to 180")
      }
      near.radius = radius
      query.near = near
    } else if radius != nil {
      throw .question("a radius needs a place; pass the place too")
    }
    return query
  }
}
