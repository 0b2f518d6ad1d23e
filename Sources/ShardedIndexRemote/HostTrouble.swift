#if Remote
  import CCurl

  /// Whether the host of an index is in trouble. Then requests fail at once; otherwise each would wait for its own
  /// failure.
  struct HostTrouble {
    /// The number of failed requests since the last success.
    private var failures = 0
    private var last: FetchFailure?
    /// The time of the next attempt, in milliseconds.
    private var nextTry: Int64 = 0

    /// The consecutive failures that make trouble: a single failure may be due to one file.
    private static let limit = 3
    /// The milliseconds from a failure to the next attempt.
    private static let pause: Int64 = 1000

    mutating func succeeded() { self = HostTrouble() }

    mutating func failed(_ failure: FetchFailure) {
      // A host that refuses one file is not in trouble.
      guard failure.mayPass else { return }
      failures += 1
      (last, nextTry) = (failure, clock_now() + Self.pause)
    }

    /// Returns the failure of a request that must not be made; nil if the request may be made. One request at a time
    /// tries.
    mutating func refuses() -> FetchFailure? {
      guard failures >= Self.limit else { return nil }
      let now = clock_now()
      guard now >= nextTry else { return last }
      nextTry = now + Fetch.totalLimit
      return nil
    }
  }
#endif
