import ShardedIndex

extension ListModel {
  // MARK: Marks

  /// Whether a row of the window is marked.
  package func isMarked(_ row: Int) -> Bool {
    rows[row].identity.map(marks.contains) ?? false
  }

  /// Marks the selected record, or no longer; returns whether there was room for its mark.
  package mutating func toggleMark() -> Bool {
    guard let identity = selectedRow?.identity else { return true }
    if marks.contains(identity) {
      marks.remove(identity)
      return true
    }
    return chosenRecord().map { marks.add(identity, $0) } ?? true
  }

  /// Marks all matches, or marks those that are not and no others; returns whether there was room for all.
  package mutating func markAll(inverting: Bool) -> Bool {
    guard canMark, let count = findAll(upTo: MarkedRecords.limit) else { return !canMark }
    for row in 0..<count {
      guard let records = chosenRecord(row), let record = records.first else { return true }
      let identity = RecordIdentity(record, in: generation)
      if inverting, marks.contains(identity) {
        marks.remove(identity)
      } else if !marks.add(identity, records) {
        return false
      }
    }
    return true
  }

  package mutating func unmarkAll() { marks.removeAll() }

  // MARK: Places

  /// The most matches that a map fits.
  package static let placeLimit = 200

  /// Returns the places of the first matches: of all, or of those that are found so far.
  package mutating func foundPlaces() -> [Coordinates] {
    let count = min(rowCount, Self.placeLimit)
    if let found, found.answer == selectedNumber.answer, found.count == count { return found.places }
    let places = readPlaces(count)
    found = (selectedNumber.answer, count, places)
    return places
  }
}
