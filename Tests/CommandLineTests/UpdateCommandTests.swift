import Testing

@Suite("shardq update", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct UpdateCommandTests {
  private static let cities = """
    {"_id":1,"name":"Aachen","country":"DE"}
    {"_id":2,"name":"Basel","country":"CH"}
    {"_id":3,"name":"Zürich","country":"CH"}
    """

  private let directory = TemporaryDirectory()
  private var index: String { directory.path + "/index" }

  private func build() {
    directory.write("cities.jsonl", Self.cities)
    #expect(Program.run(["build", "-i", index, directory.path + "/cities.jsonl"]).status == 0)
  }

  @Test("records change, go and come; the same change again writes nothing")
  func changes() {
    build()
    directory.write(
      "changed.jsonl", #"{"_id":2,"name":"Bern","country":"CH"}"# + "\n" + #"{"_id":4,"name":"Bonn","country":"DE"}"#)
    directory.write("gone.csv", "_id\n1\n77\n")
    let arguments = [
      "update", "-i", index, "--upsert", directory.path + "/changed.jsonl", "--delete", directory.path + "/gone.csv",
    ]
    let first = Program.run(arguments)
    #expect(first.status == 0 && first.output == "")
    #expect(
      first.error.contains(
        "4 changes read, 0 bad; 2 records replaced or removed, 3 in the index; 1 id to delete not found"))
    let all = Program.run(["query", "", "--all", "--format", "tsv", "-i", index]).output
    #expect(all == "2\tBern\tCH\n4\tBonn\tDE\n3\tZürich\tCH\n")
    let second = Program.run(arguments)
    #expect(second.status == 0 && second.error.contains("nothing changed, nothing written"), "\(second)")
    // By way of standard input.
    let piped = Program.run(["update", "-i", index, "--input-format", "csv", "--delete", "-"], input: "_id\n4\n")
    #expect(piped.status == 0 && Program.run(["bonn", "-i", index]).status == 1)
  }

  @Test("how it ends when it cannot")
  func refusals() {
    build()
    directory.write("bad.jsonl", #"{"name":"x"}"#)
    let bad = directory.path + "/bad.jsonl"
    #expect(Program.run(["update", "-i", index]).status == 64)
    #expect(Program.run(["update", "-i", index, "--upsert", "-", "--delete", "-"]).status == 64)
    #expect(Program.run(["update", "-i", directory.path + "/none", "--upsert", bad]).status == 66)
    #expect(Program.run(["update", "-i", index, "--upsert", directory.path + "/none"]).status == 66)
    let refused = Program.run(["update", "-i", index, "--upsert", bad])
    #expect(
      refused.status == 65 && refused.error.contains("bad.jsonl:1:1: record 1: the record has no id"), "\(refused)")
    let skipped = Program.run(["update", "-i", index, "--skip-bad", "--upsert", bad])
    #expect(skipped.status == 0 && skipped.error.contains("nothing changed"), "\(skipped)")
    directory.write("plain.csv", "name\nx\n")
    let plain = directory.path + "/plain"
    #expect(Program.run(["build", "-i", plain, "--key", "{name}", directory.path + "/plain.csv"]).status == 0)
    let noID = Program.run(["update", "-i", plain, "--upsert", bad])
    #expect(noID.status == 65 && noID.error.contains("--id"), "\(noID)")
  }
}
