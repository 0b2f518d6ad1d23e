import ShardBuilder
import ShardedIndex

/// An index and an archive of it.
package final class ArchivedIndex: Sendable {
  package let small: SmallIndex
  package let path: String

  package init(_ small: SmallIndex) throws {
    self.small = small
    path = small.directory + "/index.shardq"
    _ = try ShardBuilder.archive(small.path, to: path)
  }

  /// Made-up cities with every feature of an index, in many small shards and parts.
  package static let whole = Result {
    try ArchivedIndex(
      SmallIndex(
        json: GeneratedList.text(count: 4000, seed: 9, format: .jsonl), key: "{name}, {country}", suffix: ".jsonl"
      ) {
        ($0.shardLimitBytes, $0.partSizeBytes, $0.level) = (4096, 1024, 3)
        ($0.weight, $0.words, $0.typos, $0.near, $0.filter) = ("_id", .body, true, true, ["country"])
      })
  }

  /// A few records, with entries and side files.
  package static let few = Result {
    try ArchivedIndex(
      SmallIndex(
        json: (0..<24).map { "{\"name\":\"n\($0 % 8) San \($0)\",\"country\":\"C\($0 % 3)\",\"w\":\($0)}\n" }.joined(),
        key: "{name}, {country}", suffix: ".jsonl"
      ) {
        ($0.shardLimitBytes, $0.partSizeBytes) = (256, 128)
        ($0.weight, $0.words, $0.typos, $0.filter) = ("w", .body, true, ["country"])
      })
  }

  package var bytes: [UInt8] { Files.read(path)! }

  /// Texts that begin keys, with a letter exchanged every third time, and some that begin none.
  package static func texts(of index: ShardedIndex, count: Int) throws -> [String] {
    var random = SplitMix64(seed: 11)
    let matches = try index.matches(forPrefix: "")
    return try ["", "zzzzzz", "san "]
      + (0..<count).map { number in
        let place = Int.random(in: 0..<matches.count, using: &random)
        var key = Array(try matches.records(in: place..<place + 1)[0].key)
        key = Array(key.prefix(Int.random(in: 1...key.count, using: &random)))
        if number % 3 == 0, key.count > 4 { key[key.count / 2] = "x" }
        return String(key)
      }
  }

  /// The answers to a text: in the order of keys, ranked with edits, and filtered by one country.
  package static func answers(_ index: ShardedIndex, _ text: String) throws(IndexError) -> [String] {
    let matches = try index.matches(forPrefix: text)
    var answers = try ["\(matches.count)"] + matches.records(in: 0..<min(10, matches.count)).map(\.key)
    var query = ShardedIndex.SearchQuery(text)
    answers += try index.search(query).records.map(\.key)
    query.filter = [.init("country", isOneOf: ["C1", "France", "Japan"])]
    answers += try index.search(query).records.map(\.key)
    return answers
  }
}
