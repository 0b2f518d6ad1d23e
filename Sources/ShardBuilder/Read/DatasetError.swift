import CLibrary

extension DatasetReader {
  /// A fault of a dataset at one line and column.
  package struct BadRecord: Sendable, Error, Equatable, CustomStringConvertible {
    /// The path that the caller gave; `-` is standard input.
    package var path: String
    /// The line, from 1; a line feed ends a line, also inside quotes.
    package var line: Int
    /// The column in bytes, from 1, as all tools count it; a byte order mark does not count.
    package var column: Int
    /// The record, from 1, with good and bad records counted; 0 if the fault is in no record, for example in a header.
    package var record: Int
    /// The reason, with the expected and the found text, without a full stop.
    package var reason: String
    /// The advice; empty if the reason has it, and if bad records are left out.
    package var advice: BuildMessage = ""

    /// The message as compilers write it: `file:line:column: reason; advice`.
    package var message: BuildMessage {
      let place = "\(displayed(path: path)):\(line):\(column): " + (record > 0 ? "record \(record): " : "")
      return advice.isEmpty ? "\(place)\(reason)" : "\(place)\(reason); \(advice)"
    }

    package var description: String { message.description }
  }
}

/// The reason why a dataset cannot be read, or not to its end.
package enum DatasetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file does not exist, or the user may not read it.
  case cannotOpen(path: String, errno: CInt)
  case isDirectory(path: String)
  /// A system call failed after the file was opened.
  case io(operation: String, path: String, errno: CInt)
  /// The dataset has no byte, and neither its name nor an option says its format.
  case empty(path: String)
  /// Neither the name nor the first bytes show the format.
  case unknownFormat(path: String)
  /// The options do not fit the dataset, or its encoding is not the expected one. `reason` says the remedy.
  case unusable(path: String, reason: BuildMessage)
  /// The gzip or zstd data is damaged or ends too early; `offset` counts bytes of the file as stored.
  case badCompression(path: String, offset: Int, reason: BuildMessage)
  /// The record is bad; with ``DatasetOptions/skipBad`` the reader would have skipped it.
  case bad(DatasetReader.BadRecord)
  /// The fault hides where the next record begins, or concerns all records.
  case malformed(DatasetReader.BadRecord)

  package var description: String { message.description }

  /// The message, with settings that the library or a command names.
  package var message: BuildMessage {
    switch self {
    case .cannotOpen(let path, let errno):
      "\(displayed(path: path)): cannot be opened: \(text(ofErrno: errno)); \(Self.advice(errno))"
    case .isDirectory(let path):
      // A closed descriptor 0 may have become the descriptor of the index's directory.
      path == "-"
        ? "standard input is closed, or a directory; pass the dataset to it, or name a file"
        : "\(displayed(path: path)): is a directory; name a file, or - for standard input"
    case .io(let operation, let path, let errno):
      "\(displayed(path: path)): \(operation) failed: \(text(ofErrno: errno)); try again, or read a copy of it"
    case .unknownFormat(let path):
      """
      \(displayed(path: path)): cannot tell the format; if it is a dataset, name the format with \
      \(.inputFormat) (\(DatasetFormat.list))
      """
    case .empty(let path): "\(displayed(path: path)): is empty; a dataset has at least a header or a record"
    case .unusable(let path, let reason): "\(displayed(path: path)): \(reason)"
    case .badCompression(let path, let offset, let reason):
      "\(displayed(path: path)): byte \(offset) of the compressed file: \(reason)"
    case .bad(let record): record.message
    case .malformed(let record): record.message
    }
  }

  private static func advice(_ errno: CInt) -> String {
    switch errno {
    case ENOENT, ENOTDIR: "check its name"
    case EACCES, EPERM: "check its permissions"
    case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
    default: "try again, or read a copy of it"
    }
  }
}
