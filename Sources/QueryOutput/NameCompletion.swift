import ShardedIndex

/// The completion of names for shells: the texts that may take the place of the word that is being typed. Where that is
/// the value of `--index`, they are the names of the named indexes.
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
    var names: [[UInt8]] = []
    if let beginning = indexBeginning(words) {
      let settings = try? UserSettings.load()
      names = settings?.indexNames(beginningWith: beginning).map { Array($0.utf8) } ?? []
    } else if let (request, typed) = FrontParser.unfinished(words) {
      names = (try? self.names(request, typed)) ?? []
    }
    var output = Output()
    for name in names where !name.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      try? output.write(name)
      try? output.write(0x0a)
    }
    try? output.flush()
  }

  /// Returns the beginning of the index's name that is being typed; nil where the last word is something else.
  private static func indexBeginning(_ words: [String]) -> String? {
    guard let last = words.last else { return nil }
    let before = words.dropLast().last
    if before == "-i" || before == "--index" { return last }
    let option = "--index="
    return last.utf8.starts(with: option.utf8)
      ? String(decoding: last.utf8.dropFirst(option.utf8.count), as: UTF8.self) : nil
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
