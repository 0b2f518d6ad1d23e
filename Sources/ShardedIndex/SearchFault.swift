/// The reason why an index refuses a search.
@nonexhaustive
public enum SearchFault: Error, Hashable, Sendable {
  /// The index was built without the feature that the search needs: build it again with the feature.
  case notBuilt(feature: IndexFeature)
  /// The index was built without a filter by `field`; `filters` are the fields that it has filters by.
  case noFilter(field: String, filters: [String])
  /// The index was built without numbers of `field`; `numbers` are the fields that it has numbers of.
  case noNumber(field: String, numbers: [String])
  /// The index has no `field` to group by; `fields` are its fields.
  case noGroup(field: String, fields: [String])
  /// The filter by the numbers of `field` is no range.
  case wrongRange(field: String, range: String, reason: String)
  /// The cursor belongs to another generation of the index, or to another query: ask for the first page again.
  case wrongCursor(reason: String)
  /// The condition goes with the order of ranks only.
  case needsRanks(RankedCondition)
  /// The radius of the search's place, in kilometres, is not above 0, or is above ``ShardedIndex/Place/radiusLimit``.
  case wrongRadius(kilometres: Double)
  /// The search has both an offset and a cursor.
  case offsetBesideCursor
  /// A ranked search passes over more than `limit` hits.
  case deepOffset(limit: Int)
  /// The answer takes more than `limit` parts of shards.
  case manyParts(limit: Int)
}

/// A condition of a search that the order of keys cannot meet.
@nonexhaustive
public enum RankedCondition: Hashable, Sendable {
  /// The position behind the hits of the page before.
  case cursor
  /// The place that near records rank higher for.
  case near
  /// The values that a field must have.
  case filter
  /// The correction of typing errors.
  case typos
  /// The order by the numbers of a field.
  case sort
  /// The field that makes groups of the matches.
  case group
}

/// A feature of an index, which a build adds on request.
@nonexhaustive
public enum IndexFeature: String, Sendable, CaseIterable {
  /// The greatest weight of each part, for ranked answers.
  case ranks
  /// Tables of the values of fields, for filtered answers.
  case filter
  /// Sketches of the beginnings of keys, for answers to texts with typing errors.
  case typos
  /// Tables of the cells that records lie in, for answers near to a place.
  case near
  /// The least and the greatest number of each part, for answers in the order of numbers and for ranges.
  case numbers

  /// The property of `BuildOptions` that adds the feature.
  fileprivate var option: StaticString {
    switch self {
    case .ranks: "weight"
    case .filter: "filter"
    case .typos: "typos"
    case .near: "near"
    case .numbers: "number"
    }
  }

  /// The words that an index without the feature gets in a message.
  fileprivate var lack: StaticString {
    switch self {
    case .ranks: "has no ranks"
    case .filter: "has no filters"
    case .typos: "does not correct typing errors"
    case .near: "has no places"
    case .numbers: "has no numbers to sort by"
    }
  }
}

extension SearchFault: CustomStringConvertible {
  private static func text(_ number: Double) -> String {
    #if hasFeature(Embedded)
      // The page checks radii itself. The text of a number would take kilobytes of the module.
      "of the place"
    #else
      "\(number)"
    #endif
  }

  /// The message: the fault and the remedy.
  public var description: String {
    switch self {
    case .notBuilt(let feature): "\(fault); build it again with BuildOptions.\(feature.option)"
    case .noFilter: "\(fault); name one of them, or build the index again with that field in BuildOptions.filter"
    case .noNumber: "\(fault); name one of them, or build the index again with that field in BuildOptions.number"
    default: fault
    }
  }

  /// The most fields that a message names.
  private static let namedFields = 20

  /// The message without a remedy that differs between programs and commands.
  package var fault: String {
    switch self {
    case .notBuilt(let feature): "the index \(feature.lack)"
    case .noFilter(let field, let filters):
      "the index has no filter by \(field), but by \(filters.joined(separator: ", "))"
    case .noNumber(let field, let numbers):
      "the index has no numbers of \(field), but of \(numbers.joined(separator: ", "))"
    case .noGroup(let field, let fields):
      "the index has no field \(field) to group by; name key or one of its fields: "
        + fields.prefix(Self.namedFields).joined(separator: ", ") + (fields.count > Self.namedFields ? ", ..." : "")
    case .wrongRange(let field, let range, let reason): "the range \(range) of \(field) \(reason)"
    case .wrongCursor(let reason): "the cursor \(reason); ask for the first page again"
    case .needsRanks:
      "only ranked answers have cursors, filters, places, groups and other orders; leave these out, or ask for ranks"
    case .wrongRadius(let kilometres):
      "the radius \(Self.text(kilometres)) is not above 0 and at most 20,040; pass a radius in kilometres"
    case .offsetBesideCursor: "an offset and a cursor exclude each other; leave out one"
    case .deepOffset(let limit): "the offset of a ranked answer is over \(limit); send the last cursor instead"
    case .manyParts(let limit): "the answer takes over \(limit) parts of shards; type more letters"
    }
  }
}
