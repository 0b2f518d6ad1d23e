/// The advice on a fault, for the end of its message.
struct FaultAdvice {
  let path: String
  let format: DatasetFormat
  let layout: DatasetOpening.RecordLayout
  let delimiter: UInt8
  /// The columns that a setting names.
  let columns: [String]?
  /// The number of columns in the header, and the sign of a comment with which the header's line begins.
  let columnCount: Int
  let headerComment: String?
  /// Whether only the content shows that the dataset is no list of lines.
  let mayBeLines: Bool
  /// Whether ``DatasetOptions/skipBad`` helps.
  let canSkip: Bool
  let isFirstLine: Bool
  /// The bytes of the line before the fault, and the bytes from the fault on, as far as they are read.
  let before: [UInt8]
  let after: [UInt8]

  /// The byte at the fault; nil at the dataset's end.
  private var found: UInt8? { after.first }

  private var skipping: BuildMessage {
    canSkip ? "leave such records out with \(.skipsBad)" : "correct the file there"
  }

  /// - Parameter line: The line of the fault.
  func text(_ fault: Fault, line: Int) -> BuildMessage {
    switch fault.remedy {
    case .said: return ""
    case .usual where fault.reason.hasSuffix("is not UTF-8 here"): return encoding
    case .usual: return usual(fault)
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
      return isFirstLine ? "convert the line ends\(shell("tr '\\r' '\\n' < "))" : "quote the field, or \(skipping)"
    case .encoding: return encoding
    case .escape: return "write \\\\ for a backslash, or \(skipping)"
    case .columnNames:
      return "\(pass: .namesColumns), or name the columns with \(.columns) if the first line is a record"
    case .recordsPath: return JSONEnvelope.naming
    case .entries:
      return """
        if the object is a table, make each member a record\
        \(command: ": \(JSONEntries.valuesLine(path: path))", library: "")
        """
    case .tooFewFields:
      return format == .geonames
        ? "the file may be cut short; fetch it again, or \(skipping)"
        : "\(pass: .isRagged) if records may lack their last fields, \(lines)or \(skipping)"
    case .tooManyFields(let count, let lastIsEmpty): return tooManyFields(count, lastIsEmpty: lastIsEmpty, line: line)
    }
  }

  /// Returns the end of an advice: the command for the advice, and the build that reads its output.
  private func shell(_ before: String) -> BuildMessage {
    let line = Opener(before: before).line(path: path, options: "\(.inputFormat, .text(format.rawValue)) ")
    return "\(command: ": \(line)", library: "")"
  }

  /// The advice to read lines, in a list of advices.
  private var lines: BuildMessage {
    mayBeLines ? "\(pass: .inputFormat, .text("lines")) if each line is one text, " : ""
  }

  /// The advice on bytes that are not UTF-8: the guessed encoding.
  private var encoding: BuildMessage {
    let guess = EncodingGuess(before + after)
    if guess.encoding == .windows1252 {
      let line = before.suffix(20) + after.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(20)
      let text = printable(Transcoder.text(of: line, .windows1252).utf8, limit: 40)
      return "\(pass: .encoding, .encoding(.windows1252)), which reads \"\(text)\" there, or \(skipping)"
    }
    let line = EncodingGuess.line(guess.name, path: path, format: format)
    return """
      the text looks like \(guess.name); convert it\(command: ": \(line)", library: " to UTF-8"), or \(skipping)
      """
  }

  private func tooManyFields(_ count: Int, lastIsEmpty: Bool, line: Int) -> BuildMessage {
    if let headerComment { return "\(pass: .comment, .text(headerComment)) if such lines are not records" }
    if columnCount == 1, format != .geonames {
      return "\(pass: .skippedLines, .number(max(1, line - 1))) if line \(line) is the header, or \(skipping)"
    }
    if lastIsEmpty, format == .csv, delimiter != 0x09 {
      return """
        remove the last \(described(delimiter)) of each line\
        \(shell("sed 's/\(String(Unicode.Scalar(delimiter)))$//' "))
        """
    }
    if let columns, columns.count > 1, count <= BuildError.shownFields {
      let more = columns + (columns.count + 1...count).map { "column\($0)" }
      return """
        \(pass: .columns, .text(more.joined(separator: ","))) with \(.isRagged) if records may have \(count) fields, \
        \(lines)or \(skipping)
        """
    }
    return format == .csv ? "quote a field with \(described(delimiter)) in it, \(lines)or \(skipping)" : skipping
  }

  private func usual(_ fault: Fault) -> BuildMessage {
    guard format.isJSON else { return innerQuotes(fault) ?? skipping }
    if let advice = notJSON(fault) { return advice }
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

  /// The advice on a quote inside of a quoted field that is not doubled; nil if the line has no later closing quote.
  private func innerQuotes(_ fault: Fault) -> BuildMessage? {
    let rest = after.prefix { $0 != 0x0A }
    let mark = delimiter == 0x09 ? "\\t" : String(Unicode.Scalar(delimiter))
    let closes = zip(rest, rest.dropFirst() + [0x0D]).contains {
      $0 == UInt8(ascii: "\"") && ($1 == delimiter || $1 == 0x0D)
    }
    guard format == .csv, fault.reason.hasPrefix("expected \(described(delimiter)) or the end"), closes else {
      return nil
    }
    // Quotes between other signs are doubled, and so is the last one before the closing quote. Two quotes with one
    // sign between them need a second run.
    let double = "s/([^\(mark)\"])\"([^\(mark)\"])/\\1\"\"\\2/g"
    let last = "s/([^\(mark)\"])\"\"([\(mark)]|$)/\\1\"\"\"\\2/g"
    let sed = " | sed -E '\(double); \(double); \(last)'"
    let line = Opener(before: "tr -d '\\r' < ", after: sed, format: format.rawValue)
    return "double the quotes inside of it\(command: ": \(line.line(path: path))", library: ""), or \(skipping)"
  }

  /// The advice on text that other programs take for JSON; nil for another fault.
  private func notJSON(_ fault: Fault) -> BuildMessage? {
    for word in ["NaN", "Infinity"] where after.starts(with: word.utf8) {
      let opener = Opener(
        before: word == "NaN" ? "sed 's/\\bNaN\\b/null/g' " : "sed -E 's/-?\\b(NaN|Infinity)\\b/null/g' ",
        format: format.rawValue)
      return "write null for it\(command: ": \(opener.line(path: path))", library: "")"
    }
    let last = before.last { !isJSONSpace($0) }
    if found == UInt8(ascii: "]") || found == UInt8(ascii: "}"), last == nil || last == UInt8(ascii: ","),
      fault.reason.hasPrefix("expected a")
    {
      return "remove the comma before it"
    }
    guard found == UInt8(ascii: ","), layout == .lines || layout == .sequence, last == UInt8(ascii: "}") else {
      return nil
    }
    if layout == .sequence, !isFirstLine {
      let opener = Opener(before: "(echo '['; sed '$s/,[[:space:]]*$//' ", after: "; echo ']')", format: "json")
      return "put the objects into an array\(command: ": \(opener.line(path: path))", library: "")"
    }
    let blanks = after.dropFirst().first == 0x0D ? "[[:space:]]*" : ""
    let opener = Opener(before: "sed 's/,\(blanks)$//' ", format: "jsonl")
    return "remove the comma at the end of each line\(command: ": \(opener.line(path: path))", library: "")"
  }
}
