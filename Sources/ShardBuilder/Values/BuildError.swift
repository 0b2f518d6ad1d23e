import CLibrary
import ShardedIndex

/// The reason why a build ended without a result. The previous index stays as it was.
public enum BuildError: Error, Equatable, Sendable {
  /// The system refused `operation` on `path`; `errno` is its reason.
  case io(operation: String, path: String, errno: CInt)
  /// Another build holds the lock file at `path`.
  case locked(path: String)
  /// The index's directory or its lock file at `path` was replaced during the build, so nothing was published.
  case replaced(path: String)
  /// The dataset cannot be used; `message` says the fault, the place and the remedy.
  case dataset(DatasetFlaw, message: BuildMessage)
  /// The options have no key template, and the dataset is not one that needs none. `proposal` is the field that people
  /// would likeliest type. `isHeader` is true if the dataset's first line names the fields, and `mayBeLines` if only
  /// the content shows that the dataset is no list of lines.
  case noTemplate(fields: [String], proposal: String?, isHeader: Bool, mayBeLines: Bool)
  /// The key template cannot be used; `position` counts its characters from 1.
  case template(TemplateFlaw, template: String, position: Int)
  /// `setting` names the field `name`, which `inputs` lack; the fields of the inputs are `fields`.
  case unknownField(String, setting: BuildSetting, inputs: [String], fields: [String])
  /// The inputs have no record, and the index at `path` has `held` records; nil if that index is damaged. `reason`
  /// names the inputs and their formats.
  case noRecord(reason: BuildMessage, path: String, held: Int?)
  /// The build would put `found` records into the index at `path`, fewer than ``BuildOptions/minimumRecords``.
  case tooFewRecords(path: String, found: Int, minimum: Int)
  /// The index at `path` is of another list: its key template is `key`, and that of the build is `newKey`.
  case otherIndex(path: String, key: String, newKey: String)
  /// The directory at `path` has no index, and holds other files, such as `entry`.
  case otherFiles(path: String, entry: String)
  /// The index needs the name of a file at `path`, which no builder wrote.
  case foreignFile(path: String)
  /// The index to be changed cannot be read.
  case index(IndexError)
  /// The index at `path` can be built again, but not updated; `reason` says why.
  case notUpdatable(path: String, reason: BuildMessage)
}

/// A flaw of a dataset.
public enum DatasetFlaw: Equatable, Sendable {
  /// The file does not exist, or the user may not read it.
  case missing
  /// A read of the file failed.
  case io
  /// The content is not a dataset, or a record is bad.
  case bad
  /// The options do not fit the dataset.
  case options
}

extension BuildError {
  /// Returns the result of `body`, which works on an index that a build changes; its errors become
  /// ``BuildError/index(_:)``.
  package static func ofIndex<Value>(_ body: () throws(IndexError) -> Value) throws(BuildError) -> Value {
    do throws(IndexError) { return try body() } catch { throw .index(error) }
  }
}

/// A flaw of a key template.
public enum TemplateFlaw: Equatable, Sendable {
  /// The template has no characters.
  case empty
  /// The template names no field, so it is the same text for every record.
  case noField
  /// The template has a `{` without its `}`.
  case unclosed
  /// The template has a `}` without its `{`.
  case unopened
  /// The template has a field without a name: `{}`.
  case emptyField
}

extension BuildError: CustomStringConvertible {
  public var description: String { message.description }

