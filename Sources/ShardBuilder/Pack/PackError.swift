import ShardedIndex

/// Why a pack or an archive was not made, or a pack not applied; every index is as it was.
@nonexhaustive
public enum PackError: Error, Equatable, Sendable {
  /// The system refused something, or another build is running.
  case build(BuildError)
  /// An index is not there, or its manifest is damaged.
  case index(IndexError)
  /// A file of an index that the pack needs is not what the manifest says.
  case damagedShard(path: String, reason: String)
  /// The pack is none, is damaged, or is cut short.
  case damagedPack(path: String, reason: String)
  /// The pack is of a version that this program does not know.
  case unsupportedVersion(path: String, found: Int, supported: Int)
  /// The pack begins at another generation than the one in `directory`. Digests of manifests, in hexadecimal.
  case doesNotFit(directory: String, found: String, from: String, to: String)
  /// The pack leads to another generation than the one that was asked for. Digests of manifests, in hexadecimal.
  case unexpected(path: String, found: String, expected: String)
  /// There is something at the path of a file or directory that is to be made.
  case exists(path: String)
  /// An index has what no pack or archive can hold.
  case unshippable(path: String, reason: BuildMessage)
}

extension PackError: CustomStringConvertible {
  public var description: String { message.description }

  /// The message, for the words of the library or of a command.
  package var message: BuildMessage {
    switch self {
    case .build(let error): error.message
    case .index(let error): "\(error)"
    case .damagedShard(let path, let reason):
      """
      \(path) \(reason): mend it with \(command: "shardq repair", library: "ShardBuilder.repair(_:from:)"), or build \
      the index again
      """
    case .damagedPack(let path, let reason): "\(displayed(path: path)) \(reason)"
    case .unsupportedVersion(let path, let found, let supported):
      "\(displayed(path: path)) is a pack of version \(found); this program reads version \(supported)"
    case .doesNotFit(let directory, let found, let from, let to):
      """
      the pack does not fit: it leads from the manifest \(from.prefix(16)) to \(to.prefix(16)), and \(directory) has \
      \(found.prefix(16))
      """
    case .unexpected(let path, let found, let expected):
      "\(displayed(path: path)) leads to the manifest \(found.prefix(16)), not to \(expected.prefix(16)) as was expected"
    case .exists(let path):
      "\(displayed(path: path)) is there already: name another path, or remove it first"
    case .unshippable(let path, let reason): "\(path) \(reason)"
    }
  }
}
