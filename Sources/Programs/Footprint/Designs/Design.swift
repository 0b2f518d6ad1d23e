/// A way to answer typed text. `shardq footprint` measures each design in a process of its own.
package protocol Design {
  /// Prepares for another search after the box was cleared. The replay does not time this call.
  mutating func beginSession()
  /// Counts the matches of a text and decodes the first ``Replay/pageSize`` with all their fields, ready to be shown.
  mutating func answer(_ text: String) throws -> Int
  /// Adds the records of the last answer's page to a digest.
  func addPage(to digest: inout AnswerDigest)
  /// Names and numbers that the design reports about itself at the end.
  var counters: [(name: String, value: Int)] { get }
}

extension Design {
  package mutating func beginSession() {}
  package var counters: [(name: String, value: Int)] { [] }
}
