import QueryOutput
import ShardedIndex

extension ListScreen {
  /// Returns the position in the list, and other facts about the answer, as many as have room.
  package func infoLine(_ model: ListModel, _ columns: Int) -> DisplayText {
    var line = DisplayText()
    let (style, text) =
      model.failure != nil
      ? (theme.failure, "this answer cannot be read")
      : (theme.info, notice ?? information(model, columns - 2))
    line.control(style)
    line.text("  " + text, limit: columns, ellipsis: theme.ellipsis, isolates: false)
    line.control(theme.reset)
    return line
  }

  /// Returns `3/66 of 2,344`, and behind it the number of chosen records, the text that the results are for, and the
  /// conditions of the answer. Returns the position among fields or values if a filter is chosen.
  package func information(_ model: ListModel, _ columns: Int) -> String {
    let matches = Self.count(model)
    let position = model.rowCount > 0 ? QueryRunner.grouped(model.selection + 1) + "/" : ""
    var parts = [position + matches + " of " + QueryRunner.grouped(model.recordCount)]
    if model.marks.count > 0 { parts[0] += " (\(QueryRunner.grouped(model.marks.count)) selected)" }
    if let choice { parts[0] = self.position(in: choice) }
    if let results = model.results { parts.append(results) }
    parts += model.filterNotes + conditions
    if showsCost { parts += costs(model) }
    // The last parts are the least important ones.
    while parts.count > 1, parts.joined(separator: theme.between).unicodeScalars.count > columns { parts.removeLast() }
    let text = parts.joined(separator: theme.between)
    return text.unicodeScalars.count <= columns ? text : position + matches
  }

  private func costs(_ model: ListModel) -> [String] {
    let cost = model.cost
    let shards = "\(QueryRunner.grouped(cost.shards)) of \(QueryRunner.counted(model.shardCount, "shard"))"
    let loaded = cost.loads == 0 ? "none loaded" : "\(QueryRunner.grouped(cost.loads)) loaded, \(Self.size(cost.bytes))"
    return [time(cost.microseconds), shards, loaded]
  }

  /// Returns the number of matches, with a sign behind it where there may be more.
  static func count(_ model: ListModel) -> String { QueryRunner.text(model.total) }

  private func time(_ microseconds: Int) -> String {
    guard microseconds >= 1000 else { return "\(microseconds) \(theme.microseconds)" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  private static func size(_ bytes: Int) -> String {
    if bytes < 1_000_000 { return bytes < 1000 ? "\(bytes) B" : "\((bytes + 500) / 1000) KB" }
    return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
  }
}
