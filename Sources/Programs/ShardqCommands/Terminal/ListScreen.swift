import Answers
import QueryOutput
import ShardedIndex

/// The look of the list: a line to type in, a line of information, the rows, and a preview of the selected record.
package struct ListScreen {
  package var theme: Theme
  package var prompt = "> "
  /// The lines between the information and the rows.
  package var header: [String] = []
  package var border = BorderStyle.none
  /// Whether the cursor has to stay in the first line, below the lines that the user typed before.
  package var holdsCursor = false
  package var preview = PreviewWindow()
  /// Whether the preview has a map.
  package var showsMap: Bool
  /// Whether the line of information says the cost of the answer.
  package var showsCost = false
  /// The conditions of each answer without the filters, such as `sort price`.
  package var conditions: [String] = []
  /// Whether the rows have a column for marks of chosen ones.
  package var marksRows = false
  /// The first line of the preview that is shown, from 0 on.
  package var previewTop = 0
  /// The lines that stand in the place of the list; nil for the list.
  package var help: HelpLines?
  /// The fields or values in the place of the records; nil for the records.
  package var choice: FilterChoice?
  /// A sentence in the place of the information, until the next key.
  package var notice: String?
  package var map: MapPane
  /// The lines of a record as they were made last.
  private var made: (record: ListModel.RowNumber, columns: Int, wraps: Bool, lines: [DisplayText])?

  /// The lines of help, and the first that is shown.
  package struct HelpLines: Sendable {
    package var lines: [String]
    package var top = 0
  }

  package init(theme: Theme, showsMap: Bool) {
    (self.theme, self.showsMap) = (theme, showsMap)
    map = MapPane(theme: theme)
  }

  package func layout(_ size: Terminal.Size) -> ScreenLayout {
    let shape: ((Int, Int) -> (columns: Int, rows: Int))? =
      showsMap ? { columns, rows in self.map.shape(columns: columns, rows: rows) } : nil
    return ScreenLayout(
      size, border: border, preview: preview.isHidden || help != nil ? nil : preview, headerLines: header.count,
      mapShape: shape)
  }

  /// A screen's content, and the cursor.
  package struct Frame: Equatable, Sendable {
    /// The content of a box: a line for each row.
    package struct Area: Equatable, Sendable {
      package var box: ScreenBox
      package var lines: [DisplayText]

      package init(_ box: ScreenBox, _ lines: [DisplayText]) {
        self.box = box
        self.lines = lines
        let missing = max(0, box.rows - lines.count)
        self.lines.removeLast(max(0, lines.count - box.rows))
        self.lines += [DisplayText](repeating: DisplayText(), count: missing)
      }
    }

    package var size: Terminal.Size
    package var areas: [Area]
    /// The cursor, counted from 0; nil if a line draws one, and the terminal's is hidden in the first line.
    package var cursor: CursorPosition?

    package init(size: Terminal.Size, areas: [Area], cursor: CursorPosition?) {
      self.size = size
      self.areas = areas
      self.cursor = cursor
    }

    package struct CursorPosition: Equatable, Sendable {
      package var row: Int
      package var column: Int

      package init(row: Int = 0, column: Int) { (self.row, self.column) = (row, column) }
    }
  }

  package mutating func frame(_ model: inout ListModel, _ editor: LineEditor, _ size: Terminal.Size) -> Frame {
    let layout = layout(size)
    let drawsCursor = holdsCursor && layout.prompt.row > 0
    let (line, cursor) = promptLine(editor, layout.prompt.columns, drawsCursor: drawsCursor)
    var areas = layout.border == .none ? [] : layout.border.areas(size, theme)
    areas.append(Frame.Area(layout.prompt, [line]))
    if !layout.info.isEmpty { areas.append(.init(layout.info, [infoLine(model, layout.info.columns)])) }
    if !layout.header.isEmpty { areas.append(.init(layout.header, headerLines(layout.header))) }
    choice?.scroll(height: layout.list.rows)
    let list = help.map { helpLines($0, layout.list) } ?? choice.map { choiceLines($0, layout.list) }
    areas.append(.init(layout.list, list ?? listLines(model, layout.list)))
    if !layout.scrollbar.isEmpty { areas.append(.init(layout.scrollbar, scrollbar(model, layout.scrollbar.rows))) }
    if !layout.rule.isEmpty {
      areas.append(
        .init(layout.rule, [styled(theme.border, String(repeating: theme.horizontal, count: layout.rule.columns))]))
    }
    if !layout.map.isEmpty { areas.append(.init(layout.map, map.lines(&model, layout.map))) }
    if !layout.fields.isEmpty { areas.append(.init(layout.fields, fieldLines(&model, layout.fields))) }
    let place = Frame.CursorPosition(row: layout.prompt.row, column: layout.prompt.column + cursor)
    return Frame(size: size, areas: areas, cursor: drawsCursor ? nil : place)
  }

  func styled(_ style: String, _ text: String, limit: Int = 1 << 20) -> DisplayText {
    var line = DisplayText()
    line.control(style)
    line.text(text, limit: limit, ellipsis: theme.ellipsis, isolates: theme.isolates)
    if !style.isEmpty { line.control(theme.reset) }
    return line
  }

  // MARK: The head

  private func promptLine(_ editor: LineEditor, _ columns: Int, drawsCursor: Bool) -> (DisplayText, cursor: Int) {
    var line = DisplayText()
    line.control(theme.prompt)
    // Half the line stays for the typed text.
    line.text(choice.map(prompt) ?? prompt, limit: max(2, columns / 2), ellipsis: theme.ellipsis, isolates: false)
    line.control(theme.reset)
    let start = line.columns
    let room = max(1, columns - start - 1)
    // The text before the cursor is shown as far as there is room.
    var (first, width) = (editor.cursor, 0)
    while first > 0 {
      let next = DisplayWidth.columns(of: editor.characters[first - 1])
      guard width + next <= room else { break }
      width += next
      first -= 1
    }
    line.control(theme.query)
    let rest = Array(editor.characters[first...])
    if drawsCursor {
      let at = editor.cursor - first
      let under = at < rest.count ? String(rest[at]) : " "
      line.text(String(rest[..<at]), limit: room, ellipsis: theme.ellipsis, isolates: false)
      line.control("\u{1b}[7m")
      line.text(under, limit: max(1, columns - line.columns), ellipsis: theme.ellipsis, isolates: false)
      line.control(theme.reset + theme.query)
      line.text(
        String(rest.dropFirst(at + 1)), limit: columns - line.columns, ellipsis: theme.ellipsis, isolates: false)
    } else {
      line.text(String(rest), limit: room, ellipsis: theme.ellipsis, isolates: false)
    }
    if !theme.query.isEmpty || drawsCursor { line.control(theme.reset) }
    return (line, max(0, min(columns - 1, start + width)))
  }

  private func headerLines(_ box: ScreenBox) -> [DisplayText] {
    header.prefix(box.rows).map { styled(theme.header, "  " + $0, limit: box.columns) }
  }

  // MARK: Rows

  private func listLines(_ model: ListModel, _ box: ScreenBox) -> [DisplayText] {
    if model.rows.isEmpty {
      return notice(model, box.columns).map { styled(theme.quiet, "  " + $0, limit: box.columns) }
    }
    let coordinates = Self.coordinates(of: model.rows, columns: box.columns)
    return model.rows.indices.prefix(box.rows).map { row in
      listLine(
        model.rows[row], coordinates.texts[row], coordinates.columns, box,
        isSelected: model.top + row == model.selection, isMarked: marksRows && model.isMarked(row))
    }
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
    if model.isFiltered {
      return ["no match passes the filter"] + (model.advice.isEmpty ? [] : [String(model.advice.dropFirst(2))])
    }
    return [model.isByKeysAlone ? "no key begins with this text" : "nothing matches this text"]
      + (model.nearest.map { ["nearest: \"\($0)\""] } ?? [])
  }

  /// Returns the coordinates of the rows, as exact as there is room beside the names.
  static func coordinates(of rows: [ListRow], columns: Int) -> (texts: [String], columns: Int) {
    let digits: Int? = columns >= 55 ? 4 : columns >= 34 ? 2 : nil
    guard let digits else { return (rows.map { _ in "" }, 0) }
    let places = rows.map { row in
      row.place.map {
        (Degrees.rounded($0.latitude, digits: digits), Degrees.rounded($0.longitude, digits: digits))
      }
    }
    // Both stand in line at the point.
    let width = places.reduce(0) { max($0, $1?.1.utf8.count ?? 0) }
    let texts = places.map { place in
      place.map { $0.0 + ", " + String(repeating: " ", count: width - $0.1.utf8.count) + $0.1 } ?? ""
    }
    return (texts, texts.reduce(0) { max($0, $1.utf8.count) })
  }

  func listLine(
    _ row: ListRow, _ coordinates: String, _ coordinateColumns: Int, _ box: ScreenBox, isSelected: Bool, isMarked: Bool
  ) -> DisplayText {
    let columns = box.columns
    var line = DisplayText()
    if isSelected {
      line.control(theme.selected)
      line.control(theme.pointerStyle)
    }
    line.plain(isSelected ? theme.pointer : " ")
    if isSelected, !theme.pointerStyle.isEmpty { line.control(theme.reset + theme.selected) }
    if isMarked {
      line.control(theme.markerStyle)
      line.plain(theme.marker)
      line.control(theme.reset)
      if isSelected { line.control(theme.selected) }
    } else {
      line.plain(" ")
    }
    let titleEnd = coordinateColumns > 0 ? columns - coordinateColumns - 2 : columns
    line.text(
      row.title, marks: row.marks, mark: isSelected ? theme.selectedMatched : theme.matched,
      unmark: isSelected ? theme.selectedUnmatched : theme.unmatched, limit: max(1, titleEnd - 2),
      ellipsis: theme.ellipsis, isolates: theme.isolates)
    if coordinateColumns > 0 {
      if isSelected || !coordinates.isEmpty { line.pad(to: columns - coordinates.utf8.count) }
      if !coordinates.isEmpty {
        // Columns stay in line even where the terminal takes a name for wider or narrower than it is counted here.
        line.control("\u{1b}[\(box.endColumn - coordinates.utf8.count + 1)G")
        if !isSelected { line.control(theme.quiet) }
        line.plain(coordinates)
      }
    }
    if isSelected { line.pad(to: columns) }
    line.control(theme.reset)
    return line
  }

  /// Returns the rows of the scrollbar: its thumb is where the window is among all rows.
  private func scrollbar(_ model: ListModel, _ rows: Int) -> [DisplayText] {
    var (top, total) = (model.top, model.rowCount)
    if let choice { (top, total) = (choice.top, choice.rows.count) }
    if let help { (top, total) = (help.top, help.lines.count) }
    guard total > rows, rows > 0, help != nil || choice != nil || !model.rows.isEmpty else { return [] }
    let size = max(1, rows * rows / total)
    let start = (rows - size) * top / max(1, total - rows)
    let thumb = styled(theme.scrollbar, theme.thumb)
    return (0..<rows).map { ($0 >= start && $0 < start + size) ? thumb : DisplayText() }
  }

  // MARK: The preview

  /// Returns the lines of the selected record that are in view; where there are more, the first says which it is.
  private mutating func fieldLines(_ model: inout ListModel, _ box: ScreenBox) -> [DisplayText] {
    let place = model.selectedNumber
    if let made, made.record == place, made.columns == box.columns, made.wraps == preview.wraps {
    } else {
      if made?.record != place { previewTop = 0 }
      let fields = model.selectedFields()
      let lines = RecordPreview(fields, columns: box.columns, wraps: preview.wraps, theme: theme).lines
      made = (place, box.columns, preview.wraps, lines)
    }
    let lines = made!.lines
    previewTop = max(0, min(previewTop, lines.count - box.rows))
    var shown = Array(lines[previewTop...].prefix(box.rows))
    if lines.count > box.rows, !shown.isEmpty {
      let position = "\(previewTop + 1)/\(lines.count)"
      if position.utf8.count + 8 < box.columns {
        shown[0].control("\u{1b}[\(box.endColumn - position.utf8.count)G\u{1b}[0;7m")
        shown[0].plain(" " + position)
        shown[0].control(theme.reset)
      }
    }
    return shown
  }

  /// Moves the preview by lines; nil for its end.
  package mutating func scrollPreview(by lines: Int) {
    previewTop = lines == .max ? .max : max(0, (previewTop == .max ? 0 : previewTop) + lines)
  }

  private func helpLines(_ help: HelpLines, _ box: ScreenBox) -> [DisplayText] {
    help.lines.dropFirst(help.top).prefix(box.rows).map { styled("", "  " + $0, limit: box.columns) }
  }
}
