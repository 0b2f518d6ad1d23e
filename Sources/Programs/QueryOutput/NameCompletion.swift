import Answers
import ShardedIndex

/// The completion of names for shells: texts that may replace the unfinished word. For the value of `--index`, they are
/// the names of the user's indexes.
///
/// Shell scripts call it. It prints no errors, since a message would appear in the line that a person types.
package enum NameCompletion {
  /// The first argument, which asks for completion.
  package static let argument = "---complete"
  /// The most names that the completion offers. With more names, the last offered name is the last of all, so that the
  /// offered names share the same beginning as all names.
  static let limit = 100

  /// Prints the names, a line each.
  ///
  /// - Parameter words: The words behind the program's name up to the unfinished one, without quotes.
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

  /// Returns the typed beginning of an index's name; nil if the last word is not such a name.
  private static func indexBeginning(_ words: [String]) -> String? {
    guard let last = words.last else { return nil }
    let before = words.dropLast().last
    if before == "-i" || before == "--index" { return last }
    let option = "--index="
    return last.utf8.starts(with: option.utf8)
      ? String(decoding: last.utf8.dropFirst(option.utf8.count), as: UTF8.self) : nil
  }

  /// - Parameter typed: The words of the text, the unfinished one last.
  private static func names(_ request: QueryRequest, _ typed: [String]) throws(QueryRunner.QueryError) -> [[UInt8]] {
    var request = request
    do throws(UserSettings.SettingsError) { request.apply(try UserSettings.load()) } catch { return [] }
    let before = typed.count > 1 ? Fold.fold(typed.dropLast().joined(separator: " ") + " ") : []
    let (text, last) = (Fold.fold(request.query.text), Array(typed[typed.count - 1].utf8))
    let keys = try QueryRunner.reading { () throws(IndexError) in
      let index = try ShardedIndex(opening: request.index ?? QueryRequest.defaultIndex)
      let matches = try index.matches(forPrefix: request.query.text)
      var keys = try matches.records(in: 0..<min(limit, matches.count)).map { $0.key }
      if matches.count > limit { keys += try matches.records(in: matches.count - 1..<matches.count).map { $0.key } }
      return keys
    }
    var names: [[UInt8]] = []
    for key in keys where key != keys.first || names.isEmpty {
      // With several names the typed letters stay, since a shell inserts the beginning that the names share.
      let name = last + rest(of: key, behind: text).drop { last.isEmpty && $0 == 0x20 }
      if name != names.last, !name.contains(where: { $0 < 0x20 || $0 == 0x7f }) { names.append(name) }
    }
    guard names.count == 1, let key = keys.first else { return names }
    // A single name comes in its own spelling, unless a shell would reject that as a completion.
    let spelled = before.isEmpty ? Array(key.utf8) : rest(of: key, behind: before)
    let isSame = spelled.count >= last.count && zip(spelled, last).allSatisfy { lowercase($0) == lowercase($1) }
    return isSame && !spelled.contains { $0 < 0x20 || $0 == 0x7f } ? [spelled] : names
  }

  /// Returns the part of a key behind the match of a folded text.
  private static func rest(of key: String, behind text: [UInt8]) -> [UInt8] {
    let matched = ShardedIndex.Matches.highlights(of: text, in: key).last?.upperBound ?? 0
    return Array(key.utf8.dropFirst(matched))
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte }
}
