import CLibrary

/// A process that restores the terminal when the process that drew on it was killed by SIGKILL, as the system does when
/// memory runs out.
///
/// It waits at a pipe that ends with the other process, and does nothing if that process has restored the terminal.
package enum TerminalGuard {
  /// The only argument of a program that is to be a guard.
  package static let argument = "---terminal-guard"
  static let held: UInt8 = 0x68
  static let free: UInt8 = 0x66

  /// Starts a guard: this program again, in a group of its own, so that signals to this process's group miss it.
  ///
  /// - Returns: The pipe for ``held`` and ``free``, and the guard's process; nil if it could not be started.
  static func start(saved: termios, raw: termios, farewell: [UInt8]) -> (descriptor: CInt, process: pid_t)? {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    // This process keeps the reading end too, so that a write does no harm should the guard be gone.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      var (name, length) = ([CChar](repeating: 0, count: 4096), UInt32(4096))
      guard _NSGetExecutablePath(&name, &length) == 0 else { return nil }
      let path = String(cString: name)
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let path = "/proc/self/exe"
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    // A reader of the other's output does not have to wait for the guard.
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var process: pid_t = 0
    let code = withCStrings(["shardq", argument]) { arguments in
      // A guard reads no variable of the environment.
      withCStrings([]) { posix_spawn(&process, path, &actions, &attributes, &arguments, &$0) }
    }
    guard code == 0 else {
      close(ends[0])
      close(ends[1])
      return nil
    }
    let message = bytes(saved) + bytes(raw) + bytes(getpgrp()) + bytes(farewell.count) + farewell + [held]
    guard write(ends[1], message, message.count) == message.count else { return nil }
    return (ends[1], process)
  }

  /// Runs the guard until it is not needed any more.
  package static func run() -> Never {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE] { signal(number, SIG_IGN) }
    #if os(Linux)
      // A list of processes shows this name, not the last part of the path that the guard was started by.
      let name = open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
      if name >= 0 {
        _ = write(name, "shardq-guard", 12)
        close(name)
      }
    #endif
    guard let saved = read(termios()), let raw = read(termios()), let group = read(pid_t(0)), let size = read(0),
      (0...4096).contains(size)
    else { _exit(0) }
    var farewell = [UInt8](repeating: 0, count: size)
    guard readAll(&farewell) else { _exit(0) }
    var state: [UInt8] = [free]
    while readAll(&state) {}
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY)
    guard state[0] == held, terminal >= 0 else { _exit(0) }
    _ = write(terminal, farewell, farewell.count)
    if tcgetpgrp(terminal) != group {
      // A faster shell has printed its message and its prompt on the screen that is being left.
      let notice = Array("shardq was killed; Enter shows the prompt.\r\n".utf8)
      _ = write(terminal, notice, notice.count)
    }
    // The settings of a faster shell stay.
    var present = termios()
    if tcgetattr(terminal, &present) == 0, bytes(present) == bytes(raw) {
      var saved = saved
      tcsetattr(terminal, TCSADRAIN, &saved)
    }
    _exit(0)
  }

  private static func bytes<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }

  private static func read<Value: BitwiseCopyable>(_ initial: Value) -> Value? {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<Value>.size)
    guard readAll(&bytes) else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
  }

  /// Fills `buffer` from standard input; false where that ends first.
  private static func readAll(_ buffer: inout [UInt8]) -> Bool {
    var done = 0
    while done < buffer.count {
      let size = buffer.withUnsafeMutableBytes { posixRead(STDIN_FILENO, $0.baseAddress! + done, $0.count - done) }
      if size > 0 { done += size } else if size == 0 || errno != EINTR { return false }
    }
    return true
  }
}

private func posixRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer, _ size: Int) -> Int {
  read(descriptor, bytes, size)
}
