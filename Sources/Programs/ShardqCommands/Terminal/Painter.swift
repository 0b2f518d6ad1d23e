/// The painter of a screen. It writes the differences between two frames at once.
package struct Painter {
  /// Whether the screen is the whole terminal, or lines below the cursor.
  package let isFullScreen: Bool
  private var last: ListScreen.Frame?
  /// The cursor's line within a frame, counted from the first drawn line; between frames it is 0.
  private var cursorRow = 0
  /// The cursor's column after the last frame, counted from 0.
  package private(set) var cursorColumn = 0

  /// The escape sequence of the colours that lines begin with.
  private let base: String

  package init(isFullScreen: Bool, base: String = "") { (self.isFullScreen, self.base) = (isFullScreen, base) }

  /// Makes the next frame be drawn whole, since the content of the screen is unknown.
  package mutating func forget() { last = nil }

  /// Returns the bytes that take over `rows` lines of the screen.
  package mutating func begin(rows: Int, mouse: Bool) -> [UInt8] {
    var bytes = isFullScreen ? Array("\u{1b}[?1049h".utf8) : makeRoom(rows: rows)
    last = nil
    bytes += "\u{1b}[?2004h".utf8
    if mouse { bytes += "\u{1b}[?1000h\u{1b}[?1006h".utf8 }
    return bytes
  }

  /// Returns the bytes that bring `rows` lines below the user's onto the screen; the lines above scroll up.
  ///
  /// - Parameter above: The lines between the list's first one and the cursor, where the terminal has wrapped the
  ///   first.
  package mutating func makeRoom(rows: Int, above: Int = 0) -> [UInt8] {
    last = nil
    var text = "\r" + (above > 0 ? "\u{1b}[\(above)A" : "") + Self.erase(rows)
    if rows > 1 { text += String(repeating: "\n", count: rows - 1) + "\u{1b}[\(rows - 1)A" }
    return Array(text.utf8)
  }

  /// Returns the bytes that erase the cursor's line and those below it.
  ///
  /// An erase of all that begins in the first column of the screen's first line would have tmux keep the list among the
  /// lines that have scrolled out, and bring none of them back when the window gets higher.
  private static func erase(_ rows: Int) -> String { rows > 1 ? eraseBelow : "\u{1b}[K" }
  private static let eraseBelow = "\u{1b}[K\u{1b}7\u{1b}[B\u{1b}[J\u{1b}8"

  /// Returns the number of lines between the list's first one and the cursor after the window's width became `columns`.
  ///
  /// Some terminals wrap a line anew that has become too long, and the cursor goes to a further line with the text it
  /// stands behind; others cut the line off. The column that the cursor has then (counted from 0) tells, unless it is
  /// the last one.
  package static func linesAbove(cursorColumn: Int, now column: Int, columns: Int, rewraps: Bool) -> Int {
    guard cursorColumn >= columns else { return 0 }
    if column >= columns - 1 { return rewraps ? (cursorColumn - 1) / columns : 0 }
    return (cursorColumn - column).isMultiple(of: columns) ? (cursorColumn - column) / columns : 0
  }

  /// Asks the terminal for the cursor's position: between frames, it is on the first line.
  package static let whereIsCursor = Array("\u{1b}[6n".utf8)

  /// Returns the bytes that restore the screen.
  ///
  /// They do not depend on the cursor's position, so they are right at any time.
  package static func farewell(isFullScreen: Bool, mouse: Bool) -> [UInt8] {
    var text = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h"
    if mouse { text += "\u{1b}[?1006l\u{1b}[?1000l" }
    text += "\u{1b}[?2004l"
    text += isFullScreen ? "\u{1b}[?1049l" : "\r" + eraseBelow
    return Array(text.utf8)
  }

  /// Returns the bytes that draw a frame.
  package mutating func draw(_ frame: ListScreen.Frame) -> [UInt8] {
    let isNew = last.map { $0.size != frame.size || $0.areas.map(\.box) != frame.areas.map(\.box) } ?? true
    var body: [UInt8] = []
    if isNew {
      move(to: 0, &body)
      body += (isFullScreen ? "\u{1b}[J" : Self.erase(frame.size.rows)).utf8
    }
    for (number, area) in frame.areas.enumerated() {
      for (row, line) in area.lines.enumerated() {
        if isNew ? line.bytes.isEmpty : last!.areas[number].lines[row] == line { continue }
        move(to: area.box.row + row, &body)
        if area.box.column > 0 { body += "\u{1b}[\(area.box.column + 1)G".utf8 }
        if !isNew {
          body += (area.box.endColumn >= frame.size.columns ? "\u{1b}[K" : "\u{1b}[\(area.box.columns)X").utf8
        }
        body += line.bytes
      }
    }
    guard !body.isEmpty || last?.cursor != frame.cursor else { return [] }
    // Saved and restored: in a window that has just become lower a way down ends early, and the same way up too high.
    var bytes = Array("\u{1b}[?2026h\u{1b}[?25l\u{1b}7\u{1b}[?7l".utf8)
    bytes += base.utf8
    bytes += body
    bytes += "\u{1b}8".utf8
    if !base.isEmpty { bytes += "\u{1b}[0m".utf8 }
    cursorRow = 0
    cursorColumn = frame.cursor?.column ?? 0
    // Below the user's lines the cursor is in the first line, or there hidden. On the other screen it begins in the line
    // that it had on the user's.
    if let cursor = frame.cursor, isFullScreen || cursor.row > 0 { bytes += "\u{1b}[\(cursor.row + 1);1H".utf8 }
    bytes += "\u{1b}[\(cursorColumn + 1)G\u{1b}[?7h\(frame.cursor == nil ? "" : "\u{1b}[?25h")\u{1b}[?2026l".utf8
    last = frame
    return bytes
  }

  private mutating func move(to row: Int, _ bytes: inout [UInt8]) {
    if isFullScreen {
      bytes += "\u{1b}[\(row + 1);1H".utf8
    } else {
      if row > cursorRow { bytes += "\u{1b}[\(row - cursorRow)B".utf8 }
      if row < cursorRow { bytes += "\u{1b}[\(cursorRow - row)A".utf8 }
      bytes.append(0x0d)
      cursorRow = row
    }
  }
}
