/// Strings, numbers and white space.
extension JSONChecker {
  @safe struct StringScan {
    /// The closing quote, or the control character that is in its place.
    var end: Bytes
    var hasEscapes: Bool
    var isASCII: Bool
    @inline(__always) var isPlain: Bool { isASCII && !hasEscapes }
    @inline(__always) var fault: JSONStep? {
      end.pointee == UInt8(ascii: "\"") ? nil : JSONChecker.controlFault(end)
    }
    /// Whether the string's end can be found in spite of the fault.
    var canGoOn: Bool { ![0, 0x0A, 0x0D].contains(end.pointee) }
  }

  /// Finds the end of the string whose first byte is `start`. ``resolve(_:_:into:)`` looks at its content.
  @inline(__always) static func string(_ start: Bytes) -> StringScan {
    var p = start
    var seen: UInt64 = 0
    var hasEscapes = false
    while true {
      let x = Word.load(p)
      let stops =
        Word.anyZero(x ^ Word.filled(UInt8(ascii: "\""))) | Word.anyZero(x ^ Word.filled(UInt8(ascii: "\\")))
        | Word.anyBelow32(x)
      if stops == 0 {
        seen |= x
        p += 8
        continue
      }
      let bits = stops.trailingZeroBitCount & ~7
      // The shifts are by less than 64, and the bit shifted is not 0: nothing wraps.
      seen |= x & ((1 &<< UInt64(truncatingIfNeeded: bits)) &- 1)
      p += bits &>> 3
      if p.pointee == UInt8(ascii: "\"") {
        return StringScan(end: p, hasEscapes: hasEscapes, isASCII: seen & Word.tops == 0)
      }
      guard p.pointee == UInt8(ascii: "\\") else {
        return StringScan(end: p, hasEscapes: hasEscapes, isASCII: false)
      }
      hasEscapes = true
      seen |= UInt64(p[1])
      p += 2
    }
  }

  @inline(never) private static func controlFault(_ p: Bytes) -> JSONStep {
    switch p.pointee {
    case 0: .syntax(p, "a NUL byte in a string")
    case 0x0A, 0x0D: .syntax(p, "expected '\"' at the end of a string")
    default: .content(p, "\(described(p.pointee)) in a string must be written as an escape")
    }
  }

  /// Returns the closing quote of a string with control characters in it, or a byte that no string can have.
  static func stringEnd(_ start: Bytes) -> Bytes {
    var p = start
    while true {
      switch p.pointee {
      case UInt8(ascii: "\""), 0, 0x0A, 0x0D: return p
      case UInt8(ascii: "\\"): p += 2
      default: p += 1
      }
    }
  }

  /// Checks what `string` found and, when it has escapes, appends what they stand for to `target`.
  static func resolve(_ start: Bytes, _ string: StringScan, into target: inout RawVector<UInt8>) -> JSONStep? {
    let invalid = string.isASCII ? nil : firstInvalidUTF8(start, string.end)
    if string.hasEscapes, let fault = unescape(start, invalid ?? string.end, into: &target) { return fault }
    return invalid.map { .content($0, "\(described($0.pointee)) is not UTF-8 here") }
  }

  /// Returns the text of a string; nil when it means none.
  static func text(_ start: Bytes, _ string: StringScan) -> String? {
    var resolved = RawVector<UInt8>()
    if resolve(start, string, into: &resolved) != nil { return nil }
    return String(decoding: string.hasEscapes ? resolved.buffer : stretch(start, string.end), as: UTF8.self)
  }

