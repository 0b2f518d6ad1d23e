/// The first column of lines, the number of a range. The reader removes the column and counts the lines.
final class RangeColumn {
  private let path: String
  private let rangeCount: Int
  /// For each range the number of its lines.
  private(set) var lineCounts: [Int: Int] = [:]
  private var line = 1
  /// The digits of the number so far; nil after the column.
  private var number: (value: Int, digits: Int)? = (0, 0)

  init(of path: String, rangeCount: Int) { (self.path, self.rangeCount) = (path, rangeCount) }

  /// Appends bytes of lines without their first columns.
  func append(_ input: borrowing RawVector<UInt8>, to output: inout RawVector<UInt8>) throws(DatasetError) {
    output.reserve(input.count)
    for index in 0..<input.count {
      let byte = input[index]
      guard let (value, digits) = number else {
        output.append(byte)
        if byte == 0x0A {
          line += 1
          number = (0, 0)
        }
        continue
      }
      if byte == 0x09, digits > 0, value < rangeCount {
        number = nil
        lineCounts[value, default: 0] += 1
      } else if isDigit(byte), digits < 9 {
        number = (10 * value + Int(byte - 0x30), digits + 1)
      } else {
        throw flaw
      }
    }
  }

  /// Checks the end of the input.
  func finish() throws(DatasetError) {
    if let number, number.digits > 0 { throw flaw }
  }

  private var flaw: DatasetError {
    .bad(
      DatasetReader.BadRecord(
        path: path, line: line, column: 1, record: 0,
        reason: "the line does not begin with a range of the plan, a number below \(rangeCount) and a tab",
        advice: "pass lines that `\(.writeRangeKeys)` made with this plan"))
  }
}
