import CLibrary

/// The bytes that the queries of several threads share.
package final class MemoryBudget: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  /// - Parameter limit: The limit, in bytes.
  package init(_ limit: Int) { self.limit = limit }

  /// Takes bytes from the budget, and returns whether the budget had them.
  package func acquire(_ bytes: Int) -> Bool {
    if used.add(bytes, ordering: .relaxed).newValue <= limit { return true }
    release(bytes)
    return false
  }

  /// Gives bytes back.
  package func release(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}

/// The terms of a thread's queries. A thread without terms reads files and takes memory as it needs.
///
/// A server has threads that must never wait, and other threads that share a budget.
package final class ReadingTerms: @unchecked Sendable {
  // Sendable because only one thread has the terms.
  /// The budget; nil for a thread that must not read files.
  private let budget: MemoryBudget?
  /// The bytes that the query has taken from the budget.
  private var taken = 0

  /// The copies of the largest part in the memory of a query: the previous part, the compressed part, the unpacked
  /// part, and its decoded records.
  private static let copies = 4

  /// Makes terms.
  ///
  /// - Parameter budget: The budget for data that is not in memory; nil for a thread that must not read such data or
  ///   wait.
  package init(_ budget: MemoryBudget?) { self.budget = budget }

  // A key of the system, since Swift has no thread-local variables. It is read only when data is not in memory.
  nonisolated(unsafe) private static var key = pthread_key_t()
  nonisolated(unsafe) private static var hasKey = false

  /// Prepares for threads with terms. Called once, before there are any.
  package static func prepare() { unsafe hasKey = pthread_key_create(&key, nil) == 0 }

  /// Sets these terms for the calling thread, as long as it lives.
  package func apply() {
    unsafe precondition(Self.hasKey, "no thread has terms yet")
    unsafe pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
  }

  /// Sets these terms for one query of the calling thread, and then returns the query's share of the budget.
  package func apply(_ question: () -> Void) {
    unsafe precondition(Self.hasKey, "no thread has terms yet")
    unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    question()
    unsafe pthread_setspecific(Self.key, nil)
    budget?.release(taken)
    taken = 0
  }

  private static var current: ReadingTerms? {
    guard unsafe hasKey, let terms = unsafe pthread_getspecific(key) else { return nil }
    return unsafe Unmanaged<ReadingTerms>.fromOpaque(terms).takeUnretainedValue()
  }

  /// Whether the calling thread may wait for files and for other threads.
  package static var mayWait: Bool { current.map { $0.budget != nil } ?? true }

  /// Takes memory from the terms of the calling thread before a read or an unpacking.
  ///
  /// - Parameters:
  ///   - bytes: The size of the data, in bytes.
  ///   - directory: The directory for messages.
  /// - Throws: `EAGAIN` on a thread that must not wait, `ENOMEM` if the budget is too small.
  @inline(never)
  static func admit(_ bytes: Int, in directory: IndexDirectory) throws(IndexError) {
    guard let terms = current else { return }
    guard let budget = terms.budget else {
      throw .io(operation: "read", path: directory.path, errno: EAGAIN)
    }
    let more = copies * bytes - terms.taken
    guard more > 0 else { return }
    guard budget.acquire(more) else { throw .io(operation: "read", path: directory.path, errno: ENOMEM) }
    terms.taken += more
  }
}
