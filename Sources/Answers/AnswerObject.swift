import ShardedIndex

/// The facts of an answer besides its records.
package struct AnswerFacts {
  /// The name of the generation.
  package let generation: String
  /// The number of matches.
  package let total: ShardedIndex.Total
  /// The number of keys that begin with the text; nil if it is unknown.
  package let keys: Int?
  package let facets: [ShardedIndex.Facet]
  package let isRanked: Bool
  /// The order by the numbers of a field; nil for another order.
  package let sort: ShardedIndex.SearchQuery.Sort?
  package let isComplete: Bool
  /// The correction of the text, if all records correct its typing errors; otherwise nil.
  package let correction: String?
  /// The reading of the text that the answer comes from; nil for the text itself.
  package let interpretation: ShardedIndex.Interpretation?
  /// The words that the search left out, since nothing matches all words.
  package let dropped: [String]
  /// The position behind the last record; nil if there are no more, and without ranks.
  package let cursor: String?
  /// The longest beginning of the text that a record matches, if nothing matches the text.
  package let nearest: String?

  /// - Parameters:
  ///   - generation: The name of the generation that was searched.
  ///   - correction: That of the first page.
  ///   - hasNearest: Whether the form of the answer has ``nearest``.
  package init(
    _ search: ShardedIndex.Search, in generation: String, correction: String?, hasNearest: Bool = true
  ) throws(IndexError) {
    self.generation = generation
    (total, facets) = try search.counts()
    (keys, isRanked, isComplete) = (search.keys, search.isRanked, search.isComplete)
    (self.correction, interpretation, dropped) = (correction, search.interpretation, search.dropped)
    (cursor, sort) = (search.cursor?.description, search.query.sort)
    nearest = hasNearest ? try search.nearest(total) : nil
  }
}

/// The members of an answer that only some callers want.
package struct AnswerMembers: Sendable {
  /// The texts that a list shows for each record.
  package var display = false
  /// The rank of each record, and the text that matched.
  package var hits = false
  /// The client's number for the request; nil for none.
  package var sequence: Int?

  package init(display: Bool = false, hits: Bool = false, sequence: Int? = nil) {
    (self.display, self.hits, self.sequence) = (display, hits, sequence)
  }
}

