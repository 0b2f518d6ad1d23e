/// The schema of the records: the names of fields, the fields of the key, and the fields of coordinates.
package final class Schema: Sendable {
  package let names: [String]
  /// For each field, whether its name is that of one member, though it has dots.
  package let isFlat: [Bool]
  package let template: KeyPattern
  /// Whether every field of the template is stored, so that a record's fields give its key. A build refuses a template
  /// with a field that no record has, so a missing field was left out.
  package let isKeyStored: Bool
  /// The numbers of the fields with coordinates; nil if the index has none.
  package let latitude: Int?
  package let longitude: Int?
  /// The form of these fields' texts.
  package let coordinates: CoordinateFields.Form
  /// The number of the id field; nil if the index has none.
  package let id: Int?

  /// Whether the records are the starts of an index, whose positions are not positions in the index.
  let isOfStarts: Bool

  init(_ manifest: borrowing Manifest, isOfStarts: Bool) {
    self.isOfStarts = isOfStarts
    let names = manifest.fieldNames
    self.names = names
    let numbers = FieldNumbers(names)
    var isFlat = Array(repeating: false, count: names.count)
    for name in manifest.setting("flat").map(IndexSettings.list) ?? [] {
      if let number = numbers[Array(name.utf8)] { isFlat[number] = true }
    }
    self.isFlat = isFlat
    template = KeyPattern(manifest.setting("key") ?? "", numbers: numbers)
    var isKeyStored = true
    for part in template.parts { if case .field(-1) = part { isKeyStored = false } }
    self.isKeyStored = isKeyStored
    latitude = manifest.setting("latitude").flatMap { numbers[Array($0.utf8)] }
    longitude = manifest.setting("longitude").flatMap { numbers[Array($0.utf8)] }
    coordinates = .init(of: manifest.setting("coordinates").map { IndexSettings.list($0).count })
    id = manifest.setting("id").flatMap { numbers[Array($0.utf8)] }
  }

  /// The number of the field with this path.
  package func fieldNumber(of path: UnsafeBufferPointer<UInt8>) -> Int? {
    names.firstIndex { unsafe $0.utf8.elementsEqual(path) }
  }
}

/// The numbers of fields, by the bytes of their names.
package struct FieldNumbers {
  private let names: [String]
  /// A dictionary for many fields, since a template may name all of them. Few names are searched one by one, since a
  /// dictionary's type is made at run time, in a fifth of the time of a start.
  private let numbers: [[UInt8]: Int]?

  package init(_ names: [String]) {
    self.names = names
    guard names.count > 64 else {
      numbers = nil
      return
    }
    var numbers: [[UInt8]: Int] = [:]
    for (number, name) in names.enumerated() where numbers[Array(name.utf8)] == nil {
      numbers[Array(name.utf8)] = number
    }
    self.numbers = numbers
  }

  package subscript(_ name: [UInt8]) -> Int? {
    if let numbers { return numbers[name] }
    for number in 0..<names.count where names[number].utf8.elementsEqual(name) { return number }
    return nil
  }
}

/// The key template of an index: texts and field numbers in turn.
package struct KeyPattern: Sendable {
  package enum Item: Sendable, Equatable {
    case text(String)
    /// A field number; -1 for a field that is not stored.
    case field(Int)
  }
  package let text: String
  package let parts: [Item]

  /// - Parameter numbers: The numbers of the index's fields.
  package init(_ text: String, numbers: FieldNumbers) {
    self.text = text
    let template = KeyTemplate(text)
    parts = template.parts.map { part in
      switch part {
      case .literal(let bytes): .text(String(decoding: bytes, as: UTF8.self))
      case .field(let field): .field(numbers[Array(template.fields[field].utf8)] ?? -1)
      }
    }
  }
}
