import Footprint

/// Reads any bytes as a query log, and compares the lines, or the first wrong line, with another way of splitting.
final class QueryLogTarget: FuzzTarget {
  init() {}

  func run(_ input: UnsafeBufferPointer<UInt8>) {
    Scratch.input.set(input)
    var expected = input.split(separator: 0x0a, omittingEmptySubsequences: false).map { Array($0) }
    if expected.last?.isEmpty == true { expected.removeLast() }
    var number = 0
    do throws(QueryLogError) {
      var reader = try QueryLogReader(opening: "-")
      while let keystroke = try reader.next() {
        require(number < expected.count, "more lines than \(expected.count)")
        let line = Self.keystroke(expected[number])
        require(line == keystroke, "line \(number + 1) is \(keystroke), and not \(line.map { "\($0)" } ?? "wrong")")
        number += 1
      }
      require(number == expected.count, "\(number) lines, and not \(expected.count)")
      require(reader.lineNumber == number && reader.bytesRead == input.count, "the lines and bytes that were read")
    } catch {
      require(number < expected.count && Self.keystroke(expected[number]) == nil, "line \(number + 1): \(error)")
      switch error {
      case .notUTF8(_, let line), .badPause(_, let line), .tooLong(_, let line):
        require(line == number + 1, "line \(line), and not \(number + 1)")
      default: fail("\(error)")
      }
    }
  }

  /// Returns the keystroke of a line; nil for a wrong line.
  private static func keystroke(_ line: [UInt8]) -> Keystroke? {
    var line = line[...]
    if line.last == 0x0d { line.removeLast() }
    guard line.count <= QueryLogReader.lineLimit, let text = String(validating: line, as: UTF8.self) else {
      return nil
    }
    guard let tab = text.unicodeScalars.firstIndex(of: "\t") else { return Keystroke(pauseMilliseconds: 0, text: text) }
    let digits = text.unicodeScalars[..<tab]
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= "0" && $0 <= "9" }), digits.count <= 9,
      let pause = Int(String(digits))
    else { return nil }
    return Keystroke(pauseMilliseconds: pause, text: String(text.unicodeScalars[tab...].dropFirst()))
  }

  static let seeds: [(name: String, bytes: [UInt8])] = [
    "0\t\n812\ts\n120\tsa\n", "a\nb\n\nc", "5\tsã\r\n\r\n7\t東\t\n", "999999999\ta\n1000000000\tb\n", "-1\ta\n", "1\t",
  ].enumerated().map { ("log\($0)", Array($1.utf8)) }
}
