import CLibrary
import ShardedIndex

/// Work on several threads. The results do not depend on the number of threads.
package enum WorkerPool {
  /// The number of processors at the program's first question, at least 1.
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
    work()  // Does all work if no thread could be started.
    for other in others { other.join() }
  }

  /// Returns the results of `body` for each index below `count`, in order. `body` runs on up to `threads` threads, the
  /// caller's among them.
  static func map<Output: Sendable>(
    _ count: Int, threads: Int, _ body: @escaping @Sendable (Int) -> Output
  ) -> [Output] {
    let outputs = Outputs<Output>(count)
    forEach(count, threads: threads) { outputs.set($0, body($0)) }
    return outputs.values.map { $0! }
  }
}

private final class Counter: Sendable {
  private let value = Lock(0)

  func next(below limit: Int) -> Int? {
    value.withLock { value in
      guard value < limit else { return nil }
      value += 1
      return value - 1
    }
  }
}

private final class Outputs<Output: Sendable>: Sendable {
  private let lock: Lock<[Output?]>

  init(_ count: Int) { lock = Lock(Array(repeating: nil, count: count)) }

  var values: [Output?] { lock.withLock { $0 } }

  func set(_ index: Int, _ value: Output) { lock.withLock { $0[index] = value } }
}
