import Answers
import CLibrary
import QueryOutput
import ShardBuilder
import ShardedIndex

/// Shows on standard error how far a command has come. On a terminal it writes a line over itself. Elsewhere, where a
/// command of a job asks for it, it writes a line every ten seconds, also while the command waits. Any thread may call
/// it.
package final class ProgressBar: Sendable {
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

  private struct State {
    var prefix: String
    var start: Int
    var last: Int  // A step that is over at once is not shown.
    var step: Step?
    var isShown = false
  }

  private let state: Lock<State>
  /// Whether the bar is written over itself; else ``beat()`` writes lines.
  private let isBar: Bool
  private let now: @Sendable () -> Int
  private let write: @Sendable (String) -> Void

  /// The milliseconds between two looks of a bar, and the seconds between two lines.
  private static let interval = 200
  private static let secondsOfLine: UInt32 = 10

  private init(
    isBar: Bool, prefix: String, now: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
  ) {
    (self.isBar, self.now, self.write) = (isBar, now, write)
    let start = now()
    state = Lock(State(prefix: prefix, start: start, last: start))
  }

  /// Returns nil if standard error is no terminal, or one that cannot write over a line.
  package convenience init?() {
    let terminal = EnvironmentVariable.value("TERM")
    guard isatty(STDERR_FILENO) == 1, let terminal, terminal != "dumb" else { return nil }
    self.init(isBar: true, prefix: "", now: { Clock.now }, write: Self.writeToStandardError)
  }

  /// Makes a progress of lines, which ``beat()`` writes.
  ///
  /// - Parameters:
  ///   - command: The name of the command, which begins each line.
  ///   - now: Returns the milliseconds since any moment.
  package convenience init(
    linesOf command: String, now: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
  ) {
    self.init(isBar: false, prefix: "shardq \(command): ", now: now, write: write)
  }

  /// Returns a progress of lines on standard error. A thread writes one every ten seconds, to the end of the process.
  package static func lines(of command: String) -> ProgressBar {
    let progress = ProgressBar(linesOf: command, now: { Clock.now }, write: writeToStandardError)
    _ = Worker {
      while true {
        sleep(secondsOfLine)
        progress.beat()
      }
    }
    return progress
  }

  /// The text before each line: the name of the build, if there are several.
  package var prefix: String {
    get { state.withLock { $0.prefix } }
    set { state.withLock { $0.prefix = newValue } }
  }

  package func show(_ step: Step) {
    let now = now()
    state.withLock { state in
      if step.name != state.step?.name { state.start = now }
      state.step = step
      guard isBar, now - state.last >= Self.interval else { return }
      (state.last, state.isShown) = (now, true)
      let line = Self.line(
        step, milliseconds: now - state.start, columns: Self.columns, prefix: state.prefix)
      write("\r" + line + "\u{1b}[K")
    }
  }

  /// Writes the line of the last step, if there was one.
  package func beat() {
    let now = now()
    state.withLock { state in
      guard let step = state.step else { return }
      write(Self.line(step, milliseconds: now - state.start, columns: nil, prefix: state.prefix) + "\n")
    }
  }

  /// Removes the bar from the terminal. The next step shows it again.
  package func clear() {
    state.withLock { state in
      if state.isShown { write("\r\u{1b}[K") }
      state.isShown = false
    }
  }

  @Sendable private static func writeToStandardError(_ text: String) {
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
  /// - Parameters:
  ///   - milliseconds: The time since the step began.
  ///   - columns: The columns of the terminal; nil for a line of a log, which has all parts but the bar.
  package static func line(_ step: Step, milliseconds: Int, columns: Int?, prefix: String = "") -> String {
    var parts = [prefix + step.name]
    let done = max(0, step.total.map { min(step.done, $0) } ?? step.done)
    if let total = step.total, total > 0 {
      let share = Int(Double(done) * 100 / Double(total))
      let filled = barColumns * share / 100
      if columns != nil {
        parts.append(
          "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: barColumns - filled) + "]")
      }
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
    guard let columns else { return parts.joined(separator: "  ") }
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

extension ProgressBar.Step {
  /// Makes the step of a build, of an update, or of a command that plans or writes ranges.
  package init(_ progress: BuildProgress) {
    switch progress.phase {
    case .reading:
      self.init("reading", progress.done, of: progress.total, isBytes: true, records: progress.records)
    case .sorting: self.init("sorting", progress.records, of: nil)
    case .writing: self.init("writing", progress.done, of: progress.total)
    }
  }

  /// Makes the step of a merge.
  package init(merging progress: BuildProgress) {
    switch progress.phase {
    case .reading: self.init("opening ranges", progress.done, of: progress.total, unit: "range")
    case .sorting, .writing: self.init("merging", progress.done, of: progress.total)
    }
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
