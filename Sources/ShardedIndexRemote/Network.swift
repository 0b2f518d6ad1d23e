#if Remote
  import CCurl
  import CLibrary

  /// The requests of the process: one thread makes them, over connections that all indexes share.
  ///
  /// One lock guards what the thread and the carriers share. It is held for look-ups and copies, never across a request.
  final class Network: @unchecked Sendable {
    static let shared = Network()

    /// The most requests under way.
    private static let limit = 8

    private let gate: Gate
    private let transfers: Transfers
    /// Why there can be no requests; nil where there can.
    private var failure: FetchFailure?
    // Under the lock.
    private var queue: [Fetch] = []
    private var isRunning = false
    // Of the thread.
    private var active: [Int: (fetch: Fetch, transfer: Transfer)] = [:]
    private var lastNumber = 0

    private init() {
      gate = gate_new()
      var transfers = Transfers()
      if !(unsafe transfers_new(&transfers, Self.limit)) { failure = FetchFailure("libcurl cannot be set up") }
      self.transfers = transfers
    }

    /// Calls `body` under the lock.
    func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
      gate_lock(gate)
      defer { gate_unlock(gate) }
      return try body()
    }

    /// Waits until some request ends. Under the lock, which is released meanwhile.
    func wait() { gate_wait(gate) }

    /// Begins a request. Under the lock.
    func start(_ fetch: Fetch) {
      if failure == nil, !isRunning {
        isRunning = thread_start { Network.shared.run() }
        if !isRunning { failure = FetchFailure("the system gives no thread") }
      }
      if let failure {
        fetch.result = .failure(failure)
        return
      }
      queue.append(fetch)
      transfers_wake(transfers)
    }

    // MARK: The thread

    private func run() {
      while true {
        let next = withLock { () -> [Fetch] in
          let count = min(queue.count, max(0, Self.limit - active.count))
          defer { queue.removeFirst(count) }
          return Array(queue[..<count])
        }
        for fetch in next { begin(fetch) }
        transfers_run(transfers)
        endDone()
        endLate()
        let isIdle = withLock { queue.isEmpty || active.count >= Self.limit }
        if isIdle { transfers_wait(transfers, active.isEmpty ? 60_000 : 50) }
      }
    }

    private func begin(_ fetch: Fetch) {
      lastNumber += 1
      guard let transfer = fetch.transfer(lastNumber), transfers_add(transfers, transfer) else {
        return publish(.failure(FetchFailure("memory is short")), of: fetch)
      }
      active[lastNumber] = (fetch, transfer)
    }

    private func endDone() {
      var ended = Transfer()
      var code: CInt = 0
      while unsafe transfers_next(transfers, &ended, &code) {
        let number = Int(transfer_number(ended))
        guard let fetch = active.removeValue(forKey: number)?.fetch else { continue }
        transfers_remove(transfers, ended)
        let result = fetch.end(ended, code: code)
        transfer_free(ended)
        if let result { publish(result, of: fetch) } else { begin(fetch) }
      }
    }

    /// Ends requests whose first byte does not come.
    private func endLate() {
      let now = clock_now()
      let late = active.filter { _, entry in
        now - entry.fetch.attemptBegan > Fetch.firstByteLimit && transfer_first_byte(entry.transfer) == 0
      }
      for (number, entry) in late {
        active[number] = nil
        transfers_remove(transfers, entry.transfer)
        transfer_free(entry.transfer)
        let failure = FetchFailure(
          "the host did not answer within \(Fetch.firstByteLimit / 1000) seconds", mayPass: true)
        if let result = entry.fetch.fail(failure) {
          publish(result, of: entry.fetch)
        } else {
          begin(entry.fetch)
        }
      }
    }

    /// Gives a fetch its result, and wakes the threads that wait.
    private func publish(_ result: Result<FetchedBody?, FetchFailure>, of fetch: Fetch) {
      withLock {
        fetch.result = result
        gate_changed(gate)
      }
    }
  }
#endif
