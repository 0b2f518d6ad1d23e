/// A record as one line of JSON; nested fields have their paths.
struct RecordLine {
  private(set) var text = "{"

  mutating func add(_ name: String, _ kind: FieldKind, _ value: some Collection<UInt8>) {
    if text.utf8.count > 1 { text += "," }
    text += Self.string(name) + ":"
    let value = String(decoding: value, as: UTF8.self)
    text += kind == .string ? Self.string(value) : value
  }

  mutating func finish() -> String {
    text += "}"
    return text
  }

  private static func string(_ text: String) -> String {
    var line = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": line += "\\" + String(Character(scalar))
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case _ where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line + "\""
  }
}
