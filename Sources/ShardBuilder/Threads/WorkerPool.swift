import CSystem

/// Work spread over threads, with results that do not depend on how many there are.
package enum WorkerPool {
  /// How many processors were at work when somebody first asked, at least 1.
  package static let availableThreads = max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN))))

  /// Calls `body` once for each index below `count`, on up to `threads` threads, the caller's among them.
  package static func forEach(_ count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
    guard threads > 1, count > 1 else {
      for index in 0..<count { body(index) }
      return
    }
    let counter = Counter()
    let work: @Sendable () -> Void = { while let index = counter.next(below: count) { body(index) } }
    let others = (1..<min(threads, count)).compactMap { _ in Worker(work) }
    work()  // Does it all when no thread could be started.
    for other in others { other.join() }
  }

  /// What `body` makes of each index below `count`, in order; on up to `threads` threads, the caller's among them.
  static func map<Output: Sendable>(
    _ count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Output
  ) -> [Output] {
    let outputs = Outputs<Output>(count)
    forEach(count, threads: threads) { outputs.set($0, body($0)) }
    return outputs.values.map { $0! }
  }

  /// What costs more is under way alone where the budget is less, in bytes.
  private static let largeCost = 8 << 20

  /// Transforms what `next` gives, on up to `threads` threads, and delivers the results in the order of `next`.
  ///
  /// `next` and `deliver` run on the caller's thread.
  ///
  /// - Parameters:
  ///   - limit: How many inputs are under way at most; nil: 2 x `threads` + 2.
  ///   - budget: The most that the costs of the inputs under way may come to, except that two always may be, unless one
  ///     of them is very large: that one is alone.
  /// - Throws: The first error in that order, in which an error of `next` stands behind the inputs before it. Nothing is
  ///   delivered after it, and no thread is left running.
  package static func orderedMap<Input: Sendable, Output: Sendable>(
    threads: Int, limit: Int? = nil, budget: Int = .max, cost: (Input) -> Int = { _ in 0 },
    next: () throws(BuildError) -> Input?,
    transform: @escaping @Sendable (Input) throws(BuildError) -> Output,
    deliver: (Output) throws(BuildError) -> Void
  ) throws(BuildError) {
    let queue = OrderedQueue<Input, Output>()
    let work: @Sendable () -> Void = {
      while let (number, input) = queue.take() {
        let result: Result<Output, BuildError>
        do throws(BuildError) {
          result = .success(try transform(input))
        } catch {
          result = .failure(error)
        }
        queue.finish(number, result)
      }
    }
    // A single input is sooner done than a thread is started.
    var (early, isAtEnd): ([Input], Bool) = ([], false)
    var failure: BuildError?
    while threads > 1, early.count < 2, !isAtEnd, early.first.map({ cost($0) > max(budget, largeCost) }) != true {
      do throws(BuildError) {
        if let input = try next() { early.append(input) } else { isAtEnd = true }
      } catch {
        (failure, isAtEnd) = (error, true)
      }
    }
    let workers = early.count > 1 || !early.isEmpty && !isAtEnd ? (0..<threads).compactMap { _ in Worker(work) } : []
    guard !workers.isEmpty else {
      for input in early { try deliver(try transform(input)) }
      while !isAtEnd, let input = try next() { try deliver(try transform(input)) }
      if let failure { throw failure }
      return
    }
    defer {
      queue.close()
      for worker in workers { worker.join() }
    }
    let limit = limit ?? 2 * threads + 2
    var (given, delivered) = (0, 0)
    early.reverse()  // Taken from the end.
    var costs: [Int] = []  // Of those under way.
    var total = 0
    func settle(_ result: Result<Output, BuildError>) throws(BuildError) {
      delivered += 1
      total -= costs.removeFirst()
      try deliver(try result.get())
    }
    while !isAtEnd || !early.isEmpty || delivered < given {
      // Nothing is even made as long as one is under way that has to be alone.
      while let most = costs.max(), most > max(budget, largeCost), let result = queue.result(delivered, waiting: true) {
        try settle(result)
      }
      if !isAtEnd || !early.isEmpty, given - delivered < limit {
        var input: Input?
        do throws(BuildError) {
          if let next = early.popLast() { input = next } else { input = try next() }
        } catch {
          failure = error
        }
        if let input {
          let cost = cost(input)
          while !costs.isEmpty, total + cost > budget, costs.count >= 2 || max(total, cost) > largeCost,
            let result = queue.result(delivered, waiting: true)
          {
            try settle(result)
          }
          costs.append(cost)
          total += cost
          queue.give(given, input)
          given += 1
        } else {
          isAtEnd = true
        }
        while let result = queue.result(delivered, waiting: false) { try settle(result) }
      } else if let result = queue.result(delivered, waiting: true) {
        try settle(result)
      }
    }
    if let failure { throw failure }
  }
}

private final class Counter: @unchecked Sendable {
  private let monitor = Monitor()
  private var value = 0

  func next(below limit: Int) -> Int? {
    monitor.withLock {
      guard value < limit else { return nil }
      value += 1
      return value - 1
    }
  }
}

private final class Outputs<Output: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private(set) var values: [Output?]

  init(_ count: Int) { values = Array(repeating: nil, count: count) }

  func set(_ index: Int, _ value: Output) { monitor.withLock { values[index] = value } }
}

private final class OrderedQueue<Input: Sendable, Output: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private var inputs: [(Int, Input)] = []  // At most a dozen or so: removing the first is cheap.
  private var results: [Int: Result<Output, BuildError>] = [:]
  private var isClosed = false

  func give(_ number: Int, _ input: Input) {
    monitor.withLock {
      inputs.append((number, input))
      monitor.wake()
    }
  }

  func take() -> (Int, Input)? {
    monitor.withLock {
      while inputs.isEmpty && !isClosed { monitor.wait() }
      return isClosed ? nil : inputs.removeFirst()
    }
  }

  func finish(_ number: Int, _ result: Result<Output, BuildError>) {
    monitor.withLock {
      results[number] = result
      monitor.wake()
    }
  }

  func result(_ number: Int, waiting: Bool) -> Result<Output, BuildError>? {
    monitor.withLock {
      while waiting, results[number] == nil { monitor.wait() }
      return results.removeValue(forKey: number)
    }
  }

  func close() {
    monitor.withLock {
      isClosed = true
      monitor.wake()
    }
  }
}

/// One thread; ``join()`` exactly once, if it is to be waited for.
package struct Worker {
  private final class Box {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
  private let thread: pthread_t

  /// nil when the system has no thread to give.
  package init?(_ work: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 2 << 20)  // Musl's own default is 128 KiB.
    let box = Unmanaged.passRetained(Box(work))
    #if canImport(Darwin)
      var thread: pthread_t?
      let status = pthread_create(
        &thread, &attributes,
        { argument in
          Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().work()
          return nil
        }, box.toOpaque())
    #else
      #if canImport(Musl)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let status = pthread_create(
        &thread, &attributes,
        { argument in
          Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().work()
          return nil
        }, box.toOpaque())
    #endif
    guard status == 0 else {
      box.release()
      return nil
    }
    #if canImport(Glibc)
      self.thread = thread
    #else
      self.thread = thread!
    #endif
  }

  package func join() { pthread_join(thread, nil) }
}
