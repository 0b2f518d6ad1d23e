/// Tables as Markdown and as JSON.
struct Report {
  struct Table {
    var title: String
    var columns: [String]
    var rows: [(name: String, cells: [String])] = []
    var notes: [String] = []
  }

  private(set) var tables: [Table] = []

  // MARK: Cells

  private static func number(_ value: Double?, _ decimals: Int) -> String {
    guard let value, !value.isNaN else { return "" }
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let rounded = Int((value * scale).rounded())
    guard decimals > 0 else { return "\(rounded)" }
    let fraction = "\(abs(rounded) % Int(scale))"
    return (rounded < 0 ? "-" : "") + "\(abs(rounded) / Int(scale))."
      + String(repeating: "0", count: decimals - fraction.count) + fraction
  }

  private static func times(_ times: Times?) -> String {
    times.map { number($0.p50, 2) + " / " + number($0.p99, 2) } ?? ""
  }

  /// Decimal megabytes, as the budgets are.
  private static func megabytes(_ bytes: Int?) -> String { number(bytes.map { Double($0) / 1e6 }, 2) }
  private static func megabytes(kib: Double?) -> String { number(kib.map { $0 * 1024 / 1e6 }, 2) }
  private static func megabytes(kib: Int?) -> String { megabytes(kib: kib.map(Double.init)) }

  // MARK: Tables

  /// The budgets of the design, the present build and its rivals.
  mutating func add(_ all: Measurements, effort: Effort) {
    var table = Table(
      title: "\(all.name): \(all.records) records",
      columns: [
        "", "shardq", "must be", "aim", "sorted array", "SQLite, C library", "`sqlite3` command",
        "C, unpacks 40 KB", "C, empty",
      ])
    let contenders = ["array", "sqlite", "sqlite3", "read40k", "empty"]
    func row(_ name: String, _ must: String, _ aim: String, _ cell: (String) -> String) {
      table.rows.append((name, [cell("shardq"), must, aim] + contenders.map(cell)))
    }
    row("on disk, MB", "3.0", "2.5") { Self.megabytes(all.sizes[$0]?.apparent) }
    row("on disk by `du`, MB", "3.0", "2.5") { Self.megabytes(all.sizes[$0]?.occupied) }
    row("process start to exit, ms", "0.90", "0.75") { Self.number(all.programs[$0]?.milliseconds, 2) }
    // On a busy machine many starts wait for a processor; the fastest tenth did not.
    row("process start to exit, p10 / p99, ms", "", "") { name in
      all.programs[name].map { Self.number($0.p10, 2) + " / " + Self.number($0.p99, 2) } ?? ""
    }
    if let base = all.programs["read40k"]?.milliseconds {
      row("times the C program that unpacks 40 KB", "1.5", "1.25") {
        Self.number(all.programs[$0].map { $0.milliseconds / base }, 2)
      }
    }
    row("peak resident of that process, MB", "3.0", "2.4") { Self.megabytes(kib: all.programs[$0]?.peakKiB) }
    row("Q1 cached, p50 / p99, us", "0.60 / 2", "0.33 / 0.8") { Self.times(all.first[$0]) }
    row("Q2, p50 / p99, us", "0.40 / 1", "0.30 / 0.7") { Self.times(all.counts[$0]) }
    row("Q1, small cache, mean, us", "20", "10") { Self.number(all.small[$0]?.mean, 2) }
    row("resident after the queries, all cached, MB", "6.5", "4.0") {
      Self.megabytes(kib: all.resident[$0]?.residentKiB)
    }
    row("resident after the queries, 8 MiB cache, MB", "10.4", "") {
      $0 == "shardq" ? Self.megabytes(kib: all.resident["shardq 8 MiB"]?.residentKiB) : ""
    }
    row("resident after the queries, small cache, MB", "3.0", "") {
      Self.megabytes(kib: all.resident[$0 == "shardq" ? "shardq 1 MiB" : $0 + " 256 KiB"]?.residentKiB)
    }
    row("build with two threads, s", "1", "0.5") {
      $0 == "shardq"
        ? Self.number(all.build?.seconds, 2)
        : $0 == "sqlite" && all.sqliteSeconds > 0 ? Self.number(all.sqliteSeconds, 2) : ""
    }
    row("reading alone, one thread, ms", "60", "") {
      $0 == "shardq" ? Self.number(all.build?.readingMilliseconds, 0) : ""
    }
    row("peak of the build, MB", "", "") { $0 == "shardq" ? Self.megabytes(kib: all.build?.peakKiB) : "" }
    table.notes = [
      "MB are 10^6 bytes. Medians: \(effort.starts) starts of each program, \(effort.rounds) rounds of \(effort.prefixes) "
        + "prefixes (seed \(effort.seed)), \(effort.builds) builds; all contenders in turn, answers compared before.",
      "Q1 decodes the first 20 matches with all fields, \(Self.number(all.meanAnswer, 1)) of them on average; Q2 counts. "
        + "Every time of a query holds one reading of the clock, \(Self.number(all.clock, 0)) ns. shardq folds the prefix, "
        + "the others are given it folded.",
      "The small cache is 1 MiB for shardq, 256 KiB for SQLite, whose pages lie unpacked in the system's cache "
        + "besides; with all cached SQLite's own cache is its default, 2 MB. SQLite's build starts from sorted records.",
      "Of what a process started uses, no less than \(all.floorKiB) KiB can be seen.",
    ]
    tables.append(table)
  }

