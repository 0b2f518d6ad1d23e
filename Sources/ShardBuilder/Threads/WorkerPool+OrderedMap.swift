extension WorkerPool {
  /// The cost in bytes above which an input runs alone, if the budget is smaller.
  fileprivate static let largeCost = 8 << 20

  /// Transforms the inputs of `next`, on up to `threads` threads, and delivers the results in the order of `next`.
  ///
  /// `next` and `deliver` run on the caller's thread.
  ///
  /// - Parameters:
  ///   - limit: The most inputs under way; nil for 2 x `threads` + 2.
  ///   - budget: The most total cost of the inputs under way. Two inputs may always be under way, unless one of them is
  ///     very large: a very large input runs alone.
  /// - Throws: The first error in the order of `next`; an error of `next` itself comes after the inputs before it.
  ///   After the error nothing is delivered, and no thread runs.
  package static func orderedMap<Input: Sendable, Output: Sendable, Failure: Error>(
    threads: Int, limit: Int? = nil, budget: Int = .max, cost: (Input) -> Int = { _ in 0 },
    next: () throws(Failure) -> Input?,
    transform: @escaping @Sendable (Input) throws(Failure) -> Output,
    deliver: (Output) throws(Failure) -> Void
  ) throws(Failure) {
    let queue = OrderedQueue<Input, Output, Failure>()
    let work: @Sendable () -> Void = {
      while let (number, input) = queue.nextInput() {
        let result: Result<Output, Failure>
        do throws(Failure) {
          result = .success(try transform(input))
        } catch {
          result = .failure(error)
        }
        queue.finish(number, result)
      }
    }
    var inputs = InputSource<Input, Failure>()
    // A single input is done sooner than a thread is started.
    while threads > 1, inputs.ahead.count < 2, inputs.ahead.first.map({ cost($0) > max(budget, largeCost) }) != true {
      guard inputs.readAhead(next) else { break }
    }
    let workers =
      inputs.ahead.count > 1 || !inputs.ahead.isEmpty && !inputs.isAtEnd
      ? (0..<threads).compactMap { _ in Worker(work) } : []
    guard !workers.isEmpty else {
      while let input = inputs.next(next) { try deliver(try transform(input)) }
      if let failure = inputs.failure { throw failure }
      return
    }
    defer {
      queue.close()
      for worker in workers { worker.join() }
    }
    let limit = limit ?? 2 * threads + 2
    var underWay = InputsUnderWay(queue: queue, budget: budget)
    while inputs.hasMore || underWay.count > 0 {
      // As long as a large input runs alone, no further input is made.
      while underWay.hasLarge, let result = underWay.nextResult(waiting: true) { try deliver(try result.get()) }
      if inputs.hasMore, underWay.count < limit {
        if let input = inputs.next(next) {
          let cost = cost(input)
          while !underWay.hasRoom(for: cost), let result = underWay.nextResult(waiting: true) {
            try deliver(try result.get())
          }
          underWay.add(input, cost: cost)
        }
        while let result = underWay.nextResult(waiting: false) { try deliver(try result.get()) }
      } else if let result = underWay.nextResult(waiting: true) {
        try deliver(try result.get())
      }
    }
    if let failure = inputs.failure { throw failure }
  }
}

/// The remaining inputs: first those read ahead, then those from the caller's closure.
private struct InputSource<Input, Failure: Error> {
  private(set) var ahead: [Input] = []
  private(set) var isAtEnd = false
  /// The error that ended the inputs.
  private(set) var failure: Failure?

  var hasMore: Bool { !isAtEnd || !ahead.isEmpty }

  /// Reads one input ahead; returns false at the end.
  mutating func readAhead(_ next: () throws(Failure) -> Input?) -> Bool {
    guard let input = read(next) else { return false }
    ahead.append(input)
    return true
  }

  mutating func next(_ next: () throws(Failure) -> Input?) -> Input? {
    ahead.isEmpty ? read(next) : ahead.removeFirst()
  }

  private mutating func read(_ next: () throws(Failure) -> Input?) -> Input? {
    guard !isAtEnd else { return nil }
    do throws(Failure) {
      if let input = try next() { return input }
    } catch {
      failure = error
    }
    isAtEnd = true
    return nil
  }
}

/// The inputs of the threads without a delivered result.
private struct InputsUnderWay<Input: Sendable, Output: Sendable, Failure: Error> {
  let queue: OrderedQueue<Input, Output, Failure>
  let budget: Int
  private var first = 0  // The number of the next result.
  private var costs: [Int] = []
  private var total = 0

  init(queue: OrderedQueue<Input, Output, Failure>, budget: Int) { (self.queue, self.budget) = (queue, budget) }

  var count: Int { costs.count }
  /// Whether one of them must run alone.
  var hasLarge: Bool { costs.max().map { $0 > max(budget, WorkerPool.largeCost) } ?? false }

  func hasRoom(for cost: Int) -> Bool {
    costs.isEmpty || total + cost <= budget || costs.count < 2 && max(total, cost) <= WorkerPool.largeCost
  }

  mutating func add(_ input: Input, cost: Int) {
    queue.give(first + costs.count, input)
    costs.append(cost)
    total += cost
  }

  /// Takes the next result in order; returns nil if there is none, or none yet.
  mutating func nextResult(waiting: Bool) -> Result<Output, Failure>? {
    guard !costs.isEmpty, let result = queue.result(first, waiting: waiting) else { return nil }
    first += 1
    total -= costs.removeFirst()
    return result
  }
}

private final class OrderedQueue<Input: Sendable, Output: Sendable, Failure: Error>: @unchecked Sendable {
  private let monitor = Monitor()
  private var inputs: [(Int, Input)] = []  // About a dozen at most: removing the first is cheap.
  private var results: [Int: Result<Output, Failure>] = [:]
  private var isClosed = false

  func give(_ number: Int, _ input: Input) {
    monitor.withLock {
      inputs.append((number, input))
      monitor.wake()
    }
  }

  /// Waits for an input; returns nil after the queue is closed.
  func nextInput() -> (Int, Input)? {
    monitor.withLock {
      while inputs.isEmpty && !isClosed { monitor.wait() }
      return isClosed ? nil : inputs.removeFirst()
    }
  }

  func finish(_ number: Int, _ result: Result<Output, Failure>) {
    monitor.withLock {
      results[number] = result
      monitor.wake()
    }
  }

  func result(_ number: Int, waiting: Bool) -> Result<Output, Failure>? {
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
