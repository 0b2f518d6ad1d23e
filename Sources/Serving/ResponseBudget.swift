#if Server
  import ShardedIndex

  /// The memory limit of all large answers that slow clients have not taken yet.
  final class ResponseBudget: Sendable {
    fileprivate let reserved = Atomic<Int>(0)
    /// The limit in bytes.
    private static let limit = 64 << 20
    /// The largest body that is not counted, because the system's own buffers take it.
    private static let free = 16 << 10

    /// A reservation, which releases its bytes when it goes away.
    final class Reservation: Sendable {
      private let budget: ResponseBudget
      private let size: Int
      fileprivate init(_ budget: ResponseBudget, _ size: Int) { (self.budget, self.size) = (budget, size) }
      deinit { budget.reserved.subtract(size, ordering: .relaxed) }
    }

    /// - Returns: nil for a small body.
    /// - Throws: ``Problem`` with status 503 if the limit would be exceeded.
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
