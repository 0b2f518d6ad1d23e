import CLibrary

/// A replay of a query log through one design, in its own process. The replay prints its figures for `shardq
/// footprint`:
///
/// | line | meaning |
/// |---|---|
/// | `first NANOSECONDS` | the monotonic clock at the first answer |
/// | `sample KEYS RESIDENT PRIVATE` | the resident and the private memory in KiB, after KEYS keystrokes |
/// | `NAME NUMBER` | a figure of the whole run |
/// | `answers DIGEST` | the digest of all answers |
package struct Replay {
  /// The number of matches that a design has to decode for each answer.
  package static let pageSize = 20

  private let log: String
  private let sampleInterval: Int

  /// - Parameters:
  ///   - log: The path of a query log.
  ///   - sampleInterval: The keystrokes from one memory sample to the next; with 0 the replay ends at the first answer.
  package init(log: String, sampleInterval: Int) { (self.log, self.sampleInterval) = (log, sampleInterval) }

  /// Opens a design and replays the log through it.
  ///
  /// - Parameter open: Makes the design. The start is measured from the process's own start, so this time counts.
  // Inlined where the design is known: a design called through a protocol's witness stays generic, which makes it five
  // times slower.
  @inlinable
  package func run<Some: Design>(opening open: @escaping () throws -> Some) throws {
    var design: Some? = nil
    try run(
      DesignFunctions(
        open: { design = try open() }, beginSession: { design!.beginSession() },
        answer: { try design!.answer($0) }, addPage: { design!.addPage(to: &$0) },
        counters: { design!.counters }))
  }

  package func run(_ design: DesignFunctions) throws {
    var log = try QueryLogReader(opening: log)
    var times = TimeHistogram()
    var digest = AnswerDigest()
    var keys = 0
    var report = ""
    // The report is written at the end, as plain bytes: `print` casts its arguments, and for a cast the runtime looks
    // through the whole program. That memory would count as the design's.
    defer { Self.write(report, to: STDOUT_FILENO) }
    try design.open()
    while let keystroke = try log.next() {
      if keystroke.beginsSession {
        design.beginSession()
        continue
      }
      let start = ProcessState.nanoseconds
      let count = try design.answer(keystroke.text)
      let end = ProcessState.nanoseconds
      keys += 1
      if keys == 1 {
        report += "first \(end)\n"
        if sampleInterval == 0 { return }
      }
      times.add(end - start)
      // The rest of the loop is not part of an answer's time.
      digest.add(count)
      design.addPage(&digest)
      if keys % 64 == 0 { Self.endIfAbandoned() }
      if keys == 1 || keys % sampleInterval == 0 { report += Self.sample(keys) }
    }
    report += Self.sample(keys)
    let totals = ProcessState.totals(without: log.bytesRead)
    report += "keys \(keys)\nmedian \(times.quantile(permille: 500))\np99 \(times.quantile(permille: 990))\n"
    report += "mean \(times.mean)\n"
    if let totals {
      report += "peak_resident \(totals.peakResident << 10)\nminor_faults \(totals.minorFaults)\n"
      report += "major_faults \(totals.majorFaults)\nbytes_read \(totals.bytesRead)\n"
    }
    for (name, value) in design.counters() { report += "\(name) \(value)\n" }
    report += "answers \(String(digest.value, radix: 16))\n"
  }

  private static func sample(_ keys: Int) -> String {
    guard let memory = ProcessState.memory() else { return "" }
    return "sample \(keys) \(memory.resident) \(memory.privatePages)\n"
  }

  /// Ends the process when its parent is gone: the parent held the other end of standard input.
  private static func endIfAbandoned() {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    if poll(&input, 1, 0) > 0, input.revents & Int16(POLLHUP) != 0 { _exit(1) }
  }

  /// Writes the printed figures, then the reason of a failure, and ends the process.
  package static func finish(_ status: CInt, because reason: String = "") -> Never {
    fflush(nil)
    if !reason.isEmpty { write(reason + "\n", to: STDERR_FILENO) }
    _exit(status)
  }

  private static func write(_ text: String, to file: CInt) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { CLibrary.write(file, $0.baseAddress! + done, bytes.count - done) }
      guard count > 0 else { return }
      done += count
    }
  }
}

/// The functions of a design whose type the replay does not know.
package struct DesignFunctions {
  let open: () throws -> Void
  let beginSession: () -> Void
  let answer: (String) throws -> Int
  let addPage: (inout AnswerDigest) -> Void
  let counters: () -> [(name: String, value: Int)]

  package init(
    open: @escaping () throws -> Void, beginSession: @escaping () -> Void,
    answer: @escaping (String) throws -> Int, addPage: @escaping (inout AnswerDigest) -> Void,
    counters: @escaping () -> [(name: String, value: Int)]
  ) {
    (self.open, self.beginSession, self.answer) = (open, beginSession, answer)
    (self.addPage, self.counters) = (addPage, counters)
  }
}
