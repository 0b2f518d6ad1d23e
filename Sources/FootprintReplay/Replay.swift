import QueryLog

import CSystem

/// One way to answer what is typed: `footprint` measures each in a process of its own.
package protocol Design {
  /// The box was cleared. Not timed, and not asked for an answer.
  mutating func beginSession()
  /// Finds the matches of a text: how many there are, and the first ``Replay/pageSize`` with all their fields, ready
  /// to be shown.
  mutating func answer(_ text: String) throws -> Int
  /// The records that the last answer found.
  func addPage(to digest: inout AnswerDigest)
  /// What else it says of itself at the end: names and numbers.
  var counters: [(name: String, value: Int)] { get }
}

extension Design {
  package mutating func beginSession() {}
  package var counters: [(name: String, value: Int)] { [] }
}

/// Replays a query log through a design and prints what came of it, for the process that started this one:
///
/// | line | meaning |
/// |---|---|
/// | `first NANOSECONDS` | the monotonic clock when the first answer was there |
/// | `sample KEYS RESIDENT PRIVATE` | KiB, after so many keys |
/// | `NAME NUMBER` | a figure of the whole run |
/// | `answers DIGEST` | of all answers |
package enum Replay {
  package static let pageSize = 20

  /// A design as a handful of functions.
  package struct Steps {
    package var open: () throws -> Void
    package var beginSession: () -> Void
    package var answer: (String) throws -> Int
    package var addPage: (inout AnswerDigest) -> Void
    package var counters: () -> [(name: String, value: Int)]

    package init(
      open: @escaping () throws -> Void, beginSession: @escaping () -> Void,
      answer: @escaping (String) throws -> Int, addPage: @escaping (inout AnswerDigest) -> Void,
      counters: @escaping () -> [(name: String, value: Int)]
    ) {
      (self.open, self.beginSession, self.answer) = (open, beginSession, answer)
      (self.addPage, self.counters) = (addPage, counters)
    }
  }

  /// - Parameters:
  ///   - log: A query log.
  ///   - sampleInterval: Keys between two looks at the memory; 0 ends with the first answer.
  ///   - open: Makes the design, whatever that takes: the start is measured from the process's own start.
  // Inlined where the design is known: behind a protocol's witness a generic design stays generic, five times slower.
  @inlinable
  package static func run<Some: Design>(
    log: String, sampleInterval: Int, opening open: @escaping () throws -> Some
  ) throws {
    var design: Some? = nil
    try run(
      log: log, sampleInterval: sampleInterval,
      Steps(
        open: { design = try open() }, beginSession: { design!.beginSession() },
        answer: { try design!.answer($0) }, addPage: { design!.addPage(to: &$0) },
        counters: { design!.counters }))
  }

  package static func run(log path: String, sampleInterval: Int, _ design: Steps) throws {
    var log = try QueryLogReader(opening: path)
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
      // What follows is no part of an answer's time.
      digest.add(count)
      design.addPage(&digest)
      if keys % 64 == 0 { endIfAbandoned() }
      if keys == 1 || keys % sampleInterval == 0 { sample(keys) }
    }
    sample(keys)
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

  /// Ends the process when the one that started it is gone: it held the other end of standard input.
  private static func endIfAbandoned() {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    if poll(&input, 1, 0) > 0, input.revents & Int16(POLLHUP) != 0 { _exit(1) }
  }

  /// Ends the process: what was printed is written first, then why it failed.
  package static func finish(_ status: CInt, because reason: String = "") -> Never {
    fflush(nil)
    if !reason.isEmpty {
      let line = Array((reason + "\n").utf8)
      _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress!, $0.count) }
    }
    _exit(status)
  }
}
