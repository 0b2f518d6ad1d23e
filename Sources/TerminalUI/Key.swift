/// What a person did at a terminal.
package enum Key: Equatable, Sendable {
  /// One character, or what was pasted.
  case text(String)
  case enter, escape, tab, backtab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// An arrow or another of these keys, with Shift, Alt or Control held.
  indirect case shift(Key)
  indirect case alt(Key)
  indirect case control(Key)
  /// Control and a letter, in lower case.
  case letter(Character)
  case wheelUp(column: Int, row: Int)
  case wheelDown(column: Int, row: Int)
  /// The left button went down; columns and rows begin at 1.
  case click(column: Int, row: Int)
  /// The answer to the question where the cursor stands.
  case cursor(row: Int, column: Int)
}

/// Takes apart what a terminal sends.
///
/// The key Escape and the first byte of a longer sequence are one byte: whoever feeds it decides by ``timedOut()`` that
/// nothing more is coming.
package struct KeyDecoder {
  /// Bytes that begin something longer.
  private var pending: [UInt8] = []
  private var pasted: [UInt8]?
  /// A longer paste is cut off; no query is that long.
  private static let pasteLimit = 4096
  private static let sequenceLimit = 64

  package init() {}

  /// Whether more bytes may belong to what is there.
  package var isWaiting: Bool { !pending.isEmpty || pasted != nil }

  /// Nothing came in time: what is there is all there is.
  package mutating func timedOut() -> [Key] {
    defer { pending = [] }
    if let text = pasted {
      // Whose end got lost.
      pasted = nil
      return [.text(String(decoding: text + pending.filter { $0 != 0x1b }, as: UTF8.self))]
    }
    switch pending {
    case [0x1b]: return [.escape]
    case [0x1b, 0x1b]: return [.escape]
    case [0x1b, 0x5b]: return [.alt(.text("["))]
    case [0x1b, 0x4f]: return [.alt(.text("O"))]
    default: return []
    }
  }

  package mutating func feed(_ bytes: [UInt8]) -> [Key] {
    var keys: [Key] = []
    pending += bytes
    var at = 0
    while at < pending.count {
      if pasted != nil {
        guard let next = takePaste(from: at, &keys) else { break }
        at = next
        continue
      }
      guard let size = size(at) else { break }
      decode(Array(pending[at..<at + size]), &keys)
      at += size
    }
    pending.removeFirst(at)
    return keys
  }

  /// The bytes of a paste up to its end sequence, or all that cannot be part of that; nil where more has to come.
  private mutating func takePaste(from start: Int, _ keys: inout [Key]) -> Int? {
    let end: [UInt8] = Array("\u{1b}[201~".utf8)
    var at = start
    while at < pending.count {
      let rest = pending[at...].prefix(end.count)
      if rest.elementsEqual(end) {
        let text = String(decoding: pasted!, as: UTF8.self)
        pasted = nil
        keys.append(.text(text))
        return at + end.count
      }
      if pending[at] == 0x1b, end.starts(with: rest) { break }
      if pasted!.count < Self.pasteLimit { pasted!.append(pending[at]) }
      at += 1
    }
    return at > start ? at : nil
  }

  /// How many bytes the key that begins at `at` has; nil where not all of them are there.
  private func size(_ at: Int) -> Int? {
    let left = pending.count - at
    let first = pending[at]
    if first == 0x1b {
      guard left > 1 else { return nil }
      switch pending[at + 1] {
      case 0x5b:
        guard left > 2 else { return nil }
        if pending[at + 2] == 0x5b { return left > 3 ? 4 : nil }  // The Linux console's function keys.
        if pending[at + 2] == 0x4d { return left > 5 ? 6 : nil }  // A mouse that knows one way to tell only.
        var end = at + 2
        while end < pending.count {
          if pending[end] >= 0x40, pending[end] <= 0x7e { return end + 1 - at }
          // What is no part of a sequence ends it.
          if pending[end] < 0x20 || pending[end] > 0x7e || end - at > Self.sequenceLimit { return end - at }
          end += 1
        }
        return nil
      case 0x4f: return left > 2 ? 3 : nil
      case 0x1b:
        // Alt and an arrow, as some terminals send it; or Escape twice.
        guard left > 2 else { return nil }
        return pending[at + 2] == 0x5b || pending[at + 2] == 0x4f ? 1 : 2
      default: return characterSize(at + 1).map { $0 + 1 }
      }
    }
    return characterSize(at)
  }

  private func characterSize(_ at: Int) -> Int? {
    let length =
      switch pending[at] {
      case 0xc2...0xdf: 2
      case 0xe0...0xef: 3
      case 0xf0...0xf4: 4
      default: 1
      }
    for next in at + 1..<at + length {
      guard next < pending.count else { return nil }
      if pending[next] & 0xc0 != 0x80 { return next - at }
    }
    return length
  }

  private mutating func decode(_ bytes: [UInt8], _ keys: inout [Key]) {
    if bytes[0] != 0x1b {
      if let key = Self.plain(bytes) { keys.append(key) }
    } else if bytes.count == 1 {
      keys.append(.escape)
    } else if bytes[1] == 0x5b, bytes.count > 2 {
      sequence(bytes, &keys)
    } else if bytes[1] == 0x4f, bytes.count == 3 {
      if let key = Self.named(bytes[2]) { keys.append(key) }
    } else if bytes == [0x1b, 0x1b] {
      keys.append(.escape)
    } else if let key = Self.plain(Array(bytes.dropFirst())) {
      keys.append(.alt(key))
    }
  }

  private static func plain(_ bytes: [UInt8]) -> Key? {
    switch bytes[0] {
    case 0x0d: return .enter
    case 0x09: return .tab
    case 0x7f, 0x08: return .backspace
    case 0x00..<0x1b: return .letter(Character(Unicode.Scalar(bytes[0] | 0x60)))
    case 0x1b..<0x20: return nil
    default: return String(validating: bytes, as: UTF8.self).map(Key.text)
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
    case 0x4d: .enter
    case 0x5a: .backtab
    default: nil
    }
  }

  /// A control sequence, `ESC [` before it.
  private mutating func sequence(_ bytes: [UInt8], _ keys: inout [Key]) {
    let final = bytes[bytes.count - 1]
    if bytes.count == 6, bytes[2] == 0x4d {
      mouse(Int(bytes[3]) - 32, Int(bytes[4]) - 32, Int(bytes[5]) - 32, isPress: true, &keys)
      return
    }
    var text = bytes[2..<bytes.count - 1]
    let isMouse = text.first == 0x3c
    if isMouse { text = text.dropFirst() }
    var numbers: [Int] = [0]
    for byte in text {
      switch byte {
      case 0x30...0x39: numbers[numbers.count - 1] = min(numbers[numbers.count - 1] * 10 + Int(byte - 0x30), 100_000)
      case 0x3b: numbers.append(0)
      default: return
      }
    }
    if isMouse {
      guard numbers.count == 3 else { return }
      return mouse(numbers[0], numbers[1], numbers[2], isPress: final == 0x4d, &keys)
    }
    var key: Key?
    switch final {
    case 0x7e:
      switch numbers[0] {
      case 1, 7: key = .home
      case 3: key = .delete
      case 4, 8: key = .end
      case 5: key = .pageUp
      case 6: key = .pageDown
      case 200: pasted = []
      default: break
      }
    case 0x52:
      if numbers.count == 2 { keys.append(.cursor(row: numbers[0], column: numbers[1])) }
      return
    default: key = Self.named(final)
    }
    guard let key else { return }
    let modifiers = numbers.count > 1 ? max(0, numbers[1] - 1) : 0
    keys.append(
      modifiers & 4 != 0
        ? .control(key) : modifiers & 2 != 0 ? .alt(key) : modifiers & 1 != 0 ? .shift(key) : key)
  }

  private func mouse(_ button: Int, _ column: Int, _ row: Int, isPress: Bool, _ keys: inout [Key]) {
    guard isPress else { return }
    switch button & ~0x1c {
    case 64: keys.append(.wheelUp(column: column, row: row))
    case 65: keys.append(.wheelDown(column: column, row: row))
    case 0: keys.append(.click(column: column, row: row))
    default: break
    }
  }
}
