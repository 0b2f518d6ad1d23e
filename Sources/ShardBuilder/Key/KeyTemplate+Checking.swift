import ShardedIndex

extension KeyTemplate {
  /// Parses a template that a build can use.
  ///
  /// - Throws: ``BuildError/template(_:template:position:)``
  package init(checking text: String) throws(BuildError) {
    self.init(text)
    guard let (flaw, position) = flaw else { return }
    let named: TemplateFlaw =
      switch flaw {
      case .empty: .empty
      case .noField: .noField
      case .unclosed: .unclosed
      case .unopened: .unopened
      case .emptyField: .emptyField
      }
    throw .template(named, template: text, position: position)
  }

  /// The template with the paths of fields for names of columns that are no paths.
  fileprivate var withPaths: String {
    parts.map { part in
      switch part {
      case .literal(let bytes):
        String(decoding: bytes.flatMap { $0 == 0x7B || $0 == 0x7D ? [$0, $0] : [$0] }, as: UTF8.self)
      case .field(let number): "{" + FieldNames.path(ofOption: fields[number]) + "}"
      }
    }.joined()
  }
}

extension BuildOptions {
  /// The options with the paths of fields for names of columns that are no paths, such as `No.`.
  var withPaths: BuildOptions {
    var options = self
    options.key = key.map { key in
      let template = KeyTemplate(key)
      return template.fields.allSatisfy { FieldNames.path(ofOption: $0) == $0 } ? key : template.withPaths
    }
    func path(_ name: String) -> String { FieldNames.path(ofOption: name) }
    options.keep = keep?.map(path)
    (options.weight, options.id) = (weight.map(path), id.map(path))
    (options.alias, options.filter, options.coordinates) = (alias.map(path), filter.map(path), coordinates?.map(path))
    return options
  }
}
