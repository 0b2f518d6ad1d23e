import CLibrary

/// The reader of a query log. It reads line by line, and holds one line in memory.
///
/// A line is `MILLISECONDS<TAB>TEXT` and ends with a line feed. The reader drops a carriage return before the line
/// feed, and the last line may lack its line feed. A line without a tab is a text with a pause of 0, so a list of
/// queries is a log too. An empty text clears the box. Source: docs/typing.md.
public struct QueryLogReader: ~Copyable {
  /// The most bytes of a line without its end: the longest key and the longest pause.
  public static let lineLimit = (64 << 10) + 16
  /// The longest pause in milliseconds, about eleven days.
  public static let pauseLimit = 999_999_999

  private let path: String
  private let descriptor: CInt
  private var buffer: [UInt8] = []
  /// The start of the next line in the buffer, and the end of the bytes already searched for a line feed.
  private var start = 0
  private var searched = 0
  private var isAtEnd = false

  /// The number of lines read so far.
  public private(set) var lineNumber = 0
  /// The number of bytes read so far, which may include bytes of the next lines.
  public private(set) var bytesRead = 0

  /// - Parameter path: The path of the log; `-` is standard input.
  public init(opening path: String) throws(QueryLogError) {
    self.path = path == "-" ? "standard input" : path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .io(operation: "open", path: path, errno: errno) }
  }

  deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

  /// Reads the next change; nil at the end of the log.
  ///
  /// - Throws: ``QueryLogError``; the reader does not read the lines after the wrong line.
  public mutating func next() throws(QueryLogError) -> Keystroke? {
    guard let range = try nextLine() else { return nil }
    lineNumber += 1
    return try keystroke(range)
  }

  /// Returns the range of the next line in the buffer, without the line feed.
  private mutating func nextLine() throws(QueryLogError) -> Range<Int>? {
    while true {
      if let feed = buffer[searched...].firstIndex(of: 0x0a) {
        defer { (start, searched) = (feed + 1, feed + 1) }
        return try limited(start..<feed)
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return try limited(start..<buffer.count)
      }
      // A carriage return may follow the longest line.
      if buffer.count - start > Self.lineLimit + 1 { throw .tooLong(path: path, line: lineNumber + 1) }
      buffer.removeFirst(start)
      (start, searched) = (0, buffer.count)
      try fill()
    }
  }

  private func limited(_ range: Range<Int>) throws(QueryLogError) -> Range<Int> {
    let end = range.isEmpty || buffer[range.upperBound - 1] != 0x0d ? range.upperBound : range.upperBound - 1
    if end - range.lowerBound > Self.lineLimit { throw .tooLong(path: path, line: lineNumber + 1) }
    return range.lowerBound..<end
  }

  private mutating func fill() throws(QueryLogError) {
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.chunkSize))
    var count = -1
    repeat {
      count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress! + old, Self.chunkSize) }
    } while count < 0 && errno == EINTR
    let code = errno
    buffer.removeLast(Self.chunkSize - max(count, 0))
    if count < 0 { throw .io(operation: "read", path: path, errno: code) }
    isAtEnd = count == 0
    bytesRead += count
  }

  private static let chunkSize = 16 << 10

  private func keystroke(_ range: Range<Int>) throws(QueryLogError) -> Keystroke {
    let line = buffer[range]
    var pause = 0
    var text = line
    if let tab = line.firstIndex(of: 0x09) {
      let digits = line[..<tab]
      guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
        throw .badPause(path: path, line: lineNumber)
      }
      pause = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      text = line[(tab + 1)...]
    }
    guard let text = String(utf8: text) else { throw .notUTF8(path: path, line: lineNumber) }
    return Keystroke(pauseMilliseconds: pause, text: text)
  }
}
