#if CommandLineTool
  import QueryOutput
  import ShardedIndex

  import CLibrary

  /// The signal that asked a command to end. The command ends at the next point where it can.
  enum StopSignal {
    private static let received = Atomic<CInt>(0)

    /// The number of the signal; 0 for none.
    static var number: CInt { received.load(ordering: .relaxed) }

    /// Notes SIGINT and SIGTERM from now on. A second one ends the process at once.
    static func listen() {
      for number in [SIGINT, SIGTERM] {
        received.store(0, ordering: .relaxed)
        var action = sigaction()
        sigemptyset(&action.sa_mask)
        action.sa_flags = CInt(bitPattern: UInt32(truncatingIfNeeded: SA_RESETHAND)) | SA_RESTART
        set(&action) { StopSignal.received.store($0, ordering: .relaxed) }
        sigaction(number, &action, nil)
      }
    }

    private static func set(_ action: inout sigaction, _ handler: @escaping @convention(c) (CInt) -> Void) {
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = handler
      #else
        action.__sigaction_handler.sa_handler = handler
      #endif
    }

    /// Ends the process as the signal would have.
    static func end() -> Never {
      Diagnostics.note("stopped")
      raise(number)  // Its own action is back.
      exit(128 + number)
    }
  }

  /// The watch over files: it repeats an action each time that they change, until SIGINT or SIGTERM.
  ///
  /// Files are looked at once a second, by a system call each. That also sees files that were renamed, or written over
  /// a network or by another container, where notifications do not come.
  enum Watch {
    /// The properties of a file that change with the file or its content.
    private struct State: Equatable {
      var device: dev_t
      var file: ino_t
      var size: off_t
      /// The times of the content and of the file's own data, in seconds and nanoseconds.
      var times: [Int]

      init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, file, size) = (status.st_dev, status.st_ino, status.st_size)
        #if canImport(Darwin)
          let (content, own) = (status.st_mtimespec, status.st_ctimespec)
        #else
          let (content, own) = (status.st_mtim, status.st_ctim)
        #endif
        times = [Int(content.tv_sec), Int(content.tv_nsec), Int(own.tv_sec), Int(own.tv_nsec)]
      }

      /// Whether the last change was over a second ago, by this machine's clock.
      var isOld: Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return max(times[0], times[2]) < Int(now.tv_sec) - 1
      }
    }

    /// Calls `body` when the files have not changed for a second, and again after each change once they have not
    /// changed for a second. So a file that is still being written is not read.
    ///
    /// - Parameter body: The action. Its parameter returns a file that has changed since the call, nil for none. It
    ///   returns whether it is to be called again though no file changes.
    /// - Returns: Never. The process ends by the signal that ends it, between two calls; a second signal ends it
    ///   at once.
    static func run(_ paths: [String], _ body: (() -> String?) -> Bool) -> Never {
      StopSignal.listen()
      var missing: String?
      var last = paths.map(State.init)
      var built: [State?]?
      // Files written long ago need no wait. The first build reports a missing file.
      var isDue = last.allSatisfy { $0?.isOld ?? true }
      var isAgain = false
      while true {
        if isDue {
          // The states are taken before the files are read: a change meanwhile is another change.
          let start = last
          built = start
          isAgain = body { zip(paths, zip(paths.map(State.init), start)).first { $0.1.0 != $0.1.1 }?.0 }
          isDue = false
        }
        wait()
        let now = paths.map(State.init)
        let isSettled = now == last
        last = now
        if let gone = zip(paths, now).first(where: { $0.1 == nil })?.0 {
          // Most programs write a new file and rename it; some remove the old one first.
          if missing != gone { Diagnostics.note("\(printable(gone)) is missing: waiting for the file") }
          missing = gone
          continue
        }
        missing = nil
        isDue = isSettled && (isAgain || now != built)
      }
    }

    /// Waits for a second. A signal ends the process meanwhile.
    private static func wait() {
      for _ in 0..<10 {
        if StopSignal.number != 0 { StopSignal.end() }
        usleep(100_000)  // A signal cuts it short; one that comes in between is seen a tenth of a second later.
      }
    }
  }
#endif
