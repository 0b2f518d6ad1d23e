#if !hasFeature(Embedded)
  /// The value of a field, as a decoder reads it.
  package enum FieldValue {
    case null
    /// The text of a string, a number, `true` or `false`.
    case text(String)
    case list([FieldValue])
    case object([String: FieldValue])
    /// A JSON text that cannot be read.
    case broken(String)

    /// Makes the object of a record: a field of the path `coord.lon` is the member `lon` of the member `coord`.
    init(_ fields: [ShardedIndex.Record.Field]) {
      self = .object([:])
      for field in fields { insert(FieldValue(field), at: Self.components(ofPath: field.name)[...]) }
    }

    private init(_ field: ShardedIndex.Record.Field) {
      self = field.kind == .literal ? FieldValue(json: field.text) : .text(field.text)
    }

    /// Reads JSON; any other text is ``broken(_:)``.
    package init(json text: String) {
      let bytes = Array(text.utf8)
      var reader = JSONReader(bytes.span)
      let value = Self.read(&reader, depth: 0)
      reader.skipBlanks()
      self = reader.next == nil ? value ?? .broken(text) : .broken(text)
    }

    /// Returns the names of a path, which dots divide; a backslash before a dot or a backslash makes it part of a name.
    private static func components(ofPath path: String) -> [String] {
      var names = [""]
      var isEscaped = false
      for scalar in path.unicodeScalars {
        if !isEscaped, scalar == "\\" {
          isEscaped = true
        } else if !isEscaped, scalar == "." {
          names.append("")
        } else {
          names[names.count - 1].unicodeScalars.append(scalar)
          isEscaped = false
        }
      }
      return names
    }

    /// Inserts a value below this one. If two values have the same path, the first counts, as in a record's subscript.
    private mutating func insert(_ value: FieldValue, at path: ArraySlice<String>) {
      guard case .object(var members) = self, let name = path.first else { return }
      if path.count == 1 {
        if members[name] == nil { members[name] = value }
      } else {
        members[name, default: .object([:])].insert(value, at: path.dropFirst())
      }
      self = .object(members)
    }

    // MARK: JSON

    /// The greatest depth of nested arrays and objects, as in a build.
    private static let depthLimit = 64

    /// Reads a value; nil if the text is not JSON or is nested too deep.
    private static func read(_ reader: inout JSONReader, depth: Int) -> FieldValue? {
      reader.skipBlanks()
      guard depth < depthLimit, let first = reader.readByte() else { return nil }
      switch first {
      case UInt8(ascii: "["): return readList(&reader, depth: depth)
      case UInt8(ascii: "{"): return readObject(&reader, depth: depth)
      case UInt8(ascii: "\""): return .text(String(decoding: reader.readString(), as: UTF8.self))
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"):
        return .text(String(decoding: reader.readWord(from: first), as: UTF8.self))
      case UInt8(ascii: "n"): return reader.readWord(from: first).elementsEqual("null".utf8) ? .null : nil
      default: return nil
      }
    }

    private static func readList(_ reader: inout JSONReader, depth: Int) -> FieldValue? {
      var list: [FieldValue] = []
      reader.skipBlanks()
      if reader.next == UInt8(ascii: "]") {
        reader.skip(1)
        return .list(list)
      }
      while true {
        guard let value = read(&reader, depth: depth + 1) else { return nil }
        list.append(value)
        reader.skipBlanks()
        switch reader.readByte() {
        case UInt8(ascii: "]"): return .list(list)
        case UInt8(ascii: ","): continue
        default: return nil
        }
      }
    }

    private static func readObject(_ reader: inout JSONReader, depth: Int) -> FieldValue? {
      var members: [String: FieldValue] = [:]
      reader.skipBlanks()
      if reader.next == UInt8(ascii: "}") {
        reader.skip(1)
        return .object(members)
      }
      while true {
        reader.skipBlanks()
        guard reader.readByte() == UInt8(ascii: "\"") else { return nil }
        let name = String(decoding: reader.readString(), as: UTF8.self)
        reader.skipBlanks()
        guard reader.readByte() == UInt8(ascii: ":"), let value = read(&reader, depth: depth + 1) else { return nil }
        if members[name] == nil { members[name] = value }
        reader.skipBlanks()
        switch reader.readByte() {
        case UInt8(ascii: "}"): return .object(members)
        case UInt8(ascii: ","): continue
        default: return nil
        }
      }
    }
  }
#endif
