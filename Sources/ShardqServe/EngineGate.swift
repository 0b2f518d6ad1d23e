#if Server
  import NIOConcurrencyHelpers
  import NIOPosix
  import ShardedIndex

  /// The threads that may wait for the index's files, and their limits.
  ///
  /// An answer from shards in memory takes microseconds, less than a change of threads, so the event loop that read the
  /// request makes it. An event loop never waits. Where a shard is not in memory the engine throws, and one of these
  /// threads answers the request.
  final class EngineGate: Sendable {
    private let threads: NIOThreadPool
    /// The number of requests that have a thread or wait for one.
    private let waiting = Atomic<Int>(0)
    private let budget = MemoryBudget(EngineGate.memoryLimit)
    private let terms = NIOLockedValueBox<[ReadingTerms]>([])

    private static let threadCount = 8
    /// The most requests that may wait. Further ones are refused.
    private static let queueLimit = 1024
    /// The memory for reading parts and decoding records of all requests together, in bytes: one request of any size,
    /// or many usual ones.
    static let memoryLimit = 192 << 20

    init() {
      threads = NIOThreadPool(numberOfThreads: Self.threadCount)
      threads.start()
      terms.withLockedValue { $0 = (0..<Self.threadCount).map { _ in ReadingTerms(budget) } }
    }

    /// Runs `body` on a thread that may wait. Returns false, and runs nothing, if too many requests wait for a thread.
    func run(_ body: @Sendable @escaping () -> Void) -> Bool {
      guard waiting.add(1, ordering: .relaxed).newValue <= Self.threadCount + Self.queueLimit else {
        waiting.subtract(1, ordering: .relaxed)
        return false
      }
      threads.submit { _ in
        // There are as many permits as threads.
        let terms = self.terms.withLockedValue { $0.removeLast() }
        terms.rule { body() }
        self.terms.withLockedValue { $0.append(terms) }
        self.waiting.subtract(1, ordering: .relaxed)
      }
      return true
    }

    static let isFull = Problem(status: 503, detail: "Too many questions wait for the index's files.", retryAfter: 1)
  }
#endif
