/// Brings a screen from one frame to the next by what differs, in one write.
package struct Painter {
  /// Whether the screen is the terminal's own, or some lines below the cursor.
  package let isFullScreen: Bool
  private var last: ListScreen.Frame?
  /// The line the cursor is on, counted from the first one that is drawn.
  private var cursorRow = 0

  package init(isFullScreen: Bool) { self.isFullScreen = isFullScreen }

  /// What the next frame is drawn over is not known any more.
  package mutating func forget() { last = nil }

  /// The bytes that take the screen over, `rows` lines of it.
  package mutating func begin(rows: Int, mouse: Bool) -> [UInt8] {
    last = nil
    cursorRow = 0
    var text = isFullScreen ? "\u{1b}[?1049h" : "\r" + String(repeating: "\n", count: rows - 1)
    if !isFullScreen, rows > 1 { text += "\u{1b}[\(rows - 1)A" }
    text += "\u{1b}[?2004h"
    if mouse { text += "\u{1b}[?1000h\u{1b}[?1006h" }
    return Array(text.utf8)
  }

  /// Asks the terminal where the cursor is: between frames, on the first line.
  package static let whereIsCursor = Array("\u{1b}[6n".utf8)

  /// The bytes that give the screen back.
  ///
  /// They do not say where the cursor is, so that they are right at any time: between frames it is on the first line.
  package static func farewell(isFullScreen: Bool, mouse: Bool) -> [UInt8] {
    var text = "\u{1b}[?2026l\u{1b}[0m\u{1b}[?7h\u{1b}[?25h"
    if mouse { text += "\u{1b}[?1006l\u{1b}[?1000l" }
    text += "\u{1b}[?2004l"
    text += isFullScreen ? "\u{1b}[?1049l" : "\r\u{1b}[J"
    return Array(text.utf8)
  }

  /// The bytes that draw a frame.
  package mutating func draw(_ frame: ListScreen.Frame) -> [UInt8] {
    var bytes: [UInt8] = []
    let isNew = last == nil || last!.layout != frame.layout || last!.left.count != frame.left.count
    var body: [UInt8] = []
    if isNew {
      move(to: 0, &body)
      body += "\u{1b}[J".utf8
    }
    let start = frame.layout.mapStart
    for row in frame.left.indices {
      let (left, right) = (frame.left[row], frame.right[row])
      let isLeftNew = isNew || last!.left[row] != left
      let isRightNew = isNew || last!.right[row] != right
      if isLeftNew, !(isNew && left.bytes.isEmpty) {
        move(to: row, &body)
        if !isNew {
          // The first line runs above the map.
          body +=
            (frame.layout.mapColumns > 0 && row > 0 ? "\u{1b}[\(max(1, start))X" : "\u{1b}[K").utf8
        }
        body += left.bytes
      }
      if isRightNew, frame.layout.mapColumns > 0, row > 0, !(isNew && right.bytes.isEmpty) {
        move(to: row, &body)
        body += "\u{1b}[\(start + 1)G".utf8
        if !isNew { body += "\u{1b}[K".utf8 }
        body += right.bytes
      }
    }
    guard !body.isEmpty || last?.cursor != frame.cursor else { return [] }
    bytes += "\u{1b}[?2026h\u{1b}[?25l\u{1b}[?7l".utf8
    bytes += body
    move(to: 0, &bytes)
    bytes += "\u{1b}[\(frame.cursor + 1)G\u{1b}[?7h\u{1b}[?25h\u{1b}[?2026l".utf8
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
