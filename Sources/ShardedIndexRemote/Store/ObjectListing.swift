/// A page of the list of a store's objects. Source: Amazon S3 API Reference, ListObjectsV2.
package struct ObjectListing: Equatable, Sendable {
  package struct Object: Equatable, Sendable {
    package var key: String
    /// The size in bytes.
    package var size: Int
    /// The seconds since 1970; nil if the store gives no valid time.
    package var modified: Int64?
  }

  /// The objects in the order of the store.
  package private(set) var objects: [Object] = []
  /// The store's token for the next page; nil for the last page.
  package private(set) var next: String?

  /// The reason why a text is not a page of a list.
  package struct Flaw: Error, Equatable {
    package let reason: String
  }

  /// Reads a page. The caller limits its size.
  package init(_ bytes: [UInt8]) throws(Flaw) {
    var reader = Reader(bytes)
    var isTruncated: Bool?
    var isEncoded = false
    var object = Object(key: "", size: -1)
    var hasKey = false
    while let element = try reader.nextEnd() {
      let text = element.text
      switch (element.depth, element.name) {
      case (2, "IsTruncated"):
        guard text == "true" || text == "false" else { throw Flaw(reason: "does not say whether another page follows") }
        isTruncated = text == "true"
      case (2, "NextContinuationToken"): next = text
      case (2, "EncodingType"): isEncoded = text == "url"
      case (3, "Key") where element.parent == "Contents": (object.key, hasKey) = (text, true)
      case (3, "Size") where element.parent == "Contents":
        guard let size = Int(text), size >= 0 else { throw Flaw(reason: "has an object without a size") }
        object.size = size
      case (3, "LastModified") where element.parent == "Contents": object.modified = Self.seconds(text)
      case (2, "Contents"):
        guard hasKey, object.size >= 0 else { throw Flaw(reason: "has an object without a key or a size") }
        objects.append(object)
        (object, hasKey) = (Object(key: "", size: -1), false)
      default: break
      }
    }
    guard reader.root == "ListBucketResult" else { throw Flaw(reason: "is not a list of objects") }
    guard let isTruncated else { throw Flaw(reason: "does not say whether another page follows") }
    guard isTruncated == (next != nil) else { throw Flaw(reason: "does not say where its next page begins") }
    // The element that says so may stand anywhere.
    if isEncoded {
      for at in objects.indices { objects[at].key = try Self.decoded(objects[at].key) }
    }
  }

  private static func decoded(_ text: String) throws(Flaw) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%") {
        guard rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
          throw Flaw(reason: "has a key with a wrong encoding")
        }
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    // A key that is not valid UTF-8 is not a name of an index.
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the seconds since 1970 of a time such as `2026-11-26T19:26:03.000Z`; nil for another text.
  static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      let digits = bytes[range]
      guard digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }), bytes[19] == 0x5a || bytes[19] == 0x2e,
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), 1...12 ~= month, 1...31 ~= day, hour < 24,
      minute < 60,
      second <= 60, year >= 1970
    else { return nil }
    // Years begin in March, so that the leap day is the last day of its year.
    let (from, since) = (month > 2 ? year : year - 1, (month + 9) % 12)
    let days = 365 * from + from / 4 - from / 100 + from / 400 + (153 * since + 2) / 5 + day - 1 - 719_468
    return ((days * 24 + hour) * 60 + minute) * 60 + second
  }
}

extension ObjectListing {
  /// A reader of XML as stores write it: elements, texts and the five entities. It refuses document types.
  private struct Reader {
    /// An element, at its end tag.
    struct Element {
      /// The depth, 1 for the outermost element.
      let depth: Int
      let name: String
      let parent: String
      let text: String
    }

    private let bytes: [UInt8]
    private var at = 0
    private var open: [String] = []
    private var text: [UInt8] = []
    /// The name of the outermost element.
    private(set) var root: String?

