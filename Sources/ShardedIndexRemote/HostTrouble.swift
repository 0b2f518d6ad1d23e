#if Remote
  import CCurl

  /// Whether the host of an index is in trouble: then requests fail at once, where each would wait for its own failure.
  struct HostTrouble {
    /// Requests that failed since the last one that did not.
    private var failures = 0
    private var last: FetchFailure?
    /// Milliseconds: when the next request may try.
    private var nextTry: Int64 = 0

    /// Failures one after the other that make trouble: one may be of a single file.
    private static let limit = 3
    /// Milliseconds from a failure to the next try.
    private static let pause: Int64 = 1000

    mutating func succeeded() { self = HostTrouble() }

    mutating func failed(_ failure: FetchFailure) {
      // An answer that refuses one file is no trouble.
      guard failure.mayPass else { return }
      failures += 1
      (last, nextTry) = (failure, clock_now() + Self.pause)
    }

    /// Returns the failure of a request that is not to be made; nil for one that may. One at a time tries.
    mutating func refuses() -> FetchFailure? {
      guard failures >= Self.limit else { return nil }
      let now = clock_now()
      guard now >= nextTry else { return last }
      nextTry = now + Fetch.totalLimit
      return nil
    }
  }
#endif
