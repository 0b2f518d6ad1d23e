import TestSupport
import Testing

@Suite("shardq plan", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct PlanCommandTests {
  private let scratch = TemporaryDirectory()
  private var index: String { scratch.path + "/index" }
  private var log: String { scratch.path + "/typing.log" }
  private var dataset: String { scratch.path + "/list.jsonl" }
  /// The directory in which candidates are built.
  private var work: String { scratch.path + "/work" }

  private func prepare(records: Int = 3000) {
    #expect(Program.run(["generate", "--count", "\(records)", "--format", "jsonl"], output: dataset).status == 0)
    #expect(Program.run(["build", "-i", index, "--level", "1", dataset]).status == 0)
    #expect(Program.run(["generate", "--typing", "1000", "-i", index], output: log).status == 0)
    #expect(Program.run(["-c", "mkdir \"$0\"", work], program: "/bin/sh").status == 0)
  }

  private func plan(_ arguments: [String]) -> Program.Result {
    Program.run(["plan", "--log", log] + arguments, variables: ["TMPDIR=" + work])
  }

  @Test("the table names the choice, and the printed command builds it")
  func table() throws {
    prepare(records: 20_000)
    let sizes = [
      "--shard-sizes", "16KiB,80KiB", "--part-sizes", "1KiB,1.5KiB", "--cache", "64KiB", "--max-size", "+60%",
    ]
    let text = plan(["-i", index] + sizes)
    #expect(text.status == 0 && text.error == "", "\(text)")
    #expect(text.output.contains("to choose: ") && text.output.contains("to check: "))
    let lines = text.output.split(separator: "\n")
    let chosen = lines.filter { $0.hasSuffix("<- chosen") }
    #expect(chosen.count == 2 && lines.count { $0.hasSuffix("default") } == 2, "\(text.output)")
    #expect(text.output.contains(" % fewer bytes per keystroke than the default"))
    let command = try #require(lines.last).split(separator: " ")
    #expect(command.starts(with: ["shardq", "build"]) && command.last == "DATASET", "\(command)")
    #expect(lines.last!.contains("--key '{name}, {country}' --id _id --level 1 --index \(index) "))
    // The index that the command builds is as large as the table says.
    let built = Program.run(
      [
        "-c", String(lines.last!).replacing("DATASET", with: dataset).replacing("shardq build", with: "\"$0\" build"),
        Program.directory! + "/shardq",
      ], program: "/bin/sh")
    #expect(built.status == 0, "\(built)")
    let words = try #require(chosen.first).split(separator: " ")
    let stats = Program.run(["stats", "-i", index, "--format", "json"]).output
    #expect(stats.contains("\"shard_limit_bytes\":\(words[0] == "16KiB" ? 16384 : 81920),\"part_bytes\":"), "\(stats)")
    #expect(stats.contains("\"shards\":\(Int(words[2])! - 1),"), "\(stats)")
    #expect(stats.contains("\"part_bytes\":\(words[1] == "1KiB" ? 1024 : 1536),"), "\(stats)")
    // A plan from the dataset prints the same, except its command, which names the dataset.
    let other = plan(["--level", "1", dataset] + sizes)
    #expect(other.output.split(separator: "\n").dropLast() == lines.dropLast())
    #expect(other.output.hasSuffix(" --level 1 \(dataset)\n"))
    let json = plan(["-i", index, "--format", "json"] + sizes)
    #expect(json.output.hasPrefix("{\"schema\":1,\"cache_bytes\":65536,\"rows\":20,\"max_disk_bytes\":"), "\(json)")
    #expect(json.output.contains("\"is_default\":false,\"command\":\"shardq build "))
    #expect(Files.names(in: work) == [])
  }

  @Test("the plan says when no candidate is better than the default")
  func usual() {
    prepare()
    let only = plan(["-i", index, "--shard-sizes", "80KiB", "--part-sizes", "1.5KiB"])
    #expect(only.status == 0 && only.output.contains("The default sizes are the best of these; keep them.\n"))
    #expect(only.output.contains("<- the default, chosen"))
    #expect(only.output.contains("\nshardq build --key "))
  }

  @Test("a plan that fails ends with its status and a message")
  func refusals() {
    prepare(records: 300)
    func check(_ arguments: [String], _ status: Int, _ part: String) {
      let result = Program.run(["plan"] + arguments, variables: ["TMPDIR=" + work])
      #expect(result.status == status && result.output == "" && result.error.contains(part), "\(arguments): \(result)")
    }
    scratch.write("a\nab\n", to: "one.log")
    scratch.write("a\nb\nx\ty\n", to: "bad.log")
    check(["-i", index], 64, "--log")
    check(["-i", index, "--log", log, dataset], 64, "--index and datasets exclude each other")
    check(["-i", index, "--log", log, "--key", "{name}"], 64, "with a dataset")
    check(["-i", index, "--log", log, "--max-size", "5%"], 64, "--max-size")
    check(["-i", index, "--log", log, "--part-sizes", "1"], 64, "512 bytes")
    check(["-i", index, "--log", log, "--shard-sizes", "64KiB,"], 64, "--shard-sizes")
    for size in ["1.3KiB", "1.KiB", ".5KiB", "1.5", "2.0000000KiB", "9999999999.5TiB"] {
      check(["-i", index, "--log", log, "--part-sizes", size], 64, "--part-sizes")
    }
    check(["-i", index, "--log", work], 64, "write the log to a file")
    check(["-i", index, "--log", scratch.path + "/none"], 66, "/none")
    check(["-i", index, "--log", scratch.path + "/one.log"], 65, "the log has one session")
    check(["-i", index, "--log", scratch.path + "/bad.log"], 65, "bad.log:3:")
    check(["-i", scratch.path + "/none", "--log", log], 66, "/none")
    check(["--log", log, scratch.path + "/none.json"], 66, "/none.json")
    scratch.write("%PDF-1.4\n", to: "list.pdf")
    check(["--log", log, scratch.path + "/list.pdf"], 64, "list.pdf")
    check(["-i", index, "--log", log, "--max-size", "1"], 1, "the size of the smallest candidate")
    let nowhere = Program.run(["plan", "-i", index, "--log", log], variables: ["TMPDIR=\(scratch.path)/none"])
    #expect(nowhere.status == 74 && nowhere.error.contains("/none"))
    #expect(Files.names(in: work) == [])
  }

  /// Starts a plan, sends it a signal once candidates are there, and prints how it ended.
  private func interrupted(by signal: String, _ prefix: String = "") -> Program.Result {
    let script = """
      \(prefix)TMPDIR=\(work) "$0" plan --log \(log) -i \(index) >/dev/null 2>&1 &
      while [ -z "$(ls \(work)/*/candidate 2>/dev/null)" ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
      kill -\(signal) $!
      wait $!
      echo $?
      """
    var result: Program.Result
    var attempt = 0
    repeat {
      result = Program.run(["-c", script, Program.directory! + "/shardq"], program: "/bin/sh")
      attempt += 1
      // On a busy machine the plan may end before the signal comes.
    } while result.output.hasPrefix("0\n") && attempt < 10
    return result
  }

  @Test("a signal ends a plan without a trace; the next plan removes the files of a killed one")
  func signals() {
    // So many records that the files of a candidate can be seen even on a busy machine.
    prepare(records: 60_000)
    for (signal, status) in [("TERM", 143), ("HUP", 129), ("XCPU", 152)] {
      let result = interrupted(by: signal)
      #expect(result.output.hasPrefix("\(status)\n"), "\(signal): \(result)")
      #expect(Files.names(in: work) == [], "\(signal)")
    }
    let killed = interrupted(by: "KILL")
    #expect(killed.output.hasPrefix("137\n") && Files.names(in: work).count == 1)
    #expect(plan(["-i", index, "--shard-sizes", "80KiB", "--part-sizes", "1.5KiB"]).status == 0)
    #expect(Files.names(in: work) == [])
  }

  @Test("a signal that is ignored, as under nohup, does not end a plan")
  func ignored() {
    prepare(records: 2000)
    let result = interrupted(by: "HUP", "trap '' HUP\n")
    #expect(result.output == "0\n", "\(result)")
  }
}
