#if CommandLineTool
  import Footprint
  import ShardBuilder
  import ShardedIndex

  import CLibrary

  /// Held from a signal on until the process has ended.
  private let ending = Lock(())

  /// The signals that end the process, which removes a directory first.
  enum EndingSignals {
    private static let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU]

    /// Makes a directory that signals remove before they end the process. No other thread may have been started before.
    static func removing(
      _ make: () throws(BuildError) -> WorkDirectory
    ) throws(BuildError) -> WorkDirectory {
      var set = sigset_t()
      sigemptyset(&set)
      for number in numbers {
        var action = sigaction()
        sigaction(number, nil, &action)
        if !isIgnored(action) { sigaddset(&set, number) }
      }
      // Threads that are started later block the signals as well, so the waiting thread gets them, also those that come
      // while the directory is made.
      pthread_sigmask(SIG_BLOCK, &set, nil)
      let directory: WorkDirectory
      do throws(BuildError) { directory = try make() } catch {
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        throw error
      }
      // A write to a closed pipe is an error like any other.
      signal(SIGPIPE, SIG_IGN)
      let waiting = set
      let thread = Worker {
        var waiting = waiting
        var number: CInt = 0
        guard sigwait(&waiting, &number) == 0 else { return }
        ending.withLock { _ in
          directory.remove()
          signal(number, SIG_DFL)
          pthread_sigmask(SIG_UNBLOCK, &waiting, nil)
          raise(number)
        }
      }
      // Without a thread they end the process as usual, and the next plan removes the directory.
      if thread == nil { pthread_sigmask(SIG_UNBLOCK, &set, nil) }
      return directory
    }

    /// Waits for the end when a signal is about to end the process: an action that fails then fails because the
    /// directory is gone.
    static func yield() { ending.withLock { _ in } }

    /// Moves a directory out of the one that signals remove. No signal removes a part of it meanwhile.
    ///
    /// - Parameter replaced: The path that a directory at `new` with files moves to.
    /// - Returns: 0, or the error's number.
    static func move(_ old: String, to new: String, replaced: String) -> CInt {
      ending.withLock { _ in
        // The system itself replaces an empty directory.
        if rename(old, new) == 0 { return 0 }
        guard errno == ENOTEMPTY || errno == EEXIST, rename(new, replaced) == 0 else { return errno }
        if rename(old, new) == 0 { return 0 }
        let code = errno
        _ = rename(replaced, new)
        return code
      }
    }

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
