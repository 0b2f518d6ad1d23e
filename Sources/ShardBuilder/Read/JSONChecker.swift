/// The grammar of RFC 8259: strings, numbers, and whole values that are checked and not taken apart.
struct JSONChecker {
  /// A line feed is no white space then.
  var isLines = false
  /// Set when white space was met between tokens.
  var sawSpace = false

  /// What encloses the value being read, the innermost last: `{` or `[`.
  private var open = RawVector<UInt8>(capacity: JSONRecords.depthLimit)
  /// The names of the members of all enclosing objects, and where each object's begin.
  private var members = RawVector<Member>()
  private var memberStarts = RawVector<Int>()
  private var resolved = RawVector<UInt8>(capacity: 256)

  private struct Member {
    var at: Bytes
    /// In ``resolved``, or from `at` when it had no escapes.
    var offset: Int
    var count: Int
    var hadEscapes: Bool
  }

  func deallocate() {
    open.deallocate()
    members.deallocate()
    memberStarts.deallocate()
    resolved.deallocate()
  }

  /// Reads the value at `start` to its end.
  ///
  /// - Parameters:
  ///   - depth: How many objects and arrays enclose it.
  ///   - isStrict: Whether wrong content is a fault. Otherwise only syntax is, and any depth is allowed.
  mutating func check(_ start: Bytes, depth: Int, isStrict: Bool) -> JSONStep {
    (open.count, members.count, memberStarts.count, resolved.count) = (0, 0, 0, 0)
    var p = start
    while true {
      // A value begins at `p`.
      switch p.pointee {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = p.pointee == UInt8(ascii: "{")
        if isStrict, depth + open.count >= JSONRecords.depthLimit {
          return .content(p, "nested deeper than \(JSONRecords.depthLimit) levels")
        }
        let inside = skip(p + 1)
        if inside.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          p = inside + 1
          break
        }
        open.append(p.pointee)
        p = inside
        guard isObject else { continue }
        if isStrict { memberStarts.append(members.count) }
        if let fault = name(&p, isFirst: true, isStrict) { return fault }
        continue
      case UInt8(ascii: "\""):
        let string = Self.string(p + 1)
        if isStrict || !string.canGoOn, let fault = string.fault { return fault }
        let end = string.fault == nil ? string.end : Self.stringEnd(p + 1)
        if end.pointee != UInt8(ascii: "\"") { return .syntax(end, "") }
        if isStrict, !string.isPlain {
          let count = resolved.count
          if let fault = Self.resolve(p + 1, string, into: &resolved) { return fault }
          resolved.count = count
        }
        p = end + 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard let after = Self.number(p) else { return Self.numberFault(at: p) }
        p = after
      case UInt8(ascii: "t"):
        if let fault = word("true", &p) { return fault }
      case UInt8(ascii: "f"):
        if let fault = word("false", &p) { return fault }
      case UInt8(ascii: "n"):
        if let fault = word("null", &p) { return fault }
      default:
        return .syntax(p, "expected a value")
      }

      // A value has ended before `p`.
      closing: while true {
        guard open.count > 0 else { return .ok(p) }
        let isObject = open[open.count - 1] == UInt8(ascii: "{")
        p = skip(p)
        switch p.pointee {
        case UInt8(ascii: ","):
          p = skip(p + 1)
          if isObject, let fault = name(&p, isFirst: false, isStrict) { return fault }
          break closing
        case UInt8(ascii: "}") where isObject:
          if isStrict {
            if let fault = repeatedName(limit: .max) { return fault }
            memberStarts.count -= 1
            members.count = memberStarts[memberStarts.count]
          }
        case UInt8(ascii: "]") where !isObject: break
        default:
          return .syntax(
            p, isObject ? "expected ',' or '}' after a member" : "expected ',' or ']' after an element")
        }
        open.count -= 1
        p += 1
      }
    }
  }

  /// A member's name and the colon after it; `p` is moved to its value.
  private mutating func name(_ p: inout Bytes, isFirst: Bool, _ isStrict: Bool) -> JSONStep? {
    guard p.pointee == UInt8(ascii: "\"") else {
      return .syntax(
        p, isFirst ? "expected a member's name in quotes or '}'" : "expected a member's name in quotes")
    }
    let start = p + 1
    let string = Self.string(start)
    if isStrict || !string.canGoOn, let fault = string.fault { return fault }
    let end = string.fault == nil ? string.end : Self.stringEnd(start)
    if end.pointee != UInt8(ascii: "\"") { return .syntax(end, "") }
    if isStrict {
      let offset = resolved.count
      if !string.isPlain, let fault = Self.resolve(start, string, into: &resolved) { return fault }
      members.append(
        Member(
          at: start, offset: offset, count: string.hasEscapes ? resolved.count - offset : end - start,
          hadEscapes: string.hasEscapes))
      if let fault = repeatedName(limit: 16) { return fault }
    }
    p = skip(end + 1)
    guard p.pointee == UInt8(ascii: ":") else { return .syntax(p, "expected ':' after a member's name") }
    p = skip(p + 1)
    return nil
  }

  /// Whether the innermost object has a name twice: in up to `limit` members the last is compared with all others,
  /// and above it all are put in order, once, at the object's end.
  private func repeatedName(limit: Int) -> JSONStep? {
    let first = memberStarts[memberStarts.count - 1]
    let count = members.count - first
    if limit < .max {
      guard count <= limit else { return nil }
      let last = members[members.count - 1]
      for index in first..<members.count - 1 where bytes(members[index]).elementsEqual(bytes(last)) {
        return repeated(last)
      }
      return nil
    }
    guard count > 16 else { return nil }
    let sorted = (first..<members.count).sorted { left, right in
      let (a, b) = (bytes(members[left]), bytes(members[right]))
      if a.lexicographicallyPrecedes(b) { return true }
      return left < right && a.elementsEqual(b)
    }
    let again = zip(sorted, sorted.dropFirst()).filter {
      bytes(members[$0]).elementsEqual(bytes(members[$1]))
    }
    return again.map { $0.1 }.min().map { repeated(members[$0]) }
  }

  private func repeated(_ member: Member) -> JSONStep {
    .content(
      member.at - 1, "the member \"\(printable(bytes(member), limit: 40))\" stands twice in one object")
  }

  private func bytes(_ member: Member) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: member.hadEscapes ? UnsafePointer(resolved.start + member.offset) : member.at,
      count: member.count)
  }

  private func word(_ word: StaticString, _ p: inout Bytes) -> JSONStep? {
    for index in 0..<word.utf8CodeUnitCount where p[index] != word.utf8Start[index] {
      return .syntax(p + index, "expected \(word)")
    }
    p += word.utf8CodeUnitCount
    return nil
  }

  @inline(__always) private mutating func skip(_ p: Bytes) -> Bytes {
    var q = p
    while isJSONSpace(q.pointee), q.pointee != 0x0A || !isLines { q += 1 }
    if q != p { sawSpace = true }
    return q
  }

  // MARK: Strings

  struct StringScan {
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

  /// Finds the end of the string whose first byte is `start`. What is in it is for ``resolve(_:_:into:)``.
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

  /// The closing quote of a string with control characters in it, or a byte that no string can have.
  private static func stringEnd(_ start: Bytes) -> Bytes {
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

  /// The text of a string; nil when it means none.
  static func text(_ start: Bytes, _ string: StringScan) -> String? {
    var resolved = RawVector<UInt8>()
    defer { resolved.deallocate() }
    if resolve(start, string, into: &resolved) != nil { return nil }
    let plain = UnsafeBufferPointer(start: start, count: string.end - start)
    return String(decoding: string.hasEscapes ? resolved.buffer : plain, as: UTF8.self)
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

  /// The end of `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`; nil when it is not one.
  @inline(__always) static func number(_ start: Bytes) -> Bytes? {
    var p = start
    return numberFault(&p) == nil ? p : nil
  }

  /// What is wrong with the number at `start`, which ``number(_:)`` refused.
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

  @inline(__always) private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

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

  /// Adds to a syntax fault what was found instead.
  static func reason(_ expected: String, at: Bytes, end: Bytes, _ isLines: Bool) -> String {
    if at >= end {
      return (expected.isEmpty ? "" : expected.hasPrefix("expected") ? expected + ", " : "")
        + "found the end of the file"
    }
    guard expected.hasPrefix("expected") else { return expected }
    return "\(expected), found \(described(at.pointee))"
  }
}
