#if Server
  import NIOConcurrencyHelpers
  import NIOPosix
  import ShardedIndex
  import Synchronization

  /// The threads that may wait for the index's files, and what they may use.
  ///
  /// An answer whose shards are in memory takes microseconds, less than a change of threads: it is made on the event loop
  /// that read the request. An event loop never waits: where something is not in memory the engine says so, and the question
  /// is asked again on one of these threads.
  final class EngineGate: Sendable {
    private let threads: NIOThreadPool
    /// Questions that have or wait for a thread.
    private let waiting = Atomic<Int>(0)
    private let budget = MemoryBudget(EngineGate.memoryLimit)
    private let terms = NIOLockedValueBox<[ReadingTerms]>([])

    private static let threadCount = 8
    /// Questions that may wait; what comes after them is refused.
    private static let queueLimit = 1024
    /// What reading parts and decoding records may take for all questions together, in bytes: one of any size, or many
    /// of the usual ones.
    static let memoryLimit = 192 << 20

    init() {
      threads = NIOThreadPool(numberOfThreads: Self.threadCount)
      threads.start()
      terms.withLockedValue { $0 = (0..<Self.threadCount).map { _ in ReadingTerms(budget) } }
    }

    /// Runs `body` on a thread that may wait; returns false, and runs nothing, if too many wait for one.
    func run(_ body: @Sendable @escaping () -> Void) -> Bool {
      guard waiting.add(1, ordering: .relaxed).newValue <= Self.threadCount + Self.queueLimit else {
        waiting.subtract(1, ordering: .relaxed)
        return false
      }
      threads.submit { _ in
        // As many as threads.
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
