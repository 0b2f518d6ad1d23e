import Answers
import CLibrary
import ShardedIndex

/// Answers each line of standard input with one line of JSON, at once.
package enum LineQueries {
  /// The most bytes of a line. No key is longer than 64 KiB; the rest is room for signs that the fold removes.
  static let lineLimit = 1 << 20

  /// - Parameters:
  ///   - request: The options of every line; its prefix is ignored.
  ///   - open: The function that opens an index on another machine.
  package static func run(_ request: QueryRequest, open: QueryRunner.Opening? = nil) -> ExitStatus {
    // This check comes before the index is opened, since the index's directory would get the descriptor's number.
    var status = stat()
    if unsafe fstat(STDIN_FILENO, &status) != 0, errno == EBADF {
      Diagnostics.report("standard input is closed; pass the lines to it, or redirect it from a file")
      return .notFound
    }
    var reader = InputLines(end: request.endsWithZero ? 0 : 0x0a)
    var output = Output()
    var number = 0
    do throws(IndexError) {
      // The newest generation answers each line, unless a digest pins the index.
      let index = try QueryRunner.index(
        request, .init(reloadInterval: .zero, expectedDigest: request.expectedDigest), open)
      let presentation = Presentation(.json, hasFields: false, color: nil, hyperlink: nil)
      var writer: RecordWriter?
      while let line = reader.next() {
        number += 1
        do throws(QueryRunner.QueryError) {
          _ = try QueryRunner.answer(request, presentation, text: line, from: index, with: &writer, to: &output)
        } catch {
          switch error {
          case .index(let error): return QueryRunner.report(error)
          case .unfinished(let error):
            // A part of a line cannot be taken back.
            try? output.flush()
            return QueryRunner.report(error)
          case .write(let error): return Diagnostics.failed(error)
          case .noField: return .usage  // Lines choose no fields.
          }
        }
      }
    } catch {
      return QueryRunner.report(error, request)
    }
    switch reader.failure {
    case nil: return .done
    case .some(0):
      Diagnostics.report("line \(number + 1) of standard input has more than \(lineLimit) bytes; shorten it")
      return .badData
    case .some(let code):
      unsafe Diagnostics.report("cannot read standard input: " + String(cString: strerror(code)))
      return .inputOutput
    }
  }
}

/// The lines of standard input without their ends, as soon as each arrives.
struct InputLines {
  /// The byte behind each line: a line feed or zero.
  let end: UInt8
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var isAtEnd = false
  /// The cause of the end: 0 for a line that is too long, an `errno` for a failed read, nil for the end of the input.
  private(set) var failure: CInt? = nil

  init(end: UInt8) { self.end = end }

  mutating func next() -> String? {
    while true {
      if let feed = buffer[searched...].firstIndex(of: end) {
        defer {
          start = feed + 1
          searched = start
        }
        return text(start..<feed)
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        return text(start..<buffer.count)
      }
      guard searched - start <= LineQueries.lineLimit else {
        failure = 0
        return nil
      }
      buffer.removeFirst(start)
      (start, searched) = (0, buffer.count)
      var chunk = [UInt8](repeating: 0, count: 16384)
      let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
      } else if count == 0 {
        isAtEnd = true
      } else if errno != EINTR {
        failure = errno
        return nil
      }
    }
  }

  /// Returns a text. Bytes that are not UTF-8 become U+FFFD, so that the answer can name the text.
  private func text(_ range: Range<Int>) -> String {
    var line = buffer[range]
    if end == 0x0a, line.last == 0x0d { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
