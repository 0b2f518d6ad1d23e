/// The reader of records in JSON (RFC 8259). It is strict, and reads the text in place, in an ``InputWindow``.
///
/// The reader does not look ahead: if the window cuts a record, the record is read again from its start, with more
/// text. After the window's end come NUL bytes, which JSON allows nowhere, so that only a fault needs to know the end.
///
/// There are two kinds of faults. After *wrong content* (an element that is not an object, a member twice, an escape or
/// UTF-8 that is not a character, a control character, too deep) the reader still finds the element's end. After *wrong
/// syntax* it does not. A line feed, a carriage return or a NUL inside a string counts as wrong syntax, because it
/// mostly means that a quote is missing.
///
/// Where RFC 8259 leaves a choice: the reader refuses a lone surrogate in an escape and a member name twice in one
/// object. `\u0000` is content, numbers of any size keep their digits, and objects and arrays nest to
/// ``FieldPath/depthLimit``.
package struct JSONRecords: ~Copyable {
  package static let fieldLimit = 1 << 16
  /// The record separator of RFC 8142, before each value of a sequence: it counts as white space between values.
  static let recordSeparator: UInt8 = 0x1E

  /// Whether records are texts instead of objects; then a text is the field `name`.
  var areTexts = false
  /// Whether each line is one record; then a line feed is not white space.
  let isLines: Bool
  private(set) var names = FieldNames()

  private var tree = NameTree()
  /// The node that each of ``names`` belongs to.
  private var nodeOfName: [Int32] = []
  private var serial = 0
  private var parents = RawVector<Int32>(capacity: FieldPath.depthLimit + 1)
  private var scratch = RawVector<UInt8>(capacity: 256)
  private var checker = JSONChecker()

  init(isLines: Bool) {
    self.isLines = isLines
    checker.isLines = isLines
    parents.count = FieldPath.depthLimit + 1
  }

  /// Whether there are too many different names; then later records cannot be read either.
  private(set) var hasTooManyNames = false

  /// Reads the value at `start` as a record.
  ///
  /// - Parameters:
  ///   - window: The window's first byte; `end` is after its last byte.
  mutating func read(at start: Bytes, window: Bytes, end: Bytes, isLast: Bool, into sink: inout RecordSink)
    -> RecordStep
  {
    let mark = sink.mark
    let namesBefore = names.names.count
    switch unsafe flatten(start, window, end, isLast, &sink) {
    case .ok(var recordEnd):
      if isLines {
        let next = unsafe skip(recordEnd)
        guard unsafe next >= end || next.pointee == 0x0A else {
          sink.back(to: mark)
          forgetNames(downTo: namesBefore)
          return unsafe .bad(
            Fault(
              at: next,
              reason: unsafe "expected the end of the line after an object, found \(described(next.pointee))"),
            end: nil)
        }
        guard unsafe next < end || isLast else {
          sink.back(to: mark)
          forgetNames(downTo: namesBefore)
          return .incomplete
        }
        unsafe recordEnd = unsafe min(next + 1, end)
      }
      unsafe sink.appendRecord(offset: start - window)
      return unsafe .record(end: recordEnd)
    case .syntax(let at, let reason):
      secondFault = nil
      sink.back(to: mark)
      forgetNames(downTo: namesBefore)
      if unsafe at >= end, !isLast { return .incomplete }
      return unsafe .bad(
        Fault(at: min(at, end), reason: JSONChecker.reason(reason, at: at, end: end, isLines)), end: nil)
    case .content(let at, let reason):
      sink.back(to: mark)
      forgetNames(downTo: namesBefore)
      let fault = unsafe Fault(at: at, reason: reason)
      secondFault = nil
      // A line's record ends with the line, with any content.
      if isLines { return unsafe .bad(fault, end: nil) }
      switch unsafe checker.check(start, depth: 0, isStrict: false) {
      case .ok(let recordEnd): return unsafe .bad(fault, end: recordEnd)
      case .syntax(let at, _) where unsafe at >= end && !isLast: return .incomplete
      case .syntax(let at, let reason), .content(let at, let reason):
        // The second fault is the worse one: it is the reason why the rest cannot be read.
        secondFault = unsafe Fault(at: min(at, end), reason: JSONChecker.reason(reason, at: at, end: end, isLines))
        return unsafe .bad(fault, end: nil)
      }
    }
  }

  /// The syntax fault after the wrong content of the last `bad` without an end.
  private(set) var secondFault: Fault?

  /// Reads a value that is not a record: only its syntax counts.
  mutating func check(_ start: Bytes) -> JSONStep { unsafe checker.check(start, depth: 0, isStrict: false) }

  private mutating func forgetNames(downTo count: Int) {
    guard names.names.count > count else { return }
    for node in nodeOfName[count...] { tree[node].field = -1 }
    nodeOfName.removeLast(nodeOfName.count - count)
    names.removeLast(downTo: count)
  }

  /// Reads a record in one pass, its fields into `sink`. Stops at the first fault of either kind.
  private mutating func flatten(
    _ start: Bytes, _ window: Bytes, _ end: Bytes, _ isLast: Bool, _ sink: inout RecordSink
  ) -> JSONStep {
    if areTexts, unsafe start.pointee == UInt8(ascii: "\"") { return unsafe text(start, window, &sink) }
    guard unsafe start.pointee == UInt8(ascii: "{"), !areTexts else { return unsafe noRecord(start, end, isLast) }
    serial += 1
    var walk = unsafe Walk(p: skip(start + 1), guess: tree[0].first)
    if unsafe walk.p.pointee == UInt8(ascii: "}") { return unsafe .ok(walk.p + 1) }
    while true {
      let nameStart = unsafe walk.p
      let member: Int32
      if walk.guess >= 0, unsafe tree.matches(walk.guess, walk.p) {
        member = walk.guess
        unsafe walk.p += tree[member].size
      } else {
        switch unsafe name(at: walk.p, object: walk.object, guess: walk.guess, last: walk.last) {
        case .found(let found, let after): unsafe (member, walk.p) = unsafe (found, after)
        case .fault(let fault): return fault
        }
      }
      if tree[member].serial == serial {
        return unsafe .content(
          nameStart,
          "the member \"\(printable(tree.name(member).utf8, limit: 40))\" stands twice in one object")
      }
      tree[member].serial = serial
      if unsafe walk.p.pointee != UInt8(ascii: ":") {
        unsafe walk.p = unsafe skip(walk.p)
        guard unsafe walk.p.pointee == UInt8(ascii: ":") else {
          return unsafe .syntax(walk.p, "expected ':' after a member's name")
        }
      }
      unsafe walk.p += 1
      if unsafe walk.p.pointee <= 0x20 { unsafe walk.p = unsafe skip(walk.p) }
      if unsafe walk.p.pointee == UInt8(ascii: "{"), enter(member, &walk) { continue }
      let p = unsafe walk.p
      switch unsafe p.pointee {
      case UInt8(ascii: "\""):
        let string = unsafe JSONChecker.string(p + 1)
        if string.isPlain, let field = field(of: member) {
          unsafe sink.append(name: field, kind: .string, offset: p + 1 - window, length: string.end - (p + 1))
        } else if let fault = unsafe text(string, at: p, of: member, nameStart, window, &sink) {
          return fault
        }
        unsafe walk.p = unsafe string.end + 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard let after = unsafe JSONChecker.number(p) else { return unsafe JSONChecker.numberFault(at: p) }
        guard let field = field(of: member) else { return unsafe .syntax(nameStart, Self.tooManyNames) }
        unsafe sink.append(name: field, kind: .number, offset: p - window, length: after - p)
        unsafe walk.p = unsafe after
      default:
        let value = unsafe literal(at: p, of: member, nameStart, depth: walk.depth, window, &sink)
        guard case .ok(let after) = value else { return value }
        unsafe walk.p = unsafe after
      }
      walk.last = member
      switch leave(&walk) {
      case .member: continue
      case .end: return unsafe .ok(walk.p)
      case .fault(let fault): return fault
      }
    }
  }

  /// The state of the reading of a record.
  @safe private struct Walk {
    /// The next byte.
    var p: Bytes
    /// The object of the current members.
    var object: Int32 = 0
    var depth = 1
    /// The member that mostly comes next; -1 if unknown.
    var guess: Int32
    /// The previous member; -1 at the object's start.
    var last: Int32 = -1
  }

  /// The token after a value.
  @safe private enum AfterValue {
    case member, end
    case fault(JSONStep)
  }

  /// Returns the fault of a value that is not a record. If the text is no value at all, returns that fault.
  private mutating func noRecord(_ start: Bytes, _ end: Bytes, _ isLast: Bool) -> JSONStep {
    switch unsafe checker.check(start, depth: 0, isStrict: false) {
    // A number at the window's end may go on after it.
    case .ok(let after) where unsafe after >= end && !isLast: return unsafe .syntax(after, "")
    case .ok:
      return unsafe .content(
        start,
        unsafe "expected \(areTexts ? "a text in quotes" : "an object in braces"), found \(described(start.pointee))")
    case let fault: return fault
    }
  }

  /// Moves to the first member of the object at `walk.p`, which is the value of `member`. Returns false if the object
  /// has no member or is nested too deep.
  @inline(__always) private func enter(_ member: Int32, _ walk: inout Walk) -> Bool {
    guard walk.depth < FieldPath.depthLimit else { return false }
    let inside = unsafe skip(walk.p + 1)
    guard unsafe inside.pointee != UInt8(ascii: "}") else { return false }
    parents[walk.depth] = walk.object
    walk.depth += 1
    walk.object = member
    walk.guess = tree[member].first
    walk.last = -1
    unsafe walk.p = unsafe inside
    return true
  }

  /// Reads a text with escapes or faults, and returns its fault.
  @inline(never) private mutating func text(
    _ string: JSONChecker.StringScan, at p: Bytes, of member: Int32, _ nameStart: Bytes, _ window: Bytes,
    _ sink: inout RecordSink
  ) -> JSONStep? {
    if let fault = string.fault { return fault }
    guard let field = field(of: member) else { return unsafe .syntax(nameStart, Self.tooManyNames) }
    let extraStart = sink.extra.count
    if let fault = unsafe JSONChecker.resolve(p + 1, string, into: &sink.extra) { return fault }
    if string.hasEscapes {
      sink.append(name: field, kind: .string, extraFrom: extraStart)
    } else {
      unsafe sink.append(name: field, kind: .string, offset: p + 1 - window, length: string.end - (p + 1))
    }
    return nil
  }

  /// Reads a value that is not a text, a number or an object with members.
  @inline(never) private mutating func literal(
    at p: Bytes, of member: Int32, _ nameStart: Bytes, depth: Int, _ window: Bytes, _ sink: inout RecordSink
  ) -> JSONStep {
    if unsafe p.pointee == UInt8(ascii: "{"), depth < FieldPath.depthLimit {
      guard let field = field(of: member) else { return unsafe .syntax(nameStart, Self.tooManyNames) }
      let extraStart = sink.extra.count
      sink.extra.append(UInt8(ascii: "{"))
      sink.extra.append(UInt8(ascii: "}"))
      sink.append(name: field, kind: .literal, extraFrom: extraStart)
      return unsafe .ok(skip(p + 1) + 1)
    }
    // The value is an array, true, false, null, an object that is too deep, or not a value.
    checker.sawSpace = false
    let value = unsafe checker.check(p, depth: depth, isStrict: true)
    guard case .ok(let after) = value else { return value }
    guard let field = field(of: member) else { return unsafe .syntax(nameStart, Self.tooManyNames) }
    if checker.sawSpace {
      let extraStart = sink.extra.count
      unsafe JSONChecker.compact(p, after, into: &sink.extra)
      sink.append(name: field, kind: .literal, extraFrom: extraStart)
    } else {
      unsafe sink.append(name: field, kind: .literal, offset: p - window, length: after - p)
    }
    return value
  }

  /// Moves from a value's end to the next member's name, or to the record's end.
  @inline(__always) private func leave(_ walk: inout Walk) -> AfterValue {
    while true {
      if unsafe walk.p.pointee <= 0x20 { unsafe walk.p = unsafe skip(walk.p) }
      if unsafe walk.p.pointee == UInt8(ascii: ",") {
        unsafe walk.p = unsafe walk.p[1] <= 0x20 ? skip(walk.p + 1) : walk.p + 1
        walk.guess = tree[walk.last].next
        return .member
      }
      guard unsafe walk.p.pointee == UInt8(ascii: "}") else {
        return unsafe .fault(.syntax(walk.p, "expected ',' or '}' after a member"))
      }
      unsafe walk.p += 1
      walk.depth -= 1
      if walk.depth == 0 { return .end }
      walk.last = walk.object
      walk.object = parents[walk.depth]
    }
  }

  /// Reads a record that is one text.
  private mutating func text(_ start: Bytes, _ window: Bytes, _ sink: inout RecordSink) -> JSONStep {
    let string = unsafe JSONChecker.string(start + 1)
    if let fault = string.fault { return fault }
    let extraStart = sink.extra.count
    if !string.isPlain, let fault = unsafe JSONChecker.resolve(start + 1, string, into: &sink.extra) { return fault }
    let field = names.number(of: "name")
    if string.hasEscapes {
      sink.append(name: field, kind: .string, extraFrom: extraStart)
    } else {
      unsafe sink.append(name: field, kind: .string, offset: start + 1 - window, length: string.end - (start + 1))
    }
    return unsafe .ok(string.end + 1)
  }

  @safe private enum NameStep {
    case found(Int32, after: Bytes)
    case fault(JSONStep)
  }

  /// Finds the member whose name is at `p`, if it is not the expected member.
  @inline(never)
  private mutating func name(at p: Bytes, object: Int32, guess: Int32, last: Int32) -> NameStep {
    guard unsafe p.pointee == UInt8(ascii: "\"") else {
      return unsafe .fault(
        .syntax(
          p, last < 0 ? "expected a member's name in quotes or '}'" : "expected a member's name in quotes"))
    }
    // The record lacks some members: the member found is a little further on.
    var candidate = guess
    for _ in 0..<8 where candidate >= 0 {
      if unsafe tree.matches(candidate, p) { return unsafe .found(candidate, after: p + tree[candidate].size) }
      candidate = tree[candidate].next
    }
    let string = unsafe JSONChecker.string(p + 1)
    if let fault = string.fault { return .fault(fault) }
    scratch.count = 0
    if !string.isPlain, let fault = unsafe JSONChecker.resolve(p + 1, string, into: &scratch) {
      return .fault(fault)
    }
    let name =
      unsafe string.hasEscapes ? scratch.buffer : stretch(p + 1, string.end)
    guard let member = unsafe tree.node(parent: object, name: name) else {
      hasTooManyNames = true
      return unsafe .fault(.syntax(p, Self.tooManyNames))
    }
    // From now on this member is expected here, and the expected one after it.
    if tree[member].next < 0, member != guess { tree[member].next = guess }
    if last < 0 { tree[object].first = member } else { tree[last].next = member }
    return unsafe .found(member, after: string.end + 1)
  }

  private static let tooManyNames =
    "over \(fieldLimit) different field names, or \(FieldNames.bytesLimit >> 20) MiB of them"

  @inline(__always) private mutating func field(of member: Int32) -> UInt32? {
    let field = tree[member].field
    return field >= 0 ? UInt32(bitPattern: field) : newField(of: member)
  }

  @inline(never) private mutating func newField(of member: Int32) -> UInt32? {
    guard names.names.count < Self.fieldLimit else {
      hasTooManyNames = true
      return nil
    }
    let path = tree.path(member)
    guard names.byteCount + path.utf8.count <= FieldNames.bytesLimit else {
      hasTooManyNames = true
      return nil
    }
    let field = names.number(of: path)
    tree[member].field = Int32(field)
    nodeOfName.append(member)
    return field
  }

  /// Returns the first byte at or after `p` that is not white space.
  @inline(__always) func skip(_ p: Bytes) -> Bytes {
    var p = unsafe p
    while unsafe isJSONSpace(p.pointee), unsafe p.pointee != 0x0A || !isLines { unsafe p += 1 }
    return unsafe p
  }
}

/// The outcome of checking a JSON text.
@safe enum JSONStep {
  /// The text is right; the next byte is here.
  case ok(Bytes)
  case syntax(Bytes, String)
  case content(Bytes, String)
}
