#if CommandLineTool
  import Answers
  import ArgumentParser
  import QueryOutput

  /// The format of a report.
  package enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  /// Names and values that are printed for people or as one JSON object.
  package struct Report {
    package enum Value {
      case number(Int)
      case text(String)
      case list([String])
      case flag(Bool)
      /// JSON as it is; people see the note.
      case raw(String)
    }

    private var lines: [(name: String, value: Value, note: String?)] = []
    private var rows: [(label: String, text: String)] = []

    init() {}

    /// Makes the summary of a command.
    package init(of command: String) { add("command", .text(command)) }

    package mutating func add(_ name: String, _ value: Value, note: String? = nil) {
      lines.append((name, value, note))
    }

    /// Adds a line that people see instead of the names and values.
    mutating func addRow(_ label: String, _ text: String) { rows.append((label, text)) }

    /// Prints the report, and ends the process where that fails.
    ///
    /// - Parameter more: Lines that people see below it.
    package func print(_ format: ReportFormat, then more: String = "") {
      var output = Output()
      do throws(WriteError) {
        try output.write(format == .json ? json : text + more)
        try output.flush()
      } catch {
        finish(Diagnostics.failed(error))
      }
    }

    private var text: String {
      if !rows.isEmpty {
        let width = rows.map(\.label.utf8.count).max() ?? 0
        return rows.map { label, text in
          label + String(repeating: " ", count: width - label.utf8.count + 2) + text + "\n"
        }.joined()
      }
      let width = lines.map(\.name.utf8.count).max() ?? 0
      return lines.map { name, value, note in
        var line = name.split(separator: "_").joined(separator: " ")
        line += String(repeating: " ", count: width - name.utf8.count + 2)
        switch value {
        case .number(let number): line += QueryRunner.grouped(number) + (note.map { " " + $0 } ?? "")
        case .text(let text): line += printable(text) + (note.map { " " + $0 } ?? "")
        case .list(let names): line += names.map(printable).joined(separator: ", ")
        case .flag(let flag): line += flag ? "yes" : "no"
        case .raw: line += note ?? ""
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line + "\n"
      }.joined()
    }

    private var json: String {
      let members = lines.map { line in
        let value =
          switch line.value {
          case .number(let number): String(number)
          case .text(let text): JSONText.string(text)
          case .list(let texts): "[" + texts.map(JSONText.string).joined(separator: ",") + "]"
          case .flag(let flag): flag ? "true" : "false"
          case .raw(let json): json
          }
        return JSONText.string(line.name) + ":" + value
      }
      return "\(JSONText.schema)" + members.joined(separator: ",") + "}\n"
    }
  }

  /// Returns rows of cells as lines with two spaces between columns. One column is aligned to the left, the others to
  /// the right; spaces at the end of a line are left out.
  func alignedColumns(_ rows: [[String]], leftAligned: Int) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max()! }
    return rows.map { cells in
      let padded = cells.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return column == leftAligned ? cell + space : space + cell
      }
      var line = padded.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }
#endif
