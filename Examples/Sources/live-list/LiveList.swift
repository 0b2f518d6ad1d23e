// Updates and searches a list at the same time: one task changes a record again and again, other tasks search. Every
// answer comes from one generation, and no search fails. The records are Swift values; no dataset is written.
//
//     swift run live-list /tmp/live-list
import ShardBuilder
import ShardedIndex

/// A record of the list.
struct Player: Encodable {
  var id: Int
  var name: String
  var score: Int

  init(_ id: Int, score: Int) { (self.id, name, self.score) = (id, "Player \(id)", score) }
}

@main struct LiveList {
  static let updates = 20

  static func main() async throws {
    let directory = CommandLine.arguments.dropFirst().first ?? "live-list"
    var options = BuildOptions()
    (options.key, options.id, options.weight) = ("{name}", "id", "score")
    try ShardBuilder.build(records: (0..<500).lazy.map { Player($0, score: $0) }, into: directory, options: options)
    // Every search looks for a newer generation; a server would look every few seconds.
    let index = try ShardedIndex(opening: directory, options: .init(reloadInterval: .zero))
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { [options] in
        for update in 1...updates {
          try ShardBuilder.update(directory, upserting: [Player(7, score: 1000 * update)], options: options)
        }
        return 0
      }
      for _ in 0..<2 { group.addTask { try await search(index) } }
      var searches = 0
      for try await count in group { searches += count }
      print(searches >= 2 * updates ? "every search was answered" : "only \(searches) searches")
    }
    let best = try await index.answer(to: "player", limit: 1).first!
    print("the best is \(best) with \(best.record["score", as: Int.self] ?? 0) points")
  }

  /// Searches until an answer has the last update, and returns the number of searches.
  static func search(_ index: ShardedIndex) async throws -> Int {
    var (searches, last) = (0, 0)
    while last < 1000 * updates || searches < updates {
      let best = try await index.answer(to: "player", limit: 3).compactMap { $0.record["score", as: Int.self] }
      precondition(best == best.sorted(by: >) && best.count == 3, "an answer of two generations: \(best)")
      last = max(last, best[0])
      searches += 1
    }
    return searches
  }
}
