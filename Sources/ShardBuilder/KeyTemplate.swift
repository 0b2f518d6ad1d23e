/// How a record's key is put together: literal text and fields by name, `{name}, {country}`.
///
/// Outside braces `{{` and `}}` stand for one brace. Between braces stands a field's full path as in
/// ``FieldNames``, `coord.lon`; all characters but `}` belong to it.
package struct KeyTemplate: Sendable, Equatable {
  package enum Part: Sendable, Equatable {
    case literal([UInt8])
    /// Index into ``KeyTemplate/fields``.
    case field(Int)
  }

  /// As it was written.
  package let text: String
  /// In order; never two literals in a row.
  package let parts: [Part]
  /// The names of the fields used, each once, in order of first use.
  package let fields: [String]

  /// - Throws: ``BuildError/template(_:template:position:)``
  package init(_ text: String) throws(BuildError) {
    func flaw(_ flaw: TemplateFlaw, _ position: Int) -> BuildError {
      .template(flaw, template: text, position: position)
    }
    let characters = Array(text.unicodeScalars)
    var parts: [Part] = []
    var fields: [String] = []
    var literal = String.UnicodeScalarView()
    func flush() {
      if !literal.isEmpty { parts.append(.literal(Array(String(literal).utf8))) }
      literal = String.UnicodeScalarView()
    }
    var index = 0
    while index < characters.count {
      let (start, scalar) = (index, characters[index])
      index += 1
      if scalar == "{" || scalar == "}", index < characters.count, characters[index] == scalar {
        literal.append(scalar)
        index += 1
      } else if scalar == "}" {
        throw flaw(.unopened, start + 1)
      } else if scalar == "{" {
        guard let end = characters[index...].firstIndex(of: "}") else { throw flaw(.unclosed, start + 1) }
        var name = String.UnicodeScalarView()
        for scalar in characters[index..<end] { name.append(scalar) }
        guard !name.isEmpty else { throw flaw(.emptyField, start + 1) }
        flush()
        let field = String(name)
        if let known = fields.firstIndex(of: field) {
          parts.append(.field(known))
        } else {
          parts.append(.field(fields.count))
          fields.append(field)
        }
        index = end + 1
      } else {
        literal.append(scalar)
      }
    }
    flush()
    guard !parts.isEmpty else { throw flaw(.empty, 1) }
    guard !fields.isEmpty else { throw flaw(.noField, 1) }
    self.text = text
    self.parts = parts
    self.fields = fields
  }

}
