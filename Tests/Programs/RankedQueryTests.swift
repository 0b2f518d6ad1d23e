import ShardedIndex
import ShardqCommands
import TestSupport
import Testing

@Suite("Ranked queries") struct RankedQueryTests {
  static let records = """
    {"name":"Londa","country":"IN","people":6131}
    {"name":"London","country":"GB","people":7556900}
    {"name":"London","country":"CA","people":346765}
    {"name":"Lon","country":"US","people":2000}
    {"name":"Long","country":"US","people":500000}
    {"name":"Lonk","country":"US"}

    """

  /// An index of the records, with ranks or without.
  private func index(_ options: String..., in directory: TemporaryDirectory) -> String {
    let path = directory.path + "/index" + options.joined()
    directory.write(Self.records, to: "records.jsonl")
    let arguments = ["build", "-i", path, "--key", "{name}, {country}"] + options + [directory.path + "/records.jsonl"]
    #expect(Program.run(arguments).status == 0)
    return path
  }

  private func lines(_ index: String, _ arguments: String...) -> [String] {
    let result = Program.run(["query", "-i", index] + arguments)
    #expect(result.status == 0, "\(result)")
    return result.output.split(separator: "\n").map { $0.split(separator: "\t").prefix(2).joined(separator: " ") }
  }

  @Test("an index with ranks answers with the best first, unless --sort says otherwise")
  func sort() {
    let directory = TemporaryDirectory()
    let ranked = index("--weight", "people", in: directory)
    let inOrder = ["Lon US", "Londa IN", "London CA", "London GB", "Long US", "Lonk US"]
    // The whole name is worth six octaves, so that 2,000 people count as 128,000.
    let best = ["London GB", "Long US", "London CA", "Lon US", "Londa IN", "Lonk US"]
    #expect(lines(ranked, "lond") == ["London GB", "London CA", "Londa IN"])
    #expect(lines(ranked, "lon") == best)
    #expect(lines(ranked, "lon", "--sort", "key") == inOrder)
    // All matches and later pages come in the same order.
    #expect(lines(ranked, "lon", "--all") == best)
    #expect(lines(ranked, "lon", "--all", "--sort", "key") == inOrder)
    #expect(lines(ranked, "lon", "-n", "2") + lines(ranked, "lon", "--offset", "2") == best)
    for options in [[], ["--sort", "rank"], ["--sort", "key"]] {
      #expect(Program.run(["query", "-i", ranked, "lond", "--count"] + options).output == "3\n")
    }
    let plain = index(in: directory)
    #expect(lines(plain, "lon") == inOrder)
    let refused = Program.run(["query", "-i", plain, "lon", "--sort", "rank"])
    #expect(refused.status == 64 && refused.error.contains("build it again with --weight"), "\(refused)")
  }

  @Test("JSON has the rank of each hit, and a cursor for the next page")
  func json() throws {
    let directory = TemporaryDirectory()
    let ranked = index("--weight", "people", in: directory)
    let first = Program.run(["query", "-i", ranked, "lond", "-n", "2", "--format", "json"])
    #expect(
      first.output.withoutPlace.hasPrefix(
        #"{"schema":1,"query":"lond","matches":[{"name":"London","country":"GB","people":7556900},"#),
      "\(first)")
    #expect(
      first.output.contains(
        #"{"key":"London, CA","score":37526,"weight":346765,"bonus":0,"edits":0,"via":"key","highlights":[[0,4]]}]"#),
      "\(first)")
    #expect(
      first.output.contains(
        #"],"count":3,"total":3,"totalIsExact":true,"keys":3,"sort":"rank","complete":true,"cursor":""#),
      "\(first)")
    let cursor = try #require(first.output.components(after: #""cursor":""#, upTo: "\""))
    let second = Program.run(["query", "-i", ranked, "lond", "--after", cursor, "--format", "json"])
    #expect(second.output.contains(#""matches":[{"name":"Londa","country":"IN","people":6131}]"#), "\(second)")
    #expect(!second.output.contains("cursor"), "\(second)")
    let other = Program.run(["query", "-i", ranked, "lo", "--after", cursor])
    #expect(other.status == 64 && other.error.contains("belongs to another query"), "\(other)")
    #expect(Program.run(["query", "-i", ranked, "lond", "--after", "x"]).status == 64)
    let lines = Program.run(["query", "-i", ranked, "--stdin", "-n", "1"], input: "lond\nnone\n").output
    #expect(lines.split(separator: "\n").count == 2)
    #expect(
      lines.withoutPlace.contains(#"{"schema":1,"query":"none","matches":[],"hits":[],"count":0,"total":0,"#),
      "\(lines)")
  }

  @Test("the list in the terminal has the best first, and takes the selected one")
  func list() throws {
    let directory = TemporaryDirectory()
    var model = ListModel(try ShardedIndex(opening: index("--weight", "people", in: directory)))
    model.resize(height: 2)
    model.search("lon")
    var keys: [String] = []
    for row in 0..<6 {
      model.select(row)
      keys.append(try #require(model.selectedRow?.key))
      #expect(model.chosenRecord()?.first?.key == keys.last)
    }
    #expect(keys == ["London, GB", "Long, US", "London, CA", "Lon, US", "Londa, IN", "Lonk, US"])
    model.select(0)
    #expect(model.rows.map(\.key) == ["London, GB", "Long, US"])
    model.search("")
    #expect(model.rows.map(\.key) == ["London, GB", "Long, US"])
  }

  @Test("--explain prints the ranks and the work")
  func explain() {
    let directory = TemporaryDirectory()
    let result = Program.run(["query", "-i", index("--weight", "people", in: directory), "london", "--explain"])
    #expect(result.status == 0)
    let row = result.output.split(separator: "\n").last.map { $0.split(separator: " ").compactMap { Int($0) } } ?? []
    #expect(row.count == 6 && row[0] == 0 && row[3] == 6 && row[1] == row[2] + 2048 * row[3] + row[4], "\(result)")
    #expect(result.output.contains("parts opened        1\n"), "\(result)")
    #expect(result.output.contains("highest left        none: the hits are all matches\n"), "\(result)")
    #expect(result.output.contains("  key  London, GB\n"), "\(result)")
    let (ranked, plain) = (directory.path + "/index--weightpeople", index(in: directory))
    #expect(Program.run(["zz", "-i", ranked, "--explain"]).status == 1)
    let refused = Program.run(["lond", "-i", plain, "--explain"])
    #expect(refused.status == 64 && refused.error.contains("build it again with --weight"), "\(refused)")
  }

  @Test("The error for another program's option names --sort")
  func lookAlikes() {
    let result = Program.run(["lond", "--sort-by", "rank"])
    #expect(result.status == 64 && result.error.contains("did you mean --sort?"), "\(result)")
  }
}

extension String {
  /// The text between two others; nil if one of them is missing.
  fileprivate func components(after start: String, upTo end: String) -> String? {
    guard let first = ranges(of: start).first else { return nil }
    let rest = self[first.upperBound...]
    return rest.ranges(of: end).first.map { String(rest[..<$0.lowerBound]) }
  }
}
