import Answers
import QueryOutput

/// A line or part of a line for a terminal: its bytes, and the columns that they take.
package struct DisplayText: Equatable, Sendable {
  package private(set) var bytes: [UInt8] = []
  package private(set) var columns = 0

  package init() {}

  /// Appends escape sequences, which take no column.
  package mutating func control(_ sequence: String) { bytes += sequence.utf8 }

  /// Appends text without control characters.
  package mutating func plain(_ text: String, columns: Int? = nil) {
    bytes += text.utf8
    self.columns += columns ?? text.unicodeScalars.count
  }

  package mutating func append(_ other: DisplayText) {
    bytes += other.bytes
    columns += other.columns
  }

  /// Appends text that takes so many columns, unchanged.
  package mutating func raw(_ text: [UInt8], columns: Int) {
    bytes += text
    self.columns += columns
  }

  /// Appends spaces up to column `column`, counted from the start of this text.
  package mutating func pad(to column: Int) {
    guard columns < column else { return }
    bytes += [UInt8](repeating: 0x20, count: column - columns)
    columns = column
  }

  /// Appends any text with control characters escaped, at most `limit` columns, with `ellipsis` where it is cut.
  ///
  /// Right-to-left text is isolated, so that the rest of the line keeps its columns.
  ///
  /// - Parameters:
  ///   - marks: The ranges that are marked, in order: `mark` is written before each, `unmark` behind it.
  ///   - isolates: Whether marks tell the terminal where right-to-left text begins and ends.
  package mutating func text(
    _ text: String, marks: [Range<String.Index>] = [], mark: String = "", unmark: String = "", limit: Int,
    ellipsis: String = "\u{2026}", isolates: Bool = true
  ) {
    guard limit > 0 else { return }
    // The last point at which the text could be followed by the ellipsis.
    var cut: (bytes: Int, columns: Int, isMarked: Bool) = (bytes.count, columns, false)
    let (start, room) = (columns, limit - 1)
    var isMarked = false
    let isIsolated = isolates && Self.isRightToLeft(text, limit: limit)
    if isIsolated { bytes += "\u{2068}".utf8 }
    cut.bytes = bytes.count
    var isCut = false
    var marks = marks[...]
    for at in text.indices {
      while let range = marks.first, at >= range.upperBound { marks.removeFirst() }
      let isInRange = marks.first?.contains(at) ?? false
      if isInRange != isMarked {
        bytes += isInRange ? mark.utf8 : unmark.utf8
        isMarked = isInRange
      }
      if columns - start <= room { cut = (bytes.count, columns, isMarked) }
      append(text[at])
      if columns - start > limit {
        isCut = true
        break
      }
    }
    if isCut {
      bytes.removeLast(bytes.count - cut.bytes)
      columns = cut.columns
      isMarked = cut.isMarked
    }
    if isMarked { bytes += unmark.utf8 }
    if isCut { plain(ellipsis) }
    if isIsolated { bytes += "\u{2069}".utf8 }
  }

  /// Returns the columns of a character as ``text(_:marks:mark:unmark:limit:ellipsis:isolates:)`` writes it.
  package static func columns(of character: Character) -> Int {
    if character.utf8.count == 1, let byte = character.utf8.first, byte >= 0x20, byte < 0x7f { return 1 }
    var text = DisplayText()
    text.append(character)
    return text.columns
  }

  private mutating func append(_ character: Character) {
    let scalars = character.unicodeScalars
    if scalars.count == 1, let ascii = scalars.first, ascii.value >= 0x20, ascii.value < 0x7f {
      bytes.append(UInt8(ascii.value))
      columns += 1
    } else if scalars.contains(where: { ControlText.isControl($0.value) }) {
      for scalar in scalars {
        if ControlText.isControl(scalar.value) {
          let escaped = ControlText.escape(of: scalar.value)
          bytes += escaped
          columns += escaped.count
        } else {
          bytes += UTF8.encode(scalar)!
          columns += DisplayWidth.columns(of: scalar)
        }
      }
    } else {
      bytes += String(character).utf8
      columns += DisplayWidth.columns(of: character)
    }
  }

  /// Returns whether letters among the shown ones are written from right to left.
  private static func isRightToLeft(_ text: String, limit: Int) -> Bool {
    if text.utf8.count <= limit * 4, !text.utf8.contains(where: { $0 >= 0xd6 }) { return false }
    return text.unicodeScalars.prefix(limit * 4).contains { scalar in
      switch scalar.value {
      case 0x0590...0x08ff, 0xfb1d...0xfdff, 0xfe70...0xfefc, 0x10800...0x10fff, 0x1e800...0x1efff: true
      default: false
      }
    }
  }
}
