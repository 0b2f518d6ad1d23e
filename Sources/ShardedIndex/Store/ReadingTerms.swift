import CLibrary

/// The bytes that the queries of several threads share.
package final class MemoryBudget: Sendable {
  private let limit: Int
  private let used = Atomic<Int>(0)

  /// - Parameter limit: In bytes.
  package init(_ limit: Int) { self.limit = limit }

  /// Takes bytes out of the budget; returns whether they were there.
  package func acquire(_ bytes: Int) -> Bool {
    if used.add(bytes, ordering: .relaxed).newValue <= limit { return true }
    release(bytes)
    return false
  }

  /// Gives bytes back.
  package func release(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}

/// The terms on which a thread asks queries: a thread without terms reads files and takes memory as it needs.
///
/// A server has threads that must never wait, and others that share a budget.
package final class ReadingTerms: @unchecked Sendable {
  // Sendable because one thread alone has them.
  /// nil where nothing may be read that is not in memory.
  private let budget: MemoryBudget?
  /// Bytes of the budget that the question has.
  private var taken = 0

  /// The copies of the largest part that a query holds at a time: the part before, the part as it stands in its
  /// file, the same unpacked, and the records that are decoded from it.
  private static let copies = 4

  /// Makes terms.
  ///
  /// - Parameter budget: The bytes for data that is not in memory; nil if no such data is read, and no thread waits.
  package init(_ budget: MemoryBudget?) { self.budget = budget }

  // No thread-local variable, which Swift does not have. Looked at where something is not in memory, and nowhere else.
  nonisolated(unsafe) private static var key = pthread_key_t()
  nonisolated(unsafe) private static var hasKey = false

  /// Has threads that have terms from now on; called once, before there are any.
  package static func prepare() { unsafe hasKey = pthread_key_create(&key, nil) == 0 }

  /// Gives the calling thread these terms, for as long as it lives.
  package func rule() {
    unsafe precondition(Self.hasKey, "no thread has terms yet")
    unsafe pthread_setspecific(Self.key, Unmanaged.passRetained(self).toOpaque())
  }

  /// Gives the calling thread these terms for one query, and releases the share of the budget that it took.
  package func rule(_ question: () -> Void) {
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

  /// Asks the terms of the calling thread before something is read or unpacked.
  ///
  /// - Parameters:
  ///   - bytes: What it takes.
  ///   - directory: For messages.
  /// - Throws: `EAGAIN` on a thread that must not wait, `ENOMEM` where the budget has not so much.
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
