import ShardedIndex

extension IndexError {
  /// The message with remedies for a command line, without secret parts of URLs.
  package var commandMessage: String { URLSecrets.removed(from: commandAdvice) }

  /// The message with remedies for a command line, for a caller that removes the secret parts of URLs itself.
  package var commandAdvice: String {
    switch self {
    case .notFound: "\(fault); build one with shardq build, or name another with --index"
    case .refused(.notBuilt(let feature)): "\(fault); build it again with \(feature.option)"
    case .refused(.noFilter(let field, _)):
      "\(fault); name one of them, or build the index again with --filter \(field)"
    case .refused(.noNumber(let field, _)):
      "\(fault); name one of them, or build the index again with --number \(field)"
    case .superseded: "\(fault); try again"
    case .wrongDigest: "\(fault); name that generation of the index, or change --expect-digest"
    default: fault
    }
  }
}

extension IndexFeature {
  /// The option of `shardq build` that adds the feature.
  fileprivate var option: StaticString {
    switch self {
    case .ranks: "--weight"
    case .filter: "--filter and the field"
    case .typos: "--typos"
    case .near: "--near"
    case .numbers: "--number and the field"
    @unknown default: "another option"
    }
  }
}
