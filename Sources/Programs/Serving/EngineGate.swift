#if Server
  import NIOConcurrencyHelpers
  import NIOCore
  import NIOPosix
  import ShardedIndex

  /// The threads that may wait for the files of the index, and their limits.
  ///
  /// The event loop that read a request also answers it if the shards are in memory: the answer takes microseconds,
  /// less than a change of threads. An event loop never waits. If a shard is not in memory, the engine throws an error,
  /// and one of these threads answers the request.
  final class EngineGate: Sendable {
    private let threads: NIOThreadPool
    /// The number of requests that have a thread or wait for one.
    private let waiting = Atomic<Int>(0)
    private let budget = MemoryBudget(EngineGate.memoryLimit)
    private let terms = NIOLockedValueBox<[ReadingTerms]>([])

    /// The number of threads for an index on disk. They compute more than they wait.
    private static let nearThreads = 8
    /// The number of threads for an index in a store. One thread waits for each request whose files are missing.
    static let farThreads = 32
    /// The longest time that a request for an index in a store waits for a thread. Then the server refuses the request.
    private static let farPatience = TimeAmount.seconds(2)
    /// The most requests that may wait. The server refuses more.
    private static let queueLimit = 1024
    /// The memory in which all requests together read parts and decode records, in bytes. It suffices for one request
    /// of any size, or for many usual ones.
    static let memoryLimit = 192 << 20

    private let threadCount: Int
    private let patience: TimeAmount?

    /// - Parameter isFar: Whether the index is in a store.
    init(isFar: Bool) {
      let count = isFar ? Self.farThreads : Self.nearThreads
      (threadCount, patience) = (count, isFar ? Self.farPatience : nil)
      threads = NIOThreadPool(numberOfThreads: count)
      threads.start()
      terms.withLockedValue { $0 = (0..<count).map { _ in ReadingTerms(budget) } }
    }

    /// Runs `body` on a thread that may wait. Returns false, and runs nothing, if too many requests wait for a thread.
    ///
    /// - Parameter late: Runs in the place of `body` if the request has waited for a thread too long.
    func run(_ body: @Sendable @escaping () -> Void, late: (@Sendable () -> Void)? = nil) -> Bool {
      guard waiting.add(1, ordering: .relaxed).newValue <= threadCount + Self.queueLimit else {
        waiting.subtract(1, ordering: .relaxed)
        return false
      }
      let asked = NIODeadline.now()
      threads.submit { _ in
        if let patience = self.patience, let late, .now() - asked > patience {
          self.waiting.subtract(1, ordering: .relaxed)
          return late()
        }
        // There are as many permits as threads.
        let terms = self.terms.withLockedValue { $0.removeLast() }
        terms.apply { body() }
        self.terms.withLockedValue { $0.append(terms) }
        self.waiting.subtract(1, ordering: .relaxed)
      }
      return true
    }

    static let isLate = Problem(
      status: 503, detail: "The store of the index is slow. Ask again.", retryAfter: 1)
    static let isFull = Problem(
      status: 503, detail: "Too many requests wait for the files of the index. Ask again.", retryAfter: 1)
  }
#endif
