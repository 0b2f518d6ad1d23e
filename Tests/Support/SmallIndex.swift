import ShardBuilder
import ShardedIndex

/// An index of a test's records, built from a JSON file as a user would build it.
///
/// Its directory stays until the process ends, so that a test may keep `open` alone.
package final class SmallIndex: Sendable {
  package let directory: String
  package let path: String
  package let summary: BuildSummary
  package let open: ShardedIndex

  package init(
    json: String, key: String?, suffix: String = ".json", cacheLimitBytes: Int = 8 << 20,
    _ change: (inout BuildOptions) -> Void = { _ in }
  ) throws {
    directory = TemporaryDirectory.untilExit()
    path = directory + "/index"
    var options = BuildOptions()
    options.key = key
    change(&options)
    Files.write(Array(json.utf8), to: "\(directory)/dataset\(suffix)")
    summary = try ShardBuilder.build(["\(directory)/dataset\(suffix)"], into: path, options: options)
    open = try ShardedIndex(opening: path, options: .init(cacheLimitBytes: cacheLimitBytes))
  }

  /// Builds an index of records whose names have no dots, in order.
  package convenience init(
    _ records: [ModelRecord], key: String, shardLimitBytes: Int = 64 << 10, cacheLimitBytes: Int = 8 << 20
  ) throws {
    let lines = records.map { record in
      ModelRecord.json(
        record.fields.map { field in
          switch field.kind {
          case .string: (field.name, .string(field.text))
          case .number: (field.name, .number(field.text))
          case .literal: (field.name, .literal(field.text))
          }
        })
    }
    try self.init(
      json: lines.joined(separator: "\n") + "\n", key: key, suffix: ".jsonl", cacheLimitBytes: cacheLimitBytes
    ) { $0.shardLimitBytes = shardLimitBytes }
  }

  /// Every record of the index, in order.
  package static func export(_ index: ShardedIndex, at once: Int = 1000) throws -> [ModelRecord] {
    let matches = try index.matches(forPrefix: "")
    var records: [ModelRecord] = []
    for start in stride(from: 0, to: matches.count, by: once) {
      records += try matches.records(in: start..<start + once).map(ModelRecord.init)
    }
    return records
  }
}

extension SmallIndex {
  /// The names of an index's shards, in order.
  package static func shardNames(_ path: String) throws -> [String] {
    let index = try ShardedIndex(opening: path)
    defer { withExtendedLifetime(index) {} }
    return try index.generation.manifest.shards().map(\.fileName)
  }
}

extension Sequence where Element: Hashable {
  /// The number of occurrences of each element.
  package var multiset: [Element: Int] { reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}
