#if CommandLineTool
  import Answers
  import Footprint
  import QueryOutput

  /// The report of a plan: two tables for people, or one JSON object.
  struct PlanReport {
    let plan: Plan
    let options: PlanOptions
    /// The command that builds the choice.
    let command: String

    /// A size as options are written.
    static func size(_ bytes: Int) -> String { ByteSize(bytes: bytes).defaultValueDescription }

    // MARK: Text

    var text: String {
      let (number, counted) = (QueryRunner.grouped, QueryRunner.counted)
      func sessions(_ figures: ReplayFigures) -> String {
        counted(figures.sessions, "session", nil) + ", " + counted(figures.keystrokes, "keystroke", nil)
      }
      let (usual, best) = (plan.usual, plan.best)
      var text = "to choose: \(sessions(usual.choosing)); cache \(Self.size(options.cacheLimitBytes)), "
      text += "\(counted(options.rows, "row", nil)) a keystroke, at most \(number(plan.diskLimitBytes)) bytes on disk\n"
      text += table(plan.candidates, \.choosing)
      text += "\nto check: \(sessions(usual.heldOut))\n"
      text += table(best.sizes == usual.sizes ? [usual] : [usual, best], \.heldOut)
      return text + "\n" + conclusion + command + "\n"
    }

    private func table(_ rows: [PlanCandidate], _ figures: KeyPath<PlanCandidate, ReplayFigures>) -> String {
      let number = QueryRunner.grouped
      let head = [
        "shard", "part", "files", "a shard", "bytes", "on disk", "directory", "loads/key", "bytes/key", "p99",
        "resident", "",
      ]
      let lines = rows.map { row in
        let played = row[keyPath: figures]
        let loads = played.loads * 1000 / max(1, played.keystrokes)
        return [
          Self.size(row.sizes.shardBytes), Self.size(row.sizes.partBytes), number(row.files),
          number(row.meanShardBytes), number(row.bytes), number(row.diskBytes), number(row.directoryBytes),
          Self.decimal(loads, places: 3), number(played.loadedBytesPerKeystroke), number(played.loadedBytesP99),
          number(played.residentBytes), mark(row),
        ]
      }
      return alignedColumns([head] + lines, leftAligned: head.count - 1)
    }

    /// The remark on a candidate at the end of its line.
    private func mark(_ candidate: PlanCandidate) -> String {
      if candidate.sizes == plan.choice.sizes {
        return candidate.sizes == plan.usual.sizes ? "<- the default, chosen" : "<- chosen"
      }
      if candidate.sizes == plan.usual.sizes { return "default" }
      if candidate.sizes == plan.best.sizes { return "best here, not confirmed" }
      return candidate.diskBytes > plan.diskLimitBytes ? "too large" : ""
    }

    private var conclusion: String {
      let (usual, best) = (plan.usual, plan.best)
      if plan.isConfirmed {
        let change = Self.percent(best.heldOut.loadedBytes, of: usual.heldOut.loadedBytes)
        return "In the sessions that check, the choice decompresses \(change) bytes per keystroke than the default"
          + " and takes \(Self.percent(best.diskBytes, of: usual.diskBytes)) bytes on disk.\n"
      }
      return best.sizes == usual.sizes
        ? "The default sizes are the best of these; keep them.\n"
        : "The best sizes above are no better than the default in the sessions that check; keep the default.\n"
    }

    /// Returns a change in words: `12.3 % fewer`, `4.0 % more`.
    private static func percent(_ value: Int, of other: Int) -> String {
      guard other > 0 else { return value == 0 ? "as many" : "more" }
      // Sums of bytes are far below a thousandth of the largest number.
      return decimal(abs(value - other) * 1000 / other, places: 1) + (value < other ? " % fewer" : " % more")
    }

    private static func decimal(_ value: Int, places: Int) -> String {
      var unit = 1
      for _ in 0..<places { unit *= 10 }
      let rest = String(value % unit)
      return "\(value / unit)." + String(repeating: "0", count: places - rest.utf8.count) + rest
    }

    // MARK: JSON

    var json: String {
      let rows = plan.candidates.map(json).joined(separator: ",")
      return "\(JSONText.schema)\"cache_bytes\":\(options.cacheLimitBytes),\"rows\":\(options.rows),"
        + "\"max_disk_bytes\":\(plan.diskLimitBytes),\"candidates\":[\(rows)],"
        + "\"is_default\":\(!plan.isConfirmed),\"command\":\(JSONText.string(command))}\n"
    }

    private func json(_ row: PlanCandidate) -> String {
      "{\"shard_bytes\":\(row.sizes.shardBytes),\"part_bytes\":\(row.sizes.partBytes),\"files\":\(row.files),"
        + "\"mean_shard_bytes\":\(row.meanShardBytes),\"bytes\":\(row.bytes),\"disk_bytes\":\(row.diskBytes),"
        + "\"directory_bytes\":\(row.directoryBytes),"
        + "\"default\":\(row.sizes == plan.usual.sizes),\"best\":\(row.sizes == plan.best.sizes),"
        + "\"chosen\":\(row.sizes == plan.choice.sizes),\"choosing\":\(Self.json(row.choosing)),"
        + "\"held_out\":\(Self.json(row.heldOut))}"
    }

    private static func json(_ played: ReplayFigures) -> String {
      "{\"sessions\":\(played.sessions),\"keystrokes\":\(played.keystrokes),\"loads\":\(played.loads),"
        + "\"loaded_bytes\":\(played.loadedBytes),\"loaded_bytes_p99\":\(played.loadedBytesP99),"
        + "\"resident_bytes\":\(played.residentBytes)}"
    }
  }
#endif
