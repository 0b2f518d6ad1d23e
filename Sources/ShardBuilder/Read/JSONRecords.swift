/// Reads records from JSON (RFC 8259), strictly, where they lie in an ``InputWindow``.
///
/// The reader does not look ahead: a record that the window cuts is read again from its start when there is more.
/// After the window's end come NUL bytes, which JSON allows nowhere, so that only a fault asks where the end is.
///
/// Faults are of two kinds. After a *wrong content* (an element that is no object, a member twice, an escape or UTF-8
/// that means no character, a control character, too deep) the element's end is found all the same. After a *wrong
/// syntax* it is not; a line feed, a carriage return or a NUL inside a string counts as such, since it mostly means
/// that a quote is missing.
///
/// Where RFC 8259 leaves room: a lone surrogate in an escape is refused, a member name twice in one object is refused,
/// `\u0000` is content, numbers keep their digits whatever their size, and objects and arrays nest to ``depthLimit``.
struct JSONRecords: ~Copyable {
  /// The record itself is level 1.
  static let depthLimit = 64
  static let fieldLimit = 1 << 16
  /// RFC 8142's, before each value of a sequence: it counts as white space between values.
  static let recordSeparator: UInt8 = 0x1E

  /// Whether records are texts, each the field `name`, and not objects.
  var areTexts = false
  /// One line is one record: a line feed is no white space then.
  let isLines: Bool
  private(set) var names = FieldNames()

  private var tree = NameTree()
  /// The node that each of ``names`` belongs to.
  private var nodeOfName: [Int32] = []
  private var serial = 0
  private var parents = RawVector<Int32>(capacity: depthLimit + 1)
  private var scratch = RawVector<UInt8>(capacity: 256)
  private var checker = JSONChecker()

  init(isLines: Bool) {
    self.isLines = isLines
    checker.isLines = isLines
    parents.count = Self.depthLimit + 1
  }

  /// Too many different names: no record after it can be read either.
  private(set) var hasTooManyNames = false

  /// Reads the value at `start` as a record.
  ///
  /// - Parameters:
  ///   - window: The window's first byte; `end` is past its last.
  mutating func read(at start: Bytes, window: Bytes, end: Bytes, isLast: Bool, into sink: inout RecordSink)
    -> RecordStep
  {
    let mark = sink.mark
    let namesBefore = names.names.count
    switch flatten(start, window, end, isLast, &sink) {
    case .ok(var recordEnd):
      if isLines {
        let next = skip(recordEnd)
        guard next >= end || next.pointee == 0x0A else {
          sink.back(to: mark)
          forgetNames(downTo: namesBefore)
          return .bad(
            Fault(
              at: next,
              reason: "expected the end of the line after an object, found \(described(next.pointee))"),
            end: nil)
        }
        guard next < end || isLast else {
          sink.back(to: mark)
          forgetNames(downTo: namesBefore)
          return .incomplete
        }
        recordEnd = min(next + 1, end)
      }
      sink.appendRecord(offset: start - window)
      return .record(end: recordEnd)
    case .syntax(let at, let reason):
      secondFault = nil
      sink.back(to: mark)
      forgetNames(downTo: namesBefore)
      if at >= end, !isLast { return .incomplete }
      return .bad(
        Fault(at: min(at, end), reason: JSONChecker.reason(reason, at: at, end: end, isLines)), end: nil)
    case .content(let at, let reason):
      sink.back(to: mark)
      forgetNames(downTo: namesBefore)
      let fault = Fault(at: at, reason: reason)
      secondFault = nil
      // A line's record ends where the line does, whatever is in it.
      if isLines { return .bad(fault, end: nil) }
      switch checker.check(start, depth: 0, isStrict: false) {
      case .ok(let recordEnd): return .bad(fault, end: recordEnd)
      case .syntax(let at, _) where at >= end && !isLast: return .incomplete
      case .syntax(let at, let reason), .content(let at, let reason):
        // The second fault is the worse: it says why the rest cannot be read.
        secondFault = Fault(at: min(at, end), reason: JSONChecker.reason(reason, at: at, end: end, isLines))
        return .bad(fault, end: nil)
      }
    }
  }

  /// The syntax fault behind the wrong content of the last `bad` without an end.
  private(set) var secondFault: Fault?

