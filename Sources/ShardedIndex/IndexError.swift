/// What opening or querying an index can fail with. The index stays usable: the next call tries again.
@nonexhaustive
public enum IndexError: Error, Equatable, Sendable {
  /// There is no index at `path`.
  case notFound(path: String)
  /// A system call failed; `errno` is its reason.
  case io(operation: String, path: String, errno: Int32)
  /// A file of the index is damaged, or is not one.
  case corrupt(path: String, cause: FormatError)
  /// A shard file that the manifest names is gone: the index was rebuilt, or somebody removed it.
  case vanished(path: String)
}

extension IndexError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFound(let path):
      "no index at \(path): there is no manifest in it. Build one with shardq build, or name another with --index"
    case .io(let operation, let path, let errno):
      "cannot \(operation) \(path): \(errorText(errno))"
    case .corrupt(let path, let cause):
      "\(path) \(cause)"
    case .vanished(let path):
      "\(path) is gone: open the index again if it was rebuilt, or rebuild it if the file was removed"
    }
  }
}
