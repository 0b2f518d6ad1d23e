/// The advice on a fault, for the end of its message.
struct FaultAdvice {
  let path: String
  let format: DatasetFormat
  let layout: DatasetOpening.Layout
  let delimiter: UInt8
  /// The number of columns in the header, and whether the header's line looks like a comment.
  let columnCount: Int
  let headerIsComment: Bool
  /// Whether ``DatasetOptions/skipBad`` helps.
  let canSkip: Bool

  private var skipping: BuildMessage {
    canSkip ? "leave such records out with \(.skipsBad)" : "correct the file there"
  }

  /// - Parameters:
  ///   - line: The line of the fault.
  ///   - found: The byte at the fault; nil at the dataset's end.
  func text(_ fault: Fault, line: Int, found: UInt8?) -> BuildMessage {
    switch fault.remedy {
    case .said: return ""
    case .usual: return usual(fault, found: found)
    case .blankBeforeQuote:
      let mark = delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter))
      return "remove the spaces before it\(shell("sed 's/\(mark) *\"/\(mark)\"/g' "))"
    case .quoteInside:
      let mark = delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter))
      let line = Opener(before: "tr '\(mark)' '\\t' < ", format: "tsv").line(path: path)
      return """
        double the quote and quote the field\
        \(command: ", or, if quotes are plain text in this file: \(line)", library: "")
        """
    case .backslashBeforeQuote:
      return "double quotes instead of escaping them\(shell("sed 's/\\\\\"/\"\"/g' "))"
    case .carriageReturn:
      return line == 1 ? "convert the line ends\(shell("tr '\\r' '\\n' < "))" : "quote the field, or \(skipping)"
    case .encoding:
      return "name the file's encoding, \(.encoding, .encoding(.windows1252)) for example, or \(skipping)"
    case .escape: return "write \\\\ for a backslash, or \(skipping)"
    case .columnNames:
      return "\(pass: .namesColumns), or name the columns with \(.columns) if the first line is a record"
    case .recordsPath: return JSONEnvelope.naming
    case .tooFewFields:
      return format == .geonames
        ? "the file may be cut short; fetch it again, or \(skipping)"
        : "\(pass: .isRagged) if records may lack their last fields, or \(skipping)"
    case .tooManyFields(let lastIsEmpty): return tooManyFields(lastIsEmpty: lastIsEmpty, line: line)
    }
  }

  /// Returns the end of an advice: the command for the advice, and the build that reads its output.
  private func shell(_ before: String) -> BuildMessage {
    let line = Opener(before: before).line(path: path, options: "\(.inputFormat, .text(format.rawValue)) ")
    return "\(command: ": \(line)", library: "")"
  }

  private func tooManyFields(lastIsEmpty: Bool, line: Int) -> BuildMessage {
    if headerIsComment { return "\(pass: .comment, .text("#")) if such lines are not records" }
    if columnCount == 1, format != .geonames {
      return "\(pass: .skippedLines, .number(max(1, line - 1))) if line \(line) is the header, or \(skipping)"
    }
    if lastIsEmpty, format == .csv, delimiter != 0x09 {
      return """
        remove the last \(described(delimiter)) of each line\
        \(shell("sed 's/\(String(Unicode.Scalar(delimiter)))$//' "))
        """
    }
    return format == .csv ? "quote a field with \(described(delimiter)) in it, or \(skipping)" : skipping
  }

  private func usual(_ fault: Fault, found: UInt8?) -> BuildMessage {
    guard format.isJSON else { return skipping }
    if layout == .lines {
      return found == 0x0A || found == nil || fault.reason.hasPrefix("expected the end of the line")
        ? "\(pass: .inputFormat, .text("json")) if a value may run over several lines, or \(skipping)" : skipping
    }
    if canSkip {
      guard found == UInt8(ascii: "["), fault.reason.hasPrefix("expected an object") else { return skipping }
      let line = Opener(before: "jq -r '.[] | @csv' ", format: "csv").line(
        path: path, options: "\(.columns, .text("a,b")) ")
      return "convert the arrays to rows\(command: ": \(line)", library: "")"
    }
    return found == nil
      ? "the file may be cut short; fetch it again" : "correct the file there; the rest of it cannot be read"
  }
}
