#if Server
  import NIOCore
  import NIOPosix
  import Synchronization

  /// Where the engine is asked.
  ///
  /// A question that is answered from memory takes microseconds, less than a change of threads; one that waits for a
  /// disk takes as long as the disk does, and a thread with it. Nobody knows beforehand which it will be. So a question
  /// is asked on the thread that it came on as long as another of Swift's threads is left over for everything else; if
  /// none would be, since one is busy or waits, it goes to a thread of its own.
  final class EngineGate: Sendable {
    private let threads: NIOThreadPool
    /// Questions being asked on Swift's own threads, of which there are as many as processors.
    private let inPlace = Atomic<Int>(0)
    private let inPlaceLimit: Int
    /// Questions that have or wait for a thread of the pool.
    private let elsewhere = Atomic<Int>(0)

    private static let threadCount = 8
    /// Questions that may wait; what comes after them is refused.
    private static let queueLimit = 1024

    init() {
      threads = NIOThreadPool(numberOfThreads: Self.threadCount)
      threads.start()
      inPlaceLimit = max(0, System.coreCount - 1)
    }

    /// - Throws: What `body` throws; ``Problem`` with status 503 if too many wait.
    func ask<Answer: Sendable>(_ body: @Sendable @escaping () throws -> Answer) async throws -> Answer {
      defer { inPlace.subtract(1, ordering: .relaxed) }
      if inPlace.add(1, ordering: .relaxed).newValue <= inPlaceLimit { return try body() }
      return try await askElsewhere(body)
    }

    /// Asks what is known to take long.
    func askElsewhere<Answer: Sendable>(_ body: @Sendable @escaping () throws -> Answer) async throws -> Answer {
      defer { elsewhere.subtract(1, ordering: .relaxed) }
      guard elsewhere.add(1, ordering: .relaxed).newValue <= Self.threadCount + Self.queueLimit else {
        throw Problem(status: 503, detail: "Too many questions wait for the index's files.", retryAfter: 1)
      }
      return try await threads.runIfActive(body)
    }
  }
#endif
