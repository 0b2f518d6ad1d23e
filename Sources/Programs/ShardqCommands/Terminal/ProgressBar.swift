import Answers
import CLibrary
import QueryOutput

/// A line on standard error that shows how far a command has come. It is written over itself.
package final class ProgressBar {
  /// The state of a step of the command.
  package struct Step: Equatable, Sendable {
    /// The name of the step.
    package var name: String
    package var done: Int
    /// The whole work; nil if it is not known.
    package var total: Int?
    /// Whether the work is counted in bytes; else it is counted in things of the name ``unit``.
    package var isBytes = false
    package var unit: String
    /// The number of records so far; nil if they are not counted apart.
    package var records: Int?

    package init(
      _ name: String, _ done: Int, of total: Int?, isBytes: Bool = false, unit: String = "record", records: Int? = nil
    ) {
      (self.name, self.done, self.total, self.isBytes, self.unit) = (name, done, total, isBytes, unit)
      self.records = records
    }
  }

  /// The text before each line: the name of the build, if there are several.
  package var prefix = ""
  private var start = Clock.now
  private var last = Clock.now  // A step that is over at once is not shown.
  private var step: Step?
  private var isShown = false

  private static let interval = 200

  /// Returns nil if standard error is no terminal, or one that cannot write over a line.
  package init?() {
    let terminal = EnvironmentVariable.value("TERM")
    guard isatty(STDERR_FILENO) == 1, let terminal, terminal != "dumb" else { return nil }
  }

  package func show(_ step: Step) {
    let now = Clock.now
    if step.name != self.step?.name { start = now }
    self.step = step
    guard now - last >= Self.interval else { return }
    last = now
    isShown = true
    write("\r" + Self.line(step, milliseconds: now - start, columns: Self.columns, prefix: prefix) + "\u{1b}[K")
  }

  package func clear() {
    if isShown { write("\r\u{1b}[K") }
    isShown = false
  }

  private func write(_ text: String) {
    var output = Output(STDERR_FILENO)
    try? output.write(text)
    try? output.flush()
  }

  private static var columns: Int {
    var window = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 ? Int(window.ws_col) : 80
  }

  // MARK: The line

  private static let barColumns = 20

  /// Returns the line of a step: its name, a bar and the share where the whole is known, the number, the rate and the
  /// time left, as many of them as have room.
  ///
  /// - Parameter milliseconds: The time since the step began.
  package static func line(_ step: Step, milliseconds: Int, columns: Int, prefix: String = "") -> String {
    var parts = [prefix + step.name]
    let done = max(0, step.total.map { min(step.done, $0) } ?? step.done)
    if let total = step.total, total > 0 {
      let share = Int(Double(done) * 100 / Double(total))
      let filled = barColumns * share / 100
      parts.append(
        "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: barColumns - filled) + "]")
      parts.append("\(share) %")
    }
    if step.isBytes { parts.append(size(done)) }
    if let records = step.isBytes ? step.records : done { parts.append(QueryRunner.counted(records, step.unit)) }
    // The first moments tell no rate.
    if milliseconds >= 500, done > 0 {
      let rate = Double(done) * 1000 / Double(milliseconds)
      parts.append((step.isBytes ? size(Int(rate)) : QueryRunner.grouped(Int(rate))) + "/s")
      if let total = step.total, rate > 0 { parts.append(time(Int(Double(total - done) / rate)) + " left") }
    }
    while parts.count > 1, parts.joined(separator: "  ").count >= columns { remove(&parts) }
    return String(parts.joined(separator: "  ").prefix(max(1, columns - 1)))
  }

  /// Removes the part that is missed least: the bar first, then from the end.
  private static func remove(_ parts: inout [String]) {
    if parts[1].hasPrefix("[") { parts.remove(at: 1) } else { parts.removeLast() }
  }

  private static func size(_ bytes: Int) -> String {
    if bytes < 1_000_000 { return "\(bytes / 1000) KB" }
    if bytes < 1_000_000_000 { return "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB" }
    return "\(bytes / 1_000_000_000).\(bytes / 100_000_000 % 10) GB"
  }

  private static func time(_ seconds: Int) -> String {
    if seconds < 100 { return "\(seconds) s" }
    if seconds < 6000 { return "\((seconds + 30) / 60) min" }
    return "\((seconds + 1800) / 3600) h"
  }
}

package enum Clock {
  /// The milliseconds since an unspecified moment.
  package static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }

  static func seconds(_ milliseconds: Int) -> String {
    let hundredths = (milliseconds + 5) / 10
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }
}