  /// Reads a value that is no record: only its syntax counts.
  mutating func check(_ start: Bytes) -> JSONStep { checker.check(start, depth: 0, isStrict: false) }

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
    if areTexts, start.pointee == UInt8(ascii: "\"") { return text(start, window, &sink) }
    guard start.pointee == UInt8(ascii: "{"), !areTexts else { return noRecord(start, end, isLast) }
    serial += 1
    var walk = Walk(p: skip(start + 1), guess: tree[0].first)
    if walk.p.pointee == UInt8(ascii: "}") { return .ok(walk.p + 1) }
    while true {
      let nameStart = walk.p
      let member: Int32
      if walk.guess >= 0, tree.matches(walk.guess, walk.p) {
        member = walk.guess
        walk.p += tree[member].size
      } else {
        switch name(at: walk.p, object: walk.object, guess: walk.guess, last: walk.last) {
        case .found(let found, let after): (member, walk.p) = (found, after)
        case .fault(let fault): return fault
        }
      }
      if tree[member].serial == serial {
        return .content(
          nameStart,
          "the member \"\(printable(tree.name(member).utf8, limit: 40))\" stands twice in one object")
      }
      tree[member].serial = serial
      if walk.p.pointee != UInt8(ascii: ":") {
        walk.p = skip(walk.p)
        guard walk.p.pointee == UInt8(ascii: ":") else { return .syntax(walk.p, "expected ':' after a member's name") }
      }
      walk.p += 1
      if walk.p.pointee <= 0x20 { walk.p = skip(walk.p) }
      if walk.p.pointee == UInt8(ascii: "{"), enter(member, &walk) { continue }
      let p = walk.p
      switch p.pointee {
      case UInt8(ascii: "\""):
        let string = JSONChecker.string(p + 1)
        if string.isPlain, let field = field(of: member) {
          sink.append(name: field, kind: .string, offset: p + 1 - window, length: string.end - (p + 1))
        } else if let fault = text(string, at: p, of: member, nameStart, window, &sink) {
          return fault
        }
        walk.p = string.end + 1
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard let after = JSONChecker.number(p) else { return JSONChecker.numberFault(at: p) }
        guard let field = field(of: member) else { return .syntax(nameStart, Self.tooManyNames) }
        sink.append(name: field, kind: .number, offset: p - window, length: after - p)
        walk.p = after
      default:
        let value = literal(at: p, of: member, nameStart, depth: walk.depth, window, &sink)
        guard case .ok(let after) = value else { return value }
        walk.p = after
      }
      walk.last = member
      switch leave(&walk) {
      case .member: continue
      case .end: return .ok(walk.p)
      case .fault(let fault): return fault
      }
    }
  }

  /// The state of the reading of a record.
  @safe private struct Walk {
    /// The next byte.
    var p: Bytes
    /// The object whose members are being read.
    var object: Int32 = 0
    var depth = 1
    /// The member that mostly comes next; -1 where none is known.
    var guess: Int32
    /// The member before; -1 at the object's start.
    var last: Int32 = -1
  }

  /// The thing that follows a value.
  @safe private enum AfterValue {
    case member, end
    case fault(JSONStep)
  }

  /// Returns the fault of a value that is no record. Whether it is a value at all comes first.
  private mutating func noRecord(_ start: Bytes, _ end: Bytes, _ isLast: Bool) -> JSONStep {
    switch checker.check(start, depth: 0, isStrict: false) {
    // A number at the window's end may go on after it.
    case .ok(let after) where after >= end && !isLast: return .syntax(after, "")
    case .ok:
      return .content(
        start, "expected \(areTexts ? "a text in quotes" : "an object in braces"), found \(described(start.pointee))")
    case let fault: return fault
    }
  }

  /// Goes to the first member of the object at `walk.p`, which is the value of `member`; false if it has none, or is
  /// nested too deep.
  @inline(__always) private func enter(_ member: Int32, _ walk: inout Walk) -> Bool {
    guard walk.depth < Self.depthLimit else { return false }
    let inside = skip(walk.p + 1)
    guard inside.pointee != UInt8(ascii: "}") else { return false }
    parents[walk.depth] = walk.object
    walk.depth += 1
    walk.object = member
    walk.guess = tree[member].first
    walk.last = -1
    walk.p = inside
    return true
  }

  /// Takes in a text that is not plain; returns what is wrong with it.
  @inline(never) private mutating func text(
    _ string: JSONChecker.StringScan, at p: Bytes, of member: Int32, _ nameStart: Bytes, _ window: Bytes,
    _ sink: inout RecordSink
  ) -> JSONStep? {
    if let fault = string.fault { return fault }
    guard let field = field(of: member) else { return .syntax(nameStart, Self.tooManyNames) }
    let extraStart = sink.extra.count
    if let fault = JSONChecker.resolve(p + 1, string, into: &sink.extra) { return fault }
    if string.hasEscapes {
      sink.append(name: field, kind: .string, extraFrom: extraStart)
    } else {
      sink.append(name: field, kind: .string, offset: p + 1 - window, length: string.end - (p + 1))
    }
    return nil
  }

  /// Reads a value that is no text, no number and no object with members.
  @inline(never) private mutating func literal(
    at p: Bytes, of member: Int32, _ nameStart: Bytes, depth: Int, _ window: Bytes, _ sink: inout RecordSink
  ) -> JSONStep {
    if p.pointee == UInt8(ascii: "{"), depth < Self.depthLimit {
      guard let field = field(of: member) else { return .syntax(nameStart, Self.tooManyNames) }
      let extraStart = sink.extra.count
      sink.extra.append(UInt8(ascii: "{"))
      sink.extra.append(UInt8(ascii: "}"))
      sink.append(name: field, kind: .literal, extraFrom: extraStart)
      return .ok(skip(p + 1) + 1)
    }
    // An array, true, false, null, an object too deep, or no value.
    checker.sawSpace = false
    let value = checker.check(p, depth: depth, isStrict: true)
    guard case .ok(let after) = value else { return value }
    guard let field = field(of: member) else { return .syntax(nameStart, Self.tooManyNames) }
    if checker.sawSpace {
      let extraStart = sink.extra.count
      JSONChecker.compact(p, after, into: &sink.extra)
      sink.append(name: field, kind: .literal, extraFrom: extraStart)
    } else {
      sink.append(name: field, kind: .literal, offset: p - window, length: after - p)
    }
    return value
  }

  /// Goes from a value's end to the next member's name, or to the record's end.
  @inline(__always) private func leave(_ walk: inout Walk) -> AfterValue {
    while true {
      if walk.p.pointee <= 0x20 { walk.p = skip(walk.p) }
      if walk.p.pointee == UInt8(ascii: ",") {
        walk.p = walk.p[1] <= 0x20 ? skip(walk.p + 1) : walk.p + 1
        walk.guess = tree[walk.last].next
        return .member
      }
      guard walk.p.pointee == UInt8(ascii: "}") else {
        return .fault(.syntax(walk.p, "expected ',' or '}' after a member"))
      }
      walk.p += 1
      walk.depth -= 1
      if walk.depth == 0 { return .end }
      walk.last = walk.object
      walk.object = parents[walk.depth]
    }
  }

  /// Reads a record that is one text.
  private mutating func text(_ start: Bytes, _ window: Bytes, _ sink: inout RecordSink) -> JSONStep {
    let string = JSONChecker.string(start + 1)
    if let fault = string.fault { return fault }
    let extraStart = sink.extra.count
    if !string.isPlain, let fault = JSONChecker.resolve(start + 1, string, into: &sink.extra) { return fault }
    let field = names.number(of: "name")
    if string.hasEscapes {
      sink.append(name: field, kind: .string, extraFrom: extraStart)
    } else {
      sink.append(name: field, kind: .string, offset: start + 1 - window, length: string.end - (start + 1))
    }
    return .ok(string.end + 1)
  }

  @safe private enum NameStep {
    case found(Int32, after: Bytes)
    case fault(JSONStep)
  }

  /// Finds the member whose name is at `p` and is not the expected one.
  @inline(never)
  private mutating func name(at p: Bytes, object: Int32, guess: Int32, last: Int32) -> NameStep {
    guard p.pointee == UInt8(ascii: "\"") else {
      return .fault(
        .syntax(
          p, last < 0 ? "expected a member's name in quotes or '}'" : "expected a member's name in quotes"))
    }
    // Members left out: the one met is a little further on.
    var candidate = guess
    for _ in 0..<8 where candidate >= 0 {
      if tree.matches(candidate, p) { return .found(candidate, after: p + tree[candidate].size) }
      candidate = tree[candidate].next
    }
    let string = JSONChecker.string(p + 1)
    if let fault = string.fault { return .fault(fault) }
    scratch.count = 0
    if !string.isPlain, let fault = JSONChecker.resolve(p + 1, string, into: &scratch) {
      return .fault(fault)
    }
    let name =
      string.hasEscapes ? scratch.buffer : stretch(p + 1, string.end)
    guard let member = tree.node(parent: object, name: name) else {
      hasTooManyNames = true
      return .fault(.syntax(p, Self.tooManyNames))
    }
    // From now on it is expected here, and what was expected here after it.
    if tree[member].next < 0, member != guess { tree[member].next = guess }
    if last < 0 { tree[object].first = member } else { tree[last].next = member }
    return .found(member, after: string.end + 1)
  }

  private static let tooManyNames =
    "over \(fieldLimit) different field names, or \(FieldNames.bytesLimit >> 20) MiB of them; is this an object keyed by something? Make each entry a record"

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

  /// Returns the first byte at or after `p` that is no white space.
  @inline(__always) func skip(_ p: Bytes) -> Bytes {
    var p = p
    while isJSONSpace(p.pointee), p.pointee != 0x0A || !isLines { p += 1 }
    return p
  }
}

/// The outcome of checking a JSON text.
@safe enum JSONStep {
  /// All of it is right; the next byte is here.
  case ok(Bytes)
  case syntax(Bytes, String)
  case content(Bytes, String)
}
