#if Server
  import ShardedIndex

  /// The memory limit of all large answers that clients have not taken yet.
  final class ResponseBudget: Sendable {
    fileprivate let reserved = Atomic<Int>(0)
    /// The limit in bytes.
    private static let limit = 64 << 20
    /// The largest body that does not count, because the system's own buffers hold it.
    private static let free = 16 << 10

    /// A reservation releases its bytes when it is destroyed.
    final class Reservation: Sendable {
      private let budget: ResponseBudget
      private let size: Int
      fileprivate init(_ budget: ResponseBudget, _ size: Int) { (self.budget, self.size) = (budget, size) }
      deinit { budget.reserved.subtract(size, ordering: .relaxed) }
    }

    /// - Returns: nil for a small body.
    /// - Throws: ``Problem`` with status 503 if the body would exceed the limit.
    func reserve(_ size: Int) throws(Problem) -> Reservation? {
      guard size > Self.free else { return nil }
      let reservation = Reservation(self, size)
      guard reserved.add(size, ordering: .relaxed).newValue <= Self.limit else {
        throw Problem(status: 503, detail: "The server is sending too many large answers. Ask again.", retryAfter: 1)
      }
      return reservation
    }
  }
#endif
