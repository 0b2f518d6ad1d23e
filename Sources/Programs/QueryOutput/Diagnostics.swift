import Answers
import CLibrary

/// The messages on standard error. They have no secret part of a URL.
package enum Diagnostics {
  /// Writes one line, `shardq: ...`, in one system call, and ignores a failure.
  package static func report(_ message: String) { write("shardq: " + message) }

  /// Whether notes are left out. Errors are always written.
  ///
  /// Not safe to change while other threads run: a command sets it while it reads its options.
  package nonisolated(unsafe) static var isQuiet = false

  /// Writes one line as it is, unless notes are left out.
  package static func note(_ message: String) {
    if unsafe !isQuiet { write(message) }
  }

  private static func write(_ message: String) {
    var line = URLSecrets.removed(from: Array(message.utf8))
    // The name of a file or an argument may hold control characters, which a terminal must not get raw.
    if line.contains(where: { $0 < 0x20 || $0 >= 0x7f }) {
      var shown: [UInt8] = []
      _ = unsafe line.withUnsafeBufferPointer { unsafe ControlText.show($0, isEnd: true, in: &shown) }
      line = shown
    }
    line.append(0x0a)
    var error = Output(STDERR_FILENO)
    try? error.write(line)
    try? error.flush()
  }

  /// Reports that writing to standard output failed, and returns the exit status.
  ///
  /// If the reader of a pipe is gone, SIGPIPE ends the process silently, even if the process ignores the signal.
  package static func failed(_ error: WriteError) -> ExitStatus {
    if error.errno == EPIPE {
      signal(SIGPIPE, SIG_DFL)
      var set = sigset_t()
      unsafe sigemptyset(&set)
      unsafe sigaddset(&set, SIGPIPE)
      unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
      raise(SIGPIPE)
    }
    unsafe report("cannot write to standard output: " + String(cString: strerror(error.errno)))
    return .inputOutput
  }
}

/// The exit statuses of commands. Scripts may rely on them.
package enum ExitStatus: CInt, Sendable {
  case done = 0
  /// No match, or damage found.
  case negative = 1
  case usage = 64
  /// Bad data or a damaged index.
  case badData = 65
  /// Not found or not readable.
  case notFound = 66
  /// Reading or writing failed.
  case inputOutput = 74
  /// Another build is running, or the index was rebuilt during a query.
  case busy = 75
  /// A person left the list without a choice, as by Ctrl-C.
  case cancelled = 130
}
