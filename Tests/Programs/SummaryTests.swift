import Foundation
import ShardedIndex
import ShardqCommands
import TestSupport
import Testing

@Suite("One object of JSON for every command", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct SummaryTests {
  private let scratch = TemporaryDirectory()

  /// Runs a command in the scratch directory, and returns the members of the object that it prints.
  private func members(
    _ command: String, status: Int = 0, _ location: SourceLocation = #_sourceLocation
  ) throws -> [String: Any] {
    let result = Program.run(
      ["-c", "cd '\(scratch.path)'; " + command], program: "/bin/sh",
      variables: ["PATH=\(Program.directory!):/usr/bin:/bin"])
    #expect(result.status == status, "\(result)", sourceLocation: location)
    #expect(result.error == "", sourceLocation: location)
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    let members = try #require(object, "\(result.output)", sourceLocation: location)
    #expect(members["schema"] as? Int == 1, sourceLocation: location)
    return members
  }

  private func number(_ members: [String: Any], _ name: String) -> Int? { members[name] as? Int }

  @Test func everyCommand() throws {
    scratch.write("id,name,country\n1,Aachen,DE\n2,Basel,CH\n", to: "a.csv")
    scratch.write("id,name,country\n3,Cork,IE\n", to: "b.csv")
    let built = try members("shardq build --json --id id --key '{name}, {country}' a.csv")
    #expect(built["command"] as? String == "build" && built["index"] as? String == "shards")
    #expect(number(built, "records") == 2 && number(built, "bad_records") == 0)
    _ = try members("cp -r shards old; shardq stats --json")
    let updated = try members("shardq update --json --upsert b.csv")
    #expect(number(updated, "records") == 3 && number(updated, "changes_read") == 1)
    #expect(updated["unchanged"] as? Bool == false)
    let verified = try members("shardq verify --json --source a.csv --source b.csv")
    #expect(verified["sound"] as? Bool == true && number(verified, "source_records") == 3)
    #expect(try number(members("shardq diff --json old shards -o p.pack"), "shards_shipped") != nil)
    #expect(try members("shardq apply --json -i old p.pack")["unchanged"] as? Bool == false)
    #expect(try members("shardq apply --json -i old p.pack")["unchanged"] as? Bool == true)
    let exported = try members("shardq export --json")
    #expect(number(exported, "count") == 3 && (exported["records"] as? [Any])?.count == 3)
    let repaired = try members("for f in shards/*.zst; do printf x >> $f; done; shardq repair --json --from old")
    #expect((repaired["repaired"] as? [String])?.isEmpty == false && repaired["sound"] as? Bool == true)
    let damaged = try members("rm shards/*.zst; shardq verify --json", status: 1)
    #expect(damaged["sound"] as? Bool == false)
    #expect(((damaged["findings"] as? [[String: Any]])?.first?["kind"] as? String) == "damage")
  }

  @Test func quietIsQuiet() {
    scratch.write("name\nAachen\n", to: "a.csv")
    for command in [
      "build -q --id name --key '{name}' a.csv", "verify -q", "aa -q", "update -q --merge",
      "diff -q shards shards -o p", "apply -q p",
    ] {
      let result = Program.run(
        ["-c", "cd '\(scratch.path)'; shardq " + command], program: "/bin/sh",
        variables: ["PATH=\(Program.directory!):/usr/bin:/bin"])
      #expect(result == .init(status: 0, output: "", error: ""), "\(command)")
    }
    #expect(Program.run(["zz", "-q", "-i", scratch.path + "/shards"]) == .init(status: 1, output: "", error: ""))
    #expect(Program.run(["stats", "-i", scratch.path + "/none"]).error.hasPrefix("shardq: "))
  }

  @Test func verboseSaysMore() {
    let index = SmallIndex.shared
    let answer = Program.run(["alab", "-v", "-i", index.path])
    #expect(answer.error.contains(" opened, ") && answer.error.hasSuffix(" ms\n"), "\(answer)")
    let verified = Program.run(["verify", "-v", "-i", index.path])
    #expect(verified.error.contains("checking shards ") && verified.error.contains("in all "), "\(verified)")
  }

  @Test("A progress bar has the share, the rate and the time left, and is left out where there is no room")
  func bar() {
    let step = ProgressBar.Step("reading", 45_000_000, of: 100_000_000, isBytes: true, records: 1_120_432)
    func line(_ columns: Int, _ milliseconds: Int = 5000) -> String {
      ProgressBar.line(step, milliseconds: milliseconds, columns: columns)
    }
    #expect(
      line(120) == "reading  [#########-----------]  45 %  45.0 MB  1,120,432 records  9.0 MB/s  6 s left")
    #expect(line(80) == "reading  45 %  45.0 MB  1,120,432 records  9.0 MB/s  6 s left")
    #expect(line(40) == "reading  45 %  45.0 MB")
    #expect(line(8) == "reading")
    #expect(line(3) == "re")
    #expect(line(120, 100) == "reading  [#########-----------]  45 %  45.0 MB  1,120,432 records")
    #expect(
      ProgressBar.line(.init("sorting", 7, of: nil), milliseconds: 0, columns: 80, prefix: "1 of 9: ")
        == "1 of 9: sorting  7 records")
    #expect(
      ProgressBar.line(.init("writing", 9, of: 3), milliseconds: 9000, columns: 80)
        == "writing  [####################]  100 %  3 records  0/s  0 s left")
    #expect(ProgressBar.line(.init("w", 1, of: 0), milliseconds: 9, columns: 80) == "w  0 records")
    #expect(
      ProgressBar.line(step, milliseconds: 5000, columns: nil, prefix: "key: ")
        == "key: reading  45 %  45.0 MB  1,120,432 records  9.0 MB/s  6 s left")
  }

  @Test("Progress of lines has a line of the last step at each beat, with the time since the step began")
  func lines() {
    final class Log: Sendable {
      let time = Lock(7000)
      let text = Lock("")
    }
    let log = Log()
    let progress = ProgressBar(
      linesOf: "key", now: { log.time.withLock { $0 } }, write: { text in log.text.withLock { $0 += text } })
    func line(after milliseconds: Int) -> String {
      log.time.withLock { $0 += milliseconds }
      progress.beat()
      return log.text.withLock { (text: inout String) -> String in
        defer { text = "" }
        return text
      }
    }
    #expect(line(after: 10_000) == "")
    progress.show(.init("reading", 3_000_000, of: nil, isBytes: true, records: 10))
    #expect(line(after: 10_000) == "shardq key: reading  3.0 MB  10 records  300 KB/s\n")
    // A step that does not go on has a line too.
    #expect(line(after: 10_000) == "shardq key: reading  3.0 MB  10 records  150 KB/s\n")
    progress.show(.init("reading", 9_000_000, of: nil, isBytes: true, records: 30))
    #expect(line(after: 10_000) == "shardq key: reading  9.0 MB  30 records  300 KB/s\n")
    progress.show(.init("writing", 5, of: 50))
    progress.clear()
    #expect(line(after: 1000) == "shardq key: writing  10 %  5 records  5/s  9 s left\n")
  }
}
