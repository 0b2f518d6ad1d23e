import ShardedIndex

/// The number of records whose values of a field a build could use, for a setting that reads the values.
public struct FieldUse: Sendable, Equatable {
  /// The setting that reads the values.
  public enum Purpose: Sendable, Equatable {
    /// The coordinates of ``BuildOptions/near``.
    case coordinates
    /// The numbers of a field, for ``BuildOptions/weight``.
    case numbers(field: String)
    /// The values of a field, for ``BuildOptions/filter``.
    case filter(field: String)
  }

  public let purpose: Purpose
  /// The number of records with usable values.
  public internal(set) var used = 0
  /// The number of records without a usable value.
  public internal(set) var unused = 0
  /// The first record without a usable value: its key, or for numbers the text of the field.
  public internal(set) var example: String?
  /// The fields of ``BuildOptions/coordinates``, and of ``BuildOptions/keep``.
  private var coordinates, keep: [String]?

  init(_ purpose: Purpose) { self.purpose = purpose }

  /// Returns the uses of the settings of a build.
  ///
  /// - Parameter readsWeight: Whether the weights come from the records, not from a file.
  static func all(_ options: BuildOptions, readsWeight: Bool) -> [FieldUse] {
    var all: [FieldUse] = []
    if options.near {
      var use = FieldUse(.coordinates)
      (use.coordinates, use.keep) = (options.coordinates, options.keep)
      all.append(use)
    }
    if readsWeight, let weight = options.weight { all.append(FieldUse(.numbers(field: weight))) }
    return all + options.filter.map { FieldUse(.filter(field: $0)) }
  }

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

  /// Adds the counts of later records.
  mutating func add(_ later: FieldUse) {
    used += later.used
    unused += later.unused
    example = example ?? later.example
  }

  /// The setting with which the first unusable value is a number, for the end of a message; empty without one.
  package var remedy: BuildMessage {
    guard case .numbers = purpose, let decimal = example.flatMap({ NumberNotation.decimal(of: $0) }) else { return "" }
    return "; \(.decimal, .text(String(Unicode.Scalar(decimal)))) reads such numbers"
  }

  /// Refuses a setting that no record has a value for.
  ///
  /// - Parameter names: The names of all fields.
  func check(names: [String]) throws(BuildError) {
    guard used == 0, unused > 0 else { return }
    let fields = BuildError.list(names)
    switch purpose {
    case .coordinates:
      throw .dataset(
        .options,
        message: """
          no record has coordinates, which \(.near) needs; degrees stand in fields such as lat and lon, \(.coordinates) \
          names others, and \(.decimal, .text(",")) reads decimal commas; the fields are: \(fields)
          """)
    case .numbers(let field):
      throw .dataset(
        .options,
        message: """
          no record has a number in \(quoted(field)), which \(.weight) names (the first has \
          \(quoted(example ?? "")))\(remedy); the fields are: \(fields)
          """)
    case .filter(let field):
      throw .dataset(
        .options,
        message: "no record has a value in \(quoted(field)), which \(.filter) names; the fields are: \(fields)")
    }
  }
}
