import CLibrary

extension DatasetReader {
  /// A fault of a dataset at one line and column.
  package struct BadRecord: Sendable, Error, Equatable, CustomStringConvertible {
    /// The path as given; `-` is standard input.
    package var path: String
    /// 1-based; a line feed ends a line, inside quotes too.
    package var line: Int
    /// 1-based and in bytes, since that is what every tool agrees on; a byte order mark does not count.
    package var column: Int
    /// 1-based, counting good and bad records; 0 when the fault is in no record (a header, say).
    package var record: Int
    /// The reason, with the expected and the found text, without a full stop.
    package var reason: String
    /// The advice; empty where the reason says it, and where bad records are left out.
    package var advice: BuildMessage = ""

    /// `file:line:column: reason; advice`, as compilers write it.
    package var message: BuildMessage {
      let place = "\(displayed(path: path)):\(line):\(column): " + (record > 0 ? "record \(record): " : "")
      return advice.isEmpty ? "\(place)\(reason)" : "\(place)\(reason); \(advice)"
    }

    package var description: String { message.description }
  }
}

/// Why a dataset cannot be read, or not to its end.
package enum DatasetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no such file, or it may not be read.
  case cannotOpen(path: String, errno: CInt)
  case isDirectory(path: String)
  /// A system call failed after the file was opened.
  case io(operation: String, path: String, errno: CInt)
  /// The dataset has no byte, and neither its name nor an option gives its format.
  case empty(path: String)
  /// Neither the name nor the first bytes tell the format.
  case unknownFormat(path: String)
  /// The options do not fit the dataset, or it is text in another encoding. `reason` says what to do.
  case unusable(path: String, reason: BuildMessage)
  /// gzip or zstd data that is damaged or ends too early; `offset` is in bytes of the file as stored.
  case badCompression(path: String, offset: Int, reason: BuildMessage)
  /// A record that ``DatasetOptions/skipBad`` would have skipped.
  case bad(DatasetReader.BadRecord)
  /// A fault after which it is not known where the next record begins, or that concerns all records.
  case malformed(DatasetReader.BadRecord)

  package var description: String { message.description }

  /// The message, for the words of the library or of a command.
  package var message: BuildMessage {
    switch self {
    case .cannotOpen(let path, let errno):
      "\(displayed(path: path)): cannot be opened: \(text(ofErrno: errno)); \(Self.advice(errno))"
    case .isDirectory(let path):
      // A closed descriptor 0 may have become that of the index's directory.
      path == "-"
        ? "standard input: is closed, or a directory; pass the dataset to it, or name a file"
        : "\(displayed(path: path)): is a directory; name a file, or - for standard input"
    case .io(let operation, let path, let errno):
      "\(displayed(path: path)): \(operation) failed: \(text(ofErrno: errno)); try again, or read a copy of it"
    case .unknownFormat(let path):
      """
      \(displayed(path: path)): is no text whose format is known; if it is a dataset, name its format with \
      \(.inputFormat) (\(DatasetFormat.list))
      """
    case .empty(let path): "\(displayed(path: path)): is empty; a dataset has a header or a record at least"
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
    case EACCES, EPERM: "check who may read it"
    case EMFILE, ENFILE: "raise the limit of open files (ulimit -n)"
    default: "try again, or read a copy of it"
    }
  }
}
