/// The grammar of RFC 8259: strings, numbers, and whole values that are checked but not divided into fields.
struct JSONChecker: ~Copyable {
  /// Whether each value is on one line. Then a line feed is not white space.
  var isLines = false
  /// Whether there was white space between tokens.
  var sawSpace = false

  /// The brackets around the current value, the innermost last: `{` or `[`.
  private var open = RawVector<UInt8>(capacity: FieldPath.depthLimit)
  /// The names of the members of all enclosing objects, and the start of each object's members.
  private var members = RawVector<Member>()
  private var memberStarts = RawVector<Int>()
  private var resolved = RawVector<UInt8>(capacity: 256)

  /// A member's name. Not private: the compiler (6.3) fails on a private type in a noncopyable generic one.
  @safe struct Member {
    var at: Bytes
    /// The offset in ``resolved``; the name begins at `at` if it had no escapes.
    var offset: Int
    var count: Int
    var hadEscapes: Bool
  }

  /// Reads the value at `start` to its end.
  ///
  /// - Parameters:
  ///   - depth: The number of objects and arrays around the value.
  ///   - isStrict: Whether wrong content is a fault. Otherwise only wrong syntax is a fault, and any depth is allowed.
  mutating func check(_ start: Bytes, depth: Int, isStrict: Bool) -> JSONStep {
    (open.count, members.count, memberStarts.count, resolved.count) = (0, 0, 0, 0)
    var p = unsafe start
    while true {
      // A value begins at `p`.
      if unsafe p.pointee == UInt8(ascii: "{") || p.pointee == UInt8(ascii: "[") {
        switch unsafe enter(&p, depth: depth, isStrict) {
        case .more: continue
        case .end: break
        case .fault(let fault): return fault
        }
      } else if let fault = unsafe scalar(&p, isStrict) {
        return fault
      }
      // A value has ended before `p`.
      switch unsafe leave(&p, isStrict) {
      case .more: continue
      case .end: return unsafe .ok(p)
      case .fault(let fault): return fault
      }
    }
  }

  @safe private enum Progress {
    /// A value follows.
    case more
    case end
    case fault(JSONStep)
  }

