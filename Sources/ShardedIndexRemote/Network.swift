#if Remote
  import CCurl
  import CLibrary

  /// The requests of the process: one thread makes them, over connections that all indexes share.
  ///
  /// One lock guards the state that the thread and the carriers share. It is held for look-ups and copies, never during
  /// a request.
  final class Network: @unchecked Sendable {
    static let shared = Network()

    /// The counters of all requests since the start.
    struct Counts {
      var requests = 0
      /// The bytes of all bodies.
      var bytes = 0
      /// The requests without an answer, or with an error.
      var failures = 0
      /// The reads that the disk cache answered.
      var diskHits = 0
    }

    /// The most requests under way, unless a program asks for more.
    static let usualLimit = 8
    /// The most milliseconds that a request waits for other requests once the host is in trouble.
    private static let queueLimit: Int64 = 1000

    private let gate: Gate
    private let transfers: Transfers
    // Under the lock.
    /// The reason why the process can make no requests; nil if it can.
    private(set) var failure: FetchFailure?
    private var queue: [Exchange] = []
    private var isRunning = false
    private var limit = Network.usualLimit
    private(set) var counts = Counts()
    // Only the thread uses these.
    private var active: [Int: (exchange: Exchange, transfer: Transfer, began: Int64)] = [:]
    private var lastNumber = 0

    private init() {
      gate = gate_new()
      var transfers = Transfers()
      if !(unsafe transfers_new(&transfers, Self.usualLimit)) { failure = FetchFailure("libcurl does not start") }
      self.transfers = transfers
    }

    /// Allows `limit` requests under way. A caller must call it before the first request.
    func allow(_ limit: Int) {
      withLock {
        self.limit = limit
        transfers_limit(transfers, limit)
      }
    }

    /// Calls `body` under the lock.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
      gate_lock(gate)
      defer { gate_unlock(gate) }
      return try body()
    }

    /// Makes a request once, and waits for the answer, which may be an error.
    func answer(to request: HTTPRequest, at address: RemoteAddress) throws(FetchFailure) -> HTTPAnswer {
      let exchange = Exchange(request, at: address)
      return try withLock { () throws(FetchFailure) in
        start(exchange)
        _ = try wait(for: exchange).get()
        return exchange.answer!
      }
    }

    /// Waits until an exchange has ended. Under the lock, which is released meanwhile.
    func wait(for exchange: Exchange) -> Result<FetchedBody?, FetchFailure> {
      while true {
        if let result = exchange.result { return result }
        gate_wait(gate)
      }
    }

    /// Begins an exchange. Under the lock.
    func start(_ exchange: Exchange) {
      if failure == nil, !isRunning {
        isRunning = thread_start { Network.shared.run() }
        if !isRunning { failure = FetchFailure("the system cannot start a thread") }
      }
      if let failure {
        exchange.result = .failure(failure)
        return
      }
      exchange.asked = clock_now()
      queue.append(exchange)
      transfers_wake(transfers)
    }

    /// Counts a read that the disk cache answered. Under the lock.
    func countDiskHit() { counts.diskHits += 1 }

    // MARK: The thread

    private func run() {
      while true {
        let next = withLock { () -> [Exchange] in
          let count = min(queue.count, max(0, limit - active.count))
          counts.requests += count
          defer { queue.removeFirst(count) }
          return Array(queue[..<count])
        }
        for exchange in next { begin(exchange) }
        transfers_run(transfers)
        endDone()
        endLate()
        let isIdle = withLock { queue.isEmpty || active.count >= limit }
        if isIdle { transfers_wait(transfers, active.isEmpty ? 60_000 : 50) }
      }
    }

    private func begin(_ exchange: Exchange) {
      lastNumber += 1
      exchange.prepare()
      guard let transfer = exchange.request.transfer(lastNumber), transfers_add(transfers, transfer) else {
        return publish(.failure(FetchFailure("memory is short")), of: exchange)
      }
      active[lastNumber] = (exchange, transfer, clock_now())
    }

    private func endDone() {
      var ended = Transfer()
      var code: CInt = 0
      while unsafe transfers_next(transfers, &ended, &code) {
        let number = Int(transfer_number(ended))
        guard let exchange = active.removeValue(forKey: number)?.exchange else { continue }
        transfers_remove(transfers, ended)
        let answer = HTTPAnswer(ended, code: code)
        transfer_free(ended)
        withLock { counts.bytes += answer.body.count }
        exchange.answer = answer
        settle(exchange, exchange.end(answer))
      }
    }

    /// Ends requests whose first byte is late.
    private func endLate() {
      let now = clock_now()
      let late = active.filter { _, entry in
        now - entry.began > entry.exchange.request.firstByteLimit && transfer_first_byte(entry.transfer) == 0
      }
      for (number, entry) in late {
        active[number] = nil
        transfers_remove(transfers, entry.transfer)
        transfer_free(entry.transfer)
        let failure = FetchFailure(
          "the host did not answer within \(Fetch.firstByteLimit / 1000) seconds", mayPass: true)
        settle(entry.exchange, entry.exchange.fail(failure))
      }
    }

    /// Ends an exchange, or makes its next request if there is no result.
    private func settle(_ exchange: Exchange, _ result: Result<FetchedBody?, FetchFailure>?) {
      if let result { return publish(result, of: exchange) }
      withLock { counts.requests += 1 }
      begin(exchange)
    }

    /// Gives an exchange its result, and wakes the waiting threads.
    private func publish(_ result: Result<FetchedBody?, FetchFailure>, of exchange: Exchange) {
      withLock {
        exchange.result = result
        if case .failure(let failure) = result {
          counts.failures += 1
          if failure.mayPass { giveUp(failure, like: exchange) }
        }
        gate_changed(gate)
      }
    }

    /// Ends waiting requests to a host in trouble: each would wait for its own failure. Under the lock.
    private func giveUp(_ failure: FetchFailure, like failed: Exchange) {
      let now = clock_now()
      queue.removeAll { other in
        guard other.address.shown == failed.address.shown, now - other.asked > Self.queueLimit else { return false }
        other.result = .failure(failure)
        return true
      }
    }
  }

  /// The requests of the process for indexes on other machines.
  package enum RemoteRequests {
    /// Allows `limit` requests under way. A program calls it before it opens an index.
    package static func allow(_ limit: Int) { Network.shared.allow(limit) }

    /// The counters since the start: requests, bytes of bodies, failed requests, reads that the disk cache answered.
    package static var counts: (requests: Int, bytes: Int, failures: Int, diskHits: Int) {
      let counts = Network.shared.withLock { Network.shared.counts }
      return (counts.requests, counts.bytes, counts.failures, counts.diskHits)
    }
  }
#endif
