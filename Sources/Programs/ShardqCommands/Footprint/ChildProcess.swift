#if CommandLineTool
  import Answers
  import QueryOutput

  import CLibrary

  /// The result of a program that was run to its end.
  struct ChildProcess {
    /// The lines of standard output.
    var output: [Substring] = []
    /// The end of standard error.
    var errors = ""
    /// The exit status, or 128 and the number of the signal that ended the program.
    var status: CInt = 0
    /// The monotonic clock before the start, in nanoseconds.
    var start = 0

    enum ProcessError: Error {
      case cannotStart(path: String, errno: CInt)
      /// A signal asked the command to end; the program was killed.
      case stopped
    }

    /// Runs a program. Its standard input is a pipe that only this process holds, so that the program sees when this
    /// process is gone.
    ///
    /// - Parameter showsErrors: Whether its standard error is this process's own.
    static func run(_ path: String, _ arguments: [String], showsErrors: Bool = false) throws(ProcessError)
      -> ChildProcess
    {
      guard let input = pipe(), let output = pipe(), let errors = pipe() else {
        throw .cannotStart(path: path, errno: errno)
      }
      var open = [input.write, output.read, errors.read]
      defer { for descriptor in open { close(descriptor) } }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
      posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
      if !showsErrors { posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO) }
      // Every run has the same environment, without the other variables of this process.
      let variables = ["TMPDIR"].compactMap { name in getenv(name).map { name + "=" + String(cString: $0) } }
      var child = ChildProcess()
      var process: pid_t = 0
      child.start = Clock.nanoseconds
      let code = withCStrings([path] + arguments) { words in
        withCStrings(variables) { posix_spawn(&process, path, &actions, nil, &words, &$0) }
      }
      for descriptor in [input.read, output.write, errors.write] { close(descriptor) }
      guard code == 0 else { throw .cannotStart(path: path, errno: code) }

      var (said, complained): ([UInt8], [UInt8]) = ([], [])
      var waiting = [output.read, errors.read]
      var isStopped = false
      while !waiting.isEmpty {
        if StopSignal.number != 0, !isStopped {
          kill(process, SIGKILL)
          isStopped = true
        }
        // A signal between the look and the wait is seen a tenth of a second later.
        var polled = waiting.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&polled, nfds_t(polled.count), 100) > 0 else { continue }
        for entry in polled where entry.revents != 0 {
          var chunk = [UInt8](repeating: 0, count: 1 << 14)
          let count = read(entry.fd, &chunk, chunk.count)
          if count < 0, errno == EINTR { continue }
          if count <= 0 {
            waiting.removeAll { $0 == entry.fd }
          } else if entry.fd == output.read {
            said += chunk[..<count]
          } else {
            complained = (complained + chunk[..<count]).suffix(4096)
          }
        }
      }
      close(open.removeFirst())
      var status: CInt = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      if isStopped || StopSignal.number != 0 { throw .stopped }
      child.status = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
      child.output = String(decoding: said, as: UTF8.self).split(separator: "\n")
      child.errors = String(decoding: complained, as: UTF8.self).trimmed
      return child
    }

    private static func pipe() -> (read: CInt, write: CInt)? {
      var ends: [CInt] = [-1, -1]
      #if canImport(Glibc)
        let made = Glibc.pipe(&ends)
      #elseif canImport(Musl)
        let made = Musl.pipe(&ends)
      #else
        let made = Darwin.pipe(&ends)
      #endif
      guard made == 0 else { return nil }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
  }

  extension Clock {
    static var nanoseconds: Int {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
  }

  extension String {
    fileprivate var trimmed: String {
      var text = Substring(self)
      while text.last?.isWhitespace == true { text.removeLast() }
      return String(text)
    }
  }
#endif
