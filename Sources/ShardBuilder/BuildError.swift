#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif
import ShardedIndex

/// Why a build ended; the index that was there before is as it was.
public enum BuildError: Error, Equatable, Sendable {
  /// The system refused `operation` on `path`; `errno` is its reason.
  case io(operation: String, path: String, errno: CInt)
  /// Another build holds the lock file at `path`.
  case locked(path: String)
  /// The index's directory, or its lock file, at `path` is no longer the one that was opened, so nothing was published.
  case replaced(path: String)
  /// The dataset cannot be used; `message` says what, where and what to do.
  case dataset(DatasetFlaw, message: String)
  /// No key template was given, and the dataset is none of those that need none.
  case noTemplate(fields: [String])
  /// A key template that cannot be used; `position` counts its characters from 1.
  case template(TemplateFlaw, template: String, position: Int)
  /// The index that is to be changed cannot be read.
  case index(IndexError)
  /// The index at `path` can be built anew, but not updated; `reason` says why.
  case notUpdatable(path: String, reason: String)
}

/// What is wrong with a dataset.
public enum DatasetFlaw: Equatable, Sendable {
  /// It is not there, or may not be read.
  case missing
  /// Reading it failed.
  case io
  /// What is in it is no dataset, or a record of it is bad.
  case bad
  /// The options do not fit it.
  case options
}

extension BuildError {
  /// What `body` makes of an index that is to be changed.
  static func ofIndex<Value>(_ body: () throws(IndexError) -> Value) throws(BuildError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }
}

/// What is wrong with a key template.
public enum TemplateFlaw: Equatable, Sendable {
  /// The template has no characters.
  case empty
  /// The template is the same text for every record.
  case noField
  /// A `{` without its `}`.
  case unclosed
  /// A `}` without its `{`.
  case unopened
  /// `{}`.
  case emptyField
  /// The dataset has no field of this name.
  case unknownField(String)
}

extension BuildError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .io(let operation, let path, let code):
      "cannot \(operation) \(path): \(String(cString: strerror(code)))\(Self.advice(code))"
    case .locked(let path):
      "another build is running: it holds \(path); wait for it to end, then try again"
    case .replaced(let path):
      "\(path) was moved, removed or replaced while the index was written, so nothing was published; try again"
    case .dataset(_, let message): message
    case .noTemplate(let fields):
      "name what people type with --key, such as '{\(fields.first ?? "name")}'; the fields are: \(fields.joined(separator: ", "))"
    case .index(let error): error.description
    case .notUpdatable(let path, let reason):
      "\(path) cannot be updated: \(reason); build it anew from the whole dataset"
    case .template(let flaw, let template, let position):
      "key template \"\(template)\", character \(position): \(flaw)"
    }
  }

  private static func advice(_ code: CInt) -> String {
    switch code {
    case ENOSPC, EDQUOT: "; free some space there, or name another directory"
    case EACCES, EPERM: "; check who may write there"
    case EROFS: "; name a directory on a file system that can be written"
    case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
    case ENOENT: "; create the directory that should hold it"
    case ELOOP: "; a symbolic link is in its place, remove it"
    default: ""
    }
  }
}

extension TemplateFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty: "the template is empty; write something like {name}, {country}"
    case .noField: "no field is named; write its name in braces, like {name}"
    case .unclosed: "this { has no }; write {{ for a brace that is meant as text"
    case .unopened: "this } has no {; write }} for a brace that is meant as text"
    case .emptyField: "a field's name is missing between { and }"
    case .unknownField(let name): "the dataset has no field named \"\(name)\""
    }
  }
}
