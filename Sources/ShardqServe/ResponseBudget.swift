#if Server
  import Synchronization

  /// Bounds what large answers take together while they are on their way to clients that take their time.
  final class ResponseBudget: Sendable {
    fileprivate let reserved = Atomic<Int>(0)
    /// In bytes.
    private static let limit = 64 << 20
    /// Bodies up to this size are not counted: the system's own buffers take them.
    private static let free = 16 << 10

    /// Gives its bytes back when it goes away.
    final class Reservation: Sendable {
      private let budget: ResponseBudget
      private let size: Int
      fileprivate init(_ budget: ResponseBudget, _ size: Int) { (self.budget, self.size) = (budget, size) }
      deinit { budget.reserved.subtract(size, ordering: .relaxed) }
    }

    /// - Returns: nil for a small body.
    /// - Throws: ``Problem`` with status 503 where too much is on its way.
    func reserve(_ size: Int) throws(Problem) -> Reservation? {
      guard size > Self.free else { return nil }
      let reservation = Reservation(self, size)
      guard reserved.add(size, ordering: .relaxed).newValue <= Self.limit else {
        throw Problem(status: 503, detail: "Too many large answers are on their way.", retryAfter: 1)
      }
      return reservation
    }
  }
#endif
