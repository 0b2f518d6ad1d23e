/// Finds the array of records inside of an object, by a path of members, and the object's end behind it.
///
/// Values that are not on the path are checked as JSON and left out.
struct JSONEnvelope {
  enum Step {
    /// A value on the path: an object, or the array.
    case open
    case firstName, name
    /// After a member's name, which is the path's or not.
    case colon(isOnPath: Bool)
    case value
    /// A value that is too big to be looked at as a whole.
    case bigValue(BracketSkipper)
    case afterValue
  }

  let path: [String]
  var step = Step.open
  /// The number of objects of the path that are open.
  var depth = 0
  /// Whether the array was there.
  var hasArray = false
  /// The members met beside the one that the path names, for a message.
  private(set) var others: [String] = []

  init(path: [String]) { self.path = path }

  /// Takes a member's name, and returns the step after it.
  mutating func take(name: String) -> Step {
    let isOnPath = name == path[depth - 1] && !hasArray
    if !isOnPath, !hasArray, others.count < 12, depth == path.count { others.append(name) }
    return .colon(isOnPath: isOnPath)
  }

  /// The path to the array, as ``DatasetDialect/recordsPath`` is one.
  var pathText: String { path.map(FieldNames.step).joined(separator: ".") }

  /// The message on an array that was not found.
  var absence: BuildMessage {
    let others = others.isEmpty ? "" : ", but " + others.map(quoted).joined(separator: ", ")
    return "there is no array at \"\(printable(pathText.utf8, limit: 80))\"\(others); \(Self.naming)"
  }

  /// The advice where the path leads to no array.
  static let naming: BuildMessage = "name the path to the records with \(.recordsPath)"
}

extension FieldNames {
  /// Returns the members on a path, their escapes taken off; nil when it is none.
  static func members(ofPath path: String) -> [String]? {
    var members = [""]
    var isEscaped = false
    for scalar in path.unicodeScalars {
      if !isEscaped, scalar == "\\" {
        isEscaped = true
        continue
      }
      if !isEscaped, scalar == "." {
        members.append("")
      } else {
        members[members.count - 1].unicodeScalars.append(scalar)
      }
      isEscaped = false
    }
    return isEscaped || members.contains("") ? nil : members
  }
}
