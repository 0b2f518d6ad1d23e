#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension DatasetReader {
  /// What is wrong with a dataset at one place in it.
  package struct BadRecord: Sendable, Error, Equatable, CustomStringConvertible {
    /// As given; `-` is standard input.
    package var path: String
    /// 1-based; a line feed ends a line, inside quotes too.
    package var line: Int
    /// 1-based and in bytes, since that is what every tool agrees on; a byte order mark does not count.
    package var column: Int
    /// 1-based, counting good and bad records; 0 when the fault is in no record (a header, say).
    package var record: Int
    /// What was expected and what was found, without a full stop.
    package var reason: String

    /// `file:line:column: reason`, as compilers write it.
    package var description: String {
      "\(displayed(path: path)):\(line):\(column): " + (record > 0 ? "record \(record): " : "") + reason
    }
  }
}

/// Why a dataset cannot be read, or not to its end.
package enum DatasetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no such file, or it may not be read.
  case cannotOpen(path: String, errno: CInt)
  case isDirectory(path: String)
  /// A system call failed after the file was opened.
  case io(operation: String, path: String, errno: CInt)
  /// It has no byte, and nothing says its format.
  case empty(path: String)
  /// Neither the name nor the first bytes tell the format.
  case unknownFormat(path: String)
  /// The options do not fit the dataset, or it is text in another encoding. `reason` says what to do.
  case unusable(path: String, reason: String)
  /// gzip or zstd data that is damaged or ends too early; `offset` is in bytes of the file as stored.
  case badCompression(path: String, offset: Int, reason: String)
  /// A record that ``DatasetOptions/skipBad`` would have skipped.
  case bad(DatasetReader.BadRecord)
  /// A fault after which it is not known where the next record begins, or that concerns all records.
  case malformed(DatasetReader.BadRecord)

  package var description: String {
    switch self {
    case .cannotOpen(let path, let errno):
      "\(displayed(path: path)): cannot be opened: \(text(ofErrno: errno))"
    case .isDirectory(let path):
      "\(displayed(path: path)): is a directory; name a file, or - for standard input"
    case .io(let operation, let path, let errno):
      "\(displayed(path: path)): \(operation) failed: \(text(ofErrno: errno))"
    case .unknownFormat(let path):
      "\(displayed(path: path)): is it "
        + DatasetFormat.allCases.map(\.rawValue).joined(separator: ", ")
        + "? Neither the name nor the first line tells; name the format"
    case .empty(let path): "\(displayed(path: path)): is empty; a dataset has a header or a record at least"
    case .unusable(let path, let reason): "\(displayed(path: path)): \(reason)"
    case .badCompression(let path, let offset, let reason):
      "\(displayed(path: path)): byte \(offset) of the compressed file: \(reason)"
    case .bad(let record): record.description
    case .malformed(let record): record.description
    }
  }
}