  /// One measure a row, one size of the list a column.
  mutating func add(growth: [(scale: Int, all: Measurements)]) {
    guard let base = growth.first?.all else { return }
    var table = Table(
      title: "growth",
      columns: ["made-up lists"] + growth.map { "\($0.scale) x: \($0.all.records)" }
        + growth.dropFirst().map { "\($0.scale) x to \(growth[0].scale) x" })
    func row(_ name: String, _ decimals: Int, _ value: (Measurements) -> Double?) {
      let values = growth.map { value($0.all) }
      guard values.contains(where: { $0 != nil }) else { return }
      let ratios = values.dropFirst().map { later in
        Self.number(value(base).flatMap { first in later.map { $0 / first } }, 2)
      }
      table.rows.append((name, values.map { Self.number($0, decimals) } + ratios))
    }
    let labels = ["shardq": "shardq", "array": "sorted array", "sqlite": "SQLite", "sqlite3": "`sqlite3`"]
    row("bytes per record by `du`", 2) { all in
      all.sizes["shardq"].map { Double($0.occupied) / Double(all.records) }
    }
    row("bytes per record by `du`: SQLite", 2) { all in
      all.sizes["sqlite"].map { Double($0.occupied) / Double(all.records) }
    }
    for name in ["shardq", "array", "sqlite", "sqlite3"] {
      row("start to exit, ms: " + labels[name]!, 2) { $0.programs[name]?.milliseconds }
    }
    row("peak of that process, MB", 2) { $0.programs["shardq"].map { $0.peakKiB * 1024 / 1e6 } }
    for name in ["shardq", "array", "sqlite"] {
      row("Q1 cached p50, us: " + labels[name]!, 2) { $0.first[name]?.p50 }
      row("Q1 cached p99, us: " + labels[name]!, 2) { $0.first[name]?.p99 }
    }
    for name in ["shardq", "array"] {
      row("Q2 p50, us: " + labels[name]!, 2) { $0.counts[name]?.p50 }
      row("Q2 p99, us: " + labels[name]!, 2) { $0.counts[name]?.p99 }
    }
    row("Q1, 1 MiB cache, mean, us", 2) { $0.small["shardq"]?.mean }
    for (name, label) in [
      ("shardq 8 MiB", "shardq, 8 MiB cache"), ("shardq 1 MiB", "shardq, 1 MiB cache"),
      ("array", "sorted array"),
      ("sqlite", "SQLite"),
    ] {
      row("resident after the queries, MB: " + label, 2) {
        $0.resident[name].map { Double($0.residentKiB) * 1024 / 1e6 }
      }
    }
    row("build, records per second", 0) { all in all.build.map { Double(all.records) / $0.seconds } }
    row("peak of the build, MB (--memory \(base.build?.memory ?? ""))", 2) {
      $0.build.map { $0.peakKiB * 1024 / 1e6 }
    }
    tables.append(table)
  }

  // MARK: Printing

  var markdown: String {
    tables.map { table in
      var text = "### \(table.title)\n\n| " + table.columns.joined(separator: " | ") + " |\n|---"
      text += String(repeating: "|--:", count: table.columns.count - 1) + "|\n"
      for row in table.rows { text += "| " + ([row.name] + row.cells).joined(separator: " | ") + " |\n" }
      if !table.notes.isEmpty { text += "\n" + table.notes.joined(separator: "\n") + "\n" }
      return text
    }.joined(separator: "\n")
  }

  var json: String {
    func quoted(_ text: String) -> String {
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
    /// A number, two numbers or nothing.
    func value(_ cell: String) -> String {
      let parts = cell.split(separator: " / ").map(String.init)
      guard !parts.isEmpty, parts.allSatisfy({ Double($0) != nil }) else {
        return cell.isEmpty ? "null" : quoted(cell)
      }
      return parts.count == 1 ? parts[0] : "[" + parts.joined(separator: ",") + "]"
    }
    let tables = tables.map { table in
      let rows = table.rows.map { row in
        let cells = zip(table.columns.dropFirst(), row.cells).map { quoted($0) + ":" + value($1) }
        return "{\"measure\":" + quoted(row.name) + "," + cells.joined(separator: ",") + "}"
      }
      return "{\"title\":\(quoted(table.title)),\"rows\":[\n  " + rows.joined(separator: ",\n  ") + "\n]}"
    }
    return "[" + tables.joined(separator: ",\n") + "]\n"
  }
}
