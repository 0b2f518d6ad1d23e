#if CommandLineTool
  import Footprint
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  /// Whether a signal that ends the process has come.
  private let isEnding = Atomic<Bool>(false)

  /// The signals that end the process, which removes a directory first.
  enum EndingSignals {
    private static let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU]

    /// Makes signals that end the process remove `directory` first. No other thread may have been started before.
    static func remove(_ directory: WorkDirectory) {
      var set = sigset_t()
      sigemptyset(&set)
      for number in numbers {
        var action = sigaction()
        sigaction(number, nil, &action)
        if !isIgnored(action) { sigaddset(&set, number) }
      }
      // Threads that are started later block the signals as well, so the waiting thread gets them.
      pthread_sigmask(SIG_BLOCK, &set, nil)
      // A write to a closed pipe or beyond a file's limit is an error like any other.
      signal(SIGPIPE, SIG_IGN)
      signal(SIGXFSZ, SIG_IGN)
      let waiting = set
      let thread = Worker {
        var waiting = waiting
        var number: CInt = 0
        guard sigwait(&waiting, &number) == 0 else { return }
        isEnding.store(true, ordering: .sequentiallyConsistent)
        directory.remove()
        signal(number, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &waiting, nil)
        raise(number)
      }
      // Without a thread they end the process as usual, and the next plan removes the directory.
      if thread == nil { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
    }

    /// Waits for the end when a signal is about to end the process: whatever fails then fails for want of the
    /// directory.
    static func yield() { while isEnding.load(ordering: .sequentiallyConsistent) { pause() } }

    private static func isIgnored(_ action: sigaction) -> Bool {
      #if canImport(Glibc)
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
      #elseif canImport(Musl)
        unsafeBitCast(action.__sa_handler.sa_handler, to: Int.self) == 1
      #else
        unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
      #endif
    }
  }
#endif
