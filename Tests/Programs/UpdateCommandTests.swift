import TestSupport
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
    directory.write(Self.cities, to: "cities.jsonl")
    #expect(Program.run(["build", "-i", index, directory.path + "/cities.jsonl"]).status == 0)
  }

  @Test("records change, go and come; repeating the update writes nothing")
  func changes() {
    build()
    directory.write(
      #"{"_id":2,"name":"Bern","country":"CH"}"# + "\n" + #"{"_id":4,"name":"Bonn","country":"DE"}"#,
      to: "changed.jsonl")
    directory.write("_id\n1\n77\n", to: "gone.csv")
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
    // Through standard input.
    let piped = Program.run(["update", "-i", index, "--input-format", "csv", "--delete", "-"], input: "_id\n4\n")
    #expect(piped.status == 0 && Program.run(["bonn", "-i", index]).status == 1)
  }

  // MARK: Beside the shards

  private static let changed = """
    {"_id":2,"name":"Bern","country":"CH"}
    {"_id":4,"name":"Bonn","country":"DE"}
    """
  /// The cities with these changes, and without those that ``update(_:)`` removes.
  private static let result = changed + "\n" + #"{"_id":3,"name":"Zürich","country":"CH"}"# + "\n"
  private static let now = "2\tBern\tCH\n4\tBonn\tDE\n3\tZürich\tCH\n"

  private var files: [String] { Files.names(in: index).filter { $0 != ".lock" } }
  private var manifest: [UInt8] { Files.bytes(index + "/manifest") }

  /// Runs an update of the index with the changes above and the given arguments.
  private func update(_ arguments: String...) -> Program.Result {
    directory.write(Self.changed, to: "changed.jsonl")
    directory.write("_id\n1\n77\n", to: "gone.csv")
    return Program.run(
      ["update", "-i", index, "--upsert", directory.path + "/changed.jsonl", "--delete", directory.path + "/gone.csv"]
        + arguments)
  }

  /// Runs with either program.
  private func query(_ arguments: String...) -> Program.Result {
    let (front, commands) = (
      Program.run(["query"] + arguments + ["-i", index]),
      Program.run(["query"] + arguments + ["-i", index], program: Program.directory! + "/shardq-commands")
    )
    #expect(front == commands)
    return front
  }

  private func build(_ text: String, _ name: String) -> String {
    directory.write(text, to: name + ".jsonl")
    let path = directory.path + "/" + name
    #expect(Program.run(["build", "-i", path, path + ".jsonl"]).status == 0)
    return path
  }

  @Test("--overlay writes one file alone, and all answers are those of the changed records")
  func overlay() {
    build()
    let (before, shards) = (manifest, files)
    let first = update("--overlay")
    #expect(first.status == 0 && first.output == "")
    #expect(
      first.error.contains(
        "4 changes read, 0 bad; 2 records replaced or removed, 3 in the index; 1 id to delete not found"))
    let size = Files.bytes(index + "/overlay").count
    #expect(first.error.contains("an overlay of \(size) bytes beside them"), "\(first)")
    #expect(manifest == before && files == (shards + ["overlay"]).sorted())

    #expect(query("", "--all", "--format", "tsv").output == Self.now)
    #expect(query("b", "--count").output == "2\n" && query("basel").status == 1)
    #expect(query("zü", "--format", "tsv").output == "3\tZürich\tCH\n")
    #expect(query("", "--offset", "1", "-n", "1", "--format", "tsv").output == "4\tBonn\tDE\n")
    #expect(Program.run(["bonn", "-i", index]).output == "4\tBonn\tDE\n")
    #expect(Program.run(["query", "--stdin", "-i", index], input: "aac\nber\n").output.contains("Bern"))
    let exported = Program.run(["export", "-i", index])
    #expect(exported.status == 0 && exported.output == Self.result)

    let second = update("--overlay")
    #expect(second.status == 0 && second.error.contains("nothing changed, nothing written"), "\(second)")
    #expect(second.error.contains("2 ids to delete not found"))
    // A pinned query answers from the shards alone.
    let digest = Program.run(["stats", "-i", index, "--format", "json"]).output
      .split(separator: "\"manifest_sha256\":\"")[1].prefix(64)
    let pinned = query("", "--all", "--format", "tsv", "--expect-digest", String(digest))
    #expect(pinned.status == 0 && pinned.output == "1\tAachen\tDE\n2\tBasel\tCH\n3\tZürich\tCH\n")
  }

  @Test("stats and verify know the overlay")
  func overlayShown() {
    build()
    let plain = Program.run(["stats", "-i", index, "--format", "json"]).output
    #expect(plain.contains("\"records\":3,") && plain.contains("\"overlay_bytes\":0,"))
    #expect(update("--overlay").status == 0)
    let size = Files.bytes(index + "/overlay").count
    let stats = Program.run(["stats", "-i", index])
    #expect(stats.status == 0)
    #expect(
      stats.output.contains(
        "overlay   \(size) bytes: 2 records added, 2 removed\n"),
      "\(stats)")
    let json = Program.run(["stats", "-i", index, "--format", "json"]).output
    let bytes = files.reduce(0) { $0 + Files.bytes(index + "/" + $1).count }
    #expect(json.contains("\"records\":3,") && json.contains("\"bytes\":\(bytes),"), "\(json)")
    #expect(json.contains("\"overlay_bytes\":\(size),"), "\(json)")

    let now = build(Self.result, "now") + ".jsonl"
    let verified = Program.run(["verify", "-i", index, "--source", now])
    #expect(verified.status == 0 && verified.error.contains("all in the index, and no others"), "\(verified)")
    #expect(verified.error.contains("every byte is sound"))
    let differs = Program.run(["verify", "-i", index, "--source", directory.path + "/cities.jsonl"])
    #expect(differs.status == 1, "\(differs)")
    #expect(differs.output.contains(#"not in the index: {"_id":1,"name":"Aachen","country":"DE"}"# + "\n"))
    #expect(differs.output.contains(#"not in the dataset: {"_id":4,"name":"Bonn","country":"DE"}"# + "\n"))

    // A byte of the overlay is damaged: no query answers.
    var damaged = Files.bytes(index + "/overlay")
    damaged[60] ^= 1
    directory.write(damaged, to: "index/overlay")
    #expect(query("b").status == 65 && query("b").output == "")
    let found = Program.run(["verify", "-i", index])
    #expect(found.status == 1 && (found.output + found.error).contains("overlay"), "\(found)")
    #expect(update("--overlay").status == 65 && Files.bytes(index + "/overlay") == damaged)
  }

  @Test("--merge and an update without --overlay write an overlay into shards; a build removes it")
  func merges() {
    let whole = build(Self.result, "now")
    let wholeManifest = Files.bytes(whole + "/manifest")
    build()
    let before = manifest
    #expect(update("--overlay").status == 0)
    let merged = Program.run(["update", "-i", index, "--merge"])
    #expect(merged.status == 0 && merged.output == "")
    #expect(merged.error.contains("0 changes read, 0 bad; 0 records replaced or removed, 3 in the index"), "\(merged)")
    #expect(merged.error.contains("1 of them written"), "\(merged)")
    #expect(manifest == wholeManifest && !files.contains("overlay"))
    #expect(query("", "--all", "--format", "tsv").output == Self.now)
    let again = Program.run(["update", "-i", index, "--merge"])
    #expect(again.status == 0 && again.error.contains("nothing changed, nothing written"), "\(again)")

    // With other changes each time.
    for arguments in [["--merge"], []] {
      build()
      directory.write("_id\n1\n", to: "first.csv")
      #expect(Program.run(["update", "-i", index, "--overlay", "--delete", directory.path + "/first.csv"]).status == 0)
      directory.write(Self.changed, to: "changed.jsonl")
      let update = Program.run(
        ["update", "-i", index, "--upsert", directory.path + "/changed.jsonl"] + arguments)
      #expect(update.status == 0 && update.error.contains("1 record replaced or removed, 3 in the index"), "\(update)")
      #expect(manifest == wholeManifest && !files.contains("overlay"))
    }

    // Back to the records of the shards, by changes and by a build.
    build()
    #expect(update("--overlay").status == 0)
    let back = Program.run(
      ["update", "-i", index, "--overlay", "--upsert", directory.path + "/cities.jsonl", "--delete", "-"],
      input: #"{"_id":4}"#)
    #expect(back.status == 0 && !files.contains("overlay") && manifest == before, "\(back)")
    #expect(update("--overlay").status == 0 && files.contains("overlay"))
    build()
    #expect(!files.contains("overlay") && manifest == before && query("bonn").status == 1)
  }

  @Test("changes that are too many for an overlay, or have a new field, are written into shards")
  func tooMany() {
    let noted = Self.cities + "\n" + #"{"_id":5,"name":"Zug","country":"CH","note":"x"}"#
    for change in [
      #"{"_id":2,"name":"Basel","country":"CH","other":1}"#,
      #"{"_id":2,"name":"Basel","country":"CH","note":""# + String(repeating: "x", count: 70_000) + #""}"#,
    ] {
      #expect(build(noted, "index") == index)
      #expect(update("--overlay").status == 0 && files.contains("overlay"))
      let written = Program.run(
        ["update", "-i", index, "--overlay", "--input-format", "jsonl", "--upsert", "-"], input: change)
      #expect(written.status == 0 && written.error.contains(" of them written"), "\(written)")
      #expect(!files.contains("overlay") && query("bonn").status == 0 && query("bern").status == 1)
      #expect(Program.run(["verify", "-i", index]).status == 0)
    }
  }

  @Test("diff refuses an index with an overlay on either side, and apply refuses one too")
  func packs() {
    let whole = build(Self.changed, "whole")
    build()
    let pack = directory.path + "/pack"
    #expect(Program.run(["diff", index, whole, "-o", pack]).status == 0)
    #expect(update("--overlay").status == 0)
    let before = Files.bytes(index + "/overlay")
    for arguments in [
      ["diff", index, whole, "-o", pack + "2"], ["diff", whole, index, "-o", pack + "2"], ["apply", pack, "-i", index],
    ] {
      let refused = Program.run(arguments)
      #expect(refused.status == 65 && refused.output == "", "\(arguments): \(refused)")
      #expect(refused.error.contains("index/overlay has changes") && refused.error.contains("--merge"), "\(refused)")
    }
    #expect(Files.bytes(index + "/overlay") == before && query("bonn").status == 0)
    #expect(!Files.names(in: directory.path).contains("pack2"))
  }

  @Test("an update that fails ends with its status and a message")
  func refusals() {
    build()
    directory.write(#"{"name":"x"}"#, to: "bad.jsonl")
    let bad = directory.path + "/bad.jsonl"
    #expect(Program.run(["update", "-i", index]).status == 64)
    #expect(Program.run(["update", "-i", index, "--upsert", "-", "--delete", "-"]).status == 64)
    let nothing = Program.run(["update", "-i", index, "--overlay"])
    #expect(nothing.status == 64 && nothing.error.contains("--merge"), "\(nothing)")
    let both = Program.run(["update", "-i", index, "--overlay", "--merge", "--upsert", bad])
    #expect(both.status == 64 && both.error.contains("--overlay and --merge exclude each other"), "\(both)")
    #expect(Program.run(["update", "-i", index, "--overlay", "--upsert", bad]).status == 65)
    #expect(Program.run(["update", "-i", directory.path + "/none", "--merge"]).status == 66)
    #expect(!Files.names(in: index).contains("overlay"))
    #expect(Program.run(["update", "-i", directory.path + "/none", "--upsert", bad]).status == 66)
    #expect(Program.run(["update", "-i", index, "--upsert", directory.path + "/none"]).status == 66)
    let refused = Program.run(["update", "-i", index, "--upsert", bad])
    #expect(
      refused.status == 65 && refused.error.contains("bad.jsonl:1:1: record 1: the record has no id"), "\(refused)")
    let skipped = Program.run(["update", "-i", index, "--skip-bad", "--upsert", bad])
    #expect(skipped.status == 0 && skipped.error.contains("nothing changed"), "\(skipped)")
    directory.write("name\nx\n", to: "plain.csv")
    let plain = directory.path + "/plain"
    #expect(Program.run(["build", "-i", plain, "--key", "{name}", directory.path + "/plain.csv"]).status == 0)
    let noID = Program.run(["update", "-i", plain, "--upsert", bad])
    #expect(noID.status == 65 && noID.error.contains("--id"), "\(noID)")
    #expect(Program.run(["update", "-i", plain, "--overlay", "--upsert", bad]).status == 65)
  }
}
