/// Finds the delimiter of a text in its first line. If the first line has several candidates, the sniffer takes the one
/// that the lines agree on.
struct DelimiterSniffer {
  enum Guess: Equatable {
    /// The first line has no candidate.
    case none
    case one(UInt8)
    /// The lines agree on several delimiters.
    case several([UInt8])
    /// The given text ends too early for a decision.
    case needsMore
  }

  static let candidates: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09, UInt8(ascii: "|")]
  /// The most bytes of text that the sniffer reads.
  static let sampleLimit = 64 << 10

  /// The count of each candidate in each line, outside quotes; the first line first.
  private var counts: [[Int]] = []
  /// The number of each counted line, from 0.
  private var lines: [Int] = []
  private let isAll: Bool

  /// - Parameters:
  ///   - text: The text from the first line that counts.
  ///   - isAll: Whether the text ends at the end of the dataset.
  init(_ text: [UInt8], isAll: Bool, comment: String?) {
    self.isAll = isAll || text.count >= Self.sampleLimit
    let comment = Array((comment ?? "").utf8)
    var line = [0, 0, 0, 0]
    var (start, number, isQuoted, isFieldStart) = (0, 0, false, true)
    var closing = -2  // The end of the last quoted text.
    func isRecord(_ end: Int) -> Bool {
      let line = text[start..<end]
      return line.contains { $0 != 0x0D } && (comment.isEmpty || !line.starts(with: comment))
    }
    for (at, byte) in text.prefix(Self.sampleLimit).enumerated() {
      if byte == UInt8(ascii: "\"") {
        // A quote after a closing quote opens the field again: together they are one quote of its text.
        if isQuoted { closing = at }
        isQuoted = !isQuoted && (isFieldStart || closing == at - 1)
        isFieldStart = false
      } else if isQuoted {
        if byte == 0x0A { number += 1 }
        continue
      } else if byte == 0x0A {
        if isRecord(at) {
          counts.append(line)
          lines.append(number)
        }
        (line, start, number, isFieldStart) = ([0, 0, 0, 0], at + 1, number + 1, true)
      } else if let candidate = Self.candidates.firstIndex(of: byte) {
        line[candidate] += 1
        isFieldStart = true
      } else {
        isFieldStart = false
      }
    }
    if isAll || counts.isEmpty && self.isAll, start < text.count, isRecord(text.count) {
      counts.append(line)
      lines.append(number)
    }
  }

  /// - Parameter columns: The number of columns, if the caller named them.
  func finding(columns: Int?) -> Guess {
    guard let first = counts.first else { return isAll ? .none : .needsMore }
    if let columns {
      let fitting = Self.candidates.indices.filter { first[$0] == columns - 1 && columns > 1 }
      return fitting.first.map { .one(Self.candidates[$0]) } ?? .none
    }
    let present = Self.candidates.indices.filter { first[$0] > 0 }
    if present.count < 2 { return present.first.map { .one(Self.candidates[$0]) } ?? .none }
    guard isAll else { return .needsMore }
    let agreed = present.filter { agrees(on: $0) }
    switch agreed.count {
    case 0: return .one(Self.candidates[present[0]])
    case 1: return .one(Self.candidates[agreed[0]])
    default: return .several(agreed.map { Self.candidates[$0] })
    }
  }

  /// Returns whether every line has the first line's number of a delimiter.
  func agree(on delimiter: UInt8) -> Bool { Self.candidates.firstIndex(of: delimiter).map(agrees) ?? false }

  /// Returns the share of the lines that have the first line's number of a delimiter.
  func share(of delimiter: UInt8) -> Double {
    guard let candidate = Self.candidates.firstIndex(of: delimiter), !counts.isEmpty else { return 1 }
    return Double(counts.count { $0[candidate] == counts[0][candidate] }) / Double(counts.count)
  }

  /// The line, from 0, that is a likelier header than the first line. The first line has one field. The other line and
  /// all next lines, at least two in all, have more fields, and equally many.
  var laterHeader: Int? {
    guard let first = counts.first, first.allSatisfy({ $0 == 0 }) else { return nil }
    for candidate in Self.candidates.indices {
      guard let header = counts.firstIndex(where: { $0[candidate] > 0 }), counts.count > header + 1,
        counts[header...].allSatisfy({ $0[candidate] == counts[header][candidate] })
      else { continue }
      return lines[header]
    }
    return nil
  }

  private func agrees(on candidate: Int) -> Bool { counts.allSatisfy { $0[candidate] == counts[0][candidate] } }
}
