import Footprint
import TestSupport
import Testing

@Suite("Reading a query log") struct QueryLogReaderTests {
  private static func read(_ bytes: [UInt8]) throws(QueryLogError) -> [Keystroke] {
    let directory = TemporaryDirectory()
    directory.write(bytes, to: "log")
    var reader = try QueryLogReader(opening: directory("log"))
    var read: [Keystroke] = []
    while let keystroke = try reader.next() { read.append(keystroke) }
    #expect(reader.lineNumber == read.count && reader.bytesRead == bytes.count)
    return read
  }

  private static func read(_ text: String) throws(QueryLogError) -> [Keystroke] { try read(Array(text.utf8)) }

  /// The error of reading `bytes`, with the place of the file left out.
  private static func error(_ bytes: [UInt8]) -> (kind: String, line: Int)? {
    do throws(QueryLogError) {
      _ = try read(bytes)
      return nil
    } catch {
      switch error {
      case .io: return ("io", 0)
      case .tooLong(_, let line): return ("tooLong", line)
      case .notUTF8(_, let line): return ("notUTF8", line)
      case .badPause(_, let line): return ("badPause", line)
      @unknown default: return ("unknown", 0)
      }
    }
  }

  @Test("A log has pauses and texts in sessions, or is a plain list of queries")
  func lines() throws {
    let log = "0\t\n812\ts\n120\tsã\r\n000000007\tsã \n5\ta\tb\nplain query\n\n999999999\tend"
    let expected = [
      (0, ""), (812, "s"), (120, "sã"), (7, "sã "), (5, "a\tb"), (0, "plain query"), (0, ""), (999_999_999, "end"),
    ]
    #expect(try Self.read(log) == expected.map { Keystroke(pauseMilliseconds: $0.0, text: $0.1) })
    #expect(try Self.read(log).map(\.beginsSession) == expected.map { $0.1.isEmpty })
    #expect(try Self.read("") == [])
    #expect(try Self.read("\n") == [Keystroke(pauseMilliseconds: 0, text: "")])
    #expect(try Self.read("\r\n\n").count == 2)
    #expect(try Self.read("7\t\0\u{1}\r").map(\.text) == ["\0\u{1}"])
  }

  @Test("A written log is read again")
  func roundTrip() throws {
    let keystrokes = ["", "s", "são", "a\tb", "x\0", "東京", "\u{301}"].enumerated().map {
      Keystroke(pauseMilliseconds: $0.offset * 1000, text: $0.element)
    }
    #expect(try Self.read(keystrokes.map(\.line).joined()) == keystrokes)
  }

  @Test(
    "Wrong pauses are refused", arguments: ["-1", "+1", "1.5", "", " 1", "1 ", "0x1", "1000000000", "١", "1e3", "one"])
  func pauses(_ pause: String) {
    let error = Self.error(Array("3\tsa\n\(pause)\tsan\n".utf8))
    #expect(error?.kind == "badPause" && error?.line == 2)
  }

  @Test(
    "Bytes that are no UTF-8 are refused",
    arguments: [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]])
  func encoding(_ bytes: [UInt8]) {
    let error = Self.error(Array("1\ta\n2\tb\n3\tc".utf8) + bytes + Array("\n4\td\n".utf8))
    #expect(error?.kind == "notUTF8" && error?.line == 3)
  }

  @Test("A line may have the longest size; a longer one, with or without an end, is refused")
  func lengths() throws {
    let limit = QueryLogReader.lineLimit
    func line(_ size: Int) -> [UInt8] { Array(repeating: 0x61, count: size) }
    #expect(try Self.read([0x62, 0x0a] + line(limit)).map(\.text.utf8.count) == [1, limit])
    #expect(try Self.read(line(limit) + [0x0d, 0x0a, 0x62]).map(\.text.utf8.count) == [limit, 1])
    for end in [[], [0x0a], [0x0a, 0x62], [0x0d, 0x0a]] as [[UInt8]] {
      for size in [limit + 1, limit + 2, limit + 40_000, 3_000_000] {
        let error = Self.error([0x62, 0x0a] + line(size) + end)
        #expect(error?.kind == "tooLong" && error?.line == 2, "\(size) bytes, then \(end)")
      }
    }
  }

  @Test("A log gives the same lines in reads of any size", arguments: UInt64(1)...3)
  func chunks(seed: UInt64) throws {
    var random = TestSupport.SplitMix64(seed: seed)
    let keystrokes = (0..<4000).map { _ in
      Keystroke(
        pauseMilliseconds: Int.random(in: 0...999_999_999, using: &random),
        text: String(repeating: "é", count: Int.random(in: 0...30, using: &random)))
    }
    #expect(try Self.read(keystrokes.map(\.line).joined()) == keystrokes)
  }

  @Test("The error for a path that is no file names it")
  func files() throws {
    let directory = TemporaryDirectory()
    #expect(throws: QueryLogError.self) { _ = try QueryLogReader(opening: directory("none")) }
    var reader = try QueryLogReader(opening: directory.path)
    #expect(throws: QueryLogError.self) { _ = try reader.next() }
  }

  @Test("Random bytes give lines or an error, and never more lines than there are", arguments: UInt64(1)...4)
  func noise(seed: UInt64) {
    var random = TestSupport.SplitMix64(seed: seed)
    let alphabet: [UInt8] = [0x09, 0x0a, 0x0d, 0x00, 0x30, 0x39, 0x61, 0xc3, 0xa3, 0xff, 0x2d]
    var refused = 0
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
      let ends = bytes.count { $0 == 0x0a } + (bytes.isEmpty || bytes.last == 0x0a ? 0 : 1)
      if let keystrokes = try? Self.read(bytes) {
        #expect(keystrokes.count == ends)
      } else {
        refused += 1
      }
    }
    #expect(refused > 50 && refused < 500)
  }
}
