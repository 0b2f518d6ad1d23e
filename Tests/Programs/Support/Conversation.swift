import ShardedIndex

import CLibrary

/// A running program, with its standard input and output.
final class Conversation: @unchecked Sendable {  // One thread talks at a time.
  private var input: CInt
  private let output: CInt
  private let process: pid_t
  private var unread: [UInt8] = []
  /// One program starts at a time, so that none inherits another's pipes: they would stay open.
  private static let starting = Lock(0)

  convenience init(_ arguments: [String], errors: String = "/dev/null") {
    self.init(started: Self.starting.withLock { _ in Self.start(arguments, errors) })
  }

  private init(started: (input: CInt, output: CInt, process: pid_t)) {
    (input, output, process) = started
  }

  private static func start(
    _ arguments: [String], _ errors: String
  ) -> (input: CInt, output: CInt, process: pid_t) {
    let (toProgram, fromProgram) = (pipe(), pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toProgram.read, 0)
    posix_spawn_file_actions_adddup2(&actions, fromProgram.write, 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    var arguments: [UnsafeMutablePointer<CChar>?] = (["shardq"] + arguments).map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var process: pid_t = 0
    let started = posix_spawn(&process, Program.directory! + "/shardq", &actions, nil, &arguments, &environment)
    precondition(started == 0, "cannot start shardq")
    for argument in arguments { free(argument) }
    posix_spawn_file_actions_destroy(&actions)
    close(toProgram.read)
    close(fromProgram.write)
    return (toProgram.write, fromProgram.read, process)
  }

  deinit {
    if input >= 0 { close(input) }
    close(output)
  }

  private static func pipe() -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    #if canImport(Glibc)
      let made = Glibc.pipe(&ends)
    #elseif canImport(Musl)
      let made = Musl.pipe(&ends)
    #else
      let made = Darwin.pipe(&ends)
    #endif
    precondition(made == 0, "cannot make a pipe")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Writes to the program's standard input; false if the program has closed it.
  @discardableResult
  func tell(_ text: String) -> Bool {
    signal(SIGPIPE, SIG_IGN)
    let bytes = Array(text.utf8)
    return write(input, bytes, bytes.count) == bytes.count
  }

  /// The next line of the program's standard output, without its end; nil if there is none.
  func line() -> String? {
    while true {
      if let feed = unread.firstIndex(of: 0x0a) {
        defer { unread.removeFirst(feed + 1) }
        return String(decoding: unread[..<feed], as: UTF8.self)
      }
      var chunk = [UInt8](repeating: 0, count: 65536)
      let count = read(output, &chunk, chunk.count)
      if count > 0 {
        unread += chunk[..<count]
      } else if count == 0 || errno != EINTR {
        return nil
      }
    }
  }

  func ask(_ question: String) -> String? { tell(question + "\n") ? line() : nil }

  /// Ends the program's standard input and waits; returns the exit status as a shell shows it.
  func end() -> Int {
    close(input)
    input = -1
    var status: CInt = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return Int(status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
  }
}
