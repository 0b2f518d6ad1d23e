import ShardedIndex

extension FieldUse {
  /// Counts the records of a chunk.
  mutating func count(_ chunk: RecordArena, names: [String]) {
    switch purpose {
    case .coordinates:
      var settings = IndexSettings(key: "")
      (settings.coordinates, settings.keep) = (coordinates, keep)
      settings.chooseCoordinates(among: names)
      let finder = CellFinder(names: names, settings.coordinateFields)
      count(chunk) {
        finder.place(of: $0) != nil
      } example: {
        unsafe printable($0.key, limit: 60)
      }
    case .numbers(let field):
      let number = names.firstIndex(of: field).map { UInt32($0) }
      let text = { (record: RecordBlob) in unsafe number.flatMap { unsafe record.text(ofField: $0) } }
      count(chunk) {
        unsafe text($0).map { unsafe WeightRule.isNumber($0) } ?? false
      } example: {
        unsafe text($0).map { unsafe printable($0, limit: 60) } ?? ""
      }
      if decimal == nil { decimal = example.flatMap { NumberNotation.decimal(of: $0) } }
    case .sortedNumbers(let field):
      let number = names.firstIndex(of: field)
      count(chunk) { record in
        var hasNumber = false
        unsafe record.withField(number) { unsafe RecordNumbers.forEach($0, $1) { _ in hasNumber = true } }
        return hasNumber
      } example: { record in
        unsafe number.flatMap { unsafe record.text(ofField: UInt32($0)) }.map { unsafe printable($0, limit: 60) } ?? ""
      }
      if decimal == nil { decimal = example.flatMap { NumberNotation.decimal(of: $0) } }
    case .filter(let field):
      let number = names.firstIndex(of: field)
      count(chunk) { record in
        var hasValue = false
        if let number {
          unsafe record.withField(number) { unsafe FieldTexts.forEachValue($0, $1) { _ in hasValue = true } }
        }
        return hasValue
      } example: {
        unsafe printable($0.key, limit: 60)
      }
    }
  }

  private mutating func count(
    _ chunk: RecordArena, isUsable: (RecordBlob) -> Bool, example: (RecordBlob) -> String
  ) {
    for number in 0..<chunk.count {
      let record = chunk.record(number)
      if isUsable(record) {
        used += 1
      } else {
        unused += 1
        if self.example == nil { self.example = example(record) }
      }
    }
  }
}
