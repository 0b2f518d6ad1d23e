import ShardBuilder
import ShardedIndex

/// Records with everything that a shard can store: suffix fields, spellings, dictionaries, constants, plain, long and
/// mixed texts, numbers of several formats, shapes.
enum SeedRecords {
  static let key = "{name}, {country}"

  static func lines(_ count: Int) -> String {
    let starts = ["Al", "San ", "Łó", "Øs", "Ab", "Zü", "al", "東"]
    var lines = ""
    var state: UInt64 = 42
    for row in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let name = starts[row % 8] + ["a", "b", "ín", "ß", "o p"][row % 5] + "\(row / 20)"
      let lon = "\(Int(state >> 40) % 180).\(10000 + Int(state >> 20) % 89999)"
      lines += "{\"name\":\"\(name)\",\"country\":\"\(["AT", "BR", "CH", "DE"][row * 7 % 4])\""
      lines += ",\"id\":\(row * 37 % 211),\"coord\":{\"lon\":\(lon),\"lat\":-\(row % 90).\(row % 7)}"
      lines += ",\"class\":\"\(["city", "town", "village"][row % 3])\",\"constant\":\"same\""
      lines += ",\"note\":\"\(row % 9 == 0 ? String(repeating: "n\(row)", count: 70) : "note \(row * 7919 % 9973)")\""
      lines += ",\"mixed\":" + (row % 4 == 0 ? "null" : "\"m\(row)\"")
      if row % 3 == 0 { lines += ",\"extra\":\(row).50" }
      lines += "}\n"
    }
    return lines
  }

  /// The same records as batches of a dataset reader.
  static func read(
    _ lines: some Collection<UInt8>, format: DatasetFormat, _ body: (RecordBatch, FieldNames) -> Void
  ) {
    Scratch.input.set(lines)
    var options = DatasetOptions(format: format, skipBad: true)
    options.blockSizeBytes = 8 << 10
    do throws(DatasetError) {
      let reader = try DatasetReader(path: "-", options: options)
      var batch = RecordBatch()
      while try reader.read(into: &batch) { body(batch, reader.names) }
    } catch {}
  }

  /// Records in the order of an index, and the names of their fields.
  static func sorted(_ lines: some Collection<UInt8>, key: String = key) -> (
    chunk: RecordArena, order: [RecordBlob], names: FieldNames
  ) {
    let chunk = RecordArena()
    var names = FieldNames()
    guard let template = try? KeyTemplate(checking: key) else { fail("the key of the seeds") }
    var encoder = RecordEncoder(template: template)
    read(lines, format: .jsonl) { batch, all in
      names = all
      _ = encoder.encode(batch, names: all, into: chunk)
    }
    let order = RecordOrder(names: names)
    let records = (0..<chunk.count).map { chunk.record($0) }.sorted { order.compare($0, $1) < 0 }
    return (chunk, records, names)
  }
}
