/// The advice on a fault, for the end of its message.
struct FaultAdvice {
  let path: String
  let format: DatasetFormat
  let layout: DatasetOpening.Layout
  let delimiter: UInt8
  /// The number of columns that the header named, and whether its line looks like a comment.
  let columnCount: Int
  let headerIsComment: Bool
  /// Whether ``DatasetOptions/skipBad`` helps.
  let canSkip: Bool

  private var skipping: BuildMessage {
    canSkip ? "leave such records out with \(.skipsBad)" : "mend the file there"
  }

  /// - Parameters:
  ///   - line: Of the fault.
  ///   - found: The byte there; nil at the dataset's end.
  func text(_ fault: Fault, line: Int, found: UInt8?) -> BuildMessage {
    switch fault.remedy {
    case .said: return ""
    case .usual: return usual(fault, found: found)
    case .blankBeforeQuote:
      let mark = delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter))
      return "take the blanks before it away\(shell("sed 's/\(mark) *\"/\(mark)\"/g' "))"
    case .quoteInside:
      let mark = delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter))
      let line = Opener(before: "tr '\(mark)' '\\t' < ", format: "tsv").line(path: path)
      return """
        double it and quote the field\
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
      return "\(say: .namesColumns), or name the columns with \(.columns) if the first line is a record"
    case .recordsPath: return JSONEnvelope.naming
    case .tooFewFields:
      return format == .geonames
        ? "the file may be cut short: fetch it again, or \(skipping)"
        : "\(say: .isRagged) if records may lack their last fields, or \(skipping)"
    case .tooManyFields(let lastIsEmpty): return tooManyFields(lastIsEmpty: lastIsEmpty, line: line)
    }
  }

  /// Returns the end of an advice: the command that follows it, and builds from the rest.
  private func shell(_ before: String) -> BuildMessage {
    let line = Opener(before: before).line(path: path, options: "\(.inputFormat, .text(format.rawValue)) ")
    return "\(command: ": \(line)", library: "")"
  }

  private func tooManyFields(lastIsEmpty: Bool, line: Int) -> BuildMessage {
    if headerIsComment { return "\(say: .comment, .text("#")) if lines that begin with it are no records" }
    if columnCount == 1, format != .geonames {
      return "\(say: .skippedLines, .number(max(1, line - 1))) if line \(line) is the header, or \(skipping)"
    }
    if lastIsEmpty, format == .csv, delimiter != 0x09 {
      return """
        take the last \(described(delimiter)) of each line away\
        \(shell("sed 's/\(String(Unicode.Scalar(delimiter)))$//' "))
        """
    }
    return format == .csv ? "quote a field that has \(described(delimiter)) in it, or \(skipping)" : skipping
  }

  private func usual(_ fault: Fault, found: UInt8?) -> BuildMessage {
    guard format.isJSON else { return skipping }
    if layout == .lines {
      return found == 0x0A || found == nil || fault.reason.hasPrefix("expected the end of the line")
        ? "\(say: .inputFormat, .text("json")) if a value may run over several lines, or \(skipping)" : skipping
    }
    if canSkip {
      guard found == UInt8(ascii: "["), fault.reason.hasPrefix("expected an object") else { return skipping }
      let line = Opener(before: "jq -r '.[] | @csv' ", format: "csv").line(
        path: path, options: "\(.columns, .text("a,b")) ")
      return "make rows of arrays\(command: ": \(line)", library: "")"
    }
    return found == nil
      ? "the file may be cut short: fetch it again" : "mend the file there, since what follows cannot be read"
  }
}
