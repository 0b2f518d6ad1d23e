/// The path that names a field.
///
/// A nested JSON member has its path as its name, `coord.lon`. A dot or a backslash inside of one member's name is
/// written `\.` or `\\`, so that the path has clear steps.
package enum FieldPath {
  /// The most levels of nesting; the record itself is level 1.
  static let depthLimit = 64

  /// Returns a JSON member's own name as one step of a path.
  package static func step(_ member: String) -> String {
    guard member.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "\\") }) else {
      return member
    }
    var step = ""
    for scalar in member.unicodeScalars {
      if scalar == "." || scalar == "\\" { step.unicodeScalars.append("\\") }
      step.unicodeScalars.append(scalar)
    }
    return step
  }

  /// Returns the paths of the columns `headers`. A dot in a header stands for nesting, as in an export of nested
  /// records; ``DelimitedRecords/flatNames`` tells the paths of which this is not true.
  ///
  /// In some headers a dot cannot mean nesting; such a header is one name, with the dot escaped. In these headers
  /// nothing stands between dots or beside a dot (`No.`), a backslash escapes neither a dot nor a backslash, there are
  /// more steps than records nest, or another header is both a value and the beginning of this one (`a` and `a.b`).
  package static func paths(ofHeaders headers: [String]) -> [String] {
    let steps = headers.map(steps)
    // A header that is not a path is a name, and another header may begin with that name.
    let whole = Set(zip(headers, steps).map { Array(($1 == nil ? step($0) : $0).utf8) })
    return zip(headers, steps).map { header, steps in
      guard let steps else { return step(header) }
      var path = ""
      for part in steps.dropLast() {
        path += path.isEmpty ? part : "." + part
        if whole.contains(Array(path.utf8)) { return step(header) }
      }
      return header
    }
  }

  /// Returns whether a path has several steps.
  static func isNested(_ path: String) -> Bool { steps(path).map { $0.count > 1 } ?? false }

  /// Returns the steps of a path, with their escapes; nil if the text is not a path.
  private static func steps(_ path: String) -> [String]? {
    var steps = [""]
    var escaped = false
    for scalar in path.unicodeScalars {
      if escaped {
        guard scalar == "." || scalar == "\\" else { return nil }
        escaped = false
      } else if scalar == "." {
        guard steps.count < depthLimit else { return nil }
        steps.append("")
        continue
      } else {
        escaped = scalar == "\\"
      }
      steps[steps.count - 1].unicodeScalars.append(scalar)
    }
    return escaped || steps.contains("") ? nil : steps
  }

  /// Returns the name of a column, without the escapes of a path that does not nest.
  static func header(_ path: String) -> String { members(path).flatMap { $0.count == 1 ? $0[0] : nil } ?? path }

  /// Returns the members on a path, with resolved escapes; nil if the text is not a path.
  static func members(_ path: String) -> [String]? {
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