  /// The message, with settings that the library or a command names.
  package var message: BuildMessage {
    switch self {
    case .io(let operation, let path, let code):
      unsafe "cannot \(operation) \(path): \(String(cString: strerror(code)))\(Self.advice(code))"
    case .locked(let path):
      "another build is running: it holds \(path); wait for it to end, then try again"
    case .replaced(let path):
      "\(path) was moved, removed or replaced while the index was written, so nothing was published; try again"
    case .dataset(_, let message): message
    case .noTemplate(let fields, let proposal, let isHeader, let mayBeLines):
      Self.noTemplate(fields, proposal, isHeader: isHeader, mayBeLines: mayBeLines)
    case .index(let error): "\(error)"
    case .notUpdatable(let path, let reason):
      "\(path) cannot be updated: \(reason); build it again from the whole dataset"
    case .unknownField(let name, let setting, let inputs, let fields): Self.unknown(name, setting, inputs, fields)
    case .noRecord(let reason, let path, let held):
      """
      \(reason), and the index in \(printable(path.utf8)) \
      \(held.map { "has \(grouped($0)); to empty it" } ?? "is damaged; to replace it by an empty one"), \
      \(pass: .allowsEmpty)
      """
    case .tooFewRecords(let path, let found, let minimum):
      """
      the inputs have \(found == 1 ? "1 record" : "\(grouped(found)) records") for the index in \
      \(printable(path.utf8)), and \(.minimumRecords) asks for \(grouped(minimum)); check the source of the inputs
      """
    case .otherIndex(let path, let key, let newKey):
      """
      \(printable(path.utf8)): the index there has the key \(printable(key.utf8)), and this build has \
      \(printable(newKey.utf8)); name another directory, or \(pass: .replacesOtherIndex) to replace it
      """
    case .otherFiles(let path, let entry):
      """
      \(printable(path.utf8)): the directory holds no index but other files, such as \
      \(printable(entry.utf8)); name another directory, or \(pass: .replacesOtherIndex) to build there
      """
    case .foreignFile(let path):
      "\(printable(path.utf8)) is no file of an index, and the index there needs its name; move the file elsewhere"
    case .template(let flaw, let template, let position):
      "key template \"\(template)\", character \(position): \(flaw)"
    }
  }

  private static func noTemplate(
    _ fields: [String], _ proposal: String?, isHeader: Bool, mayBeLines: Bool
  ) -> BuildMessage {
    let more = fields.count > shownFields ? " and \(grouped(fields.count - shownFields)) more" : ""
    let names = fields.prefix(shownFields).map(FieldPath.header)
    let list = names.map { printable($0.utf8, limit: 40) }.joined(separator: ", ")
    let naming: BuildMessage = isHeader ? "; if the first line is a record, name the fields with \(.columns)" : ""
    let lines: BuildMessage =
      isHeader && mayBeLines ? ", or \(pass: .inputFormat, .text("lines")) if each line is one text" : ""
    return """
      give the text that people type with \(.key), such as \
      '{\(proposal.map(FieldPath.header) ?? DatasetFormat.textField)}'; the fields are: \(list)\(more)\(naming)\(lines)
      """
  }

  private static func unknown(
    _ name: String, _ setting: BuildSetting, _ inputs: [String], _ fields: [String]
  ) -> BuildMessage {
    var list = list(fields)
    if let nearest = EditDistance.nearest(to: name, of: fields) { list += "; did you mean \(quoted(nearest))?" }
    let paths = inputs.map { displayed(path: $0) }.joined(separator: ", ")
    return "\(paths): \(setting) names \(quoted(name)); its fields are \(list)"
  }

  /// Returns the names of fields for a message, at most ``shownFields``.
  static func list(_ fields: [String]) -> String {
    let list = fields.prefix(shownFields).map { quoted(FieldPath.header($0)) }.joined(separator: ", ")
    return fields.count > shownFields ? list + " and \(grouped(fields.count - shownFields)) more" : list
  }

  /// The most field names that a message lists.
  static let shownFields = 20

  private static func advice(_ code: CInt) -> String {
    switch code {
    case ENOSPC, EDQUOT: "; free some space there, or name another directory"
    case EACCES, EPERM: "; check the permissions there"
    case EROFS: "; name a directory on a file system that can be written"
    case ENOTDIR: "; name a directory (to change an archive, unarchive it, change the directory and archive that)"
    case ENOLCK, EOPNOTSUPP:
      "; the file system there has no locks; name a directory on another file system"
    case ENOMEM: "; build with less memory and fewer threads"
    case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
    case EFBIG: "; raise the limit of file sizes (ulimit -f)"
    case ENOENT: "; create its parent directory"
    case ELOOP: "; remove the symbolic link there"
    default: ""
    }
  }
}

extension TemplateFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .empty: "the template is empty; write field names in braces, such as {name}, {country}"
    case .noField: "the template names no field; write a field name in braces, such as {name}"
    case .unclosed: "this { has no }; write {{ for a brace in the text"
    case .unopened: "this } has no {; write }} for a brace in the text"
    case .emptyField: "the name of a field is missing between { and }; write it there"
    }
  }
}
