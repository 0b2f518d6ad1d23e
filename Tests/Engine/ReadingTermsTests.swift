import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

import CLibrary

/// Terms limit the reads of a thread: each query of these tests has its own thread.
@Suite("Reading terms", .serialized) struct ReadingTermsTests {
  private static let prepared: Void = ReadingTerms.prepare()

  /// Runs `body` on a new thread and waits for it.
  private static func onThread(_ body: @escaping @Sendable () -> Void) {
    _ = prepared
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      pthread_create(
        &thread, nil,
        {
          Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body(); return nil
        }, box)
      pthread_join(thread!, nil)
    #else
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        {
          Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body(); return nil
        }, box)
      pthread_join(thread, nil)
    #endif
  }

  private static func index() throws -> SmallIndex {
    try SmallIndex(json: GeneratedList.text(count: 5000, seed: 5, format: .json), key: nil) {
      ($0.shardLimitBytes, $0.level) = (8 << 10, 1)
    }
  }

  private static func number(_ error: any Error) -> Int32? {
    guard case .io(_, _, let number)? = error as? IndexError else { return nil }
    return number
  }

  @Test("a thread that must not wait answers from memory, and reads nothing")
  func withoutWaiting() throws {
    let small = try Self.index()
    let index = small.open
    let keys = try index.matches(forPrefix: "").records(in: 0..<5000).map(\.key)
    index.removeResidentShards()
    let wanted = try index.matches(forPrefix: keys[100]).records(in: 0..<1).map(\.key)
    let before = index.statistics
    let faults = Lock<[String]>([])
    Self.onThread {
      ReadingTerms(nil).apply()
      if ReadingTerms.mayWait { faults.withLock { $0.append("it may wait") } }
      do {
        let found = try index.matches(forPrefix: keys[100]).records(in: 0..<1).map(\.key)
        if found != wanted { faults.withLock { $0.append("another answer") } }
      } catch {
        faults.withLock { $0.append("parts in memory: \(error)") }
      }
      do {
        for key in keys.shuffled() { _ = try index.matches(forPrefix: key).records(in: 0..<1) }
        faults.withLock { $0.append("all was in memory") }
      } catch {
        if Self.number(error) != EAGAIN { faults.withLock { $0.append("\(error)") } }
      }
    }
    #expect(faults.withLock { $0 } == [])
    // Nothing was loaded, and no load was counted.
    let after = index.statistics
    #expect(after.loads == before.loads && after.misses == before.misses)
    // Other threads have no terms.
    #expect(ReadingTerms.mayWait)
    for key in keys { #expect(try index.matches(forPrefix: key).count > 0) }
  }

  @Test("a query returns its part of a budget, and a query that needs too much is refused")
  func budget() throws {
    let small = try SmallIndex(
      json: "["
        + (0..<8).map { #"{"name":"n\#($0)","t":"\#(String(repeating: "x", count: 300_000))"}"# }.joined(separator: ",")
        + "]", key: "{name}", cacheLimitBytes: 0)
    let index = small.open
    let faults = Lock<[String]>([])
    func ask(limit: Int, isEnough: Bool) {
      Self.onThread {
        let budget = MemoryBudget(limit)
        let terms = ReadingTerms(budget)
        for _ in 0..<3 {
          terms.apply {
            do {
              let matches = try index.matches(forPrefix: "n")
              for position in 0..<matches.count {
                let count = try matches.recordsAtOnce(at: position)
                if count != 1 { faults.withLock { $0.append("\(count) large records at once") } }
                _ = try matches.records(in: position..<position + 1)
              }
              if !isEnough { faults.withLock { $0.append("\(limit) bytes were enough") } }
            } catch {
              if isEnough || Self.number(error) != ENOMEM { faults.withLock { $0.append("\(limit): \(error)") } }
            }
          }
          // The whole budget is free again.
          if budget.acquire(limit) { budget.release(limit) } else { faults.withLock { $0.append("not given back") } }
        }
      }
    }
    ask(limit: 100_000, isEnough: false)
    ask(limit: 64 << 20, isEnough: true)
    #expect(faults.withLock { $0 } == [])
  }

  @Test("small records are decoded together up to the end of their part")
  func atOnce() throws {
    let small = try Self.index()
    let matches = try small.open.matches(forPrefix: "")
    var position = 0
    var runs = 0
    while position < matches.count {
      position += try matches.recordsAtOnce(at: position)
      runs += 1
    }
    #expect(position == matches.count)
    #expect(runs >= small.open.shardCount && runs < matches.count / 4)
  }
}
