import ShardedIndex

/// The completion of names for shells: the texts that may take the place of the word that is being typed.
///
/// Scripts of shells call it; nothing that goes wrong is said, since a message would stand in the line that is typed.
package enum NameCompletion {
  /// The first argument that asks for it.
  package static let argument = "---complete"
  /// The most names that are offered. Of more names, the last offered one is the last of all: then the beginning that
  /// the offered names share is that of all.
  static let limit = 100

  /// Prints the names, a line each.
  ///
  /// - Parameter words: The words behind the program's name, to the one that is being typed, without quotes.
  package static func run(_ words: [String]) {
    guard let (request, typed) = FrontParser.unfinished(words) else { return }
    var output = Output()
    for name in (try? names(request, typed)) ?? [] {
      try? output.write(name)
      try? output.write(0x0a)
    }
    try? output.flush()
  }

  /// - Parameter typed: The words of the text, the unfinished one last.
  private static func names(_ request: QueryRequest, _ typed: [String]) throws(QueryRunner.Failure) -> [[UInt8]] {
    var request = request
    do throws(UserSettings.Failure) { request.apply(try UserSettings.load()) } catch { return [] }
    let before = typed.count > 1 ? Fold.fold(typed.dropLast().joined(separator: " ") + " ") : []
    let (text, last) = (Fold.fold(request.prefix), Array(typed[typed.count - 1].utf8))
    let keys = try QueryRunner.reading { () throws(IndexError) in
      let index = try ShardedIndex(opening: request.index ?? QueryRequest.defaultIndex)
      let matches = try index.matches(forPrefix: request.prefix)
      var keys = try matches.records(in: 0..<min(limit, matches.count)).map { $0.key }
      if matches.count > limit { keys += try matches.records(in: matches.count - 1..<matches.count).map { $0.key } }
      return keys
    }
    var names: [[UInt8]] = []
    for key in keys where key != keys.first || names.isEmpty {
      // The typed letters stay in several names: a shell inserts the beginning that the names share.
      let name = last + rest(of: key, behind: text).drop { last.isEmpty && $0 == 0x20 }
      if name != names.last, !name.contains(where: { $0 < 0x20 || $0 == 0x7f }) { names.append(name) }
    }
    guard names.count == 1, let key = keys.first else { return names }
    // The only name comes in its own spelling, unless a shell would not take that for a completion.
    let spelled = before.isEmpty ? Array(key.utf8) : rest(of: key, behind: before)
    let isSame = spelled.count >= last.count && zip(spelled, last).allSatisfy { lowercase($0) == lowercase($1) }
    return isSame && !spelled.contains { $0 < 0x20 || $0 == 0x7f } ? [spelled] : names
  }

  /// Returns the part of a key behind what a folded text matches.
  private static func rest(of key: String, behind text: [UInt8]) -> [UInt8] {
    let matched = ShardedIndex.Matches.highlights(of: text, in: key).last?.upperBound ?? 0
    return Array(key.utf8.dropFirst(matched))
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }
}
