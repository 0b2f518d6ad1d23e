#if Server
  import NIOConcurrencyHelpers
  import NIOCore
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

    /// The threads for an index on disk, where they compute more than they wait.
    private static let nearThreads = 8
    /// The threads for an index on another machine: one waits for each question whose files are missing.
    static let farThreads = 32
    /// The longest that a question of such an index waits for a thread: beyond, its client is told at once.
    private static let farPatience = TimeAmount.seconds(2)
    /// The most requests that may wait. Further ones are refused.
    private static let queueLimit = 1024
    /// The memory for reading parts and decoding records of all requests together, in bytes: one request of any size,
    /// or many usual ones.
    static let memoryLimit = 192 << 20

    private let threadCount: Int
    private let patience: TimeAmount?

    /// - Parameter isFar: Whether the index is on another machine.
    init(isFar: Bool) {
      let count = isFar ? Self.farThreads : Self.nearThreads
      (threadCount, patience) = (count, isFar ? Self.farPatience : nil)
      threads = NIOThreadPool(numberOfThreads: count)
      threads.start()
      terms.withLockedValue { $0 = (0..<count).map { _ in ReadingTerms(budget) } }
    }

    /// Runs `body` on a thread that may wait. Returns false, and runs nothing, if too many requests wait for a thread.
    ///
    /// - Parameter late: Runs in the place of `body` once it has waited for a thread too long.
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
        terms.rule { body() }
        self.terms.withLockedValue { $0.append(terms) }
        self.waiting.subtract(1, ordering: .relaxed)
      }
      return true
    }

    static let isLate = Problem(
      status: 503, detail: "The machine that has the index's files is slow to answer. Ask again.", retryAfter: 1)
    static let isFull = Problem(status: 503, detail: "Too many questions wait for the index's files.", retryAfter: 1)
  }
#endif
