import QueryOutput
import ShardedIndex

extension ListModel {
  // MARK: Filters

  /// The fields to filter by. Those of numbers come last.
  var filterFields: [String] {
    let fields = generation.manifest.filterFields
    return fields + generation.manifest.numberFields.filter { !fields.contains($0) }
  }

  /// The reason why no filter can be chosen; nil if there is none.
  var filterRefusal: String? {
    if filterFields.isEmpty { return "the index has no filters; build it with --filter or --number" }
    return search.order == .key ? "filters go with --sort rank; leave out --sort key" : nil
  }

  /// The filters, such as `country=FR`; each is cut to some columns.
  var filterNotes: [String] {
    search.filter.flatMap { filter in
      filter.values.map { value in
        let note = (filter.field + "=" + value).unicodeScalars
        return note.count <= 40 ? String(note) : String(String.UnicodeScalarView(note.prefix(37))) + "..."
      }
    }
  }

  /// The values that the search filters a field by.
  private func values(chosenIn field: String) -> [String] {
    search.filter.filter { $0.field == field }.flatMap(\.values)
  }

  /// Whether two values of a field are the same filter.
  private func areSame(_ left: String, _ right: String, in field: String) -> Bool {
    hasNumbers(field) ? left == right : Fold.fold(left) == Fold.fold(right)
  }

  /// Whether the filters by a field are ranges of its numbers.
  private func hasNumbers(_ field: String) -> Bool { !generation.manifest.filterFields.contains(field) }

  /// Filters by a value, or no longer, and searches the text again.
  package mutating func toggleFilter(_ field: String, _ value: String) {
    let rest = search.filter.compactMap { (filter) -> ShardedIndex.Filter? in
      guard filter.field == field else { return filter }
      let others = filter.values.filter { !areSame($0, value, in: field) }
      return others.isEmpty ? nil : ShardedIndex.Filter(field, isOneOf: others)
    }
    search.filter = rest == search.filter ? rest + [ShardedIndex.Filter(field, isOneOf: [value])] : rest
    search(query)
  }

  /// Returns the fields, or the values of a field among the matches of the text, that begin with a text; nil if they
  /// cannot be read.
  package mutating func choice(of field: String?, start: String, line: LineEditor) -> FilterChoice? {
    let folded = Fold.fold(start)
    guard let field else {
      let rows = filterFields.filter { Fold.fold($0).starts(with: folded) }.map { field in
        let chosen = values(chosenIn: field)
        return FilterChoice.FilterRow(text: field, chosen: chosen, isChosen: !chosen.isEmpty)
      }
      return FilterChoice(field: nil, start: start, line: line, rows: rows, hasMore: false)
    }
    let hasNumbers = hasNumbers(field)
    guard let facet = facet(of: field, startingWith: hasNumbers ? "" : start) else { return nil }
    let chosen = values(chosenIn: field)
    var rows = facet.values.map { value in
      FilterChoice.FilterRow(
        text: value.value, count: QueryRunner.text(ShardedIndex.Total(value.count, isExact: facet.isExact)),
        isChosen: chosen.contains { areSame($0, value.value, in: field) })
    }
    // Chosen values without matches, or beyond the limit, can be removed as well. A typed range is a row of its own.
    var others = chosen.filter { hasNumbers || Fold.fold($0).starts(with: folded) }
    if hasNumbers, isRange(start, of: field) { others.insert(start, at: 0) }
    for other in others.reversed() where !rows.contains(where: { areSame($0.text, other, in: field) }) {
      rows.insert(FilterChoice.FilterRow(text: other, isChosen: chosen.contains(other)), at: 0)
    }
    return FilterChoice(field: field, start: start, line: line, rows: rows, hasMore: facet.hasMore)
  }

  private func isRange(_ text: String, of field: String) -> Bool {
    let query = ShardedIndex.SearchQuery("", filter: [ShardedIndex.Filter(field, isOneOf: [text])])
    return (try? query.checked(in: generation.manifest)) != nil
  }

  /// Returns the values of a field among the matches of the text; nil if they cannot be read.
  private mutating func facet(of field: String, startingWith start: String) -> ShardedIndex.Facet? {
    var asked = search
    (asked.text, asked.facets, asked.facetStart) = (query, [field], start)
    (asked.limit, asked.facetLimit, asked.group) = (1, ShardedIndex.Facet.valueLimit, nil)
    do throws(IndexError) {
      return try index.following { (generation) throws(IndexError) in
        var search = try ShardedIndex.Search(asked, in: generation)
        try search.findAll()
        return try search.counts().facets.first
      }
    } catch {
      meet(error)
      return nil
    }
  }
}
