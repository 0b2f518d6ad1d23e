import Answers
import CLibrary
import QueryOutput

/// The texts that lists ended with, in a file of a line each, the oldest first.
package struct QueryHistory {
  private let path: String
  private let limit: Int
  /// The texts of the file.
  private var lines: [String]
  /// The shown text's number among the lines; their count for the text that the user is typing.
  private var position: Int
  /// The text that was typed before the first step back.
  private var draft = ""

  package struct HistoryError: Error { package var message: String }

  /// The most bytes of the file's end that are read: enough for a thousand of the longest texts.
  private static let readLimit = 4 << 20

  /// Reads the file, which need not be there.
  package init(_ path: String, limit: Int) throws(HistoryError) {
    (self.path, self.limit) = (path, limit)
    lines = try Self.load(path).suffix(limit).map(\.self)
    position = lines.count
  }

  private static func load(_ path: String) throws(HistoryError) -> [String] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return [] }
      throw HistoryError(message: "cannot open \(path): \(reason); name another file in --history")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw HistoryError(message: "\(path) is no regular file; name another file in --history")
    }
    let start = max(0, Int(status.st_size) - readLimit)
    lseek(file, off_t(start), SEEK_SET)
    var (bytes, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
    while bytes.count < readLimit {
      let size = read(file, &chunk, chunk.count)
      if size < 0, errno == EINTR { continue }
      guard size >= 0 else {
        throw HistoryError(message: "cannot read \(path): \(reason); name another file in --history")
      }
      if size == 0 { break }
      bytes += chunk[..<size]
    }
    let lines = bytes.split(separator: 0x0a)
    // The first line may have been cut.
    return (start > 0 ? lines.dropFirst() : lines[...]).map { String(decoding: $0, as: UTF8.self) }
  }

  private static var reason: String { String(cString: strerror(errno)) }

  /// Returns the text before the shown one; nil if there is none.
  ///
  /// - Parameter typed: The text in the line.
  package mutating func previous(_ typed: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = typed }
    position -= 1
    return lines[position]
  }

  /// Returns the text behind the shown one, at the end the typed text; nil if there is none.
  package mutating func next() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position < lines.count ? lines[position] : draft
  }

  /// Adds the text of a list that ends to the file, unless it is empty or its last one.
  package mutating func add(_ text: String) throws(HistoryError) {
    guard !text.isEmpty, text != lines.last else { return }
    lines.append(text)
    // One write of one line: two lists that end at once do not mix theirs.
    let isFull = lines.count > limit
    if isFull { lines.removeFirst(lines.count - limit) }
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (isFull ? O_TRUNC : O_APPEND), 0o600)
    guard file >= 0 else {
      throw HistoryError(message: "cannot write \(path): \(Self.reason); name another file in --history")
    }
    defer { close(file) }
    do throws(WriteError) {
      var output = Output(file)
      for line in isFull ? lines[...] : lines.suffix(1) {
        try output.write(line)
        try output.write(0x0a)
      }
      try output.flush()
    } catch {
      throw HistoryError(
        message: "cannot write \(path): \(String(cString: strerror(error.errno))); name another file in --history")
    }
  }
}
