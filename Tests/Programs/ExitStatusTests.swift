import QueryOutput
import TestSupport
import Testing

import CLibrary

@Suite("How commands end", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct ExitStatusTests {
  let index = SmallIndex.shared

  @Test(
    "Wrong usage ends with 64",
    arguments: [
      ["san", "-n", "0"], ["san", "--all", "-n", "3"], ["--nonsense"], ["query"], ["build"],
      ["san", "--format", "xml"],
      ["export", "--format", "text"], ["build", "--level", "40", "x"], ["verify", "--key", "{a}"],
      ["generate"], ["diff", "a", "b"], ["diff", "a", "-o", "p"], ["apply"], ["apply", "a", "b"],
      ["repair"], ["archive"], ["archive", "-o", "-"], ["unarchive", "x"],
      ["publish"], ["publish", "x"], ["publish", "s3://b/", "--grace", "59s"], ["fetch", "https://host/"],
      ["prune", "s3://"],
      ["prune", "s3://b/", "--keep", "0"],
      ["prune", "s3://b/", "--grace", "7"], ["page"], ["page", "-o", ""], ["plan"], [],
      ["san", "--index="], ["build", "--memory", "lots", "x"],
    ])
  func usage(_ arguments: [String]) {
    let result = Program.run(arguments, index: index.path)
    #expect(result.status == 64 && result.output == "" && result.error != "", "\(arguments): \(result)")
  }

  @Test("A query answers whichever environment variables are set")
  func variables() {
    let usual = Program.run(["alab"], index: index.path)
    #expect(usual.status == 0 && usual.output != "")
    for variables in [
      [""], ["G", "GL", "GLI", "M", "MA", "MAL", "L", "LD", "LD_"], ["=", "GLIBC_TUNABLES="],
      ["GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.nothing.such=2"], ["MALLOC_ARENA_MAX=1", "MALLOC_PERTURB_=165"],
      ["LD_LIBRARY_PATH=/nowhere:$ORIGIN/lib", "LD_HWCAP_MASK=0"], (0..<2000).map { "VARIABLE_\($0)=x" },
    ] {
      #expect(Program.run(["alab"], index: index.path, variables: variables) == usual, "\(variables.prefix(9))")
    }
  }

  @Test func missingIndex() {
    let empty = TemporaryDirectory()
    for arguments in [
      ["san"], ["query", "san", "--stdin"].dropLast(1) + ["-n", "3"], ["stats"], ["san", "--explain"],
      ["export"], ["verify"], ["query", "--stdin"],
    ] {
      for path in [empty.path, empty.path + "/nowhere"] {
        let result = Program.run(Array(arguments) + ["-i", path], input: "x\n")
        #expect(result.status == 66 && result.output == "", "\(arguments): \(result)")
        #expect(result.error.contains(path))
      }
    }
  }

  @Test func damagedIndex() {
    let copy = TemporaryDirectory()
    mkdir(copy.path + "/index", 0o755)
    for name in Files.names(in: index.path) {
      var bytes = index.directory.bytes("index/" + name)
      if name.hasSuffix(".zst") { bytes[bytes.count / 2] ^= 0x40 }
      copy.write(bytes, to: "index/" + name)
    }
    let query = Program.run(["alab", "-i", copy.path + "/index"])
    #expect(query.status == 65 && query.output == "" && query.error.contains(".zst"))
    let verify = Program.run(["verify", "-i", copy.path + "/index"])
    #expect(verify.status == 1 && verify.output.contains("SHA-256"))
    copy.write("nonsense", to: "index/manifest")
    #expect(Program.run(["alab", "-i", copy.path + "/index"]).status == 65)
    #expect(Program.run(["verify", "-i", copy.path + "/index"]).status == 1)
    #expect(Program.run(["stats", "-i", copy.path + "/index"]).status == 65)
  }

  @Test func missingShard() {
    let copy = TemporaryDirectory()
    mkdir(copy.path + "/index", 0o755)
    copy.write(index.directory.bytes("index/manifest"), to: "index/manifest")
    let query = Program.run(["alab", "-i", copy.path + "/index"])
    #expect(query.status == 65 && query.output == "")
    #expect(Program.run(["verify", "-i", copy.path + "/index"]).output.contains("is missing"))
  }

  @Test("A file that cannot be read is not called damaged")
  func unreadShards() {
    let copy = TemporaryDirectory()
    mkdir(copy.path + "/index", 0o755)
    // Without an overlay's file, which is open while the manifest is opened.
    for name in Files.names(in: index.path) {
      copy.write(index.directory.bytes("index/" + name), to: "index/" + name)
    }
    let verify = Program.run(
      ["-c", "ulimit -n 5; exec \"$0\" verify -i \"$1\"", Program.directory! + "/shardq", copy.path + "/index"],
      program: "/bin/sh")
    #expect(verify.status == 74, "\(verify)")
    #expect(verify.output == "" && verify.error.contains("Too many open files"), "\(verify)")
    #expect(verify.error.contains("to read"), "\(verify)")
    #expect(!verify.error.contains("damage"))
  }

  #if os(Linux)
    @Test(
      "A full disk ends with 74",
      arguments: [
        ["alab"], ["alab", "--count"], ["query", "", "--all", "--format", "json"], ["stats"],
        ["export"],
        ["generate", "--count", "10"], ["--help"], ["query", "--stdin"],
        ["--generate-completion-script", "bash"],
      ])
    func fullDisk(_ arguments: [String]) {
      let result = Program.run(arguments, input: "alab\n", index: index.path, output: "/dev/full")
      #expect(result.status == 74, "\(arguments): \(result)")
      #expect(result.error.contains("cannot write to standard output"))
    }
  #endif

  @Test func closedPipe() {
    let scratch = TemporaryDirectory()
    let command = """
      set -o pipefail; PATH="$1:$PATH"; shardq generate --count 200000 --format jsonl | head -n 1 >/dev/null; echo $?
      shardq build -i "$2/i" "$2/many.jsonl" 2>/dev/null; shardq -i "$2/i" '' --all 2>"$2/err" | head -n 1 >/dev/null; echo $?; cat "$2/err"
      """
    scratch.write(Program.run(["generate", "--count", "20000", "--format", "jsonl"]).output, to: "many.jsonl")
    let result = Program.run(
      ["-c", command, "shell", Program.directory!, scratch.path], program: "/bin/bash")
    #expect(result.output == "141\n141\n" && result.error == "", "\(result)")
  }

  @Test func buildFailures() {
    let scratch = TemporaryDirectory()
    scratch.write("[{\"name\":\"a\",\"country\":\"b\"},{]", to: "bad.json")
    scratch.write("{\"name\":\"a\",\"country\":\"b\"}\n{\n{\"name\":\"c\",\"country\":\"d\"}\n", to: "bad.jsonl")
    scratch.write("{\"x\":1,\"y\":2}\n", to: "odd.jsonl")
    func build(_ arguments: String...) -> Program.Result {
      Program.run(["build", "-i", scratch.path + "/i"] + arguments)
    }
    #expect(build(scratch.path + "/nothing.json").status == 66)
    #expect(build(scratch.path + "/bad.json").status == 65)
    #expect(build(scratch.path + "/bad.jsonl", "--key", "{name}").status == 65)
    #expect(build(scratch.path + "/odd.jsonl").status == 64)
    #expect(build(scratch.path + "/odd.jsonl", "--key", "{").status == 64)
    #expect(
      Program.run(["build", "-i", "/dev/null/x", scratch.path + "/odd.jsonl", "--key", "{x}"]).status == 74)
    let skipped = build(scratch.path + "/bad.jsonl", "--key", "{name}, {country}", "--skip-bad")
    #expect(skipped.status == 0 && skipped.output == "")
    #expect(skipped.error.contains("bad.jsonl:2:") && skipped.error.contains("1 bad"))
    #expect(skipped.error.contains("try: shardq -i"))
    #if os(Linux)
      let lock = open(scratch.path + "/i/.lock", O_RDWR | O_CREAT, 0o600)
      #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
      #expect(build(scratch.path + "/bad.jsonl", "--key", "{name}", "--skip-bad").status == 75)
      close(lock)
    #endif
  }

  @Test func frontAlone() {
    let alone = TemporaryDirectory()
    alone.write(try! readProgram(), to: "shardq")
    chmod(alone.path + "/shardq", 0o755)
    let query = Program.run(["alab", "--count"], index: index.path, program: alone.path + "/shardq")
    #expect(query == .init(status: 0, output: "2\n", error: ""))
    let other = Program.run(["stats"], index: index.path, program: alone.path + "/shardq")
    #expect(other.status == 66 && other.error.contains("shardq-commands"))
  }

  private func readProgram() throws -> [UInt8] {
    let scratch = TemporaryDirectory()
    symlink(Program.directory! + "/shardq", scratch.path + "/program")
    return scratch.bytes("program")
  }

  @Test func helpAndCompletions() {
    let help = Program.run(["--help"])
    #expect(
      help.status == 0 && help.output.contains("EXAMPLES") && help.output.contains("shardq build cities.json")
    )
    for command in [
      "query", "facets", "build", "stats", "verify", "export", "diff", "apply", "repair", "archive", "unarchive",
      "publish", "fetch", "prune",
      "page", "generate", "plan",
    ] {
      #expect(help.output.contains("  " + command))
      let own = Program.run([command, "--help"])
      #expect(
        own.status == 0 && own.output.contains("EXAMPLES") && own.output.contains("shardq " + command),
        "\(command)")
    }
    for shell in ["bash", "zsh", "fish"] {
      let script = Program.run(["--generate-completion-script", shell])
      #expect(script.status == 0 && script.output.contains("geojson"))
    }
    #expect(Program.run(["--version"]).output.hasPrefix(ProductVersion.text))
  }

  @Test func reports() {
    let stats = Program.run(["stats", "--format", "json"], index: index.path).output
    #expect(
      stats.hasPrefix("{\"schema\":1,\"index\":") && stats.contains("\"records\":9,")
        && stats.contains("\"key\":\"{name}, {country}\""))
    #expect(Program.run(["stats"], index: index.path).output.contains("records"))
    let verify = Program.run(["verify", "--source", index.source], index: index.path)
    #expect(
      verify.status == 0 && verify.output == "" && verify.error.contains("every answer is right"), "\(verify)"
    )
  }
}
