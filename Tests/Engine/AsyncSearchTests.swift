import ShardBuilder
import ShardedIndex
import TestSupport
import Testing

@Suite("Searches in tasks") struct AsyncSearchTests {
  static let names = ["Paris", "Parma", "Park", "Lyon", "Oslo"]

  static func index(count: Int = 1000, isRanked: Bool = true) throws -> SmallIndex {
    let lines = (0..<count).map { #"{"name":"\#(names[$0 % names.count]) \#($0)","n":\#($0)}"# }
    return try SmallIndex(json: lines.joined(separator: "\n"), key: "{name}", suffix: ".jsonl") {
      $0.shardLimitBytes = 500
      if isRanked { $0.weight = "n" }
    }
  }

  @Test("the answer is that of a blocking search, page by page") func answers() async throws {
    let index = try Self.index().open
    func blocking(_ text: String) throws -> ShardedIndex.Answer { try index.search(text, limit: 5) }
    func blocking(after answer: ShardedIndex.Answer) throws -> ShardedIndex.Answer { try answer.next() }
    for text in ["", "par", "paris 10", "x"] {
      let (one, other) = (try await index.answer(to: text, limit: 5), try blocking(text))
      #expect(one.elementsEqual(other) && one.description == other.description)
      #expect(try await one.nextAnswer().elementsEqual(blocking(after: other)))
    }
    #expect(try blocking("par").description == "5 hits, and more")
    #expect(try blocking("par").first?.record.key == "Park 997" && blocking("x").isEmpty)
  }

  @Test("a cancelled task throws, and ends its search before the next shard") func cancelled() async throws {
    let index = try Self.index().open
    await #expect(throws: CancellationError.self) {
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await index.answer(to: "par")
      }.value
    }
    #expect(index.statistics.loads == 0)
    let query = ShardedIndex.SearchQuery(
      "par",
      budget: .until {
        withUnsafeCurrentTask { $0?.cancel() }
        return false
      })
    await #expect(throws: CancellationError.self) { try await Task { try await index.answer(toQuery: query) }.value }
    #expect(index.statistics.loads == 0)
    // Answers are read in a task of their own.
    let answer = try await index.answer(to: "par", limit: 3)
    await #expect(throws: CancellationError.self) {
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await answer.nextAnswer()
      }.value
    }
  }

  @Test("the newest of several texts is answered, and no text after a newer one")
  func newest() async throws {
    let index = try Self.index().open
    let (texts, field) = AsyncStream.makeStream(of: String.self)
    let reader = Task {
      var counts: [Int] = []
      for await answer in index.answers(to: texts, limit: 400) { counts.append(try answer.get().count) }
      return counts
    }
    for _ in 0..<20 {
      for text in ["p", "pa", "par", "pari", "paris"] { field.yield(text) }
      await Task.yield()
    }
    // The last text has fewer hits than each text before.
    field.yield("paris 99")
    field.finish()
    let counts = try await reader.value
    #expect(counts.last == 2 && counts.dropLast().allSatisfy { $0 > 2 })
  }

  @Test("an error answers one text; a reader that stops reading ends the searches") func errors() async throws {
    let index = try Self.index(count: 10, isRanked: false).open
    let (texts, field) = AsyncStream.makeStream(of: ShardedIndex.SearchQuery.self)
    var answers = index.answers(toQueries: texts).makeAsyncIterator()
    for text in ["a", "b"] {
      field.yield(ShardedIndex.SearchQuery(text))
      let answer = try #require(await answers.next())
      #expect(throws: IndexError.refused(.notBuilt(feature: .ranks))) { try answer.get() }
    }
    field.finish()
    #expect(await answers.next() == nil)
    let (endless, other) = AsyncStream.makeStream(of: String.self)
    let reader = Task { for await _ in index.answers(to: endless) {} }
    other.yield("a")
    reader.cancel()
    await reader.value
  }
}
