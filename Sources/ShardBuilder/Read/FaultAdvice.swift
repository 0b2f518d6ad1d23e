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

  private var skipping: String { canSkip ? "leave such records out with --skip-bad" : "mend the file there" }

  /// - Parameters:
  ///   - line: Of the fault.
  ///   - found: The byte there; nil at the dataset's end.
  func text(_ fault: Fault, line: Int, found: UInt8?) -> String {
    let csv = "--input-format \(format.rawValue) "
    func shell(_ before: String, _ after: String = "") -> String {
      Opener(before: before, after: after).line(path: path, options: csv)
    }
    switch fault.remedy {
    case .said: return ""
    case .usual: return usual(fault, found: found)
    case .blankBeforeQuote:
      let mark = delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter))
      return "take the blanks before it away: " + shell("sed 's/\(mark) *\"/\(mark)\"/g' ")
    case .quoteInside:
      return "double it and quote the field, or, if quotes are plain text in this file: "
        + Opener(
          before: "tr '\(delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter)))' '\\t' < ", format: "tsv"
        )
        .line(path: path)
    case .backslashBeforeQuote:
      return "double quotes instead of escaping them: " + shell("sed 's/\\\\\"/\"\"/g' ")
    case .carriageReturn:
      return line == 1
        ? "convert the line ends: " + shell("tr '\\r' '\\n' < ") : "quote the field, or \(skipping)"
    case .encoding:
      return "name the file's encoding, --encoding windows-1252 for example, or \(skipping)"
    case .escape: return "write \\\\ for a backslash, or \(skipping)"
    case .columnNames:
      return "say --name-columns, or name the columns with --columns if the first line is a record"
    case .tooFewFields:
      return format == .geonames
        ? "the file may be cut short: fetch it again, or \(skipping)"
        : "say --ragged if records may lack their last fields, or \(skipping)"
    case .tooManyFields(let lastIsEmpty):
      if headerIsComment { return "say --comment '#' if lines that begin with it are no records" }
      if columnCount == 1, format != .geonames {
        return "say --skip-lines \(max(1, line - 1)) if line \(line) is the header, or \(skipping)"
      }
      if lastIsEmpty, format == .csv, delimiter != 0x09 {
        return "take the last \(described(delimiter)) of each line away: "
          + shell("sed 's/\(String(Unicode.Scalar(delimiter)))$//' ")
      }
      return format == .csv
        ? "quote a field that has \(described(delimiter)) in it, or \(skipping)" : skipping
    }
  }

  private func usual(_ fault: Fault, found: UInt8?) -> String {
    guard format.isJSON else { return skipping }
    if layout == .lines {
      return found == 0x0A || found == nil || fault.reason.hasPrefix("expected the end of the line")
        ? "say --input-format json if a value may run over several lines, or \(skipping)" : skipping
    }
    if canSkip {
      return found == UInt8(ascii: "[") && fault.reason.hasPrefix("expected an object")
        ? "make rows of arrays: "
          + Opener(before: "jq -r '.[] | @csv' ", format: "csv").line(path: path, options: "--columns a,b ")
        : skipping
    }
    return found == nil
      ? "the file may be cut short: fetch it again" : "mend the file there, since what follows cannot be read"
  }
}
