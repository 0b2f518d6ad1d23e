import CLibrary

/// The error of opening or querying an index. The index stays usable: the next call tries again.
@nonexhaustive
public enum IndexError: Error, Equatable, Sendable {
  /// There is no index at `path`.
  case notFound(path: String)
  /// A system call failed; `errno` is its reason.
  case io(operation: String, path: String, errno: Int32)
  /// A file of an index on another machine cannot be fetched; `reason` is the cause in words.
  case unreachable(path: String, reason: String)
  /// The directory at `path` holds other files than those of a disk cache.
  case foreignCache(path: String)
  /// A file is damaged, or does not belong to an index.
  case corrupt(path: String, cause: FormatError)
  /// A shard file that the manifest names is missing: another program removed it.
  case vanished(path: String)
  /// The index at `path` was rebuilt more than once, and shards of the query's generation are gone: reload, and query
  /// again.
  case superseded(path: String)
  /// The manifest at `path` has another digest than ``ShardedIndex/Options/expectedDigest``.
  case wrongDigest(path: String, found: ManifestDigest, expected: ManifestDigest)
  /// The index, or its order, does not allow the search.
  case refused(SearchFault)
}

extension IndexError: CustomStringConvertible {
  /// The message: the fault, the file and the remedy.
  public var description: String {
    switch self {
    case .notFound: "\(fault); build one with ShardBuilder, or open another directory"
    case .refused(let fault): fault.description
    case .superseded: "\(fault); reload the index, and query again"
    case .wrongDigest: "\(fault); open that generation of the index, or change Options.expectedDigest"
    default: fault
    }
  }

  /// The message without a remedy that differs between programs and commands.
  package var fault: String {
    switch self {
    case .notFound(let path):
      "no index at \(path): \(absence(path))"
    case .io(let operation, let path, let errno):
      "cannot \(operation) \(path): \(errorText(errno)); \(remedy(errno))"
    case .unreachable(let path, let reason):
      "cannot fetch \(path): \(reason)"
    case .foreignCache(let path):
      "\(path) holds other files than those of a cache; name an empty directory for the cache, or a new one"
    case .corrupt(let path, let cause):
      "\(path) \(cause)\(cause.advice)"
    case .vanished(let path):
      "\(path) is missing, and the manifest names it; repair the index from a copy, or build it again"
    case .superseded(let path):
      "the index at \(path) was rebuilt during the query, and shards that the query needs are gone"
    case .wrongDigest(let path, let found, let expected):
      "\(path) has SHA-256 \(found), not \(expected)"
    case .refused(let fault): fault.fault
    }
  }
}

/// Returns the remedy for a failed system call.
private func remedy(_ errno: Int32) -> StaticString {
  switch errno {
  case EACCES, EPERM: "check its permissions"
  case EMFILE, ENFILE: "raise the limit of open files"
  default: "try again"
  }
}

/// Returns the reason why a path has no index.
private func absence(_ path: String) -> StaticString {
  var status = stat()
  if unsafe stat(path, &status) == 0 {
    return switch status.st_mode & S_IFMT {
    case S_IFDIR: "there is no manifest in it"
    case S_IFREG: "it is a file, but not an archive of an index"
    default: "it is neither a directory nor a file"
    }
  }
  return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    ? "it is a link that leads nowhere" : "there is no such directory or archive"
}
