import ShardedIndex

/// The reason why a pack or an archive was not made, or a pack not applied. Every index stays as it was.
@nonexhaustive
public enum PackError: Error, Equatable, Sendable {
  /// The system refused an operation, or another build is running.
  case build(BuildError)
  /// An index does not exist, or its manifest is damaged.
  case index(IndexError)
  /// A file of an index that the pack needs differs from its digest in the manifest.
  case damagedShard(path: String, reason: String)
  /// The file is not a pack, or the pack is damaged or cut short.
  case damagedPack(path: String, reason: String)
  /// This program does not know the version of the pack.
  case unsupportedVersion(path: String, found: Int, supported: Int)
  /// The pack begins with another generation than the one in `directory`. The texts are digests of manifests, in
  /// hexadecimal digits.
  case doesNotFit(directory: String, found: String, from: String, to: String)
  /// The pack leads to another generation than the expected one. The texts are digests of manifests, in hexadecimal
  /// digits.
  case unexpected(path: String, found: String, expected: String)
  /// A file or directory exists at the path of the new one.
  case exists(path: String)
  /// A pack or an archive cannot hold the whole index.
  case unshippable(path: String, reason: BuildMessage)
}

extension PackError: CustomStringConvertible {
  public var description: String { message.description }

  /// The message, with settings that the library or a command names.
  package var message: BuildMessage {
    switch self {
    case .build(let error): error.message
    case .index(let error): "\(error)"
    case .damagedShard(let path, let reason):
      """
      \(path) \(reason); repair the index with \(.repair), or build the index again
      """
    case .damagedPack(let path, let reason): "\(displayed(path: path)) \(reason)"
    case .unsupportedVersion(let path, let found, let supported):
      "\(displayed(path: path)) is a pack of version \(found), and this program reads version \(supported); install a newer shardq"
    case .doesNotFit(let directory, let found, let from, let to):
      """
      the pack does not fit: it leads from the manifest \(from.prefix(16)) to \(to.prefix(16)), and \(directory) has \
      \(found.prefix(16))
      """
    case .unexpected(let path, let found, let expected):
      "\(displayed(path: path)) leads to the manifest \(found.prefix(16)), not to \(expected.prefix(16)); name another pack"
    case .exists(let path):
      "\(displayed(path: path)) exists already; name another path, or remove it first"
    case .unshippable(let path, let reason): "\(path) \(reason)"
    }
  }
}