  private static func unescape(_ start: Bytes, _ end: Bytes, into target: inout RawVector<UInt8>) -> JSONStep? {
    var p = start
    target.reserve(end - start)
    while p < end {
      var q = p
      while q < end, q.pointee != UInt8(ascii: "\\") { q += 1 }
      target.append(p, q - p)
      guard q < end else { return nil }
      p = q + 2
      switch q[1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): target.append(q[1])
      case UInt8(ascii: "b"): target.append(0x08)
      case UInt8(ascii: "f"): target.append(0x0C)
      case UInt8(ascii: "n"): target.append(0x0A)
      case UInt8(ascii: "r"): target.append(0x0D)
      case UInt8(ascii: "t"): target.append(0x09)
      case UInt8(ascii: "u"):
        guard var scalar = hex(q + 2, end) else {
          return .content(q, "expected four hexadecimal digits after \\u")
        }
        p = q + 6
        if scalar & 0xF800 == 0xD800 {
          guard scalar < 0xDC00, end - p >= 6, p[0] == UInt8(ascii: "\\"), p[1] == UInt8(ascii: "u"),
            let low = hex(p + 2, end), low & 0xFC00 == 0xDC00
          else { return .content(q, "half a surrogate pair stands for no character") }
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
          p += 6
        }
        UTF8.encode(Unicode.Scalar(scalar)!)!.forEach { target.append($0) }
      default:
        return .content(q, "\\ before \(described(q[1])) is no escape")
      }
    }
    return nil
  }

  private static func hex(_ p: Bytes, _ end: Bytes) -> UInt32? {
    guard end - p >= 4 else { return nil }
    var value: UInt32 = 0
    for index in 0..<4 {
      switch p[index] {
      case let byte where isDigit(byte): value = value << 4 | UInt32(byte & 0xF)
      case let byte where (0x61...0x66).contains(byte | 0x20): value = value << 4 | UInt32(byte & 0xF + 9)
      default: return nil
      }
    }
    return value
  }

  // MARK: Numbers and literals

  /// Returns the end of `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`; nil when it is not one.
  @inline(__always) static func number(_ start: Bytes) -> Bytes? {
    var p = start
    return numberFault(&p) == nil ? p : nil
  }

  /// Returns the fault of the number at `start`, which ``number(_:)`` refused.
  @inline(never) static func numberFault(at start: Bytes) -> JSONStep {
    var p = start
    let reason = numberFault(&p)
    return .syntax(p, reason.map { "\($0)" } ?? "")
  }

  /// Moves `p` past a number, or to where it is wrong.
  @inline(__always) private static func numberFault(_ p: inout Bytes) -> StaticString? {
    if p.pointee == UInt8(ascii: "-") { p += 1 }
    if p.pointee == UInt8(ascii: "0") {
      p += 1
      if isDigit(p.pointee) { return "a number must not begin with 0" }
    } else {
      guard isDigit(p.pointee) else { return "expected a digit" }
      repeat { p += 1 } while isDigit(p.pointee)
    }
    if p.pointee == UInt8(ascii: ".") {
      p += 1
      guard isDigit(p.pointee) else { return "expected a digit after the decimal point" }
      repeat { p += 1 } while isDigit(p.pointee)
    }
    if p.pointee | 0x20 == UInt8(ascii: "e") {
      p += 1
      if p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") { p += 1 }
      guard isDigit(p.pointee) else { return "expected a digit in the exponent" }
      repeat { p += 1 } while isDigit(p.pointee)
    }
    return nil
  }

  /// Appends a right value without the white space between its tokens.
  static func compact(_ start: Bytes, _ end: Bytes, into target: inout RawVector<UInt8>) {
    target.reserve(end - start)
    var p = start
    var isInString = false
    while p < end {
      if isInString, p.pointee == UInt8(ascii: "\\") {
        target.append(p, 2)
        p += 2
        continue
      }
      if p.pointee == UInt8(ascii: "\"") { isInString.toggle() }
      if isInString || !isJSONSpace(p.pointee) { target.append(p.pointee) }
      p += 1
    }
  }

  /// Returns the reason of a syntax fault, with the byte that was found instead.
  static func reason(_ expected: String, at: Bytes, end: Bytes, _ isLines: Bool) -> String {
    if at >= end {
      return (expected.isEmpty ? "" : expected.hasPrefix("expected") ? expected + ", " : "")
        + "found the end of the file"
    }
    guard expected.hasPrefix("expected") else { return expected }
    return "\(expected), found \(described(at.pointee))"
  }
}
