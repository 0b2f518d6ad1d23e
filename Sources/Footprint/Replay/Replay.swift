import CSystem

/// A replay of a query log through one design, in a process of its own. It prints its figures for `shardq footprint`:
///
/// | line | meaning |
/// |---|---|
/// | `first NANOSECONDS` | the monotonic clock when the first answer was there |
/// | `sample KEYS RESIDENT PRIVATE` | the memory in KiB, after so many keys |
/// | `NAME NUMBER` | a figure of the whole run |
/// | `answers DIGEST` | the digest of all answers |
package struct Replay {
  /// The number of matches that a design has to decode for each answer.
  package static let pageSize = 20

  private let log: String
  private let sampleInterval: Int

  /// - Parameters:
  ///   - log: The path of a query log.
  ///   - sampleInterval: Keys between two looks at the memory; with 0 the replay ends at the first answer.
  package init(log: String, sampleInterval: Int) { (self.log, self.sampleInterval) = (log, sampleInterval) }

  /// Opens a design and replays the log through it.
  ///
  /// - Parameter open: Makes the design. The start is measured from the process's own start, so this counts.
  // Inlined where the design is known: called through a protocol's witness, a generic design stays generic, which
  // makes it five times slower.
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
        print("first", end)
        if sampleInterval == 0 { return }
      }
      times.add(end - start)
      // The rest of the loop is no part of an answer's time.
      digest.add(count)
      design.addPage(&digest)
      if keys % 64 == 0 { Self.endIfAbandoned() }
      if keys == 1 || keys % sampleInterval == 0 { Self.sample(keys) }
    }
    Self.sample(keys)
    let totals = ProcessState.totals(without: log.bytesRead)
    print("keys", keys)
    print("median", times.quantile(permille: 500))
    print("p99", times.quantile(permille: 990))
    print("mean", times.mean)
    if let totals {
      print("peak_resident", totals.peakResident << 10)
      print("minor_faults", totals.minorFaults)
      print("major_faults", totals.majorFaults)
      print("bytes_read", totals.bytesRead)
    }
    for (name, value) in design.counters() { print(name, value) }
    print("answers", String(digest.value, radix: 16))
  }

  private static func sample(_ keys: Int) {
    if let memory = ProcessState.memory() { print("sample", keys, memory.resident, memory.privatePages) }
  }

  /// Ends the process when its parent is gone: the parent held the other end of standard input.
  private static func endIfAbandoned() {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    if poll(&input, 1, 0) > 0, input.revents & Int16(POLLHUP) != 0 { _exit(1) }
  }

  /// Ends the process. Printed figures are written first, then the reason of a failure.
  package static func finish(_ status: CInt, because reason: String = "") -> Never {
    fflush(nil)
    if !reason.isEmpty {
      let line = Array((reason + "\n").utf8)
      _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress!, $0.count) }
    }
    _exit(status)
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