    private static let depthLimit = 8
    private static let nameLimit = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Moves to the next end of an element; returns nil at the end of the text.
    mutating func nextEnd() throws(Flaw) -> Element? {
      while at < bytes.count {
        guard bytes[at] == UInt8(ascii: "<") else {
          try readText()
          continue
        }
        at += 1
        switch at < bytes.count ? bytes[at] : 0 {
        case UInt8(ascii: "?"): try skip(behind: "?>")
        case UInt8(ascii: "/"): return try readEnd()
        default: if let empty = try readStart() { return empty }
        }
      }
      guard open.isEmpty, root != nil else { throw Flaw(reason: "is not XML: it ends early") }
      return nil
    }

    private mutating func readText() throws(Flaw) {
      let end = bytes[at...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
      let run = bytes[at..<end]
      at = end
      guard !open.isEmpty else {
        guard run.allSatisfy({ $0 <= 0x20 }) || run.elementsEqual([0xef, 0xbb, 0xbf]) else {
          throw Flaw(reason: "is not XML")
        }
        return
      }
      guard run.contains(UInt8(ascii: "&")) else {
        text += run
        return
      }
      var rest = run
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "&") else {
          text.append(byte)
          continue
        }
        let name = rest.prefix(10).prefix { $0 != UInt8(ascii: ";") }
        guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
          let character = Self.character(String(decoding: name, as: UTF8.self))
        else { throw Flaw(reason: "is not XML: it has an unknown entity") }
        text += Array(String(character).utf8)
        rest = rest[(name.endIndex + 1)...]
      }
    }

    private static func character(_ name: String) -> Unicode.Scalar? {
      switch name {
      case "amp": return "&"
      case "lt": return "<"
      case "gt": return ">"
      case "quot": return "\""
      case "apos": return "'"
      default:
        let number =
          name.hasPrefix("#x")
          ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        return number.flatMap(Unicode.Scalar.init)
      }
    }

    private mutating func skip(behind mark: String) throws(Flaw) {
      let mark = Array(mark.utf8)
      while at + mark.count <= bytes.count {
        if bytes[at..<at + mark.count].elementsEqual(mark) {
          at += mark.count
          return
        }
        at += 1
      }
      throw Flaw(reason: "is not XML: it ends early")
    }

    private mutating func readName() throws(Flaw) -> String {
      let name = bytes[at...].prefix(Self.nameLimit + 1).prefix {
        switch $0 {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x3a, 0x5f: true
        default: false
        }
      }
      guard !name.isEmpty, name.count <= Self.nameLimit else { throw Flaw(reason: "is not XML: it has a bad tag") }
      at += name.count
      return String(decoding: name, as: UTF8.self)
    }

    /// Reads the start tag of an element; returns the element if it is empty.
    private mutating func readStart() throws(Flaw) -> Element? {
      let name = try readName()
      if open.isEmpty {
        guard root == nil else { throw Flaw(reason: "is not XML: it has two roots") }
        root = name
      }
      guard open.count < Self.depthLimit else { throw Flaw(reason: "nests elements over \(Self.depthLimit) deep") }
      open.append(name)
      text.removeAll(keepingCapacity: true)
      var quote: UInt8?
      while at < bytes.count {
        let byte = bytes[at]
        at += 1
        if let mark = quote {
          if byte == mark { quote = nil }
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          quote = byte
        } else if byte == UInt8(ascii: "<") {
          break
        } else if byte == UInt8(ascii: ">") {
          guard bytes[at - 2] == UInt8(ascii: "/") else { return nil }
          return close("")
        }
      }
      throw Flaw(reason: "is not XML: it has a bad tag")
    }

    private mutating func readEnd() throws(Flaw) -> Element {
      at += 1
      let name = try readName()
      let rest = bytes[at...].prefix { $0 <= 0x20 }
      at += rest.count
      guard at < bytes.count, bytes[at] == UInt8(ascii: ">"), open.last == name else {
        throw Flaw(reason: "is not XML: the end of an element is missing")
      }
      at += 1
      guard let text = String(utf8: text) else { throw Flaw(reason: "is not UTF-8") }
      return close(text)
    }

    private mutating func close(_ text: String) -> Element {
      let depth = open.count
      let name = open.removeLast()
      self.text.removeAll(keepingCapacity: true)
      return Element(depth: depth, name: name, parent: open.last ?? "", text: text)
    }
  }
}
