/// Strings, numbers and white space.
extension JSONChecker {
  @safe struct StringScan {
    /// The closing quote, or the control character in its place.
    var end: Bytes
    var hasEscapes: Bool
    var isASCII: Bool
    @inline(__always) var isPlain: Bool { isASCII && !hasEscapes }
    @inline(__always) var fault: JSONStep? {
      unsafe end.pointee == UInt8(ascii: "\"") ? nil : JSONChecker.controlFault(end)
    }
    /// Whether the reader can find the string's end in spite of the fault.
    var canGoOn: Bool { unsafe ![0, 0x0A, 0x0D].contains(end.pointee) }
  }

  /// Finds the end of the string whose first byte is `start`. ``resolve(_:_:into:)`` checks the content.
  @inline(__always) static func string(_ start: Bytes) -> StringScan {
    var p = unsafe start
    var seen: UInt64 = 0
    var hasEscapes = false
    while true {
      let x = unsafe Word.load(p)
      let stops =
        Word.anyZero(x ^ Word.filled(UInt8(ascii: "\""))) | Word.anyZero(x ^ Word.filled(UInt8(ascii: "\\")))
        | Word.anyBelow32(x)
      if stops == 0 {
        seen |= x
        unsafe p += 8
        continue
      }
      let bits = stops.trailingZeroBitCount & ~7
      // The shifts are by less than 64, and the shifted bit is not 0: so nothing wraps.
      seen |= x & ((1 &<< UInt64(truncatingIfNeeded: bits)) &- 1)
      unsafe p += bits &>> 3
      if unsafe p.pointee == UInt8(ascii: "\"") {
        return unsafe StringScan(end: p, hasEscapes: hasEscapes, isASCII: seen & Word.tops == 0)
      }
      guard unsafe p.pointee == UInt8(ascii: "\\") else {
        return unsafe StringScan(end: p, hasEscapes: hasEscapes, isASCII: false)
      }
      hasEscapes = true
      unsafe seen |= UInt64(p[1])
      unsafe p += 2
    }
  }

  @inline(never) private static func controlFault(_ p: Bytes) -> JSONStep {
    switch unsafe p.pointee {
    case 0: unsafe .syntax(p, "a NUL byte in a string")
    case 0x0A, 0x0D: unsafe .syntax(p, "expected '\"' at the end of a string")
    default: unsafe .content(p, unsafe "\(described(p.pointee)) in a string must be written as an escape")
    }
  }

  /// Returns the closing quote of a string with control characters in it, or a byte that no string can have.
  static func stringEnd(_ start: Bytes) -> Bytes {
    var p = unsafe start
    while true {
      switch unsafe p.pointee {
      case UInt8(ascii: "\""), 0, 0x0A, 0x0D: return unsafe p
      case UInt8(ascii: "\\"): unsafe p += 2
      default: unsafe p += 1
      }
    }
  }

  /// Checks the result of `string`. If the string has escapes, appends its characters to `target`.
  static func resolve(_ start: Bytes, _ string: StringScan, into target: inout RawVector<UInt8>) -> JSONStep? {
    let invalid = unsafe string.isASCII ? nil : firstInvalidUTF8(start, string.end)
    if string.hasEscapes, let fault = unsafe unescape(start, invalid ?? string.end, into: &target) { return fault }
    return unsafe invalid.map { unsafe .content($0, unsafe "\(described($0.pointee)) is not UTF-8 here") }
  }

  /// Returns the text of a string; nil if the string is not valid.
  static func text(_ start: Bytes, _ string: StringScan) -> String? {
    var resolved = RawVector<UInt8>()
    if unsafe resolve(start, string, into: &resolved) != nil { return nil }
    return unsafe String(decoding: string.hasEscapes ? resolved.buffer : stretch(start, string.end), as: UTF8.self)
  }

