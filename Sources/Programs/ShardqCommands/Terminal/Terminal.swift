import CLibrary

/// The terminal that a process was started from. It is taken over, read key by key, and restored.
///
/// There is one, since there is one `/dev/tty`, and signal handlers can only use globals. It is restored by
/// ``leave()``, by signals that end the process, crashes included, and after SIGKILL by a guard: ``TerminalGuard``.
package enum Terminal {
  // One thread uses it, and its signal handlers, which only read values set before they were installed. It is
  // allocated beforehand, since a handler may not initialise a global at its first use.
  private struct Held {
    var descriptor: CInt
    var saved: termios
    var raw: termios
    var isRaw: Bool
    /// The bytes that are written when the terminal is restored.
    var farewell: UnsafeMutablePointer<UInt8>?
    var farewellSize: Int
    var wakeRead: CInt
    var wakeWrite: CInt
    /// The pipe that tells the guard whether there is something to restore; -1 without one, since handlers read it.
    var guardian: CInt
    var guardProcess: pid_t
  }
  nonisolated(unsafe) private static var memory: UnsafeMutablePointer<Held>?
  private static var held: Held {
    get { memory!.pointee }
    set { memory!.pointee = newValue }
  }

  package struct OpenError: Error {
    package var errno: CInt
  }

  package struct Size: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) { (self.columns, self.rows) = (columns, rows) }
  }

  /// Whether there is a terminal: this process was started from one and still belongs to it.
  package static var isThere: Bool {
    let descriptor = openTerminal()
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }

  /// Opens the terminal without changing it.
  package static func open() throws(OpenError) {
    let descriptor = openTerminal()
    guard descriptor >= 0 else { throw OpenError(errno: errno) }
    var saved = termios()
    guard tcgetattr(descriptor, &saved) == 0 else {
      let reason = errno
      close(descriptor)
      throw OpenError(errno: reason)
    }
    var raw = saved
    raw.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
    raw.c_cflag |= tcflag_t(CS8)
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
    // Output stays processed: a line feed still begins a line.
    withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    memory = .allocate(capacity: 1)
    memory!.initialize(
      to: Held(
        descriptor: descriptor, saved: saved, raw: raw, isRaw: false, farewell: nil, farewellSize: 0, wakeRead: -1,
        wakeWrite: -1, guardian: -1, guardProcess: 0))
  }

  /// Takes over the terminal: keys come one by one, and `farewell` is written when it is restored.
  package static func enter(farewell: [UInt8]) {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, farewell.count))
    copy.update(from: farewell, count: farewell.count)
    held.farewell?.deallocate()
    (held.farewell, held.farewellSize) = (copy, farewell.count)
    installHandlers()
    resume()
  }

  /// Takes over the terminal again, after it was restored or another program changed it.
  package static func resume() {
    held.isRaw = true
    while tcsetattr(held.descriptor, TCSANOW, &held.raw) != 0, errno == EINTR {}
    tell(TerminalGuard.held)
  }

  /// Starts the guard, which restores the terminal in case this process is killed.
  package static func startGuard() {
    // The settings as the system took them, which may differ a little from those that were set.
    var raw = termios()
    guard held.isRaw, tcgetattr(held.descriptor, &raw) == 0 else { return }
    let farewell = Array(UnsafeBufferPointer(start: held.farewell, count: held.farewellSize))
    if let started = TerminalGuard.start(saved: held.saved, raw: raw, farewell: farewell) {
      (held.guardian, held.guardProcess) = started
    }
  }

  private static func tell(_ state: UInt8) {
    var state = state
    if held.guardian >= 0 { _ = posixWrite(held.guardian, &state, 1) }
  }

  /// Restores the terminal. Does nothing the second time.
  package static func leave() { giveBack() }

  /// Restores the terminal for the last time, and ends the guard.
  package static func finish() {
    leave()
    guard held.guardian >= 0 else { return }
    close(held.guardian)
    held.guardian = -1
    // Waits a millisecond at most. Otherwise its entry may stay in the process list where init reaps no orphans.
    while waitpid(held.guardProcess, nil, 0) < 0, errno == EINTR {}
  }

  /// Restores the terminal by calls that a signal handler may make.
  private static func giveBack() {
    guard memory != nil, held.isRaw else { return }
    held.isRaw = false
    var done = 0
    while done < held.farewellSize {
      let size = posixWrite(held.descriptor, held.farewell! + done, held.farewellSize - done)
      if size > 0 { done += size } else if errno != EINTR { break }
    }
    // Keys that were not read are left for the next reader.
    while tcsetattr(held.descriptor, TCSADRAIN, &held.saved) != 0, errno == EINTR {}
    tell(TerminalGuard.free)
  }

  // MARK: Signals

  private static let deadly = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2,
    // After a crash the terminal has to work too.
    SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS,
  ]

  private static func installHandlers() {
    guard held.wakeRead < 0 else { return }
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    (held.wakeRead, held.wakeWrite) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    for number in deadly { handle(number, die) }
    for number in [SIGWINCH, SIGTSTP, SIGCONT] { handle(number, wake) }
  }

  /// Restores the terminal and dies by the same signal, as if it had not been caught.
  private static let die: @convention(c) (CInt) -> Void = { number in
    Terminal.giveBack()
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    sigprocmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }

  private static let wake: @convention(c) (CInt) -> Void = { number in
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = posixWrite(Terminal.held.wakeWrite, &byte, 1)
    errno = before
  }

  /// Installs a handler unless the signal is ignored, as `nohup` wants it.
  private static func handle(_ number: CInt, _ body: @escaping @convention(c) (CInt) -> Void) {
    var (action, former) = (sigaction(), sigaction())
    sigaction(number, nil, &former)
    #if canImport(Darwin)
      let present = unsafeBitCast(former.__sigaction_u.__sa_handler, to: Int.self)
      action.__sigaction_u.__sa_handler = body
    #else
      let present = unsafeBitCast(former.__sigaction_handler.sa_handler, to: Int.self)
      action.__sigaction_handler.sa_handler = body
    #endif
    guard present != unsafeBitCast(SIG_IGN, to: Int.self) else { return }
    sigemptyset(&action.sa_mask)
    action.sa_flags = CInt(SA_RESTART)
    sigaction(number, &action, nil)
  }

  /// Stops the process as the key for it does elsewhere; returns when it goes on.
  ///
  /// Does nothing where no shell could continue the process: in `$(...)` the shell itself waits in the same group.
  package static func suspend() {
    guard getpgrp() != getsid(0) else { return }
    leave()
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    handle(SIGTSTP, wake)
  }

  // MARK: Input and output

  package enum Event: Equatable, Sendable {
    case input([UInt8])
    /// The time is up.
    case nothing
    case resized
    /// The process was asked to stop, as by `kill -TSTP`.
    case stop
    /// The process goes on after it was stopped: the screen and the terminal's settings may be another's.
    case continued
    /// The terminal is gone.
    case closed
  }

  /// Waits for keys or a signal.
  ///
  /// - Parameter milliseconds: The longest wait; nil to wait forever.
  package static func next(within milliseconds: Int? = nil) -> Event {
    while true {
      // `select`, since on macOS `poll` does not wait for terminals.
      var set = fd_set()
      let highest = max(held.descriptor, held.wakeRead)
      withUnsafeMutableBytes(of: &set) { bits in
        for descriptor in [held.descriptor, held.wakeRead] where descriptor >= 0 && Int(descriptor) < bits.count * 8 {
          bits[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8)
        }
      }
      var time = timeval()
      if let milliseconds {
        time.tv_sec = milliseconds / 1000
        time.tv_usec = .init(milliseconds % 1000 * 1000)
      }
      let ready =
        milliseconds == nil ? select(highest + 1, &set, nil, nil, nil) : select(highest + 1, &set, nil, nil, &time)
      if ready == 0 { return .nothing }
      if ready < 0 {
        if errno == EINTR { continue }
        return .closed
      }
      func isReady(_ descriptor: CInt) -> Bool {
        withUnsafeBytes(of: &set) { descriptor >= 0 && $0[Int(descriptor) / 8] & 1 << UInt8(descriptor % 8) != 0 }
      }
      if isReady(held.wakeRead), let event = signalled() { return event }
      if isReady(held.descriptor) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let size = read(held.descriptor, &buffer, buffer.count)
        if size > 0 { return .input(Array(buffer[..<size])) }
        if size == 0 || errno != EINTR && errno != EAGAIN { return .closed }
      }
    }
  }

  private static func signalled() -> Event? {
    var numbers = [UInt8](repeating: 0, count: 64)
    let size = read(held.wakeRead, &numbers, numbers.count)
    guard size > 0 else { return nil }
    let seen = numbers[..<size]
    if seen.contains(UInt8(SIGTSTP)) { return .stop }
    if seen.contains(UInt8(SIGCONT)) { return .continued }
    return .resized
  }

  package static var size: Size {
    var window = winsize()
    guard ioctl(held.descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return Size(columns: 80, rows: 24)
    }
    return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Writes all bytes, in one call where the terminal takes them.
  package static func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { buffer in
      var done = 0
      while done < buffer.count {
        let size = posixWrite(held.descriptor, buffer.baseAddress! + done, buffer.count - done)
        if size > 0 {
          done += size
        } else if errno != EINTR {
          return  // The next read says that the terminal is gone.
        }
      }
    }
  }
}

private func openTerminal() -> CInt { open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) }

@inline(__always)
private func posixWrite(_ descriptor: CInt, _ bytes: UnsafePointer<UInt8>, _ size: Int) -> Int {
  write(descriptor, bytes, size)
}
