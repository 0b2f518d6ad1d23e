import ShardedIndex

/// A record of a test: fields in order, nested ones by their path.
package struct ModelRecord: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    /// A path: steps between dots, a dot or backslash within a step behind a backslash.
    package var name: String
    package var kind: ValueKind
    package var text: String

    package init(_ name: String, _ kind: ValueKind, _ text: String) {
      (self.name, self.kind, self.text) = (name, kind, text)
    }

    // Texts are compared by bytes, because Swift's equal strings may be two texts.
    package static func == (a: Field, b: Field) -> Bool {
      a.name.utf8.elementsEqual(b.name.utf8) && a.kind == b.kind && a.text.utf8.elementsEqual(b.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
      for byte in name.utf8 { hasher.combine(byte) }
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  package var fields: [Field]

  package init(_ fields: [Field]) { self.fields = fields }

  package init(_ record: ShardedIndex.Record) {
    fields = record.fields.map { Field($0.name, $0.kind, $0.text) }
  }

  /// A value before its fields are separated.
  package indirect enum Value: Sendable {
    case string(String)
    case number(String)
    /// `true`, `null`, an array: compact JSON.
    case literal(String)
    case object([(String, Value)])
  }

  /// The record of `object`. An empty object within it is a literal.
  package init(_ object: [(String, Value)]) {
    fields = []
    func add(_ members: [(String, Value)], _ path: String?) {
      for (name, value) in members {
        let step = name.unicodeScalars.map { $0 == "." || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        let name = path.map { $0 + "." + step } ?? step
        switch value {
        case .string(let text): fields.append(Field(name, .string, text))
        case .number(let text): fields.append(Field(name, .number, text))
        case .literal(let text): fields.append(Field(name, .literal, text))
        case .object(let members) where members.isEmpty: fields.append(Field(name, .literal, "{}"))
        case .object(let members): add(members, name)
        }
      }
    }
    add(object, nil)
  }

  /// JSON text of an object; with `isEscaped`, all characters beyond ASCII and some of ASCII are escaped.
  package static func json(_ object: [(String, Value)], isEscaped: Bool = false) -> String {
    func quoted(_ text: String) -> String {
      var json = "\""
      for unit in text.unicodeScalars {
        switch unit {
        case "\"": json += "\\\""
        case "\\": json += "\\\\"
        case _ where unit.value < 0x20 || (isEscaped && (unit.value >= 0x7f || unit == "a")):
          for code in String(unit).utf16 {
            let digits = String(code, radix: 16)
            json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
          }
        default: json.unicodeScalars.append(unit)
        }
      }
      return json + "\""
    }
    func text(_ value: Value) -> String {
      switch value {
      case .string(let text): quoted(text)
      case .number(let text), .literal(let text): text
      case .object(let members): json(members, isEscaped: isEscaped)
      }
    }
    return "{" + object.map { quoted($0) + ":" + text($1) }.joined(separator: ",") + "}"
  }
}
