#if Server
  import ShardedIndex

  import CLibrary

  /// The signals of the server. SIGTERM and SIGINT end the server once it has answered the requests that have arrived,
  /// within five seconds; a second signal ends the server at once. SIGHUP makes the server look for a newer generation.
  /// The server ignores SIGPIPE: writes fail by themselves.
  enum Signals {
    /// The signal that asked for the end; 0 for none.
    private static let received = Atomic<CInt>(0)

    private static var set: sigset_t {
      var set = sigset_t()
      sigemptyset(&set)
      for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
      return set
    }

    /// Blocks the signals for ``wait(_:_:)``, on this thread and on all threads that it starts.
    static func hold() {
      signal(SIGPIPE, SIG_IGN)
      var set = set
      pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    static func wait(_ server: Server, _ log: ServerLog) -> Never {
      var set = set
      while true {
        var number: CInt = 0
        guard sigwait(&set, &number) == 0 else { continue }
        if number == SIGHUP {
          server.reload()
          continue
        }
        if received.load(ordering: .relaxed) != 0 { die(number) }
        received.store(number, ordering: .relaxed)
        log.write(.info, "stopping", ["signal": number == SIGTERM ? "SIGTERM" : "SIGINT"])
        server.stop { end() }
      }
    }

    /// Ends the process: after SIGTERM with status 0, after SIGINT by SIGINT, so that the shell knows.
    static func end() -> Never {
      let number = received.load(ordering: .relaxed)
      if number == SIGINT { die(number) }
      exit(0)
    }

    /// Ends the process by a signal.
    private static func die(_ number: CInt) -> Never {
      signal(number, SIG_DFL)
      var set = set
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
      pthread_kill(pthread_self(), number)
      exit(128 + number)
    }
  }
#endif
