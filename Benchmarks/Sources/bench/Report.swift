/// The report: tables as Markdown and as JSON.
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

  /// Returns decimal megabytes, the unit of the budgets.
  private static func megabytes(_ bytes: Int?) -> String { number(bytes.map { Double($0) / 1e6 }, 2) }
  private static func megabytes(kib: Double?) -> String { number(kib.map { $0 * 1024 / 1e6 }, 2) }
  private static func megabytes(kib: Int?) -> String { megabytes(kib: kib.map(Double.init)) }
  private static func memory(_ memory: Measurements.Memory?) -> String {
    memory.map { megabytes(kib: $0.residentKiB) + " / " + megabytes(kib: $0.dirtyKiB) } ?? ""
  }

  // MARK: Tables

  private static let labels: [(name: String, label: String)] =
    [("shardq", "shardq"), ("array", "sorted array, mapped")] + RivalKind.all.map { ($0.name, $0.label) }
    + [("sqlite3", "`sqlite3` command"), ("read40k", "C, unpacks 40 KB"), ("empty", "C, empty")]

  /// Adds the table of the present build beside the budgets.
  mutating func add(_ all: Measurements, effort: Effort) {
    var table = Table(
      title: "\(all.name): \(all.records) records", columns: ["", "shardq", "must be", "aim"])
    func row(_ name: String, _ must: String, _ aim: String, _ cell: String) {
      table.rows.append((name, [cell, must, aim]))
    }
    let own = all.programs["shardq"]
    row("on disk, MB", "3.0", "2.5", Self.megabytes(all.sizes["shardq"]?.apparent))
    row("on disk by `du`, MB", "3.0", "2.5", Self.megabytes(all.sizes["shardq"]?.occupied))
    row("process start to exit, ms", "0.90", "0.75", Self.number(own?.milliseconds, 2))
    // On a busy machine many starts wait for a processor; the fastest tenth did not.
    row(
      "process start to exit, p10 / p99, ms", "", "",
      own.map { Self.number($0.p10, 2) + " / " + Self.number($0.p99, 2) } ?? "")
    if let base = all.programs["read40k"]?.milliseconds {
      row(
        "times the C program that unpacks 40 KB", "1.5", "1.25", Self.number(own.map { $0.milliseconds / base }, 2))
    }
    row("peak resident memory of a start, MB", "3.0", "2.4", Self.megabytes(kib: own?.peakKiB))
    row("Q1 cached, p50 / p99, us", "0.60 / 2", "0.33 / 0.8", Self.times(all.first["shardq"]))
    row("Q2, p50 / p99, us", "0.40 / 1", "0.30 / 0.7", Self.times(all.counts["shardq"]))
    row("Q1, 1 MiB cache, mean, us", "20", "10", Self.number(all.small["shardq"]?.mean, 2))
    for (name, key, must, aim) in [
      ("all cached", "shardq", "6.5", "4.0"), ("8 MiB cache", "shardq 8 MiB", "10.4", ""),
      ("1 MiB cache", "shardq 1 MiB", "3.0", ""),
    ] {
      row("resident after the queries, \(name), MB", must, aim, Self.megabytes(kib: all.resident[key]?.residentKiB))
      row("of it private dirty pages, \(name), MB", "", "", Self.megabytes(kib: all.resident[key]?.dirtyKiB))
    }
    row("build with two threads, s", "1", "0.5", Self.number(all.builds["shardq"]?.seconds, 2))
    row("reading the dataset, one thread, ms", "60", "", Self.number(all.readingMilliseconds, 0))
    row("peak of the build, MB", "", "", Self.megabytes(kib: all.builds["shardq"]?.peakKiB))
    if let lean = all.builds["shardq, lean"] {
      row("build with --memory \(Effort.leanMemory), s", "", "", Self.number(lean.seconds, 2))
      row("peak of the build with --memory \(Effort.leanMemory), MB", "", "", Self.megabytes(kib: lean.peakKiB))
    }
    for (name, key) in [
      ("in the overlay", "shardq"), ("in a new overlay", "shardq, first"), ("in shards", "shardq, shards"),
    ] {
      if let time = all.updates[key] { row("one record changed, \(name), ms", "", "", Self.number(time, 2)) }
    }
    table.notes = [
      "MB are 10^6 bytes. Figures are medians of \(effort.starts) starts of each program, \(effort.rounds) rounds of \(all.prefixCount) "
        + "\(effort.log == nil ? "prefixes (seed \(effort.seed))" : "keystrokes of a log"), \(effort.builds) builds. Contenders take turns; their answers are compared first.",
      "Q1 decodes the first 20 matches with all fields, \(Self.number(all.meanAnswer, 1)) of them on average; Q2 counts. "
        + "The time of each query includes one reading of the clock, \(Self.number(all.clock, 0)) ns.",
      "A peak below \(all.floorKiB) KiB, the peak of the program that starts the others, cannot be seen.",
    ]
    tables.append(table)
    addRivals(all)
    if !all.limited.isEmpty { addLimited(all, effort) }
  }

  /// Adds the table with a row for each contender.
  private mutating func addRivals(_ all: Measurements) {
    var table = Table(
      title: "beside its rivals, in the same run",
      columns: [
        "", "on disk, MB", "by `du`, MB", "start to exit, ms", "peak of a start, MB", "Q1 cached, p50 / p99, us",
        "Q2, p50 / p99, us", "Q1, 1 MiB cache, mean, us", "resident / private dirty, all cached, MB",
        "resident / private dirty, 1 MiB cache, MB", "build, s", "peak of the build, MB", "one record changed, ms",
      ])
    for (name, label) in Self.labels {
      // A rival begins with sorted records, so the time to read and sort the dataset is added.
      let sorting = name == "shardq" ? 0 : all.sortingSeconds
      let build = name == "array" ? all.arraySeconds : all.builds[name].map { $0.seconds + sorting }
      let cells = [
        Self.megabytes(all.sizes[name]?.apparent), Self.megabytes(all.sizes[name]?.occupied),
        Self.number(all.programs[name]?.milliseconds, 2), Self.megabytes(kib: all.programs[name]?.peakKiB),
        Self.times(all.first[name]), Self.times(all.counts[name]), Self.number(all.small[name]?.mean, 2),
        Self.memory(all.resident[name]), Self.memory(all.resident[name + " 1 MiB"]),
        Self.number(build, 2), Self.megabytes(kib: all.builds[name]?.peakKiB), Self.number(all.updates[name], 2),
      ]
      if cells.contains(where: { !$0.isEmpty }) { table.rows.append((label, cells)) }
    }
    let missing = RivalKind.all.filter { all.builds[$0.name] == nil }.map(\.label)
    table.notes = [
      "shardq gets the typed text and folds it; the others get the folded text. LMDB, SQLite, marisa-trie and RocksDB "
        + "count by walking all matches.",
      "A rival's build includes the \(Self.number(all.sortingSeconds, 2)) s that reading, folding and sorting the list takes "
        + "on one thread; its peak does not. shardq's build reads the list itself. All builds are on disk when they end.",
      "An update is a process that changes one record and ends when the change is on disk. shardq finds the record by its "
        + "key and checks its id; the rivals get the key. shardq's figure is of a change in an overlay that is there "
        + "(update --overlay). A contender without a figure has to build anew.",
    ]
    if !missing.isEmpty { table.notes.append("Not built here: \(missing.joined(separator: ", ")).") }
    tables.append(table)
  }

  /// Adds the table with a row for each contender and a column for each amount of memory.
  private mutating func addLimited(_ all: Measurements, _ effort: Effort) {
    var table = Table(
      title: "Q1 in little memory: mean, us",
      columns: ["of all memory"] + effort.limits.map { "\($0) MiB" })
    table.rows = all.limited.map { ($0.name, $0.means.map { Self.number($0, 2) }) }
    table.notes = [
      "The kernel limits each contender's process by itself: its own memory, its program, the cached pages of its files, and "
        + "the kernel's own memory for it. Without a figure the kernel ended it, or a query took over a millisecond."
    ]
    if let size = all.readAheadKiB { table.notes.append("The device is read \(size) KiB ahead.") }
    tables.append(table)
  }

  /// Adds the table with a row for each measure and a column for each size of the list.
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
    for (name, label) in Self.labels {
      row("bytes per record by `du`: " + label, 2) { all in
        all.sizes[name].map { Double($0.occupied) / Double(all.records) }
      }
    }
    for (name, label) in Self.labels { row("start to exit, ms: " + label, 2) { $0.programs[name]?.milliseconds } }
    row("peak of a start, MB", 2) { $0.programs["shardq"].map { $0.peakKiB * 1024 / 1e6 } }
    for (name, label) in Self.labels {
      row("Q1 cached p50, us: " + label, 2) { $0.first[name]?.p50 }
      row("Q1 cached p99, us: " + label, 2) { $0.first[name]?.p99 }
    }
    for (name, label) in Self.labels {
      row("Q2 p50, us: " + label, 2) { $0.counts[name]?.p50 }
      row("Q2 p99, us: " + label, 2) { $0.counts[name]?.p99 }
    }
    row("Q1, 1 MiB cache, mean, us", 2) { $0.small["shardq"]?.mean }
    let limited = [("shardq 8 MiB", "shardq, 8 MiB cache"), ("shardq 1 MiB", "shardq, 1 MiB cache")]
    for (name, label) in limited + Self.labels.dropFirst().map({ ($0.name, $0.label) }) {
      row("resident after the queries, MB: " + label, 2) {
        $0.resident[name].map { Double($0.residentKiB) * 1024 / 1e6 }
      }
    }
    row("build, records per second", 0) { all in all.builds["shardq"].map { Double(all.records) / $0.seconds } }
    row("peak of the build, MB (--memory \(base.memory))", 2) {
      $0.builds["shardq"].map { $0.peakKiB * 1024 / 1e6 }
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
    /// Returns a cell in JSON: a number, two numbers, a text or null.
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
