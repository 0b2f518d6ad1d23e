/// Finds the array of records inside of an object by a path of members, and then finds the object's end.
///
/// Values outside of the path are checked as JSON and left out.
struct JSONEnvelope {
  enum Step {
    /// The next value is on the path: an object, or the array.
    case open
    case firstName, name
    /// A colon follows a member's name, which is on the path or not.
    case colon(isOnPath: Bool)
    case value
    /// The value is too big to be read as a whole.
    case bigValue(BracketSkipper)
    case afterValue
  }

  let path: [String]
  var step = Step.open
  /// The number of open objects of the path.
  var depth = 0
  /// Whether the array was found.
  var hasArray = false
  /// The other members so far, for a message.
  private(set) var others: [String] = []

  init(path: [String]) { self.path = path }

  /// Returns the step after a member's name.
  mutating func step(afterName name: String) -> Step {
    let isOnPath = name == path[depth - 1] && !hasArray
    if !isOnPath, !hasArray, others.count < 12, depth == path.count { others.append(name) }
    return .colon(isOnPath: isOnPath)
  }

  /// The path to the array, in the form of ``DatasetDialect/recordsPath``.
  var pathText: String { path.map(FieldPath.step).joined(separator: ".") }

  /// The message on a missing array.
  var absence: BuildMessage {
    let others = others.isEmpty ? "" : ", but " + others.map(quoted).joined(separator: ", ")
    return "there is no array at \"\(printable(pathText.utf8, limit: 80))\"\(others); \(Self.naming)"
  }

  /// The advice for a path that leads to no array.
  static let naming: BuildMessage = "name the path to the records with \(.recordsPath)"
}
