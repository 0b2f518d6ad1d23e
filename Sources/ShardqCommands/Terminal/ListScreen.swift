import QueryOutput
import ShardedIndex

/// The look of the list: a line to type in, a line of information, the rows, and beside them a map.
package struct ListScreen {
  package var theme: Theme
  /// Whether a map is wanted. Without room for one, none is drawn.
  package var showsMap: Bool
  private var land: LandGrid?
  package var zoom = 1
  /// The land as it was drawn last. It stays the same while the selection moves on a map of the whole world.
  private var drawn: WorldMap?

  package init(theme: Theme, showsMap: Bool) { (self.theme, self.showsMap) = (theme, showsMap) }

  /// The number of lines above the rows.
  package static let headHeight = 2
  private static let minimumMapColumns = 60
  private static let minimumMapRows = 8
  private static let prompt = "> "

  /// The layout of a window.
  package struct Layout: Equatable, Sendable {
    package var size: Terminal.Size
    /// The columns of the list; all columns where there is no map.
    package var listColumns: Int
    /// The columns of the map and its first column, counted from 0; 0 columns for no map.
    package var mapColumns: Int
    package var mapStart: Int { size.columns - mapColumns }
    package var rowCount: Int { max(0, size.rows - ListScreen.headHeight) }
  }

  package func layout(_ size: Terminal.Size) -> Layout {
    guard showsMap, size.columns >= Self.minimumMapColumns, size.rows >= Self.minimumMapRows else {
      return Layout(size: size, listColumns: size.columns, mapColumns: 0)
    }
    let map = min(120, size.columns * 9 / 20)
    return Layout(size: size, listColumns: size.columns - map - 1, mapColumns: map)
  }

  /// A screen's content: the left and the right side of each line, and the cursor.
  package struct Frame: Equatable, Sendable {
    package var layout: Layout
    package var left: [DisplayText]
    package var right: [DisplayText]
    /// The cursor's column in the first line, counted from 0.
    package var cursor: Int
  }

  package mutating func frame(_ model: inout ListModel, _ editor: LineEditor, _ size: Terminal.Size) -> Frame {
    let layout = layout(size)
    var left: [DisplayText] = []
    let (line, cursor) = promptLine(editor, size.columns)
    left.append(line)
    if size.rows > 1 { left.append(infoLine(model, layout.listColumns)) }
    let coordinates = Self.coordinates(of: model.rows, columns: layout.listColumns)
    for row in 0..<layout.rowCount {
      if row < model.rows.count {
        left.append(
          listLine(
            model.rows[row], coordinates.texts[row], coordinates.columns, layout.listColumns,
            isSelected: model.top + row == model.selection))
      } else {
        var line = DisplayText()
        let message = notice(model, layout.listColumns)
        if row < message.count {
          line.control(theme.quiet)
          line.text("  " + message[row], limit: layout.listColumns, ellipsis: theme.ellipsis)
          line.control(theme.reset)
        }
        left.append(line)
      }
    }
    left.removeLast(max(0, left.count - size.rows))
    var right = [DisplayText](repeating: DisplayText(), count: left.count)
    if layout.mapColumns > 0 {
      for (number, line) in paneLines(&model, layout).enumerated() where number + 1 < right.count {
        right[number + 1] = line
      }
    }
    return Frame(layout: layout, left: left, right: right, cursor: cursor)
  }

  /// The lines that replace the rows where there are none.
  private func notice(_ model: ListModel, _ columns: Int) -> [String] {
    guard model.rows.isEmpty else { return [] }
    if let failure = model.failure {
      // Paths and their errors are long, and no part of them should be missing.
      var lines = [""]
      for character in failure.commandMessage {
        if lines[lines.count - 1].count >= max(8, columns - 4) { lines.append("") }
        lines[lines.count - 1].append(character)
      }
      return lines
    }
    guard model.rowCount == 0 else { return [] }
    return [model.isByKeysAlone ? "no key begins with that" : "nothing matches that"]
      + (model.nearest.map { ["nearest: \"\($0)\""] } ?? [])
  }

  private func promptLine(_ editor: LineEditor, _ columns: Int) -> (DisplayText, cursor: Int) {
    var line = DisplayText()
    line.control(theme.prompt)
    line.plain(Self.prompt)
    line.control(theme.reset)
    let room = max(1, columns - line.columns - 1)
    // The text before the cursor is shown as far as there is room.
    var (start, width) = (editor.cursor, 0)
    while start > 0 {
      let next = DisplayWidth.columns(of: editor.characters[start - 1])
      guard width + next <= room else { break }
      width += next
      start -= 1
    }
    line.text(
      String(editor.characters[start...]), limit: room, ellipsis: theme.ellipsis, isolates: false)
    return (line, min(columns - 1, Self.prompt.utf8.count + width))
  }

  // MARK: Information

  /// Returns the count and the cost of the answer, as much as there is room for.
  package func infoLine(_ model: ListModel, _ columns: Int) -> DisplayText {
    var line = DisplayText()
    if model.failure != nil {
      line.control(theme.failure)
      line.text("  this answer cannot be read", limit: columns, ellipsis: theme.ellipsis)
      line.control(theme.reset)
      return line
    }
    line.control(theme.info)
    line.text("  " + information(model, columns - 2), limit: columns, ellipsis: theme.ellipsis)
    line.control(theme.reset)
    return line
  }

  package func information(_ model: ListModel, _ columns: Int) -> String {
    let count = Self.count(model)
    let cost = model.cost
    let shards = "\(QueryRunner.grouped(cost.shards)) of \(QueryRunner.counted(model.shardCount, "shard"))"
    let loaded = cost.loads == 0 ? "none loaded" : "\(QueryRunner.grouped(cost.loads)) loaded, \(Self.size(cost.bytes))"
    let of = count + " of " + QueryRunner.grouped(model.recordCount)
    for parts in [
      [of, time(cost.microseconds), shards + " touched", loaded], [of, time(cost.microseconds), shards],
      [count, time(cost.microseconds), shards], [count, time(cost.microseconds)],
    ] {
      let text = parts.joined(separator: theme.between)
      if text.unicodeScalars.count <= columns { return text }
    }
    return count
  }

  /// Returns the number of matches, with a sign behind it where there may be more.
  static func count(_ model: ListModel) -> String {
    let (number, isLeast) = model.matchCount
    let corrected = model.correction.map { " for \"" + printable($0) + "\"" } ?? ""
    return QueryRunner.grouped(number) + (isLeast ? "+" : "") + corrected
  }

  private func time(_ microseconds: Int) -> String {
    guard microseconds >= 1000 else { return "\(microseconds) \(theme.microseconds)" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  private static func size(_ bytes: Int) -> String {
    if bytes < 1_000_000 { return bytes < 1000 ? "\(bytes) B" : "\((bytes + 500) / 1000) KB" }
    return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
  }

  // MARK: Rows

  /// Returns the coordinates of the rows, as exact as there is room beside the names.
  static func coordinates(of rows: [Row], columns: Int) -> (texts: [String], columns: Int) {
    let digits: Int? = columns >= 56 ? 4 : columns >= 34 ? 2 : nil
    guard let digits else { return (rows.map { _ in "" }, 0) }
    let places = rows.map { row in
      row.place.map {
        (Coordinate.rounded($0.latitude, digits: digits), Coordinate.rounded($0.longitude, digits: digits))
      }
    }
    // Both stand in line at the point.
    let width = places.reduce(0) { max($0, $1?.1.utf8.count ?? 0) }
    let texts = places.map { place in
      place.map { $0.0 + ", " + String(repeating: " ", count: width - $0.1.utf8.count) + $0.1 } ?? ""
    }
    return (texts, texts.reduce(0) { max($0, $1.utf8.count) })
  }

  private func listLine(
    _ row: Row, _ coordinates: String, _ coordinateColumns: Int, _ columns: Int, isSelected: Bool
  ) -> DisplayText {
    var line = DisplayText()
    if isSelected { line.control(theme.selected) }
    line.plain(isSelected ? theme.pointer : "  ")
    let titleEnd = coordinateColumns > 0 ? columns - coordinateColumns - 2 : columns
    line.text(
      row.title, marks: row.marks, mark: isSelected ? theme.selectedMatched : theme.matched,
      unmark: isSelected ? theme.selectedUnmatched : theme.unmatched, limit: max(1, titleEnd - 2),
      ellipsis: theme.ellipsis, isolates: theme.isolates)
    if coordinateColumns > 0 {
      if isSelected || !coordinates.isEmpty { line.pad(to: columns - coordinates.utf8.count) }
      if !coordinates.isEmpty {
        // Columns stay in line even where the terminal takes a name for wider or narrower than it is counted here.
        line.control("\u{1b}[\(columns - coordinates.utf8.count + 1)G")
        if !isSelected { line.control(theme.quiet) }
        line.plain(coordinates)
      }
    }
    if isSelected { line.pad(to: columns) }
    line.control(theme.reset)
    return line
  }

  // MARK: The map

  /// The map, and under it the selected record's fields.
  private mutating func paneLines(_ model: inout ListModel, _ layout: Layout) -> [DisplayText] {
    let selected = model.selectedRow?.place
    let view = WorldMap.View(
      columns: layout.mapColumns, rows: layout.size.rows - 1, zoom: zoom, center: selected, isASCII: theme.isASCII)
    if drawn?.view != view { drawn = WorldMap(view, land: land) }
    var map = drawn!
    for row in model.rows { if let place = row.place { map.mark(place, .match) } }
    if let selected { map.mark(selected, .selected) }
    var lines = (0..<view.rows).map { map.row($0, style: theme.map, reset: theme.reset, isColored: theme.hasColor) }
    var fields: [DisplayText] = []
    if zoom > 1 {
      var line = DisplayText()
      line.control(theme.quiet)
      line.text("zoom \(zoom)x", limit: layout.mapColumns, ellipsis: theme.ellipsis)
      line.control(theme.reset)
      fields.append(line)
    }
    for field in model.selectedFields() {
      var line = DisplayText()
      line.control(theme.quiet)
      line.text(field.name + " ", limit: layout.mapColumns / 2, ellipsis: theme.ellipsis)
      line.control(theme.reset)
      line.text(
        field.text, limit: layout.mapColumns - line.columns, ellipsis: theme.ellipsis, isolates: theme.isolates)
      fields.append(line)
      if lines.count + fields.count >= layout.size.rows - 1 { break }
    }
    lines += fields
    return lines
  }

  package mutating func setLand(_ land: LandGrid) {
    self.land = land
    drawn = nil
  }

  package mutating func zoomIn(_ layout: Layout) {
    zoom = min(zoom * 2, WorldMap.View.zoomLimit(columns: layout.mapColumns))
  }

  package mutating func zoomOut() { zoom = max(1, zoom / 2) }
}
