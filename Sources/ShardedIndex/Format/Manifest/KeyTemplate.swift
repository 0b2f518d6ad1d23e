/// A key template, as literal texts and names of fields: `{name}, {country}`.
///
/// Outside braces, `{{` and `}}` stand for one brace. Inside braces is a field's full path, `coord.lon`, of any
/// characters but `}`.
package struct KeyTemplate: Sendable, Equatable {
  package enum Token: Sendable, Equatable {
    case literal([UInt8])
    /// A position in ``KeyTemplate/fields``.
    case field(Int)
  }

  /// A fault of a template's text.
  package enum SyntaxFlaw: Equatable, Sendable {
    /// The text is empty.
    case empty
    /// The template names no field.
    case noField
    /// An opening brace has no closing one.
    case unclosed
    /// A closing brace has no opening one.
    case unopened
    /// A pair of braces has no name inside.
    case emptyField
  }

  /// The text of the template.
  package let text: String
  /// The parts in order; never two literals in a row.
  package private(set) var parts: [Token] = []
  /// The names of the fields, each once, in order of first use.
  package private(set) var fields: [String] = []
  /// The first flaw and the position of its character in the text, from 1; nil for a template that a builder accepts.
  package private(set) var flaw: (flaw: SyntaxFlaw, position: Int)?

  /// Parses a text. Only damaged indexes have flawed templates: a closing brace without an opening one stands for
  /// itself, and an unclosed field is left out.
  package init(_ text: String) {
    self.text = text
    let characters = Array(text.unicodeScalars)
    var literal = String.UnicodeScalarView()
    var numbers: [[UInt8]: Int]?
    var index = 0
    while index < characters.count {
      let (start, scalar) = (index, characters[index])
      index += 1
      if scalar == "{" || scalar == "}", index < characters.count, characters[index] == scalar {
        literal.append(scalar)
        index += 1
      } else if scalar == "}" {
        note(.unopened, at: start)
        literal.append(scalar)
      } else if scalar == "{" {
        let end = characters[index...].firstIndex(of: "}")
        if end == nil { note(.unclosed, at: start) }
        guard let end else { break }
        if end == index { note(.emptyField, at: start) }
        flush(&literal)
        append(field: String(String.UnicodeScalarView(characters[index..<end])), &numbers)
        index = end + 1
      } else {
        literal.append(scalar)
      }
    }
    flush(&literal)
    if parts.isEmpty { note(.empty, at: 0) }
    if fields.isEmpty { note(.noField, at: 0) }
  }

  private mutating func note(_ flaw: SyntaxFlaw, at index: Int) {
    if self.flaw == nil { self.flaw = (flaw, index + 1) }
  }

  private mutating func flush(_ literal: inout String.UnicodeScalarView) {
    if !literal.isEmpty { parts.append(.literal(Array(String(literal).utf8))) }
    literal = String.UnicodeScalarView()
  }

  /// - Parameter numbers: The numbers of the fields, if there are many. A few names are searched one by one, since a
  ///   dictionary's type is made at run time, in a fifth of the time of a start.
  private mutating func append(field: String, _ numbers: inout [[UInt8]: Int]?) {
    let known = numbers.map { $0[Array(field.utf8)] } ?? fields.number(of: field)
    parts.append(.field(known ?? fields.count))
    guard known == nil else { return }
    numbers?[Array(field.utf8)] = fields.count
    fields.append(field)
    if fields.count == 64 { numbers = Dictionary(uniqueKeysWithValues: zip(fields.map { Array($0.utf8) }, 0...)) }
  }

  /// The number of separators of a key whose values have none.
  package var separatorCount: Int {
    let sample = parts.flatMap { if case .literal(let text) = $0 { text } else { Array("x".utf8) } }
    return Fold.fold(String(decoding: sample, as: UTF8.self)).count { $0 == Fold.separator }
  }

  package static func == (a: KeyTemplate, b: KeyTemplate) -> Bool { a.text == b.text }
}
