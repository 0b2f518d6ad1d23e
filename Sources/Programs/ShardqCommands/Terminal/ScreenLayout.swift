/// A part of a length: so many, or a share of the whole.
package enum ScreenPart: Equatable, Sendable {
  case count(Int)
  case percent(Int)

  /// - Parameter text: `12` or `40%`.
  package init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    guard let number = Int(isPercent ? String(text.dropLast()) : text), number >= 1 else { return nil }
    guard !isPercent || number <= 100 else { return nil }
    self = isPercent ? .percent(number) : .count(number)
  }

  /// Returns so many lines of a window, three at least where it has so many.
  package func lines(of rows: Int) -> Int { min(max(3, size(of: rows)), rows) }

  package func size(of whole: Int) -> Int {
    switch self {
    case .count(let count): min(count, whole)
    // Of a hundred parts, none overflows.
    case .percent(let percent): whole * percent / 100
    }
  }
}

/// The place and the look of the preview: the value of `--preview-window`, in fzf's spelling.
package struct PreviewWindow: Equatable, Sendable {
  package enum Position: Sendable { case right, left, up, down }
  package var position = Position.right
  /// nil for 45 % beside the list, at most 120 columns, and for half the lines above or below it.
  package var size: ScreenPart?
  package var wraps = false
  package var isHidden = false

  package init() {}

  /// Reads a list with commas between, such as `down,40%,wrap`.
  ///
  /// - Returns: The window, or the word of the list that means nothing.
  package static func read(_ text: String) -> Result<PreviewWindow, UnknownWord> {
    var window = PreviewWindow()
    for word in text.split(whereSeparator: { $0 == "," || $0 == ":" }).map(String.init) {
      switch word {
      case "right": window.position = .right
      case "left": window.position = .left
      case "up", "top": window.position = .up
      case "down", "bottom": window.position = .down
      case "wrap": window.wraps = true
      case "nowrap": window.wraps = false
      case "hidden": window.isHidden = true
      case "nohidden": window.isHidden = false
      default:
        guard let size = ScreenPart(word) else { return .failure(UnknownWord(word: word)) }
        window.size = size
      }
    }
    return .success(window)
  }
}

/// A word of an option's value that means nothing there.
package struct UnknownWord: Error, Equatable {
  package var word: String

  package init(word: String) { self.word = word }
}

/// A rectangle of characters on the screen; rows and columns count from 0.
package struct ScreenBox: Equatable, Sendable {
  package var row: Int
  package var column: Int
  package var columns: Int
  package var rows: Int

  package init(row: Int = 0, column: Int = 0, columns: Int = 0, rows: Int = 0) {
    (self.row, self.column, self.columns, self.rows) = (row, column, columns, rows)
  }

  package var isEmpty: Bool { columns <= 0 || rows <= 0 }
  package var endRow: Int { row + rows }
  package var endColumn: Int { column + columns }

  package func contains(row: Int, column: Int) -> Bool {
    (self.row..<endRow).contains(row) && (self.column..<endColumn).contains(column)
  }

  /// Cuts rows off the top, as many as there are.
  package mutating func cutRows(_ count: Int) -> ScreenBox {
    let taken = min(max(0, count), rows)
    defer { (row, rows) = (row + taken, rows - taken) }
    return ScreenBox(row: row, column: column, columns: columns, rows: taken)
  }

  /// Cuts columns off the left, as many as there are.
  package mutating func cutColumns(_ count: Int) -> ScreenBox {
    let taken = min(max(0, count), columns)
    defer { (column, columns) = (column + taken, columns - taken) }
    return ScreenBox(row: row, column: column, columns: taken, rows: rows)
  }
}

