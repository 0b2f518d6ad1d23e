import ShardBuilder
import TestSupport
import Testing

@Suite("Counted memory of a build") struct MemoryTests {
  @Test("the sort keeps to its memory, less the memory that others hold", arguments: [1 << 20, 4 << 20])
  func sort(memory: Int) throws {
    var names = FieldNames()
    var random = SplitMix64(seed: 11)
    let records = (0..<500).map { _ -> [BuilderSupport.Field] in
      [("k", .string, String(UInt64.random(in: 0...UInt64.max, using: &random), radix: 36))]
    }
    let chunk = try BuilderSupport.chunk(records, template: "{k}", names: &names)
    var sort = ExternalSort(memory: memory, directory: RunDirectory(path: "/tmp"), threads: 2)
    var highest = 0
    for round in 0..<1600 {
      sort.heldElsewhere = round < 800 ? memory / 8 : memory / 2
      try sort.add(chunk, names: names)
      #expect(sort.charge <= memory - sort.heldElsewhere, "round \(round)")
      highest = max(highest, sort.charge)
    }
    #expect(highest > memory * 3 / 4, "most of it is used")
    #expect(sort.count == 800_000)
    // The records exceed the memory and were spilled; all of them come out, in order.
    #expect(sort.size > 6 * memory)
    sort.heldElsewhere = memory / 2
    let sorted = try sort.finish(names: names)
    var (count, last) = (0, [UInt8]())
    while let batch = try sorted.nextBatch() {
      for record in batch {
        let folded = Array(record.folded)
        if folded != last { #expect(last.lexicographicallyPrecedes(folded)) }
        last = folded
      }
      count += batch.count
    }
    #expect(count == 800_000)
  }

  @Test("jobs under way cost no more than the budget", arguments: [1, 2, 5]) func budget(threads: Int) throws {
    var random = SplitMix64(seed: 3)
    let costs = (0..<3000).map { _ in Int.random(in: 1...40, using: &random) } + [500, 1, 700, 800, 2]
    var (next, underWay, count, most) = (0, 0, 0, 0)
    var order: [Int] = []
    try WorkerPool.orderedMap(
      threads: threads, limit: 12, budget: 100, cost: { costs[$0] },
      next: { () throws(BuildError) -> Int? in
        if count > 2 { #expect(underWay <= 100, "before \(next)") }
        most = max(most, count)
        guard next < costs.count else { return nil }
        next += 1
        count += 1
        underWay += costs[next - 1]
        return next - 1
      },
      transform: { (number) throws(BuildError) -> Int in number },
      deliver: { (number) throws(BuildError) in
        order.append(number)
        count -= 1
        underWay -= costs[number]
      })
    #expect(order == Array(costs.indices))
    #expect(count == 0 && underWay == 0 && most <= 12)
  }

  @Test("a plan divides the memory", arguments: [1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 40], [1, 2, 16, 200])
  func plan(memory: Int, threads: Int) {
    let plan = MemoryPlan(memory: memory, threads: threads, shardLimit: 64 << 10)
    #expect(plan.batches >= 2 && plan.batches <= 2 * threads + 2)
    #expect(plan.batches * plan.blockSize * 4 <= memory / 4)
    #expect(plan.writers >= 1 && plan.writers <= threads)
    #expect(plan.heldWhileWriting(0) <= memory / 4)
    #expect(plan.heldWhileWriting(1 << 40) <= memory / 2)
  }
}
