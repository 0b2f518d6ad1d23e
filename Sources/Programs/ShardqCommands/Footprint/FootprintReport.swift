#if CommandLineTool
  import Answers
  import QueryOutput

  /// The report of a footprint run, for people and for programs.
  struct FootprintReport {
    var index: String
    var recordCount: Int
    /// The origin of the log: a file, or `seed N`.
    var logName: String
    var keyCount: Int
    var sessionCount: Int
    var rows: [FootprintRow]
    var leftOut: [(design: String, reason: String)]
    var gates: [Gate]

    /// A limit on shardq's own row.
    struct Gate {
      var name: String
      var option: String
      var limit: Double
      var value: Double
      /// Returns a number with its unit, for people.
      var describe: (Double) -> String

      var isPassed: Bool { value <= limit }

      var failure: String {
        "\(option): shardq's \(name) is \(describe(value)), \(describe(value - limit)) over the limit of \(describe(limit))"
      }
    }

    // MARK: Table

    /// The figures, then the meanings of the designs.
    var table: String {
      var cells = [["", "peak", "private", "start", "median", "p99", "read", "faults", "on disk"]]
      for row in rows {
        let figures = row.figures
        cells.append([
          row.design, Self.size(row.peakResident), Self.size(row.mostPrivate), Self.time(row.start),
          Self.time(figures["median"] ?? 0), Self.time(figures["p99"] ?? 0), Self.size(figures["bytes_read"] ?? 0),
          QueryRunner.grouped(figures["minor_faults"] ?? 0)
            + ((figures["major_faults"] ?? 0) > 0 ? "+\(figures["major_faults"]!)" : ""),
          Self.size(row.diskBytes),
        ])
      }
      var text =
        "\(QueryRunner.counted(recordCount, "record")), \(QueryRunner.counted(keyCount, "key")) in "
        + "\(QueryRunner.counted(sessionCount, "session")) (\(printable(logName)))\n\n"
      text += alignedColumns(cells, leftAligned: 0)
      if let own = rows.first(where: { $0.design == FootprintDesign.own }) { text += "\n" + Self.perKey(own) }
      let meanings = FootprintDesign.others.filter { design in rows.contains { $0.design == design.name } }
      if !meanings.isEmpty {
        text += "\n"
        for design in meanings {
          text += design.name + String(repeating: " ", count: 13 - design.name.count) + design.meaning + "\n"
        }
        text += "All of them gave the same answers: counts, order and every field of the first 20 matches.\n"
      }
      for design in leftOut { text += "Left out: \(design.design): \(printable(design.reason))\n" }
      return text
    }

    private static func perKey(_ row: FootprintRow) -> String {
      func mean(_ name: String) -> Double { Double(row.figures[name] ?? 0) / Double(max(1, row.figures["keys"] ?? 1)) }
      return "shardq, per key: \(decimal(mean("loads"), 2)) loads, \(decimal(mean("hits"), 2)) hits, "
        + "\(size(Int(mean("loaded_bytes")))) decompressed; "
        + "\(size(row.figures["cache_bytes"] ?? 0)) in its cache at the end\n"
    }

    /// Megabytes are 10^6 bytes.
    static func size(_ bytes: Int) -> String {
      switch bytes {
      case 100_000_000...: "\((bytes + 500_000) / 1_000_000) MB"
      case 1_000_000...: decimal(Double(bytes) / 1e6, 1) + " MB"
      case 1_000...: decimal(Double(bytes) / 1e3, 1) + " kB"
      default: "\(bytes) B"
      }
    }

    static func time(_ nanoseconds: Int) -> String {
      switch nanoseconds {
      case 100_000_000...: QueryRunner.grouped((nanoseconds + 500_000) / 1_000_000) + " ms"
      case 1_000_000...: decimal(Double(nanoseconds) / 1e6, 1) + " ms"
      case 100_000...: "\((nanoseconds + 500) / 1_000) us"
      default: decimal(Double(nanoseconds) / 1e3, 1) + " us"
      }
    }

    static func decimal(_ value: Double, _ places: Int) -> String {
      let scale = (0..<places).reduce(1.0) { product, _ in product * 10 }
      let scaled = Int((value * scale).rounded())
      let (whole, rest) = abs(scaled).quotientAndRemainder(dividingBy: Int(scale))
      let digits = String(rest)
      return (scaled < 0 ? "-" : "") + QueryRunner.grouped(whole) + "."
        + String(repeating: "0", count: places - digits.count) + digits
    }

    // MARK: JSON

    var json: String {
      var text = "\(JSONText.schema)\"index\":\(JSONText.string(index)),\"records\":\(recordCount)"
      text += ",\"log\":\(JSONText.string(logName)),\"keys\":\(keyCount),\"sessions\":\(sessionCount)"
      text += ",\"designs\":[" + rows.map(Self.json).joined(separator: ",") + "]"
      let reasons = leftOut.map {
        "{\"design\":\(JSONText.string($0.design)),\"reason\":\(JSONText.string($0.reason))}"
      }
      text += ",\"left_out\":[" + reasons.joined(separator: ",") + "]"
      let gates = gates.map {
        "{\"gate\":\(JSONText.string($0.option)),\"limit\":\(Self.number($0.limit)),\"value\":\(Self.number($0.value))"
          + ",\"passed\":\($0.isPassed)}"
      }
      return text + ",\"gates\":[" + gates.joined(separator: ",") + "]}\n"
    }

    private static func number(_ value: Double) -> String {
      value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)"
    }

    private static func json(_ row: FootprintRow) -> String {
      var text = "{\"design\":\(JSONText.string(row.design)),\"peak_resident_bytes\":\(row.peakResident)"
      text += ",\"private_bytes\":\(row.mostPrivate),\"start_ns\":\(row.start)"
      text += ",\"starts_ns\":[" + row.starts.map(String.init).joined(separator: ",") + "]"
      for (name, key) in [
        ("median", "median_ns"), ("p99", "p99_ns"), ("mean", "mean_ns"), ("bytes_read", "bytes_read"),
        ("minor_faults", "minor_faults"), ("major_faults", "major_faults"),
      ] {
        text += ",\"\(key)\":\(row.figures[name] ?? 0)"
      }
      text += ",\"disk_bytes\":\(row.diskBytes)"
      for (name, key) in [
        ("hits", "hits"), ("misses", "misses"), ("loads", "loads"), ("evictions", "evictions"),
        ("loaded_bytes", "decompressed_bytes"), ("cache_bytes", "cache_bytes"),
      ] {
        if let value = row.figures[name] { text += ",\"\(key)\":\(value)" }
      }
      text += ",\"answers\":\"\(row.answers)\""
      let samples = row.samples.map { "[\($0.keys),\($0.resident),\($0.privatePages)]" }
      return text + ",\"samples\":[" + samples.joined(separator: ",") + "]}"
    }
  }
#endif