  /// Moves `p` into the object or array that begins there, to its first value; to its end if it is empty.
  private mutating func enter(_ p: inout Bytes, depth: Int, _ isStrict: Bool) -> Progress {
    let isObject = unsafe p.pointee == UInt8(ascii: "{")
    if isStrict, depth + open.count >= FieldPath.depthLimit {
      return unsafe .fault(.content(p, "nested deeper than \(FieldPath.depthLimit) levels"))
    }
    let inside = unsafe skip(p + 1)
    if unsafe inside.pointee == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      unsafe p = unsafe inside + 1
      return .end
    }
    unsafe open.append(p.pointee)
    unsafe p = unsafe inside
    guard isObject else { return .more }
    if isStrict { memberStarts.append(members.count) }
    return unsafe name(&p, isFirst: true, isStrict).map { .fault($0) } ?? .more
  }

  /// Moves `p` past a text, a number or a word.
  private mutating func scalar(_ p: inout Bytes, _ isStrict: Bool) -> JSONStep? {
    switch unsafe p.pointee {
    case UInt8(ascii: "\""):
      let string = unsafe Self.string(p + 1)
      if isStrict || !string.canGoOn, let fault = string.fault { return fault }
      let end = unsafe string.fault == nil ? string.end : Self.stringEnd(p + 1)
      if unsafe end.pointee != UInt8(ascii: "\"") { return unsafe .syntax(end, "") }
      if isStrict, !string.isPlain {
        let count = resolved.count
        if let fault = unsafe Self.resolve(p + 1, string, into: &resolved) { return fault }
        resolved.count = count
      }
      unsafe p = unsafe end + 1
      return nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      guard let after = unsafe Self.number(p) else { return unsafe Self.numberFault(at: p) }
      unsafe p = unsafe after
      return nil
    case UInt8(ascii: "t"): return unsafe word("true", &p)
    case UInt8(ascii: "f"): return unsafe word("false", &p)
    case UInt8(ascii: "n"): return unsafe word("null", &p)
    default: return unsafe .syntax(p, "expected a value")
    }
  }

  /// Moves `p` from a value's end to the next value, or to the end of the outermost value.
  private mutating func leave(_ p: inout Bytes, _ isStrict: Bool) -> Progress {
    while true {
      guard open.count > 0 else { return .end }
      let isObject = open[open.count - 1] == UInt8(ascii: "{")
      unsafe p = unsafe skip(p)
      switch unsafe p.pointee {
      case UInt8(ascii: ","):
        unsafe p = unsafe skip(p + 1)
        if isObject, let fault = unsafe name(&p, isFirst: false, isStrict) { return .fault(fault) }
        return .more
      case UInt8(ascii: "}") where isObject:
        if isStrict {
          if let fault = repeatedName(limit: .max) { return .fault(fault) }
          memberStarts.count -= 1
          members.count = memberStarts[memberStarts.count]
        }
      case UInt8(ascii: "]") where !isObject: break
      default:
        return unsafe .fault(
          .syntax(p, isObject ? "expected ',' or '}' after a member" : "expected ',' or ']' after an element"))
      }
      open.count -= 1
      unsafe p += 1
    }
  }

  /// Reads a member's name and the colon after it, and moves `p` to the member's value.
  private mutating func name(_ p: inout Bytes, isFirst: Bool, _ isStrict: Bool) -> JSONStep? {
    guard unsafe p.pointee == UInt8(ascii: "\"") else {
      return unsafe .syntax(
        p, isFirst ? "expected a member's name in quotes or '}'" : "expected a member's name in quotes")
    }
    let start = unsafe p + 1
    let string = unsafe Self.string(start)
    if isStrict || !string.canGoOn, let fault = string.fault { return fault }
    let end = unsafe string.fault == nil ? string.end : Self.stringEnd(start)
    if unsafe end.pointee != UInt8(ascii: "\"") { return unsafe .syntax(end, "") }
    if isStrict {
      let offset = resolved.count
      if !string.isPlain, let fault = unsafe Self.resolve(start, string, into: &resolved) { return fault }
      unsafe members.append(
        Member(
          at: start, offset: offset, count: string.hasEscapes ? resolved.count - offset : end - start,
          hadEscapes: string.hasEscapes))
      if let fault = repeatedName(limit: 16) { return fault }
    }
    unsafe p = unsafe skip(end + 1)
    guard unsafe p.pointee == UInt8(ascii: ":") else { return unsafe .syntax(p, "expected ':' after a member's name") }
    unsafe p = unsafe skip(p + 1)
    return nil
  }

  /// Returns the fault if the innermost object has a name twice. Up to `limit` members, the last name is compared with
  /// all others. Above the limit, all names are sorted once, at the object's end.
  private func repeatedName(limit: Int) -> JSONStep? {
    let first = memberStarts[memberStarts.count - 1]
    let count = members.count - first
    if limit < .max {
      guard count <= limit else { return nil }
      let last = members[members.count - 1]
      for index in first..<members.count - 1 where unsafe bytes(members[index]).elementsEqual(bytes(last)) {
        return repeated(last)
      }
      return nil
    }
    guard count > 16 else { return nil }
    let sorted = (first..<members.count).sorted { left, right in
      let (a, b) = unsafe (bytes(members[left]), bytes(members[right]))
      if unsafe a.lexicographicallyPrecedes(b) { return true }
      return unsafe left < right && a.elementsEqual(b)
    }
    let again = zip(sorted, sorted.dropFirst()).filter {
      unsafe bytes(members[$0]).elementsEqual(bytes(members[$1]))
    }
    return again.map { $0.1 }.min().map { repeated(members[$0]) }
  }

  private func repeated(_ member: Member) -> JSONStep {
    unsafe .content(
      member.at - 1, unsafe "the member \"\(printable(bytes(member), limit: 40))\" stands twice in one object")
  }

  private func bytes(_ member: Member) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe member.hadEscapes ? Bytes(resolved.start + member.offset) : member.at
    return unsafe stretch(start, start + member.count)
  }

  private func word(_ word: StaticString, _ p: inout Bytes) -> JSONStep? {
    for index in 0..<word.utf8CodeUnitCount where unsafe p[index] != word.utf8Start[index] {
      return unsafe .syntax(p + index, "expected \(word)")
    }
    unsafe p += word.utf8CodeUnitCount
    return nil
  }

  @inline(__always) private mutating func skip(_ p: Bytes) -> Bytes {
    var q = unsafe p
    while unsafe isJSONSpace(q.pointee), unsafe q.pointee != 0x0A || !isLines { unsafe q += 1 }
    if unsafe q != p { sawSpace = true }
    return unsafe q
  }
}
