import Foundation
import ShardBuilder

/// Builds the index of the list in a new directory.
func build(_ rows: [String], into directory: String, _ options: BuildOptions) throws {
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  try write(rows, to: directory + "/rows.jsonl")
  _ = try ShardBuilder.build([directory + "/rows.jsonl"], into: directory + "/index", options: options)
}

/// Writes one record on each line.
func write(_ rows: [String], to path: String) throws {
  try (rows.joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
}
