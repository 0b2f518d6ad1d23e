import ShardedIndex
import TestSupport
import Testing

@Suite("Groups") struct GroupTests {
  /// The ids of the best records of groups, and the numbers of their others.
  private struct Found: Equatable {
    var ids: [String] = []
    var others: [Int] = []

    mutating func add(_ hits: some Collection<ShardedIndex.Hit>) {
      ids += hits.map { $0.record["id"]! }
      others += hits.map(\.others)
    }
  }

  /// Groups all matches by their keys.
  private static func expected(_ text: String, in index: ShardedIndex) throws -> Found {
    var (found, groups): (Found, [[UInt8]: Int]) = (Found(), [:])
    for hit in try index.search(text, limit: 10_000) {
      let key = Fold.fold(hit.record.key)
      if let group = groups[key] {
        found.others[group] += 1
      } else {
        groups[key] = groups.count
        found.add([hit])
      }
    }
    return found
  }

  private static let texts = ["", "a", "ab", "b c", "ca ", "zzz"]

  @Test("the best record of each key stands for the others, by next and by cursor")
  func pages() throws {
    let index = try RankedSearchTests.index(3000, .pareto, seed: 11).open
    for text in Self.texts {
      let expected = try Self.expected(text, in: index)
      let query = ShardedIndex.SearchQuery(text, group: "key")
      var (joined, behind) = (Found(), Found())
      var page = try index.search(query, limit: 7)
      while true {
        #expect(page.total == ShardedIndex.Total(expected.ids.count) && page.groupsAreExact && page.isComplete)
        joined.add(page)
        if let last = page.certificate.lastHit, let rest = page.certificate.highestRest { #expect(rest < last) }
        #expect(page.hasMore == (page.certificate.highestRest != nil))
        guard page.hasMore else { break }
        page = try page.next()
      }
      var cursor: ShardedIndex.Cursor?
      repeat {
        let page = try index.search(query, limit: 90, after: cursor)
        behind.add(page)
        cursor = page.cursor
      } while cursor != nil
      #expect(joined == expected && behind == expected, "\(text)")
    }
  }

  @Test("the settled groups under a budget are the beginning of all groups")
  func budgets() throws {
    let index = try RankedSearchTests.index(5000, .uniform, seed: 12).open
    var inexact = 0
    for text in Self.texts {
      let all = try Self.expected(text, in: index)
      for most in 0..<12 {
        let query = ShardedIndex.SearchQuery(text, group: "key", budget: .parts(most))
        let answer = try index.search(query, limit: 20)
        let settled = answer.prefix { $0.isSettled }
        #expect(settled.map { $0.record["id"]! } == Array(all.ids.prefix(settled.count)), "\(text), \(most)")
        #expect(zip(settled, all.others).allSatisfy { $0.others <= $1 })
        #expect(!answer.isComplete || settled.count == min(20, all.ids.count))
        #expect(!answer.groupsAreExact || answer.total == ShardedIndex.Total(all.ids.count))
        inexact += answer.groupsAreExact ? 0 : 1
      }
    }
    #expect(inexact > 20)
  }

  @Test("a field that the index lacks, and a cursor of another group, are refused")
  func refusals() throws {
    let index = try RankedSearchTests.index(200, .uniform, seed: 13).open
    func fault(_ group: String?, after cursor: ShardedIndex.Cursor? = nil) -> SearchFault? {
      do throws(IndexError) {
        _ = try index.search(ShardedIndex.SearchQuery("a", group: group), limit: 1, after: cursor)
      } catch {
        if case .refused(let fault) = error { return fault }
      }
      return nil
    }
    guard case .noGroup("nation", let fields)? = fault("nation") else {
      Issue.record("the search is not refused")
      return
    }
    #expect(fields.contains("country") && fault("country") == nil)
    let cursor = try index.search(ShardedIndex.SearchQuery("a", group: "country"), limit: 1).cursor
    #expect(fault("country", after: cursor) == nil)
    for group in ["key", nil] {
      #expect(fault(group, after: cursor) == .wrongCursor(reason: "belongs to another query"))
    }
  }
}
