import CLibrary
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
  case dataset(DatasetFlaw, message: BuildMessage)
  /// No key template was given, and the dataset is none of those that need none; `isHeader` if its first line says
  /// what the fields are.
  case noTemplate(fields: [String], isHeader: Bool)
  /// A key template that cannot be used; `position` counts its characters from 1.
  case template(TemplateFlaw, template: String, position: Int)
  /// `setting` names the field `name`, and `inputs`, whose fields are `fields`, have no such field.
  case unknownField(String, setting: BuildSetting, inputs: [String], fields: [String])
  /// The inputs have no record, and the index at `path` has `held` records; nil where it is damaged. `reason` names the
  /// inputs and their formats.
  case noRecord(reason: String, path: String, held: Int?)
  /// The build would put `found` records into the index at `path`, fewer than ``BuildOptions/minimumRecords``.
  case tooFewRecords(path: String, found: Int, minimum: Int)
  /// The index at `path` is of another list: its key is `key`, and the build's is `newKey`.
  case otherIndex(path: String, key: String, newKey: String)
  /// The directory at `path` has no index and holds other things, `entry` among them.
  case otherFiles(path: String, entry: String)
  /// The index that is to be changed cannot be read.
  case index(IndexError)
  /// The index at `path` can be built anew, but not updated; `reason` says why.
  case notUpdatable(path: String, reason: BuildMessage)
}

/// A flaw of a dataset.
public enum DatasetFlaw: Equatable, Sendable {
  /// The file is not there, or may not be read.
  case missing
  /// Reading it failed.
  case io
  /// The content is no dataset, or a record of it is bad.
  case bad
  /// The options do not fit it.
  case options
}

extension BuildError {
  /// Returns what `body` makes of an index that is to be changed; its errors are of the index.
  static func ofIndex<Value>(_ body: () throws(IndexError) -> Value) throws(BuildError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }
}

/// A flaw of a key template.
public enum TemplateFlaw: Equatable, Sendable {
  /// The template has no characters.
  case empty
  /// The template is the same text for every record.
  case noField
  /// A `{` without its `}`.
  case unclosed
  /// A `}` without its `{`.
  case unopened
  /// The template has a field without a name: `{}`.
  case emptyField
}

extension BuildError: CustomStringConvertible {
  public var description: String { message.description }

  /// The message, for the words of the library or of a command.
  package var message: BuildMessage {
    switch self {
    case .io(let operation, let path, let code):
      unsafe "cannot \(operation) \(path): \(String(cString: strerror(code)))\(Self.advice(code))"
    case .locked(let path):
      "another build is running: it holds \(path); wait for it to end, then try again"
    case .replaced(let path):
      "\(path) was moved, removed or replaced while the index was written, so nothing was published; try again"
    case .dataset(_, let message): message
    case .noTemplate(let fields, let isHeader): Self.noTemplate(fields, isHeader: isHeader)
    case .index(let error): "\(error)"
    case .notUpdatable(let path, let reason):
      "\(path) cannot be updated: \(reason); build it anew from the whole dataset"
    case .unknownField(let name, let setting, let inputs, let fields): Self.unknown(name, setting, inputs, fields)
    case .noRecord(let reason, let path, let held):
      """
      \(reason), and the index in \(printable(path.utf8)) \
      \(held.map { "has \(grouped($0)); to empty it" } ?? "is damaged; to replace it by an empty one"), \
      \(say: .allowsEmpty)
      """
    case .tooFewRecords(let path, let found, let minimum):
      """
      the inputs have \(found == 1 ? "1 record" : "\(grouped(found)) records") for the index in \
      \(printable(path.utf8)), and \(.minimumRecords) asks for \(grouped(minimum)); look at what the inputs come from
      """
    case .otherIndex(let path, let key, let newKey):
      """
      \(printable(path.utf8)): the index there has the key \(printable(key.utf8)), and this build has \
      \(printable(newKey.utf8)); name another directory, or \(say: .replacesOtherIndex) to replace it
      """
    case .otherFiles(let path, let entry):
      """
      \(printable(path.utf8)): the directory has no index and holds other things, such as \
      \(printable(entry.utf8)); name another directory, or \(say: .replacesOtherIndex) to build there
      """
    case .template(let flaw, let template, let position):
      "key template \"\(template)\", character \(position): \(flaw)"
    }
  }

  private static func noTemplate(_ fields: [String], isHeader: Bool) -> BuildMessage {
    let naming: BuildMessage = isHeader ? "; if that is a record, name the fields with \(.columns)" : ""
    return """
      name what people type with \(.key), such as '{\(fields.first ?? "name")}'; the fields are: \
      \(fields.joined(separator: ", "))\(naming)
      """
  }

  private static func unknown(
    _ name: String, _ setting: BuildSetting, _ inputs: [String], _ fields: [String]
  ) -> BuildMessage {
    var list = fields.prefix(shownFields).map(quoted).joined(separator: ", ")
    if fields.count > shownFields { list += " and \(grouped(fields.count - shownFields)) more" }
    if let nearest = EditDistance.nearest(to: name, of: fields) { list += "; did you mean \(quoted(nearest))?" }
    let paths = inputs.map { displayed(path: $0) }.joined(separator: ", ")
    return "\(paths): \(setting) names \(quoted(name)); its fields are \(list)"
  }

  /// The number of a dataset's fields that a message lists.
  private static let shownFields = 20

  private static func advice(_ code: CInt) -> String {
    switch code {
    case ENOSPC, EDQUOT: "; free some space there, or name another directory"
    case EACCES, EPERM: "; check who may write there"
    case EROFS: "; name a directory on a file system that can be written"
    case ENOTDIR: "; name a directory; to change an archive, unarchive it, change the directory and archive that"
    case ENOLCK, EOPNOTSUPP:
      "; the file system there has no locks, name a directory on one that has"
    case ENOMEM: "; a build with less memory and fewer threads takes less"
    case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
    case EFBIG: "; raise the limit of file sizes (ulimit -f)"
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
    }
  }
}
