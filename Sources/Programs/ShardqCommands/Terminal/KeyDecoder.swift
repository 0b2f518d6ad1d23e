/// The decoder of the bytes that a terminal sends. It takes them one by one, so it does not matter how reads cut them.
///
/// A terminal and a multiplexer send more than keys: answers to questions of a program that ended, reports of focus and
/// mouse, whole strings. The decoder follows the grammar of ECMA-48, so that it drops such a sequence as a whole,
/// however long, and holds no more than ``sequenceLimit`` bytes of it.
///
/// The key Escape and the first byte of a sequence are one byte, so the caller says by ``timedOut()`` that nothing came
/// within ``delay``.
package struct KeyDecoder {
  private enum State {
    case ground
    /// The bytes of one character; ``held`` has those so far.
    case character
    case escape
    /// `ESC [` and `ESC O`; ``held`` has the parameters so far.
    case control, single
    /// The Linux console's function keys: `ESC [ [` and a letter.
    case console
    /// `ESC [ M` and three bytes.
    case mouse
    /// A string that ST ends, one of the kind OSC also BEL.
    case string
    /// A string whose last byte was ESC.
    case stringEscape
    case paste
  }
  private var state = State.ground
  private var held: [UInt8] = []
  /// The number of bytes of the current character.
  private var size = 0
  private var isTooLong = false
  /// The byte behind ESC that began the current sequence; 0 where one byte of eight bits did.
  private var introducer: UInt8 = 0
  /// Whether ``introducer`` was the last byte: the two bytes may be Alt and a key.
  private var isBare = false
  /// Whether ESC came before: Alt and a character, or Alt and an arrow as some terminals send it.
  private var isAlt = false
  private var pasted: [UInt8] = []
  /// The number of bytes of ``pasteEnd`` that have come.
  private var endSize = 0
  private var keys: [Key] = []

  /// The most bytes of a paste, which is cut off there; no query is that long.
  private static let pasteLimit = 4096
  private static let sequenceLimit = 64
  private static let pasteEnd: [UInt8] = Array("\u{1b}[201~".utf8)
  /// The milliseconds that the rest of a sequence, string or paste may take: a slow line cuts anywhere.
  private static let sequenceDelay = 1000

  package init() {}

  /// Whether the next bytes may belong to the current key.
  package var isWaiting: Bool {
    if case .ground = state { return false }
    return true
  }

  /// The milliseconds to wait for a byte before ``timedOut()``; nil to wait forever.
  package var delay: Int? {
    switch state {
    case .ground: nil
    case .escape: Self.escapeDelay
    case .control, .single, .string, .stringEscape: isBare ? Self.escapeDelay : Self.sequenceDelay
    default: Self.sequenceDelay
    }
  }

  /// Ends the current key, since no byte came in time.
  package mutating func timedOut() -> [Key] {
    switch state {
    case .escape: keys.append(.escape)
    case .paste: endPaste()
    case .stringEscape:
      drop()
      if isBare { keys.append(.escape) }
    default: drop()
    }
    reset()
    return removeKeys()
  }

  package mutating func feed(_ bytes: [UInt8]) -> [Key] {
    for byte in bytes { step(byte) }
    return removeKeys()
  }

  private mutating func removeKeys() -> [Key] {
    defer { keys = [] }
    return keys
  }

  private mutating func reset() {
    state = .ground
    held = []
    (isTooLong, isBare, isAlt, introducer, endSize) = (false, false, false, 0, 0)
  }

  // MARK: Bytes

  private mutating func step(_ byte: UInt8) {
    switch state {
    case .ground: ground(byte)
    case .character: character(byte)
    case .escape: escape(byte)
    case .control, .single: parameter(byte)
    case .console:
      if byte < 0x20 || byte > 0x7e {
        breakOff(before: byte)
      } else {
        finish((0x41...0x45).contains(byte) ? .function(Int(byte) - 0x40) : nil)
      }
    case .mouse:
      guard byte >= 0x20 else { return breakOff(before: byte) }
      held.append(byte)
      if held.count == 3 { finish(Key.mouse(Int(held[0]) - 32, Int(held[1]) - 32, Int(held[2]) - 32)) }
    case .string, .stringEscape: string(byte)
    case .paste: paste(byte)
    }
  }

  private mutating func ground(_ byte: UInt8) {
    switch byte {
    case 0x1b: state = .escape
    case 0x00..<0x80: finish(Key.plain([byte]))
    case 0x80..<0xa0: begin(byte - 0x40, of: 0)
    case 0xc2..<0xf5:
      (state, held, size) = (.character, [byte], byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)
    default: finish(nil)  // No byte of UTF-8 begins so.
    }
  }

  private mutating func character(_ byte: UInt8) {
    guard byte & 0xc0 == 0x80 else { return breakOff(before: byte) }
    held.append(byte)
    guard held.count == size else { return }
    if held[0] == 0xc2, byte < 0xa0 {
      held = []
      begin(byte - 0x40, of: 0)
    } else {
      finish(Key.plain(held))
    }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case 0x1b where !isAlt: isAlt = true
    case 0x1b: keys.append(.escape)
    case 0x5b, 0x4f: begin(byte, of: byte)
    default:
      // Escape was pressed, and only the second one begins something.
      if isAlt { keys.append(.escape) }
      isAlt = true
      if !begin(byte, of: byte) { ground(byte) }
    }
  }

  /// Begins the sequence that `ESC` and `byte` introduce, or one byte of eight bits in their stead.
  @discardableResult
  private mutating func begin(_ byte: UInt8, of introducer: UInt8) -> Bool {
    switch byte {
    case 0x5b: state = .control
    case 0x4f: state = .single
    case 0x50, 0x58, 0x5d, 0x5e, 0x5f:
      state = .string
      // An operating system command alone may end with BEL.
      held = [byte]
      isAlt = false
    default:
      if introducer == 0 { finish(nil) }
      return false
    }
    (self.introducer, isBare) = (introducer, true)
    return true
  }

  private mutating func parameter(_ byte: UInt8) {
    let isControl: Bool
    if case .control = state { isControl = true } else { isControl = false }
    switch byte {
    case 0x5b where isControl && isBare: (state, isBare) = (.console, false)
    case 0x4d where isControl && isBare: (state, isBare) = (.mouse, false)
    case 0x20..<0x40 where isControl, 0x30..<0x3a, 0x3b:
      if held.count < Self.sequenceLimit { held.append(byte) } else { isTooLong = true }
      isBare = false
    case 0x40..<0x7f: end(final: byte, isControl)
    case 0x18, 0x1a: finish(nil)  // CAN and SUB cancel a sequence.
    default: breakOff(before: byte)
    }
  }

  private mutating func string(_ byte: UInt8) {
    if case .stringEscape = state {
      switch byte {
      case 0x5c: reset()
      case 0x1b: (state, isBare) = (.string, false)  // A multiplexer passes strings through with each ESC twice.
      default:
        drop()
        reset()
        escape(byte)
      }
      return
    }
    switch byte {
    case 0x1b: state = .stringEscape
    case 0x07 where held == [0x5d], 0x18, 0x1a: reset()
    default: isBare = false
    }
  }

  private mutating func paste(_ byte: UInt8) {
    if byte == Self.pasteEnd[endSize] {
      endSize += 1
      if endSize == Self.pasteEnd.count {
        endSize = 0
        endPaste()
        reset()
      }
      return
    }
    let matched = Self.pasteEnd[..<endSize]
    endSize = byte == 0x1b ? 1 : 0
    for part in matched where pasted.count < Self.pasteLimit { pasted.append(part) }
    if endSize == 0, pasted.count < Self.pasteLimit { pasted.append(byte) }
  }

  private mutating func endPaste() {
    if !pasted.isEmpty { keys.append(.text(String(decoding: pasted, as: UTF8.self))) }
    pasted = []
  }

  // MARK: Keys

  /// Ends a sequence or character, which means `key` if that is not nil.
  private mutating func finish(_ key: Key?) {
    switch key {
    case .cursor, .click, .wheelUp, .wheelDown, nil:
      // Two ESC before a key without Alt: the first one was the key Escape.
      if isAlt, introducer != 0 { keys.append(.escape) }
      if let key { keys.append(key) }
    case let key?: keys.append(isAlt ? .alt(key) : key)
    }
    reset()
  }

  /// Leaves out a sequence that is not whole, or takes two bytes for Alt and a key.
  private mutating func drop() {
    if isAlt, introducer != 0 {
      keys.append(.escape)
    } else if isBare, introducer != 0, let key = Key.plain([introducer]) {
      keys.append(.alt(key))
    }
  }

  /// Drops the bytes so far, since `byte` does not belong to them.
  private mutating func breakOff(before byte: UInt8) {
    drop()
    reset()
    ground(byte)
  }

  private mutating func end(final: UInt8, _ isControl: Bool) {
    let isMouse = held.first == 0x3c
    var numbers = [0]
    var isPlain = !isTooLong
    for byte in held.dropFirst(isMouse ? 1 : 0) {
      switch byte {
      case 0x30...0x39: numbers[numbers.count - 1] = min(numbers[numbers.count - 1] * 10 + Int(byte - 0x30), 100_000)
      case 0x3b: numbers.append(0)
      default: isPlain = false
      }
    }
    guard isPlain else { return finish(nil) }
    if isMouse {
      finish(final == 0x4d && numbers.count == 3 ? Key.mouse(numbers[0], numbers[1], numbers[2]) : nil)
    } else if !isControl {
      finish(Key.single(numbers, final: final))
    } else if final == 0x7e, numbers[0] == 200 {
      finish(nil)
      state = .paste
    } else {
      finish(Key.sequence(numbers, final: final))
    }
  }
}
