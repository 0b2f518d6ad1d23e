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

  private static let labels: [(name: String, label: String)] =
    [("shardq", "shardq"), ("array", "sorted array, mapped")] + RivalKind.all.map { ($0.name, $0.label) }
    + [("sqlite3", "`sqlite3` command"), ("read40k", "C, unpacks 40 KB"), ("empty", "C, empty")]

  /// The present build against the budgets of the design.
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
    row("peak resident of that process, MB", "3.0", "2.4", Self.megabytes(kib: own?.peakKiB))
    row("Q1 cached, p50 / p99, us", "0.60 / 2", "0.33 / 0.8", Self.times(all.first["shardq"]))
    row("Q2, p50 / p99, us", "0.40 / 1", "0.30 / 0.7", Self.times(all.counts["shardq"]))
    row("Q1, 1 MiB cache, mean, us", "20", "10", Self.number(all.small["shardq"]?.mean, 2))
    for (name, key, must, aim) in [
      ("all cached", "shardq", "6.5", "4.0"), ("8 MiB cache", "shardq 8 MiB", "10.4", ""),
      ("1 MiB cache", "shardq 1 MiB", "3.0", ""),
    ] {
      row("resident after the queries, \(name), MB", must, aim, Self.megabytes(kib: all.resident[key]?.residentKiB))
    }
    row("build with two threads, s", "1", "0.5", Self.number(all.builds["shardq"]?.seconds, 2))
    row("reading alone, one thread, ms", "60", "", Self.number(all.readingMilliseconds, 0))
    row("peak of the build, MB", "", "", Self.megabytes(kib: all.builds["shardq"]?.peakKiB))
    table.notes = [
      "MB are 10^6 bytes. Medians: \(effort.starts) starts of each program, \(effort.rounds) rounds of \(all.prefixCount) "
        + "\(effort.log == nil ? "prefixes (seed \(effort.seed))" : "keystrokes of a log"), \(effort.builds) builds; all contenders in turn, answers compared before.",
      "Q1 decodes the first 20 matches with all fields, \(Self.number(all.meanAnswer, 1)) of them on average; Q2 counts. "
        + "Every time of a query holds one reading of the clock, \(Self.number(all.clock, 0)) ns.",
      "Of what a process started uses, no less than \(all.floorKiB) KiB can be seen.",
    ]
    tables.append(table)
    addRivals(all)
    if !all.limited.isEmpty { addLimited(all, effort) }
  }

  /// A contender a row.
  private mutating func addRivals(_ all: Measurements) {
    var table = Table(
      title: "beside its rivals, in the same run",
      columns: [
        "", "on disk, MB", "by `du`, MB", "start to exit, ms", "peak of that, MB", "Q1 cached, p50 / p99, us",
        "Q2, p50 / p99, us", "Q1, 1 MiB cache, mean, us", "resident, all cached, MB", "resident, 1 MiB cache, MB",
        "build, s", "its peak, MB", "one record changed, ms",
      ])
    func change(_ name: String) -> String {
      let others =
        name == "shardq"
        ? " (where none is beside the shards: \(Self.number(all.updates["shardq, first"], 2)); "
          + "into shards: \(Self.number(all.updates["shardq, shards"], 1)))" : ""
      return Self.number(all.updates[name], 2) + others
    }
    for (name, label) in Self.labels {
      // A rival begins with sorted records; the dataset has to be read and sorted for it too.
      let sorting = name == "shardq" ? 0 : all.sortingSeconds
      let build = name == "array" ? all.arraySeconds : all.builds[name].map { $0.seconds + sorting }
      // Of a build that is told to do with little.
      let lean = name == "shardq" ? all.builds["shardq, lean"] : nil
      func withLean(_ cell: String, _ lean: String?) -> String { cell + (lean.map { " (in less: \($0))" } ?? "") }
      let cells = [
        Self.megabytes(all.sizes[name]?.apparent), Self.megabytes(all.sizes[name]?.occupied),
        Self.number(all.programs[name]?.milliseconds, 2), Self.megabytes(kib: all.programs[name]?.peakKiB),
        Self.times(all.first[name]), Self.times(all.counts[name]), Self.number(all.small[name]?.mean, 2),
        Self.megabytes(kib: all.resident[name]?.residentKiB),
        Self.megabytes(kib: all.resident[name + " 1 MiB"]?.residentKiB),
        withLean(Self.number(build, 2), lean.map { Self.number($0.seconds, 2) }),
        withLean(Self.megabytes(kib: all.builds[name]?.peakKiB), lean.map { Self.megabytes(kib: $0.peakKiB) }),
        change(name),
      ]
      if cells.contains(where: { !$0.isEmpty }) { table.rows.append((label, cells)) }
    }
    let missing = RivalKind.all.filter { all.builds[$0.name] == nil }.map(\.label)
    table.notes = [
      "shardq is given what is typed and folds it; the others are given it folded. Counts of LMDB, SQLite, marisa-trie and "
        + "RocksDB walk all matches.",
      "A rival's build holds the \(Self.number(all.sortingSeconds, 2)) s that reading, folding and sorting the list takes "
        + "for it, on one thread; its peak does not. shardq's build reads the list itself; in less is with --memory "
        + "\(Effort.leanMemory). All are on disk when they end.",
      "An update is a process that changes one record and ends when that is on disk. shardq reads the record and finds the "
        + "one with its id by its key, the rivals are told the key; it leaves the change in the overlay (update --overlay) that "
        + "the one before left, or makes one, or writes it into shards. Where there is no figure, an update is a build.",
    ]
    if !missing.isEmpty { table.notes.append("Not built here: \(missing.joined(separator: ", ")).") }
    tables.append(table)
  }

  /// A contender a row, an amount of memory a column.
  private mutating func addLimited(_ all: Measurements, _ effort: Effort) {
    var table = Table(
      title: "Q1 in little memory: mean, us",
      columns: ["of all memory"] + effort.limits.map { "\($0) MiB" })
    table.rows = all.limited.map { ($0.name, $0.means.map { Self.number($0, 2) }) }
    table.notes = [
      "Limited by the kernel for each contender's process, by itself: its own memory, its program's, the pages that the system "
        + "keeps of its files, and the kernel's own for it. No figure: ended by the kernel, or over a millisecond a query."
    ]
    if let size = all.readAheadKiB { table.notes.append("The device is read \(size) KiB ahead.") }
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
    for (name, label) in Self.labels {
      row("bytes per record by `du`: " + label, 2) { all in
        all.sizes[name].map { Double($0.occupied) / Double(all.records) }
      }
    }
    for (name, label) in Self.labels { row("start to exit, ms: " + label, 2) { $0.programs[name]?.milliseconds } }
    row("peak of that process, MB", 2) { $0.programs["shardq"].map { $0.peakKiB * 1024 / 1e6 } }
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
