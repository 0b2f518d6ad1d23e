import CLibrary

/// The figures of a written range, as a line that a process prints after the ``RangeRow`` of the range.
///
/// An engine keeps these lines beside the rows, and a merge skips them.
package struct RangeSummary: Equatable, Sendable {
  /// Whether the range has entries instead of records.
  package var isOfEntries: Bool
  package var range: Int
  package var records: Int
  /// The size of all files of the range, in bytes.
  package var bytes: Int
  /// The time since the process began, or since its last summary. So the times of a process add up to its own.
  package var milliseconds: Int

  /// The beginning of the lines of summaries.
  package static let prefix = "summary\t"

  package init(isOfEntries: Bool, range: Int, records: Int, bytes: Int, milliseconds: Int) {
    (self.isOfEntries, self.range, self.records) = (isOfEntries, range, records)
    (self.bytes, self.milliseconds) = (bytes, milliseconds)
  }

  /// The summary as a line, without its line feed.
  package var line: String {
    let tenths = (milliseconds + 50) / 100
    return Self.prefix
      + [isOfEntries ? "entries" : "records", "\(range)", "\(records)", "\(bytes)", "\(tenths / 10).\(tenths % 10)"]
      .joined(separator: "\t")
  }
}

/// Prints the row of each range that a process has written, and after it the summary.
struct RowPrinter {
  private let write: ([UInt8]) throws(BuildError) -> Void
  private var last = Self.now

  init(_ write: @escaping ([UInt8]) throws(BuildError) -> Void) { self.write = write }

  /// - Parameter bytes: The size of all files of the range.
  mutating func print(_ row: RangeRow, bytes: Int) throws(BuildError) {
    let now = Self.now
    let summary = RangeSummary(
      isOfEntries: row.isOfEntries, range: row.range, records: row.records, bytes: bytes, milliseconds: now - last)
    last = now
    try write(Array("\(row.line)\n\(summary.line)\n".utf8))
  }

  /// The milliseconds since an unspecified moment.
  private static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }
}
