#if CommandLineTool
  import FootprintModels
  import FootprintReplay
  import ShardedIndex

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  import CSystem

  /// The designs that people use instead of shardq; `shardq footprint` starts one in each process.
  ///
  ///     shardq-footprint designs                                      which there are
  ///     shardq-footprint export INDEX FILE                            the dataset, as the designs read it
  ///     shardq-footprint prepare DESIGN DATASET MODEL FIELDS FILE     what a design keeps on disk
  ///     shardq-footprint run DESIGN FILE MODEL FIELDS LOG INTERVAL    replays a query log
  @main
  enum Main {
    static func main() {
      let arguments = Array(CommandLine.arguments.dropFirst())
      do {
        switch (arguments.first, arguments.count) {
        case ("designs", 1): for design in DesignName.allCases { print(design.rawValue) }
        case ("export", 3): try DatasetExport.run(arguments[1], to: arguments[2])
        case ("prepare", 6):
          let design = try DesignName.named(arguments[1])
          if arguments[3] == "cities" {
            try design.prepare(arguments[5], from: decode(arguments[2], as: City.self))
          } else {
            try design.prepare(
              arguments[5], from: decode(arguments[2], as: PlainRecord.self))
          }
        case ("run", 7):
          let design = try DesignName.named(arguments[1])
          let (file, log, interval) = (arguments[2], arguments[5], Int(arguments[6]) ?? 1)
          if arguments[3] == "cities" {
            try design.replay(City.self, file, log: log, interval)
          } else {
            try design.replay(PlainRecord.self, file, log: log, interval)
          }
        default:
          Replay.finish(64, because: "shardq-footprint: started by shardq footprint")
        }
      } catch {
        Replay.finish(74, because: "\(error)")
      }
      Replay.finish(0)
    }
  }

  enum DesignName: String, CaseIterable {
    case scan, trie, letters, sorted
    case packed = "packed-trie"

    static func named(_ name: String) throws -> DesignName {
      guard let design = DesignName(rawValue: name) else { throw UnknownDesign(name: name) }
      return design
    }

    struct UnknownDesign: Error { var name: String }

    /// Makes the design's own file of the dataset.
    func prepare<Model: PackedModel>(_ path: String, from records: [Model]) throws {
      switch self {
      case .scan, .trie, .letters, .sorted: break  // They read the dataset itself.
      case .packed: try Data(PackedTrie.file(records)).write(to: URL(filePath: path))
      }
    }

    func replay<Model: PackedModel>(
      _: Model.Type, _ file: String, log: String, _ interval: Int
    ) throws {
      switch self {
      case .scan: try Replay.run(log: log, sampleInterval: interval) { try ScannedArray<Model>(file) }
      case .trie: try Replay.run(log: log, sampleInterval: interval) { try DictionaryTrie<Model>(file) }
      case .letters: try Replay.run(log: log, sampleInterval: interval) { try LetterGroups<Model>(file) }
      case .sorted: try Replay.run(log: log, sampleInterval: interval) { try SortedArray<Model>(file) }
      case .packed: try Replay.run(log: log, sampleInterval: interval) { try PackedTrie<Model>(file) }
      }
    }
  }

  /// Writes an index's records as the JSON that an app would ship, in the index's order.
  enum DatasetExport {
    /// Prints what the designs have to know: whether it is a city list, how many fields, the longest folded key.
    static func run(_ path: String, to target: String) throws {
      let index = try ShardedIndex(opening: path)
      let isCities = try looksLikeCities(index) && write(index, to: target, City.self)
      if !isCities { _ = try write(index, to: target, PlainRecord.self) }
      print("model", isCities ? "cities" : "records")
      print("fields", isCities ? 5 : index.fieldNames.count)
      print("records", index.recordCount)
      print("longest", longest)
    }

    nonisolated(unsafe) private static var longest = 0

    private static func looksLikeCities(_ index: ShardedIndex) -> Bool {
      index.keyTemplate == City.keyTemplate && index.fieldNames.sorted() == City.fieldNames.sorted()
    }

    /// - Returns: Whether all records could be written as this kind; what was written is of no use if not.
    private static func write<Model: RecordModel>(
      _ index: ShardedIndex, to target: String, _: Model.Type
    ) throws -> Bool {
      guard let file = fopen(target, "w") else { throw CocoaError(.fileWriteUnknown) }
      let isWhole: Bool
      longest = 0
      fputs("[", file)
      let isCities = Model.self == City.self
      var isFirst = true
      isWhole = try index.forEachRecord(Model.fieldNames(index)) { key, texts in
        guard Model(key: key, texts: texts) != nil else { return false }
        longest = max(longest, Fold.fold(key).count)
        var line = isFirst ? "\n" : ",\n"
        isFirst = false
        if isCities {
          line += "{\"country\":\(quoted(texts[0]!.text)),\"name\":\(quoted(texts[1]!.text)),\"_id\":\(texts[2]!.text)"
          line += ",\"coord\":{\"lon\":\(texts[3]!.text),\"lat\":\(texts[4]!.text)}}"
        } else {
          let fields = texts.map { $0.map { quoted($0.text) } ?? "null" }
          line += "{\"key\":\(quoted(key)),\"fields\":[\(fields.joined(separator: ","))]}"
        }
        fputs(line, file)
        return true
      }
      fputs("\n]\n", file)
      let failed = ferror(file) != 0
      if fclose(file) != 0 || failed { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      return isWhole
    }

    private static func quoted(_ text: String) -> String {
      var quoted = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += "\\" + String(scalar)
        case _ where scalar.value < 0x20:
          quoted += "\\u" + (["000", "00"][scalar.value < 0x10 ? 0 : 1]) + String(scalar.value, radix: 16)
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }
  }
#else
  @main
  enum Main {
    static func main() {}
  }
#endif
