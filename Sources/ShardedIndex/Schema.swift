/// What the manifest says about records: the names of fields, which of them make the key, which are coordinates.
package final class Schema: Sendable {
  package let names: [String]
  package let template: KeyPattern
  /// Whether every field of the template is stored, so that a record's key can be made again. A build refuses a
  /// template with a field that no record has: one that is not named here was left out.
  package let isKeyStored: Bool
  /// Field numbers of the coordinates, when the index has them.
  package let latitude: Int?
  package let longitude: Int?

  init(_ manifest: Manifest) {
    let names = manifest.fieldNames
    self.names = names
    // A template may name as many fields as an index has: each is looked up at once.
    var numbers: [[UInt8]: Int] = [:]
    for (number, name) in names.enumerated() where numbers[Array(name.utf8)] == nil {
      numbers[Array(name.utf8)] = number
    }
    template = KeyPattern(manifest.setting("key") ?? "", numbers: numbers)
    isKeyStored = template.parts.allSatisfy { $0 != .field(-1) }
    latitude = manifest.setting("latitude").flatMap { numbers[Array($0.utf8)] }
    longitude = manifest.setting("longitude").flatMap { numbers[Array($0.utf8)] }
  }
}

/// A key template taken apart: texts and fields in turn.
package struct KeyPattern: Sendable {
  package enum Part: Sendable, Equatable {
    case text(String)
    /// A field number; -1 for one that is not stored.
    case field(Int)
  }
  package let text: String
  package let parts: [Part]

  /// Braces stand for themselves when doubled. What the builder accepted needs no error here.
  ///
  /// - Parameter numbers: Of the index's fields, by the bytes of their paths.
  package init(_ text: String, numbers: [[UInt8]: Int]) {
    self.text = text
    var parts: [Part] = []
    var literal: [UInt8] = []
    var field: [UInt8]? = nil
    let bytes = Array(text.utf8)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if field != nil {
        if byte == 0x7d {
          if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
          literal = []
          parts.append(.field(numbers[field!] ?? -1))
          field = nil
        } else {
          field!.append(byte)
        }
      } else if (byte == 0x7b || byte == 0x7d), next == byte {
        literal.append(byte)
        index += 1
      } else if byte == 0x7b {
        field = []
      } else {
        literal.append(byte)
      }
      index += 1
    }
    if !literal.isEmpty { parts.append(.text(String(decoding: literal, as: UTF8.self))) }
    self.parts = parts
  }
}