  private static func unescape(_ start: Bytes, _ end: Bytes, into target: inout RawVector<UInt8>) -> JSONStep? {
    var p = unsafe start
    unsafe target.reserve(end - start)
    while unsafe p < end {
      var q = unsafe p
      while unsafe q < end, unsafe q.pointee != UInt8(ascii: "\\") { unsafe q += 1 }
      unsafe target.append(p, q - p)
      guard unsafe q < end else { return nil }
      unsafe p = unsafe q + 2
      switch unsafe q[1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unsafe target.append(q[1])
      case UInt8(ascii: "b"): target.append(0x08)
      case UInt8(ascii: "f"): target.append(0x0C)
      case UInt8(ascii: "n"): target.append(0x0A)
      case UInt8(ascii: "r"): target.append(0x0D)
      case UInt8(ascii: "t"): target.append(0x09)
      case UInt8(ascii: "u"):
        guard var scalar = unsafe hex(q + 2, end) else {
          return unsafe .content(q, "expected four hexadecimal digits after \\u")
        }
        unsafe p = unsafe q + 6
        if scalar & 0xF800 == 0xD800 {
          guard scalar < 0xDC00, unsafe end - p >= 6, unsafe p[0] == UInt8(ascii: "\\"),
            unsafe p[1] == UInt8(ascii: "u"),
            let low = unsafe hex(p + 2, end), low & 0xFC00 == 0xDC00
          else { return unsafe .content(q, "half a surrogate pair is not a character") }
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + low & 0x3FF
          unsafe p += 6
        }
        UTF8.encode(Unicode.Scalar(scalar)!)!.forEach { target.append($0) }
      default:
        return unsafe .content(q, unsafe "\\ before \(described(q[1])) is not an escape")
      }
    }
    return nil
  }

  private static func hex(_ p: Bytes, _ end: Bytes) -> UInt32? {
    guard unsafe end - p >= 4 else { return nil }
    var value: UInt32 = 0
    for index in 0..<4 {
      switch unsafe p[index] {
      case let byte where isDigit(byte): value = value << 4 | UInt32(byte & 0xF)
      case let byte where (0x61...0x66).contains(byte | 0x20): value = value << 4 | UInt32(byte & 0xF + 9)
      default: return nil
      }
    }
    return value
  }

  // MARK: Numbers and literals

  /// Returns the end of `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`; nil if the text is not a number.
  @inline(__always) static func number(_ start: Bytes) -> Bytes? {
    var p = unsafe start
    return unsafe numberFault(&p) == nil ? p : nil
  }

  /// Returns the fault of the number at `start`, for which ``number(_:)`` returned nil.
  @inline(never) static func numberFault(at start: Bytes) -> JSONStep {
    var p = unsafe start
    let reason = unsafe numberFault(&p)
    return unsafe .syntax(p, reason.map { "\($0)" } ?? "")
  }

  /// Moves `p` past a number, or to the number's fault.
  @inline(__always) private static func numberFault(_ p: inout Bytes) -> StaticString? {
    if unsafe p.pointee == UInt8(ascii: "-") { unsafe p += 1 }
    if unsafe p.pointee == UInt8(ascii: "0") {
      unsafe p += 1
      if unsafe isDigit(p.pointee) { return "a number must not begin with 0" }
    } else {
      guard unsafe isDigit(p.pointee) else { return "expected a digit" }
      repeat { unsafe p += 1 } while unsafe isDigit(p.pointee)
    }
    if unsafe p.pointee == UInt8(ascii: ".") {
      unsafe p += 1
      guard unsafe isDigit(p.pointee) else { return "expected a digit after the decimal point" }
      repeat { unsafe p += 1 } while unsafe isDigit(p.pointee)
    }
    if unsafe p.pointee | 0x20 == UInt8(ascii: "e") {
      unsafe p += 1
      if unsafe p.pointee == UInt8(ascii: "+") || p.pointee == UInt8(ascii: "-") { unsafe p += 1 }
      guard unsafe isDigit(p.pointee) else { return "expected a digit in the exponent" }
      repeat { unsafe p += 1 } while unsafe isDigit(p.pointee)
    }
    return nil
  }

  /// Appends a valid value without the white space between its tokens.
  static func compact(_ start: Bytes, _ end: Bytes, into target: inout RawVector<UInt8>) {
    unsafe target.reserve(end - start)
    var p = unsafe start
    var isInString = false
    while unsafe p < end {
      if isInString, unsafe p.pointee == UInt8(ascii: "\\") {
        unsafe target.append(p, 2)
        unsafe p += 2
        continue
      }
      if unsafe p.pointee == UInt8(ascii: "\"") { isInString.toggle() }
      if unsafe isInString || !isJSONSpace(p.pointee) { unsafe target.append(p.pointee) }
      unsafe p += 1
    }
  }

  /// Returns the reason of a syntax fault, with the byte found instead.
  static func reason(_ expected: String, at: Bytes, end: Bytes, _ isLines: Bool) -> String {
    if unsafe at >= end {
      return (expected.isEmpty ? "" : expected.hasPrefix("expected") ? expected + ", " : "")
        + "found the end of the file"
    }
    guard expected.hasPrefix("expected") else { return expected }
    return unsafe "\(expected), found \(described(at.pointee))"
  }
}