/// The boxes of a screen. Where there is no room for a box, it is empty.
package struct ScreenLayout: Equatable, Sendable {
  package private(set) var size: Terminal.Size
  /// The border, where there is room for one.
  package private(set) var border: BorderStyle
  package private(set) var prompt: ScreenBox
  package private(set) var info: ScreenBox
  package private(set) var header: ScreenBox
  /// The rows of records.
  package private(set) var list: ScreenBox
  /// The column behind the rows.
  package private(set) var scrollbar = ScreenBox()
  package private(set) var pane = ScreenBox()
  /// The line between the list and a pane above or below it.
  package private(set) var rule = ScreenBox()
  /// The rows and columns of the preview's map and fields, within the pane.
  package private(set) var map = ScreenBox()
  package private(set) var fields = ScreenBox()

  /// - Parameters:
  ///   - border: The wanted border, which needs a window of 20 columns and 8 lines.
  ///   - preview: The wanted preview; nil for none.
  ///   - headerLines: The lines of the header.
  ///   - mapShape: The rows that a map of so many columns takes; nil without a map.
  package init(
    _ size: Terminal.Size, border: BorderStyle = .none, preview: PreviewWindow?, headerLines: Int,
    mapShape: ((_ columns: Int, _ rows: Int) -> (columns: Int, rows: Int))?
  ) {
    self.size = size
    var rest = ScreenBox(columns: size.columns, rows: size.rows)
    self.border = size.columns >= Self.framed.columns && size.rows >= Self.framed.rows ? border : .none
    // A column stays free within lines at the sides.
    if self.border != .none {
      _ = rest.cutColumns(2)
      _ = rest.cutRows(1)
      rest.columns -= 2
      rest.rows -= 1
    }
    prompt = rest.cutRows(1)
    let isBeside = preview.map { $0.position == .right || $0.position == .left } ?? false
    if let preview, isBeside { Self.cut(&rest, beside: preview, &pane) }
    info = rest.cutRows(1)
    // A header leaves two rows of the list.
    header = rest.cutRows(min(headerLines, max(0, rest.rows - 2)))
    if let preview, !isBeside { Self.cut(&rest, across: preview, &pane, &rule) }
    list = rest
    if rest.columns >= Self.scrollbarLimit {
      list.columns -= 1
      scrollbar = ScreenBox(row: list.row, column: list.endColumn, columns: 1, rows: list.rows)
    }
    guard !pane.isEmpty else { return }
    fields = pane
    guard let mapShape else { return }
    if isBeside {
      // Three lines at least are for fields.
      map = fields.cutRows(mapShape(pane.columns, min(max(3, pane.rows * 3 / 5), pane.rows - 3)).rows)
    } else {
      map = fields.cutColumns(mapShape(pane.columns / 2, pane.rows).columns)
      _ = fields.cutColumns(1)
    }
  }

  /// The columns from which on there is a scrollbar.
  private static let scrollbarLimit = 10
  /// The least size of a window with a border.
  private static let framed = (columns: 20, rows: 8)
  /// The least size of the part of a window that has a pane.
  private static let beside = (columns: 60, rows: 8), across = (columns: 20, rows: 10)
  /// The least columns and rows of a pane, and those that it leaves the list.
  private static let (paneColumns, listColumns, paneRows, listRows) = (16, 20, 3, 3)

  private static func cut(_ rest: inout ScreenBox, beside window: PreviewWindow, _ pane: inout ScreenBox) {
    guard rest.columns >= beside.columns, rest.rows >= beside.rows - 1 else { return }
    let wanted = window.size?.size(of: rest.columns) ?? min(120, rest.columns * 9 / 20)
    let columns = min(max(paneColumns, wanted), rest.columns - listColumns - 1)
    if window.position == .left {
      pane = rest.cutColumns(columns)
      _ = rest.cutColumns(1)
    } else {
      let left = rest.cutColumns(rest.columns - columns)
      (pane, rest) = (rest, left)
    }
  }

  private static func cut(
    _ rest: inout ScreenBox, across window: PreviewWindow, _ pane: inout ScreenBox, _ rule: inout ScreenBox
  ) {
    guard rest.columns >= across.columns, rest.rows >= across.rows - 2 else { return }
    let wanted = window.size?.size(of: rest.rows) ?? rest.rows / 2
    let rows = min(max(paneRows, wanted), rest.rows - listRows - 1)
    if window.position == .up {
      pane = rest.cutRows(rows)
      rule = rest.cutRows(1)
    } else {
      let top = rest.cutRows(rest.rows - rows - 1)
      rule = rest.cutRows(1)
      (pane, rest) = (rest, top)
    }
  }
}
