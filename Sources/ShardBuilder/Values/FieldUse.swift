import ShardedIndex

/// The number of records whose values of a field a build could use, for a setting that reads the values.
public struct FieldUse: Sendable, Equatable {
  /// The setting that reads the values.
  public enum Purpose: Sendable, Equatable {
    /// The coordinates of ``BuildOptions/near``.
    case coordinates
    /// The numbers of a field, for ``BuildOptions/weight``.
    case numbers(field: String)
    /// The numbers and dates of a field, for ``BuildOptions/number``.
    case sortedNumbers(field: String)
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
  /// The sign before decimals with which ``example`` is a number; nil if no sign makes it one.
  var decimal: UInt8?
  /// The fields of ``BuildOptions/coordinates``, and of ``BuildOptions/keep``.
  private(set) var coordinates, keep: [String]?

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
    all += options.number.map { FieldUse(.sortedNumbers(field: $0)) }
    return all + options.filter.map { FieldUse(.filter(field: $0)) }
  }

  /// Adds the counts of later records.
  mutating func add(_ later: FieldUse) {
    used += later.used
    unused += later.unused
    if example == nil { (example, decimal) = (later.example, later.decimal) }
  }

  /// The setting with which the first unusable value is a number, for the end of a message; empty without one.
  package var remedy: BuildMessage {
    decimal.map { "; \(.decimal, .text(String(Unicode.Scalar($0)))) reads such numbers" } ?? ""
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
    case .sortedNumbers(let field):
      throw .dataset(
        .options,
        message: """
          no record has a number or a date in \(quoted(field)), which \(.number) names (the first has \
          \(quoted(example ?? "")))\(remedy); the fields are: \(fields)
          """)
    case .filter(let field):
      throw .dataset(
        .options,
        message: "no record has a value in \(quoted(field)), which \(.filter) names; the fields are: \(fields)")
    }
  }
}
