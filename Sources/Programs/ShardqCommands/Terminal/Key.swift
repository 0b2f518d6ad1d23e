import CLibrary

/// A key or a mouse action at a terminal.
package enum Key: Equatable, Sendable {
  /// One character, or a pasted text.
  case text(String)
  case enter, escape, tab, backtab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown, insert
  /// `F1` to `F12`.
  case function(Int)
  /// An arrow or another of these keys, with Shift, Alt or Control held.
  indirect case shift(Key)
  indirect case alt(Key)
  indirect case control(Key)
  /// Control and a letter, in lower case, or Control and one of the signs of ASCII that have a code with it.
  case letter(Character)
  case wheelUp(column: Int, row: Int)
  case wheelDown(column: Int, row: Int)
  /// The left button went down; columns and rows begin at 1.
  case click(column: Int, row: Int)
  /// The terminal's report of the cursor's position.
  case cursor(row: Int, column: Int)
}

extension Key {
  /// Returns the key of one byte below U+0080, or of one whole character.
  static func plain(_ bytes: [UInt8]) -> Key? {
    switch bytes[0] {
    case 0x0d: .enter
    case 0x09: .tab
    case 0x7f, 0x08: .backspace
    case 0x01..<0x1b: .letter(Character(Unicode.Scalar(bytes[0] | 0x60)))
    // Control and a sign: a space, or one of `\]^_`. A terminal sends the last one for a slash, too.
    case 0x00: .letter(" ")
    case 0x1c..<0x20: .letter(Character(Unicode.Scalar(bytes[0] | 0x40)))
    case 0x1b: nil
    default: String(utf8: bytes).map(Key.text)
    }
  }

  /// Returns the key of a sequence `ESC [ ... final`, with its modifiers.
  static func sequence(_ numbers: [Int], final: UInt8) -> Key? {
    var key: Key?
    switch final {
    case 0x7e:
      switch numbers[0] {
      case 1, 7: key = .home
      case 2: key = .insert
      case 3: key = .delete
      case 4, 8: key = .end
      case 5: key = .pageUp
      case 6: key = .pageDown
      case 11...15: key = .function(numbers[0] - 10)
      case 17...21: key = .function(numbers[0] - 11)
      case 23, 24: key = .function(numbers[0] - 12)
      default: break
      }
    case 0x52: return numbers.count == 2 ? .cursor(row: numbers[0], column: numbers[1]) : nil
    default: key = named(final)
    }
    let modifiers = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
    return key.map { $0.held(modifiers) }
  }

  /// Returns the key of a sequence `ESC O ... final`: an arrow, or one of the keypad.
  static func single(_ numbers: [Int], final: UInt8) -> Key? {
    switch final {
    case 0x4d: .enter
    case 0x52: .function(3).held(max(0, numbers[numbers.count - 1] - 1))
    // `j` to `y` are the signs from `*` to `9`.
    case 0x6a...0x79: .text(String(Unicode.Scalar(final - 0x40)))
    case 0x58: .text("=")
    default: named(final).map { $0.held(max(0, numbers[numbers.count - 1] - 1)) }
    }
  }

  private static func named(_ final: UInt8) -> Key? {
    switch final {
    case 0x41: .up
    case 0x42: .down
    case 0x43: .right
    case 0x44: .left
    case 0x48: .home
    case 0x46: .end
    case 0x5a: .backtab
    case 0x50, 0x51, 0x53: .function(Int(final) - 0x4f)
    default: nil
    }
  }

  private func held(_ modifiers: Int) -> Key {
    modifiers & 4 != 0 ? .control(self) : modifiers & 2 != 0 ? .alt(self) : modifiers & 1 != 0 ? .shift(self) : self
  }

  /// Returns the key of a mouse report; nil for motion, other buttons, and a button that goes up.
  static func mouse(_ button: Int, _ column: Int, _ row: Int) -> Key? {
    guard column > 0, row > 0 else { return nil }
    return switch button & ~0x1c {
    case 64: .wheelUp(column: column, row: row)
    case 65: .wheelDown(column: column, row: row)
    case 0: .click(column: column, row: row)
    default: nil
    }
  }
}
