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

  /// The fields of all components but the last; all fields of a template of one component.
  var bodyFields: [String] {
    let separator = parts.lastIndex { part in
      if case .literal(let text) = part {
        Fold.fold(String(decoding: text, as: UTF8.self)).contains(Fold.separator)
      } else {
        false
      }
    }
    let numbers = parts[..<(separator ?? parts.count)].compactMap {
      if case .field(let number) = $0 { number } else { nil }
    }
    return fields.indices.filter { numbers.contains($0) }.map { fields[$0] }
  }

  /// Returns the text of the template with other names of fields.
  fileprivate func text(_ path: (String) -> String) -> String {
    parts.map { part in
      switch part {
      case .literal(let bytes):
        String(decoding: bytes.flatMap { $0 == 0x7B || $0 == 0x7D ? [$0, $0] : [$0] }, as: UTF8.self)
      case .field(let number): "{" + path(fields[number]) + "}"
      }
    }.joined()
  }
}

extension BuildOptions {
  /// Returns the options with the paths of fields, where they have names with dots that do not nest: `No\.` for `No.`.
  ///
  /// - Parameter fields: The paths of the fields of a dataset.
  func naming(_ fields: [String]) -> BuildOptions {
    guard fields.contains(where: { $0.contains("\\") }) else { return self }
    func path(_ name: String) -> String {
      let step = FieldPath.step(name)
      return !fields.contains(name) && fields.contains(step) ? step : name
    }
    var options = self
    options.key = key.map { key in
      let template = KeyTemplate(key)
      return template.fields.allSatisfy { path($0) == $0 } ? key : template.text(path)
    }
    options.keep = keep?.map(path)
    (options.weight, options.id) = (weight.map(path), id.map(path))
    func named(_ text: String, ofNames isOfNames: Bool) -> String {
      let name = TextField(text, ofNames: isOfNames).path
      return path(name) + text.dropFirst(name.count)
    }
    options.alias = alias.map { named($0, ofNames: true) }
    options.searchFields = searchFields.map { named($0, ofNames: false) }
    (options.filter, options.coordinates) = (filter.map(path), coordinates?.map(path))
    options.number = number.map(path)
    return options
  }

  /// Throws an error if the index would not store a field with texts that lead to records.
  func checkStoredTexts() throws(BuildError) {
    for field in textFields {
      guard let keep, !RecordEncoder.isKept(field.path, keep: keep) else { continue }
      let what = field.setting == .alias ? "has other names" : "is searched"
      throw .dataset(.options, message: "the field \"\(field.path)\" \(what), so the index must store it; keep it too")
    }
  }
}
