#if !hasFeature(Embedded)
  /// The decoder of a value of a record.
  struct FieldDecoder: Decoder, SingleValueDecodingContainer {
    let value: FieldValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The name of the field, for messages.
    private var name: String {
      codingPath.isEmpty ? "the record" : "the field " + codingPath.map { $0.stringValue }.joined(separator: ".")
    }

    func context(_ text: String) -> DecodingError.Context {
      DecodingError.Context(codingPath: codingPath, debugDescription: name + " " + text)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
      guard case .object(let members) = value else { throw mismatch([String: Any].self, "an object") }
      return KeyedDecodingContainer(KeyedFields<Key>(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
      guard case .list(let list) = value else { throw mismatch([Any].self, "an array") }
      return ListedFields(decoder: self, list: list)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { if case .null = value { true } else { false } }

    /// Decodes a scalar from its text, another type by its own initialiser.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      guard let scalar = type as? any FieldScalar.Type else { return try Value(from: self) }
      guard case .text(let text) = value else { throw mismatch(type, "a \(type)") }
      guard let decoded = scalar.init(fieldText: text) as? Value else {
        throw DecodingError.dataCorrupted(context("has the text \"\(text.prefix(80))\", which is not of type \(type)"))
      }
      return decoded
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
      switch value {
      case .null: .valueNotFound(type, context("is null, not \(expected)"))
      case .text(let text): .typeMismatch(type, context("is \"\(text.prefix(80))\", not \(expected)"))
      case .list: .typeMismatch(type, context("is an array, not \(expected)"))
      case .object: .typeMismatch(type, context("is an object, not \(expected)"))
      case .broken(let text): .dataCorrupted(context("is not JSON: \(text.prefix(80))"))
      }
    }

    func member(_ value: FieldValue, _ key: any CodingKey) -> FieldDecoder {
      FieldDecoder(value: value, codingPath: codingPath + [key])
    }
  }

  /// The members of an object.
  private struct KeyedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FieldDecoder
    let members: [String: FieldValue]
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    private func member(_ key: any CodingKey) throws -> FieldDecoder {
      guard let value = members[key.stringValue] else {
        throw DecodingError.keyNotFound(key, decoder.context("has no field \(key.stringValue)"))
      }
      return decoder.member(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try member(key).decode(type)
    }

    /// Decodes a value; nil if its text is empty.
    private func decodeUnlessEmpty<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
      guard let value = members[key.stringValue] else { return nil }
      switch value {
      case .null, .text(""): return nil
      default: return try decoder.member(value, key).decode(type)
      }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try decodeUnlessEmpty(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try decodeUnlessEmpty(type, key) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(FieldKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
  }

  /// The elements of an array.
  private struct ListedFields: UnkeyedDecodingContainer {
    let decoder: FieldDecoder
    let list: [FieldValue]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { list.count }
    var isAtEnd: Bool { currentIndex == list.count }

    private var current: FieldDecoder {
      get throws {
        let key = FieldKey(currentIndex)
        guard !isAtEnd else {
          throw DecodingError.valueNotFound(
            Any.self, decoder.context("has only \(list.count) elements"))
        }
        return decoder.member(list[currentIndex], key)
      }
    }

    private mutating func decodeNext<Value>(_ body: (FieldDecoder) throws -> Value) throws -> Value {
      let value = try body(current)
      currentIndex += 1
      return value
    }

    mutating func decodeNil() throws -> Bool {
      let isNil = try current.decodeNil()
      if isNil { currentIndex += 1 }
      return isNil
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try decodeNext { try $0.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try decodeNext { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try decodeNext { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try decodeNext { $0 } }
  }

  /// The name of a field, or the position in an array.
  private struct FieldKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) { (stringValue, intValue) = (name, nil) }
    init(_ position: Int) { (stringValue, intValue) = (String(position), position) }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(intValue) }
  }

  /// A type that is read from the text of one field.
  private protocol FieldScalar {
    init?(fieldText: String)
  }

  extension FieldScalar where Self: LosslessStringConvertible {
    init?(fieldText: String) { self.init(fieldText) }
  }

  extension FieldScalar where Self: FixedWidthInteger & LosslessStringConvertible {
    /// Reads `12`, `12.0` and `1.2e1`, which are the same number in JSON.
    init?(fieldText: String) {
      if let number = Self(fieldText) {
        self = number
      } else if let number = Double(fieldText), let whole = Self(exactly: number) {
        self = whole
      } else {
        return nil
      }
    }
  }

  extension String: FieldScalar {}
  extension Bool: FieldScalar {}
  extension Double: FieldScalar {}
  extension Float: FieldScalar {}
  extension Int: FieldScalar {}
  extension Int8: FieldScalar {}
  extension Int16: FieldScalar {}
  extension Int32: FieldScalar {}
  extension Int64: FieldScalar {}
  extension UInt: FieldScalar {}
  extension UInt8: FieldScalar {}
  extension UInt16: FieldScalar {}
  extension UInt32: FieldScalar {}
  extension UInt64: FieldScalar {}
#endif