/// The object of JSON that answers a search: the one writer of commands, server, module and libraries. Source:
/// docs/answer.schema.json.
package enum AnswerObject {
  /// Writes the beginning of the object: the version of its members, and the query.
  package static func begin(_ query: String, _ output: inout Output) throws(WriteError) {
    try output.write(JSONText.schema)
    try output.write("\"query\":" as StaticString)
    try JSONText.write(query, to: &output)
  }

  /// Writes the members that tell which answer it is.
  package static func write(
    _ query: ShardedIndex.SearchQuery, generation: String, sequence: Int? = nil, _ output: inout Output
  ) throws(WriteError) {
    try write("offset", query.offset, &output)
    if query.limit < .max { try write("limit", query.limit, &output) }
    try output.write(",\"generation\":\"" as StaticString)
    try output.write(generation)
    try output.write(0x22)
    if let sequence { try write("seq", sequence, &output) }
  }

  /// Writes the beginning of the array of records.
  package static func beginMatches(_ output: inout Output) throws(WriteError) {
    try output.write(",\"matches\":[" as StaticString)
  }

  package static func endMatches(_ output: inout Output) throws(WriteError) { try output.write(0x5d) }

  /// Writes the array of hits.
  package static func write(
    _ hits: some Sequence<ShardedIndex.Hit>, _ output: inout Output
  ) throws(WriteError) {
    try output.write(",\"hits\":[" as StaticString)
    var isFirst = true
    for hit in hits {
      if !isFirst { try output.write(0x2c) }
      isFirst = false
      try write(hit, &output)
    }
    try output.write(0x5d)
  }

  /// Writes the hit of a record: its rank, the text that matched, and the ranges in that text, in bytes of UTF-8.
  package static func write(_ hit: ShardedIndex.Hit, _ output: inout Output) throws(WriteError) {
    let (via, highlights) = hit.matched
    try output.write("{\"key\":" as StaticString)
    try JSONText.write(hit.record.key, to: &output)
    try write("score", hit.score, &output)
    try write("weight", Int(clamping: hit.rank.weight), &output)
    try write("bonus", hit.bonus, &output)
    try write("edits", hit.edits, &output)
    try output.write(",\"via\":\"" as StaticString)
    try output.write(via.label)
    try output.write(0x22)
    if case .otherName(let name) = via { try write("name", name, &output) }
    try output.write(",\"highlights\":" as StaticString)
    try JSONText.write(highlights, to: &output)
    try output.write(0x7d)
  }

  /// Writes the number of matches, and the number of keys that begin with the text if it is known.
  package static func write(
    _ total: ShardedIndex.Total, keys: Int?, _ output: inout Output
  ) throws(WriteError) {
    try write("count", total.number, &output)
    try write("total", total.number, &output)
    try output.write(
      total.isExact ? ",\"totalIsExact\":true" as StaticString : ",\"totalIsExact\":false" as StaticString)
    if let keys { try write("keys", keys, &output) }
  }

  /// Writes the members behind the records, and the end of the object.
  package static func end(_ facts: AnswerFacts, _ output: inout Output) throws(WriteError) {
    try write(facts.total, keys: facts.keys, &output)
    if !facts.facets.isEmpty { try write(facts.facets, &output) }
    if facts.isRanked {
      try write("sort", facts.sort?.text ?? "rank", &output)
      try output.write(facts.isComplete ? ",\"complete\":true" as StaticString : ",\"complete\":false" as StaticString)
      if let correction = facts.correction { try write("correction", correction, &output) }
      if let interpretation = facts.interpretation { try write(interpretation, &output) }
      if !facts.dropped.isEmpty { try write("dropped", facts.dropped, &output) }
      if let cursor = facts.cursor { try write("cursor", cursor, &output) }
    } else {
      try output.write(",\"sort\":\"key\"" as StaticString)
    }
    if let nearest = facts.nearest { try write("nearest", nearest, &output) }
    try output.write("}\n" as StaticString)
  }

  /// Writes the array of facets.
  private static func write(_ facets: [ShardedIndex.Facet], _ output: inout Output) throws(WriteError) {
    try output.write(",\"facets\":" as StaticString)
    for (number, facet) in facets.enumerated() {
      try output.write(number == 0 ? "[{" as StaticString : ",{" as StaticString)
      try write(membersOf: facet, &output)
    }
    try output.write(0x5d)
  }

  /// Writes the object that answers a request for the values of a field.
  package static func write(valuesOf facet: ShardedIndex.Facet, _ output: inout Output) throws(WriteError) {
    try output.write(JSONText.schema)
    try write(membersOf: facet, &output)
    try output.write(0x0a)
  }

  /// Writes a field with its values, and the end of the object.
  private static func write(membersOf facet: ShardedIndex.Facet, _ output: inout Output) throws(WriteError) {
    try output.write("\"field\":" as StaticString)
    try JSONText.write(facet.field, to: &output)
    try output.write(",\"values\":[" as StaticString)
    for (number, value) in facet.values.enumerated() {
      try output.write(number == 0 ? "{\"value\":" as StaticString : ",{\"value\":" as StaticString)
      try JSONText.write(value.value, to: &output)
      try write("count", value.count, &output)
      try output.write(0x7d)
    }
    try output.write(facet.isExact ? "],\"exact\":true" as StaticString : "],\"exact\":false" as StaticString)
    try output.write(facet.hasMore ? ",\"more\":true" as StaticString : ",\"more\":false" as StaticString)
    if let least = facet.least { try write("least", least, &output) }
    if let greatest = facet.greatest { try write("greatest", greatest, &output) }
    try output.write(0x7d)
  }

  /// Writes the text of a reading, and its filters as an object if there are some.
  private static func write(
    _ interpretation: ShardedIndex.Interpretation, _ output: inout Output
  ) throws(WriteError) {
    try output.write(",\"interpretation\":{\"text\":" as StaticString)
    try JSONText.write(interpretation.text, to: &output)
    for (number, filter) in interpretation.filters.enumerated() {
      try output.write(number == 0 ? ",\"filter\":{" as StaticString : "," as StaticString)
      try JSONText.write(filter.field, to: &output)
      try output.write(0x3a)
      try JSONText.write(filter.value, to: &output)
    }
    try output.write(interpretation.filters.isEmpty ? "}" as StaticString : "}}" as StaticString)
  }

  private static func write(_ name: StaticString, _ number: Int, _ output: inout Output) throws(WriteError) {
    try begin(name, &output)
    try output.write(number: number)
  }

  private static func write(_ name: StaticString, _ text: String, _ output: inout Output) throws(WriteError) {
    try begin(name, &output)
    try JSONText.write(text, to: &output)
  }

  private static func write(_ name: StaticString, _ texts: [String], _ output: inout Output) throws(WriteError) {
    try begin(name, &output)
    for (number, text) in texts.enumerated() {
      try output.write(number == 0 ? 0x5b : 0x2c)
      try JSONText.write(text, to: &output)
    }
    try output.write(0x5d)
  }

  private static func begin(_ name: StaticString, _ output: inout Output) throws(WriteError) {
    try output.write(",\"" as StaticString)
    try output.write(name)
    try output.write("\":" as StaticString)
  }
}

extension ShardedIndex.Via {
  /// The word for the kind of match in JSON.
  package var label: StaticString {
    switch self {
    case .key: "key"
    case .word: "word"
    case .words: "words"
    case .otherName: "name"
    case .field: "field"
    }
  }
}

extension ShardedIndex.Interpretation {
  /// The filters, each as a person types it: `country=FR`.
  package var conditions: [String] { filters.map { $0.field + "=" + $0.value } }
}

extension ShardedIndex.Filter {
  /// The value of a filter of a reading, which has one.
  fileprivate var value: String { values.first ?? "" }
}
