import Answers
import QueryOutput
import TestSupport
import Testing

@Suite("Output of queries", .enabled(if: Program.isThere, Comment(rawValue: Program.absence)))
struct OutputTests {
  let index = SmallIndex.shared

  func shardq(_ arguments: String..., input: String = "") -> Program.Result {
    Program.run(arguments, input: input, index: index.path)
  }

  @Test func tsvInAPipe() {
    let missing = String(repeating: "\t", count: 7)
    #expect(
      shardq("alab")
        == .init(
          status: 0,
          output: "Alab\tUS\t1\t-86.750260\t32.75\(missing)\nAlab Town\tUS\t2\t1e1\t-0.50\(missing)\n", error: ""))
    let line = shardq("line", "--format", "tsv").output
    // TSV escapes no backslash.
    #expect(line.contains("Line\\nBreak\\\tFR\t6"))
    #expect(line.contains(#"["a",{"b":null}]"#))
    #expect(line.split(separator: "\n").count == 1)
  }

  @Test func jsonKeepsTheObject() {
    for record in SmallIndex.records.split(separator: "\n") {
      // Records come out as they were, to the byte, except the name that was written with an escape.
      if record.contains("u001b") { continue }
      let name = record.split(separator: "\"")[2...].first { $0 != ":" }!
      let prefix = name.split(separator: "\\").first.map(String.init)!
      let lines = shardq(prefix, "--format", "jsonl").output.split(separator: "\n")
      #expect(lines.contains(record), "\(prefix)")
    }
    #expect(
      shardq("dup", "--format", "json").output.withoutPlace
        == #"{"schema":1,"query":"dup","matches":["#
        + Array(
          repeating: #"{"name":"Dup","country":"FR","_id":5,"coord":{"lon":2,"lat":48}}"#, count: 2
        ).joined(separator: ",")
        + #"],"count":2,"total":2,"totalIsExact":true,"keys":2,"sort":"key"}"# + "\n")
    let none = shardq("zz\"", "--format", "json")
    #expect(none.status == 1 && none.error.isEmpty)
    #expect(
      none.output.withoutPlace
        == #"{"schema":1,"query":"zz\"","matches":[],"count":0,"total":0,"totalIsExact":true,"keys":0,"sort":"key"}"#
        + "\n")
    #expect(
      shardq("dup", "--count", "--format", "json").output
        == #"{"schema":1,"query":"dup","count":2,"total":2,"totalIsExact":true}"# + "\n")
  }

  @Test func membersThatWereApart() throws {
    let index = try SmallIndex(#"{"name":"Apart","country":"XX","a":{"x":1,"p":{"q":2}},"b":3,"a\\":4}"#)
    let tsv = TemporaryDirectory()
    tsv.write(
      "#escapes: \\t \\n \\r \\\\\nname\tcountry\ta.x\tb\ta.p.q\tc.d\ta.p.r\nApart\tXX\t1\t2\t3\t4\t5\n", to: "t.tsv")
    #expect(
      Program.run(["build", "--key", "{name}, {country}", "-i", tsv.path + "/i", tsv.path + "/t.tsv"]).status
        == 0)
    #expect(
      Program.run(["apart", "--format", "jsonl", "-i", tsv.path + "/i"]).output
        == #"{"name":"Apart","country":"XX","a":{"x":"1","p":{"q":"3","r":"5"}},"b":"2","c":{"d":"4"}}"#
        + "\n")
    #expect(
      Program.run(["apart", "--format", "jsonl"], index: index.path).output
        == #"{"name":"Apart","country":"XX","a":{"x":1,"p":{"q":2}},"b":3,"a\\":4}"# + "\n")
  }

  @Test func csv() {
    let answer = shardq("comma", "--format", "csv")
    #expect(answer.output.hasPrefix("name,country,_id,coord.lon,coord.lat"))
    #expect(answer.output.contains("\r\n\"Comma, Inc\",DE,4,"))
    #expect(shardq("bad", "--format", "csv").output.contains("\"X\"\"Y\""))
    #expect(shardq("zz", "--format", "csv").output.hasSuffix("\r\n"))
  }

  @Test func geojson() {
    let answer = shardq("al", "--format", "geojson").output
    #expect(
      answer.hasPrefix(
        "{\"type\":\"FeatureCollection\",\"schema\":1,\"features\":[\n{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[-86.750260,32.75]},\"properties\":{\"name\":\"Alab\""
      ))
    #expect(answer.hasSuffix("}}\n]}\n"))
    // Coordinates out of range, or missing.
    #expect(shardq("bad", "--format", "geojson").output.contains("\"geometry\":null"))
    #expect(shardq("comma", "--format", "geojson").output.contains("\"geometry\":null"))
    #expect(
      shardq("zz", "--format", "geojson").output == "{\"type\":\"FeatureCollection\",\"schema\":1,\"features\":[]}\n")
  }

  @Test func textIsAlignedAndTame() {
    #expect(
      shardq("alab", "--format", "text").output
        == "Alab, US         32.75, -86.750260\nAlab Town, US    -0.50, 1e1\n")
    let bad = shardq("bad", "--format", "text").output
    #expect(bad.hasPrefix("Bad\\u001b[31mName\\u0009tab, X\"Y    5, 200"))
    #expect(!bad.utf8.contains(0x1b))
    #expect(shardq("line", "--format", "text").output == "Line\\u000aBreak\\, FR\n")
    #expect(shardq("comma", "--format", "text").output == "Comma, Inc, DE\n")
    let missing = shardq("z\u{1b}z", "--format", "text")
    #expect(missing.status == 1 && missing.output == "" && !missing.error.utf8.contains(0x1b))
  }

  @Test func keysThatAreNotStored() {
    let scratch = TemporaryDirectory()
    let build = ["build", "--key", "{name}, {country}", "--keep", "_id,coord", "-i", scratch.path, index.source]
    let built = Program.run(build)
    #expect(built.status == 0 && built.error.contains("try: shardq -i") && !built.error.contains("''"))
    #expect(
      Program.run(["alab", "--format", "text"], index: scratch.path).output
        == "alab, us         32.75, -86.750260\nalab town, us    -0.50, 1e1\n")
    #expect(Program.run(["ALAB, U", "--format", "text"], index: scratch.path).output.hasPrefix("alab, us    32.75"))
    #expect(Program.run(["comma"], index: scratch.path).output == "4\t\t\t\t\n")
  }

  @Test func oneOfSomething() throws {
    let scratch = TemporaryDirectory()
    scratch.write(#"[{"name":"One","country":"XX"}]"#, to: "one.json")
    let source = scratch.path + "/one.json"
    let built = Program.run(["build", "--key", "{name}, {country}", "-i", scratch.path + "/i", source])
    #expect(built.error.hasPrefix("1 record read, 1 in the index, 0 bad\n1 shard in "), "\(built.error)")
    let verified = Program.run(["verify", "-i", scratch.path + "/i"])
    #expect(verified.error.hasPrefix("1 record in 1 shard, "), "\(verified.error)")
    let compared = Program.run(["verify", "--key", "{name}, {country}", "-i", scratch.path + "/i", "--source", source])
    #expect(compared.error.contains("\n1 record in the dataset: all"), "\(compared.error)")
    #expect(
      Program.run(["one", "--offset", "5", "--format", "text", "-i", scratch.path + "/i"]).error
        == "1 match, none at offset 5\n")
  }

  @Test func positions() {
    #expect(shardq("", "-n", "3", "--format", "text").error == "3 of 9 shown; --all shows the rest\n")
    #expect(
      shardq("", "-n", "3", "--offset", "3", "--format", "text").error
        == "4 to 6 of 9 shown; --offset 6 shows the next\n")
    #expect(shardq("", "-n", "3").error == "")
    #expect(shardq("", "--all").output.split(separator: "\n").count == 9)
    #expect(shardq("", "--offset", "8").output.split(separator: "\n").count == 1)
    #expect(shardq("", "--offset", "100") == .init(status: 0, output: "", error: ""))
    #expect(shardq("", "--count") == .init(status: 0, output: "9\n", error: ""))
    #expect(shardq("zz", "--count") == .init(status: 1, output: "0\n", error: ""))
    // City first, then country.
    #expect(shardq("ALAB , u", "--count").output == "1\n")
  }

  @Test func linesOfStandardInput() {
    let answer = shardq("query", "--stdin", "-n", "1", input: "dup\nzz\n\"\r\nalab")
    let lines = answer.output.withoutPlace.split(separator: "\n").map(String.init)
    #expect(answer.status == 0 && lines.count == 4)
    #expect(
      lines[0]
        == #"{"schema":1,"query":"dup","matches":[{"name":"Dup","country":"FR","_id":5,"coord":{"lon":2,"lat":48}}],"#
        + #""count":2,"total":2,"totalIsExact":true,"keys":2,"sort":"key"}"#
    )
    #expect(
      lines[1]
        == #"{"schema":1,"query":"zz","matches":[],"count":0,"total":0,"totalIsExact":true,"keys":0,"sort":"key"}"#)
    #expect(lines[2].hasPrefix(#"{"schema":1,"query":"\"","matches":[],"count":0"#))
    #expect(lines[3].hasPrefix(#"{"schema":1,"query":"alab","matches":[{"#) && lines[3].contains(#"}],"count":2,"#))
    #expect(shardq("query", "--stdin", "--format", "csv").status == 64)
    #expect(shardq("query", "--stdin", "x").status == 64)
  }

  @Test func wholeIndexInAndOut() {
    let copy = TemporaryDirectory()
    let everything = shardq("query", "", "--all", "--format", "jsonl").output
    #expect(shardq("export").output == everything)
    for format in ["jsonl", "tsv"] {
      copy.write(shardq("export", "--format", format).output, to: "x." + format)
      let build = Program.run([
        "build", "-i", copy.path + "/" + format, "--key", "{name}, {country}", copy.path + "/x." + format,
      ])
      #expect(build.status == 0, "\(build.error)")
    }
    #expect(Program.run(["export", "-i", copy.path + "/jsonl"]).output == everything)
    #expect(
      Program.run(["export", "--format", "tsv", "-i", copy.path + "/tsv"]).output == copy.read("x.tsv"))
    #expect(shardq("export", "--format", "geojson").output.split(separator: "\n").count == 11)
  }
}
