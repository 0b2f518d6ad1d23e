#if CommandLineTool
  import Footprint
  import ShardedIndex

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  import CLibrary

  /// Writes an index's records as the JSON that an app would ship, in the index's order.
  struct DatasetExport {
    private let index: ShardedIndex
    private let target: String
    /// The longest folded key, in bytes.
    private var longest = 0

    /// Writes the records and prints the facts that the designs need: the model, the number of fields and of records,
    /// and the size of the longest folded key.
    static func run(_ path: String, to target: String) throws {
      var export = DatasetExport(index: try ShardedIndex(opening: path), target: target)
      let index = export.index
      let looksLikeCities =
        index.keyTemplate == City.keyTemplate && index.fieldNames.sorted() == City.fieldNames.sorted()
      let isCities = try looksLikeCities && export.write(City.self)
      if !isCities { _ = try export.write(PlainRecord.self) }
      print("model", isCities ? "cities" : "records")
      print("fields", isCities ? City.fieldNames.count : index.fieldNames.count)
      print("records", index.recordCount)
      print("longest", export.longest)
    }

    private init(index: ShardedIndex, target: String) { (self.index, self.target) = (index, target) }

    /// - Returns: Whether all records are of this model; if not, the file is of no use.
    private mutating func write<Model: RecordModel>(_: Model.Type) throws -> Bool {
      guard let file = fopen(target, "w") else { throw CocoaError(.fileWriteUnknown) }
      longest = 0
      fputs("[", file)
      var isFirst = true
      let isWhole = try index.forEachRecord(Model.fieldNames(index)) { key, texts in
        guard Model(key: key, texts: texts) != nil else { return false }
        longest = max(longest, Fold.fold(key).count)
        fputs((isFirst ? "\n" : ",\n") + (Model.self == City.self ? Self.city(texts) : Self.record(key, texts)), file)
        isFirst = false
        return true
      }
      fputs("\n]\n", file)
      let failed = ferror(file) != 0
      if fclose(file) != 0 || failed { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      return isWhole
    }

    private static func city(_ texts: [(text: String, kind: ValueKind)?]) -> String {
      "{\"country\":\(quoted(texts[0]!.text)),\"name\":\(quoted(texts[1]!.text)),\"_id\":\(texts[2]!.text)"
        + ",\"coord\":{\"lon\":\(texts[3]!.text),\"lat\":\(texts[4]!.text)}}"
    }

    private static func record(_ key: String, _ texts: [(text: String, kind: ValueKind)?]) -> String {
      let fields = texts.map { $0.map { quoted($0.text) } ?? "null" }
      return "{\"key\":\(quoted(key)),\"fields\":[\(fields.joined(separator: ","))]}"
    }

    private static func quoted(_ text: String) -> String {
      var quoted = "\""
      for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += "\\" + String(scalar)
        case _ where scalar.value < 0x20:
          quoted += (scalar.value < 0x10 ? "\\u000" : "\\u00") + String(scalar.value, radix: 16)
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return quoted + "\""
    }
  }
#endif
