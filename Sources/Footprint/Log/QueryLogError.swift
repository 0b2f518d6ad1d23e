import CLibrary

/// The reason why a query log could not be read. Lines are counted from 1.
@nonexhaustive
public enum QueryLogError: Error, Equatable, Sendable {
  case io(operation: String, path: String, errno: CInt)
  /// A line of more than ``QueryLogReader/lineLimit`` bytes.
  case tooLong(path: String, line: Int)
  case notUTF8(path: String, line: Int)
  /// The text before the first tab of the line is no number of milliseconds.
  case badPause(path: String, line: Int)
}

extension QueryLogError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .io(let operation, let path, let code):
      "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    case .tooLong(let path, let line):
      "\(path), line \(line): more than \(QueryLogReader.lineLimit) bytes, which no search box holds"
    case .notUTF8(let path, let line): "\(path), line \(line): not valid UTF-8"
    case .badPause(let path, let line):
      "\(path), line \(line): before the tab belongs a pause in milliseconds, digits alone"
        + " (at most \(QueryLogReader.pauseLimit)); a line without a tab is a text"
    }
  }
}
