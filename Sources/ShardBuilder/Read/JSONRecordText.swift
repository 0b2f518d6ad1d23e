/// The JSON text of a Swift value, on one line.
///
/// A number has the fewest digits that give the same value, a whole number no point. Nothing is special about any type:
/// a value encodes itself as its `Encodable` says.
enum JSONRecordText {
  /// Appends the text of a value.
  static func append(_ value: some Encodable, to text: inout [UInt8]) throws {
    let node = JSONNode()
    try node.set(value, at: [])
    node.write(to: &text)
  }

  fileprivate static func append(string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case ..<0x20: text += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}

/// A value that is being encoded. Its container may get members as long as the record is not finished.
private final class JSONNode {
  private enum Content {
    case empty
    case text([UInt8])
    case object([(name: String, value: JSONNode)])
    case array([JSONNode])
  }
  private var content = Content.empty

  /// The number of elements of an array.
  var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

  func set(_ text: String) { content = .text(Array(text.utf8)) }

  func set(string: String) {
    var text: [UInt8] = []
    JSONRecordText.append(string: string, to: &text)
    content = .text(text)
  }

  func set(_ value: some BinaryFloatingPoint & LosslessStringConvertible, at path: [any CodingKey]) throws {
    guard value.isFinite else {
      throw EncodingError.invalidValue(
        value, .init(codingPath: path, debugDescription: "JSON has no number \(value); leave it out"))
    }
    let text = value.description
    set(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  func set<Value: Encodable>(_ value: Value, at path: [any CodingKey]) throws {
    switch value {
    case let string as String: set(string: string)
    case let flag as Bool: set(flag ? "true" : "false")
    case let number as Double: try set(number, at: path)
    case let number as Float: try set(number, at: path)
    case let number as any (BinaryInteger & Encodable): set(number.description)
    default: try value.encode(to: JSONEncoding(node: self, codingPath: path))
    }
  }

  func beginObject() { if case .object = content {} else { content = .object([]) } }

  func beginArray() { if case .array = content {} else { content = .array([]) } }

  /// Adds a member to an object.
  func member(_ name: String) -> JSONNode {
    let node = JSONNode()
    guard case .object(var members) = content else { preconditionFailure("a keyed container of no object") }
    content = .empty  // One owner, so that the list grows in place.
    members.append((name, node))
    content = .object(members)
    return node
  }

  /// Adds an element to an array.
  func element() -> JSONNode {
    let node = JSONNode()
    guard case .array(var elements) = content else { preconditionFailure("an unkeyed container of no array") }
    content = .empty
    elements.append(node)
    content = .array(elements)
    return node
  }

  func write(to text: inout [UInt8]) {
    func list<Item>(_ items: [Item], _ open: UInt8, _ close: UInt8, _ write: (Item, inout [UInt8]) -> Void) {
      text.append(open)
      for (index, item) in items.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        write(item, &text)
      }
      text.append(close)
    }
    switch content {
    case .empty: text += "{}".utf8
    case .text(let own): text += own
    case .array(let elements): list(elements, UInt8(ascii: "["), UInt8(ascii: "]")) { $0.write(to: &$1) }
    case .object(let members):
      list(members, UInt8(ascii: "{"), UInt8(ascii: "}")) {
        JSONRecordText.append(string: $0.name, to: &$1)
        $1.append(UInt8(ascii: ":"))
        $0.value.write(to: &$1)
      }
    }
  }
}

/// The encoder of one node.
private struct JSONEncoding: Encoder, SingleValueEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(JSONMembers(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return JSONElements(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() { node.set("null") }
  func encode(_ value: some Encodable) throws { try node.set(value, at: codingPath) }
}

/// The keyed container of an object.
private struct JSONMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  let codingPath: [any CodingKey]

  private func child(_ key: any CodingKey) -> JSONEncoding {
    JSONEncoding(node: node.member(key.stringValue), codingPath: codingPath + [key])
  }

  func encodeNil(forKey key: Key) { child(key).encodeNil() }
  func encode(_ value: some Encodable, forKey key: Key) throws { try child(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { child(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { child(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { child(JSONKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}

/// The unkeyed container of an array.
private struct JSONElements: UnkeyedEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  private func child() -> JSONEncoding {
    let key = JSONKey(stringValue: String(count))
    return JSONEncoding(node: node.element(), codingPath: codingPath + [key])
  }

  func encodeNil() { child().encodeNil() }
  func encode(_ value: some Encodable) throws { try child().encode(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    child().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
  func superEncoder() -> any Encoder { child() }
}

/// The key of an element, or of a superclass.
private struct JSONKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { stringValue = String(intValue) }
}
