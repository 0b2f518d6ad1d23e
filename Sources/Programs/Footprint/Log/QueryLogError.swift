import CLibrary

/// The reason why a query log could not be read. Lines are counted from 1.
@nonexhaustive
public enum QueryLogError: Error, Equatable, Sendable {
  case io(operation: String, path: String, errno: CInt)
  /// A line of more than ``QueryLogReader/lineLimit`` bytes.
  case tooLong(path: String, line: Int)
  case notUTF8(path: String, line: Int)
  /// The text before the first tab of the line is not a number of milliseconds.
  case badPause(path: String, line: Int)
}

extension QueryLogError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .io(let operation, let path, let code):
      "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    case .tooLong(let path, let line):
      "\(path):\(line): the line has over \(QueryLogReader.lineLimit) bytes, more than a search box; shorten it"
    case .notUTF8(let path, let line): "\(path):\(line): the line is not valid UTF-8; convert the log"
    case .badPause(let path, let line):
      "\(path):\(line): the text before the tab is not a pause; write milliseconds in digits"
        + " (at most \(QueryLogReader.pauseLimit)), or leave out the tab"
    }
  }
}
