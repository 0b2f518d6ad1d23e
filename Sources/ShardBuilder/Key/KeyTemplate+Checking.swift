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
}
