/// The outline of a JSON text, as far as the text's beginning shows it. It decides how the text is read, and gives
/// messages the place of the records.
///
/// The outline checks nothing: the reader finds faults, and names their line and column.
struct JSONOutline {
  struct Member {
    var name: String
    /// The first byte of its value; 0 if the given text ends before it.
    var value: UInt8
    /// The first byte of an array's first element; `]` for an empty array.
    var element: UInt8 = 0
    /// The number of an array's elements, as far as the given text has them.
    var count = 0
    /// Whether the given text ends inside of the value.
    var isCut = true
    /// The text of a short string.
    var text: String?
    /// The members of a nested object, for the outer ``levels`` of objects.
    var members: [Member] = []

    var isObject: Bool { value == UInt8(ascii: "{") }
    var isArray: Bool { value == UInt8(ascii: "[") }
  }

  /// The number of levels of objects whose members are noted.
  private static let levels = 4

  /// The first byte that is not white space; 0 if there is none.
  private(set) var first: UInt8 = 0
  /// The members of an object; for an array, the members of its first element, if that is an object.
  private(set) var members: [Member] = []
  /// The first byte of an array's first element.
  private(set) var element: UInt8 = 0
  /// Whether the value ends within the given text.
  private(set) var isWhole = false
  /// Whether a line ends inside the value.
  private(set) var spansLines = false
  /// The first byte after the value that is not white space, if the given text has one.
  private(set) var next: UInt8?
  /// Whether a line ends between the value and ``next``.
  private(set) var nextIsOnNewLine = false

  private let text: [UInt8]
  private var at = 0

  init(_ text: [UInt8]) {
    self.text = text
    skipSpace()
    let start = at
    first = byte
    var members: [Member] = []
    defer { self.members = members }
    switch first {
    case UInt8(ascii: "{"): isWhole = readObject(&members, depth: 1)
    case UInt8(ascii: "["):
      at += 1
      skipSpace()
      element = byte
      if element == UInt8(ascii: "{") { _ = readObject(&members, depth: Self.levels) }
      return
    default: return
    }
    spansLines = text[start..<at].contains(0x0A)
    guard isWhole else { return }
    let end = at
    skipSpace()
    nextIsOnNewLine = text[end..<at].contains(0x0A)
    next = at < text.count ? byte : nil
  }

  /// The text of member `name`, if it is a short string.
  func text(of name: String) -> String? { members.first { $0.name == name }?.text }

  /// The path to the array that likeliest has the records, the outermost member first. Arrays of objects come before
  /// arrays of texts, long arrays before short ones, and arrays near the root before deeper ones. An array whose end the
  /// text lacks counts as the longest. Below the second level only arrays of several objects count: records have lists.
  var arrayPath: (path: [String], element: UInt8)? {
    var best: (path: [String], element: UInt8, rank: (Int, Int, Int, Int))?
    func look(at members: [Member], _ path: [String]) {
      for member in members {
        let inner = path + [member.name]
        let isObjects = member.element == UInt8(ascii: "{")
        if member.isArray, member.element != UInt8(ascii: "]"),
          inner.count < 3 || (isObjects && member.count > 1)
        {
          let kind = isObjects ? 0 : member.element == UInt8(ascii: "[") ? 1 : 2
          let rank = (member.isCut && kind < 2 ? 0 : 1, kind, member.isCut ? Int.min : -member.count, inner.count)
          if best == nil || rank < best!.rank { best = (inner, member.element, rank) }
        }
        look(at: member.members, inner)
      }
    }
    look(at: members, [])
    return best.map { ($0.path, $0.element) }
  }

  // MARK: Scanning

  private var byte: UInt8 { at < text.count ? text[at] : 0 }

  /// A record separator (RFC 8142) counts as white space.
  private mutating func skipSpace() {
    while at < text.count, isJSONSpace(text[at]) || text[at] == JSONRecords.recordSeparator { at += 1 }
  }

  /// Reads the object at `at`; returns false if the text ends first or is not an object.
  private mutating func readObject(_ members: inout [Member], depth: Int) -> Bool {
    at += 1
    while true {
      skipSpace()
      if byte == UInt8(ascii: "}") {
        at += 1
        return true
      }
      if byte == UInt8(ascii: ",") {
        at += 1
        continue
      }
      guard byte == UInt8(ascii: "\""), let name = readString() else { return false }
      skipSpace()
      guard byte == UInt8(ascii: ":") else { return false }
      at += 1
      skipSpace()
      var member = Member(name: name, value: byte)
      defer { members.append(member) }
      switch byte {
      case 0: return false
      case UInt8(ascii: "\""):
        guard let text = readString() else { return false }
        member.text = text
      case UInt8(ascii: "{") where depth < Self.levels:
        guard readObject(&member.members, depth: depth + 1) else { return false }
      case UInt8(ascii: "["):
        let start = at
        at += 1
        skipSpace()
        member.element = byte
        at = start
        guard skipNested(&member.count) else { return false }
      case UInt8(ascii: "{"): guard skipNested(&member.count) else { return false }
      default:
        while at < text.count, !isJSONSpace(byte), ![0x2C, 0x7D, 0x5D].contains(byte) { at += 1 }
        guard at < text.count else { return false }
      }
      member.isCut = false
    }
  }

  /// Moves past the string at `at`, and returns its text with its escapes, cut off if it is long.
  private mutating func readString() -> String? {
    let start = at + 1
    guard skipString() else { return nil }
    return String(decoding: text[start..<min(at - 1, start + 256)], as: UTF8.self)
  }

  private mutating func skipString() -> Bool {
    at += 1
    while at < text.count {
      if byte == UInt8(ascii: "\"") {
        at += 1
        return true
      }
      at += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    at = text.count
    return false
  }

  /// Moves past the array or object at `at`, and counts its elements.
  private mutating func skipNested(_ count: inout Int) -> Bool {
    var depth = 0
    var isEmpty = true
    while at < text.count {
      switch byte {
      case UInt8(ascii: "\""):
        isEmpty = false
        guard skipString() else { return false }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth > 0 { isEmpty = false }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, !isEmpty { count += 1 }
      case UInt8(ascii: ",") where depth == 1: count += 1
      case let byte where !isJSONSpace(byte): isEmpty = false
      default: break
      }
      at += 1
      if depth == 0 { return true }
    }
    return false
  }
}

extension JSONOutline.Member {
  /// Returns the array at a path in the syntax of jq: `.data.items[]`.
  static func jq(_ path: [String]) -> String {
    path.map { name in
      let isWord =
        !name.isEmpty && !("0"..."9").contains(name.unicodeScalars.first!)
        && name.unicodeScalars.allSatisfy {
          ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }
      return isWord ? ".\(name)" : ".\"\(name)\""
    }.joined() + "[]"
  }
}
